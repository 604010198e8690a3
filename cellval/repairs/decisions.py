"""Decisions of a person: the file that holds them, and the table repaired by them."""

import io
from collections.abc import Mapping
from typing import Any

import pandas as pd

from cellval.errors import InputError, is_whole
from cellval.repairs.repair import (
    WORDS,
    Repair,
    Repairs,
    place_of,
    repaired,
    repaired_file,
)
from cellval.table.decoding import bytes_of
from cellval.table.formulas import plain_text
from cellval.table.parsing import text_cells
from cellval.table.table import Table, as_table, read
from cellval.text import listed, shortened

DECISIONS = ("error", "fine", "unsure")
# Columns of a decisions file that are read.
FIELDS = ("row", "column", "content", "decision", "repair", "after", "reason")


def read_decisions(
    source: Any, table: Table | pd.DataFrame
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
    table : Table or DataFrame
        The table before the repairs.

    Returns
    -------
    decisions : dict of (row number, column) to str
    repairs : dict of (row number, column) to Repair

    Examples
    --------
    >>> from cellval import read
    >>> table = read(b"x,y\\n1,a\\n2,b\\n30,b\\n", label="y")
    >>> read_decisions(b"row;column;decision;after\\n3;x;error;3\\n", table)
    ({(3, 'x'): 'error'}, {(3, 'x'): Repair(action='replace', after='3', reason='')})
    """
    table = as_table(table)
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
    same = said == there or said.split() == there.split()
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


# --- doors of the library -------------------------------------------------------------


def repair(table: Table | pd.DataFrame, decisions: Any) -> Table:
    """The table with repairs applied; rows keep the numbers they have in the file.

    Parameters
    ----------
    table : Table or DataFrame
    decisions : mapping, or decisions file
        (row number from 1, column) to the new text, to None to blank the cell, or to a
        `Repair`; ``(row_number, ""): Repair("drop")`` drops a row. Or what
        `read_decisions` reads.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read(b"x,y\\n1,a\\n2,b\\n30,b\\n", label="y")
    >>> cellval.repair(table, {(3, "x"): "3"}).cells["x"].tolist()
    ['1', '2', '3']
    """
    table = as_table(table)
    return repaired(table, repairs_of(table, decisions))


def repair_file(source: Any, decisions: Any, **options: Any) -> bytes:
    """A file with repairs applied, in its format; all else is as it was.

    A CSV differs in the repaired fields only, byte for byte; of a workbook that cannot
    be written (.xls, .ods) the sheet comes as a CSV.

    Parameters
    ----------
    source : path, bytes, or binary buffer
    decisions
        As for `repair`.
    options
        Of `read`, where a decisions file needs the table and that cannot be read
        without; `sheet` and `header_row` of a workbook.

    Examples
    --------
    >>> import cellval
    >>> cellval.repair_file(b"x;y\\r\\n1 ;a\\r\\n?;b", {(2, "x"): "7"})
    b'x;y\\r\\n1 ;a\\r\\n7;b'
    """
    raw, name = bytes_of(source)
    if isinstance(decisions, Mapping):  # the file need not be a table to learn from
        where = {key: options.get(key) for key in ("sheet", "header_row")}
        return repaired_file(raw, _as_repairs(decisions), name, **where)
    named = io.BytesIO(raw)
    named.name = name
    table = read(named, **options)
    repairs = repairs_of(table, decisions)
    return repaired_file(raw, repairs, name, **place_of(table))


def repairs_of(table: Table, decisions: Any) -> Repairs:
    """Repairs as `repair` takes them."""
    if not isinstance(decisions, Mapping):
        return read_decisions(decisions, table)[1]
    return _as_repairs(decisions)


def _as_repairs(decisions: Mapping[tuple[int, str], Any]) -> Repairs:
    for cell in decisions:
        if not (isinstance(cell, tuple) and len(cell) == 2 and is_whole(cell[0], 1)):
            raise InputError(
                f"{cell!r} names no cell. Write (row number, column), such as "
                "(12, 'height')."
            )
    return {(int(i), name): _as_repair(new) for (i, name), new in decisions.items()}


def _as_repair(new: Any) -> Repair:
    if isinstance(new, Repair):
        return new
    return Repair("blank") if new is None else Repair("replace", str(new))
