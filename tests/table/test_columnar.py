"""Parquet and Arrow files: read as text, and written back as they came."""

import datetime
import io
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from cases import file_fault
from pyarrow import parquet

from cellval.errors import InputError
from cellval.table.formats import file_cells, rewritten
from cellval.table.table import Table, read

N = 12
TYPES = {
    "whole": pa.array(range(N), pa.int16()),
    "gaps": pa.array([1, None] * 6, pa.uint8()),
    "real": pa.array([0.1, 2.0, None, float("nan"), 1e15, 1e-5, 1e300, -0.0] + [3] * 4),
    "half": pa.array(np.arange(N).astype("float16")),
    "single": pa.array([0.1] * N, pa.float32()),
    "text": pa.array(["a", "é,;", None, ""] * 3),
    "large": pa.array(["a b", "\n"] * 6, pa.large_string()),
    "coded": pa.array(["u", "v", None] * 4).dictionary_encode(),
    "truth": pa.array([True, False, None] * 4),
    "money": pa.array([Decimal("1.50")] * N, pa.decimal128(6, 2)),
    "day": pa.array([datetime.date(2020, 1, 31)] * N),
    "midnight": pa.array([datetime.datetime(2020, 1, 2)] * N, pa.timestamp("ns")),
    "second": pa.array([datetime.datetime(2020, 1, 2, 3, 4, 5)] * N),
    "part": pa.array([datetime.datetime(2020, 1, 2, 3, 4, 5, 250_000)] * N),
    "zoned": pa.array(
        [datetime.datetime(2020, 1, 2, 3)] * N, pa.timestamp("us", "Europe/Berlin")
    ),
    "clock": pa.array([datetime.time(1, 2, 3)] * N),
    "span": pa.array([datetime.timedelta(seconds=90)] * N),
    "nothing": pa.nulls(N),
    "list": pa.array([[1, 2]] * N),
    "bytes": pa.array([b"\xff"] * N),
    "y": pa.array(["p", "q"] * 6),
}
SCHEMA = pa.schema(
    [pa.field(name, column.type) for name, column in TYPES.items()],
    metadata={"made by": "a test"},
)
TABLE = pa.table(list(TYPES.values()), SCHEMA)


def parquet_bytes(table=TABLE, **how):
    sink = io.BytesIO()
    parquet.write_table(table, sink, **how)
    return sink.getvalue()


def arrow_bytes(table=TABLE, new=pa.ipc.new_file, compression=None):
    sink = io.BytesIO()
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with new(sink, table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=5)
    return sink.getvalue()


FILES = {
    "parquet": parquet_bytes(row_group_size=5),
    "arrow": arrow_bytes(),
    "lz4": arrow_bytes(compression="lz4"),
    "zstd": arrow_bytes(compression="zstd"),
    "stream": arrow_bytes(new=pa.ipc.new_stream, compression="zstd"),
}


def table_of(raw):
    if raw[:4] == b"PAR1":
        return parquet.read_table(io.BytesIO(raw))
    reader = pa.ipc.open_file if raw[:6] == b"ARROW1" else pa.ipc.open_stream
    return reader(raw).read_all()


def message_of(raw, *asked, **more):
    return file_fault(raw, "data", *asked, **more)


@pytest.mark.parametrize("kind", FILES)
def test_every_type_becomes_text_without_loss(kind):
    cells, written, notes = file_cells(FILES[kind], "data")
    assert written.noun == ("Parquet file" if kind == "parquet" else "Arrow file")
    assert list(cells.columns) == [
        n for n in SCHEMA.names if n not in ("list", "bytes")
    ]
    assert ["'list', 'bytes'" in note for note in notes] == [True]
    first = cells.iloc[0].to_dict()
    for name, text in {
        "whole": "0",
        "gaps": "1",
        "real": "0.1",
        "half": "0.0",
        "single": "0.1",
        "text": "a",
        "coded": "u",
        "truth": "True",
        "money": "1.50",
        "day": "2020-01-31",
        "midnight": "2020-01-02",
        "second": "2020-01-02 03:04:05",
        "part": "2020-01-02 03:04:05.250000",
        "zoned": "2020-01-02 04:00:00+01:00",
        "clock": "01:02:03",
        "span": "90.0",
        "nothing": "",
        "y": "p",
    }.items():
        assert first[name] == text, name
    assert cells["gaps"].tolist()[:2] == ["1", ""]
    assert cells["text"].tolist()[:4] == ["a", "é,;", "", ""]
    python = [0.1, 2.0, None, None, 1e15, 1e-5, 1e300, -0.0]
    texts = ["" if x is None else repr(x) for x in python]
    assert cells["real"].tolist()[:8] == texts


