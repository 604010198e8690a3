"""Compiled: the distance of rows in one column, as `Encoded` defines it."""

import numpy as np

from cellval.compiled import kernel

MISSING = np.float32(1.0)  # missing against present: what two random cells differ by


@kernel
def add_column(cells, at, weight, is_category, dist):
    """Add to each row's distance that of its cell in one column from the cell `at`.

    In place, because the compiler vectorises only where it can rule out overlap.
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
            d = weight * (gap * gap)
            dist[i] += MISSING if np.isnan(d) else d
