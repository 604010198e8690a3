"""What a person decided: taken back, together, and kept before it is told."""

from copy import deepcopy

import pytest

from cellval.repairs.repair import Repair
from cellval.repairs.work import ANSWERS, Standing, Verdict, Work

hypothesis = pytest.importorskip("hypothesis", reason="in requirements.txt")
from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402


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


def test_changes_that_belong_together_are_one_step():
    work = Work()
    work.decide(3, "y", "unsure")
    swapped = {(3, "x"): Repair("replace", "1"), (3, "y"): Repair("replace", "2")}
    work.repair_cells(swapped)
    assert work.steps[-1].words == "x in row 3 made “1”, y in row 3 made “2”"
    assert work.repairs == swapped
    work.undo_step()
    assert (work.repairs, work.decisions) == ({}, {(3, "y"): "unsure"})
    work.redo_step()
    work.repair_cells({(3, "x"): Repair("blank"), (3, "y"): None, (3, "z"): None})
    assert work.steps[-1].words == "x in row 3 blanked, y in row 3 taken back"
    assert work.repairs == {(3, "x"): Repair("blank")}
    assert work.decisions == {(3, "x"): "error", (3, "y"): "unsure"}
    assert len(work.steps) == 3
    work.repair_cells({(3, "z"): None})
    assert len(work.steps) == 3


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


# --- steps ----------------------------------------------------------------------------


def state(work):
    return dict(work.decisions), dict(work.repairs), work.before_repair, work.rules


def test_steps_are_undone_and_done_again_in_order():
    work = Work()
    seen = [deepcopy(state(work))]
    work.decide(1, "x", "unsure")
    seen.append(deepcopy(state(work)))
    work.repair(1, "x", Repair("replace", "7"))
    seen.append(deepcopy(state(work)))
    work.take({(2, "x"): "fine"}, {(3, ""): Repair("drop")})
    seen.append(deepcopy(state(work)))
    work.answer("rule-1", "accepted", {"title": "x settles y"})
    seen.append(deepcopy(state(work)))
    assert [step.words for step in work.steps] == [
        "x in row 1 marked as unsure",
        "x in row 1 made “7”",
        "2 cells decided as a file says",
        "x settles y: accepted",
    ]
    for known in seen[-2::-1]:
        assert work.undo_step() is not None
        assert state(work) == known
    assert work.undo_step() is None
    for known in seen[1:]:
        assert work.redo_step() is not None
        assert state(work) == known
    assert work.redo_step() is None


def test_what_changes_nothing_is_no_step_and_a_new_step_ends_what_was_undone():
    work = Work()
    work.decide(1, "x", None)
    work.decide(1, "x", "fine")
    work.decide(1, "x", "fine")
    work.answer("k", None)
    work.undo((2, "x"))
    assert len(work.steps) == work.n_done == 1
    work.undo_step()
    work.decide(2, "x", "error")
    assert (len(work.steps), work.redo_step()) == (1, None)
    assert work.decisions == {(2, "x"): "error"}


def test_one_step_out_of_the_middle_leaves_what_later_ones_changed():
    work = Work()
    cells = [(row, "x") for row in (1, 2, 3)]
    with work.together("3 cells blanked", cells, kind="code", finding="code-1"):
        for cell in cells:
            work.repair(*cell, Repair("blank"))
    work.repair(2, "x", Repair("replace", "7"))
    (group,) = work.groups
    assert (group.kind, group.finding) == ("code", "code-1")
    assert work.take_back(0) == [(2, "x")]
    assert work.repairs == {(2, "x"): Repair("replace", "7")}
    assert [step.words for step in work.steps] == [
        "x in row 2 made “7”",
        "3 cells blanked",
    ]
    work.redo_step()  # what was given back, not what was changed since
    assert work.repairs[2, "x"] == Repair("replace", "7")
    assert work.repairs[1, "x"] == work.repairs[3, "x"] == Repair("blank")
    for _ in range(2):
        work.undo_step()
    assert state(work) == ({}, {}, {}, {})
    with pytest.raises(ValueError, match="no step"):
        work.take_back(0)


def test_a_rule_is_answered_otherwise_and_must_be_answered_so():
    work = Work()
    work.answer("k", "accepted", {"given": ["a"], "target": "b"})
    work.answer("k", "refused")
    assert work.rules == {"k": Verdict("refused")}
    assert work.take_back(0) == []
    assert work.rules == {"k": Verdict("refused")}
    work.undo_step()
    assert work.rules == {}
    with pytest.raises(ValueError, match="no answer"):
        work.answer("k", "perhaps")


