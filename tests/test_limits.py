"""How much is taken from a person, and how a limit is raised."""

from dataclasses import fields
from pathlib import Path

import pandas as pd
import pytest

import cellval
from cellval.limits import Limits, limits, refuse_unfolded, variable

SMALL = b"a,b,y\n1,2,n\n3,4,m\n5,6,n\n7,8,m\n"


def refused(source):
    with pytest.raises(cellval.InputError) as caught:
        cellval.read(source, label="y")
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "limit", "source"),
    [
        ("mb", "0.00001", SMALL),
        ("rows", "3", SMALL),
        ("columns", "2", SMALL),
        ("cells", "11", SMALL),
        ("cell_length", "5", SMALL.replace(b"7,", b"7777777,")),
    ],
)
def test_each_limit_refuses_and_says_how_to_raise_it(monkeypatch, name, limit, source):
    assert cellval.read(source, label="y").n_rows == 4
    monkeypatch.setenv(variable(name), limit)
    message = refused(source)
    assert variable(name) in message
    assert "table" in message and message.endswith(".")
    frame = pd.DataFrame({"a": ["1", "2", "3", "7777777"], "b": "x", "y": list("nmnm")})
    if name != "mb":
        assert variable(name) in refused(frame)


def test_rows_beyond_the_limit_are_not_even_read(monkeypatch):
    monkeypatch.setenv("CELLVAL_MAX_ROWS", "3")
    message = refused(SMALL + b'9,"open')
    assert "row 4" in message and "CELLVAL_MAX_ROWS" in message


def test_a_limit_may_be_raised(monkeypatch):
    long = SMALL + b'"' + b"x" * 200_000 + b'",2,n\n'
    assert "CELLVAL_MAX_CELL_LENGTH" in refused(long)
    monkeypatch.setenv("CELLVAL_MAX_CELL_LENGTH", "300000")
    assert cellval.read(long, label="y").n_rows == 5


@pytest.mark.parametrize("text", ["lots", "-1", "0", "nan", "inf", "1e99"])
def test_a_limit_that_is_no_number_is_told(monkeypatch, text):
    monkeypatch.setenv("CELLVAL_MAX_ROWS", text)
    assert repr(text) in refused(SMALL) and "CELLVAL_MAX_ROWS" in refused(SMALL)


def test_an_empty_variable_sets_nothing(monkeypatch):
    monkeypatch.setenv("CELLVAL_MAX_ROWS", " ")
    assert limits() == Limits()


def test_the_docs_state_every_limit():
    text = (Path(__file__).parents[1] / "docs" / "files.md").read_text("utf-8")
    for one in fields(Limits):
        assert f"| `{variable(one.name)}` | {one.default:,.0f} |" in text


def test_lists_within_lists_are_refused_before_they_are_read(monkeypatch):
    """A list of three bytes takes 80 in memory."""
    monkeypatch.setenv("CELLVAL_MAX_UNPACKED_MB", "1")
    refuse_unfolded(
        "This", b'{"ids": [' + b'"a name, quite long",' * 20_000, "leave it"
    )
    for raw in (b"[[" + b"[]," * 10_000, b"{}," * 10_000, b"1," * 50_000):
        with pytest.raises(
            cellval.InputError, match="CELLVAL_MAX_UNPACKED_MB, or leave"
        ):
            refuse_unfolded("This", raw, "leave it")
