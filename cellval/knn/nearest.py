"""Compiled: for every column of every row, the rows nearest to it in other columns."""

import numpy as np

from cellval.compiled import kernel
from cellval.knn.distance import MISSING

BLOCK = 1024  # rows compared at a time: their distances stay in the fastest memory
# A column counts as at most so far apart, or one absurd cell would decide which rows
# are near in all others. Two random cells are about 1 apart.
FARTHEST = np.float32(16.0)


@kernel
def _distances(
    at: np.float32,
    cells: np.ndarray,
    weight: np.float32,
    category: np.bool_,
    out: np.ndarray,
) -> None:
    """Distance of one cell from others of its column, as `Encoded` defines it."""
    if np.isnan(at):
        for k in range(cells.size):
            out[k] = np.float32(0.0) if np.isnan(cells[k]) else MISSING
    elif category:
        for k in range(cells.size):
            far = MISSING if np.isnan(cells[k]) else weight
            out[k] = np.float32(0.0) if cells[k] == at else far
    else:
        for k in range(cells.size):
            gap = cells[k] - at
            far = min(weight * gap * gap, FARTHEST)
            out[k] = MISSING if np.isnan(gap) else far


@kernel
def nearest_rows(
    rows: np.ndarray,
    own: np.ndarray,
    known: np.ndarray,
    weight: np.ndarray,
    is_category: np.ndarray,
    predictors: np.ndarray,
    importance: np.ndarray,
    found: np.ndarray,
    stop: np.ndarray,
) -> None:
    """Fill found[i, j] with the known rows nearest to row i in what predicts column j.

    Parameters
    ----------
    rows : float32 (n_columns, n)
        Encoded cells of the rows asked about; the label may be one of the columns.
    own : int64 (n,)
        Where each of them is among the known rows (it is not its own neighbour), or -1.
    known : float32 (n_columns, n_known)
    weight, is_category : (n_columns,)
    predictors : int64 (n_targets, n_predictors)
        Columns in which to compare for each target column; -1 for none.
    importance : float32 (n_targets, n_predictors)
    found : int32 (n, n_targets, K)
        Nearest first; -1 where there are no more rows.
    stop : uint8 (1,)
        Return early once it is not 0.
    """
    n_columns, n_known = known.shape
    n_targets, n_predictors = predictors.shape
    n_near = found.shape[2]
    apart = np.empty((n_columns, BLOCK), np.float32)
    total = np.empty(BLOCK, np.float32)
    best = np.empty((n_targets, n_near), np.float32)
    for i in range(own.size):
        if stop[0]:
            return
        best[:] = np.inf
        found[i] = -1
        for first in range(0, n_known, BLOCK):
            size = min(BLOCK, n_known - first)
            for column in range(n_columns):
                _distances(
                    rows[column, i],
                    known[column, first : first + size],
                    weight[column],
                    is_category[column],
                    apart[column],
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
                        at = n_near - 1
                        while at > 0 and best[j, at - 1] > total[k]:
                            best[j, at] = best[j, at - 1]
                            found[i, j, at] = found[i, j, at - 1]
                            at -= 1
                        best[j, at] = total[k]
                        found[i, j, at] = first + k
                        worst = best[j, n_near - 1]