def test_how_a_file_is_read_is_a_step_of_which_each_option_goes_by_itself():
    work = Work(reading={"label": "y"})
    work.read_so({"label": "x"}, "label x")
    work.decide(1, "a", "fine")
    work.read_so({"label": "x", "id": "a"}, "id a")
    work.read_so({"label": "x", "id": "a"}, "the same")
    assert [step.words for step in work.steps][::2] == ["label x", "id a"]
    work.read_so({"id": "a", "label": "x"}, "in another order")
    assert [*work.reading] == ["id", "label"] and work.n_done == 3
    work.take_back(0)
    assert work.reading == {"label": "y", "id": "a"}
    assert work.decisions == {(1, "a"): "fine"}  # stays, whatever is read
    work.redo_step()
    assert work.reading == {"label": "x", "id": "a"}


def test_what_others_changed_is_not_undone():
    """As another program may, of whose steps this one does not know."""
    work = Work()
    with work.together("both", [(1, "x"), (2, "x")]):
        for row in (1, 2):
            work.decide(row, "x", "fine")
    work.decisions[1, "x"] = "error"
    work.undo_step()
    assert work.decisions == {(1, "x"): "error"}


some = st.tuples(st.integers(1, 3), st.sampled_from(["x", "y"]))
new = st.sampled_from([Repair("blank"), Repair("replace", "1"), Repair("replace", "2")])
acts = st.lists(
    st.one_of(
        st.tuples(st.just("decide"), some, st.sampled_from([None, "fine", "error"])),
        st.tuples(st.just("repair"), some, new),
        st.tuples(st.just("undo"), st.lists(some, max_size=2)),
        st.tuples(st.just("together"), st.lists(some, max_size=4), new),
        st.tuples(st.just("take"), st.dictionaries(some, new, max_size=2)),
        st.tuples(st.just("answer"), st.sampled_from("kl"), st.sampled_from(ANSWERS)),
        st.tuples(
            st.just("read"),
            st.dictionaries(st.sampled_from("ab"), st.integers(0, 2), max_size=2),
        ),
        st.tuples(st.just("back")),
        st.tuples(st.just("again")),
        st.tuples(st.just("out"), st.integers(0, 9)),
    ),
    max_size=25,
)


def act_on(work, act):
    match act:
        case "decide", cell, decision:
            work.decide(*cell, decision)
        case "repair", cell, repair:
            work.repair(*cell, repair)
        case "undo", cells:
            work.undo(*cells)
        case "together", cells, repair:
            with work.together("some", cells):
                for cell in cells:
                    work.repair(*cell, repair)
        case "take", repairs:
            work.take(dict.fromkeys(repairs, "unsure"), repairs)
        case "answer", key, answer:
            work.answer(key, answer)
        case "read", reading:
            work.read_so(reading, "otherwise")
        case ("back",):
            work.undo_step()
        case ("again",):
            work.redo_step()
        case "out", n if n < work.n_done:
            work.take_back(n)


def replayed(steps):
    """What steps make of nothing."""
    stands, rules, reading = {}, {}, {}
    for step in steps:
        stands |= step.after
        rules |= step.rules_after
        reading |= step.reading_after
    nothing = Standing(None, None, ())
    said = {key: verdict for key, verdict in rules.items() if verdict}
    read = {name: was for name, was in reading.items() if was is not None}
    return {cell: was for cell, was in stands.items() if was != nothing}, said, read


def now(work):
    cells = {**work.decisions, **work.repairs, **work.before_repair}
    return {cell: work.standing(cell) for cell in cells}, work.rules, work.reading


@settings(derandomize=True, max_examples=300, deadline=None, database=None)
@given(acts)
def test_what_stands_is_the_replay_of_the_steps_that_are_left(done):
    work = Work()
    for act in done:
        act_on(work, act)
        assert now(work) == replayed(work.steps[: work.n_done])
    before = now(work)
    n = work.n_done
    while work.undo_step():
        assert now(work) == replayed(work.steps[: work.n_done])
    assert now(work) == ({}, {}, {})
    while work.n_done < n:
        work.redo_step()
    assert now(work) == before
    while work.redo_step():
        assert now(work) == replayed(work.steps[: work.n_done])
