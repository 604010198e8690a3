"""Which rows and columns are shown, and in which order."""

import numpy as np

from cellval.table.table import Table
from cellval.values.result import CellValues
from cellval.views.table_view import table_view
from cellval.views.value_view import value_view

ORDERS = {
    "file": "as in the file",
    "row": "row value, lowest first",
    "suspicion": "most suspicious cell first",
    "cell": "lowest cell first",
    "similar": "similar rows together",
    "column": "by one column, lowest first",
}
WITHOUT_VALUES = ("file", "suspicion", "similar")
COLUMN_ORDERS = ("lowest first", "highest first", "as in the file")


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
        return table_view(table).similar_in_class
    if by == "row":
        key = values.row_values
    elif by in ("cell", "suspicion"):
        key = value_view(values).lowest_cell
    elif by == "column" and column in values.column_names:
        key = values.values[:, values.column_names.index(column)]
    else:
        return np.arange(table.n_rows)
    return np.argsort(key, kind="stable")


def column_order(values: CellValues, by: str) -> np.ndarray:
    """Positions of all columns in one of `COLUMN_ORDERS`."""
    if by == "as in the file":
        return np.arange(len(values.column_names))
    sign = 1 if by == "lowest first" else -1
    return np.argsort(sign * values.column_values, kind="stable")


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
        found = table_view(table).text.str.contains(wanted, regex=False)
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
