"""Parquet, Feather and Arrow: columns with types of their own, as text and back."""

import datetime
import io
import re
import struct
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from cellval.errors import InputError
from cellval.limits import how_to_raise, limits, refuse_beyond, refuse_shape
from cellval.table.changes import Asked, Changes
from cellval.table.parsing import (
    decimal_mark,
    frame_texts,
    refuse_wide,
    unique_names,
)
from cellval.table.unpacking import damaged
from cellval.text import listed, shortened

PARQUET, ARROW = b"PAR1", b"ARROW1"
ENCRYPTED, OLD_FEATHER, STREAM = b"PARE", b"FEA1", b"\xff\xff\xff\xff"
STARTS = (PARQUET, ENCRYPTED, ARROW, OLD_FEATHER, STREAM)
MOST_DIGITS = 40  # of whole numbers: more than any column holds
_INDEX = re.compile(r"__index_level_\d+__")  # what pandas calls an index without name


@dataclass(frozen=True)
class ColumnarFormat:
    """How a Parquet or Arrow file was written."""

    kind: str  # "Parquet" or "Arrow"
    decimal: str  # of numbers in columns of text
    delimiter: ClassVar[str] = ","

    @property
    def noun(self) -> str:
        return f"{self.kind} file"


# --- to text --------------------------------------------------------------------------


def is_arrow(source: Any) -> bool:
    """Is it a frame of Arrow, polars or another library that speaks Arrow?"""
    return hasattr(source, "__arrow_c_stream__")


def arrow_cells(table: pa.Table, name: str, notes: list[str]) -> pd.DataFrame:
    """The cells of an Arrow table as they would stand in a CSV file.

    Columns of text are taken as they are, without a copy.
    """
    kept = _read_columns(table.schema, notes)
    names = unique_names([table.field(k).name for k in kept], notes)
    found = {}
    for column, k in zip(names, kept, strict=True):
        texts = _texts(table.column(k), f"'{shortened(column)}' of {name}")
        if _is_text(table.field(k).type):
            _check_texts(texts, column, name)
        found[column] = pd.array(texts, dtype="str")
    return pd.DataFrame(found, index=range(table.num_rows), copy=False)


def _read_columns(schema: pa.Schema, notes: list[str]) -> list[int]:
    """Indices of the columns that are read: not those of lists, structs or bytes."""
    kept: list[int] = []
    left: list[int] = []
    for k, field in enumerate(schema):
        if _INDEX.fullmatch(field.name):
            continue  # of no meaning outside of pandas
        (kept if _is_flat(field.type) else left).append(k)
    if left:
        names = [schema.field(k).name for k in left]
        each = _some_types({str(schema.field(k).type) for k in left})
        notes.append(
            f"Columns without texts, numbers or dates were left out: {listed(names)} "
            f"({each})."
        )
    return kept


def _some_types(types: Collection[str]) -> str:
    return ", ".join(shortened(one) for one in sorted(types)[:3])


def _is_flat(kind: pa.DataType) -> bool:
    kind = _plain(kind)
    return (
        str(kind) in ("string", "large_string", "string_view")
        or pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_decimal(kind)
        or pa.types.is_boolean(kind)
        or pa.types.is_null(kind)
        or (pa.types.is_temporal(kind) and "interval" not in str(kind))
    )


def _texts(column: pa.ChunkedArray, where: str) -> pa.ChunkedArray:
    """A column as text; what is null or not a number is blank."""
    kind = column.type
    if isinstance(kind, pa.BaseExtensionType):
        return _texts(column.cast(kind.storage_type), where)
    if pa.types.is_dictionary(kind):
        return _of_dictionary(column, where)
    if pa.types.is_boolean(kind):
        texts = pc.if_else(column, "True", "False")
    elif pa.types.is_floating(kind):
        texts = _of_floats(column)
    elif pa.types.is_temporal(kind):
        texts = _of_times(column)
    elif pa.types.is_null(kind):
        texts = pa.chunked_array([pa.nulls(len(column), pa.large_string())])
    else:
        if str(kind) == "string_view":  # many may be views of one text
            _refuse_text(sum(map(_n_viewed, column.chunks)), where)
        texts = column
    texts = texts.cast(pa.large_string())
    return texts.fill_null("") if texts.null_count else texts


