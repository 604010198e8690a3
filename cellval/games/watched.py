"""Utilities: functions of rows and columns, counted and stopped from outside."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from cellval.games.going_on import Continuable
from cellval.parallel import Result, State

# h(rows, columns) of sorted positions: how well a model does that sees only these
Utility = Callable[[np.ndarray, np.ndarray], float]


def line(
    h: Utility, rows: np.ndarray, columns: np.ndarray, wanted: np.ndarray
) -> np.ndarray:
    """Utilities of sorted rows seen through the first 0, 1, ... of the columns.

    By the utility's own method of this name, if it has one, else by calls. What is not
    `wanted`, a bool for each of the utilities, may be anything.
    """
    if hasattr(h, "line"):
        return np.asarray(h.line(rows, columns, wanted))
    return line_by_calls(h, rows, columns, wanted)


def line_by_calls(
    h: Utility, rows: np.ndarray, columns: np.ndarray, wanted: np.ndarray
) -> np.ndarray:
    found = np.zeros(len(columns) + 1)
    for f in np.flatnonzero(wanted):
        found[f] = h(rows, np.sort(columns[:f]))
    return found


class Stopped(Exception):
    """The run is over; nobody waits for this evaluation."""


class Watched:
    """A utility that counts its evaluations and can be stopped from outside."""

    def __init__(self, h: Any) -> None:
        self._h = h
        self.n = 0
        self.stop = False

    def __call__(self, *players: np.ndarray) -> float:
        if self.stop:
            raise Stopped
        self.n += 1  # two threads may lose one: it is for progress only
        return float(self._h(*players))

    def line(
        self, rows: np.ndarray, columns: np.ndarray, wanted: np.ndarray
    ) -> np.ndarray:
        """As `line`; stopped within it where it is made of calls."""
        if self.stop:
            raise Stopped
        if not hasattr(self._h, "line") or not is_compiled(self._h):
            return line_by_calls(self, rows, columns, wanted)
        self.n += len(columns)
        return line(self._h, rows, columns, wanted)


def is_compiled(h: Any) -> bool:
    """Can threads evaluate side by side?

    The GIL keeps models of scikit-learn from that; a utility that wants processes
    instead has an attribute ``compiled = False``. Others, such as functions of one's
    own, get threads: they may not be picklable.
    """
    return bool(getattr(h, "compiled", True))


@dataclass(eq=False)
class Play(Continuable[State, Result]):
    """A computation whose pieces evaluate a utility, as it is `watched`.

    To run on processes the utility must be picklable.
    """

    h: Any
    n_rows: int
    n_columns: int

    def __post_init__(self) -> None:
        self.watched = Watched(self.h)
        self.processes = not is_compiled(self.h)

    def prepare(self) -> None:
        """Load and compile what evaluations need."""
        self.h(np.arange(min(self.n_rows, 2)), np.arange(1))

    def done_inside(self) -> float:
        return float(self.watched.n)

    def stop(self) -> None:
        self.watched.stop = True
