"""A changed CSV file that takes the place of the original.

Only the bytes of the changed fields and the dropped rows differ: encoding, delimiter,
quotes, blanks, blank lines and line endings of all others stay as they are.
"""

import csv
import re
import sys
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from cellval.errors import InputError
from cellval.table.changes import Changes, misread
from cellval.table.decoding import ENCODING_NAMES
from cellval.table.parsing import CsvFormat, text_cells


def rewritten(
    raw: bytes,
    changes: Mapping[tuple[int, str], str],
    drop: Collection[int] = (),
    name: str = "table",
) -> bytes:
    """The file with other texts in some cells and without some rows.

    Rows are numbered as a person counts them: from 1, the header and blank lines not
    counted; columns are named as `read` names them. Rows to `drop` go with their line
    endings and whatever is changed in them. A changed field keeps the quotes and the
    blanks before it, and gets quotes where its new text needs them.

    Raises InputError also if the result would not be read back as asked; a wrong file
    is never returned.
    """
    before, written, _ = text_cells(raw, name, sys.maxsize)
    asked = Changes.of(before, changes, drop, name)
    mark, codec = _mark_and_codec(raw, written.encoding)
    for row, texts in asked.new.items():
        for j, text in texts.items():
            _check_writable(text, asked.place(row, j), codec)
    text = raw[len(mark) :].decode(codec)
    syntax = _Syntax.of(written)
    pieces, copied = [], 0
    for row, (start, end, after) in enumerate(_records(text, syntax, name)):
        if row in asked.gone:
            pieces.append(text[copied:start])
            copied = after
        elif row in asked.new:
            record = _record(text[start:end], asked.new[row], before.shape[1], syntax)
            pieces += [text[copied:start], record]
            copied = end
    pieces.append(text[copied:])
    result = mark + "".join(pieces).encode(codec)

    def same(j: int, one: str, other: str) -> bool:
        # Blanks count again if the last padded quote of the file is gone.
        return syntax.skips_blanks and one.lstrip(" ") == other.lstrip(" ")

    asked.check(lambda: text_cells(result, name, sys.maxsize)[0], same)
    return result


def cell_lines(
    raw: bytes,
    written: CsvFormat,
    cells: Collection[tuple[int, int]],
    name: str = "table",
) -> dict[tuple[int, int], int]:
    """The line of the file, from 1, on which each of some cells begins.

    A cell is a row, numbered as above, and the place of its column, from 0. Blank lines
    and line breaks within cells are counted, as an editor does.
    """
    asked = defaultdict(list)
    for row, j in cells:
        asked[row].append(j)
    mark, codec = _mark_and_codec(raw, written.encoding)
    text = raw[len(mark) :].decode(codec)
    syntax = _Syntax.of(written)
    found, line, seen = {}, 1, 0
    for row, (start, end, _) in enumerate(_records(text, syntax, name)):
        if row in asked:
            line += _n_breaks(text[seen:start])
            seen = start
            within = _lines_within(text[start:end], syntax)
            for j in asked[row]:  # reading fills up short rows
                found[row, j] = line + within[min(j, len(within) - 1)]
    return found


def _lines_within(record: str, syntax: "_Syntax") -> list[int]:
    """How many lines after the record's own each of its fields begins."""
    lines, n = [], 0
    for _, field in syntax.fields(record):
        lines.append(n)
        n += _n_breaks(field)
    return lines


def _n_breaks(text: str) -> int:
    return text.count("\n") + text.count("\r") - text.count("\r\n")


def frame_csv(frame: pd.DataFrame, delimiter: str = ",") -> str:
    """A frame as a new CSV file.

    A lone carriage return ends a row for most readers, but pandas puts no quotes around
    it.
    """
    plain: dict[str, Any] = {"index": False, "lineterminator": "\n"}
    text: str = frame.to_csv(sep=delimiter, **plain)
    if "\r" in text:
        how = csv.QUOTE_NONNUMERIC
        text = frame.to_csv(sep=delimiter, quoting=how, **plain)
    return text