def _of_dictionary(column: pa.ChunkedArray, where: str) -> pa.ChunkedArray:
    """Each text once and where it stands; how much that is, is known before."""
    pieces, size = [], 0
    for chunk in column.chunks:
        values = _texts(pa.chunked_array([chunk.dictionary]), where).combine_chunks()
        lengths = pc.binary_length(values)
        size += pc.sum(pc.take(lengths, chunk.indices)).as_py() or 0
        _refuse_text(size, where)
        pieces.append(pc.take(values, chunk.indices))
    texts = pa.chunked_array(pieces, pa.large_string())
    return texts.fill_null("") if texts.null_count else texts


def _n_viewed(chunk: pa.Array) -> int:
    """Bytes of its texts, from the length at the start of each view of 16 bytes."""
    views = np.frombuffer(chunk.buffers()[1] or b"", np.uint32).reshape(-1, 4)
    lengths = views[chunk.offset : chunk.offset + len(chunk), 0].astype(np.int64)
    return int(lengths[chunk.is_valid().to_numpy(zero_copy_only=False)].sum())


def _refuse_text(size: int, where: str) -> None:
    if size > limits().unpacked_bytes:
        raise InputError(
            f"{where} has at least {size / 1e6:,.0f} MB of text; the limit is "
            f"{limits().unpacked_mb:,.0f} MB. {how_to_raise('unpacked_mb')}, if "
            "you trust the file, or take a sample of the rows."
        )


