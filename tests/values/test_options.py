"""Every wrong value and every foreign option is refused with a sentence."""

import pytest
from cases import random_table

import cellval

MIXED = ["number", "category", "decimal"]


@pytest.mark.parametrize(
    "text",
    [
        *("bazhaf", "", "beta", "beta(4)", "beta(1, 0)", "beta(-1, 2)", "beta(a, b)"),
        *("beta(1, 2, 3)", "beta(nan, 1)", "beta(inf, 1)", "beta(1e308, 1e308)"),
        *(None, 3),
    ],
)
def test_a_name_of_no_weights_is_refused_with_what_is_possible(text):
    table = random_table(27, 10, MIXED)
    with pytest.raises(cellval.InputError, match=r"column_weights.*'beta\(4, 1\)'"):
        cellval.iter_values(table, column_weights=text)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_neighbors": 0}, "n_neighbors=0"),
        ({"n_neighbors": 2.5}, "n_neighbors=2.5"),
        ({"baseline": "one"}, "'zero' or 'chance'"),
        ({"scoring": "f1"}, "'accuracy' or 'balanced'"),
        ({"near": 0}, "near=0"),
        ({"budget": -1}, "budget=-1"),
        ({"target_stderr": 0}, "target_stderr=0"),
        ({"random_state": -1}, "random_state=-1"),
        ({"subsets": "some"}, "subsets='some'"),
        ({"subsets": 0}, "subsets=0"),
        ({"test": 1.5}, "between 0 and 1"),
        ({"test": 0.001}, "leaves no rows"),
        ({"test": "t.csv"}, "not understood"),
    ],
)
def test_impossible_settings_are_refused_with_a_sentence(options, words):
    with pytest.raises(cellval.InputError, match=words):
        cellval.value_cells(random_table(44, 10, MIXED), **options)
