"""`Snapshot`: where a long computation stands; and a line on the terminal that says so.

Every long computation (values, blocks, surprise, measuring, validation) is an iterator
of snapshots. What differs is only what their `result` is.
"""

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TextIO, TypeVar

from cellval.text import full, spoken_time

Result = TypeVar("Result")
Other = TypeVar("Other")
Step = TypeVar("Step", bound="Snapshot")


@dataclass(frozen=True, eq=False)
class Snapshot(Generic[Result]):
    """Where a computation stands. Its result is made when it is asked for.

    Attributes
    ----------
    done : float
        Share of the work, 0 to 1.
    seconds, seconds_left : float
        Spent so far, and expected; NaN while nothing can be said.
    seen : str
        How much was done, in words, such as "200 test points".
    preparing : bool
        Code is being compiled or loaded, and no time is counted yet. Of a small table
        there can be results all the same, by plain Python.
    make : callable or None
        Makes the result; None as long as there is none.
    begun : callable or None
        As long as there is none, makes what a later run goes on from, if it can.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read("sample_data/davis.csv", label="sex")
    >>> for snapshot in cellval.iter_values(table):
    ...     if snapshot.has_result:  # good enough? then leave
    ...         values = snapshot.result
    >>> snapshot.done, snapshot.seen
    (1.0, '200 test points')
    """

    done: float = 0.0
    seconds: float = 0.0
    seconds_left: float = float("nan")
    seen: str = ""
    preparing: bool = False
    make: Callable[[], Result] | None = None
    begun: Callable[[], Result] | None = None

    @property
    def has_result(self) -> bool:
        return self.make is not None

    @cached_property
    def result(self) -> Result:
        """The estimate so far."""
        if self.make is None:
            raise ValueError("There is no result yet; see `has_result`.")
        return self.make()

    def then(self, function: Callable[[Result], Other]) -> "Snapshot[Other]":
        """The same moment, with what a function makes of the result."""
        begun = self.begun
        return Snapshot(
            *(self.done, self.seconds, self.seconds_left, self.seen, self.preparing),
            make=None if self.make is None else lambda: function(self.result),
            begun=None if begun is None else lambda: function(begun()),
        )

    @property
    def to_go_on(self) -> Callable[[], Result] | None:
        """Makes what a later run goes on from: the result, or what was begun of it."""
        return (lambda: self.result) if self.has_result else self.begun

    @property
    def time_left(self) -> str:
        """As in "about 3 min left"; empty while nothing can be said."""
        if not self.seconds_left < float("inf"):
            return ""
        return f"about {spoken_time(self.seconds_left)} left"


def line(snapshot: Snapshot, *, with_error: bool = True) -> str:
    """Bar, what was seen, standard error where there is one, and time left.

    Whether there is one is known when the result is made, which takes a while.
    """
    if snapshot.preparing:
        return "preparing (the first run on a machine compiles for about 15 s) ..."
    filled = round(24 * snapshot.done)
    parts = [snapshot.seen]
    known = with_error and snapshot.has_result
    if known and hasattr(snapshot.result, "typical_stderr"):
        parts.append(f"standard error {full(snapshot.result.typical_stderr, 2)}")
    parts.append(snapshot.time_left)
    return (
        f"[{'#' * filled}{'.' * (24 - filled)}] {snapshot.done:4.0%}  "
        + ", ".join(filter(None, parts))
    ).rstrip()


def shown(
    snapshots: Iterator[Step], *, what: str = "", stream: TextIO | None = None
) -> Iterator[Step]:
    """Pass snapshots on, and keep one line of a terminal up to date.

    Where there is no terminal, such as in a log, a line is added every few seconds, and
    as soon as there is a result. Before it stands `what`, such as "measuring models".
    """
    stream = stream or sys.stderr
    terminal = stream.isatty()
    every = 0.2 if terminal else 5.0
    width, last, took, has_result = 0, -every, 0.0, False
    was_preparing = False
    snapshot: Step | None = None
    for snapshot in snapshots:
        now = time.monotonic()
        is_news = snapshot.done >= 1 or snapshot.has_result > has_result
        is_news |= was_preparing and not snapshot.preparing
        if is_news or now - last >= max(every, 10 * took):
            text = line(snapshot, with_error=not what)  # of values, which are no `what`
            text = f"{what}: {text}" if what else text
            with suppress(OSError):  # a terminal that was closed ends no run
                stream.write(f"\r{text:{width}}" if terminal else f"{text}\n")
                stream.flush()
            # The error is known when the result is made: that may take a while.
            took = time.monotonic() - now
            width, last = len(text), now
            has_result, was_preparing = snapshot.has_result, snapshot.preparing
        yield snapshot
    if snapshot is not None and terminal:
        with suppress(OSError):
            stream.write("\n")


class Stages(Generic[Result]):
    """Progress of several stages, from what is left as each of them tells it."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._done = 0.0
        self.later = 0.0  # seconds of the stages to come

    def told(self, now: Result, stage: str, left: float) -> Snapshot[Result]:
        """In this stage, of which so many seconds are left."""
        seconds = time.monotonic() - self._began
        left += self.later
        if math.isfinite(left) and seconds + left > 0:
            self._done = min(0.999, max(self._done, seconds / (seconds + left)))
        return Snapshot(self._done, seconds, left, stage, make=lambda: now)

    def over(self, now: Result) -> Snapshot[Result]:
        seconds = time.monotonic() - self._began
        return Snapshot(1.0, seconds, 0.0, "finished", make=lambda: now)