def _of_floats(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """As Python writes them: the shortest text that is read as the same number."""
    if pa.types.is_float16(column.type):
        column = column.cast(pa.float32())
    column = pc.if_else(pc.is_nan(column), None, column)
    texts, size = column.cast(pa.large_string()), pc.abs(column)
    whole = pc.and_(pc.equal(pc.floor(size), size), pc.less(size, 1e10))
    if pc.any(whole).as_py():
        end, no = (pa.scalar(text, pa.large_string()) for text in (".0", ""))
        texts = pc.if_else(whole, pc.binary_join_element_wise(texts, end, no), texts)
    # Python and Arrow begin to write exponents at different numbers.
    tiny = pc.and_(pc.greater(size, 0), pc.less(size, 1e-4))
    large = pc.and_(pc.greater_equal(size, 1e10), pc.less(size, 1e16))
    other = pc.or_(tiny, large).fill_null(False)
    if pa.types.is_float64(column.type) and pc.any(other).as_py():
        new = [repr(number) for number in column.filter(other).to_pylist()]
        mask = other.combine_chunks()
        values = pa.array(new, pa.large_string())
        texts = pc.replace_with_mask(texts.combine_chunks(), mask, values)
        texts = pa.chunked_array([texts])
    return texts


def _of_times(column: pa.ChunkedArray) -> pa.ChunkedArray:
    kind = column.type
    if pa.types.is_date(kind):
        return column.cast(pa.date32()).cast(pa.large_string())
    if pa.types.is_timestamp(kind) and kind.tz is None:
        for plain in (pa.date32(), pa.timestamp("s")):
            # without a time of day, or without a part of a second
            if (cut := column.cast(plain, safe=False)).cast(kind).equals(column):
                return cut.cast(pa.large_string())
    series = column.to_pandas(timestamp_as_object=pa.types.is_time(kind))
    return pa.chunked_array([pa.array(frame_texts(series), pa.large_string())])


def _check_texts(texts: pa.ChunkedArray, column: str, name: str) -> None:
    """Refuse what no file of text could hold."""
    try:
        texts.validate(full=True)
    except pa.ArrowInvalid:
        raise InputError(
            f"'{shortened(column)}' of {name} holds bytes that are no text (UTF-8); "
            "the file may be damaged. Write the column again as text."
        ) from None
    nul = pc.match_substring(texts, "\0")
    if pc.any(nul).as_py():
        row = pc.index(nul, True).as_py() + 1
        raise InputError(
            f"'{shortened(column)}' of {name} holds a NUL character in row {row:,}, "
            "which no text contains. Remove it."
        )
    longest = pc.max(pc.utf8_length(texts)).as_py() or 0
    what = f"A cell of '{shortened(column)}'"
    refuse_beyond(what, "cell_length", longest, "shorten it")


# --- files ----------------------------------------------------------------------------


def columnar_cells(
    raw: bytes, name: str, max_columns: int | None = None, decimal: str = ""
) -> tuple[pd.DataFrame, ColumnarFormat, list[str]]:
    """The cells of a Parquet or Arrow file as text, as `parsing.text_cells`."""
    notes: list[str] = []
    kind = "Parquet" if raw.startswith((PARQUET, ENCRYPTED)) else "Arrow"
    with _readable(raw, name, kind):
        if kind == "Parquet":
            table = _parquet_table(raw, name, max_columns, notes)
        else:
            table = pa.Table.from_batches(*_batches(raw, name)[:2])
            table.validate(full=True)  # a wrong offset would end the process
        if not table.num_rows:
            raise InputError(f"{name} is empty: it has 0 rows.")
        refuse_wide(name, table.num_columns, max_columns)
        refuse_shape(name, table.num_rows, 1)
    cells = arrow_cells(table, name, notes)
    if not cells.shape[1]:
        raise InputError(
            f"{name} has no column of texts, numbers or dates. {' '.join(notes)}"
        )
    kinds = [table.field(k).type for k in _read_columns(table.schema, [])]
    mark = "."  # of columns of numbers, whatever stands in those of text
    if not any(pa.types.is_floating(k) or pa.types.is_decimal(k) for k in kinds):
        are_text = [_is_text(one) for one in kinds]
        mark = decimal_mark(cells.loc[:, are_text], ",", decimal)
    return cells, ColumnarFormat(kind, mark), notes


@contextmanager
def _readable(raw: bytes, name: str, kind: str) -> Iterator[None]:
    """Whatever a library says of a damaged file becomes one sentence."""
    encrypted = InputError(
        f"{name} is an encrypted Parquet file. Decrypt it with the program that wrote "
        "it."
    )
    if raw.startswith(ENCRYPTED):
        raise encrypted
    if raw.startswith(OLD_FEATHER):
        raise InputError(
            f"{name} is a Feather file of version 1, which is no longer read. Write it "
            "again, such as with pandas: df.to_feather(…)."
        )
    try:
        yield
    except InputError:
        raise
    except (
        *(pa.ArrowException, OSError, ValueError, LookupError, struct.error),
        MemoryError,  # a damaged file may ask for any number of bytes
    ) as error:
        if "encrypt" in str(error).lower():
            raise encrypted from error
        raise damaged(name, f"a{'n' * (kind == 'Arrow')} {kind} file") from error


def _parquet_table(
    raw: bytes, name: str, max_columns: int | None, notes: list[str]
) -> pa.Table:
    """The columns that are read; rows and sizes are checked before they are."""
    from pyarrow import parquet

    about = parquet.read_metadata(pa.BufferReader(raw))
    schema = about.schema.to_arrow_schema()
    refuse_wide(name, len(schema), max_columns)
    kept = _read_columns(schema, notes)
    refuse_beyond(name, "rows", about.num_rows, "take a sample of the rows")
    n_cells = about.num_rows * len(kept)
    refuse_beyond(name, "cells", n_cells, "take a sample of the rows")
    groups = range(about.num_row_groups)
    size = sum(about.row_group(g).total_byte_size for g in groups) / 1e6
    refuse_beyond(name, "unpacked_mb", size, "take a sample of the rows")
    # Each text once: a small file can repeat a long one millions of times.
    texts = [
        schema.field(k).name
        for k in kept
        if pa.types.is_string(schema.field(k).type)
        or pa.types.is_large_string(schema.field(k).type)
    ]
    file = parquet.ParquetFile(pa.BufferReader(raw), read_dictionary=texts)
    if len(kept) == len(schema):
        return file.read()
    return file.read([schema.field(k).name for k in kept])


def _batches(
    raw: bytes, name: str
) -> tuple[list[pa.RecordBatch], pa.Schema, str | None]:
    """The batches of an Arrow file or stream, their schema and their compression."""
    start = 8 if raw.startswith(ARROW) else 0
    size, compression = _unpacked_size(pa.py_buffer(raw).slice(start))
    refuse_beyond(name, "unpacked_mb", size / 1e6, "take a sample of the rows")
    buffer = pa.BufferReader(raw)
    if start:
        reader = pa.ipc.open_file(buffer)
        n = reader.num_record_batches
        return [reader.get_batch(i) for i in range(n)], reader.schema, compression
    stream = pa.ipc.open_stream(buffer)
    return list(stream), stream.schema, compression


def _unpacked_size(stream: pa.Buffer) -> tuple[int, str | None]:
    """Bytes of all batches when they are unpacked, and how they are compressed."""
    size, compression = 0, None
    for message in pa.ipc.MessageReader.open_stream(pa.BufferReader(stream)):
        if message.type == "schema" or message.body is None:
            continue
        codec, buffers = _body(message)
        body = memoryview(message.body)
        for offset, length in buffers:
            if length < 0 or offset < 0:
                raise ValueError("this is no message of Arrow")
            plain = length
            if codec and length >= 8:
                (said,) = struct.unpack_from("<q", body, offset)
                plain = said if said >= 0 else length  # -1: it is not compressed
            size += plain
        compression = codec or compression
    return size, compression


def _body(message: Any) -> tuple[str | None, list[tuple[int, int]]]:
    """Codec, and offset and length of each buffer of a batch.

    Read from its flatbuffer (RecordBatch of Arrow's Message.fbs): Arrow tells neither.
    """
    data = message.metadata.to_pybytes()

    def field(table: int, k: int) -> int:
        """Place of a table's k-th field; 0 where it is left out."""
        fields = table - struct.unpack_from("<i", data, table)[0]
        (n,) = struct.unpack_from("<H", data, fields)
        if 4 + 2 * k >= n:
            return 0
        (place,) = struct.unpack_from("<H", data, fields + 4 + 2 * k)
        return table + place if place else 0

    def target(place: int) -> int:
        return place + int(struct.unpack_from("<I", data, place)[0])

    try:
        batch = target(field(target(0), 2))
        if message.type == "dictionary":
            batch = target(field(batch, 1))
        place, codec = field(batch, 3), None
        if place:
            kind = field(target(place), 0)
            codec = "zstd" if kind and data[kind] == 1 else "lz4"
        if not field(batch, 2):
            return codec, []
        first = target(field(batch, 2))
        (n,) = struct.unpack_from("<I", data, first)
        return codec, [
            struct.unpack_from("<qq", data, first + 4 + 16 * k) for k in range(n)
        ]
    except struct.error as error:
        raise ValueError("this is no message of Arrow") from error


# --- back -----------------------------------------------------------------------------


def rewritten_columns(
    raw: bytes, asked: Asked, drop: Collection[int] = (), name: str = "table"
) -> bytes:
    """The file with other contents of some cells and without some rows.

    Schema, metadata, compression, row groups or batches stay as they are.
    """
    before, written, _ = columnar_cells(raw, name, 10**9)
    changes = Changes.of(before, asked, drop, name)
    if not changes:
        return raw
    rewrite = _parquet if written.kind == "Parquet" else _arrow
    try:
        result, schema = rewrite(raw, changes)
    except pa.ArrowException as error:
        raise changes.misread(str(error).removesuffix(".")) from error
    kept = _read_columns(schema, [])

    def same(j: int, one: str, other: str) -> bool:
        field = pa.field("", _plain(schema.field(kept[j]).type))
        if _is_text(field.type):
            return False
        try:
            return bool(_value(one, field, "").equals(_value(other, field, "")))
        except InputError:
            return False

    changes.check(lambda: columnar_cells(result, name, 10**9)[0], same)
    return result


def _parquet(raw: bytes, changes: Changes) -> tuple[bytes, pa.Schema]:
    from pyarrow import parquet

    file = parquet.ParquetFile(pa.BufferReader(raw))
    schema, about = file.schema_arrow, file.metadata
    sink = io.BytesIO()
    with parquet.ParquetWriter(sink, schema, **_as_before(about)) as writer:
        for table in _changed(
            (file.read_row_group(g) for g in range(about.num_row_groups)), changes
        ):
            if table.num_rows:
                writer.write_table(table, row_group_size=table.num_rows)
    return sink.getvalue(), schema


def _as_before(about: Any) -> dict[str, Any]:
    """How a Parquet file was written, as far as it tells."""
    if not about.num_row_groups:
        return {}
    group = about.row_group(0)
    columns = [group.column(k) for k in range(group.num_columns)]
    by_path = {column.path_in_schema: column for column in columns}
    in_dictionary = [
        path
        for path, column in by_path.items()
        if any("DICTIONARY" in encoding for encoding in column.encodings)
    ]
    keys = about.metadata or {}
    return {
        "compression": {p: _codec(c.compression) for p, c in by_path.items()},
        "use_dictionary": in_dictionary or False,
        "write_statistics": any(column.is_stats_set for column in columns),
        "version": about.format_version,
        "use_deprecated_int96_timestamps": any(
            column.physical_type == "INT96" for column in columns
        ),
        "use_compliant_nested_type": not any(
            path.endswith(".list.item") for path in by_path
        ),
        "store_schema": b"ARROW:schema" in keys,
    }


def _codec(name: str) -> str:
    return "NONE" if name == "UNCOMPRESSED" else name


def _arrow(raw: bytes, changes: Changes) -> tuple[bytes, pa.Schema]:
    batches, schema, compression = _batches(raw, changes.name)
    sink = io.BytesIO()
    options = pa.ipc.IpcWriteOptions(compression=compression)
    is_file = raw.startswith(ARROW)
    new = pa.ipc.new_file if is_file else pa.ipc.new_stream
    tables = (pa.Table.from_batches([batch], schema) for batch in batches)
    with new(sink, schema, options=options) as writer:
        parts = [part.combine_chunks() for part in _changed(tables, changes)]
        # A file has one dictionary for all batches.
        writer.write_table(pa.concat_tables(parts).unify_dictionaries())
    return sink.getvalue(), schema


def _changed(tables: Iterator[pa.Table], changes: Changes) -> Iterator[pa.Table]:
    """The parts of a table one after the other, with what is asked for."""
    first, by_column, kept = 1, changes.by_column, None
    for table in tables:
        kept = _read_columns(table.schema, []) if kept is None else kept
        rows = range(first, first + table.num_rows)
        for j, texts in by_column.items():
            here = {row - first: text for row, text in texts.items() if row in rows}
            if here:
                k, field = kept[j], table.schema.field(kept[j])
                at = {i: changes.place(first + i, j) for i in here}
                new = _with(table.column(k), field, here, at)
                table = table.set_column(k, field, new)
        if any(row in rows for row in changes.gone):
            table = table.filter(pa.array([row not in changes.gone for row in rows]))
        first = rows.stop
        yield table


def _with(
    column: pa.ChunkedArray, field: pa.Field, texts: dict[int, str], at: dict[int, str]
) -> pa.Array:
    """A column with other contents at some positions."""
    kind = field.type
    if isinstance(kind, pa.BaseExtensionType):
        plain = field.with_type(kind.storage_type)
        array = _with(column.cast(kind.storage_type), plain, texts, at)
        return pa.ExtensionArray.from_storage(kind, array)
    if pa.types.is_dictionary(kind):
        plain = field.with_type(kind.value_type)
        array = _with(column.cast(kind.value_type), plain, texts, at)
        chunks = [chunk.dictionary for chunk in column.chunks]
        known = pc.unique(pa.chunked_array([*chunks, array.drop_null()]))
        index = pc.index_in(array, value_set=known).cast(kind.index_type)
        return pa.DictionaryArray.from_arrays(index, known, ordered=kind.ordered)
    new = [_value(text, field, at[i]) for i, text in texts.items()]
    array = pa.concat_arrays([*column.chunks, *new])
    places = np.arange(len(column))
    places[list(texts)] = np.arange(len(column), len(array))
    return array.take(pa.array(places))


def _value(text: str, field: pa.Field, place: str) -> Any:
    """An array of one, of the type that the column of the file has."""
    kind = field.type
    if not text.strip() and not (_is_text(kind) and text):
        if not field.nullable:
            raise InputError(
                f"{place}: the file says that this column has no missing cells, so it "
                "cannot be blank. Choose a text."
            )
        return pa.nulls(1, kind)
    try:
        array = pa.array([_read_as(kind)(text)])
        return array.cast(kind) if array.type != kind else array
    except (ValueError, LookupError, ArithmeticError, pa.ArrowException):
        raise InputError(
            f"{place}: '{shortened(text)}' does not fit into the column, which holds "
            f"{_content(kind)} only ({kind}). Choose other text."
        ) from None


def _plain(kind: pa.DataType) -> pa.DataType:
    """The type of the values of a dictionary, or of what an extension stores."""
    if isinstance(kind, pa.BaseExtensionType):
        return _plain(kind.storage_type)
    return _plain(kind.value_type) if pa.types.is_dictionary(kind) else kind


def _is_text(kind: pa.DataType) -> bool:
    return "string" in str(_plain(kind))


def _content(kind: pa.DataType) -> str:
    if pa.types.is_integer(kind):
        return "whole numbers"
    if pa.types.is_boolean(kind):
        return "True and False"
    return "dates and times" if pa.types.is_temporal(kind) else "numbers"


def _read_as(kind: pa.DataType) -> Callable[[str], Any]:
    if _is_text(kind):
        return str
    if pa.types.is_boolean(kind):
        return lambda text: {"true": True, "false": False}[text.strip().lower()]
    if pa.types.is_integer(kind):
        return _whole
    if pa.types.is_floating(kind):
        return _float
    if pa.types.is_decimal(kind):
        return lambda text: Decimal(text.strip())
    if pa.types.is_duration(kind):
        return lambda text: pd.Timedelta(seconds=_float(text))
    if pa.types.is_time(kind):
        return lambda text: datetime.time.fromisoformat(text.strip())
    if pa.types.is_date(kind):
        return _day
    if pa.types.is_temporal(kind):
        return lambda text: _moment(text, kind.tz)
    raise ValueError(f"{kind} holds nothing")


def _whole(text: str) -> int:
    number = Decimal(text.strip().replace("_", "?"))
    if number.adjusted() > MOST_DIGITS or number != int(number):
        raise ValueError(text)
    return int(number)


def _float(text: str) -> float:
    number = float(text.replace("_", "?"))
    if not np.isfinite(number):
        raise ValueError(text)
    return number


def _day(text: str) -> datetime.date:
    moment = _moment(text, None)
    if moment != moment.normalize():
        raise ValueError(text)
    return moment.date()


def _moment(text: str, zone: str | None) -> pd.Timestamp:
    moment = pd.Timestamp(text.strip())
    if zone and moment.tz is None:
        return moment.tz_localize(zone)
    if not zone and moment.tz is not None:
        raise ValueError(text)
    return moment
