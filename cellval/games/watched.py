"""Pieces of work on an executor, their results in order; utilities that can stop."""

from typing import Any

import numpy as np

from cellval.games.model_utility import line, line_by_calls


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
        """As `ModelUtility.line`; stopped within it where it is made of calls."""
        if self.stop:
            raise Stopped
        if not hasattr(self._h, "line") or not getattr(self._h, "compiled", True):
            return line_by_calls(self, rows, columns, wanted)
        self.n += len(columns)
        return line(self._h, rows, columns, wanted)