def test_a_file_gives_the_same_table_as_the_frame_that_it_was_written_from():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "number": rng.normal(size=40) * 10.0 ** rng.integers(-9, 19, 40),
            "whole": rng.integers(-5, 5, 40),
            "when": pd.date_range("2020-01-01", periods=40, freq="7h"),
            "who": pd.Categorical(rng.choice(["ann", "bob"], 40)),
            "note": rng.choice(["x", "é", None], 40),
            "y": rng.random(40) > 0.5,
        }
    )
    frame.loc[3, "number"] = np.nan
    expected = read(frame, label="y").fingerprint
    parquet_file, feather = io.BytesIO(), io.BytesIO()
    frame.to_parquet(parquet_file)
    frame.to_feather(feather)
    assert read(parquet_file.getvalue(), label="y").fingerprint == expected
    assert read(feather.getvalue(), label="y").fingerprint == expected
    assert read(pa.table(frame), label="y").fingerprint == expected


def test_frames_of_polars_and_arrow_are_tables():
    polars = pytest.importorskip("polars", reason="in the extra 'test'")
    columns = {"x": [1.5, None, 3.0], "who": ["a", "b", "a"], "y": ["p", "q", "p"]}
    frame = polars.DataFrame(columns)
    for source in (frame, pa.table(columns), pa.RecordBatch.from_pydict(columns)):
        for make in (read, Table.from_frame):
            table = make(source, label="y", kinds={"who": "category"})
            assert table.cells["x"].tolist() == ["1.5", "", "3.0"]
            assert table.columns[1].categories == ("a", "b")
    with pytest.raises(InputError, match="polars"):
        Table.from_frame(frame.lazy(), label="y")


def test_columns_of_text_are_not_copied():
    texts = pa.array(["some", "text"] * 1000, pa.large_string())
    source = pa.table({"x": texts, "y": texts})
    cells = Table.from_frame(source, label="y").cells
    there = cells["x"].array._pa_array.chunk(0).buffers()[2].address
    assert there == texts.buffers()[2].address
    frame = pd.DataFrame({"x": pd.array(texts, dtype="str"), "y": ["a", "b"] * 1000})
    cells = Table.from_frame(frame, label="y").cells
    there = cells["x"].array._pa_array.chunk(0).buffers()[2].address
    assert there == texts.buffers()[2].address


def test_an_index_of_pandas_without_a_name_is_no_column():
    frame = pd.DataFrame({"x": range(4), "y": list("abab")}, index=list("wxyz"))
    sink = io.BytesIO()
    frame.to_parquet(sink)
    raw = sink.getvalue()
    assert list(read(raw, label="y").cells.columns) == ["x", "y"]
    again = pd.read_parquet(io.BytesIO(rewritten(raw, {(2, "x"): "7"})))
    assert list(again.index) == list("wxyz") and again["x"].tolist() == [0, 7, 2, 3]


CHANGES = {
    "whole": ("42", 42),
    "gaps": ("", None),
    "real": ("1.250", 1.25),
    "half": ("0.5", 0.5),
    "single": ("0.123456789", np.float32(0.123456789).item()),
    "text": ("new", "new"),
    "large": ("", None),
    "coded": ("w", "w"),
    "truth": ("false", False),
    "money": ("2.5", Decimal("2.50")),
    "day": ("1999-12-31", datetime.date(1999, 12, 31)),
    "midnight": ("2021-05-05 06:07", pd.Timestamp("2021-05-05 06:07")),
    "second": ("", None),
    "clock": ("23:59", datetime.time(23, 59)),
    "span": ("7.5", datetime.timedelta(seconds=7.5)),
}


