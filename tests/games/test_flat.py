"""Every cell a player, absent ones filled with means."""

import numpy as np
import pytest
from cases import random_table
from sklearn.tree import DecisionTreeClassifier

from cellval.games.flat import FlatRounds, FlatUtility, filled, flat_stretch
from cellval.games.model_utility import ModelUtility
from cellval.parallel import drive


def test_flat_rounds_average_to_the_shapley_value_of_cells():
    weights = np.random.default_rng(0).normal(size=(2, 2))

    def h(there):
        return float((weights * there).sum() + 2.0 * there[0].all())

    run = FlatRounds(h, 2, 2)
    whole = [flat_stretch(h, (2, 2), (0, r), 0, run.size) for r in range(400)]
    rounds = [run.marginal((0, r), u) for r, u in enumerate(whole)]
    expected = weights + np.array([[1.0, 1.0], [0.0, 0.0]])
    np.testing.assert_allclose(np.mean(rounds, axis=0), expected, atol=0.15)
    assert np.sum(rounds[0]) == pytest.approx(h(np.ones((2, 2), bool)))


def test_absent_cells_are_filled_with_the_mean_of_the_present():
    cells = np.array([[1.0, 2.0], [3.0, 4.0], [8.0, 6.0]])
    there = np.array([[True, False], [True, True], [False, True]])
    expected = [[1.0, 5.0], [3.0, 4.0], [2.0, 6.0]]
    np.testing.assert_array_equal(filled(cells, there), expected)


def test_the_rounds_of_cells_are_driven_like_those_of_rows_and_columns():
    weights = np.random.default_rng(1).normal(size=(3, 2))
    run = FlatRounds(lambda there: float((weights * there).sum()), 3, 2, rounds=4)
    *_, last = drive(run, n_jobs=2)
    np.testing.assert_allclose(last.result.values, weights)
    assert last.seen == "4 of 4 rounds"
    assert last.result.n_evaluations == 4 * 6


def test_a_model_sees_the_means_of_absent_cells():
    table = random_table(0, 20, ["number", "category"])
    model = ModelUtility(
        DecisionTreeClassifier(random_state=0), table, table, empty=0.5
    )
    h = FlatUtility(model)
    everything = np.ones((20, 2), bool)
    assert h(~everything) == 0.5
    assert h(everything) == model.score_of(model.data.train)
    only_numbers = everything & [True, False]
    seen = model.data.train.copy()
    seen[:, 1:] = 0
    assert h(only_numbers) == model.score_of(seen)
