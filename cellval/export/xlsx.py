"""The table as an XLSX file: cells coloured by value, suspects framed, changes marked.

Needs openpyxl, an optional extra. Rows are written one after the other, so that memory
does not grow with the table.
"""

import io
import re
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from cellval.detect.suspicion import Suspicion
from cellval.errors import InputError
from cellval.export.frames import n_listed, safe_frame, suspects_list, suspects_sentence
from cellval.figures.palette import REPAIRED, SELECTED, rgb_at
from cellval.methods import about
from cellval.repairs.repair import WHOLE_ROW, Repairs, changes_frame, split
from cellval.table.formulas import safe_text
from cellval.table.table import Table
from cellval.values.words import (
    approximation_words,
    design_words,
    model_words,
    score_name,
)
from cellval.views.value_view import value_view

MAX_ROWS, MAX_COLUMNS, MAX_CHARACTERS = 1_048_576, 16_384, 32_767  # of Excel
MOST_LISTED = 10_000  # suspects
MOST_COMMENTS = 2_000  # each is drawn as a shape
STEPS = 8  # of colour on either side of zero
FRAMES = {"suspect": SELECTED, "repaired": REPAIRED}
# Digits that a spreadsheet keeps; a leading zero belongs to a code.
_number = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d{1,10})?")
_illegal = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")


def xlsx_bytes(
    suspicion: Suspicion,
    *,
    repairs: Repairs | None = None,
    decisions: Mapping[tuple[int, str], str] | None = None,
    original: Table | None = None,
) -> bytes:
    """A workbook with the sheets Table, Suspects, Changes and Notes.

    Sheet Table is like the file after the repairs, row for row, a dropped one struck
    out, so that data row 12 is line 13. `original` is the table before the repairs, if
    `suspicion` is of the repaired one.
    """
    check_openpyxl()
    from openpyxl import Workbook

    repairs = repairs or {}
    table = original or suspicion.table
    k = n_listed(suspicion, MOST_LISTED)
    found = suspects_list(suspicion, k, repairs=repairs, decisions=decisions)
    changes = changes_frame(table, repairs)
    book = Workbook(write_only=True)
    sheet = book.create_sheet("Table")
    notes = _write_table(sheet, table, suspicion, repairs, changes, found)
    _write_frame(book.create_sheet("Suspects"), found)
    _write_frame(book.create_sheet("Changes"), safe_frame(changes))
    lines = [*_legend(suspicion), *notes]
    if len(found) < suspicion.n_flagged:
        lines.append(f"Sheet Suspects holds the first {len(found):,} suspects.")
    _write_frame(
        book.create_sheet("Notes"), safe_frame(pd.DataFrame({"Notes": lines})), 120
    )
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def check_openpyxl() -> None:
    """Say what to do where openpyxl is missing."""
    try:
        import openpyxl  # noqa: F401 - only whether it is there
    except ImportError as error:
        raise InputError(
            "XLSX files need the package openpyxl, which is not installed. Install it: "
            'pip install "cellval[excel]", or pip install openpyxl.'
        ) from error


def _legend(suspicion: Suspicion) -> list[str]:
    table, values = suspicion.table, suspicion.values
    lines = [f"{table.name}: {table.n_rows:,} rows, label '{table.label}'."]
    score = "accuracy" if values is None else score_name(values.settings)
    if values is None:
        lines.append("Values were not computed; suspects are orange.")
    else:
        view = value_view(values)
        made = (design_words(values.settings), values.tested)
        lines += [
            f"Colour: the cell's value. Orange lowers the {score} of the "
            f"{model_words(values.settings)}, blue raises it; cells near 0 have no "
            f"colour. Darkest at {view.unit.text(view.limit)} of {score}."
            if values.settings.additive
            else "Colour: the cell's score, orange below the mean, blue above. "
            f"{about(values.settings.method).means}",
            f"Values: {'; '.join(filter(None, made))}. "
            f"{approximation_words(values.settings)}".strip(),
        ]
    return [
        *lines,
        f"Pink frame and comment: a suspect. {suspects_sentence(suspicion)}",
        "Green frame and comment: repaired; the cell holds the new text. Struck out: "
        "a dropped row.",
        "Lower is worse for value, surprise and suspicion. Value and stderr are shares "
        f"of {score}: 0.0037 is 0.37 percentage points.",
        "A ' was put before texts that a spreadsheet might run as a formula.",
    ]


# --- sheets ---------------------------------------------------------------------------


