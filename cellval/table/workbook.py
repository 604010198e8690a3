"""Workbooks of Excel and LibreOffice: one sheet of them as text cells.

.xlsx, .xlsm and .ods are read by calamine, old .xls by xlrd. A sheet may hold titles
and empty rows above the line of column names, and empty rows and columns anywhere.
"""

import datetime
import io
import os
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, ClassVar
from xml.etree import ElementTree

import pandas as pd

from cellval.errors import InputError
from cellval.limits import how_to_raise, limits, refuse_beyond, refuse_shape
from cellval.table.parsing import decimal_mark, frame_cells, refuse_wide
from cellval.table.unpacking import (
    ZIP,
    damaged,
    is_workbook,
    member_bytes,
    open_zip,
)
from cellval.text import counted, listed, shortened

OLE = b"\xd0\xcf\x11\xe0"
LOOKED_AT = 100  # rows among which the column names are looked for
FILLED = 0.6  # share of the columns that must have a name
MOST_SHEETS = 20  # with a table, of which the first that can be learned from is taken

Values = list[list[Any]]


@dataclass(frozen=True)
class WorkbookFormat:
    """Which part of a workbook was read."""

    kind: str  # "xlsx", "xls" or "ods"
    sheet: str
    sheets: tuple[str, ...]
    header_row: int  # as the sheet counts, from 1
    decimal: str  # of numbers in cells of text
    delimiter: ClassVar[str] = ","

    @property
    def noun(self) -> str:
        return "workbook"

    @property
    def is_written(self) -> bool:
        """Can it be written back? Of others a CSV is made."""
        return self.kind == "xlsx"


def holds_workbook(raw: bytes, name: str) -> bool:
    """Is it a workbook? Archives were unpacked before."""
    if raw.startswith(OLE):
        return True
    return raw.startswith(ZIP) and is_workbook(open_zip(raw, name))


# --- a sheet --------------------------------------------------------------------------


@dataclass(frozen=True)
class Sheet:
    """Where the table is in a sheet; rows and columns from 0."""

    values: Values  # of the whole sheet
    header: int
    rows: list[int]  # those below it that are not blank
    columns: list[int]  # those with a name or a value

    def kinds(self, j: int) -> list[tuple[str, int]]:
        """What the cells of a column of the table are, and where: blank ones not."""
        column = self.columns[j]
        found = ((kind_of(self.values[i][column]), i) for i in self.rows)
        return [(kind, i) for kind, i in found if kind]


def workbook_cells(
    raw: bytes,
    name: str,
    max_columns: int | None = None,
    decimal: str = "",
    sheet: str | None = None,
    header_row: int | None = None,
) -> Iterator[tuple[pd.DataFrame, WorkbookFormat, list[str]]]:
    """The cells of each sheet that may be meant, as `parsing.text_cells` gives them.

    That is the sheet with this name, or every one that holds a table.
    """
    book = open_book(raw, name)
    found = 0
    for one in book.candidates(sheet):
        part = book.sheet(one, header_row)
        if part is None:
            continue
        found += 1
        yield _cells(book, one, part, max_columns, decimal, asked=sheet is not None)
        if found == MOST_SHEETS:
            return
    if not found:
        where = "no sheet" if sheet is None else f"nowhere sheet '{shortened(sheet)}'"
        raise InputError(
            f"{name} is a workbook without a table: {where} has a row of column names "
            "and rows below it. Choose another sheet, or another file."
        )


def _cells(
    book: "Book",
    sheet: str,
    part: Sheet,
    max_columns: int | None,
    decimal: str,
    asked: bool,
) -> tuple[pd.DataFrame, WorkbookFormat, list[str]]:
    name, notes = book.name, []
    refuse_wide(name, len(part.columns), max_columns)
    if not part.rows:
        raise InputError(
            f"{name}: row {part.header + 1:,} of sheet '{shortened(sheet)}' was taken "
            "for the column names, but there are no rows below it. Choose another row "
            "or another sheet."
        )
    refuse_shape(name, len(part.rows), 1)
    refuse_beyond(
        name,
        "cells",
        len(part.rows) * len(part.columns),
        "take a sample of the rows",
    )
    if not asked and len(book.sheets) > 1:
        others = listed([one for one in book.sheets if one != sheet], 5)
        notes.append(f"Sheet '{shortened(sheet)}' was taken; there are also {others}.")
    if part.header:
        notes.append(
            f"Row {part.header + 1:,} of the sheet was taken for the column names; "
            "what is above it was left out."
        )
    notes += book.remarks(sheet, part)
    header = [cell_text(part.values[part.header][k]) for k in part.columns]
    texts = [[cell_text(part.values[i][k]) for i in part.rows] for k in part.columns]
    frame = pd.DataFrame(dict(enumerate(texts)), dtype="str")
    frame.columns = pd.Index(header, dtype="str")
    cells = frame_cells(frame, notes)
    mark = decimal_mark(cells, ",", decimal)
    sheets, row = tuple(book.sheets), part.header + 1
    return cells, WorkbookFormat(book.kind, sheet, sheets, row, mark), notes