@pytest.mark.parametrize("kind", FILES)
def test_only_what_is_asked_for_changes(kind):
    raw = FILES[kind]
    assert rewritten(raw, {}) == raw
    asked = {(7, name): text for name, (text, _) in CHANGES.items()}
    new = table_of(rewritten(raw, asked, [2, 12]))
    old = table_of(raw)
    assert new.schema.equals(old.schema, check_metadata=True)
    assert new.schema.metadata[b"made by"] == b"a test"
    kept = [i for i in range(N) if i not in (1, 11)]
    for name in SCHEMA.names:
        expected = old.column(name).to_pylist()
        if name in CHANGES:
            expected[6] = CHANGES[name][1]
        expected = [expected[i] for i in kept]
        found = new.column(name).to_pylist()
        assert [*map(str, found)] == [*map(str, expected)], name


@pytest.mark.parametrize("compression", ["none", "snappy", "gzip", "zstd", "lz4"])
def test_parquet_keeps_how_it_was_written(compression):
    codecs = dict.fromkeys(SCHEMA.names, compression) | {"text": "zstd"}
    how = {"compression": codecs, "row_group_size": 5, "version": "2.4"}
    how["use_dictionary"] = ["text", "y"]
    table = TABLE.drop_columns(["list"])
    raw = parquet_bytes(table, **how, store_schema=False, write_statistics=False)
    old = parquet.read_metadata(io.BytesIO(raw))
    new = rewritten(raw, {(7, "whole"): "42"}, [1])
    about = parquet.read_metadata(io.BytesIO(new))
    assert about.format_version == old.format_version
    assert about.metadata == old.metadata
    assert about.num_row_groups == 3 and about.row_group(0).num_rows == 4
    assert about.row_group(1).num_rows == 5
    for k in range(about.num_columns):
        one, other = (x.row_group(1).column(k) for x in (old, about))
        assert one.compression == other.compression
        assert one.encodings == other.encodings and not other.is_stats_set


def test_arrow_keeps_compression_and_batches():
    sizes = {}
    for kind in ("arrow", "lz4", "zstd"):
        table = pa.table({"x": list(range(9000)), "y": ["some text", "b"] * 4500})
        raw = arrow_bytes(table, compression=None if kind == "arrow" else kind)
        new = rewritten(raw, {(7, "x"): "42"}, [1])
        sizes[kind] = len(new) / len(raw)
        batches = [pa.ipc.open_file(one).num_record_batches for one in (raw, new)]
        assert batches[0] == batches[1] == 1800
    assert all(0.95 < size < 1.05 for size in sizes.values())


@pytest.mark.parametrize(
    ("column", "text", "holds"),
    [
        ("whole", "4.5", "whole numbers"),
        ("whole", "1e9", "whole numbers"),
        ("whole", "1e9999999", "whole numbers"),
        ("money", "1e9999999", "numbers"),
        ("real", "12,5", "numbers"),
        ("real", "nan", "numbers"),
        ("truth", "perhaps", "True and False"),
        ("day", "2020-01-01 10:00", "dates"),
        ("second", "soon", "dates"),
        ("money", "1.555", "numbers"),
    ],
)
def test_a_text_that_does_not_fit_the_column_gets_a_sentence(column, text, holds):
    message = message_of(FILES["parquet"], {(3, column): text})
    assert f"data, row 3, '{column}': '{text}' does not fit" in message
    assert f"holds {holds}" in message and message.endswith("Choose other text.")