@dataclass(frozen=True)
class _Syntax:
    """The grammar of `csv.reader` in strict mode, as regular expressions."""

    delimiter: str
    skips_blanks: bool
    field: re.Pattern[str]  # blanks before it, and the field with its quotes
    record: re.Pattern[str]  # the fields of a record, and its line ending

    @classmethod
    def of(cls, written: CsvFormat) -> "_Syntax":
        mark = re.escape(written.delimiter)
        blanks = " *+" if written.skips_blanks else ""
        # Atomic: a quote that opens a field is never read as part of its text. Quotes
        # further inside an unquoted field are.
        body = rf'(?>"[^"]*+(?:""[^"]*+)*+"|[^{mark}\r\n]*+)'
        field = blanks + body
        return cls(
            written.delimiter,
            written.skips_blanks,
            re.compile(rf"({blanks})({body})(?:{mark}|\Z)"),
            re.compile(rf"({field}(?:{mark}{field})*+)(?:\r\n|\n|\r|\Z)"),
        )

    def fields(self, record: str) -> list[tuple[str, str]]:
        """Blanks before each field, and the field as it is written."""
        found, start = [], 0
        while start <= len(record):
            match = self.field.match(record, start)
            assert match is not None  # the record was matched by the same pattern
            found.append((match[1], match[2]))
            # Without a delimiter the last field ends the record.
            start = match.end() if match.end() > match.end(2) else len(record) + 1
        return found

    def written(self, text: str, quoted: bool) -> str:
        """Text as a field, in quotes if these are asked for or needed."""
        marks = ('"', "\r", "\n", self.delimiter)
        eaten = self.skips_blanks and text.startswith(" ")
        if quoted or eaten or any(mark in text for mark in marks):
            return '"' + text.replace('"', '""') + '"'
        return text


def _records(text: str, syntax: _Syntax, name: str) -> Iterator[tuple[int, int, int]]:
    """Start, end and end with line ending of each record that is not blank.

    The header comes first, so that the records' indices are the numbers of the rows.
    """
    start = 0
    while start < len(text):
        match = syntax.record.match(text, start)
        if match is None:
            raise misread(name, f"character {start + 1:,} starts no row")
        if not _is_blank(match[1], syntax):
            yield start, match.end(1), match.end()
        start = match.end()


def _is_blank(record: str, syntax: _Syntax) -> bool:
    if record.strip().strip('"').strip():
        return False  # most of them, without a look at the fields
    fields = syntax.fields(record)
    return len(fields) == 1 and not _content(fields[0][1]).strip()


def _content(field: str) -> str:
    return field[1:-1].replace('""', '"') if field.startswith('"') else field


def _record(record: str, new: Mapping[int, str], width: int, syntax: _Syntax) -> str:
    """The record with new texts in some of its fields, by index."""
    fields = syntax.fields(record)
    # Reading fills up short rows; here the fields before the last changed one are due.
    fields += [("", "")] * (max(new) + 1 - len(fields))
    for j, text in new.items():
        blanks, field = fields[j]
        fields[j] = (blanks, syntax.written(text, field.startswith('"')))
    if len(fields) == 1 and width > 1 and not _content(fields[0][1]).strip():
        fields.append(("", ""))  # else it would be a blank line, and no row
    return syntax.delimiter.join(blanks + field for blanks, field in fields)


def _mark_and_codec(raw: bytes, encoding: str) -> tuple[bytes, str]:
    """The byte order mark, and the codec of the rest, which writes none."""
    if encoding == "utf-8-sig":
        return raw[:3], "utf-8"
    if encoding in ("utf-16", "utf-32"):
        order = "le" if raw.startswith(b"\xff\xfe") else "be"
        return raw[: 2 if encoding == "utf-16" else 4], f"{encoding}-{order}"
    return b"", encoding


def _check_writable(text: str, place: str, codec: str) -> None:
    try:
        text.encode(codec)
    except UnicodeEncodeError as error:
        shown = text[error.start].encode("utf-8", "backslashreplace").decode()
        encoding = ENCODING_NAMES.get(codec, codec.upper())
        other = ", or save the file as UTF-8 and load it again"
        raise InputError(
            f"{place}: '{shown}' cannot be written in {encoding}, the encoding of the "
            f"file. Choose other text{other if codec in ENCODING_NAMES else ''}."
        ) from None
