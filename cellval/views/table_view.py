"""What follows from a table alone, for pages: search, similar rows."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from cellval.kept import kept
from cellval.knn.distance import distances
from cellval.knn.nearest import k_nearest
from cellval.table.encoding import Encoded, encode
from cellval.table.table import Table


@dataclass(frozen=True, eq=False)
class TableView:
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
        rows = zip(map(str, numbers), self.table.ids, cells, strict=True)
        texts = ["\n".join([number, name, *row]) for number, name, row in rows]
        return pd.Series([text.casefold() for text in texts], dtype=str)

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


@kept(1)
def table_view(table: Table) -> TableView:
    """The view of this table, kept with it."""
    return TableView(table)


def nearest(
    table: Table, position: int, k: int, without: str | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """The k rows most like a row (itself left out), nearest first, and distances.

    By the distance that the KNN model uses, as root mean squares per column: two random
    rows are about 1 apart. `without` names a column to leave out.
    """
    names, encoded = table.feature_names, table_view(table).encoded
    left_out = names.index(without) if without in names and len(names) > 1 else -1
    fixed = encoded.cells, encoded.weight, encoded.is_category
    apart = distances(*fixed, encoded.cells[:, position], left_out)
    apart[position] = np.inf
    rows, gaps = k_nearest(apart, max(1, min(k, table.n_rows - 1)))
    rows, gaps = rows[rows >= 0], gaps[rows >= 0]
    return rows, np.sqrt(gaps / (len(names) - (left_out >= 0)))


def near_rows(table: Table, position: int, name: str, n: int) -> pd.DataFrame:
    """What the rows most like a row, in all other columns, hold in this one."""
    near, apart = nearest(table, position, n, without=name)
    return pd.DataFrame(
        {
            "row_number": table.row_numbers[near],
            "content": table.cells[name].iloc[near].to_numpy(object),
            "label": [table.labels[i] for i in near],
            "distance": apart,
        }
    )


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