def test_a_column_that_may_not_be_blank_stays_filled():
    schema = pa.schema([pa.field("x", pa.int64(), nullable=False), ("y", pa.string())])
    raw = parquet_bytes(pa.table([[1, 2, 3], ["a", "b", "a"]], schema))
    assert "cannot be blank" in message_of(raw, {(1, "x"): ""})
    assert table_of(rewritten(raw, {(1, "x"): "7"})).schema.equals(schema)


@pytest.mark.parametrize("kind", FILES)
def test_a_file_that_is_cut_off_or_damaged_gets_a_sentence(kind):
    raw = FILES[kind]
    for end in (9, 40, len(raw) // 2, len(raw) - 5):
        if kind == "stream" and end == len(raw) - 5:
            continue  # the mark of the end may be missing
        assert "cut off or damaged" in message_of(raw[:end]), end
    draw = np.random.default_rng(0)
    for _ in range(30):
        spoilt = bytearray(raw)
        for place in draw.integers(8, len(raw), 20):
            spoilt[place] = draw.integers(256)
        try:
            file_cells(bytes(spoilt), "data")
        except InputError as error:
            assert str(error).endswith(".")


def test_empty_wide_and_long_files_get_a_sentence(monkeypatch):
    assert "0 rows" in message_of(parquet_bytes(TABLE.slice(0, 0)))
    only = pa.table({"list": TYPES["list"]})
    assert "no column of texts" in message_of(parquet_bytes(only))
    monkeypatch.setenv("CELLVAL_MAX_COLUMNS", "3")
    for raw in FILES.values():
        assert "21 columns; the limit is 3" in message_of(raw)
    monkeypatch.setenv("CELLVAL_MAX_COLUMNS", "30")
    monkeypatch.setenv("CELLVAL_MAX_ROWS", "10")
    for raw in FILES.values():
        assert "12 rows; the limit is 10" in message_of(raw)


def test_a_text_that_is_repeated_without_end_is_not_unfolded(monkeypatch):
    monkeypatch.setenv("CELLVAL_MAX_UNPACKED_MB", "50")
    bomb = pa.array(["x" * 100_000]).dictionary_encode()
    index = pa.array(np.zeros(100_000, np.int32))
    column = pa.DictionaryArray.from_arrays(index, bomb.dictionary)
    table = pa.table({"x": column, "y": column})
    raw = parquet_bytes(table, store_schema=False)
    assert len(raw) < 200_000
    for one in (raw, parquet_bytes(table), arrow_bytes(table.slice(0, 1000))):
        assert "the limit is 50 MB" in message_of(one)
    views = pa.array(["x" * 100_000], pa.string_view()).buffers()
    many = [None, pa.py_buffer(bytes(views[1])[:16] * 1000), *views[2:]]
    column = pa.Array.from_buffers(pa.string_view(), 1000, many)
    table = pa.table({"x": column, "y": pa.array(range(1000))})
    raw = arrow_bytes(table, pa.ipc.new_stream)
    assert "100 MB of text; the limit is 50" in message_of(raw)
    zeros = pa.table({"x": np.zeros(10_000_000), "y": np.zeros(10_000_000)})
    sink = io.BytesIO()
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_file(sink, zeros.schema, options=options) as writer:
        writer.write_table(zeros)
    assert len(sink.getvalue()) < 100_000
    assert "160 MB; the limit is 50" in message_of(sink.getvalue())


def test_other_files_of_the_kind_get_a_sentence_of_their_own():
    assert "encrypted" in message_of(b"PARE" + bytes(50))
    assert "version 1" in message_of(b"FEA1" + bytes(50))
    nul = pa.table({"x": ["a\0b", "c"], "y": ["a", "b"]})
    assert "NUL character in row 1" in message_of(parquet_bytes(nul))
    long = pa.table({"x": ["a" * 200_000, "c"], "y": ["a", "b"]})
    assert "200,000 characters" in message_of(parquet_bytes(long))
    bad = pa.table({"x": pa.array([b"\xff", b"a"]).view(pa.string()), "y": ["a", "b"]})
    assert "no text (UTF-8)" in message_of(parquet_bytes(bad))
