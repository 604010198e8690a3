"""Bytes to text: encodings, sources, sizes, and files that are no CSV."""

import io
import os
import random
import socket

import pandas as pd
import pytest

from cellval.errors import InputError
from cellval.table.table import read

GOOD = "name,weight,sex\nJosé,12.5,M\nZoë,3.25,F\nÅsa,7,M\n"


def message_of(source, **options):
    with pytest.raises(InputError) as caught:
        read(source, **options)
    return str(caught.value)


# Encoding


@pytest.mark.parametrize(
    ("encoding", "found"),
    [
        ("utf-8", "utf-8"),
        ("utf-8-sig", "utf-8-sig"),
        ("utf-16", "utf-16"),
        ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "utf-16-be"),
        ("utf-32", "utf-32"),
        ("latin-1", "latin-1"),
    ],
)
def test_encoding_is_found(encoding, found):
    table = read(GOOD.encode(encoding), label="sex")
    assert table.format.encoding == found
    assert table.cells["name"].tolist() == ["José", "Zoë", "Åsa"]
    assert list(table.cells.columns) == ["name", "weight", "sex"]


def test_big_endian_utf16_with_a_mark_is_found():
    raw = b"\xfe\xff" + GOOD.encode("utf-16-be")
    assert read(raw, label="sex").cells["name"][0] == "José"


def test_windows_1252_is_named_as_such_and_said():
    table = read("x,price,y\n1,5 €,a\n2,7 €,b\n3,8 €,a\n".encode("cp1252"), label="y")
    assert table.format.encoding == "cp1252"
    assert table.cells["price"][0] == "5 €"
    assert any("Windows-1252" in note and "UTF-8" in note for note in table.notes)


def test_cut_off_utf16_gets_a_sentence():
    message = message_of(GOOD.encode("utf-16")[:-1], label="sex")
    assert "UTF-16" in message and "cut off" in message


# Sources


@pytest.mark.parametrize("kind", ["str", "path", "bytes", "binary", "text", "open"])
def test_every_source_gives_the_same_table(tmp_path, kind):
    path = tmp_path / "good.csv"
    path.write_text(GOOD, encoding="utf-8")
    sources = {
        "str": lambda: str(path),
        "path": lambda: path,
        "bytes": lambda: GOOD.encode(),
        "binary": lambda: io.BytesIO(GOOD.encode()),
        "text": lambda: io.StringIO(GOOD),
        "open": lambda: path.open("rb"),
    }
    source = sources[kind]()
    table = read(source, label="sex")
    if kind == "open":
        source.close()
    assert table.cells["name"].tolist() == ["José", "Zoë", "Åsa"]
    assert table.name == ("good.csv" if kind in ("str", "path", "open") else "table")


def test_an_uploaded_file_can_be_read_twice():
    class Uploaded(io.BytesIO):
        name = "upload.csv"

    upload = Uploaded(GOOD.encode())
    assert read(upload, label="sex").name == "upload.csv"
    assert read(upload, label="sex").n_rows == 3


def test_missing_file_folder_and_forbidden_file_get_a_sentence(tmp_path, monkeypatch):
    message = message_of(tmp_path / "nowhere.csv")
    assert "nowhere.csv" in message and "no such file" in message
    assert "folder" in message_of(tmp_path)

    path = tmp_path / "secret.csv"
    path.write_text(GOOD)

    def refuse(*args, **kwargs):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)
    message = message_of(path)
    assert "secret.csv" in message and "permission" in message


def test_csv_text_in_place_of_a_path_is_explained():
    assert "io.StringIO" in message_of(GOOD)


def test_a_path_no_system_accepts_gets_a_sentence():
    assert "cannot be read" in message_of("x" * 5000)
    assert "cannot be read" in message_of("a\0b")


