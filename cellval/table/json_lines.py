"""JSON lines: one object a line, as text cells and back.

Columns are the keys in the order in which they first appear. A changed file differs
from the original in the changed values only.
"""

import codecs
import json
import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd

from cellval.errors import InputError
from cellval.limits import limits, refuse_beyond
from cellval.table.changes import Asked, Changes
from cellval.table.decoding import writable
from cellval.table.parsing import decimal_mark, frame_cells, refuse_wide
from cellval.text import listed

_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?")
_BLANKS = re.compile(r"[ \t\r]*")


@dataclass(frozen=True)
class JsonLinesFormat:
    """How a file of JSON lines was written."""

    decimal: str  # of numbers in texts
    delimiter: ClassVar[str] = ","
    noun: ClassVar[str] = "JSON lines"


class _Number(str):
    """A number as it is written."""


def holds_json_lines(raw: bytes) -> bool:
    """Is the first line an object, and not all of the file in one?"""
    head = raw[: 1 << 20].removeprefix(codecs.BOM_UTF8).lstrip()
    if not head.startswith(b"{"):
        return False
    first, _, rest = head.partition(b"\n")
    try:
        values = json.loads(first).values()
    except (ValueError, RecursionError, AttributeError):
        return False
    is_flat = not any(isinstance(value, list | dict) for value in values)
    return is_flat or rest.lstrip().startswith(b"{")


def json_cells(
    raw: bytes, name: str, max_columns: int | None = None, decimal: str = ""
) -> tuple[pd.DataFrame, JsonLinesFormat, list[str]]:
    """The cells of JSON lines as text, as `parsing.text_cells`."""
    notes: list[str] = []
    columns: dict[str, list[Any]] = {}
    n, most = 0, limits().rows
    for n, (number, line) in enumerate(_lines(_text(raw, name)), 1):
        if n > most:
            refuse_beyond(name, "rows", n, "take a sample of the rows")
        for key, value in _object(line, number, name).items():
            if key not in columns:
                columns[key] = []
                refuse_wide(name, len(columns), max_columns)
            column = columns[key]
            column += [None] * (n - 1 - len(column))
            column.append(value)
    refuse_beyond(name, "cells", n * len(columns), "take a sample of the rows")
    kept = _kept(columns, notes)
    texts = {k: [_cell(v) for v in columns[key]] for k, key in enumerate(kept)}
    frame = pd.DataFrame(
        {k: column + [""] * (n - len(column)) for k, column in texts.items()},
        dtype="str",
    )
    frame.columns = pd.Index([_cell(key) for key in kept], dtype="str")
    cells = frame_cells(frame, notes)
    return cells, JsonLinesFormat(decimal_mark(cells, ",", decimal)), notes


def _text(raw: bytes, name: str) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{name} looks like JSON lines, but byte {error.start + 1:,} is no UTF-8. "
            "Save it again as UTF-8."
        ) from None


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines that are not blank, each with its number; only \\n ends a line."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield number, line


def _object(line: str, number: int, name: str) -> dict[str, Any]:
    try:
        found = json.loads(
            line,
            parse_float=_Number,
            parse_int=_Number,
            parse_constant=lambda word: None,  # NaN and Infinity
        )
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise InputError(
            f"{name}: line {number:,} is no JSON object in one line. Write each row "
            'as {"column": value, …} in a line of its own.'
        )
    return found


def _kept(columns: dict[str, list[Any]], notes: list[str]) -> list[str]:
    """Keys of the columns that are read: not those of lists and objects."""
    nested = [
        key
        for key, values in columns.items()
        if any(isinstance(value, list | dict) for value in values)
    ]
    if nested:
        notes.append(
            f"Columns with lists or objects in them were left out: {listed(nested)}."
        )
    return [key for key in columns if key not in set(nested)]


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value)
    return text if text.isascii() else writable(text).decode()


# --- back -----------------------------------------------------------------------------


def rewritten_lines(
    raw: bytes, asked: Asked, drop: Collection[int] = (), name: str = "table"
) -> bytes:
    """The file with other texts in some cells and without some lines."""
    before, _, _ = json_cells(raw, name, 10**9)
    changes = Changes.of(before, asked, drop, name)
    mark = raw[: 3 * raw.startswith(codecs.BOM_UTF8)]
    text = _text(raw, name)
    columns: dict[str, list[Any]] = {}
    for number, line in _lines(text):
        for key, value in _object(line, number, name).items():
            columns.setdefault(key, []).append(value)
    kept = _kept(columns, [])
    kinds = {j: _kind(columns[kept[j]]) for j in changes.by_column}
    pieces, row = [], 0
    for line in text.split("\n"):
        row += bool(line.strip())
        if line.strip() and row in changes.gone:
            continue
        if line.strip() and row in changes.new:
            new = {
                kept[j]: _json(after, kinds[j]) for j, after in changes.new[row].items()
            }
            line = _changed(line, new)
        pieces.append(line)
    result = mark + "\n".join(pieces).encode("utf-8")
    changes.check(lambda: json_cells(result, name, 10**9)[0])
    return result


def _kind(values: list[Any]) -> type:
    """What most values of a column are: numbers, texts or truth values."""
    counts = Counter(type(value) for value in values if value is not None)
    return counts.most_common(1)[0][0] if counts else str


def _json(text: str, kind: type) -> str:
    """A text as a JSON value: null if blank, a number where the column holds those."""
    if not text:
        return "null"
    is_number = kind is _Number and _NUMBER.fullmatch(text)
    if is_number or (kind is bool and text in ("true", "false")):
        return text
    return json.dumps(text, ensure_ascii=False)


def _changed(line: str, new: dict[str, str]) -> str:
    """The line with other values of some keys; keys it lacks are added at its end."""
    pieces, copied, left = [], 0, dict(new)
    spans = list(_spans(line))
    for key, start, end in spans:
        if key in new:
            pieces += [line[copied:start], new[key]]
            copied = end
            left.pop(key, None)
    pieces.append(line[copied:])
    changed = "".join(pieces)
    if left:
        body, brace, tail = changed.rpartition("}")
        pairs = [f"{json.dumps(k, ensure_ascii=False)}: {v}" for k, v in left.items()]
        comma = ", " if spans else ""
        changed = f"{body.rstrip()}{comma}{', '.join(pairs)}{brace}{tail}"
    return changed


def _spans(line: str) -> Iterator[tuple[str, int, int]]:
    """Each key of an object with start and end of its value."""
    decoder = json.JSONDecoder()

    def skipped(at: int) -> int:
        found = _BLANKS.match(line, at)
        return found.end() if found else at

    at = skipped(skipped(0) + 1)
    while line[at] != "}":
        key, at = decoder.raw_decode(line, at)
        start = skipped(skipped(at) + 1)  # after the colon
        _, end = decoder.raw_decode(line, start)
        yield key, start, end
        at = skipped(end)
        at = skipped(at + 1) if line[at] == "," else at
