"""One change of many cells, before it is done."""

import pytest

import cellval
from cellval.detect.suggestions import Suggestion
from cellval.errors import InputError
from cellval.repairs.repair import Repair
from cellval.views.many_changes import (
    accepted,
    changes_preview,
    many_changes,
    reading_words,
)

BLANK = Repair("blank")
WRITE = Repair("replace", "7")


@pytest.fixture(scope="module")
def table():
    lines = ["size,colour,y", *(f"{k},{'rg'[k % 2]},{'ab'[k % 2]}" for k in range(9))]
    return cellval.read("\n".join([*lines, ",r,a"]).encode(), label="y")


def planned(table, cells, made=(), new=BLANK, **how):
    return many_changes(table, cells, dict(made), lambda cell: {cell: new}, **how)


def test_every_cell_is_changed_once(table):
    cells = [(2, "size"), (3, "colour"), (2, "size")]
    plan = planned(table, cells)
    assert plan.changes == {(2, "size"): BLANK, (3, "colour"): BLANK}
    assert plan.left_alone == ()


def test_cells_that_are_repaired_stay_unless_they_are_overwritten(table):
    cells, made = [(2, "size"), (3, "size")], {(2, "size"): WRITE}
    plan = planned(table, cells, made)
    assert (list(plan.changes), plan.n_repaired) == ([(3, "size")], 1)
    over = planned(table, cells, made, overwrite=True)
    assert (list(over.changes), over.n_repaired) == (cells, 1)


def test_cells_that_hold_it_already_and_rows_that_go_are_left_alone(table):
    cells = [(10, "size"), (8, "size"), (3, "size"), (4, "size")]
    made = {(3, ""): Repair("drop"), (4, "size"): BLANK}
    plan = planned(table, cells, made)
    assert list(plan.changes) == [(8, "size")]
    assert plan.left_alone == (
        "2 cells hold it already.",
        "1 cell is in a row that is dropped.",
    )


def test_a_suggestion_changes_the_other_cell_of_a_swap_too():
    swap = Suggestion("57", "Swapped with 'height'.", (("height", "166"),))
    assert accepted((12, "weight"), swap) == {
        (12, "weight"): Repair("replace", "57", "Swapped with 'height'."),
        (12, "height"): Repair("replace", "166", "Swapped with 'weight'."),
    }
    assert accepted((12, "weight"), None) == {}
    assert accepted((1, "x"), Suggestion("", "why")) == {
        (1, "x"): Repair("blank", reason="why")
    }


def test_suggestions_that_contradict_each_other_are_not_both_taken(table):
    wanted = {
        (2, "size"): {(2, "size"): WRITE, (2, "colour"): BLANK},
        (2, "colour"): {(2, "colour"): WRITE},
        (3, "size"): {},
    }
    plan = many_changes(table, wanted, {}, wanted.__getitem__)
    assert plan.changes == {(2, "size"): WRITE, (2, "colour"): BLANK}
    assert plan.left_alone == ("2 cells have no likely suggestion and are left alone.",)


def test_half_a_swap_is_not_done(table):
    swap = {(2, "size"): WRITE, (2, "colour"): BLANK}
    made = {(2, "colour"): Repair("replace", "g")}
    plan = many_changes(table, [(2, "size")], made, lambda cell: swap)
    assert (plan.changes, plan.n_repaired) == ({}, 1)


def test_a_text_that_cannot_be_read_is_told_and_an_infinite_one_refused(table):
    changes = {(2, "size"): BLANK, (3, "size"): BLANK, (3, "colour"): BLANK}
    assert reading_words(table, "7", changes) == ""
    assert reading_words(table, "big", changes) == (
        "In 2 cells 'big' cannot be read as a number: there it counts as missing."
    )
    with pytest.raises(InputError, match="infinite"):
        reading_words(table, "inf", changes)


def test_the_preview_shows_before_and_after(table):
    changes = {(2, "size"): WRITE, (3, "size"): BLANK, (4, "size"): BLANK}
    frame = changes_preview(table, changes, {(3, "size"): WRITE}, 2)
    assert frame[["row", "before", "after"]].values.tolist() == [
        [2, "1", "7"],
        [3, "2 (repaired: 7)", "(blank)"],
    ]
