"""Compressed tables: read, bounded, and packed again as they came."""

import gzip
import io
import zipfile
from contextlib import suppress

import pyarrow as pa
import pytest

from cellval.errors import InputError
from cellval.table.formats import rewritten
from cellval.table.table import read

CSV = "name;weight;sex\r\nJosé;12,5;M\r\nZoë;3,25;F\r\nÅsa;7;M\r\n".encode("cp1252")
CHANGED = CSV.replace(b"3,25", b"3,5")


def zipped(files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, raw in files.items():
            member = zipfile.ZipInfo(name, (2020, 1, 2, 3, 4, 6))
            archive.writestr(member, raw, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def zstd(raw):
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as file:
        file.write(raw)
    return sink.getvalue().to_pybytes()


def unzstd(raw):
    return pa.CompressedInputStream(pa.BufferReader(raw), "zstd").read()


def unzipped(raw):
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist()}


def message_of(raw, name="data.csv.gz"):
    source = io.BytesIO(raw)
    source.name = name
    with pytest.raises(InputError) as caught:
        read(source)
    return str(caught.value)


@pytest.mark.parametrize(
    ("raw", "inside"),
    [
        (gzip.compress(CSV, mtime=7), gzip.decompress),
        (gzip.compress(CSV[:30]) + gzip.compress(CSV[30:]), gzip.decompress),
        (zstd(CSV), unzstd),
        (zipped({"a/data.csv": CSV}), lambda raw: unzipped(raw)["a/data.csv"]),
        (
            zipped({"a/": b"", "a/d.csv": CSV, "__MACOSX/a/._d.csv": b"\0\5\x16\7"}),
            lambda raw: unzipped(raw)["a/d.csv"],
        ),
    ],
    ids=["gzip", "gzip of two parts", "zstd", "zip", "zip by a Mac"],
)
def test_what_is_inside_is_read_and_comes_back_packed_alike(raw, inside):
    table = read(raw, label="sex")
    assert table.cells["name"].tolist() == ["José", "Zoë", "Åsa"]
    assert table.format.decimal == ","
    assert rewritten(raw, {}) == raw
    new = rewritten(raw, {(2, "weight"): "3,5"})
    assert new[:4] == raw[:4] and inside(new) == CHANGED


def test_a_gzip_file_keeps_the_name_and_the_time_in_it():
    buffer = io.BytesIO()
    with gzip.GzipFile("data.csv", "wb", fileobj=buffer, mtime=12345) as file:
        file.write(CSV)
    new = rewritten(buffer.getvalue(), {(2, "weight"): "3,5"})
    assert new[:19] == buffer.getvalue()[:19] and b"data.csv\0" in new[:19]


def test_an_archive_keeps_all_but_the_table():
    raw = zipped({"__MACOSX/._d.csv": b"\0\5\x16\7", "d.csv": CSV})
    new = rewritten(raw, {(2, "weight"): "3,5"})
    assert unzipped(new) == unzipped(raw) | {"d.csv": CHANGED}
    with zipfile.ZipFile(io.BytesIO(new)) as archive:
        assert {one.date_time[0] for one in archive.infolist()} == {2020}


def test_several_files_are_named_and_none_too():
    message = message_of(zipped({"a.csv": CSV, "b.csv": CSV}), "both.zip")
    assert "both.zip" in message and "'a.csv', 'b.csv'" in message
    assert "Unpack it" in message
    assert "0 files" in message_of(zipped({"a/": b""}))
    document = zipped({"[Content_Types].xml": b"<x/>", "word/document.xml": b"<x/>"})
    assert "a document of Office, not a table" in message_of(document, "letter.docx")


def test_no_more_is_unpacked_than_the_limit(monkeypatch):
    monkeypatch.setenv("CELLVAL_MAX_UNPACKED_MB", "1")
    bomb = b"x,y\n" + b"1,a\n" * 1_000_000
    for raw in (gzip.compress(bomb), zstd(bomb), zipped({"bomb.csv": bomb})):
        assert len(raw) < 100_000
        message = message_of(raw, "bomb")
        assert "the limit is 1 MB" in message and "CELLVAL_MAX_UNPACKED_MB" in message


def test_an_archive_that_lies_about_its_size_is_not_unpacked_beyond_it():
    bomb = bytearray(zipped({"d.csv": b"x,y\n" + b"1,a\n" * 100_000}))
    true = (400_004).to_bytes(4, "little")
    assert bomb.count(true) == 2
    lie = bytes(bomb.replace(true, (40).to_bytes(4, "little")))
    assert "damaged" in message_of(lie)


@pytest.mark.parametrize("pack", [gzip.compress, zstd, lambda raw: zipped({"d": raw})])
def test_a_file_that_is_cut_off_gets_a_sentence(pack):
    raw = pack(CSV * 50)
    for end in (20, len(raw) // 2, len(raw) - 9):
        assert "cut off or damaged" in message_of(raw[:end])


def test_an_archive_with_a_password_gets_a_sentence():
    raw = bytearray(zipped({"d.csv": CSV}))
    for mark, place in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        raw[raw.index(mark) + place] |= 1
    assert "password" in message_of(bytes(raw))


def test_what_is_packed_twice_is_said_to_be():
    assert "a gzip archive. Unpack it" in message_of(gzip.compress(gzip.compress(CSV)))


@pytest.mark.parametrize("how", ["DEFLATED", "LZMA", "BZIP2"])
def test_an_archive_with_any_other_byte_gives_a_sentence_or_a_table(how):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", getattr(zipfile, f"ZIP_{how}")) as archive:
        archive.writestr("d.csv", CSV)
    good = buffer.getvalue()
    for place, was in enumerate(good):
        for other in (0, 255, was ^ 1, was ^ 128):
            raw = bytearray(good)
            raw[place] = other
            with suppress(InputError):
                read(bytes(raw), label="sex")
