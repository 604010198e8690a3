"""Likely suggestions for many cells."""

import numpy as np
import pytest

import cellval
from cellval.detect.suggestions import best_suggestions, suggested_text
from cellval.detect.surprise import surprise
from cellval.detect.suspicion import make_suspicion
from cellval.views import suggested as module
from cellval.views.suggested import suggested, suggested_for


@pytest.fixture(scope="module")
def davis():
    table = cellval.read("sample_data/davis.csv", label="sex")
    return make_suspicion(table, None, surprise(table))


def test_they_are_those_of_lists_and_looked_for_once(davis, monkeypatch):
    rows, columns = np.unravel_index(davis.order[:20], davis.scores.shape)
    where = davis.surprise, davis.table, rows, columns
    texts = [*map(suggested_text, suggested(*where))]
    assert texts == [
        *map(
            suggested_text, best_suggestions(davis.table, davis.surprise, rows, columns)
        )
    ]
    monkeypatch.setattr(module, "best_suggestions", None)
    assert [*map(suggested_text, suggested(*where))] == texts


def test_by_row_number_only_cells_that_have_one_are_named(davis):
    cells = [(12, "weight"), (1, "weight"), (12, "sex"), (999, "weight")]
    found = suggested_for(davis, cells)
    assert {cell: best.text for cell, best in found.items()} == {(12, "weight"): "57"}
    assert suggested_for(davis, []) == {}
    assert suggested_for(None, cells) == {}
