"""Rules that were accepted, edited or refused, and the questions that are left."""

import numpy as np
import pandas as pd
import pytest

import cellval
from cellval.detect.breaks import finding_of
from cellval.detect.finding import finding
from cellval.detect.learning import Taught, taught
from cellval.detect.rule import Rule
from cellval.detect.surprise import surprise
from cellval.detect.suspicion import make_suspicion
from cellval.recipes.making import recipe_of
from cellval.recipes.rules import broken
from cellval.repairs.work import Work
from cellval.views.answers import all_fine, all_wrong, give
from cellval.views.kept_rules import (
    answer_rule,
    kept_rules,
    lines,
    said_of,
    support,
    with_rules,
)

ORDER = Rule(("low",), "high", kind="order")
STRICT = Rule(("low",), "high", kind="order", strict=True)


def frame_of(n=40):
    draw = np.random.default_rng(0)
    low = draw.integers(10, 50, n)
    high = low + draw.integers(1, 20, n)
    high[3] = low[3] - 5
    high[7] = low[7]
    return pd.DataFrame({"low": low, "high": high, "k": np.arange(n) % 5})


@pytest.fixture
def table():
    return cellval.read(frame_of(), label=None)


@pytest.fixture
def one(table):
    told = {"about": ("order",), "sure": 0.8, "title": "low ≤ high", "evidence": "e"}
    return finding(table, "rule", "high", [3], ["70"], rule=ORDER, **told)


def left(table, *found, answered=(), work):
    state = Taught(tuple(found), tuple(answered), 0, {}, None, None)
    return with_rules(table, state, work.rules, work.decisions)


def test_who_repairs_the_exceptions_accepts_and_who_calls_them_fine_refuses(table, one):
    work = Work()
    give(work, all_wrong(table, one, {}, {}))
    assert kept_rules(work.rules) == [(one.key, "accepted", ORDER)]
    work.undo_step()
    assert work.rules == {} == work.decisions
    give(work, all_fine(table, one, {}))
    assert kept_rules(work.rules) == [(one.key, "refused", ORDER)]
    work.undo_step()
    work.redo_step()
    assert kept_rules(work.rules) == [(one.key, "refused", ORDER)]


def test_where_another_cell_may_be_wrong_fine_cells_refuse_nothing(table, one):
    told = {"about": ("o",), "sure": 0.4, "title": "t", "evidence": "e"}
    other = finding(table, "rule", "high", [3], rule=ORDER, is_open=True, **told)
    work = Work()
    give(work, all_fine(table, other, {}))
    assert work.rules == {} and len(work.decisions) == 1


def test_a_refused_rule_is_asked_nowhere_and_removing_it_asks_again(table, one):
    told = {"about": ("x",), "sure": 0.4, "title": "t", "evidence": "e"}
    twin = finding(table, "rule", "high", [7], rule=STRICT, **told)
    other = finding(table, "cell", "low", [1], **{**told, "about": ("y",)})
    work = Work()
    answer_rule(work, one.key, "refused", ORDER)
    found = left(table, one, twin, other, work=work)
    assert found.findings == (other,) and found.answered == (one, twin)
    answer_rule(work, one.key, None, ORDER)
    assert left(table, one, twin, work=work).findings == (one, twin)
    assert [step.words for step in work.steps] == [
        "low ≤ high: refused",
        "low ≤ high: not answered any more",
    ]


def test_an_edited_rule_stands_in_place_of_what_was_found(table, one):
    work = Work()
    answer_rule(work, one.key, "accepted", STRICT)
    (new,) = left(table, one, work=work).findings
    assert new.key == one.key and new.rule == STRICT
    assert new.rows.tolist() == [3, 7] and new.evidence.startswith("You keep the rule")
    give(work, all_wrong(table, new, {}, {}))
    assert left(table, one, work=work).findings == ()
    (done,) = left(table, one, work=work).answered
    assert done.rule == STRICT
    assert kept_rules(work.rules) == [(one.key, "accepted", STRICT)]


def test_a_rule_that_was_kept_as_found_changes_no_question(table, one):
    work = Work()
    answer_rule(work, one.key, "accepted", ORDER)
    assert left(table, one, work=work).findings == (one,)
    # Nor does one whose finding has another key, in another reading of the file.
    work = Work()
    answer_rule(work, "another", "accepted", ORDER)
    assert left(table, one, work=work).findings == (one,)
    (added,) = left(table, work=work).findings
    assert added.rule == ORDER and added.rows.tolist() == [3]


def test_of_two_findings_about_one_rule_the_last_answer_holds(table, one):
    work = Work()
    answer_rule(work, "first", "accepted", ORDER)
    answer_rule(work, "second", "refused", STRICT)
    assert kept_rules(work.rules) == [("second", "refused", STRICT)]
    assert said_of(work.rules, ORDER) == "refused"
    assert said_of(work.rules, Rule(("high",), "low", kind="order")) == ""
    assert len(recipe_of(table, work).steps) == 1
    work.undo_step()
    assert kept_rules(work.rules) == [("first", "accepted", ORDER)]
    work.redo_step()
    assert kept_rules(work.rules) == [("second", "refused", STRICT)]


