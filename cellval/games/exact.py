"""Exact values of small games, from the utilities of all pairs of subsets."""

from collections.abc import Iterator
from concurrent.futures import Executor

import numpy as np

from cellval.errors import InputError
from cellval.games.groups import MOST_PLAYERS
from cellval.games.model_utility import Utility
from cellval.parallel import in_order
from cellval.weights import Weights, shapley

PIECES = 400  # into so many the evaluations are cut, at most


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
    *_, (_, utilities) = iter_utilities(h, n_rows, n_columns)
    return values_of(utilities, row_weights, column_weights)


def iter_utilities(
    h: Utility,
    n_rows: int,
    n_columns: int,
    *,
    executor: Executor | None = None,
    n_jobs: int = 1,
    every: float | None = None,
) -> Iterator[tuple[float, np.ndarray]]:
    """Yield the share of evaluations made, and the utilities known by then.

    In a random order, so that what is left takes as long as what was done. Subsets are
    numbered by their bits; what is not known yet is NaN. With `every`, also whenever so
    many seconds went by.

    Examples
    --------
    >>> h = lambda rows, columns: float(len(rows) * len(columns))
    >>> for done, utilities in iter_utilities(h, 1, 2):
    ...     pass
    >>> done, utilities.tolist()
    (1.0, [[0.0, 0.0, 0.0, 0.0], [0.0, 1.0, 1.0, 2.0]])
    """
    if n_rows + n_columns > MOST_PLAYERS:
        raise InputError(
            f"Exact values of {n_rows} x {n_columns} players need "
            f"2^{n_rows + n_columns} evaluations; at most {MOST_PLAYERS} players in "
            "all are possible. Group rows or columns, or sample (method='mc')."
        )
    rows, columns = _subsets(n_rows), _subsets(n_columns)
    utilities = np.full((len(rows), len(columns)), np.nan)
    utilities[0] = [h(rows[0], f) for f in columns]
    utilities[1:, 0] = [h(s, columns[0]) for s in rows[1:]]
    pairs = [(s, f) for s in range(1, len(rows)) for f in range(1, len(columns))]
    order = np.random.default_rng(0).permutation(len(pairs))
    size = -(-len(pairs) // PIECES)
    pieces = [order[first : first + size] for first in range(0, len(pairs), size)]
    work = [
        (h, [(rows[pairs[k][0]], columns[pairs[k][1]]) for k in piece])
        for piece in pieces
    ]
    n = 0
    for answers in in_order(_evaluated, work, executor, n_jobs, every):
        if answers is not None:
            for k, answer in zip(pieces[n], answers, strict=True):
                utilities[pairs[k]] = answer
            n += 1
        yield n / len(pieces), utilities


def values_of(
    utilities: np.ndarray,
    row_weights: Weights = shapley,
    column_weights: Weights = shapley,
) -> np.ndarray:
    """Values from the utilities of all pairs of subsets, (2^n, 2^m)."""
    n_rows, n_columns = (int(size).bit_length() - 1 for size in utilities.shape)
    left = _marginals(n_rows, row_weights)
    return np.asarray(left @ utilities @ _marginals(n_columns, column_weights).T)


def _evaluated(h: Utility, pairs: list[tuple[np.ndarray, np.ndarray]]) -> list[float]:
    return [float(h(s, f)) for s, f in pairs]


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
