"""Valuations of this process wait for each other: few at a time, fair between people.

A run uses all cores, so that several at once only make each other late, and take more
memory together than there may be.
"""

import os
import threading
import warnings
from typing import Any

from cellval.jobs.background import ValuationJob
from cellval.table.table import Table
from cellval.values.options import RunOptions

VARIABLE = "CELLVAL_RUNS_AT_ONCE"

_waiting: list[ValuationJob] = []  # the oldest first
_running: list[ValuationJob] = []
_turns: dict[str, int] = {}  # by person, when the last run of theirs began
_lock = threading.RLock()


def at_once() -> int:
    """How many runs go on at the same time."""
    said = os.environ.get(VARIABLE, "").strip() or "1"
    if said.isdecimal() and int(said) > 0:
        return int(said)
    words = f"{VARIABLE} is {said!r}, no whole number above 0: one run at a time."
    warnings.warn(words, stacklevel=2)
    return 1


AT_ONCE = at_once()


def start(
    table: Table, options: RunOptions, *, who: str = "", **how: Any
) -> ValuationJob:
    """Value the cells of a table in the background, as soon as it is its turn."""
    job = ValuationJob(table, options, **how)
    job.who, job.on_end = who, _advance
    with _lock:
        _waiting.append(job)
    _advance()
    return job


def place(job: ValuationJob) -> int:
    """How many runs begin before this one, plus 1; 0 if it has begun or is over."""
    with _lock:
        left, turns, n = [j for j in _waiting if j.active], dict(_turns), 0
        while job in left:
            following = _following(left, turns)
            left.remove(following)
            turns[following.who] = max(turns.values(), default=0) + 1
            n += 1
        return n


def own_running(job: ValuationJob) -> ValuationJob | None:
    """A run of the same person that this one waits for, if there is one."""
    with _lock:
        own = [other for other in _running if other.who == job.who and other.active]
        return own[0] if job in _waiting and own else None


def _following(waiting: list[ValuationJob], turns: dict[str, int]) -> ValuationJob:
    """Whose last run began longest ago; of theirs the oldest."""
    return min(waiting, key=lambda job: turns.get(job.who, 0))


def _advance() -> None:
    """Called whenever a run came or ended."""
    with _lock:
        _waiting[:] = [job for job in _waiting if job.active]
        _running[:] = [job for job in _running if not job.is_over]
        while _waiting and len(_running) < AT_ONCE:
            job = _following(_waiting, _turns)
            _waiting.remove(job)
            _running.append(job)
            _turns[job.who] = max(_turns.values(), default=0) + 1
            job.start()
        known = {job.who for job in (*_waiting, *_running)}
        if not _waiting:  # nobody is ahead of anybody any more
            for who in [who for who in _turns if who not in known]:
                del _turns[who]
