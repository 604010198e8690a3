"""Likely suggestions for many cells."""

import pytest

import cellval
from cellval.detect.surprise import surprise
from cellval.detect.suspicion import make_suspicion
from cellval.views.suggested import suggested_for


@pytest.fixture(scope="module")
def davis():
    table = cellval.read("sample_data/davis.csv", label="sex")
    return make_suspicion(table, None, surprise(table))


def test_by_row_number_only_cells_that_have_one_are_named(davis):
    cells = [(12, "weight"), (1, "weight"), (12, "sex"), (999, "weight")]
    found = suggested_for(davis, cells)
    assert {cell: best.text for cell, best in found.items()} == {(12, "weight"): "57"}
    assert suggested_for(davis, []) == {}
    assert suggested_for(None, cells) == {}
