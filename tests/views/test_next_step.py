"""Where one stands after a run, and the best next click."""

import pytest

from cellval.repairs.repair import Repair
from cellval.views.next_step import next_step, work_done

WEIGHT, HEIGHT = (12, "weight"), (12, "height")


def asked(ranked, decisions=None, repairs=None, *, is_measured=False):
    decisions, repairs = decisions or {}, repairs or {}
    now = work_done(ranked, decisions, repairs, is_measured=is_measured)
    return now, next_step(ranked, now)


def test_first_it_says_what_was_found_and_leads_to_the_worst(ranked):
    now, step = asked(ranked)
    assert set(now.suspects) == {WEIGHT, HEIGHT}
    assert (now.n_decided, len(now.left)) == (0, 2)
    assert step.words == (
        "2 suspects were found, the first of them weight 166 in row 12."
    )
    assert (step.page, step.label) == ("inspect", "Answer the questions")


@pytest.mark.parametrize("decision", ["error", "fine", "unsure"])
def test_any_decision_leads_to_the_next_suspect(ranked, decision):
    now, step = asked(ranked, {WEIGHT: decision})
    assert now.n_decided == 1
    assert step.words.startswith("1 of 2 suspects decided on. The next one: height 57")
    assert step.page == "inspect"


def test_flagged_cells_want_to_be_repaired_then_measured_then_exported(ranked):
    wrong = {WEIGHT: "error", HEIGHT: "error"}
    now, step = asked(ranked, wrong)
    assert now.n_open == 2
    assert "2 flagged cells are not repaired yet" in step.words
    assert step.page == "repair"
    half = {WEIGHT: Repair("replace", "57", "")}
    assert "1 flagged cell is not repaired" in asked(ranked, wrong, half)[1].words
    both = half | {HEIGHT: Repair("replace", "166", "")}
    now, step = asked(ranked, wrong, both)
    assert now.n_open == 0
    assert step.words == ("Both suspects are decided on, with 2 changes. Did it help?")
    assert asked(ranked, wrong, both, is_measured=True)[1].page == "export"


def test_a_dropped_row_settles_its_cells(ranked):
    now, step = asked(ranked, {}, {(12, ""): Repair("drop")})
    assert (len(now.left), now.n_open) == (0, 0)
    assert step.label == "Measure it"


def test_suspects_that_are_fine_lead_further_down(ranked):
    _, step = asked(ranked, {WEIGHT: "fine", HEIGHT: "fine"})
    assert (step.words, step.page) == (
        "Both suspects are decided on; nothing is changed.",
        "inspect",
    )


def test_a_table_without_suspects_leads_to_planted_errors(ranked, monkeypatch):
    monkeypatch.setitem(ranked.__dict__, "n_flagged", 0)
    _, step = asked(ranked)
    assert step.words == (
        "Nothing stands out in this table. Would errors have been found?"
    )
    assert step.page == "validate"