def kind_of(value: Any) -> str:
    """ "text", "number", "date", "truth", "time" or, if it is blank, nothing."""
    kind = type(value)
    if kind is str:
        return "text" if value.strip() else ""
    if kind is bool:
        return "truth"
    if kind in (float, int):
        return "number"
    return "time" if kind in (datetime.time, datetime.timedelta) else "date"


def cell_text(value: Any) -> str:
    """A value as a person would write it, without loss; whole numbers without .0."""
    kind = type(value)
    if kind is str:
        return str(value)
    if kind is float:
        return (
            str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
        )
    if kind is bool:
        return "TRUE" if value else "FALSE"
    if kind is datetime.datetime:
        return str(value.isoformat(" "))
    if kind is datetime.timedelta:
        return cell_text(value.total_seconds())
    return str(value)


def find_table(values: Values, header_row: int | None) -> Sheet | None:
    """The row of column names, the rows below and the columns; None if there is none.

    The first row that is filled across is taken: titles and remarks above it are not.
    """
    filled = [[k for k, value in enumerate(row) if kind_of(value)] for row in values]
    if header_row is None:
        counts = [len(row) for row in filled[: LOOKED_AT + 1]]
        enough = max(2, FILLED * max(counts, default=0))
        header = next((i for i, n in enumerate(counts) if n >= enough), None)
    else:
        header = header_row - 1 if header_row <= len(values) else None
    if header is None or not filled[header]:
        return None
    rows = [i for i in range(header + 1, len(values)) if filled[i]]
    if not rows and header_row is None:
        return None
    used = {k for i in (header, *rows) for k in filled[i]}
    return Sheet(values, header, rows, sorted(used))


# --- a workbook -----------------------------------------------------------------------


@dataclass(frozen=True)
class Book:
    """A workbook that is open."""

    raw: bytes
    name: str
    kind: str
    sheets: list[str]
    shown: list[str]  # that are not hidden
    values: Callable[[str], Values]
    merged: Callable[[str], int]  # areas that are merged
    xml: Callable[[str], bytes]  # of an .xlsx file; of others nothing

    def candidates(self, sheet: str | None) -> Sequence[str]:
        if sheet is None:
            return self.shown or self.sheets
        if sheet not in self.sheets:
            raise InputError(
                f"{self.name} has no sheet '{shortened(sheet)}'. Its sheets are "
                f"{listed(self.sheets, 20)}."
            )
        return [sheet]

    def sheet(self, sheet: str, header_row: int | None) -> Sheet | None:
        if header_row is not None and header_row < 1:
            raise InputError(
                f"header_row={header_row} is not possible: rows of a sheet count "
                "from 1."
            )
        values = self.values(sheet)
        found = find_table(values, header_row)
        if found is None and header_row is not None:
            raise InputError(
                f"{self.name}: row {header_row:,} of sheet '{shortened(sheet)}' is "
                "empty, so it holds no column names. Choose another row."
            )
        return found

    def remarks(self, sheet: str, part: Sheet) -> list[str]:
        """What a person should know of how the sheet was read."""
        notes = []
        if n := self.merged(sheet):
            notes.append(
                f"The sheet has {counted(n, 'merged area')}; the first cell of each "
                "holds its text, and the others are blank."
            )
        if n := sum(1 for _ in _UNCACHED.finditer(self.xml(sheet))):
            have = "has" if n == 1 else "have"
            notes.append(
                f"{counted(n, 'formula')} of the sheet {have} no result in the file "
                "and count as blank: open it in Excel or LibreOffice and save it, so "
                "that they are computed."
            )
        return notes


# A cell with a formula and nothing after it.
_UNCACHED = re.compile(
    rb"<(?:\w+:)?f\b[^<>]*+>(?:(?<=/>)|[^<]*+</(?:\w+:)?f>)\s*+"
    rb"(?:<(?:\w+:)?v\s*+/>|<(?:\w+:)?v>\s*+</(?:\w+:)?v>)?+\s*+</(?:\w+:)?c>"
)


# Parts of an .xlsx file that are opened only if they are asked for, or never.
_ALONE = ("xl/worksheets/", "xl/drawings/", "xl/charts/", "xl/embeddings/")


