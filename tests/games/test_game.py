"""A table, a utility and a method, checked before a run."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import cellval
from cellval.errors import InputError
from cellval.games.game import make_game
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


@pytest.mark.parametrize("worth", [float("nan"), None, "much"])
def test_a_function_must_return_numbers(worth, davis):
    with pytest.raises(InputError, match="Your function returned"):
        cellval.value_cells(davis, method="loo", model=lambda r, c: worth)


def test_test_rows_of_other_classes_are_refused(davis):
    other = davis.cells.assign(sex="X").iloc[:5].copy()
    other.iloc[0, 0] = "Y"
    with pytest.raises(InputError, match="no class of"):
        cellval.value_cells(davis, method="mc", test=other)
