"""Results as files that other programs open."""

from collections.abc import Collection, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from cellval.table import InputError, Table
from cellval.values import CellValues

# What a spreadsheet would run as a formula when a CSV is opened.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")


def safe_text(text: str) -> str:
    """Text that a spreadsheet shows instead of running: formulas get a leading '."""
    if text.startswith(FORMULA_STARTS) and not _is_number(text):
        return "'" + text
    return text


def _is_number(text: str) -> bool:
    try:
        float(text.replace(",", "."))
    except ValueError:
        return False
    return "\t" not in text and "\n" not in text and "\r" not in text


def lowest_frame(
    values: CellValues, k: int | None = None, *, within_class: bool = False
) -> pd.DataFrame:
    """All cells, lowest first: row, id, column, cell, value, stderr, rank."""
    frame = values.lowest(k, within_class=within_class)
    frame = frame[["row", "id", "column", "cell", "value", "stderr", "rank"]]
    for name in ("id", "column", "cell"):
        frame[name] = frame[name].map(lambda text: safe_text(str(text)))
    return frame


def decisions_frame(
    values: CellValues,
    decisions: Mapping[tuple[int, str], str],
    *,
    only: Collection[str] | None = None,
    within_class: bool = True,
) -> pd.DataFrame:
    """All cells, lowest first, with what a person decided on them.

    Parameters
    ----------
    decisions : mapping of (row number, column) to str
    only : collection of str, optional
        Keep only cells with one of these decisions.
    within_class : bool
        Rank cells among rows of the same label, as the inspection list does.

    Returns
    -------
    DataFrame with columns row, id, label, column, content, value, stderr, rank,
    decision
    """
    if only is None:
        frame = values.lowest(None, within_class=within_class)
    else:
        wanted = [cell for cell, decision in decisions.items() if decision in only]
        frame = _cells_frame(values, wanted, within_class)
    cells = zip(frame["row"].tolist(), frame["column"].tolist(), strict=True)
    frame["decision"] = [decisions.get(cell, "") for cell in cells]
    frame = frame.rename(columns={"cell": "content"})
    order = ["row", "id", "label", "column", "content", "value", "stderr", "rank"]
    frame = frame[[*order, "decision"]].reset_index(drop=True)
    for name in ("id", "label", "column", "content"):
        texts = frame[name].astype(str)
        safe = {text: safe_text(text) for text in texts.unique()}
        frame[name] = texts.map(safe)
    return frame


def _cells_frame(
    values: CellValues, cells: Collection[tuple[int, str]], within_class: bool
) -> pd.DataFrame:
    """The lines of `CellValues.lowest` for some cells; a long list is slow to make."""
    position = {row: i for i, row in enumerate(values.row_numbers.tolist())}
    column_of = {name: j for j, name in enumerate(values.column_names)}
    found = [
        (position[r], column_of[c])
        for r, c in cells
        if r in position and c in column_of
    ]
    ranks = values.ranks(within_class=within_class) if found else values.values
    lines = [
        {
            "row": values.row_numbers[i],
            "id": values.ids[i],
            "label": values.labels[i],
            "column": values.column_names[j],
            "cell": values.cells.iat[i, j],
            "value": values.values[i, j],
            "stderr": values.stderr[i, j],
            "rank": ranks[i, j],
        }
        for i, j in sorted(found, key=lambda cell: ranks[cell])
    ]
    names = ["row", "id", "label", "column", "cell", "value", "stderr", "rank"]
    return pd.DataFrame(lines, columns=names)


def csv_bytes(frame: pd.DataFrame) -> bytes:
    """A CSV file that spreadsheets, too, read as UTF-8."""
    text: str = frame.to_csv(index=False)
    return text.encode("utf-8-sig")


def values_frame(values: CellValues, table: Table) -> pd.DataFrame:
    """In the shape of the input: values in place of the valued cells.

    Label and id column keep their text; columns without a value and rows without a
    label are empty.
    """
    n_lines = table.n_rows + table.n_set_aside
    frame = pd.DataFrame(index=np.arange(1, n_lines + 1), columns=table.cells.columns)
    by_name = values.to_frame()
    for name in table.cells.columns:
        if name in by_name.columns:
            frame[name] = by_name[name].reindex(frame.index)
        elif name in (table.label, table.id_column):
            texts = table.cells[name].map(lambda text: safe_text(str(text)))
            texts.index = pd.Index(table.row_numbers)
            frame[name] = texts.reindex(frame.index)
    frame.columns = pd.Index([safe_text(str(name)) for name in frame.columns])
    return frame


def write_results(values: CellValues, table: Table, folder: Path) -> None:
    """values.npz, values.csv and lowest.csv in the folder; what is dearest first."""
    try:
        values.save(folder / "values.npz")
        values_frame(values, table).to_csv(folder / "values.csv", index=False)
        lowest_frame(values).to_csv(folder / "lowest.csv", index=False)
    except OSError as error:
        raise InputError(
            f"Cannot write to {folder}: {error.strerror}. Close programs that have its "
            "files open, make room, or choose another folder."
        ) from error
