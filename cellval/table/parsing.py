"""From bytes to text cells: encoding, delimiter, decimal mark, and what is broken.

Nothing here knows about kinds or labels; a cell leaves exactly as it was written.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from cellval.errors import InputError
from cellval.limits import limits, refuse_beyond, variable
from cellval.table.decoding import ENCODING_NAMES, encoding_of, writable
from cellval.text import joined, listed, shortened

# The order settles ties: commas are often decimal marks.
DELIMITERS = {"\t": "tab", ";": "semicolon", "|": "pipe", ",": "comma"}
# Rows turned into arrow strings at a time: bounds the Python strings alive at once.
CHUNK_ROWS = 20_000
# Bytes from which on a plain file is read in the fast way.
PLAIN_FROM = 1 << 20
# Characters from which the delimiter is judged.
SAMPLE = 1 << 18


@dataclass(frozen=True)
class CsvFormat:
    """How a file was written, so that a repaired one can be written alike."""

    encoding: str
    delimiter: str
    decimal: str
    # `a, "b, c"`: without this the quotes would be part of the cell.
    skips_blanks: bool
    noun: ClassVar[str] = "CSV"


def text_cells(
    raw: bytes, name: str, max_columns: int | None = None, decimal: str = ""
) -> tuple[pd.DataFrame, CsvFormat, list[str]]:
    """The cells of a CSV file as text, how it was written, and what was noticed.

    `decimal` is the mark to assume where the cells leave it open. Raises InputError
    with the row (as a person counts them: from 1, the header and blank lines not
    counted) and the line wherever the file is broken.
    """
    limit = limits()
    csv.field_size_limit(int(limit.cell_length))  # of all readers of the process
    encoding = encoding_of(raw, name)
    notes = []
    if encoding in ENCODING_NAMES:
        accents = "with accents " * (encoding in ("cp1252", "latin-1"))
        notes.append(
            f"{name} is not UTF-8 and was read as {ENCODING_NAMES[encoding]}; if "
            f"letters {accents}look wrong, save it as UTF-8."
        )
    delimiter, skips_blanks = _dialect(raw, encoding)
    # Decoded once more while parsing: a stream needs less memory than the whole text.
    with io.TextIOWrapper(io.BytesIO(raw), encoding, newline="") as file:
        reader = csv.reader(
            file, delimiter=delimiter, strict=True, skipinitialspace=skips_blanks
        )
        rows = _rows(reader, name)
        line, header = next(rows)
        refuse_wide(name, len(header), max_columns)
        most_rows = min(limit.rows, limit.cells // len(header))
        cells = None
        if len(raw) > PLAIN_FROM and encoding.startswith("utf-8"):
            cells = _plain_cells(raw, delimiter, line, len(header), most_rows)
        if cells is None:
            rows = _refusing_beyond(most_rows, len(header), rows, name)
            cells = _cells(rows, header, name, DELIMITERS[delimiter], notes)
        cells = _without_unnamed(cells, header, notes)
    names = unique_names(header[: cells.shape[1]], notes)
    cells.columns = pd.Index(names, dtype="str")
    if all(re.fullmatch(r"[+-]?\d+([.,]\d+)?", column) for column in names):
        notes.append(
            "All column names look like numbers; if the first line of the file is "
            "data, add a line with the column names above it."
        )
    mark = decimal_mark(cells, delimiter, decimal)
    return cells, CsvFormat(encoding, delimiter, mark, skips_blanks), notes


def refuse_wide(name: str, n: int, max_columns: int | None = None) -> None:
    """Refuse a table with too many columns."""
    most = limits().columns if max_columns is None else max_columns
    if n > most:
        raise InputError(
            f"{name} has {n:,} columns; the limit is {most:,.0f}. Keep the columns "
            "that matter, or raise the limit with the environment variable "
            f"{variable('columns')}. If rows and columns are swapped, transpose the "
            "table."
        )


def _dialect(raw: bytes, encoding: str) -> tuple[str, bool]:
    """Delimiter, and whether blanks after it are skipped, judged from the beginning."""
    with io.TextIOWrapper(io.BytesIO(raw), encoding, newline="") as file:
        sample = file.read(SAMPLE)
    delimiter = _delimiter(sample, whole=len(sample) < SAMPLE)
    padded = rf'{re.escape(delimiter)} +"[^"]*" *({re.escape(delimiter)}|[\r\n]|$)'
    return delimiter, delimiter != "\t" and bool(re.search(padded, sample))


def _delimiter(sample: str, whole: bool) -> str:
    """The mark that splits the most rows into as many fields as the header."""
    best, best_score = ",", (-1.0, 0)
    for delimiter in DELIMITERS:
        try:
            reader = csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
            counts = [len(row) for row in reader if any(cell.strip() for cell in row)]
        except csv.Error:
            continue
        if not whole and len(counts) > 1:
            counts.pop()  # cut off
        if not counts or counts[0] < 2:
            continue
        # A header of another length than its rows is still a likelier reading than
        # a mark that splits only the header; a lone header goes to the commonest mark.
        fits = sum((n == counts[0]) + 0.01 * (n > 1) for n in counts[1:])
        score = (fits / max(len(counts) - 1, 1), counts[0] * (len(counts) == 1))
        if score > best_score:
            best, best_score = delimiter, score
    return best


def _rows(reader: Any, name: str) -> Iterator[tuple[int, list[str]]]:
    """The records that are not blank, each with the line it starts on."""
    n, line = 0, 1
    while True:
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise _bad_quote(name, _place(n, line), str(error)) from None
        if row is None:
            break
        if len(row) > 1 or (row and row[0].strip()):
            if "\0" in "".join(row):
                raise InputError(
                    f"{name} holds a NUL byte in {_place(n, line)}, which no text "
                    "contains; the file may be damaged. Remove it or export the "
                    "table again."
                )
            yield line, row
            n += 1
        line = reader.line_num + 1
    if n == 0:
        raise InputError(f"{name} is empty: it holds blank lines only.")


def _refusing_beyond(
    most: float, width: int, rows: Iterator[tuple[int, list[str]]], name: str
) -> Iterator[tuple[int, list[str]]]:
    """The rows, of which no more than `most` are read."""
    for n, row in enumerate(rows, 1):
        if n > most:
            what, advice = f"{name} up to row {n:,}", "take a sample of the rows"
            refuse_beyond(what, "rows", n, advice)
            refuse_beyond(what, "cells", n * width, advice)
        yield row


def _place(n: int, line: int) -> str:
    return f"row {n:,} (line {line:,})" if n else f"the header (line {line:,})"


def _bad_quote(name: str, place: str, error: str) -> InputError:
    if "limit" in error:
        return InputError(
            f"{name}: a cell in {place} is longer than {csv.field_size_limit():,} "
            'characters. Most likely a quote (") opens there and is never closed: '
            "close it, or shorten the cell. If it is meant to be so long, raise the "
            f"limit with the environment variable {variable('cell_length')}."
        )
    if "end of data" in error:
        return InputError(
            f'{name}: a quote (") opens in {place} and is never closed, so the rest '
            "of the file would be one cell. Close it, or delete it."
        )
    return InputError(
        f"{name}: the quotes in {place} do not match: text follows a closing quote "
        '("). Close every quote that opens there, and write a quote inside a cell '
        'twice ("").'
    )


def _cells(
    rows: Iterable[tuple[int, list[str]]],
    header: list[str],
    name: str,
    mark: str,
    notes: list[str],
) -> pd.DataFrame:
    width = len(header)
    named = _n_named(header)
    n_rows = 0
    trailing = False
    ragged: list[tuple[int, int, int]] = []

    def even_rows() -> Iterator[list[str]]:
        nonlocal n_rows, trailing
        for line, row in rows:
            n_rows += 1
            if len(row) > width and not "".join(row[width:]).strip():
                trailing = True
                row = row[:width]
            if named <= len(row) <= width:
                yield row + [""] * (width - len(row))
            else:
                ragged.append((n_rows, line, len(row)))

    even = even_rows()
    pieces = []
    while chunk := list(islice(even, CHUNK_ROWS)):
        pieces.append(pd.DataFrame(chunk, dtype="str"))
    if n_rows == 0:
        raise InputError(
            f"{name} has a header ({listed(header)}) but no rows below it. Add rows, "
            "or add a line of column names if that line was meant to be data."
        )
    if ragged:
        row, line, n = ragged[0]
        message = (
            f"{name}: {_place(row, line)} has {n:,} field{'s' * (n != 1)}, but the "
            f"header has {width:,}; {len(ragged):,} of {n_rows:,} rows "
            f"{'does' if len(ragged) == 1 else 'do'} not match. Fields are separated "
            f"by {mark}s; put quotes around a cell that contains a {mark}, and fill up "
            "short rows."
        )
        if len(ragged) == n_rows and all(n == width + 1 for *_, n in ragged):
            message += (
                " All rows have one field more than the header: if the first one holds "
                "row names, add a name for it at the start of the header."
            )
        raise InputError(message)
    if trailing:
        notes.append(UNNAMED)
    return pd.concat(pieces, ignore_index=True)


def _plain_cells(
    raw: bytes, delimiter: str, line: int, width: int, most_rows: float
) -> pd.DataFrame | None:
    """The cells of a large file in UTF-8 that is as plain as most are, much faster.

    None of one with quotes, with rows of other lengths, or with anything else about
    which there is something to say.
    """
    if width < 2 or any(mark in raw for mark in (b'"', b"\0", b"\r\r")):
        return None
    if raw.count(b"\r") != raw.count(b"\r\n"):
        return None
    n_lines = raw.count(b"\n") + 1
    if n_lines > most_rows + line + 1:
        return None
    from pyarrow import csv as arrow

    names = [str(j) for j in range(width)]
    columns = [_Growing(n_lines) for _ in names]
    try:
        batches = arrow.open_csv(
            pa.BufferReader(raw),
            arrow.ReadOptions(column_names=names, skip_rows=line),
            arrow.ParseOptions(delimiter=delimiter, quote_char=False),
            arrow.ConvertOptions(column_types=dict.fromkeys(names, pa.large_string())),
        )
        for batch in batches:
            for column, more in zip(columns, batch.columns, strict=True):
                column.add(more)
    except pa.ArrowInvalid:
        return None
    n_rows = columns[0].n
    texts = [column.array() for column in columns]
    longest = max(pc.max(pc.utf8_length(column)).as_py() or 0 for column in texts)
    if not 0 < n_rows <= most_rows or longest > limits().cell_length:
        return None
    cells = {j: pd.array(one, dtype="str") for j, one in enumerate(texts)}
    return pd.DataFrame(cells, copy=False)


class _Growing:
    """A column of texts that is filled part by part, and not copied at its end.

    Arrow keeps the parts of a file that it reads as a whole, and more than they need.
    """

    def __init__(self, most: int) -> None:
        self.n = 0
        self._text = bytearray()
        self._ends = np.zeros(most + 1, np.int64)

    def add(self, more: pa.Array) -> None:
        _, ends, text = more.buffers()
        where = slice(more.offset, more.offset + len(more) + 1)
        of_part = np.frombuffer(ends, np.int64)[where]
        first, last = int(of_part[0]), int(of_part[-1])
        at = slice(self.n + 1, self.n + 1 + len(more))
        self._ends[at] = of_part[1:] + (len(self._text) - first)
        if last > first:
            self._text += memoryview(text)[first:last]
        self.n += len(more)

    def array(self) -> pa.Array:
        buffers = pa.py_buffer(self._ends), pa.py_buffer(self._text)
        return pa.LargeStringArray.from_buffers(self.n, *buffers)


UNNAMED = "Empty cells to the right of the last column name were left out."


def _n_named(header: list[str]) -> int:
    """Columns up to the last one with a name."""
    names = (j for j, text in enumerate(header, 1) if text.strip())
    return max(names, default=len(header))


def _without_unnamed(
    cells: pd.DataFrame, header: list[str], notes: list[str]
) -> pd.DataFrame:
    """A delimiter at the end of every line adds no column."""
    width, named = len(header), _n_named(header)
    while width > named and not cells[width - 1].str.strip().any():
        width -= 1
    if width < len(header) and UNNAMED not in notes:
        notes.append(UNNAMED)
    return cells.iloc[:, :width]


def frame_cells(df: pd.DataFrame, notes: list[str]) -> pd.DataFrame:
    """The cells of a DataFrame as they would stand in a CSV file."""
    names = unique_names([_text(column) for column in df.columns], notes)
    columns = {new: _frame_column(df.iloc[:, j]) for j, new in enumerate(names)}
    cells = pd.DataFrame(columns, copy=False)
    for name in names:
        nul = cells[name].str.contains("\0", regex=False)
        if nul.any():
            raise InputError(
                f"'{name}' holds a NUL character in row {int(nul.argmax()) + 1:,}, "
                "which no text contains. Remove it."
            )
        what, longest = f"A cell of '{shortened(name)}'", cells[name].str.len().max()
        refuse_beyond(what, "cell_length", longest, "shorten it")
    return cells


def _frame_column(column: pd.Series) -> pd.Series:
    """As text; one that is text is not copied."""
    kind = column.dtype
    if isinstance(kind, pd.StringDtype) and kind.storage == "pyarrow":
        texts = column.fillna("") if column.isna().any() else column
        return texts.astype("str").reset_index(drop=True)
    return pd.Series(frame_texts(column), dtype="str")


def frame_texts(column: pd.Series) -> list[str]:
    """A column of a DataFrame of any dtype, as it would stand in a CSV file."""
    missing = column.isna()
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(object)
    if pd.api.types.is_timedelta64_dtype(column.dtype):
        column = column.dt.total_seconds()
    if pd.api.types.is_datetime64_any_dtype(column.dtype) and column.dt.tz is None:
        days = column.dropna()
        if (days == days.dt.normalize()).all():
            column = column.dt.date
    pairs = zip(column.astype(object), missing, strict=True)
    return ["" if gone else _text(value) for value, gone in pairs]


def _text(value: object) -> str:
    return writable(str(value)).decode()


def unique_names(header: Sequence[str], notes: list[str]) -> list[str]:
    header = [name.strip() for name in header]
    given, names, renamed = set(header), dict[str, None](), []
    for j, name in enumerate(header, 1):
        base = new = name or f"column {j}"
        k = 2
        while new in names or (new != name and new in given):
            new, k = f"{base} ({k})", k + 1
        if new != name:
            renamed.append(f"column {j} is called '{shortened(new)}'")
        names[new] = None
    if renamed:
        notes.append(
            f"Some column names are empty or occur more than once: {joined(renamed)}."
        )
    return list(names)


def decimal_mark(cells: pd.DataFrame, delimiter: str, default: str = "") -> str:
    """'.' or ',', by a vote of the cells that can only be meant one way.

    `12,5` says comma and `12.5` point; `1,234` says neither, unless nothing else
    speaks and fields are not separated by commas. Each column sends its first 1,000
    texts with a mark in them.
    """
    votes: Counter[str] = Counter()
    for name in cells:
        votes.update(map(_decimal_evidence, _first_marked(cells[name], 1000)))
    if votes[","] != votes["."]:
        return "," if votes[","] > votes["."] else "."
    return default or ("," if delimiter != "," and votes["?"] else ".")


def _first_marked(texts: pd.Series, most: int) -> list[str]:
    """The first different texts with a mark in them; looks no further than needed."""
    found: dict[str, None] = {}
    for start in range(0, len(texts), CHUNK_ROWS):
        chunk = texts.iloc[start : start + CHUNK_ROWS]
        found |= dict.fromkeys(chunk[chunk.str.contains("[.,]")].unique().tolist())
        if len(found) >= most:
            break
    return [text.strip() for text in islice(found, most)]


_lone_mark = re.compile(r"\D{0,4}?(\d+)([.,])(\d+)(?:[eE][+-]?\d+)?(?:\s?[^\d.,]{0,8})")
_both_marks = re.compile(
    r"\D{0,4}?\d{1,3}([.,])\d{3}(?:\1\d{3})*(?!\1)([.,])\d+\D{0,8}"
)


def _decimal_evidence(text: str) -> str:
    if lone := _lone_mark.fullmatch(text):
        whole, mark, digits = lone.groups()
        if len(digits) == 3 and len(whole) <= 3 and whole.lstrip("0"):
            # Could be thousands: `1,234` only counts if nothing else speaks.
            return "?" if mark == "," else ""
        return mark
    both = _both_marks.fullmatch(text)
    return both[2] if both else ""
