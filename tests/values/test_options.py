"""Every wrong value and every foreign option is refused with a sentence."""

import inspect
from dataclasses import fields

import numpy as np
import pytest
from cases import random_table

import cellval
from cellval.methods import METHODS, ROUNDS
from cellval.values.options import RunOptions

MIXED = ["number", "category", "decimal"]
TABLE = random_table(44, 10, MIXED)
OPTIONS = {option.name: option for option in fields(RunOptions)}
# of each option a value that is not the default
GIVEN = {
    "model": "logistic",
    "rounds": 7,
    "n_neighbors": 3,
    "test": 0.3,
    "subsets": 5,
    "baseline": "chance",
    "scoring": "balanced",
    "width": 2.5,
    "near": 9,
    "row_weights": "banzhaf",
    "column_weights": "banzhaf",
    "truncation": 0.1,
    "budget": 3.0,
    "target_stderr": 0.1,
    "random_state": 4,
    "backend": "auto",
}


@pytest.mark.parametrize(
    "text",
    [
        *("bazhaf", "", "beta", "beta(4)", "beta(1, 0)", "beta(-1, 2)", "beta(a, b)"),
        *("beta(1, 2, 3)", "beta(nan, 1)", "beta(inf, 1)", "beta(1e308, 1e308)"),
        *(None, 3),
    ],
)
def test_a_name_of_no_weights_is_refused_with_what_is_possible(text):
    with pytest.raises(cellval.InputError, match=r"column_weights.*'beta\(4, 1\)'"):
        cellval.iter_values(TABLE, column_weights=text)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_neighbors": 0}, "n_neighbors=0"),
        ({"n_neighbors": 2.5}, "n_neighbors=2.5"),
        ({"n_neighbors": True}, "n_neighbors=True"),
        ({"baseline": "one"}, "'zero' or 'chance'"),
        ({"baseline": ["zero"]}, "'zero' or 'chance'"),
        ({"scoring": "f1"}, "'accuracy' or 'balanced'"),
        ({"near": 0}, "near=0"),
        ({"backend": "gpu"}, "'cpu' or 'cuda' or 'auto'"),
        ({"near": 2.0}, "near=2.0"),
        ({"budget": -1}, "budget=-1"),
        ({"budget": float("nan")}, "budget=nan"),
        ({"budget": "3"}, "budget='3'"),
        ({"target_stderr": 0}, "target_stderr=0"),
        ({"random_state": -1}, "random_state=-1"),
        ({"random_state": None}, "random_state=None"),
        ({"subsets": "some"}, "subsets='some'"),
        ({"subsets": 0}, "subsets=0"),
        ({"subsets": 2.5}, "subsets=2.5"),
        ({"subsets": True}, "subsets=True"),
        ({"test": 1.5}, "between 0 and 1"),
        ({"test": 0.001}, "leaves no rows"),
        ({"test": "t.csv"}, "not understood"),
        ({"test": True}, "not understood"),
        ({"method": "shap"}, "'knn', 'oob'"),
        ({"method": "mc", "rounds": 0}, "None, or 1 or more"),
        ({"method": "mc", "truncation": 0}, "truncation=0"),
        ({"method": "mc", "row_weights": "owen"}, "row_weights.*'banzhaf'"),
        ({"method": "mc", "model": "svm"}, "'knn', 'tree', 'logistic'"),
        ({"neighbors": 3}, "no option 'neighbors'. Options are method, model"),
    ],
)
def test_impossible_settings_are_refused_with_a_sentence(options, words):
    with pytest.raises(cellval.InputError, match=words):
        list(cellval.iter_values(TABLE, **options))


def test_whole_numbers_of_numpy_are_whole_numbers():
    options = RunOptions(n_neighbors=np.int64(3), subsets=np.int32(5), near=np.int8(9))
    assert (options.n_neighbors, options.near) == (3, 9)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", GIVEN)
def test_a_method_takes_its_own_options_and_no_other(name, method):
    given = {"method": method, name: GIVEN[name]}
    if method in OPTIONS[name].metadata["of"]:
        options = RunOptions(**given)
        assert getattr(options, name) == GIVEN[name]
        assert options.is_given(OPTIONS[name])
    else:
        words = f"{name} is no option of method='{method}'"
        with pytest.raises(cellval.InputError, match=words):
            RunOptions(**given)


def test_every_option_was_tried():
    assert set(GIVEN) | {"method"} == set(OPTIONS)


@pytest.mark.parametrize("method", METHODS)
def test_defaults_are_never_foreign(method):
    written_out = {name: option.default for name, option in OPTIONS.items()}
    written_out["method"] = method
    assert RunOptions(**written_out) == RunOptions(method=method)


def test_tables_and_frames_are_given_options():
    for test in (TABLE, TABLE.cells):
        assert RunOptions(test=test).is_given(OPTIONS["test"])


def test_weights_are_kept_by_the_name_they_have():
    options = RunOptions(
        method="mc", row_weights=" Beta( 4.0,1)", column_weights="BANZHAF"
    )
    assert (options.row_weights, options.column_weights) == ("beta(4, 1)", "banzhaf")


@pytest.mark.parametrize("method", METHODS)
def test_rounds_have_a_default_of_their_method(method):
    assert RunOptions(method=method).n_rounds == ROUNDS.get(method, 1)
    if method in ROUNDS:
        assert RunOptions(method=method, rounds=3).n_rounds == 3


def test_budget_and_target_say_when_to_stop():
    stops = RunOptions(budget=2, target_stderr=0.5).stops_at
    assert (stops.seconds, stops.stderr) == (2, 0.5)


@pytest.mark.parametrize("name", OPTIONS)
def test_every_option_has_a_flag_a_line_and_methods_of_its_own(name):
    told = OPTIONS[name].metadata
    assert told["flag"].startswith("--")
    assert 5 < len(told["means"]) < 400
    assert set(told["of"]) <= set(METHODS)
    assert told["kind"] in (str, int, float)
    flags = [option.metadata["flag"] for option in OPTIONS.values()]
    assert flags.count(told["flag"]) == 1


def test_value_cells_takes_the_same_options_with_the_same_defaults():
    taken = inspect.signature(cellval.value_cells).parameters
    for name, option in OPTIONS.items():
        assert taken[name].default == option.default
