"""The baseline file: written, read back, and refused when it is none."""

import json

import jsonschema
import pytest
from cases import ROOT, message_of
from findings_of import a_finding, notes_table

from cellval.export.baseline import baseline_bytes, read_baseline

SCHEMA = json.loads((ROOT / "cellval/export/baseline.schema.json").read_text())


@pytest.fixture
def found(tmp_path):
    table, _ = notes_table(tmp_path)
    return [
        a_finding(table, about=(text,), title=f"size: {text}")
        for text in ("999", "a\x1b[2J\nb", "999")
    ]


def test_what_is_written_is_read_back_and_fits_its_schema(tmp_path, found):
    raw = baseline_bytes(found)
    jsonschema.validate(json.loads(raw), SCHEMA)
    path = tmp_path / "baseline.json"
    path.write_bytes(raw)
    assert read_baseline(path) == {one.key for one in found}
    assert len(read_baseline(path)) == 2
    assert b"\x1b" not in raw and b"\\u001b" not in raw


def test_the_order_of_findings_does_not_change_the_file(found):
    assert baseline_bytes(found) == baseline_bytes(found[::-1])


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"", "holds no JSON"),
        (b"\xff\xfe", "holds no JSON"),
        (b'{"format": "cellval-base', "holds no JSON"),
        (b"[" * 100_000, "holds no JSON"),
        (b"[]", "no baseline file of cellval"),
        (b'{"version": 1, "findings": []}', "no baseline file of cellval"),
        (b'{"format": "cellval-baseline", "version": 2}', "of version 2"),
        (b'{"format": "cellval-baseline", "version": 1}', 'no list "findings"'),
        (
            b'{"format": "cellval-baseline", "version": 1, "findings": [{"key": 3}]}',
            'finding 1 in it has no "key"',
        ),
        (
            b'{"format": "cellval-baseline", "version": 1, "findings": ["cell-1"]}',
            'finding 1 in it has no "key"',
        ),
    ],
)
def test_what_is_no_baseline_gets_a_sentence(tmp_path, raw, words):
    path = tmp_path / "baseline.json"
    path.write_bytes(raw)
    said = message_of(read_baseline, path)
    assert words in said
    assert said.startswith("baseline.json is ") and "--write-baseline" in said


def test_a_baseline_that_is_not_there_gets_a_sentence(tmp_path):
    assert "none.json" in message_of(read_baseline, tmp_path / "none.json")
