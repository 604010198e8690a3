"""Pairs of rows to compare."""

import numpy as np
import pytest
from cases import make_table, values_of

import cellval
from cellval.views import pairs
from cellval.views.table_view import nearest


@pytest.fixture(scope="module")
def davis():
    table = cellval.read("sample_data/davis.csv", label="sex")
    return table, cellval.value_cells(table, n_neighbors=5)


def test_pairs_with_alike_values_differ_in_their_cells(davis):
    _, values = davis
    found = pairs.alike_values_pairs(values)
    assert found
    rows = [i for pair in found for i in (pair.first, pair.second)]
    assert len(rows) == len(set(rows))
    spread = np.ptp(values.row_values)
    for pair in found:
        a, b = pair.first, pair.second
        assert abs(values.row_values[a] - values.row_values[b]) < 0.05 * spread
    apart = [
        np.linalg.norm(values.values[p.first] - values.values[p.second]) for p in found
    ]
    typical = np.linalg.norm(np.diff(values.values, axis=0), axis=1)
    assert min(apart) > np.median(typical)


def test_pairs_of_alike_rows_differ_in_their_values(davis):
    table, values = davis
    found = pairs.alike_rows_pairs(values, table)
    assert found
    typical = np.median(np.abs(np.diff(values.row_values)))
    for pair in found[:3]:
        gap = abs(values.row_values[pair.first] - values.row_values[pair.second])
        assert gap > typical
        near, _ = nearest(table, pair.first, 40)
        assert pair.second in near


def test_pairs_of_a_table_with_one_valued_row():
    table = make_table([("number", [1, 2])], [0, 1])
    values = values_of(table, [[0.5], [np.nan]])
    assert pairs.alike_values_pairs(values) == []
    assert pairs.alike_rows_pairs(values, table) == []
