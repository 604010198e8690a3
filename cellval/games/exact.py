"""Exact values of small games, from the utilities of all pairs of subsets."""

import numpy as np

from cellval.decoding import InputError
from cellval.games.utility import Utility
from cellval.games.weights import Weights, shapley

MOST_PLAYERS = 16  # rows and columns together: 65,536 utilities


def exact_values(
    h: Utility,
    n_rows: int,
    n_columns: int,
    *,
    row_weights: Weights = shapley,
    column_weights: Weights = shapley,
) -> np.ndarray:
    """Value of every cell: eq. (4) of the paper, summed over all pairs of subsets.

    Evaluates ``h`` for all 2^n x 2^m pairs of non-empty subsets once; a game without
    rows or without columns is worth ``h(empty, ...)``, which is asked, too.

    Returns
    -------
    ndarray of shape (n_rows, n_columns)

    Examples
    --------
    >>> values = exact_values(lambda rows, columns: len(rows) * len(columns), 2, 3)
    >>> values.round(6).tolist()
    [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]
    """
    if n_rows + n_columns > MOST_PLAYERS:
        raise InputError(
            f"Exact values of {n_rows} x {n_columns} players need "
            f"2^{n_rows + n_columns} evaluations; at most {MOST_PLAYERS} players in "
            "all are possible. Group rows or columns, or sample (method='mc')."
        )
    rows, columns = _subsets(n_rows), _subsets(n_columns)
    utilities = np.array([[h(s, f) for f in columns] for s in rows], float)
    left = _marginals(n_rows, row_weights)
    return np.asarray(left @ utilities @ _marginals(n_columns, column_weights).T)


def _subsets(n: int) -> list[np.ndarray]:
    """All subsets of n players, by the bits of their number."""
    return [np.flatnonzero(number >> np.arange(n) & 1) for number in range(2**n)]


def _marginals(n: int, weights: Weights) -> np.ndarray:
    """(n, 2^n): the weighted sum over subsets that is each player's value."""
    numbers = np.arange(2**n)
    inside = (numbers >> np.arange(n)[:, None] & 1).astype(bool)
    size = inside.sum(axis=0)
    w = weights(n)
    with_player, without = w[np.maximum(size - 1, 0)], w[np.minimum(size, n - 1)]
    return np.where(inside, with_player, -without)