def test_a_dataframe_is_read_and_other_objects_are_explained():
    frame = pd.DataFrame({"x": [1, 2, 4], "y": ["a", "b", "a"]})
    table = read(frame, label="y", kinds={"x": "category"})
    assert table.features[0].categories == ("1", "2", "4")
    assert "not list; for a DataFrame use Table.from_frame" in message_of([1, 2])


def test_text_opened_in_the_wrong_encoding_is_explained(tmp_path):
    path = tmp_path / "latin.csv"
    path.write_bytes(GOOD.encode("latin-1"))
    with path.open(encoding="utf-8") as file:
        message = message_of(file)
    assert "latin.csv" in message and "binary" in message


# Size


def test_a_large_file_is_refused_before_reading_and_the_limit_is_stated(
    tmp_path, monkeypatch
):
    path = tmp_path / "big.csv"
    with path.open("wb") as file:
        file.write(GOOD.encode())
        file.truncate(1_000_000_000)
    monkeypatch.setattr("builtins.open", lambda *a, **k: pytest.fail("was opened"))
    message = message_of(path)
    for part in ("big.csv", "1,000.0 MB", "500.0 MB", "CELLVAL_MAX_MB"):
        assert part in message


@pytest.mark.parametrize("wrap", [bytes, io.BytesIO, lambda b: io.StringIO(b.decode())])
def test_the_limit_holds_for_bytes_and_buffers(wrap):
    assert "the limit is 0.0 MB" in message_of(wrap(GOOD.encode()), max_bytes=20)
    assert read(wrap(GOOD.encode()), label="sex", max_bytes=100).n_rows == 3


def test_the_limit_can_be_set_in_the_environment(monkeypatch):
    monkeypatch.setenv("CELLVAL_MAX_MB", "0.00002")
    assert "CELLVAL_MAX_MB" in message_of(GOOD.encode())
    monkeypatch.setenv("CELLVAL_MAX_MB", "lots")
    assert "'lots'" in message_of(GOOD.encode())
    monkeypatch.setenv("CELLVAL_MAX_MB", "1")
    assert read(GOOD.encode(), label="sex").n_rows == 3


# Broken files


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500), "old Excel"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "PNG"),
        (b"%PDF-1.7\n...", "PDF"),
        (b"SQLite format 3\0", "SQLite"),
        (random.Random(0).randbytes(5000), "binary data"),
        (bytes(range(64)) * 40, "binary data"),
        (b"<!DOCTYPE html><html><body>Not found</body></html>", "web page"),
        (b'[{"a": 1, "b": 2}, {"a": 3, "b": 4}]', "JSON"),
    ],
)
def test_a_file_that_is_no_csv_is_named(raw, kind):
    source = io.BytesIO(raw)
    source.name = "data.csv"
    message = message_of(source)
    assert "data.csv is no table" in message
    assert kind in message and "CSV" in message.split(kind)[1]


@pytest.mark.parametrize(
    "raw",
    [b"", b"   ", b"\n\r\n \t\n", b"\xef\xbb\xbf", b"\xff\xfe", b"\xff\xfe \0\n\0"],
)
def test_an_empty_file_gets_a_sentence(raw):
    message = message_of(raw)
    assert "empty" in message


# What is no file


def test_a_pipe_or_a_device_is_refused_and_nobody_waits(tmp_path):
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    assert "it is a pipe, not a file" in message_of(pipe)
    assert "it is a device, not a file" in message_of(os.devnull)
    assert "it is a folder" in message_of(tmp_path)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "s"))
        assert "it is a socket, not a file" in message_of(tmp_path / "s")


def test_a_name_that_is_no_utf_8_becomes_one_that_can_be_written(tmp_path):
    path = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.csv")
    with open(path, "wb") as file:
        file.write(GOOD.encode())
    assert read(path, label="sex").name == "caf\ufffd.csv"
    with open(path, "rb") as file:
        assert read(file, label="sex").name == "caf\ufffd.csv"
    assert "\udce9" not in message_of(f"{path}.none")
