"""Repairs: what a person decided to change, applied to the table and to its file."""

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from cellval.table.decoding import InputError, bytes_of, shortened
from cellval.table.formulas import plain_text
from cellval.table.parsing import listed, text_cells
from cellval.table.rewriting import rewritten
from cellval.table.table import Table

DECISIONS = ("error", "fine", "unsure")
# Actions, and the words for them in a decisions file.
WORDS = {"replace": "replace", "blank": "blank", "drop": "drop row"}
# Columns of a decisions file that are read.
FIELDS = ("row", "column", "content", "decision", "repair", "after", "reason")
WHOLE_ROW = "(whole row)"
DROPPED = "(dropped)"


@dataclass(frozen=True)
class Repair:
    """What happens to a cell, or to a whole row."""

    action: str  # "replace", "blank" or "drop"
    after: str = ""  # the new text, if it is replaced
    reason: str = ""

    def __post_init__(self) -> None:
        if self.action not in WORDS:
            raise InputError(
                f"'{self.action}' is no repair; choose one of {', '.join(WORDS)}."
            )

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

    Examples
    --------
    >>> split({(2, "x"): Repair("replace", "7"), (3, ""): Repair("drop")})
    ({(2, 'x'): '7'}, [3])
    """
    drop = dict.fromkeys(row for (row, _), r in repairs.items() if r.action == "drop")
    texts = {cell: r.text for cell, r in repairs.items() if cell[0] not in drop}
    return texts, list(drop)


def repaired(table: Table, repairs: Repairs) -> Table:
    """The table after the repairs; rows keep the numbers they have in the file.

    Examples
    --------
    >>> from cellval import read_csv
    >>> table = read_csv(b"x,y\\n1,a\\n2,b\\n30,b\\n", label="y")
    >>> repaired(table, {(3, "x"): Repair("replace", "3")}).cells["x"].tolist()
    ['1', '2', '3']
    """
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


def repaired_csv(raw: bytes, repairs: Repairs, name: str = "table") -> bytes:
    """The original file after the repairs; all else is as it was, byte for byte.

    Examples
    --------
    >>> repaired_csv(b"x;y\\r\\n1 ;a\\r\\n?;b", {(2, "x"): Repair("blank")})
    b'x;y\\r\\n1 ;a\\r\\n;b'
    """
    texts, drop = split(repairs)
    return rewritten(raw, texts, drop, name)


def table_csv(table: Table, repairs: Repairs) -> bytes:
    """A CSV file (UTF-8, commas) of a table that was made from a DataFrame.

    Rows without a label are not part of the table, so they are not in the file; a row
    whose label is blanked by a repair is.

    Examples
    --------
    >>> df = pd.DataFrame({"x": [1, 2, 30], "y": ["a", "b", "b"]})
    >>> table_csv(Table.from_frame(df, "y"), {(3, "x"): Repair("replace", "3")})
    b'x,y\\n1,a\\n2,b\\n3,b\\n'
    """
    _check_places(table, repairs)
    texts, drop = split(repairs)
    columns: dict[str, list[str]] = {c: table.cells[c].tolist() for c in table.cells}
    for (row, column), text in texts.items():
        columns[column][table.position(row)] = text
    frame = pd.DataFrame(columns).drop(index=[table.position(row) for row in drop])
    written: str = frame.to_csv(index=False, lineterminator="\n")
    return written.encode("utf-8")


def changes_frame(table: Table, repairs: Repairs) -> pd.DataFrame:
    """The change log, in the order of deciding.

    `table` is the one before the repairs. Texts are as they are; a file for
    spreadsheets is made with `export.safe_frame`.

    Returns
    -------
    DataFrame with columns row, id, column, before, after, reason
        A dropped row has the column "(whole row)", before holds its line, and after is
        "(dropped)".
    """
    _check_places(table, repairs)
    texts, drop = split(repairs)
    left = set(drop)
    lines = []
    for (row, column), repair in repairs.items():
        i = table.position(row)
        place = (int(row), table.ids[i])
        if (row, column) in texts:
            change = (column, str(table.cells[column].iat[i]), repair.text)
            lines.append((*place, *change, repair.reason))
        elif repair.action == "drop" and row in left:
            left.remove(row)  # once, even if several of its cells say so
            lines.append((*place, WHOLE_ROW, _line(table, i), DROPPED, repair.reason))
    names = ["row", "id", "column", "before", "after", "reason"]
    return pd.DataFrame(lines, columns=names)


def _line(table: Table, i: int) -> str:
    """A row as it could stand in the file."""
    buffer = io.StringIO()
    delimiter = table.format.delimiter if table.format else ","
    writer = csv.writer(buffer, delimiter=delimiter, lineterminator="")
    writer.writerow(table.cells.iloc[i].tolist())
    return buffer.getvalue()


def read_decisions(
    source: Any, table: Table
) -> tuple[dict[tuple[int, str], str], dict[tuple[int, str], Repair]]:
    """Decisions and repairs from a CSV file, exported by the app or written by hand.

    Needed columns are row and column. Optional: content (the cell, to be sure that the
    file belongs to the table), decision (error, fine, unsure or empty), repair
    (replace, blank, drop row or empty), after (the new text; without a repair it means
    replace) and reason (of the repair). Other columns are not read. A line that drops
    a row may name any of its cells, or no column.

    Parameters
    ----------
    source : path, bytes, or binary or text buffer
        A leading ' before what a spreadsheet would run as a formula is not part of the
        text, as `export.safe_text` puts it there.
    table : Table
        The table before the repairs.

    Returns
    -------
    decisions : dict of (row number, column) to str
    repairs : dict of (row number, column) to Repair

    Examples
    --------
    >>> from cellval import read_csv
    >>> table = read_csv(b"x,y\\n1,a\\n2,b\\n30,b\\n", label="y")
    >>> read_decisions(b"row;column;decision;after\\n3;x;error;3\\n", table)
    ({(3, 'x'): 'error'}, {(3, 'x'): Repair(action='replace', after='3', reason='')})
    """
    raw, name = bytes_of(source)
    name = "The decisions file" if name == "table" else name
    cells, _, _ = text_cells(raw, name)
    names = {str(column).casefold(): column for column in reversed(cells.columns)}
    for needed in ("row", "column"):
        if needed not in names:
            raise InputError(
                f"{name} has no column '{needed}'. A decisions file needs the columns "
                "row and column, and may have content, decision, repair, after and "
                f"reason; this one has {listed(cells.columns)}."
            )
    known = [field for field in FIELDS if field in names]
    columns = [[*map(plain_text, cells[names[field]].tolist())] for field in known]
    contents = {str(c): table.cells[c].tolist() for c in table.cells}
    positions = {row: i for i, row in enumerate(table.row_numbers.tolist())}
    decisions: dict[tuple[int, str], str] = {}
    repairs: dict[tuple[int, str], Repair] = {}
    # As a spreadsheet counts: the header is line 1.
    for n, texts in enumerate(zip(*columns, strict=True), 2):
        line = dict(zip(known, texts, strict=True))
        try:
            cell = _cell(line, table, positions, contents)
            decision, repair = _decision(line), _repair(line)
            _check_cell(cell, decision, repair)
            if repair and repair.action == "drop":
                repairs.setdefault((cell[0], ""), repair)
            elif repair and repairs.setdefault(cell, repair) != repair:
                raise _twice(cell, "repaired")
            if decision and decisions.setdefault(cell, decision) != decision:
                raise _twice(cell, "decided")
        except InputError as error:
            raise InputError(f"{name}, line {n:,}: {error}") from None
    return decisions, repairs


def _cell(
    line: Mapping[str, str],
    table: Table,
    positions: Mapping[int, int],
    contents: Mapping[str, list[str]],
) -> tuple[int, str]:
    """Row number and column of a line, which must be in the table as it says."""
    try:
        number = float(line["row"])  # a spreadsheet may have made 12.0 of it
        row = int(number)
    except (ValueError, OverflowError):
        number, row = 0.5, 0
    if row != number:
        raise InputError(
            f"'{shortened(line['row'])}' is no row number. Rows count from 1, without "
            "the header."
        )
    if row not in positions:
        table.position(row)  # says why
    column = line["column"].strip()
    if not column:
        return row, ""
    if column not in contents:
        raise InputError(
            f"{table.name} has no column '{shortened(column)}'; its columns are "
            f"{listed(contents, 20)}."
        )
    there = contents[column][positions[row]]
    said = line.get("content", there)
    # Spreadsheets write line breaks in their own way; blanks tell no cells apart.
    same = said.split() == there.split()
    # An export need not know the content of columns without values.
    if not same and (said or column in table.feature_names):
        raise InputError(
            f"row {row:,}, '{shortened(column)}': the decisions file says "
            f"'{shortened(said)}', the table has '{shortened(there)}'; they belong to "
            "different versions of the table. Choose the file that was decided on, or "
            "correct the line."
        )
    return row, column


def _decision(line: Mapping[str, str]) -> str:
    decision = line.get("decision", "").strip().casefold()
    if decision and decision not in DECISIONS:
        raise InputError(
            f"'{shortened(decision)}' is no decision; write {', '.join(DECISIONS)} or "
            "nothing."
        )
    return decision


def _repair(line: Mapping[str, str]) -> Repair | None:
    word = " ".join(line.get("repair", "").casefold().split())
    after, reason = line.get("after", ""), line.get("reason", "")
    if not word:
        return Repair("replace", after, reason) if after.strip() else None
    # Both "drop row" and "drop" will do.
    action = next((a for a, known in WORDS.items() if word in (a, known)), None)
    if action is None:
        raise InputError(
            f"'{shortened(word)}' is no repair; write {', '.join(WORDS.values())} or "
            "nothing."
        )
    if action == "replace" and not after:
        raise InputError(
            "the repair is 'replace' but after is empty. Write the new text there, or "
            "'blank' as the repair to empty the cell."
        )
    if action != "replace" and after.strip():
        raise InputError(
            f"the repair is '{word}' but after is '{shortened(after)}'. Empty one of "
            "them, or write 'replace'."
        )
    return Repair(action, after if action == "replace" else "", reason)


def _check_cell(cell: tuple[int, str], decision: str, repair: Repair | None) -> None:
    whole = repair is None or repair.action == "drop"
    if not cell[1] and (decision or not whole):
        raise InputError(
            f"the column is missing, so it is not clear which cell of row {cell[0]:,} "
            "is meant. Only 'drop row' does without."
        )


def _twice(cell: tuple[int, str], what: str) -> InputError:
    return InputError(
        f"row {cell[0]:,}, '{shortened(cell[1])}' is {what} otherwise further up. "
        "Delete one of the lines."
    )
