"""Rules between columns: found where they hold, not where columns only agree often."""

import numpy as np
import pandas as pd
import pytest
from cases import shuffled

import cellval
from cellval.detect import rules
from cellval.detect.rules import Coded, Groups, _counts, dependencies, exceptions
from cellval.detect.surprise import surprise


def hospitals(n=400, seed=0):
    """A number that settles city and state; measures that settle nothing."""
    rng = np.random.default_rng(seed)
    number = rng.integers(0, 40, n)
    city = np.array([f"city {k % 23}" for k in range(40)])[number]
    state = np.array(list("abcd"))[(number % 23) % 4]
    score, y = rng.integers(0, 30, n), rng.choice(["u", "v"], n)
    return pd.DataFrame(
        {"number": number, "city": city, "state": state, "score": score, "y": y}
    ).astype(str)


def read(frame, **how):
    return cellval.read(frame.to_csv(index=False).encode(), **{"label": None} | how)


def names(table):
    return {(rule.given, rule.target) for rule in dependencies(table)}


def test_what_settles_another_column_is_found_and_nothing_else():
    table = read(hospitals())
    assert names(table) == {("number", "city"), ("number", "state"), ("city", "state")}
    assert exceptions(table) == {}
    for rule in dependencies(table):
        assert rule.n_exceptions == 0 and rule.by_chance > 100


def test_cells_that_break_it_are_named_with_what_the_others_hold():
    frame = hospitals()
    true = {(7, "city"): frame["city"][7], (33, "state"): frame["state"][33]}
    frame.loc[7, "city"], frame.loc[33, "state"] = "cxty", "z"
    table = read(frame)
    found = exceptions(table)
    assert set(found) == set(true)
    for cell, (rule, k) in found.items():
        assert rule.usual[k] == true[cell]
    rule, k = found[7, "city"]
    n = int((frame["number"] == frame["number"][7]).sum())
    assert rule.sentence(table, k) == (
        f"Where number is {frame['number'][7]}, {n - 1} of {n} rows have "
        f"'{true[7, 'city']}'."
    )


def test_a_broken_rule_is_a_suspect_with_a_suggestion():
    frame = hospitals()
    meant, frame.loc[7, "city"] = frame["city"][7], "city 99"
    table = read(frame, kinds={"city": "category"})
    j = table.feature_names.index("city")
    assert surprise(table).surprise[7, j] == 0
    first = cellval.suspects(table).iloc[0]
    assert (first["row_number"], first["column"]) == (8, "city")
    assert first["suggestion"] == meant
    assert "rows with the same number have it" in first["why"]


@pytest.mark.parametrize("seed", range(5))
def test_shuffled_columns_have_no_rules(seed):
    rng = np.random.default_rng(seed)
    frame = hospitals(120, seed)
    wide = pd.DataFrame({f"x{k}": rng.integers(0, 6, 120) for k in range(25)})
    frame = pd.concat([frame, wide.astype(str)], axis=1)
    assert names(read(shuffled(frame, rng))) == set()


def test_what_is_only_likely_is_no_rule():
    """A class that a score foretells well, but in the middle: some groups are torn."""
    rng = np.random.default_rng(0)
    score = rng.integers(0, 10, 2000)
    ill = rng.random(2000) < 1 / (1 + np.exp(-3.0 * (score - 4.5)))
    table = read(pd.DataFrame({"score": score, "ill": ill.astype(int)}).astype(str))
    agree = pd.Series(ill).groupby(score).agg(lambda x: max(x.mean(), 1 - x.mean()))
    assert agree[pd.Series(score)].mean() > 0.9  # a plain count would call it a rule
    assert names(table) == set()


def test_a_group_of_two_kinds_is_no_exception():
    """A city with two hospitals: those of the smaller one are no errors."""
    frame = hospitals()
    other = np.flatnonzero(frame["number"] == "3")[:4]
    frame.loc[other, "city"] = "elsewhere"
    assert not {cell for cell in exceptions(read(frame)) if cell[0] in other}


def test_blanks_break_a_rule_but_make_none():
    frame = hospitals()
    frame.loc[5, "city"] = ""
    found = exceptions(read(frame))
    assert set(found) == {(5, "city")}
    frame["remark"] = ""
    frame.loc[::97, "remark"] = "seen"
    assert "remark" not in {target for _, target in names(read(frame))}


@pytest.mark.parametrize("seed", range(40))
def test_what_is_counted_soon_is_what_the_groups_hold(seed):
    draw = np.random.default_rng(seed)
    n, blank = int(draw.integers(1, 60)), draw.choice([0, 0.5, 0.9], 2)
    a, b = (
        Coded.of(pd.Series(np.where(draw.random(n) < share, "", held.astype(str))))
        for share, held in zip(blank, draw.integers(0, [[8], [3]], (2, n)), strict=True)
    )
    groups = Groups.of(a, b, b.codes)
    counted = groups.usual[a.codes] >= 0
    found = (groups.usual >= 0).sum(), counted.sum(), groups.breaks.sum()
    assert _counts(a, b) == found


def test_large_tables_are_judged_by_some_rows(monkeypatch):
    frame = hospitals(3000)
    frame.loc[2999, "city"] = "cxty"
    whole = set(exceptions(read(frame)))
    monkeypatch.setattr(rules, "MOST_JUDGED", 600)
    assert set(exceptions(read(frame))) == whole == {(2999, "city")}


@pytest.mark.parametrize(
    "raw", [b"x\n1\n2\n", b"x,y\n1,2\n2,3\n", b"x,y\n1,\n1,\n3,2\n4,5\n"]
)
def test_small_and_odd_tables_have_none(raw):
    assert dependencies(cellval.read(raw, label=None)) == ()


def test_words_for_missing_are_asked_once_not_cell_by_cell():
    frame = hospitals()
    frame.loc[:20, "score"] = "empty"
    frame.loc[30, "score"] = "many"
    table = read(frame, kinds={"score": "number"})
    j, odd = table.feature_names.index("score"), surprise(table).misfits
    assert {i for i, at in odd if at == j} == {30}
