"""Pairs of rows worth comparing: alike in value or in contents, not in the other."""

from dataclasses import dataclass

import numpy as np

from cellval.kept import kept
from cellval.table.table import Table
from cellval.values.result import CellValues
from cellval.views.table_view import table_view

N_PAIRS = 8
REACH = 10  # places in an order


@dataclass(frozen=True)
class RowPair:
    """Two rows worth comparing, and the column in which they differ most."""

    first: int
    second: int
    column: str


@kept(1)
def alike_values_pairs(values: CellValues) -> list[RowPair]:
    """Nearly the same row value, from very different cells."""
    order = np.argsort(values.row_values, kind="stable")
    order = order[np.isfinite(values.row_values[order])]
    if len(order) < 2:
        return []
    spread = np.subtract(*np.percentile(values.row_values[order], [95, 5]))
    pairs = _near_in(order)
    gap, apart = _apart(values.row_values[:, None], pairs), _apart(values.values, pairs)
    close = gap <= 0.02 * spread
    return _best(values, pairs[close], apart[close])


@kept(1)
def alike_rows_pairs(values: CellValues, table: Table) -> list[RowPair]:
    """Nearly the same contents, but very different row values."""
    view = table_view(table)
    order = view.similar[np.isfinite(values.row_values[view.similar])]
    if len(order) < 2:
        return []
    pairs = _near_in(order)
    apart, gap = _apart(view.points, pairs), _apart(values.row_values[:, None], pairs)
    close = apart <= np.quantile(apart, 0.1)
    return _best(values, pairs[close], gap[close])


def _near_in(order: np.ndarray) -> np.ndarray:
    """Pairs of rows at most `REACH` places apart."""
    lags = range(1, min(REACH, len(order) - 1) + 1)
    return np.vstack([np.column_stack([order[:-lag], order[lag:]]) for lag in lags])


def _apart(points: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    return np.linalg.norm(np.diff(points[pairs], axis=1)[:, 0], axis=1)


def _best(values: CellValues, pairs: np.ndarray, score: np.ndarray) -> list[RowPair]:
    """The pairs with the highest scores, no row twice."""
    found: list[RowPair] = []
    seen: set[int] = set()
    for a, b in pairs[np.argsort(-score, kind="stable")[: 50 * N_PAIRS]].tolist():
        if len(found) == N_PAIRS:
            break
        if a in seen or b in seen:
            continue
        seen |= {a, b}
        j = int(np.argmax(np.abs(values.values[a] - values.values[b])))
        found.append(RowPair(a, b, values.column_names[j]))
    return found
