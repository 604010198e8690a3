"""Repairs: what a person decided to change, applied to the table and to its file."""

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from cellval.errors import InputError, check_text
from cellval.table.formats import rewritten
from cellval.table.formulas import FORMULA_STARTS, is_formula
from cellval.table.rewriting import frame_csv
from cellval.table.table import Table
from cellval.table.workbook import WorkbookFormat
from cellval.text import listed, shortened

# Actions, and the words for them in a decisions file.
WORDS = {"replace": "replace", "blank": "blank", "drop": "drop row"}
WHOLE_ROW = "(whole row)"
DROPPED = "(dropped)"
PACKED = (".gz", ".zst", ".zip")


@dataclass(frozen=True)
class Repair:
    """What happens to a cell, or to a whole row.

    Examples
    --------
    >>> import cellval
    >>> cellval.Repair("replace", "166", reason="swapped with weight")
    Repair(action='replace', after='166', reason='swapped with weight')
    >>> cellval.Repair("blank").text
    ''
    """

    action: str  # "replace", "blank" or "drop"
    after: str = ""  # the new text, if it is replaced
    reason: str = ""

    def __post_init__(self) -> None:
        if self.action not in WORDS:
            raise InputError(
                f"'{self.action}' is no repair; choose one of {', '.join(WORDS)}."
            )
        check_text("what a repair writes", self.after)
        check_text("the reason of a repair", self.reason)

    @property
    def text(self) -> str:
        """What the cell will hold."""
        return self.after if self.action == "replace" else ""


# (row number from 1, column) to repair, in the order of deciding; the column of a
# dropped row is "". To undo a repair is to remove its key.
Repairs = Mapping[tuple[int, str], Repair]


def split(repairs: Repairs) -> tuple[dict[tuple[int, str], str], list[int]]:
    """New texts of cells by row number and column, and the rows to drop.

    Repairs of cells in rows that are dropped are left out.
    """
    drop = dict.fromkeys(row for (row, _), r in repairs.items() if r.action == "drop")
    texts = {cell: r.text for cell, r in repairs.items() if cell[0] not in drop}
    return texts, list(drop)


def repaired(table: Table, repairs: Repairs) -> Table:
    """The table after the repairs; rows keep the numbers they have in the file."""
    _check_places(table, repairs)
    texts, drop = split(repairs)
    changes = {(table.position(row), name): text for (row, name), text in texts.items()}
    return table.with_cells(changes, [table.position(row) for row in drop])


def _check_places(table: Table, repairs: Repairs) -> None:
    names = set(table.cells.columns)
    for (row, column), repair in repairs.items():
        table.position(row)
        if column not in names and (column or repair.action != "drop"):
            raise InputError(
                f"{table.name} has no column '{shortened(column)}' to repair in row "
                f"{row:,}; its columns are {listed(table.cells.columns, 20)}."
            )


def repaired_file(
    raw: bytes,
    repairs: Repairs,
    name: str = "table",
    sheet: str | None = None,
    header_row: int | None = None,
) -> bytes:
    """The original file after the repairs, in its format; all else is as it was.

    Of a workbook that cannot be written (.xls, .ods) the sheet comes as a CSV.
    """
    texts, drop = split(repairs)
    return rewritten(raw, texts, drop, name, sheet, header_row)


def place_of(table: Table) -> dict[str, Any]:
    """Where in its file a table is: of a workbook, sheet and header row."""
    found = table.format
    if not isinstance(found, WorkbookFormat):
        return {}
    return {"sheet": found.sheet, "header_row": found.header_row}


def comes_as_csv(table: Table) -> bool:
    """Is its file a workbook that cannot be written back?"""
    found = table.format
    return isinstance(found, WorkbookFormat) and not found.is_written


def repaired_name(table: Table) -> str:
    """What the repaired file is called: data_repaired.csv, of data.csv."""
    path = Path(table.name)
    n = 2 if path.suffix.lower() in PACKED else 1
    endings = "".join(path.suffixes[-n:])
    stem = path.name.removesuffix(endings)
    endings = ".csv" if comes_as_csv(table) or not endings else endings
    return f"{stem}_repaired{endings}"


def table_csv(table: Table, repairs: Repairs, delimiter: str = ",") -> bytes:
    """A CSV file (UTF-8) of a table that was made from a DataFrame."""
    _check_places(table, repairs)
    texts, drop = split(repairs)
    columns: dict[str, list[str]] = {c: table.cells[c].tolist() for c in table.cells}
    for (row, column), text in texts.items():
        columns[column][table.position(row)] = text
    frame = pd.DataFrame(columns).drop(index=[table.position(row) for row in drop])
    written = frame_csv(frame, delimiter)
    return written.encode("utf-8")


def n_formulas(table: Table, repairs: Repairs) -> int:
    """Cells of the repaired table that a spreadsheet would run as a formula."""
    texts, drop = split(repairs)
    gone = [table.position(row) for row in drop]
    n = 0
    for name in table.cells:
        marked = table.cells[name].drop(index=gone)
        marked = marked[marked.str.startswith(FORMULA_STARTS)]
        marked = marked[~marked.str.fullmatch(r"[+-]\d+([.,]\d+)?")]  # most, and fast
        counts = marked.value_counts()
        n += sum(int(k) for text, k in counts.items() if is_formula(str(text)))
    held = _columns(table, texts)
    for (row, name), text in texts.items():
        n += is_formula(text) - is_formula(held[name][table.position(row)])
    return n


def changes_frame(table: Table, repairs: Repairs) -> pd.DataFrame:
    """The change log, in the order of deciding.

    `table` is the one before the repairs. Texts are as they are; a file for
    spreadsheets is made with `export.frames.safe_frame`. Of a dropped row, before holds
    the line.
    """
    _check_places(table, repairs)
    texts, drop = split(repairs)
    left, held = set(drop), _columns(table, texts)
    lines = []
    for (row, column), repair in repairs.items():
        i = table.position(row)
        place = (int(row), table.ids[i])
        if (row, column) in texts:
            change = (column, held[column][i], repair.text)
            lines.append((*place, *change, repair.reason))
        elif repair.action == "drop" and row in left:
            left.remove(row)  # once, even if several of its cells say so
            lines.append((*place, WHOLE_ROW, _line(table, i), DROPPED, repair.reason))
    names = ["row", "id", "column", "before", "after", "reason"]
    return pd.DataFrame(lines, columns=names)


def _columns(
    table: Table, texts: Mapping[tuple[int, str], str]
) -> dict[str, list[str]]:
    """Texts of the columns that are changed: looked up cell by cell they are slow."""
    return {name: table.cells[name].tolist() for name in {name for _, name in texts}}


def _line(table: Table, i: int) -> str:
    """A row as it could stand in the file."""
    buffer = io.StringIO()
    delimiter = table.format.delimiter if table.format else ","
    writer = csv.writer(buffer, delimiter=delimiter, lineterminator="")
    writer.writerow(table.cells.iloc[i].tolist())
    return buffer.getvalue()
