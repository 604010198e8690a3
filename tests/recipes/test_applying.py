"""A recipe on the next file: what it repairs, and what it says does not fit."""

import pytest

import cellval
from cellval.detect.breaks import Broken
from cellval.detect.rule import Rule
from cellval.recipes.applying import apply_recipe
from cellval.recipes.recipe import Recipe
from cellval.recipes.rows import RowName
from cellval.recipes.steps import (
    Answer,
    DropRow,
    Fine,
    Reading,
    Replace,
    ReplaceCell,
)

TEXT = "k,w,city\n17,580,Bonn\n18,n/a,Bonn\n19, n/a,Bonn\n20,60,Born\n"


def applied(*steps, text=TEXT, **how):
    table = cellval.read(text.encode(), label=None)
    return apply_recipe(Recipe(steps, **how), table)


def by_id(k):
    return RowName(id=str(k), id_column="k")


def texts_of(done):
    return {cell: repair.text for cell, repair in done.repairs.items()}


def test_a_text_is_replaced_in_every_cell_of_its_column():
    done = applied(Replace("w", (("n/a", ""), ("never", "1")), "asked"))
    assert texts_of(done) == {(2, "w"): "", (3, "w"): ""}
    assert done.repairs[2, "w"] == cellval.Repair("blank", "", "asked")
    assert done.outcomes[0].n_cells == 2
    assert done.fits  # a text that is not there leaves nothing to do


def test_a_cell_is_found_by_its_id_and_must_hold_what_it_held():
    done = applied(ReplaceCell(by_id(17), "w", "580", "58"))
    assert texts_of(done) == {(1, "w"): "58"}
    assert done.fits


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (Replace("weight", (("a", "b"),)), "column 'weight' is not in this file."),
        (Fine("weight", ("a",)), "column 'weight' is not in this file."),
        (Rule(("weight",), "w"), "column 'weight' is not in this file."),
        (
            ReplaceCell(by_id(99), "w", "580", "58"),
            "w of the row with k 99: 580 → 58: no row with k 99.",
        ),
        (ReplaceCell(by_id(17), "w", "58", "5"), "it is '580', not '58'."),
        (DropRow(by_id(99)), "The row with k 99 is dropped: no row with k 99."),
        (
            Rule(("city",), "w", (("Bonn", "1"),)),
            "3 cells break it and are left, the first in row 1",
        ),
    ],
)
def test_what_does_not_fit_is_a_sentence(step, said):
    done = applied(step)
    (misfit,) = done.misfits
    assert misfit.endswith(said) or said in misfit
    assert (done.repairs, done.outcomes[0].misfit, done.fits) == ({}, misfit, False)


def test_how_a_file_was_read_may_not_fit():
    done = applied(reading=Reading(label="sex", kinds=(("w", "number"),)))
    said = "How the file is read: column 'sex' is not in this file."
    assert done.misfits == (said,)


def test_what_was_corrected_at_its_source_fits():
    done = applied(ReplaceCell(by_id(17), "w", "600", "580"))
    assert (done.repairs, done.fits) == ({}, True)


def test_a_cell_comes_before_its_text_and_fine_cells_are_left_alone():
    done = applied(
        Replace("w", (("n/a", ""), ("60", "61"))),
        ReplaceCell(by_id(18), "w", "n/a", "59"),
        Fine("w", ("n/a",), by_id(19)),
        Fine("w", ("60", "70")),
        Fine("w", ("1",), by_id(99)),
    )
    assert texts_of(done) == {(2, "w"): "59"}
    assert done.fine == {(3, "w"), (4, "w")}
    assert done.fits


def test_rules_come_last_and_repair_only_if_they_are_to():
    known = (("17", "Bonn"), ("20", "Ulm"))
    change = Replace("city", (("Born", "Bonn"),))
    asked = applied(Rule(("k",), "city", known), change)
    assert texts_of(asked) == {(4, "city"): "Bonn"}
    assert "1 cell breaks it and is left, in row 4, which" in asked.misfits[0]
    done = applied(Rule(("k",), "city", known, repair=True), change)
    assert texts_of(done) == {(4, "city"): "Ulm"}
    assert "Where k is 20, the recipe knows 'Ulm'." in done.repairs[4, "city"].reason
    left = applied(
        Rule(("k",), "city", known, repair=True), Fine("city", ("Born",), by_id(20))
    )
    assert left.repairs == {}


