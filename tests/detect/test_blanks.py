"""Blank cells of nearly complete columns: asked once, filled where a rule knows."""

import pytest
from row_cases import after_of, cells_of, odd_tables, people, read

from cellval.detect.blanks import blanks


def test_blank_cells_of_a_column_are_one_question():
    frame = people()
    frame.loc[[3, 8], "income"] = ""
    (found,) = blanks(read(frame))
    assert cells_of(found) == {(3, "income"), (8, "income")}
    assert found.kind == "blank" and not found.is_flagged and not found.has_action
    assert found.title == "income: 2 blank cells"
    assert found.evidence == "99 % of the column is filled in."


def test_a_rule_fills_them():
    frame = people()
    right = frame.at[3, "state"]
    frame.loc[3, "state"] = " "
    (found,) = blanks(read(frame))
    assert after_of(found) == {(3, "state"): right}
    assert found.is_flagged and "city" in found.reason(0)


def test_a_column_with_many_is_left_alone():
    frame = people()
    frame.loc[:9, "income"] = ""
    assert blanks(read(frame)) == []


def test_marks_are_written_on_purpose():
    frame = people()
    frame.loc[[3, 8], "income"] = "?"
    assert blanks(read(frame)) == []


def test_where_most_columns_have_them_they_are_how_the_table_is():
    frame = people()
    for k, name in enumerate([*frame][:5]):
        frame.loc[10 * k, name] = ""
    assert blanks(read(frame)) == []


@pytest.mark.parametrize("name", odd_tables())
def test_nothing_is_found_where_nothing_is_blank(name):
    assert blanks(read(odd_tables()[name])) == []
