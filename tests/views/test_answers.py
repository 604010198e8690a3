"""What an answer does to the cells of a finding."""

import numpy as np
import pytest

import cellval
from cellval.detect.finding import finding
from cellval.repairs.repair import Repair
from cellval.repairs.work import Work
from cellval.views.answers import (
    all_fine,
    all_wrong,
    asked_cells,
    finding_with,
    give,
    only_these,
)


@pytest.fixture
def table():
    cities = ["Boston", "Bostn", "Bostn", "?", "Boston", "Bostn"]
    lines = [f"{city},{k},{'ab'[k % 2]}" for k, city in enumerate(cities)]
    return cellval.read("\n".join(["city,size,y", *lines]).encode(), label="y")


@pytest.fixture
def spelt(table):
    """A question about four cells; of the last nobody knows what it should be."""
    return finding(
        table,
        "spelling",
        "city",
        [1, 2, 5, 3],
        ["Boston", "Boston", "", None],
        about=("Bostn",),
        sure=0.8,
        title="city: Bostn",
        evidence="It looks like Boston.",
    )


CELLS = [(2, "city"), (3, "city"), (6, "city"), (4, "city")]


def test_wrong_repairs_what_is_known_and_marks_the_rest(table, spelt):
    work = Work()
    give(work, all_wrong(table, spelt, {}, {}))
    assert work.decisions == dict.fromkeys(CELLS, "error")
    reason = "It looks like Boston."
    assert work.repairs == {
        (2, "city"): Repair("replace", "Boston", reason),
        (3, "city"): Repair("replace", "Boston", reason),
        (6, "city"): Repair("blank", reason=reason),
    }
    said = [group.words for group in work.groups]
    assert said == ["3 cells repaired, 1 cell marked as wrong: city: Bostn"]


def test_one_undo_takes_any_answer_back(table, spelt):
    for answer in (
        all_wrong(table, spelt, {}, {}),
        all_fine(table, spelt, {}),
        only_these(table, spelt, {}, {}, [0]),
    ):
        work = Work()
        give(work, answer)
        assert len(work.decisions) == 4
        work.undo_together(work.groups[-1])
        assert work.decisions == work.repairs == {}


def test_only_these_are_wrong_and_the_others_fine(table, spelt):
    work = Work()
    give(work, only_these(table, spelt, {}, {}, [1, 3]))
    assert work.decisions == {
        (3, "city"): "error",
        (4, "city"): "error",
        (2, "city"): "fine",
        (6, "city"): "fine",
    }
    assert set(work.repairs) == {(3, "city")}


@pytest.mark.parametrize("kind", ["swap", "shift"])
def test_of_swaps_and_shifts_whole_rows_are_ticked_and_shown(table, kind):
    columns = ["city"] * 3 + ["size"] * 3
    words = {"about": ("x",), "sure": 0.9, "title": "t", "evidence": "e"}
    rows, after = [0, 1, 2] * 2, list("abcdef")
    one = finding(table, kind, "city", rows, after, columns=columns, **words)
    answer = only_these(table, one, {}, {}, [1], shown=2)
    assert {cell: new.after for cell, new in answer.wrong.items()} == {
        (2, "city"): "b",
        (2, "size"): "e",
    }
    assert set(answer.fine) == {(1, "city"), (1, "size")}  # row 3 was not shown
    other = finding(table, "format", "city", rows, after, columns=columns, **words)
    assert set(only_these(table, other, {}, {}, [1]).wrong) == {(2, "city")}


def test_what_was_decided_on_a_cell_by_itself_stays(table, spelt):
    work = Work(decisions={(3, "city"): "fine"})
    assert asked_cells(table, spelt, work.decisions).tolist() == [0, 2, 3]
    # Ticks are places among the cells that are still asked about.
    answer = only_these(table, spelt, work.decisions, {}, [1])
    assert set(answer.wrong) == {(6, "city")}
    give(work, all_wrong(table, spelt, work.decisions, {}))
    assert work.decisions[3, "city"] == "fine"
    assert (3, "city") not in work.repairs


def test_an_answered_finding_can_be_answered_anew(table, spelt):
    work = Work()
    give(work, all_wrong(table, spelt, work.decisions, work.repairs))
    assert asked_cells(table, spelt, work.decisions).tolist() == [0, 1, 2, 3]
    give(work, all_fine(table, spelt, work.decisions))
    assert set(work.decisions.values()) == {"fine"}
    assert work.repairs == {}


def test_cells_of_dropped_rows_and_without_a_change_are_marked_only(table, spelt):
    same = finding(
        table,
        "format",
        "city",
        [0, 1],
        ["Boston", "Boston"],
        about=("x",),
        sure=0.9,
        title="t",
        evidence="e",
    )
    dropped = {(2, ""): Repair("drop")}
    assert all_wrong(table, same, {}, dropped).wrong == dict.fromkeys(
        [(1, "city"), (2, "city")]
    )


def test_the_finding_of_an_answer_is_found_by_its_cells(table, spelt):
    other = spelt.part(np.array([0]))
    assert finding_with(table, [other, spelt], CELLS[:2]) is spelt
    assert finding_with(table, [spelt], [(1, "city")]) is None
    assert finding_with(table, [spelt], [(99, "city")]) is None
    assert finding_with(table, [spelt], []) is None
