"""A changed CSV file that takes the place of the original.

Only the bytes of the changed fields and the dropped rows differ: encoding, delimiter,
quotes, blanks, blank lines and line endings of all others stay as they are.
"""

import csv
import re
import sys
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

import pandas as pd

from cellval.errors import InputError
from cellval.table.parsing import ENCODING_NAMES, CsvFormat, text_cells
from cellval.text import listed, shortened


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
    gone = set(drop)
    _check_rows(len(before), {row for row, _ in changes} | gone, gone, name)
    mark, codec = _mark_and_codec(raw, written.encoding)
    new = _new_texts(before, changes, gone, codec, name)
    text = raw[len(mark) :].decode(codec)
    syntax = _Syntax.of(written)
    pieces, copied = [], 0
    for row, (start, end, after) in enumerate(_records(text, syntax, name)):
        if row in gone:
            pieces.append(text[copied:start])
            copied = after
        elif row in new:
            record = _record(text[start:end], new[row], before.shape[1], syntax)
            pieces += [text[copied:start], record]
            copied = end
    pieces.append(text[copied:])
    result = mark + "".join(pieces).encode(codec)
    _check_result(result, before, new, gone, syntax, name)
    return result


def frame_csv(frame: pd.DataFrame) -> str:
    """A frame as a new CSV file.

    A lone carriage return ends a row for most readers, but pandas puts no quotes around
    it.
    """
    text: str = frame.to_csv(index=False, lineterminator="\n")
    if "\r" in text:
        how = csv.QUOTE_NONNUMERIC
        text = frame.to_csv(index=False, lineterminator="\n", quoting=how)
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
            raise _misread(name, f"character {start + 1:,} starts no row")
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


def _check_rows(n_rows: int, rows: set[int], gone: set[int], name: str) -> None:
    for row in sorted(rows):
        if not 1 <= row <= n_rows:
            raise InputError(
                f"{name} has no row {row:,}; its rows are numbered from 1 to "
                f"{n_rows:,} (the header and blank lines are not counted)."
            )
    if len(gone) == n_rows:
        raise InputError(
            f"All {n_rows:,} rows of {name} would be dropped, which leaves no table. "
            "Keep some of them."
        )


def _new_texts(
    before: pd.DataFrame,
    changes: Mapping[tuple[int, str], str],
    gone: set[int],
    codec: str,
    name: str,
) -> dict[int, dict[int, str]]:
    """New text by row number and index of the column, where it is really new."""
    index = {str(column): j for j, column in enumerate(before.columns)}
    for row, column in changes:
        if column not in index:
            raise InputError(
                f"{name} has no column '{shortened(column)}' (row {row:,}); its "
                f"columns are {listed(index, 20)}."
            )
    old = {column: before[column].tolist() for column in {c for _, c in changes}}
    new: dict[int, dict[int, str]] = {}
    for (row, column), text in changes.items():
        if row in gone or old[column][row - 1] == text:
            continue
        _check_writable(text, f"row {row:,}, '{shortened(column)}'", codec, name)
        new.setdefault(row, {})[index[column]] = text
    return new


def _check_writable(text: str, place: str, codec: str, name: str) -> None:
    if "\0" in text:
        raise InputError(
            f"{name}, {place}: the new text holds a NUL character, which no text "
            "contains. Remove it."
        )
    try:
        text.encode(codec)
    except UnicodeEncodeError as error:
        shown = text[error.start].encode("utf-8", "backslashreplace").decode()
        encoding = ENCODING_NAMES.get(codec, codec.upper())
        other = ", or save the file as UTF-8 and load it again"
        raise InputError(
            f"{name}, {place}: '{shown}' cannot be written in {encoding}, the "
            "encoding of the file. Choose other text"
            f"{other if codec in ENCODING_NAMES else ''}."
        ) from None


def _check_result(
    result: bytes,
    before: pd.DataFrame,
    new: Mapping[int, Mapping[int, str]],
    gone: set[int],
    syntax: _Syntax,
    name: str,
) -> None:
    """Read the result and compare it with what was asked for."""
    try:
        after, _, _ = text_cells(result, name, sys.maxsize)
    except InputError as error:
        raise _misread(name, str(error).removesuffix(".")) from None
    kept = [row for row in range(1, len(before) + 1) if row not in gone]
    k = after.shape[1]
    if len(after) != len(kept) or list(after.columns) != list(before.columns)[:k]:
        raise _misread(
            name, f"it would have {len(after):,} rows and columns {listed(after)}"
        )
    for j, column in enumerate(before.columns):
        expected = before.iloc[:, j].tolist()
        for row, texts in new.items():
            expected[row - 1] = texts.get(j, expected[row - 1])
        if gone:
            expected = [expected[row - 1] for row in kept]
        # Columns without a name and without content are not read.
        found = after.iloc[:, j].tolist() if j < k else [""] * len(kept)
        if expected == found:
            continue
        for row, one, other in zip(kept, expected, found, strict=True):
            # Blanks count again if the last padded quote of the file is gone.
            same = syntax.skips_blanks and one.lstrip(" ") == other.lstrip(" ")
            if one != other and not same and (j < k or one.strip()):
                raise _misread(
                    name,
                    f"row {row:,}, '{shortened(str(column))}' would be "
                    f"'{shortened(other)}' and not '{shortened(one)}'",
                )


def _misread(name: str, why: str) -> InputError:
    return InputError(
        f"With these changes {name} would not be read back as asked: {why}. No file "
        "was made; choose other texts, or change fewer cells at a time to find out "
        "which one it is."
    )