def _write_frame(sheet: Any, frame: pd.DataFrame, width: int = 0) -> None:
    """A list with harmless texts."""
    from openpyxl.utils import get_column_letter

    pen = _Pen(sheet)
    for k, name in enumerate(frame.columns, 1):
        long = name in ("reason", "before", "after", "content")
        letter = get_column_letter(k)
        sheet.column_dimensions[letter].width = width or (44 if long else 13)
    sheet.freeze_panes = "A2"
    sheet.append(pen.cell(name, bold=True) for name in frame.columns)
    for line in frame.head(MAX_ROWS - 1).itertuples(index=False):
        items = (None if pd.isna(item) else item for item in line)
        sheet.append(pen.listed(item) for item in items)


def _write_table(
    sheet: Any,
    table: Table,
    suspicion: Suspicion,
    repairs: Repairs,
    changes: pd.DataFrame,
    found: pd.DataFrame,
) -> list[str]:
    """Sheet Table; returns sentences on what it lacks."""
    pen, names = _Pen(sheet), list(table.cells.columns)[:MAX_COLUMNS]
    texts, drop = split(repairs)
    dropped = set(drop)
    marks = _marks(suspicion, found)
    comments = _comments(changes, marks)
    steps = _steps(table, suspicion, texts if suspicion.table is table else {})
    columns = [_column_cells(table, name, texts) for name in names]
    sheet.freeze_panes = "A2"
    sheet.append(pen.cell(safe_text(name), bold=True) for name in names)
    n_long, line = 0, 1
    for i, row in enumerate(table.row_numbers.tolist()):
        if row >= MAX_ROWS:
            break
        while line < row:  # dropped before
            sheet.append([])
            line += 1
        struck, colours = row in dropped, steps[i].tolist()
        cells = []
        for k, name in enumerate(names):
            value, cell = columns[k][i], (row, name)
            n_long += isinstance(value, str) and len(value) > MAX_CHARACTERS
            frame = "repaired" if cell in texts else "suspect" * (cell in marks)
            note = comments.get(cell if k or not struck else (row, ""), "")
            cells.append((value, colours[k], frame, struck, note))
        sheet.append(pen.cell(*cell) for cell in cells)
        line += 1
    return _left_out(table, suspicion, n_long)


def _left_out(table: Table, suspicion: Suspicion, n_long: int) -> list[str]:
    """Sentences on what sheet Table lacks."""
    rows, columns = int(table.row_numbers[-1]), table.cells.shape[1]
    suspects = suspicion.n_flagged
    many, wide = rows >= MAX_ROWS, columns > MAX_COLUMNS
    notes = [
        (many, f"Only the first {MAX_ROWS - 1:,} rows of {rows:,} fit."),
        (wide, f"Only the first {MAX_COLUMNS:,} columns of {columns:,} fit."),
        (n_long, f"Texts cut to {MAX_CHARACTERS:,} characters: {n_long:,}."),
        (
            suspects > MOST_COMMENTS,
            f"The {MOST_COMMENTS:,} most suspicious of {suspects:,} suspects have a "
            "comment; the others have a frame.",
        ),
    ]
    return [note for told, note in notes if told]


