"""Repairs of the table and of its file, the change log, and decisions as a file."""

import io
import random

import numpy as np
import pandas as pd
import pytest

import cellval
from cellval.errors import InputError
from cellval.export import frames as export
from cellval.export.frames import csv_bytes, decisions_frame, safe_frame
from cellval.repairs.decisions import read_decisions
from cellval.repairs.repair import (
    Repair,
    changes_frame,
    repaired,
    repaired_csv,
    split,
    table_csv,
)
from cellval.table.formulas import is_formula, plain_text, safe_text
from cellval.table.table import Table

RAW = (
    b"\xef\xbb\xbfkey;height;=note;sex\r\n"
    b"a;1,80;=1+1;m\r\n"
    b"b;57;x;f\r\n"
    b"\r\n"
    b"c;1,70;y;\r\n"  # row 3 has no label
    b'd;"1,65";-;f\r\n'
    b"e;1,90; ;m\r\n"
    b'f;1,75;"it\'s; so";m'
)
REPAIRS = {
    (2, "height"): Repair("replace", "1,57", "decimal comma lost"),
    (5, "sex"): Repair("replace", "f"),
    (4, "=note"): Repair("blank", reason="means nothing"),
    (6, "height"): Repair("replace", "0"),
    (6, ""): Repair("drop", reason="entered twice"),
}


@pytest.fixture
def table():
    return cellval.read(RAW, label="sex", id_column="key")


def message_of(call, *arguments):
    with pytest.raises(InputError) as caught:
        call(*arguments)
    return str(caught.value)


# Applying repairs


def test_repairs_change_cells_and_drop_rows(table):
    new = repaired(table, REPAIRS)
    assert new.row_numbers.tolist() == [1, 2, 4, 5]
    assert new.cells["height"].tolist() == ["1,80", "1,57", "1,65", "1,90"]
    assert new.cells["=note"].tolist() == ["=1+1", "x", "", " "]
    assert new.cells["sex"].tolist() == ["m", "f", "f", "f"]
    assert table.cells["height"][1] == "57"


def test_removing_a_repair_undoes_it(table):
    rest = {key: repair for key, repair in REPAIRS.items() if key != (6, "")}
    assert repaired(table, rest).cells["height"].tolist()[-1] == "0"
    assert repaired(table, {}).fingerprint == table.fingerprint
    assert repaired_csv(RAW, {}) == RAW


def test_the_repaired_file_is_the_original_but_for_the_repairs(table):
    expected = (
        RAW.replace(b"57;", b"1,57;")
        .replace(b'"1,65";-', b'"1,65";')
        .replace(b" ;m", b" ;f")
    )
    expected = expected[: expected.index(b"f;1,75")]
    result = repaired_csv(RAW, REPAIRS, "data.csv")
    assert result == expected
    again = cellval.read(result, label="sex", id_column="key")
    assert again.cells.equals(repaired(table, REPAIRS).cells)


def test_repairs_of_places_that_do_not_exist_are_refused(table):
    for row, column, words in [
        (9, "height", "no row 9"),
        (3, "height", "Row 3 of table was set aside"),
        (2, "weight", "no column 'weight' to repair in row 2"),
        (2, "", "no column '' to repair in row 2"),
    ]:
        repairs = {(row, column): Repair("blank")}
        assert words in message_of(repaired, table, repairs)
        assert words in message_of(changes_frame, table, repairs)
    assert "choose one of replace, blank, drop" in message_of(Repair, "delete")


def test_a_drop_may_be_filed_under_a_cell(table):
    repairs = {(1, "height"): Repair("drop"), (1, "sex"): Repair("drop")}
    assert split(repairs) == ({}, [1])
    assert repaired(table, repairs).row_numbers.tolist() == [2, 4, 5, 6]
    assert len(changes_frame(table, repairs)) == 1


def test_a_frame_becomes_a_plain_csv():
    df = pd.DataFrame({"x, y": [1.5, None, 3], "z": ['a"', "ü", ""], "y": list("pqp")})
    table = Table.from_frame(df, label="y")
    repairs = {(1, "x, y"): Repair("replace", "2,5"), (2, "y"): Repair("blank")}
    expected = '"x, y",z,y\n"2,5","a""",p\n,ü,\n3.0,,p\n'
    assert table_csv(table, repairs) == expected.encode()
    assert table_csv(table, {(2, ""): Repair("drop")}).count(b"\n") == 3


# The change log


def test_the_change_log_tells_what_was_and_what_is(table):
    frame = changes_frame(table, REPAIRS)
    assert list(frame.columns) == ["row", "id", "column", "before", "after", "reason"]
    assert frame.values.tolist() == [
        [2, "b", "height", "57", "1,57", "decimal comma lost"],
        [5, "e", "sex", "m", "f", ""],
        [4, "d", "=note", "-", "", "means nothing"],
        [6, "f", "(whole row)", 'f;1,75;"it\'s; so";m', "(dropped)", "entered twice"],
    ]
    safe = safe_frame(frame)
    assert safe["column"].tolist()[2] == "'=note"
    assert safe["before"].tolist()[2] == "'-"
    assert safe["row"].tolist() == [2, 5, 4, 6]
    assert len(safe_frame(changes_frame(table, {}))) == 0


# Formulas


def test_neutralising_formulas_can_be_undone():
    rng = random.Random(0)
    pieces = ["'", "=", "+", "-", "@", "\t", "\n", "\r", "1", ",5", ".", "a", " ", "e3"]
    texts = ["".join(rng.choices(pieces, k=rng.randint(0, 5))) for _ in range(20_000)]
    for text in texts:
        assert not is_formula(safe_text(text))
        assert plain_text(safe_text(text)) == text
        if not is_formula(text):
            assert safe_text(plain_text(text)) == text
    assert len({safe_text(text) for text in texts}) == len(set(texts))
    assert export.safe_text("'=1") == "''=1"


# Decisions as a file


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


def test_the_export_holds_repairs_of_cells_without_a_value(table):
    values = cellval.value_cells(table, n_neighbors=1)
    repairs = {(6, ""): Repair("drop", reason="twice"), (5, "sex"): Repair("blank")}
    frame = decisions_frame(values, {}, repairs=repairs, only=["error"])
    assert frame[["row", "id", "column", "repair", "reason"]].values.tolist() == [
        [6, "f", "", "drop row", "twice"],
        [5, "e", "sex", "blank", ""],
    ]
    assert frame["value"].isna().all()
    whole = decisions_frame(values, {}, repairs=repairs)
    assert len(whole) == values.values.size + 2
    assert whole["rank"].tolist()[-2:] == [0, 0]
    none = decisions_frame(values, {}, repairs={}, only=["error"])
    assert len(none) == 0 and "repair" in none


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


def test_rows_held_out_for_testing_are_exported_too(table):
    values = cellval.value_cells(table, n_neighbors=1)
    held_out = np.array(values.values)
    held_out[1] = np.nan
    values = cellval.CellValues(**{**vars(values), "values": held_out})
    repairs = {(2, "height"): Repair("replace", "1,57")}
    decisions = {(2, "=note"): "fine"}
    frame = decisions_frame(values, decisions, repairs=repairs)
    assert read_decisions(csv_bytes(frame), table) == (decisions, repairs)


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