def open_book(raw: bytes, name: str) -> Book:
    """A workbook of any kind, or InputError with a sentence."""
    if raw.startswith(OLE):
        return _xls(raw, name)
    archive = open_zip(raw, name)
    members = {member.filename: member for member in archive.infolist()}
    if any(one.flag_bits & 1 for one in members.values()):
        raise _protected(name)
    # What reads it looks for names in any case, and may take another one than we do.
    if len({_path(path) for path in archive.namelist()}) < len(archive.namelist()):
        raise damaged(name, "a workbook")
    if "xl/workbook.bin" in members:
        raise InputError(
            f"{name} is an Excel binary workbook (.xlsb), which is not read. Open it "
            "in Excel or LibreOffice, and save it as .xlsx."
        )
    kind = "ods" if "content.xml" in members else "xlsx"
    if kind == "ods":
        _check_ods(archive, members, name)
    for path, member in members.items():
        # What is opened beside the sheets must not be larger than it says.
        beside = _path(path).startswith("xl/") and path.endswith((".xml", ".rels"))
        if beside and not _path(path).startswith(_ALONE):
            _no_doctype(member_bytes(archive, member, name), name)
    calamine = _library("python_calamine", name)
    with _readable(name):
        book = calamine.CalamineWorkbook.from_filelike(io.BytesIO(raw))
        about = [
            one
            for one in book.sheets_metadata
            if one.typ == calamine.SheetTypeEnum.WorkSheet
        ]
    visible = calamine.SheetVisibleEnum.Visible
    paths = sheet_paths(archive, name) if kind == "xlsx" else {}
    by_path = {_path(path): member for path, member in members.items()}
    strings = by_path.get("xl/sharedstrings.xml")

    @lru_cache(1)
    def xml(sheet: str) -> bytes:
        if kind == "ods":
            return b""
        if sheet not in paths:
            raise damaged(name, "an Excel workbook")
        return _part(archive, members[paths[sheet]], name)

    @cache
    def sizes() -> list[int]:
        """Of the texts that cells share."""
        texts = member_bytes(archive, strings, name) if strings else b""
        return [len(one) for one in re.split(rb"<(?:\w+:)?si\b", texts)[1:]]

    @cache
    def opened(sheet: str) -> Any:
        if kind == "xlsx":
            _check_extent(xml(sheet), name, sheet)
            _check_strings(sizes(), xml(sheet), name)
        with _readable(name):
            return book.get_sheet_by_name(sheet)

    def values(sheet: str) -> Values:
        with _readable(name):
            found: Values = opened(sheet).to_python(skip_empty_area=False)
            return found

    def merged(sheet: str) -> int:
        return len(getattr(opened(sheet), "merged_cell_ranges", None) or ())

    names = [one.name for one in about]
    shown = [one.name for one in about if one.visible == visible]
    return Book(raw, name, kind, names, shown, values, merged, xml)


def _path(path: str) -> str:
    return path.replace("\\", "/").lower()


_NO_WORKBOOKS = ("WordDocument", "PowerPoint Document", "__substg1.0_")


def _xls(raw: bytes, name: str) -> Book:
    """An old workbook; many other files of Office begin alike."""
    if "EncryptedPackage".encode("utf-16-le") in raw:
        raise _protected(name)
    if any(word.encode("utf-16-le") in raw for word in _NO_WORKBOOKS):
        raise InputError(
            f"{name} is an old file of Office, but no workbook. Open it in the program "
            "it belongs to, and save the table as CSV or Excel."
        )
    xlrd = _library("xlrd", name)
    try:
        with open(os.devnull, "w") as nowhere:
            book = xlrd.open_workbook(
                file_contents=raw, on_demand=True, ragged_rows=True, logfile=nowhere
            )
    except Exception as error:  # of a damaged file any
        if "encrypted" in str(error).lower():
            raise _protected(name) from error
        raise damaged(name, "an old Excel workbook (.xls)") from error

    def value(cell: Any) -> Any:
        if cell.ctype == xlrd.XL_CELL_DATE:
            try:
                moment = xlrd.xldate.xldate_as_datetime(cell.value, book.datemode)
            except (ValueError, OverflowError):
                return cell.value
            if cell.value < 1:
                return moment.time()
            return moment.date() if moment.time() == datetime.time() else moment
        if cell.ctype == xlrd.XL_CELL_BOOLEAN:
            return bool(cell.value)
        is_blank = cell.ctype in (xlrd.XL_CELL_ERROR, xlrd.XL_CELL_EMPTY)
        return "" if is_blank or cell.ctype == xlrd.XL_CELL_BLANK else cell.value

    def values(sheet: str) -> Values:
        try:
            found = book.sheet_by_name(sheet)
            rows = [[value(cell) for cell in found.row(i)] for i in range(found.nrows)]
        except Exception as error:
            raise damaged(name, "an old Excel workbook (.xls)") from error
        width = max(map(len, rows), default=0)
        return [row + [""] * (width - len(row)) for row in rows]

    names = list(book.sheet_names())
    return Book(raw, name, "xls", names, names, values, lambda _: 0, lambda _: b"")