def test_a_rule_that_many_rows_of_a_group_break_leaves_them():
    """Perhaps a second town has this zip now; but a blank says nothing else."""
    lines = ["1,Ulm"] * 10 + ["1,Bonn"] * 2 + ["1,"] * 3 + ["2,Bonn"]
    rule = Rule(("zip",), "city", (("1", "Ulm"), ("2", "Köln")), repair=True)
    done = applied(rule, text="zip,city\n" + "\n".join(lines))
    assert texts_of(done) == {
        **dict.fromkeys([(row, "city") for row in (13, 14, 15)], "Ulm"),
        (16, "city"): "Köln",
    }
    (misfit,) = done.misfits
    assert misfit.endswith(
        "2 cells break it and are left, the first in row 11, which should be 'Ulm'."
    )
    assert done.outcomes[0].n_cells == 4


def test_a_rule_knows_many_lines_and_compares_no_cell_with_another(monkeypatch):
    """To look for each cell among all that are mended takes minutes."""

    def compared(own, other):
        raise AssertionError("cells that break a rule are compared")

    monkeypatch.setattr(Broken, "__eq__", compared)
    lines = [f"{k},c{k % 7}" for k in range(1_000)]
    known = tuple((str(k), f"c{k % 5}") for k in range(1_000))
    rule = Rule(("k",), "city", known, repair=True)
    done = applied(rule, text="k,city\n" + "\n".join(lines))
    assert texts_of(done) == {
        (k + 1, "city"): f"c{k % 5}" for k in range(1_000) if k % 5 != k % 7
    }
    assert done.fits


def test_cells_of_a_dropped_row_are_not_changed():
    every = (ReplaceCell(by_id(17), "w", "580", "58"), Replace("w", (("580", "5"),)))
    done = applied(*every, Rule(("k",), "w", (("17", "3"),), True), DropRow(by_id(17)))
    assert list(done.repairs) == [(1, "")]


def test_every_step_has_an_outcome_in_its_order():
    steps = Answer("k", "refused"), Replace("w", (("60", "6"),)), DropRow(by_id(18))
    done = applied(*steps)
    assert tuple(one.step for one in done.outcomes) == steps
    assert [one.n_cells for one in done.outcomes] == [0, 1, 1]


# --- rules of other kinds -------------------------------------------------------------

TRIPS = """\
k,low,high,from,to
1,3,5,Ulm,Bonn
2,9,4,Bonn,Ulm
3,6,6,Ulm,Bon
3,1,2,Bonn,Ulm
"""
ORDER = Rule(("low",), "high", kind="order")


def test_who_breaks_a_rule_of_another_kind_is_told_and_not_repaired():
    rules = (
        ORDER,
        Rule((), "k", kind="unique"),
        Rule(("from",), "to", (("Bonn",),), kind="domain"),
        Rule(("low",), "high", kind="multiple", factor=2.0),
    )
    done = applied(*rules, text=TRIPS)
    assert done.repairs == {}
    assert done.misfits == (
        "low ≤ high: 1 cell breaks it and is left, in row 2.",
        "k is unique: 2 cells break it and are left, the first in row 3.",
        "from and to hold the same texts (1 text known): 1 cell breaks it and is left, "
        "in row 3.",
        "high = 2 × low: 3 cells break it and are left, the first in row 1.",
    )


def test_rules_look_at_what_other_steps_made_and_a_fine_cell_excuses_its_row():
    repaired = Replace("low", (("9", "3"),))
    assert applied(repaired, ORDER, text=TRIPS).fits
    worse = Replace("high", (("5", "1"),))
    (said,) = applied(worse, repaired, ORDER, text=TRIPS).misfits
    assert said.endswith("in row 1.")
    assert applied(Fine("low", ("9",)), ORDER, text=TRIPS).fits
    assert applied(DropRow(RowName(id="2", id_column="k")), ORDER, text=TRIPS).fits
    assert applied(Fine("k", ("2",)), ORDER, text=TRIPS).misfits


def test_a_refused_rule_does_nothing_and_numbers_that_are_none_are_told():
    refused = Rule(("low",), "high", kind="order", refused=True)
    assert applied(refused, Rule((), "gone", refused=True), text=TRIPS).fits
    (said,) = applied(Rule(("from",), "to", kind="order"), text=TRIPS).misfits
    assert said.endswith("'from', 'to' holds neither numbers nor dates in this file.")
