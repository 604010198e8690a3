"""2D leave-one-out: what is lost when a cell's row and column go, beyond each alone.

    h(N, M) + h(N - i, M - j) - h(N - i, M) - h(N, M - j)

Needs (n + 1)(m + 1) evaluations. Not additive: the values sum to nothing in particular,
and copies of a row hide each other.
"""

from collections.abc import Callable, Iterator

import numpy as np

from cellval.games.estimate import Estimate, exactly
from cellval.games.going_on import Arrays, shaped
from cellval.games.watched import Play, Utility
from cellval.parallel import Piece


class LeftOut(Play[tuple[np.ndarray, ...], Estimate]):
    """The line of all rows, then row by row; those to come have no values yet."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.total = float((self.n_rows + 1) * (self.n_columns + 1))

    def done(self, state: tuple[np.ndarray, ...]) -> float:
        return float(len(state) * (self.n_columns + 1))

    def left(self, state: tuple[np.ndarray, ...]) -> Iterator[Piece]:
        shape = self.n_rows, self.n_columns
        for i in range(len(state) - 1, self.n_rows):  # -1 is the line of all rows
            arguments = (self.watched, *shape, i)
            yield Piece(_line_without, arguments, float(self.n_columns + 1))

    def told(self, state: tuple[np.ndarray, ...]) -> dict[str, np.ndarray]:
        lines = np.array(state).reshape(-1, self.n_columns + 1)
        return {
            "whole": lines[:1].ravel(),  # of all rows
            "rows": lines[1:, 0],
            "cells": lines[1:, 1:].T,
        }

    def restored(self, told: Arrays) -> tuple[np.ndarray, ...]:
        m, n = self.n_columns, min(told["rows"].size, self.n_rows)
        rows, cells = shaped(told, "rows", n), shaped(told, "cells", n, m)
        lines = np.column_stack([rows, cells])
        return shaped(told, "whole", m + 1), *lines

    def make(self, state: tuple[np.ndarray, ...]) -> Callable[[], Estimate] | None:
        return (lambda: self._estimate(state)) if len(state) > 1 else None

    def _estimate(self, state: tuple[np.ndarray, ...]) -> Estimate:
        values = np.full((self.n_rows, self.n_columns), np.nan)
        lost = state[0] - np.array(state[1:])
        values[: len(lost)] = lost[:, :1] - lost[:, 1:]
        return exactly(values)

    def seen(self, state: tuple[np.ndarray, ...]) -> str:
        return f"{max(len(state) - 1, 0):,} of {self.n_rows:,} rows left out"


def _line_without(h: Utility, n_rows: int, n_columns: int, row: int) -> np.ndarray:
    """Utilities without a row (-1: with all): of all columns, and without each one."""
    rows, columns = np.arange(n_rows), np.arange(n_columns)
    if row >= 0:
        rows = np.delete(rows, row)
    each = [columns, *(np.delete(columns, j) for j in columns)]
    return np.array([h(rows, some) for some in each], float)