def _marks(suspicion: Suspicion, found: pd.DataFrame) -> dict[tuple[int, str], str]:
    """Suspects by row number and column; why, where there is a comment."""
    names, m = suspicion.table.feature_names, suspicion.scores.shape[1]
    suspects = suspicion.order[: suspicion.n_flagged]
    rows = suspicion.table.row_numbers[suspects // m].tolist()
    cells = zip(rows, (names[j] for j in suspects % m), strict=True)
    marks = dict.fromkeys(cells, "")
    first = found.head(min(suspicion.n_flagged, MOST_COMMENTS))
    for cell, why, better in zip(
        list(marks), first["reason"], first["suggestion"], strict=False
    ):
        marks[cell] = f"{why}\nSuggestion: {better}" if better else why
    return marks


def _comments(
    changes: pd.DataFrame, marks: Mapping[tuple[int, str], str]
) -> dict[tuple[int, str], str]:
    comments = {cell: why for cell, why in marks.items() if why}
    for line in changes.itertuples():
        cell = (int(line.row), "" if line.column == WHOLE_ROW else str(line.column))
        what = f"Before: {line.before}\nAfter: {line.after or '(blank)'}"
        if not cell[1]:
            what = "This row was dropped."
        parts = (what, line.reason, comments.get(cell, ""))
        comments[cell] = "\n".join(filter(None, parts))
    return comments


def _steps(
    table: Table, suspicion: Suspicion, changed: Collection[tuple[int, str]]
) -> np.ndarray:
    """Colour of every cell of the table, `STEPS` for none.

    Without values, suspects alone have one. Cells whose value is of another text
    have none.
    """
    names = list(table.cells.columns)
    steps = np.full((table.n_rows, len(names)), STEPS, np.int8)
    if suspicion.values is not None:
        away = suspicion.values.values - suspicion.values.settings.middle
        share = away / (value_view(suspicion.values).limit or 1e-12)
        colour = np.clip(np.round(STEPS * np.nan_to_num(share)), -STEPS, STEPS)
    else:
        colour = np.where(suspicion.ranks <= suspicion.n_flagged, -STEPS // 2, 0)
    rows = np.searchsorted(table.row_numbers, suspicion.table.row_numbers)
    columns = np.array([names.index(name) for name in suspicion.table.feature_names])
    steps[np.ix_(rows, columns)] = colour + STEPS
    for row, name in changed:
        steps[table.position(row), names.index(name)] = STEPS
    return steps


def _column_cells(
    table: Table, name: str, texts: Mapping[tuple[int, str], str]
) -> list[Any]:
    """A column after the repairs: numbers, texts, and None for empty cells.

    Texts are numbers if they are written as a spreadsheet would, in a column of numbers
    or one where all are: a code such as 0042 and its like stay texts.
    """
    own = [str(text) for text in table.cells[name].tolist()]
    for (row, column), text in texts.items():
        if column == name:
            own[table.position(row)] = text
    kinds = {column.name: column.kind for column in table.columns}
    different = {text: _number_of(text) for text in dict.fromkeys(own)}
    whole = all(found is not None for text, found in different.items() if text)
    if kinds.get(name) != "number" and not whole:
        different = dict.fromkeys(different)
    known = {
        text: None if not text else safe_text(text) if found is None else found
        for text, found in different.items()
    }
    return [known[text] for text in own]


def _number_of(text: str) -> "_Digits | None":
    """None if a spreadsheet would not keep the number as it is written."""
    if not _number.fullmatch(text) or sum(c.isdigit() for c in text) > 15:
        return None
    number = float(text)
    if number == 0 and text[0] == "-":
        return None
    return _Digits(number if "." in text else int(text), len(text.partition(".")[2]))


def _clean(text: str) -> str:
    """Without characters that XLSX files cannot hold, and not too long for a cell."""
    return _illegal.sub("\ufffd", text)[:MAX_CHARACTERS]


# --- cells ----------------------------------------------------------------------------

PLAIN = (STEPS, "", False, False, -1)  # no colour, no frame, not struck out, ...


class _Digits(NamedTuple):
    """A number and how many decimals it is written with."""

    value: float
    decimals: int

    @property
    def plain(self) -> bool:
        """Whether a spreadsheet shows it so by itself."""
        return len(repr(self.value).partition(".")[2]) == self.decimals


class _Pen:
    """Makes cells of a sheet, to be appended one by one, from a generator.

    To style a cell is slow: there is one of each look, written again and again.
    """

    def __init__(self, sheet: Any) -> None:
        self._sheet = sheet
        self._cells: dict[tuple[Any, ...], Any] = {}

    def cell(
        self,
        value: str | _Digits | None,
        step: int = STEPS,
        frame: str = "",
        struck: bool = False,
        comment: str = "",
        *,
        bold: bool = False,
    ) -> Any:
        """The cheapest thing that shows a harmless text or a number as it is."""
        written: Any = None
        decimals = -1
        if isinstance(value, _Digits):
            written, decimals = value.value, -1 if value.plain else value.decimals
        elif value:
            written = _clean(value)
        look = (step, frame, struck, bold, decimals)
        if look == PLAIN and not (isinstance(written, str) and written[0] in "=#"):
            return written
        if look not in self._cells:
            self._cells[look] = self._styled(*look)
        cell = self._cells[look]
        cell.value = written
        if isinstance(written, str):
            cell.data_type = "s"  # never a formula, and no error code such as #N/A
        cell.comment = None
        if comment:
            from openpyxl.comments import Comment

            cell.comment = Comment(_clean(comment), "cellval", width=320, height=120)
        return cell

    def listed(self, item: Any) -> Any:
        """An item of a list: shares in full, which Excel would write as 1.5E-10."""
        if isinstance(item, float):
            return self.cell(_Digits(item, 6))
        return self.cell(item) if isinstance(item, str) else item

    def _styled(
        self, step: int, frame: str, struck: bool, bold: bool, decimals: int
    ) -> Any:
        from openpyxl.cell import WriteOnlyCell
        from openpyxl.styles import Border, Font, PatternFill, Side

        cell, dark = WriteOnlyCell(self._sheet), False
        if step != STEPS:
            rgb = rgb_at(step / (2 * STEPS))
            cell.fill = PatternFill("solid", "".join(f"{part:02X}" for part in rgb))
            dark = sum(rgb) < 360
        if frame:
            side = Side("medium", FRAMES[frame].lstrip("#").upper())
            cell.border = Border(left=side, right=side, top=side, bottom=side)
        if dark or struck or bold:
            cell.font = Font(color="FFFFFF" if dark else None, strike=struck, bold=bold)
        if decimals >= 0:
            cell.number_format = f"0.{'0' * decimals}" if decimals else "0"
        return cell
