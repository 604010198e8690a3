"""Repairs of the table and of its file, and the change log."""

import pandas as pd
import pytest
from cases import PEOPLE, message_of, people

import cellval
from cellval.export.frames import safe_frame
from cellval.repairs.repair import (
    Repair,
    changes_frame,
    n_formulas,
    repaired,
    repaired_file,
    split,
    table_csv,
)
from cellval.table.table import Table


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


# Applying repairs


def test_repairs_change_cells_and_drop_rows(table):
    new = repaired(table, REPAIRS)
    assert new.row_numbers.tolist() == [1, 2, 3, 4, 5]
    assert new.cells["height"].tolist() == ["1,80", "1,57", "1,70", "1,65", "1,90"]
    assert new.cells["=note"].tolist() == ["=1+1", "x", "y", "", " "]
    assert new.cells["sex"].tolist() == ["m", "f", "", "f", "f"]
    assert table.cells["height"][1] == "57"


def test_removing_a_repair_undoes_it(table):
    rest = {key: repair for key, repair in REPAIRS.items() if key != (6, "")}
    assert repaired(table, rest).cells["height"].tolist()[-1] == "0"
    assert repaired(table, {}).fingerprint == table.fingerprint
    assert repaired_file(PEOPLE, {}) == PEOPLE


def test_the_repaired_file_is_the_original_but_for_the_repairs(table):
    expected = (
        PEOPLE.replace(b"57;", b"1,57;")
        .replace(b'"1,65";-', b'"1,65";')
        .replace(b" ;m", b" ;f")
    )
    expected = expected[: expected.index(b"f;1,75")]
    result = repaired_file(PEOPLE, REPAIRS, "data.csv")
    assert result == expected
    again = cellval.read(result, label="sex", id_column="key")
    assert again.cells.equals(repaired(table, REPAIRS).cells)


def test_repairs_of_places_that_do_not_exist_are_refused(table):
    for row, column, words in [
        (9, "height", "no row 9"),
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
    assert repaired(table, repairs).row_numbers.tolist() == [2, 3, 4, 5, 6]
    assert len(changes_frame(table, repairs)) == 1


def test_a_frame_becomes_a_plain_csv():
    df = pd.DataFrame({"x, y": [1.5, None, 3], "z": ['a"', "ü", ""], "y": list("pqp")})
    table = Table.from_frame(df, label="y")
    repairs = {(1, "x, y"): Repair("replace", "2,5"), (2, "y"): Repair("blank")}
    expected = '"x, y",z,y\n"2,5","a""",p\n,ü,\n3.0,,p\n'
    assert table_csv(table, repairs) == expected.encode()
    assert table_csv(table, {(2, ""): Repair("drop")}).count(b"\n") == 3


def test_formulas_that_repairs_remove_are_not_counted():
    table = Table.from_frame(pd.DataFrame({"x": ["=1", "2"], "y": ["a", "b"]}))
    assert n_formulas(table, {}) == 1
    assert n_formulas(table, {(2, "x"): Repair("replace", "=3")}) == 2
    assert n_formulas(table, {(1, "x"): Repair("blank")}) == 0
    assert n_formulas(table, {(1, ""): Repair("drop")}) == 0


def test_signed_numbers_are_no_formulas_but_what_begins_like_them_is():
    texts = ["-1", "+2,5", "-3.5e4", "-1+2", "=1", "@a", "+", "-x", "1-2", "plain"]
    frame = pd.DataFrame({"x": texts, "y": ["a", "b"] * 5})
    table = Table.from_frame(frame, label="y", kinds={"x": "category"})
    assert n_formulas(table, {}) == 5


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
