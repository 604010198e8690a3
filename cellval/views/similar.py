"""The rows most like a row, and rows in an order in which alike ones are near."""

import numpy as np

from cellval.table.describe import MISSING
from cellval.table.encoding import Encoded, encode
from cellval.table.table import Table


def distances(encoded: Encoded, index: int, without: int | None = None) -> np.ndarray:
    """Distance of every row from one row; `without` leaves a column out.

    The sum over columns that the KNN model uses (see `cellval.table.encoding`).
    """
    total = np.zeros(encoded.cells.shape[1])
    for j, (cells, weight, category) in enumerate(
        zip(encoded.cells, encoded.weight, encoded.is_category, strict=True)
    ):
        if j == without:
            continue
        at = cells[index]
        gap = (cells != at) if category else (cells - at) ** 2
        one = weight * gap.astype(np.float64)
        gone = np.isnan(cells)
        if np.isnan(at):
            total += np.where(gone, 0.0, MISSING)
        else:
            total += np.where(gone, MISSING, one)
    return total


def nearest(
    table: Table, index: int, k: int = 10, *, without: str | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """The k rows most like a row (itself left out), nearest first, and distances.

    Distances are root mean squares per column: two random rows are about 1 apart.
    """
    encoded = encode(table)
    names = table.feature_names
    left_out = names.index(without) if without in names else None
    if left_out is not None and len(names) == 1:
        left_out = None
    total = distances(encoded, index, left_out)
    total[index] = np.inf
    k = min(k, table.n_rows - 1)
    near = np.argpartition(total, k - 1)[:k] if k else np.empty(0, int)
    near = near[np.lexsort((near, total[near]))]
    used = len(names) - (left_out is not None)
    return near, np.sqrt(total[near] / used)


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
