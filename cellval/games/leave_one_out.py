"""2D leave-one-out: what is lost when a cell's row and column go, beyond each alone."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from cellval.games.estimate import Estimate, exactly
from cellval.games.watched import Play, Utility
from cellval.parallel import Piece


def leave_one_out(h: Utility, n_rows: int, n_columns: int) -> np.ndarray:
    """h(N, M) + h(N - i, M - j) - h(N - i, M) - h(N, M - j) for every cell.

    Needs (n + 1)(m + 1) evaluations. Not additive: the values sum to nothing in
    particular, and copies of a row hide each other.

    Examples
    --------
    >>> leave_one_out(lambda rows, columns: len(rows) * len(columns), 2, 2).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    lines = [_line_without(h, n_rows, n_columns, i) for i in (-1, *range(n_rows))]
    return np.array([_gains(lines[0], line) for line in lines[1:]])


@dataclass(eq=False)
class LeftOut(Play[tuple[np.ndarray, ...], Estimate]):
    """Row by row; those to come have no values yet."""

    h: Utility
    n_rows: int
    n_columns: int

    def __post_init__(self) -> None:
        self.watch()
        self.total = float((self.n_rows + 1) * (self.n_columns + 1))

    def pieces(self) -> Iterator[Piece]:
        shape = self.n_rows, self.n_columns
        for i in (-1, *range(self.n_rows)):
            arguments = (self.watched, *shape, i)
            yield Piece(_line_without, arguments, float(self.n_columns + 1))

    def begin(self) -> tuple[np.ndarray, ...]:
        return ()

    def add(
        self, state: tuple[np.ndarray, ...], answer: np.ndarray
    ) -> tuple[np.ndarray, ...]:
        """The line of all rows first, then what each row gains."""
        return (*state, _gains(state[0], answer) if state else answer)

    def make(self, state: tuple[np.ndarray, ...]) -> Callable[[], Estimate] | None:
        return (lambda: self._estimate(state)) if len(state) > 1 else None

    def _estimate(self, state: tuple[np.ndarray, ...]) -> Estimate:
        values = np.full((self.n_rows, self.n_columns), np.nan)
        values[: len(state) - 1] = state[1:]
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


def _gains(all_rows: np.ndarray, without_row: np.ndarray) -> np.ndarray:
    """Values of the row's cells from two lines of utilities."""
    lost = all_rows - without_row
    return lost[0] - lost[1:]
