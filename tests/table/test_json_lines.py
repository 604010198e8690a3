"""JSON lines: read as text, and only the changed values written anew."""

import pytest
from cases import file_fault

from cellval.table.formats import file_cells, rewritten
from cellval.table.table import read

RAW = """{"id": 1, "w":1.50 , "name": "Zo\\u00eb", "ok": true, "y": "a"}
{"id": 2,  "w": -3e2, "name": "x, \\"y\\"", "more": null, "y": "b"}\r

{"y": "a", "id": 3, "w": "?", "more": "été", "ok": false}
""".encode()


def message_of(raw, *asked, **more):
    return file_fault(raw, "data.jsonl", *asked, **more)


def test_keys_are_columns_and_values_stand_as_they_are_written():
    cells, written, notes = file_cells(RAW, "data.jsonl")
    assert list(cells.columns) == ["id", "w", "name", "ok", "y", "more"]
    assert cells.to_numpy().tolist() == [
        ["1", "1.50", "Zoë", "true", "a", ""],
        ["2", "-3e2", 'x, "y"', "", "b", ""],
        ["3", "?", "", "false", "a", "été"],
    ]
    assert written.noun == "JSON lines" and not notes
    assert read(RAW, label="y").n_rows == 3


def test_only_the_bytes_of_changed_values_differ():
    assert rewritten(RAW, {}) == RAW
    changes = {
        (1, "w"): "2.25",
        (1, "ok"): "false",
        (2, "name"): 'é "q"',
        (3, "w"): "7",
        (3, "ok"): "",
    }
    expected = RAW.decode()
    for old, new in (
        ("1.50", "2.25"),
        ("false", "null"),
        ("true", "false"),
        ('"x, \\"y\\""', '"é \\"q\\""'),
        ('"?"', "7"),
    ):
        assert old in expected
        expected = expected.replace(old, new)
    assert rewritten(RAW, changes).decode() == expected
    lines = RAW.split(b"\n")
    assert rewritten(RAW, {}, [2]) == b"\n".join([lines[0], *lines[2:]])


def test_a_key_that_a_line_lacks_is_added():
    new = rewritten(RAW, {(1, "more"): "1.5", (3, "name"): "Åsa"}).decode().split("\n")
    assert new[0].endswith('"y": "a", "more": "1.5"}')
    assert new[3].endswith('"ok": false, "name": "Åsa"}')
    assert rewritten(b'{}\n{"x":1,"y":"a"}\n', {(1, "x"): "2"}).startswith(b'{"x": 2}')


def test_a_number_in_a_column_of_texts_stays_a_text():
    raw = b'{"zip": "01234", "y": "a"}\n{"zip": "99", "y": "b"}\n'
    assert rewritten(raw, {(2, "zip"): "98"}) == raw.replace(b'"99"', b'"98"')


def test_a_mark_in_front_is_kept():
    raw = b"\xef\xbb\xbf" + RAW
    assert file_cells(raw, "t")[0].columns[0] == "id"
    assert rewritten(raw, {(1, "id"): "9"}) == raw.replace(b'"id": 1', b'"id": 9')


def test_lists_and_objects_are_left_out_and_kept_in_the_file():
    raw = b'{"x": 1, "l": [1, {"a": 2}], "y": "a"}\n{"x": 2, "o": {}, "y": "b"}\n'
    cells, _, notes = file_cells(raw, "t")
    assert list(cells.columns) == ["x", "y"]
    assert notes == ["Columns with lists or objects in them were left out: 'l', 'o'."]
    assert rewritten(raw, {(1, "y"): "c"}) == raw.replace(b'"a"}\n', b'"c"}\n')


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (RAW + b'{"id": 1', "line 5 is no JSON object"),
        (RAW + b"[1, 2]\n", "line 5 is no JSON object"),
        (RAW + b'{"a": ' + b"[" * 100_000 + b"\n", "line 5 is no JSON object"),
        (RAW + b'{"a": "\xff"}\n', "is no UTF-8"),
        (RAW + b'{"a": "\\u0000"}\n', "NUL character"),
        (b'{"a": [1, 2], "y": [0, 1]}', "a JSON file. Save it as CSV or as JSON lines"),
        (b'{\n  "a": 1,\n  "y": 2\n}\n', "a JSON file"),
    ],
)
def test_broken_lines_and_other_json_get_a_sentence(raw, words):
    message = message_of(raw)
    assert words in message and message.endswith(".")


def test_limits_hold_while_reading(monkeypatch):
    monkeypatch.setenv("CELLVAL_MAX_COLUMNS", "3")
    assert "4 columns; the limit is 3" in message_of(RAW)
    monkeypatch.setenv("CELLVAL_MAX_COLUMNS", "30")
    monkeypatch.setenv("CELLVAL_MAX_ROWS", "2")
    assert "3 rows; the limit is 2" in message_of(RAW)


def test_half_a_character_becomes_a_mark_that_can_be_seen():
    cells, _, _ = file_cells(b'{"x": "\\ud800", "y": "a"}\n{"x": "b", "y": "b"}\n', "t")
    assert cells["x"].tolist() == ["?", "b"]
