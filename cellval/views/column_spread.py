"""How the cell values of each column spread."""

from dataclasses import dataclass

import numpy as np

from cellval.values.result import CellValues

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True, eq=False)
class ColumnSpread:
    """A few numbers per column instead of all its cells.

    Attributes
    ----------
    quantiles : ndarray of shape (5, n_columns)
        Where `QUANTILES` of the cell values are.
    lowest : ndarray of shape (n_columns,)
        The lowest cell value.
    """

    quantiles: np.ndarray
    lowest: np.ndarray


def column_spread(values: CellValues, columns: np.ndarray) -> ColumnSpread | None:
    """Of these columns, over the rows with values; None if there is no such row."""
    cells = values.values[:, columns]
    cells = cells[np.isfinite(cells).all(axis=1)]
    if len(cells) == 0:
        return None
    return ColumnSpread(np.quantile(cells, QUANTILES, axis=0), cells.min(axis=0))
