"""Rows that follow each other: what they lead to is in step."""

import numpy as np
import pandas as pd

import cellval
from cellval.detect.series import in_step
from cellval.detect.surprise import surprise

RNG = np.random.default_rng(0)
WALK = (np.cumsum(RNG.normal(size=400)) + np.arange(400)).round(3)


def table_of(**columns):
    return cellval.Table.from_frame(pd.DataFrame(columns), label=None)


def test_a_series_is_recognised_and_a_spike_in_it():
    x = WALK.copy()
    x[200] += 40
    steady = in_step(table_of(x=x, z=RNG.normal(size=400)))
    assert not steady[200, 0] and steady[:, 0].mean() > 0.5
    assert not steady[:, 1].any()  # order says nothing there


def test_copies_of_a_row_do_not_vouch_for_it():
    x = WALK.copy()
    x[200] += 40
    twice = np.repeat(np.arange(400), 3)
    table = table_of(x=x[twice], z=RNG.normal(size=400)[twice])
    assert not in_step(table)[600:603, 0].any()


def test_categories_that_follow_each_other():
    state = np.repeat(np.resize(["idle", "run", "stop"], 40), 10).astype(object)
    state[55] = "idle" if state[55] != "idle" else "run"
    table = table_of(x=state, z=RNG.normal(size=400))
    steady = in_step(table)
    assert not steady[55, 0] and np.delete(steady[:, 0], 55).all()


def test_what_is_in_step_is_not_surprising():
    level = np.where(np.arange(600) % 200 < 190, 5.0, 400.0 + np.arange(600) % 200)
    other = RNG.normal(size=600).round(3)
    following = surprise(table_of(x=level, z=other)).surprise[195, 0]
    order = RNG.permutation(600)
    shuffled = surprise(table_of(x=level[order], z=other[order])).surprise
    assert following == 1.0 and shuffled[order == 195, 0] < 0.1


def test_shuffled_and_little_tables_have_no_order():
    assert (in_step(table_of(x=RNG.permutation(WALK), z=WALK[::-1]))[:, 0] == 0).all()
    assert (in_step(table_of(x=[1.0, 2.0], z=["a", "b"])) == 0).all()
    gone = np.where(np.arange(80) < 78, np.nan, 3.0) + np.arange(80) % 2
    assert (in_step(table_of(x=gone, z=WALK[:80]))[:, 0] == 0).all()
    huge = table_of(x=np.resize([1e308, -1e308, 0.0], 90), z=np.arange(90.0))
    assert in_step(huge).shape == (90, 1)


def test_in_a_sorted_column_nothing_is_in_step():
    x = np.sort(np.append(RNG.integers(20, 70, 300), [187, 193, 201]))
    table = table_of(x=x, z=RNG.normal(size=303))
    assert not in_step(table)[:, 0].any()
    flagged = {
        int(i) for one in cellval.findings(table) if one.is_flagged for i in one.rows
    }
    assert {300, 301, 302} <= flagged
