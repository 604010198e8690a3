"""Rows are named by id where they have one of their own, else by what they hold."""

import pytest

import cellval
from cellval.recipes.rows import RowName, Rows


def table_of(text, **how):
    return cellval.read(text.encode(), label=None, **how)


WITH_IDS = "k,x,z\na,1,p\nb,2,q\nb,3,r\n,4,s\n"


def test_a_row_has_its_id_unless_others_share_it_or_it_is_blank():
    rows = Rows(table_of(WITH_IDS, id_column="k"))
    assert rows.name(0, "x") == RowName(id="a", id_column="k")
    for position in (1, 2, 3):
        assert rows.name(position, "x").id_column == ""
    assert rows.name(0, "k").id_column == ""  # a step on the id itself


@pytest.mark.parametrize("column", ["", "x", "z"])
def test_rows_are_found_by_name_wherever_they_stand(column):
    rows = Rows(table_of(WITH_IDS, id_column="k"))
    other = Rows(table_of("z,more,x,k\ns,0,4,\nr,0,3,b\nq,0,2,b\np,0,1,a\n"), "kxz")
    for position in range(4):
        name = rows.name(position, column)
        text = rows.texts(column)[position] if column else None
        assert other.find(name, column, text) == (3 - position, "")


def test_the_same_content_twice_is_told_by_its_place():
    rows = Rows(table_of("x,z\n1,p\n2,q\n1,p\n1,p\n"))
    places = [rows.name(position, "").place for position in range(4)]
    assert places == [1, 1, 2, 3]
    fewer = Rows(table_of("x,z\n1,p\n1,p\n2,q\n"))
    assert fewer.find(rows.name(2, ""), "", None) == (1, "")
    position, why = fewer.find(rows.name(3, ""), "", None)
    assert (position, why) == (-1, "only 2 rows like '1 | p', not 3")


def test_many_steps_on_rows_that_hold_the_same_look_through_them_once():
    rows = Rows(table_of("x,z\n" + "1,p\n2,p\n" * 300))
    found = rows._with_content(int(rows.name(0, "x").content, 16), "x")
    assert found == {"1": [*range(0, 600, 2)], "2": [*range(1, 600, 2)]}
    for position in range(600):
        name, text = rows.name(position, "x"), str(1 + position % 2)
        assert (name.place, rows.find(name, "x", text)) == (
            1 + position // 2,
            (position, ""),
        )
        assert rows.find(name, "x", "3") == (0, "")  # changed meanwhile
        assert rows._with_content(int(name.content, 16), "x") is found


def test_what_is_not_found_is_told():
    rows = Rows(table_of(WITH_IDS, id_column="k"))
    other = Rows(table_of("k,x\na,1\na,2\nc,4\n"), ("k", "x", "z"))
    find = other.find
    assert find(RowName(id="q", id_column="k"), "x", "1")[1] == "no row with k q"
    assert "2 rows have k a" in find(RowName(id="a", id_column="k"), "x", "1")[1]
    lost = RowName(id="q", id_column="id")
    assert find(lost, "x", "1")[1] == "column 'id' is not in this file"
    assert "this file has no 'z'" in find(rows.name(1, "x"), "x", "2")[1]


def test_a_row_whose_cell_was_changed_meanwhile_is_found_by_the_others():
    name = Rows(table_of("x,z\n1,p\n2,q\n")).name(1, "x")
    assert Rows(table_of("x,z\n1,p\n7,q\n")).find(name, "x", "2") == (1, "")
    assert Rows(table_of("x,z\n1,p\n2,w\n")).find(name, "x", "2")[0] == -1
