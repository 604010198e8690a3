"""A table, a utility and a method, checked before a run."""

from dataclasses import replace

import numpy as np
import pytest
from cases import message_of, number_table
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import cellval
from cellval.errors import InputError
from cellval.games.game import make_game
from cellval.table.labels import usual_width
from cellval.table.table import Table
from cellval.values.options import RunOptions
from cellval.values.words import model_words
from cellval.values.words import test_words as words_of_tests


def test_held_out_rows_have_no_value_and_are_stated(davis):
    values = cellval.value_cells(davis, method="loo", test=0.25)
    assert np.isnan(values.row_values).sum() == 50 == values.n_test
    assert "hold-out of 50 rows" in words_of_tests(values.settings)


def test_any_classifier_and_any_function_serve(davis):
    few = Table.from_frame(davis.cells.iloc[:30], label="sex")
    named = cellval.value_cells(few, method="loo", model=GaussianNB(), n_jobs=1)
    assert model_words(named.settings) == "GaussianNB()"
    own = cellval.value_cells(
        davis, method="loo", model=lambda r, c: float(len(r) * len(c))
    )
    np.testing.assert_allclose(own.values, 1.0)
    assert model_words(own.settings) == "your function"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"method": "shap"}, "'knn', 'oob'"),
        ({"method": "mc", "subsets": "all"}, "subsets is no option of method='mc'"),
        ({"method": "knn", "rounds": 5}, "rounds is no option of method='knn'"),
        ({"method": "exact"}, "2\\^144 times.*16 rows and columns"),
        ({"method": "mc", "model": "svm"}, "'knn', 'tree', 'logistic'"),
        ({"method": "flat", "model": "knn"}, "can neither fill absent cells"),
        ({"method": "loo", "truncation": 0.1}, "truncation is no option"),
        ({"method": "loo", "row_weights": "banzhaf"}, "row_weights is no option"),
        ({"method": "mc", "rounds": 0}, "1 or more"),
        ({"method": "mc", "row_weights": "owen"}, "banzhaf"),
        ({"method": "mc", "test": 1.5}, "between 0 and 1"),
        ({"method": "mc", "model": DecisionTreeClassifier}, "with brackets"),
        ({"method": "mc", "model": Ridge()}, "does not predict classes"),
        ({"method": "oob", "test": 0.3}, "test is no option"),
        ({"method": "flat", "model": len}, "measures by itself"),
        ({"method": "mc", "model": len, "scoring": "balanced"}, "measures by itself"),
    ],
)
def test_what_is_not_possible_is_said(options, words, davis):
    with pytest.raises(InputError, match=words):
        cellval.value_cells(davis, **options)


def test_a_balanced_guess_is_one_in_the_number_of_classes(davis):
    game = make_game(
        davis, RunOptions(method="mc", baseline="chance", scoring="balanced")
    )
    assert game.h.empty == pytest.approx(0.5)


@pytest.mark.parametrize("model", ["tree", "logistic", "boosting", "knn", Ridge()])
def test_numbers_are_valued_by_the_closeness_of_any_regressor(model):
    table = number_table(40, 0)
    options = {"method": "loo", "model": model, "n_neighbors": 3, "test": 0.25}
    values = cellval.value_cells(table, **options, n_jobs=1)
    assert values.settings.scoring == "closeness"
    assert values.settings.width == usual_width(table.target)
    assert np.nanmax(np.abs(values.values)) < 2
    # every band is held out in the same share
    held_out = np.isnan(values.row_values)
    assert np.bincount(table.y[held_out]).tolist() == [2] * 5
    wider = cellval.value_cells(table, **options, width=90.0, n_jobs=1)
    assert wider.settings.width == 90 and (wider.values != values.values).any()


def test_a_guess_of_numbers_is_the_mean_closeness_of_two_rows():
    table = number_table(50, 1)
    game = make_game(table, RunOptions(method="mc", baseline="chance", width=12.0))
    apart = np.abs(game.h.test.target[:, None] - game.h.table.target)
    expected = np.maximum(0, 1 - apart / 12).mean()
    assert game.h.empty == pytest.approx(expected)
    assert 0 < expected < game.h(np.arange(35), np.arange(3)) < 1


@pytest.mark.parametrize("method", ["mc", "oob", "random", "knn"])
def test_without_a_label_nothing_is_valued(method):
    table = number_table(30, 2)
    words = message_of(cellval.value_cells, replace(table, label=""), method=method)
    assert "without a label" in words


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"method": "mc", "scoring": "balanced"}, "'balanced' is for classes"),
        ({"method": "mc", "model": GaussianNB()}, "does not predict numbers"),
        ({"method": "mc", "model": "svm"}, "or a scikit-learn regressor"),
        ({"method": "loo", "model": len, "width": 3.0}, "measures by itself"),
    ],
)
def test_what_is_not_possible_with_numbers_is_said(options, words):
    assert words in message_of(cellval.value_cells, number_table(30, 2), **options)


@pytest.mark.parametrize("worth", [float("nan"), None, "much"])
def test_a_function_must_return_numbers(worth, davis):
    with pytest.raises(InputError, match="Your function returned"):
        cellval.value_cells(davis, method="loo", model=lambda r, c: worth)


def test_test_rows_of_other_classes_are_refused(davis):
    other = davis.cells.assign(sex="X").iloc[:5].copy()
    other.iloc[0, 0] = "Y"
    with pytest.raises(InputError, match="no class of"):
        cellval.value_cells(davis, method="mc", test=other)
