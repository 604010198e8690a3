"""Decisions as a file: what comes back, and what is wrong with it."""

import io

import pandas as pd
import pytest
from cases import PEOPLE, message_of, people, survey_workbook

import cellval
from cellval.errors import InputError
from cellval.export.frames import csv_bytes, decisions_frame
from cellval.repairs.decisions import read_decisions, repair, repair_file
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
        frame = decisions_frame(values, decisions, repairs, table, only=only)
        raw = csv_bytes(frame)
        found = read_decisions(raw, table)
        # A list without decisions still has those on cells with a repair.
        assert found == (decisions, repairs)
        assert read_decisions(io.BytesIO(raw), table) == found
    assert list(frame.columns) == [
        *("row", "id", "label", "column", "content", "value", "stderr", "rank"),
        *("decision", "repair", "after", "reason", "suggestion", "why"),
    ]


def test_content_is_that_of_the_original_when_a_repaired_table_was_valued(table):
    repairs = {**REPAIRS, (6, ""): Repair("drop")}
    values = cellval.value_cells(repaired(table, repairs), n_neighbors=1)
    decisions = {(2, "height"): "error", (6, "height"): "unsure"}
    frame = decisions_frame(values, decisions, repairs, table)
    assert read_decisions(csv_bytes(frame), table) == (decisions, repairs)


def test_a_replacement_by_nothing_is_exported_as_blank(table):
    values = cellval.value_cells(table, n_neighbors=1)
    repairs = {(2, "height"): Repair("replace", "")}
    frame = decisions_frame(values, {}, repairs, table)
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


def test_a_table_is_repaired_by_a_mapping_a_file_or_a_frame_s_own_words(
    table, tmp_path
):
    by_hand = {(2, "height"): "1,57", (4, "=note"): None, (6, ""): Repair("drop")}
    fixed = repair(table, by_hand)
    assert fixed.cells["height"].tolist() == ["1,80", "1,57", "1,70", "1,65", "1,90"]
    assert fixed.cells["=note"].tolist()[3] == ""
    assert fixed.row_numbers.tolist() == [1, 2, 3, 4, 5]
    path = tmp_path / "decisions.csv"
    path.write_text(
        "row,column,repair,after\n2,height,replace,'1,57'\n".replace("'", '"')
        + "4,=note,blank,\n6,,drop row,\n"
    )
    assert repair(table, path).cells.equals(fixed.cells)
    frame = pd.DataFrame({"x": [1, 2, 30], "y": ["a", "b", "b"]})
    assert repair(frame, {(3, "x"): 3}).cells["x"].tolist() == ["1", "2", "3"]
    with pytest.raises(InputError, match="no column 'size'"):
        repair(table, {(2, "size"): "3"})


def test_a_file_is_repaired_by_a_mapping_or_a_file(tmp_path):
    by_hand = {(2, "height"): "1,57", (6, ""): Repair("drop")}
    path = tmp_path / "people.csv"
    path.write_bytes(PEOPLE)
    expected = PEOPLE[: PEOPLE.index(b"f;1,75")].replace(b"57;", b"1,57;")
    for source in (PEOPLE, path, io.BytesIO(PEOPLE)):
        assert repair_file(source, by_hand) == expected
    decisions = b'row,column,repair,after\n2,height,,"1,57"\n6,,drop row,\n'
    options = {"label": "sex", "id_column": "key"}
    assert repair_file(path, decisions, **options) == expected


def test_a_file_that_no_model_could_learn_from_is_repaired_all_the_same():
    assert repair_file(b"x;y\n1;a\n1;a\n", {(2, "x"): "7"}) == b"x;y\n1;a\n7;a\n"


@pytest.mark.parametrize("cell", [5, "12", ("12", "height"), (12,), (1.5, "height")])
def test_a_key_that_names_no_cell_is_said(davis, cell):
    with pytest.raises(InputError, match="names no cell"):
        cellval.repair(davis, {cell: "1"})


def test_a_file_is_repaired_in_the_format_it_came_in():
    frame = pd.DataFrame({"x": [1, 2, 30], "y": ["a", "b", "b"]})
    buffer = io.BytesIO()
    frame.to_parquet(buffer, compression="zstd")
    for decisions in ({(3, "x"): "3"}, b"row,column,after\n3,x,3\n"):
        new = cellval.repair_file(buffer.getvalue(), decisions, label="y")
        assert pd.read_parquet(io.BytesIO(new))["x"].tolist() == [1, 2, 3]


def test_a_workbook_is_repaired_on_the_sheet_that_is_asked_for():
    pytest.importorskip("python_calamine", reason="in the extra 'excel'")
    raw, sums = survey_workbook(), {"sheet": "Sums", "header_row": 2}
    for decisions in ({(1, "mean"): "56"}, b"row,column,after\n1,mean,56\n"):
        new = cellval.repair_file(raw, decisions, **sums)
        assert cellval.read(new, **sums).cells["mean"][0] == "56"
        assert cellval.read(new).cells.equals(cellval.read(raw).cells)
