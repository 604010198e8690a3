"""One row: its sum, its neighbours, what could be changed in it."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import cellval
from cellval.views import row_detail
from cellval.views.row_detail import (
    MAX_BARS,
    folded,
    in_one_order,
    is_low,
    lowest_rows,
    neighbours,
    row_suggestions,
    row_sum,
    rows_beside,
    running_limits,
)


def test_the_parts_of_a_row_sum_to_its_value(ranked):
    row = row_sum(ranked.values, 11)
    assert row.up + row.down == pytest.approx(row.total)
    assert row.n_up + row.n_down <= row.n_cells == 4
    worst = int(np.argmin(ranked.values.row_values))
    assert row_sum(ranked.values, worst).rank == 1
    assert row.n_rows == 200


def test_the_lowest_rows_have_values_and_come_lowest_first(ranked):
    values = cellval.value_cells(ranked.table, n_neighbors=5, test=0.8)
    found = lowest_rows(values)
    assert len(found) == 40  # the others are held out
    assert (np.diff(values.row_values[found]) >= 0).all()


def test_neighbours_are_told_apart_by_their_label(ranked):
    near = neighbours(ranked.table, ranked.values, 11)
    assert near.rows.size == 10 and 11 not in near.rows
    assert (np.diff(near.distances) >= 0).all()
    y = ranked.table.y
    assert near.same.tolist() == (y[near.rows] == y[11]).tolist()
    assert near.share == np.mean(y == y[11])
    assert near.columns == tuple(ranked.values.explain(12)["column"])


def test_a_row_is_low_by_its_value_or_a_flagged_cell(ranked):
    values = ranked.values
    highest = int(np.argmax(values.row_values))
    assert is_low(values, ranked, int(np.argmin(values.row_values)))
    assert not is_low(values, ranked, highest)
    assert ranked.n_flagged == 2 and 11 not in lowest_rows(values)[:1]
    assert is_low(values, ranked, 11)


def test_a_swap_is_one_change_of_two_cells(ranked):
    ((texts, why),) = row_suggestions(ranked.table, ranked, 11)
    assert texts == {"weight": "57", "height": "166"}
    assert why == "Swapped with 'height' in the same row."
    assert row_suggestions(ranked.table, None, 11) == []


class Wide:
    feature_names = tuple("abcdefgh")


def test_at_most_five_suspicious_cells_are_tried_worst_first(monkeypatch):
    odd = np.linspace(0.001, 0.009, 8)[None, ::-1]
    suspicion = SimpleNamespace(scores=odd, surprise=SimpleNamespace(surprise=odd))
    tried = []

    def suggest_many(table, found, cells):
        tried.extend(cells)
        return [()] * len(cells)

    monkeypatch.setattr(row_detail, "suggest_many", suggest_many)
    assert row_suggestions(Wide(), suspicion, 0) == []
    assert tried == [(0, 7), (0, 6), (0, 5), (0, 4), (0, 3)]


def explained(values):
    names = [f"c{k}" for k in range(len(values))]
    return pd.DataFrame(
        {"column": names, "cell": "x", "value": values, "stderr": [0.1] * len(values)}
    )


def test_a_short_list_stays_as_it_is():
    lines = explained([3.0] * MAX_BARS)
    assert folded(lines) is lines


def test_the_others_are_one_line_and_the_sum_stays():
    lines = explained(np.random.default_rng(0).normal(size=30))
    short = folded(lines)
    names = [f"c{k}" for k in range(11)]
    assert short["column"].tolist() == [*names, "19 other columns"]
    assert pd.isna(short["cell"].iat[-1])
    assert short["value"].sum() == pytest.approx(lines["value"].sum())
    assert short["stderr"].iat[-1] == pytest.approx(0.1 * np.sqrt(19))


def test_lines_before_and_after_a_change_are_in_the_order_of_the_first():
    now = explained([3.0, -2.0, 1.0])
    then = now.assign(value=[0.5, -2.0, 4.0]).iloc[[2, 1, 0]]
    left, right = in_one_order(now, then)
    assert left.equals(now)
    assert right["column"].tolist() == ["c0", "c1", "c2"]
    assert right["value"].tolist() == [0.5, -2.0, 4.0]


def test_of_many_columns_one_that_becomes_large_is_not_folded():
    now = explained(np.arange(30.0, 0, -1))
    then = now.assign(value=np.where(now["column"] == "c29", 90.0, now["value"]))
    for side in in_one_order(now, then):
        names = folded(side)["column"].tolist()
        assert names == [*(f"c{k}" for k in range(10)), "c29", "19 other columns"]


def test_limits_hold_the_whole_way_and_have_room():
    assert running_limits(np.array([3.0, -5.0, 1.0]), -1.0) == (-2.0, 3.0)
    assert running_limits(np.array([1.0, np.nan]), 1.0) == (0.0, 1.0)
    low, high = running_limits(np.zeros(2), 0.0)
    assert low < 0 < high


def test_rows_beside_one_are_the_next_in_value(ranked):
    values = ranked.values
    order = [int(i) for i in np.argsort(values.row_values, kind="stable")]
    assert rows_beside(values, order[0]) == (None, order[1])
    assert rows_beside(values, order[5]) == (order[4], order[6])
    assert rows_beside(values, order[-1]) == (order[-2], None)
