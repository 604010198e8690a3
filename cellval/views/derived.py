"""What pages show of a result: orders, filters, windows, overviews, suspects.

Pure computing on arrays; results are kept in memory per result object, because pages
ask again on every click.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import pandas as pd

from cellval.table.encoding import Encoded, encode
from cellval.table.table import Table
from cellval.text import SURE, Unit
from cellval.values.result import CellValues

ORDERS = {
    "file": "as in the file",
    "row": "row value, lowest first",
    "suspicion": "most suspicious cell first",
    "cell": "lowest cell first",
    "similar": "similar rows together",
    "column": "by one column, lowest first",
}
COLOUR_QUANTILE = 0.995
SUSPECT_SHARE = 0.005
MIN_SUSPECTS = 5


@dataclass(frozen=True, eq=False)
class Derived:
    """What follows from one set of values; computed when asked for."""

    values: CellValues

    @cached_property
    def ranks(self) -> np.ndarray:
        """Rank of every cell within its row's class; 1 is the lowest, 0 no value."""
        return self.values.ranks(within_class=True)

    @cached_property
    def ranks_over_all(self) -> np.ndarray:
        return self.values.ranks()

    @cached_property
    def order(self) -> np.ndarray:
        """Flat positions of the cells with a value by `ranks`."""
        return _order(self.ranks)

    @cached_property
    def order_over_all(self) -> np.ndarray:
        return _order(self.ranks_over_all)

    def rank_over_all(self, index: int, j: int) -> int:
        """The same for one cell without ranking all of them; 0 if it has no value."""
        flat, at = self.values.values.ravel(), index * self.values.values.shape[1] + j
        value = flat[at]
        if not np.isfinite(value):
            return 0
        return int((flat < value).sum() + (flat[:at] == value).sum()) + 1

    @cached_property
    def limit(self) -> float:
        """How far from the middle colours saturate; a quantile, so that no single cell
        decides.
        """
        return _limit(self.values.values - self.values.middle)

    @cached_property
    def row_limit(self) -> float:
        return _limit(self.values.row_values - self.row_middle)

    @property
    def row_middle(self) -> float:
        return self.values.middle

    @cached_property
    def unit(self) -> Unit:
        return Unit.of(self.limit)

    @cached_property
    def row_unit(self) -> Unit:
        return Unit.of(self.row_limit)

    @cached_property
    def column_unit(self) -> Unit:
        return Unit.of(_limit(self.values.column_values))

    @cached_property
    def lowest_cell(self) -> np.ndarray:
        """Lowest value in each row; NaN in rows without values."""
        return np.fmin.reduce(self.values.values, axis=1)

    @cached_property
    def harmful(self) -> np.ndarray:
        """Flat positions of cells clearly below zero, lowest in their class first."""
        with np.errstate(invalid="ignore"):
            below = self.values.values < -SURE * self.values.stderr
        cells = np.flatnonzero(below)
        return cells[np.argsort(self.ranks.ravel()[cells], kind="stable")]

    @cached_property
    def harmful_by_column(self) -> np.ndarray:
        m = self.values.values.shape[1]
        return np.bincount(self.harmful % m, minlength=m)

    @property
    def usual_suspects(self) -> int:
        """How many suspects at most are outlined unless a person says otherwise."""
        return max(MIN_SUSPECTS, round(SUSPECT_SHARE * self.values.values.size))

    def suspects(self, k: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Rows and columns of the k lowest cells in their class that clearly hurt."""
        k = self.usual_suspects if k is None else k
        rows, columns = np.unravel_index(self.harmful[:k], self.values.values.shape)
        return rows, columns


@lru_cache(maxsize=4)
def derived(values: CellValues) -> Derived:
    """Kept for the last few results (they compare by identity)."""
    return Derived(values)


def _order(ranks: np.ndarray) -> np.ndarray:
    order = np.argsort(ranks, axis=None, kind="stable")
    return order[np.count_nonzero(ranks == 0) :]


def _limit(values: np.ndarray) -> float:
    size = np.abs(values[np.isfinite(values)])
    if size.size == 0:
        return 0.0
    return float(np.quantile(size, COLOUR_QUANTILE)) or float(size.max())


@dataclass(frozen=True, eq=False)
class Looked:
    """What follows from the table alone."""

    table: Table

    @cached_property
    def encoded(self) -> Encoded:
        return encode(self.table)

    @cached_property
    def text(self) -> pd.Series:
        """All that a search looks at, per row."""
        cells = self.table.cells.to_numpy(object).tolist()
        numbers = self.table.row_numbers.tolist()
        return pd.Series(
            [
                "\n".join([str(number), name, *row]).casefold()
                for number, name, row in zip(
                    numbers, self.table.ids, cells, strict=True
                )
            ],
            dtype=str,
        )

    @cached_property
    def similar(self) -> np.ndarray:
        """All rows, alike ones near each other, whatever their class."""
        return similar_order(self.points)

    @cached_property
    def similar_in_class(self) -> np.ndarray:
        return self.similar[np.argsort(self.table.y[self.similar], kind="stable")]

    @cached_property
    def points(self) -> np.ndarray:
        return coordinates(self.encoded)


@lru_cache(maxsize=4)
def looked(table: Table) -> Looked:
    """Kept for the last few tables."""
    return Looked(table)


def coordinates(encoded: Encoded, n_categories: int = 12) -> np.ndarray:
    """Rows as points whose squared distances are about those of the encoding.

    Missing cells lie in the middle; rare categories count as one.
    """
    points = []
    for cells, weight, category in zip(
        encoded.cells, encoded.weight, encoded.is_category, strict=True
    ):
        if category:
            found, counts = np.unique(cells[~np.isnan(cells)], return_counts=True)
            for code in found[np.argsort(-counts, kind="stable")][:n_categories]:
                points.append((cells == code) * np.sqrt(weight / 2))
        else:
            # One absurd cell must not decide the direction of all.
            points.append(np.clip(np.nan_to_num(cells) * np.sqrt(weight), -5, 5))
    return np.array(points, np.float32).reshape(len(points), -1).T


def similar_order(points: np.ndarray, leaf: int = 24) -> np.ndarray:
    """Halve along the direction of largest spread, again and again: O(n m log n)."""
    if points.shape[1] > 12:
        centred = points - points.mean(axis=0)
        points = centred @ np.linalg.eigh(centred.T @ centred)[1][:, -12:]
    order = np.arange(len(points))
    parts = [(0, len(points))]
    while parts:
        first, last = parts.pop()
        rows = order[first:last]
        centred = points[rows] - points[rows].mean(axis=0)
        _, vectors = np.linalg.eigh(centred.T @ centred)
        direction = vectors[:, -1] * np.sign(vectors[:, -1].sum() or 1.0)
        order[first:last] = rows[np.argsort(centred @ direction, kind="stable")]
        if last - first > leaf:
            middle = (first + last) // 2
            parts += [(first, middle), (middle, last)]
    return order


def row_order(
    table: Table,
    values: CellValues,
    by: str = "file",
    column: str | None = None,
    ranks: np.ndarray | None = None,
) -> np.ndarray:
    """All rows of the table in the given order (a key of `ORDERS`).

    Rows without values come last where values decide. `ranks` are those of all cells by
    suspicion; without them, the lowest cell stands for the most suspicious one.
    """
    if by == "suspicion" and ranks is not None:
        return np.argsort(ranks.min(axis=1), kind="stable")
    if by == "similar":
        return looked(table).similar_in_class
    if by == "row":
        key = values.row_values
    elif by in ("cell", "suspicion"):
        key = derived(values).lowest_cell
    elif by == "column" and column in values.column_names:
        key = values.values[:, values.column_names.index(column)]
    else:
        return np.arange(table.n_rows)
    return np.argsort(key, kind="stable")


def filtered(
    order: np.ndarray,
    table: Table,
    *,
    classes: tuple[str, ...] = (),
    only: np.ndarray | None = None,
    search: str = "",
) -> np.ndarray:
    """Those rows of `order` that are of one of the classes, in `only`, and match.

    A search finds text in the row's number, id and cells, whatever the case.
    """
    keep = np.ones(table.n_rows, bool)
    if classes:
        keep &= np.isin(table.y, [table.classes.index(name) for name in classes])
    if only is not None:
        keep &= np.isin(np.arange(table.n_rows), only)
    wanted = search.strip().casefold()
    if wanted:
        found = looked(table).text.str.contains(wanted, regex=False)
        keep &= found.to_numpy(bool)
    return order[keep[order]]


def find_rows(table: Table, text: str) -> list[int]:
    """Positions of the rows with this id; else the row that is counted so."""
    wanted = text.strip()
    found = [i for i, name in enumerate(table.ids) if name == wanted]
    if not found and wanted.replace(",", "").isdecimal():
        number = int(wanted.replace(",", ""))
        found = np.flatnonzero(table.row_numbers == number).tolist()
    return found


def window(n: int, start: int, size: int) -> tuple[int, int]:
    """First and last position (exclusive) of a window that stays within n."""
    first = min(max(int(start), 0), max(n - size, 0))
    return first, min(first + size, n)


@dataclass(frozen=True, eq=False)
class Bands:
    """Minimum-pooled values: a single bad cell is as dark as a band of them.

    Attributes
    ----------
    lowest : ndarray of shape (n_bands, n_groups)
        NaN where nothing is valued.
    position, column : ndarray of int, shape (n_bands, n_groups)
        Where in the order, and in which column, the lowest cell is.
    row_edges, column_edges : ndarray of int
        Band b holds positions row_edges[b] up to row_edges[b + 1].
    """

    lowest: np.ndarray
    position: np.ndarray
    column: np.ndarray
    row_edges: np.ndarray
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
