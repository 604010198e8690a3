"""2D leave-one-out: what is lost when a cell's row and column go, beyond each alone."""

import numpy as np

from cellval.games.model_utility import Utility


def leave_one_out(h: Utility, n_rows: int, n_columns: int) -> np.ndarray:
    """h(N, M) + h(N - i, M - j) - h(N - i, M) - h(N, M - j) for every cell.

    Needs (n + 1)(m + 1) evaluations. Not additive: the values sum to nothing in
    particular, and copies of a row hide each other.

    Examples
    --------
    >>> leave_one_out(lambda rows, columns: len(rows) * len(columns), 2, 2).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    lines = [line_without(h, n_rows, n_columns, i) for i in (-1, *range(n_rows))]
    return np.array([gains(lines[0], line) for line in lines[1:]])


def line_without(h: Utility, n_rows: int, n_columns: int, row: int) -> np.ndarray:
    """Utilities without a row (-1: with all): of all columns, and without each one."""
    rows, columns = np.arange(n_rows), np.arange(n_columns)
    if row >= 0:
        rows = np.delete(rows, row)
    each = [columns, *(np.delete(columns, j) for j in columns)]
    return np.array([h(rows, some) for some in each], float)


def gains(all_rows: np.ndarray, without_row: np.ndarray) -> np.ndarray:
    """Values of the row's cells from two lines of utilities."""
    lost = all_rows - without_row
    return lost[0] - lost[1:]
