"""What a person decided: taken back, together, and kept before it is told."""

import pytest

from cellval.repairs.repair import Repair
from cellval.repairs.work import Work


def test_a_decision_is_taken_back_with_none_and_must_be_one():
    work = Work()
    work.decide(3, "x", "fine")
    assert work.decisions == {(3, "x"): "fine"}
    work.decide(3, "x", None)
    work.decide(4, "x", None)
    assert work.decisions == {}
    with pytest.raises(ValueError, match="no decision"):
        work.decide(3, "x", "perhaps")


def test_a_repair_is_an_error_until_it_is_undone():
    work = Work()
    work.decide(3, "x", "unsure")
    for text in ("1", "2"):
        work.repair(3, "x", Repair("replace", text))
    work.repair(4, "", Repair("drop"))
    assert work.decisions == {(3, "x"): "error"}
    assert list(work.repairs) == [(3, "x"), (4, "")]
    for cell in list(work.repairs):
        work.undo(cell)
    assert work.decisions == {(3, "x"): "unsure"}
    assert work.repairs == {} == work.before_repair


def test_what_was_done_together_is_undone_together():
    work = Work()
    work.decide(1, "x", "unsure")
    work.repair(2, "x", Repair("replace", "7"))
    cells = [(row, "x") for row in (1, 2, 3)]
    before = dict(work.decisions), dict(work.repairs), dict(work.before_repair)
    with work.together("3 cells blanked", cells):
        for cell in cells:
            work.repair(*cell, Repair("blank"))
    (group,) = work.groups
    assert set(work.repairs) == set(work.standing_cells(group)) == set(cells)
    work.undo_together(group)
    assert (work.decisions, work.repairs, work.before_repair) == before
    assert work.groups == []


def test_what_was_decided_since_stays_when_a_group_is_undone():
    work = Work()
    cells = [(row, "x") for row in (1, 2, 3)]
    with work.together("3 cells blanked", cells):
        for cell in cells:
            work.repair(*cell, Repair("blank"))
    work.undo((1, "x"))
    work.repair(2, "x", Repair("replace", "7"))
    (group,) = work.groups
    assert work.standing_cells(group) == [(3, "x")]
    work.undo_together(group)
    assert work.repairs == {(2, "x"): Repair("replace", "7")}
    assert work.decisions == {(2, "x"): "error"}


def test_groups_of_which_nothing_is_left_are_forgotten():
    work = Work()
    for decision in ("fine", "error"):
        with work.together(decision, [(1, "x")]):
            work.decide(1, "x", decision)
    with work.together("nothing", [(1, "x")]):
        pass
    assert [group.words for group in work.groups] == ["error"]


def test_every_change_is_kept_once_with_its_cells():
    kept = []
    work = Work(keep=lambda cells: kept.append(set(cells)))
    work.decide(1, "x", "fine")
    work.repair(2, "x", Repair("blank"))
    with work.together("both", [(1, "x"), (2, "x")]):
        work.undo((2, "x"))
        work.decide(1, "x", None)
    work.take({(3, "x"): "error"}, {(4, "x"): Repair("blank")})
    both = {(1, "x"), (2, "x")}
    assert kept == [{(1, "x")}, {(2, "x")}, both, {(3, "x"), (4, "x")}]
