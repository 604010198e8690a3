"""Decisions as a file: what comes back, and what is wrong with it."""

import io

import pytest
from cases import message_of, people

import cellval
from cellval.export.frames import csv_bytes, decisions_frame
from cellval.repairs.decisions import read_decisions
from cellval.repairs.repair import (
    Repair,
    repaired,
)


@pytest.fixture(scope="module")
def table():
    return people()


REPAIRS = {
    (2, "height"): Repair("replace", "1,57", "decimal comma lost"),
    (5, "sex"): Repair("replace", "f"),
    (4, "=note"): Repair("blank", reason="means nothing"),
    (6, "height"): Repair("replace", "0"),
    (6, ""): Repair("drop", reason="entered twice"),
}


def test_decisions_and_repairs_come_back_from_their_export(table):
    values = cellval.value_cells(table, n_neighbors=1)
    decisions = {(2, "height"): "error", (1, "=note"): "fine", (4, "=note"): "unsure"}
    repairs = {
        **REPAIRS,
        (1, "=note"): Repair("replace", "'=2+2", "=because"),
        (4, "height"): Repair("replace", "two\nlines; \"q\", 'and'"),
        (5, "key"): Repair("replace", " padded "),
    }
    for only in (None, [], ["error", "fine", "unsure"]):
        for known in (None, table):
            frame = decisions_frame(
                values, decisions, repairs=repairs, table=known, only=only
            )
            raw = csv_bytes(frame)
            found = read_decisions(raw, table)
            # A list without decisions still has those on cells with a repair.
            assert found == (decisions, repairs)
            assert read_decisions(io.BytesIO(raw), table) == found
    assert list(frame.columns) == [
        *("row", "id", "label", "column", "content", "value", "stderr", "rank"),
        *("decision", "repair", "after", "reason"),
    ]
    old = decisions_frame(values, decisions)
    assert list(old.columns) == list(frame.columns)[:9]
    assert len(old) == values.values.size


def test_content_is_that_of_the_original_when_a_repaired_table_was_valued(table):
    repairs = {**REPAIRS, (6, ""): Repair("drop")}
    values = cellval.value_cells(repaired(table, repairs), n_neighbors=1)
    decisions = {(2, "height"): "error", (6, "height"): "unsure"}
    frame = decisions_frame(values, decisions, repairs=repairs, table=table)
    assert read_decisions(csv_bytes(frame), table) == (decisions, repairs)


def test_a_replacement_by_nothing_is_exported_as_blank(table):
    values = cellval.value_cells(table, n_neighbors=1)
    repairs = {(2, "height"): Repair("replace", "")}
    frame = decisions_frame(values, {}, repairs=repairs)
    found = read_decisions(csv_bytes(frame), table)[1]
    assert found == {(2, "height"): Repair("blank")}


@pytest.mark.parametrize(
    ("text", "decisions", "repairs"),
    [
        ("row,column,after\n2,height,3\n", {}, {(2, "height"): Repair("replace", "3")}),
        (
            "Row;Column;Content;Repair;After\n2;height;57;;1,57\n",
            {},
            {(2, "height"): Repair("replace", "1,57")},
        ),
        ("row,column,decision\n 2.0 ,height,Fine\n", {(2, "height"): "fine"}, {}),
        ("row,column,repair\n2,height, BLANK\n", {}, {(2, "height"): Repair("blank")}),
        ("row,column,after\n2,height, \n", {}, {}),
        (
            "row,column,repair,after\n2,height,replace, \n4,height,blank, \n",
            {},
            {(2, "height"): Repair("replace", " "), (4, "height"): Repair("blank")},
        ),
        ("row,column,repair\n2,height,drop row\n", {}, {(2, ""): Repair("drop")}),
        ("row,column,repair\n2,,drop\n2,sex,drop row\n", {}, {(2, ""): Repair("drop")}),
        ("row,column,content\n1,=note,=1+1\n2,height,57\n", {}, {}),
        ("row,column,content\n1,'=note,'=1+1\n2,,\n", {}, {}),
        (
            "row,column,after\n1,=note,'=5\n2,=note,''=5\n",
            {},
            {
                (1, "=note"): Repair("replace", "=5"),
                (2, "=note"): Repair("replace", "'=5"),
            },
        ),
        ("row,column,content,decision\n5,sex,,fine\n", {(5, "sex"): "fine"}, {}),
    ],
)
def test_decisions_written_by_hand_are_read(table, text, decisions, repairs):
    assert read_decisions(io.StringIO(text), table) == (decisions, repairs)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("column,after\nheight,3\n", ["no column 'row'", "content, decision"]),
        ("row,after\n2,3\n", ["no column 'column'"]),
        ("row,column\n2,weight\n", ["line 2", "no column 'weight'", "'height'"]),
        ("row,column\n2,height\nx,height\n", ["line 3", "'x' is no row number"]),
        ("row,column\n1.5,height\n", ["'1.5' is no row number"]),
        ("row,column\ninf,height\n", ["'inf' is no row number"]),
        ("row,column\nnan,height\n", ["'nan' is no row number"]),
        ("row,column\n99,height\n", ["line 2", "no row 99"]),
        ("row,column\n3,height\n", ["line 2", "Row 3", "set aside", "label"]),
        (
            "row,column,content\n2,height,58\n",
            ["row 2, 'height': the decisions file says '58', the table has '57'; "],
        ),
        ("row,column,content\n2,height,\n", ["says '', the table has '57'"]),
        ("row,column,content\n5,sex,f\n", ["says 'f', the table has 'm'"]),
        (
            "row,column,decision\n2,height,wrong\n",
            ["line 2", "'wrong' is no decision", "error, fine, unsure"],
        ),
        (
            "row,column,repair\n2,height,remove\n",
            ["line 2", "'remove' is no repair", "replace, blank, drop row"],
        ),
        ("row,column,repair\n2,height,replace\n", ["line 2", "after is empty"]),
        ("row,column,repair,after\n2,height,blank,7\n", ["but after is '7'"]),
        ("row,column,repair\n2,,blank\n", ["column is missing", "row 2"]),
        ("row,column,decision\n2,,error\n", ["column is missing"]),
        (
            "row,column,after\n2,height,1\n2,height,2\n",
            ["line 3", "row 2, 'height'", "repaired otherwise further up"],
        ),
        (
            "row,column,decision\n2,height,fine\n2,height,error\n",
            ["line 3", "decided otherwise further up"],
        ),
        ("row,column\n", ["no rows below"]),
    ],
)
def test_faults_in_a_decisions_file_are_named(table, tmp_path, text, words):
    path = tmp_path / "decisions.csv"
    path.write_text(text)
    message = message_of(read_decisions, path, table)
    assert message.startswith("decisions.csv")
    for word in words:
        assert word in message
