"""2D leave-one-out: what is lost when a cell's row and column go, beyond each alone."""

import numpy as np

from cellval.games.utility import Utility


def leave_one_out(h: Utility, n_rows: int, n_columns: int) -> np.ndarray:
    """h(N, M) + h(N - i, M - j) - h(N - i, M) - h(N, M - j) for every cell.

    Needs (n + 1)(m + 1) evaluations. Not additive: the values sum to nothing in
    particular, and copies of a row hide each other.

    Examples
    --------
    >>> leave_one_out(lambda rows, columns: len(rows) * len(columns), 2, 2).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    everyone, all_columns = np.arange(n_rows), np.arange(n_columns)
    rows = [everyone, *(np.delete(everyone, i) for i in everyone)]
    columns = [all_columns, *(np.delete(all_columns, j) for j in all_columns)]
    u = np.array([[h(s, f) for f in columns] for s in rows], float)
    return np.asarray(u[0, 0] + u[1:, 1:] - u[1:, :1] - u[:1, 1:])
