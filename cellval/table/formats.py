"""Which format a file has, told by its first bytes; each is read and written here.

Every format gives the same: its cells as text, how it was written, and notes.
"""

from collections.abc import Callable, Collection, Iterator
from typing import Any

import pandas as pd

from cellval.errors import InputError
from cellval.table import columnar
from cellval.table.changes import Asked, Changes
from cellval.table.columnar import ColumnarFormat, columnar_cells, rewritten_columns
from cellval.table.json_lines import (
    JsonLinesFormat,
    holds_json_lines,
    json_cells,
    rewritten_lines,
)
from cellval.table.parsing import CsvFormat, text_cells
from cellval.table.rewriting import frame_csv
from cellval.table.rewriting import rewritten as rewritten_csv
from cellval.table.unpacking import unpacked
from cellval.table.workbook import WorkbookFormat, holds_workbook, workbook_cells
from cellval.table.workbook_xml import rewritten_workbook

FileFormat = CsvFormat | ColumnarFormat | WorkbookFormat | JsonLinesFormat
Part = tuple[pd.DataFrame, FileFormat, list[str]]


def file_cells(raw: bytes, name: str, *how: Any, **where: Any) -> Part:
    """The cells of a file as text, how it was written, and what was noticed.

    Options are those of `file_parts`, of which this is the first.
    """
    return next(file_parts(raw, name, *how, **where))


def file_parts(
    raw: bytes,
    name: str,
    max_columns: int | None = None,
    decimal: str = "",
    sheet: str | None = None,
    header_row: int | None = None,
) -> Iterator[Part]:
    """The tables that may be meant: of a workbook its sheets, of other files one.

    Options are those of `parsing.text_cells`; `sheet` is the name of a workbook's sheet
    and `header_row` the number of its row with the column names, guessed if None.
    """
    raw, _ = unpacked(raw, name)
    if holds_workbook(raw, name):
        yield from workbook_cells(raw, name, max_columns, decimal, sheet, header_row)
        return
    if sheet is not None or header_row is not None:
        raise InputError(
            f"{name} is no workbook, so it has no sheets; leave the sheet and the "
            "header row out."
        )
    part = _doors(raw)[0](raw, name, max_columns, decimal)
    del raw  # who goes through the parts may need the memory
    yield part


def _doors(raw: bytes) -> tuple[Callable[..., Any], Callable[..., bytes]]:
    """What reads a file that is no workbook, and what writes it back."""
    if raw.startswith(columnar.STARTS):
        return columnar_cells, rewritten_columns
    if holds_json_lines(raw):
        return json_cells, rewritten_lines
    return text_cells, rewritten_csv


def rewritten(
    raw: bytes,
    changes: Asked,
    drop: Collection[int] = (),
    name: str = "table",
    sheet: str | None = None,
    header_row: int | None = None,
) -> bytes:
    """The file with other texts in some cells and without some rows, in its format.

    Rows are numbered as a person counts them: from 1, the header and blank lines not
    counted; columns are named as `read` names them. A compressed file is compressed
    again. Of a workbook that cannot be written (.xls, .ods) the sheet comes as a CSV.

    Raises InputError also if the result would not be read back as asked.
    """
    content, pack = unpacked(raw, name)
    if holds_workbook(content, name):
        cells, written, _ = file_cells(
            content, name, 10**9, sheet=sheet, header_row=header_row
        )
        assert isinstance(written, WorkbookFormat)
        if not written.is_written:
            return _as_csv(Changes.of(cells, changes, drop, name))
        where = (written.sheet, written.header_row)
        result = rewritten_workbook(content, changes, drop, name, *where)
    else:
        result = _doors(content)[1](content, changes, drop, name)
    if result == content:
        return raw
    return result if pack is None else pack(result)


def _as_csv(changes: Changes) -> bytes:
    """The changed cells as a new file: UTF-8, commas."""
    before = changes.before
    columns = {j: before.iloc[:, j].tolist() for j in range(before.shape[1])}
    for j, texts in changes.by_column.items():
        for row, text in texts.items():
            columns[j][row - 1] = text
    frame = pd.DataFrame(columns).drop(index=[row - 1 for row in changes.gone])
    frame.columns = before.columns
    return frame_csv(frame).encode("utf-8")