def test_an_edited_rule_asks_for_all_findings_about_it(table, one):
    told = {"about": ("x",), "sure": 0.4, "title": "t", "evidence": "e"}
    twin = finding(table, "rule", "high", [7], rule=ORDER, is_open=True, **told)
    work = Work()
    answer_rule(work, one.key, "accepted", STRICT)
    (new,) = left(table, one, twin, work=work).findings
    assert new.rows.tolist() == [3, 7]


def test_what_is_said_of_a_rule(table):
    assert support(table, ORDER) == "1 of 40 rows breaks it."
    assert support(table, STRICT) == "2 of 40 rows break it."
    gone = Rule(("gone",), "high", kind="order")
    assert support(table, gone) == "Column 'gone' is not in this file."
    assert "different columns" in support(table, Rule(("k",), "k"))
    work = Work()
    answer_rule(work, "a", "accepted", STRICT)
    answer_rule(work, "b", "refused", Rule(("k",), "low"))
    work.answer("c", "refused", {"title": "no rule that is known"})
    assert lines(table, kept_rules(work.rules)).to_numpy().tolist() == [
        ["low < high", "kept", "2 of 40 rows break it."],
        ["k settles low", "refused", "Not asked about."],
    ]


# --- from finders to the next file ----------------------------------------------------

WORDS = [f"{a}{b}tadt" for a in ("Neus", "Alts", "Kleins") for b in "bdfghklmnp"]


def orders(n=400, seed=0, wrong=True):
    """A table with a rule of each kind, each broken in one row."""
    draw = np.random.default_rng(seed)
    at = draw.integers(0, len(WORDS), (n, 2))
    frame = pd.DataFrame({"id": [f"T{k:05}" for k in range(n)]})
    frame["source"] = np.array(WORDS)[at[:, 0]]
    frame["goal"] = np.array(WORDS)[at[:, 1]]
    frame["land"] = [f"land {k % 6}" for k in at[:, 0]]
    begin = np.datetime64("2020-01-01") + draw.integers(0, 900, n)
    frame["begin"] = begin.astype(str)
    frame["end"] = (begin + draw.integers(0, 60, n)).astype(str)
    frame["net"] = np.round(draw.uniform(10, 90, n), 2)
    frame["tax"] = np.round(draw.uniform(1, 9, n), 2)
    frame["total"] = np.round(frame["net"] + frame["tax"], 2)
    if wrong:
        frame.loc[11, "land"] = f"land {(at[11, 0] + 1) % 6}"
        frame.loc[12, "end"] = "1920-05-05"
        frame.loc[13, "total"] += 31
        frame.loc[14, "id"] = "T00002"
        frame.loc[15, "goal"] = "Neusptad"
    return cellval.read(frame, label=None)


KINDS = {"settles", "order", "sum", "unique", "domain"}


@pytest.fixture(scope="module")
def asked():
    table = orders()
    return table, taught(make_suspicion(table, None, surprise(table)), {})


def test_rules_of_each_kind_are_found_kept_and_checked_in_the_next_file(asked):
    table, state = asked
    found = {one.rule.kind: one for one in state.findings if one.rule}
    assert set(found) == KINDS
    work = Work()
    for one in found.values():
        answer_rule(work, one.key, "accepted", one.rule)
    recipe = recipe_of(table, work)
    assert {one.rule.kind for one in broken(recipe, orders(seed=1))} == KINDS
    for one in broken(recipe, orders(seed=1)):
        assert {*one.rows.tolist()} <= {2, 11, 12, 13, 14, 15}, one.title
    assert broken(recipe, orders(seed=1, wrong=False)) == []
    asked = cellval.findings(orders(seed=1), rules=recipe.rules)
    sure = {one.rule.kind for one in asked if one.rule and one.sure == 1.0}
    assert sure == KINDS == {one.rule.kind for one in asked if one.rule}


def test_refused_rules_of_each_kind_are_asked_nowhere(asked):
    table, state = asked
    work = Work()
    for one in state.findings:
        if one.rule:
            answer_rule(work, one.key, "refused", one.rule)
    now = with_rules(table, state, work.rules, {})
    assert not [one for one in now.findings if one.rule]
    assert len(now.findings) + len(now.answered) == len(state.findings)
    recipe = recipe_of(table, work)
    found = cellval.check(orders(seed=1), recipe=recipe).findings
    assert not [one for one in found if one.rule]
    asked = cellval.findings(orders(seed=1), rules=recipe.rules)
    assert asked and not [one for one in asked if one.rule]
    kept = cellval.check(orders(seed=1)).findings
    assert {one.rule.kind for one in kept if one.rule} == KINDS


def test_the_finding_of_a_kept_rule_knows_it(table):
    assert finding_of(STRICT, table, "You keep").rule == STRICT
