"""Tables and options, checked and encoded before a run."""

from dataclasses import replace

import numpy as np
import pytest
from cases import make_table, random_table

import cellval
from cellval.knn.problem import distinct, make_problem, weights_of_tests
from cellval.values.options import RunOptions
from cellval.values.words import test_words as words_of_tests

MIXED = ["number", "category", "decimal"]


def close(a, b):
    np.testing.assert_allclose(a, b, rtol=0, atol=1e-9)


def test_a_hold_out_values_the_other_rows_only():
    table = random_table(42, 40, MIXED)
    comp = cellval.value_cells(table, test=0.25)
    held = np.isnan(comp.values).any(axis=1)
    assert held.sum() == comp.n_test == 10
    assert "hold-out of 10 rows" in words_of_tests(comp.settings)
    assert (comp.lowest(None)["position"].isin(np.flatnonzero(~held))).all()
    close(np.nansum(comp.values), comp.total)


def test_a_test_table_without_a_common_class_is_refused():
    table = random_table(63, 10, MIXED)
    cells = [("number", [1]), ("category", [0]), ("number", [1])]
    test = make_table(cells, [2], classes=("x", "y", "z"))
    with pytest.raises(cellval.InputError, match="no class of"):
        cellval.value_cells(table, test=test)


def test_balanced_scoring_counts_every_class_of_the_test_table():
    table = make_table([("number", [1, 2, 8, 9])], [0, 0, 1, 1])
    test = make_table(
        [("number", [1, 2, 5])], [0, 0, 2], name="test", classes=("no", "yes", "other")
    )
    comp = cellval.value_cells(table, test=test, n_neighbors=1, scoring="balanced")
    close(comp.total, 0.5)  # one class always right, one never


def test_equal_rows_are_taken_once_in_exact_runs_only():
    columns = [("number", [1, 1, 3, 1, None, None]), ("category", [0, 0, 1, 0, 2, 2])]
    table = make_table(columns, [0, 0, 1, 1, 1, 1])
    exact = make_problem(table, RunOptions(subsets="all"))
    by_row = exact.tests.times[exact.tests.own.argsort()]
    assert exact.rows.copies.tolist() == by_row.tolist()
    assert sorted(exact.rows.copies.tolist()) == [1, 1, 2, 2]
    assert exact.of_row[0] == exact.of_row[1] != exact.of_row[3]
    assert exact.of_row[4] == exact.of_row[5]
    sampled = make_problem(table, RunOptions(subsets=1))
    assert sampled.rows.y.size == sampled.tests.y.size == 6
    assert sampled.rows.copies.size == 0


def test_distinct_rows_tell_missing_from_zero_but_not_zero_from_its_negative():
    cells = np.array([[0.0, -0.0, np.nan, np.nan, 0.0]], np.float32)
    first, which, count = distinct(cells, np.array([1, 1, 1, 1, 0]))
    assert sorted(count.tolist()) == [1, 2, 2]
    assert which[0] == which[1] and which[2] == which[3] and which[4] != which[0]
    np.testing.assert_array_equal(which[first], np.arange(3))


def test_every_class_has_the_same_say_in_a_balanced_score():
    weights = weights_of_tests(np.array([0, 0, 0, 1]), "balanced")
    np.testing.assert_allclose(weights, [2 / 3, 2 / 3, 2 / 3, 2])
    assert weights_of_tests(np.array([0, 0, 1]), "accuracy").tolist() == [1, 1, 1]


def test_settings_are_fields_that_say_how_values_will_be_made():
    table = random_table(1, 20, MIXED)
    test = random_table(2, 5, MIXED, name="others")
    near = RunOptions(
        n_neighbors=3, near=7, baseline="chance", column_weights="Banzhaf"
    )
    settings = make_problem(table, replace(near, test=test, random_state=4)).settings
    assert (settings.test, settings.test_name) == ("table", "others")
    assert test.fingerprint.startswith(settings.test_table)
    assert (settings.n_neighbors, settings.near, settings.random_state) == (3, 7, 4)
    assert (settings.baseline, settings.column_weights) == ("chance", "banzhaf")
    held = make_problem(table, replace(near, test=0.25)).settings
    assert (held.test, held.test_rows) == ("hold-out", 5)
    assert make_problem(table, near).settings.test == "leave-one-out"


def test_test_points_are_visited_in_an_order_that_follows_from_the_seed():
    table = random_table(3, 30, MIXED)
    orders = [
        make_problem(table, RunOptions(subsets=1, random_state=s)).tests.own.tolist()
        for s in (0, 0, 1)
    ]
    assert orders[0] == orders[1] != orders[2]
    assert sorted(orders[0]) == list(range(30))
