"""Computations of this process wait for each other: few at a time, fair between people.

A run uses all cores, so that several at once only make each other late, and take more
memory together than there may be. What is measured beside runs waits in a lane of its
own: a person who looks at results need not wait until a long run ends.
"""

import os
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from cellval.errors import InputError
from cellval.jobs.background import Job, ValuationJob
from cellval.limits import how_to_raise, limits
from cellval.progress import Snapshot
from cellval.table.table import Table
from cellval.text import counted
from cellval.values.options import RunOptions

Result = TypeVar("Result")

VARIABLE = "CELLVAL_RUNS_AT_ONCE"


def at_once() -> int:
    """How many runs go on at the same time."""
    said = os.environ.get(VARIABLE, "").strip() or "1"
    if said.isdecimal() and int(said) > 0:
        return int(said)
    words = f"{VARIABLE} is {said!r}, no whole number above 0: one run at a time."
    warnings.warn(words, stacklevel=2)
    return 1


AT_ONCE = at_once()


class Lane:
    """Jobs that wait for each other.

    One that was stopped has its place until its thread is gone, for the memory that it
    holds; unless it is small, and a person wants to start it again.
    """

    def __init__(self, *, of_small: bool = False) -> None:
        self._of_small = of_small
        self.waiting: list[Job[Any]] = []  # the oldest first
        self.running: list[Job[Any]] = []
        self.turns: dict[str, int] = {}  # by person, when the last job of theirs began
        self._lock = threading.RLock()

    def add(self, job: Job[Any], who: str) -> None:
        """It begins as soon as it is its turn."""
        job.who, job.on_end = who, self.advance
        with self._lock:
            self.waiting.append(job)
        self.advance()

    def place(self, job: Job[Any]) -> int:
        """How many begin before this one, plus 1; 0 if it does not wait here."""
        with self._lock:
            left, turns, n = [j for j in self.waiting if j.active], dict(self.turns), 0
            while job in left:
                following = _following(left, turns)
                left.remove(following)
                turns[following.who] = max(turns.values(), default=0) + 1
                n += 1
            return n

    def _holds(self, job: Job[Any]) -> bool:
        return job.active if self._of_small else not job.is_over

    def advance(self) -> None:
        """Called whenever a job came or ended."""
        with self._lock:
            self.waiting[:] = [job for job in self.waiting if job.active]
            self.running[:] = [job for job in self.running if self._holds(job)]
            while self.waiting and len(self.running) < AT_ONCE:
                job = _following(self.waiting, self.turns)
                self.waiting.remove(job)
                self.running.append(job)
                self.turns[job.who] = max(self.turns.values(), default=0) + 1
                job.start()
            known = {job.who for job in (*self.waiting, *self.running)}
            if not self.waiting:  # nobody is ahead of anybody any more
                for who in [who for who in self.turns if who not in known]:
                    del self.turns[who]


RUNS, BESIDE = Lane(), Lane(of_small=True)


def check_room() -> None:
    """InputError if too many runs wait: each holds its table in memory."""
    n, limit = sum(job.active for job in [*RUNS.waiting]), limits().waiting
    if n >= limit:
        raise InputError(
            f"{counted(n, 'run')} wait already; the limit is {limit:,.0f}. Try again "
            f"later. {how_to_raise('waiting')} of the server."
        )


def start(
    table: Table, options: RunOptions, *, who: str = "", **how: Any
) -> ValuationJob:
    """Value the cells of a table in the background, as soon as it is its turn."""
    job = ValuationJob(table, options, **how)
    RUNS.add(job, who)
    return job


def start_beside(
    table: Table, begin: Callable[[], Iterator[Snapshot[Result]]], *, who: str = ""
) -> Job[Result]:
    """Any iterator of snapshots, as soon as it is its turn; see `start_job`."""
    job = Job(table, begin)
    BESIDE.add(job, who)
    return job


def place(job: Job[Any]) -> int:
    """How many begin before this one, plus 1; 0 if it has begun or is over."""
    return RUNS.place(job) or BESIDE.place(job)


def own_running(job: Job[Any], who: str) -> Job[Any] | None:
    """What goes on of this person's that this one of theirs waits for, if anything."""
    for lane in (RUNS, BESIDE):
        own = [other for other in lane.running if other.who == who and other.active]
        if job in lane.waiting and job.who == who and own:
            return own[0]
    return None


def _following(waiting: list[Job[Any]], turns: dict[str, int]) -> Job[Any]:
    """Whose last job began longest ago; of theirs the oldest."""
    return min(waiting, key=lambda job: turns.get(job.who, 0))
