"""Compiled: the nearest of some rows: of one row, for every column, as a vote."""

import numpy as np

from cellval.compiled import kernel
from cellval.knn.distance import add_column
from cellval.table.encoding import encode
from cellval.table.table import Table

BLOCK = 1024  # rows compared at a time: their distances stay in the fastest memory
# A column counts as at most so far apart, or one absurd cell would decide which rows
# are near in all others. Two random cells are about 1 apart.
FARTHEST = np.float32(16.0)


@kernel
def keep_nearest(distance, row, best, rows):
    """Put a row among the nearest so far, in order; the last of them goes."""
    p = best.size - 1
    while p > 0 and best[p - 1] > distance:
        best[p] = best[p - 1]
        rows[p] = rows[p - 1]
        p -= 1
    best[p] = distance
    rows[p] = row


@kernel
def k_smallest(dist, best):
    """Fill `best` with the smallest distances in order; infinity where none is left."""
    best[:] = np.inf
    k = best.size
    for i in range(dist.size):
        if dist[i] < best[k - 1]:
            p = k - 1
            while p > 0 and best[p - 1] > dist[i]:
                best[p] = best[p - 1]
                p -= 1
            best[p] = dist[i]


@kernel
def k_nearest(dist, k):
    """The k nearest rows in order (of equal ones the first), and their distances."""
    best, rows = np.full(k, np.inf, np.float32), np.full(k, -1)
    for i in range(dist.size):
        if dist[i] < best[k - 1]:
            keep_nearest(dist[i], i, best, rows)
    return rows, best


@kernel
def nearest_rows(
    rows: np.ndarray,  # float32 (n_columns, n): cells of the rows asked about
    own: np.ndarray,  # int64 (n,): where each is among the known rows, or -1
    known: np.ndarray,  # float32 (n_columns, n_known)
    weight: np.ndarray,  # float32 (n_columns,)
    is_category: np.ndarray,  # bool (n_columns,)
    predictors: np.ndarray,  # int64 (n_targets, n_predictors): columns; -1 for none
    importance: np.ndarray,  # float32 (n_targets, n_predictors)
    found: np.ndarray,  # int32 (n, n_targets, K)
    stop: np.ndarray,  # uint8 (1,): return early once it is not 0
) -> None:
    """Fill found[i, j] with the known rows nearest to row i in what predicts column j.

    Nearest first, no row its own neighbour; -1 where there are no more rows.
    """
    n_columns, n_known = known.shape
    n_targets, n_predictors = predictors.shape
    n_near = found.shape[2]
    apart = np.zeros((n_columns, BLOCK), np.float32)
    total = np.empty(BLOCK, np.float32)
    best = np.empty((n_targets, n_near), np.float32)
    for i in range(own.size):
        if stop[0]:
            return
        best[:] = np.inf
        found[i] = -1
        for first in range(0, n_known, BLOCK):
            size = min(BLOCK, n_known - first)
            apart[:, :size] = 0.0
            for column in range(n_columns):
                add_column(
                    known[column, first : first + size],
                    rows[column, i],
                    weight[column],
                    is_category[column],
                    FARTHEST,
                    apart[column, :size],
                )
            for j in range(n_targets):
                total[:] = 0.0
                for p in range(n_predictors):
                    if predictors[j, p] >= 0:
                        part, times = apart[predictors[j, p]], importance[j, p]
                        for k in range(BLOCK):
                            total[k] += times * part[k]
                if first <= own[i] < first + size:
                    total[own[i] - first] = np.inf
                worst = best[j, n_near - 1]
                for k in range(size):
                    if total[k] < worst:
                        keep_nearest(total[k], first + k, best[j], found[i, j])
                        worst = best[j, n_near - 1]


def knn_classes(train: Table, cells: np.ndarray, n_neighbors: int) -> np.ndarray:
    """Class that a vote of the nearest rows gives to each column of encoded cells."""
    encoded = encode(train)
    known = encoded.cells, encoded.weight, encoded.is_category, encoded.y
    k = min(n_neighbors, train.n_rows)
    return np.asarray(_vote(*known, len(train.classes), cells, k))


def knn_numbers(train: Table, cells: np.ndarray, n_neighbors: int) -> np.ndarray:
    """Mean label, a number, of the rows nearest to each column of encoded cells.

    Rows tied at the last place share what is left of the K neighbours.
    """
    encoded = encode(train)
    known = encoded.cells, encoded.weight, encoded.is_category, encoded.y
    return np.asarray(_mean(*known, cells, min(n_neighbors, train.n_rows)))


@kernel
def _mean(cells, weight, is_category, y, tests, k):
    m, n = cells.shape
    means = np.empty(tests.shape[1])
    dist, nearest = np.empty(n, np.float32), np.empty(k, np.float32)
    for t in range(means.size):
        dist[:] = 0
        for j in range(m):
            add_column(cells[j], tests[j, t], weight[j], is_category[j], None, dist)
        k_smallest(dist, nearest)
        n_nearer, n_tied, nearer, tied = 0, 0, 0.0, 0.0
        for i in range(n):
            if dist[i] < nearest[k - 1]:
                n_nearer += 1
                nearer += y[i]
            elif dist[i] == nearest[k - 1]:
                n_tied += 1
                tied += y[i]
        means[t] = (nearer + tied / n_tied * (k - n_nearer)) / k
    return means


@kernel
def _vote(cells, weight, is_category, y, n_classes, tests, k):
    """Class of each test point; one row of distances at a time.

    Votes are counted in units of 1 / (rows tied at the last place), so that a share of
    a vote is a whole number and equal votes are equal.
    """
    m, n = cells.shape
    common = np.zeros(n_classes, np.int64)
    for i in range(n):
        common[y[i]] += 1
    classes = np.empty(tests.shape[1], np.int32)
    dist = np.empty(n, np.float32)
    nearest = np.empty(k, np.float32)
    nearer, tied = np.empty(n_classes, np.int64), np.empty(n_classes, np.int64)
    for t in range(tests.shape[1]):
        dist[:] = 0
        for j in range(m):
            add_column(cells[j], tests[j, t], weight[j], is_category[j], None, dist)
        k_smallest(dist, nearest)
        nearer[:] = 0
        tied[:] = 0
        for i in range(n):
            if dist[i] < nearest[k - 1]:
                nearer[y[i]] += 1
            elif dist[i] == nearest[k - 1]:
                tied[y[i]] += 1
        votes = nearer * tied.sum() + tied * (k - nearer.sum())
        best = 0
        for c in range(1, n_classes):
            if votes[c] > votes[best] or (
                votes[c] == votes[best] and common[c] > common[best]
            ):
                best = c
        classes[t] = best
    return classes
