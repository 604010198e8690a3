"""Models by name: as utilities, with rows held out."""

import numpy as np
import pytest
from cases import number_table, two_sites
from sklearn.tree import DecisionTreeClassifier
from small_games import blocks_of

from cellval.errors import InputError
from cellval.games.blocks import BlockUtility
from cellval.games.groups import (
    columns_alone,
    columns_by_kind,
    rows_by_column,
)
from cellval.games.models import estimator_of, pipeline_of, split, utility_of


@pytest.mark.parametrize("model", ["logistic", "tree"])
def test_lines_of_models_equal_one_evaluation_after_another(model):
    table = two_sites()
    h = utility_of(table, model)
    rows = rows_by_column(table, "site").among(h.players)
    game = BlockUtility(h, rows, columns_by_kind(table))
    order, wanted = np.array([1, 0]), np.ones(3, bool)
    expected = [game([0], sorted(order[:f])) for f in range(3)]
    assert game.line(np.array([0]), order, wanted).tolist() == pytest.approx(expected)


@pytest.mark.parametrize("model", ["knn", "logistic", "tree", "boosting"])
def test_held_out_rows_belong_to_no_source(model):
    table = two_sites()
    h = utility_of(table, model, test=0.25)
    sources = rows_by_column(table, "site")
    blocks = blocks_of(h, sources, columns_by_kind(table), n_jobs=1)
    assert blocks.n_rows.sum() == h.players.sum() == 90
    everyone = np.flatnonzero(h.players)
    assert blocks.total == pytest.approx(h(everyone, np.arange(3)))
    assert blocks.total > 0.8 - 0.2 * (model == "knn")


@pytest.mark.parametrize("model", ["knn", "logistic", "tree", "boosting"])
def test_blocks_of_a_label_of_numbers(model):
    table = number_table(90, 0)
    h = utility_of(table, model, test=0.2, width=15.0)
    blocks = blocks_of(h, rows_by_column(table, "word"), columns_alone(table), n_jobs=1)
    assert blocks.total == pytest.approx(h(np.flatnonzero(h.players), np.arange(3)))
    assert 1 > blocks.total > blocks.guess > 0
    assert blocks.column_values[0] > blocks.column_values[2]
    if model != "knn":  # always the median
        train, test = (table.target[rows] for rows in (h.players, ~h.players))
        gaps = np.abs(test - np.median(train)) / 15
        assert blocks.guess == pytest.approx(np.maximum(0, 1 - gaps).mean())


def test_any_estimator_and_a_test_table():
    table, test = two_sites(seed=1), two_sites(seed=2)
    h = utility_of(table, DecisionTreeClassifier(random_state=0), test=test)
    blocks = blocks_of(h, rows_by_column(table, "site"), columns_alone(table))
    assert blocks.n_rows.tolist() == [60, 60]
    assert blocks.column_values[0] > blocks.column_values[2]
    with pytest.raises(InputError, match="is not possible here"):
        utility_of(table, "Oracle")


def test_a_table_is_split_into_players_and_test_rows():
    table = two_sites()
    players, train, tests = split(table, None, 0)
    assert train.n_rows == players.size == 84 and tests.n_rows == 36
    np.testing.assert_array_equal(train.y, table.y[players])
    again, _, _ = split(table, 0.3, 0)
    np.testing.assert_array_equal(players, again)
    everyone, whole, other = split(table, tests, 0)
    assert everyone.size == whole.n_rows == 120 and other is tests


def test_any_other_model_is_taken_as_it_is():
    model = DecisionTreeClassifier(max_depth=2)
    assert estimator_of(model) is model
    assert estimator_of("tree", 7).random_state == 7


@pytest.mark.parametrize("model", ["logistic", "boosting"])
@pytest.mark.parametrize("categories", [0, 1, 2])
def test_pipelines_learn_from_numbers_codes_and_gaps(model, categories):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 90)
    X = np.column_stack(
        [y + 0.2 * rng.normal(size=90), (y + (rng.random(90) < 0.1)) % 2]
    )
    X[::9, 0] = np.nan
    X[::7, 1] = np.nan
    is_category = np.arange(2) >= 2 - categories
    if categories == 2:
        X[:, 0] = np.round(X[:, 0])
    pipeline = pipeline_of(model, is_category, rounds=20, random_state=0)
    assert np.mean(pipeline.fit(X[:60], y[:60]).predict(X[60:]) == y[60:]) > 0.8


@pytest.mark.parametrize("model", ["logistic", "boosting"])
def test_pipelines_of_numbers_learn_from_numbers_codes_and_gaps(model):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=200), rng.integers(0, 3, 200)])
    y = 5 * X[:, 0] + np.array([0, 9, -4])[X[:, 1].astype(int)]
    X[::9, 0] = np.nan
    is_category, how = np.array([False, True]), {"rounds": 50, "random_state": 0}
    pipeline = pipeline_of(model, is_category, numbers=True, **how)
    assert pipeline.fit(X[:150], y[:150]).score(X[150:], y[150:]) > 0.7
