"""Compiled: the distance of rows, as `Encoded` defines it: a sum over columns."""

import numpy as np

from cellval.compiled import kernel

MISSING = np.float32(1.0)  # missing against present: what two random cells differ by


@kernel
def add_column(cells, at, weight, is_category, farthest, dist):
    """Add to each row's distance that of its cell in one column from the cell `at`.

    In place, because the compiler vectorises only where it can rule out overlap. With
    `farthest` no number counts as further away; with None that is not even compiled.
    """
    if np.isnan(at):
        for i in range(dist.size):
            dist[i] += np.float32(0) if np.isnan(cells[i]) else MISSING
    elif is_category:
        for i in range(dist.size):
            d = np.float32(0) if cells[i] == at else weight
            dist[i] += MISSING if np.isnan(cells[i]) else d
    else:
        for i in range(dist.size):
            gap = cells[i] - at
            if farthest is None:
                d = weight * (gap * gap)
            else:
                d = min(weight * gap * gap, farthest)
            dist[i] += MISSING if np.isnan(gap) else d


@kernel
def distances(cells, weight, is_category, at, without=-1):
    """Of all rows from the cells `at`; the column `without` is left out."""
    dist = np.zeros(cells.shape[1], np.float32)
    for j in range(weight.size):
        if j != without:
            add_column(cells[j], at[j], weight[j], is_category[j], None, dist)
    return dist
