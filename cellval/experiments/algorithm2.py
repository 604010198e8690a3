"""The paper's Algorithm 2 in plain numpy: what the engine is compared with.

One random order of the columns at a time, shared by all test points; for every prefix
one argsort of all rows and the recursion of KNN-Shapley (Jia et al. 2019, theorem 1).
Written twice: a loop over test points, as usual, and many test points at once.
"""

from typing import NamedTuple

import numpy as np

from cellval.table.encoding import encode
from cellval.table.table import Table

AT_ONCE = 200_000  # distances in one go, so that they stay in the cache
JITTER = 1e-12  # distances begin with, where ties are broken at random


class Arrays(NamedTuple):
    """Training rows and test points as Algorithm 2 takes them."""

    rows: np.ndarray  # (n, m)
    labels: np.ndarray  # (n,)
    tests: np.ndarray  # (n_tests, m)
    test_labels: np.ndarray  # (n_tests,)
    weight: np.ndarray | float = 1.0  # (m,): of each column in the distance
    is_category: np.ndarray | bool = False  # (m,): where cells are equal or not


def arrays_of(table: Table, test: Table) -> Arrays:
    """The engine's own distances, so that both look for the same values."""
    own, other = encode(table), encode(test, like=table)
    return Arrays(
        own.cells.T.astype(float),
        own.y,
        other.cells.T.astype(float),
        other.y,
        own.weight.astype(float),
        own.is_category,
    )


def knn_shapley_of_point(
    distances: np.ndarray, match: np.ndarray, k: int
) -> np.ndarray:
    """Values of all rows for one test point (n,)."""
    n = distances.size
    order = np.argsort(distances)
    hit = match[order].astype(float)
    gain = (hit[:-1] - hit[1:]) / np.maximum(k, np.arange(1, n))
    sorted_values = np.append(np.cumsum(gain[::-1])[::-1], 0.0) + hit[-1] / max(n, k)
    values = np.empty(n)
    values[order] = sorted_values
    return values


def knn_shapley_of_points(
    distances: np.ndarray, match: np.ndarray, k: int
) -> np.ndarray:
    """The same for some test points at once (n_tests, n)."""
    n = distances.shape[1]
    order = np.argsort(distances, axis=1)
    hit = np.take_along_axis(match, order, axis=1).astype(float)
    gain = (hit[:, :-1] - hit[:, 1:]) / np.maximum(k, np.arange(1, n))
    last = hit[:, -1:] / max(n, k)
    steps = np.cumsum(gain[:, ::-1], axis=1)[:, ::-1] + last
    values = np.empty(distances.shape)
    np.put_along_axis(values, order, np.concatenate([steps, last], axis=1), axis=1)
    return values


def one_permutation(
    arrays: Arrays,
    k: int,
    order: np.ndarray,
    *,
    at_once: bool = True,
    ties: np.random.Generator | None = None,
) -> np.ndarray:
    """Cell values (n, m) from one order of the columns.

    Many test points `at_once` are faster than one after the other. Only so are ties
    broken at random, for every test point anew, if there is a generator; without, rows
    at the same distance stand as argsort leaves them.
    """
    rows, tests = arrays.rows, arrays.tests
    n, m = rows.shape
    weight = np.broadcast_to(arrays.weight, m)
    is_category = np.broadcast_to(arrays.is_category, m)
    sums = np.zeros((m, n))  # of the prefixes, over test points
    size = max(1, AT_ONCE // n) if at_once else 1
    for first in range(0, len(tests), size):
        some = slice(first, first + size)
        match = arrays.test_labels[some, None] == arrays.labels[None, :]
        if not at_once:
            for p in range(m):
                seen = order[: p + 1]
                apart = (rows[:, seen] - tests[first, seen]) ** 2
                if is_category.any():
                    apart = np.where(is_category[seen], apart != 0, apart)
                distances = apart @ weight[seen]
                sums[p] += knn_shapley_of_point(distances, match[0], k)
            continue
        shape = match.shape
        distances = np.zeros(shape) if ties is None else JITTER * ties.random(shape)
        for p, j in enumerate(order):
            apart = tests[some, None, j] - rows[None, :, j]
            distances += weight[j] * ((apart != 0) if is_category[j] else apart**2)
            sums[p] += knn_shapley_of_points(distances, match, k).sum(axis=0)
    values = np.empty((n, m))
    values[:, order] = np.diff(sums / len(tests), axis=0, prepend=0.0).T
    return values