def _library(module: str, name: str) -> Any:
    try:
        return __import__(module)
    except ImportError:
        raise InputError(
            f"{name} is a workbook, and what reads it is not installed. Run pip "
            'install "cellval[excel]", or save the sheet as CSV.'
        ) from None


def _protected(name: str) -> InputError:
    return InputError(
        f"{name} is protected by a password. Open it in Excel or LibreOffice, save it "
        "without a password, and load that file."
    )


@contextmanager
def _readable(name: str) -> Iterator[None]:
    """Whatever calamine says of a damaged file becomes one sentence."""
    try:
        yield
    except (InputError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:  # a panic of Rust is no Exception
        if "password" in f"{type(error).__name__}{error}".lower():
            raise _protected(name) from None
        raise damaged(name, "a workbook") from error


# --- what is inside of an .xlsx file --------------------------------------------------


def sheet_paths(archive: zipfile.ZipFile, name: str) -> dict[str, str]:
    """Where in the archive each sheet is."""
    members = {member.filename: member for member in archive.infolist()}

    def elements(path: str) -> Iterator[Any]:
        if path not in members:
            raise damaged(name, "an Excel workbook")
        try:
            return ElementTree.fromstring(_part(archive, members[path], name)).iter()
        except ElementTree.ParseError as error:
            raise damaged(name, "an Excel workbook") from error

    targets = {}
    for one in elements("xl/_rels/workbook.xml.rels"):
        target = one.get("Target", "")
        path = target[1:] if target.startswith("/") else f"xl/{target}"
        if path in members:
            targets[one.get("Id")] = path
    found = {}
    for one in elements("xl/workbook.xml"):
        if one.tag.endswith("}sheet"):
            ids = [value for key, value in one.items() if key.endswith("}id")]
            if ids and ids[0] in targets:
                found[one.get("name", "")] = targets[ids[0]]
    return found


def _part(archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str) -> bytes:
    xml = member_bytes(archive, member, name)
    _no_doctype(xml, name)
    return xml


def _no_doctype(xml: bytes, name: str) -> None:
    """No program writes one into a workbook; entities in it could grow without end."""
    if b"<!DOCTYPE" in xml[:2000] or b"<!ENTITY" in xml[:2000]:
        raise damaged(name, "a workbook")


def _check_extent(xml: bytes, name: str, sheet: str) -> None:
    """Refuse a sheet whose cells lie so far apart that all between fill the memory."""
    most = 2 * limits().cells
    is_placed = _UNPLACED.search(xml) is None
    if is_placed and _digits(xml) * _letters(xml) <= most:
        return
    if is_placed:
        found = _PLACE.findall(xml)
        rows = max((int(row) for _, row in set(found)), default=0)
        columns = max((column_number(letters) for letters, _ in found), default=0)
    else:
        rows, columns = _counted_extent(xml)
    _refuse_extent(rows, columns, most, name, sheet)


def _counted_extent(xml: bytes) -> tuple[int, int]:
    """The last row and column where rows and cells need not say where they are: then
    they follow the one before.
    """
    row = rows = columns = 0
    for part in _ROW.split(xml)[1:]:
        said = _NUMBER_OF.search(part[: part.find(b">") + 1])
        row = int(said[1]) if said else row + 1
        found = _PLACE.findall(part)
        width = max((column_number(letters) for letters, _ in found), default=0)
        rows = max(rows, row, *(int(number) for _, number in found))
        columns = max(columns, width + len(_UNPLACED.findall(part)))
    return rows, columns


def _check_strings(sizes: list[int], xml: bytes, name: str) -> None:
    """Refuse a long text that is repeated in more cells than memory can hold."""
    limit = limits().unpacked_bytes
    if max(sizes, default=0) * len(_SHARED.findall(xml)) <= limit:
        return
    counts = Counter(_SHARED_TEXT.findall(xml))
    used = {int(k): n for k, n in counts.items()}
    size = sum(sizes[k] * n for k, n in used.items() if k < len(sizes))
    refuse_beyond(name, "unpacked_mb", size / 1e6, "take a sample of the rows")


def _refuse_extent(
    rows: int, columns: int, most: float, name: str, sheet: str = ""
) -> None:
    if rows * columns > most:
        where = f"sheet '{shortened(sheet)}'" if sheet else "a sheet"
        raise InputError(
            f"{name}: {where} reaches to row {rows:,} and column {columns:,}, which "
            f"makes {rows * columns:,} cells; the limit is {most:,.0f}, twice that of "
            "a table. Delete what is far from the table, or save the table in a "
            f"workbook of its own. {how_to_raise('cells')}."
        )


_PLACE = re.compile(rb"\sr\s*=\s*[\"']([A-Za-z]+)(\d+)[\"']")
_ROW = re.compile(rb"<(?:\w+:)?row(?=[\s/>])")
_NUMBER_OF = re.compile(rb"\sr\s*=\s*[\"'](\d+)[\"']")
# A cell that does not say where it is.
_UNPLACED = re.compile(
    rb"<(?:[\w.-]+:)?c(?:\s++(?!r\s*=)[^\s=<>/]++\s*+=\s*+"
    rb"(?:\"[^\"<]*+\"|'[^'<]*+'))*+\s*+/?>"
)
_SHARED = re.compile(rb"\st\s*=\s*[\"']s[\"']")
_SHARED_TEXT = re.compile(
    rb"\st\s*=\s*[\"']s[\"'][^<>]*+>\s*+<(?:\w+:)?v\b[^<>]*+>\s*+(\d+)\s*+<"
)


def _digits(xml: bytes) -> int:
    """A number that no row exceeds, found fast."""
    for n in range(7, 3, -1):
        if re.search(rb"[A-Za-z\"']\d{%d,}[\"']" % n, xml):
            return int(10**n) if n < 7 else 10**9
    return 10**4


def _letters(xml: bytes) -> int:
    """A number that no column exceeds, found fast."""
    for n, columns in ((4, 10**9), (3, 18_278), (2, 702)):
        if re.search(rb"[\"'][A-Za-z]{%d,}\d+[\"']" % n, xml):
            return columns
    return 26


def column_number(letters: bytes) -> int:
    """1 of A, 27 of AA."""
    number = 0
    for letter in letters.upper()[:8]:
        number = 26 * number + letter - 64
    return number


def _check_ods(
    archive: zipfile.ZipFile, members: dict[str, zipfile.ZipInfo], name: str
) -> None:
    """Refuse what says that a cell is repeated until it fills the memory."""
    manifest = members.get("META-INF/manifest.xml")
    if manifest and b"encryption-data" in member_bytes(archive, manifest, name):
        raise _protected(name)
    xml = member_bytes(archive, members["content.xml"], name)
    _no_doctype(xml, name)
    for table in _ODS_TABLE.split(xml)[1:]:
        rows = columns = n_rows = 0
        for attributes, content in _ods_parts(_ODS_ROW, table, b"</table:table-row>"):
            n_rows += _repeated(attributes, b"rows")
            if content is None or _ODS_CONTENT.search(content) is None:
                continue
            width = n = 0
            for of_cell, held in _ods_parts(_ODS_CELL, content, b"</table:"):
                n += _repeated(of_cell, b"columns")
                width = n if held is not None or b"value" in of_cell else width
            rows, columns = n_rows, max(columns, width)
        _refuse_extent(rows, columns, 2 * limits().cells, name)


def _ods_parts(
    opening: re.Pattern[bytes], xml: bytes, closing: bytes
) -> Iterator[tuple[bytes, bytes | None]]:
    """Attributes of each element, and what is in it up to its end or the next one; None
    if it is closed at once. No text is looked through twice.
    """
    for part in opening.split(xml)[1:]:
        start = _ODS_START.match(part)
        attributes = start[0] if start else part
        is_closed = attributes.endswith(b"/")
        content = part[len(attributes) + 1 :].partition(closing)[0]
        yield attributes, None if is_closed else content


_ODS_TABLE = re.compile(rb"<table:table(?=[\s>])")
_ODS_ROW = re.compile(rb"<table:table-row(?=[\s/>])")
_ODS_CELL = re.compile(rb"<table:(?:covered-)?table-cell(?=[\s/>])")
_ODS_START = re.compile(rb"(?:[^<>\"']++|\"[^\"]*+\"|'[^']*+')*+")
_ODS_CONTENT = re.compile(rb"<text:|office:\w*-?value")


def _repeated(attributes: bytes, what: bytes) -> int:
    found = re.search(rb"number-%s-repeated\s*=\s*[\"'](\d+)" % what, attributes)
    return int(found[1]) if found else 1
