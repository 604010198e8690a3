"""Minimum-pooled values: a whole table at a glance."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Bands:
    """Minimum-pooled values: a single bad cell is as dark as a band of them."""

    lowest: np.ndarray  # (n_bands, n_groups); NaN where nothing is valued
    position: np.ndarray  # where in the order the lowest cell is, and in which column
    column: np.ndarray
    row_edges: np.ndarray  # band b holds positions row_edges[b] up to row_edges[b + 1]
    column_edges: np.ndarray

    @property
    def limits(self) -> tuple[float, float]:
        """Its own colour limits: minima of many cells are all low."""
        known = self.lowest[np.isfinite(self.lowest)]
        if known.size == 0:
            return -1.0, 0.0
        low, high = np.quantile(known, [0.01, 0.5]).tolist()
        return (low, high) if low < high else (low - 1e-12, high)


def bands(
    values: np.ndarray, order: np.ndarray, n_bands: int = 120, n_groups: int = 60
) -> Bands:
    """Pool the rows in the given order, and neighbouring columns, by their minimum."""
    n, m = len(order), values.shape[1]
    rows = np.linspace(0, n, min(n, n_bands) + 1).astype(int)
    columns = np.linspace(0, m, min(m, n_groups) + 1).astype(int)
    shape = (len(rows) - 1, len(columns) - 1)
    lowest = np.full(shape, np.nan)
    position, column = np.zeros(shape, int), np.zeros(shape, int)
    for b in range(shape[0]):
        block = values[order[rows[b] : rows[b + 1]]]
        block = np.where(np.isfinite(block), block, np.inf)
        for g in range(shape[1]):
            part = block[:, columns[g] : columns[g + 1]]
            i, j = np.unravel_index(np.argmin(part), part.shape)
            position[b, g], column[b, g] = rows[b] + i, columns[g] + j
            lowest[b, g] = part[i, j] if np.isfinite(part[i, j]) else np.nan
    return Bands(lowest, position, column, rows, columns)
