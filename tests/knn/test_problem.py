"""Tables and options, checked and encoded before a run."""

import numpy as np
import pytest
from cases import make_table, random_table

import cellval
from cellval.values.words import test_words as words_of_tests

MIXED = ["number", "category", "decimal"]


def close(a, b):
    np.testing.assert_allclose(a, b, rtol=0, atol=1e-9)


# ---- running


def test_a_hold_out_values_the_other_rows_only():
    table = random_table(42, 40, MIXED)
    comp = cellval.value_cells(table, test=0.25)
    held = np.isnan(comp.values).any(axis=1)
    assert held.sum() == comp.n_test == 10
    assert "hold-out of 10 rows" in words_of_tests(comp.settings)
    assert (comp.lowest(None)["position"].isin(np.flatnonzero(~held))).all()
    close(np.nansum(comp.values), comp.total)


# ---- what a reviewer found


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
