"""Cells in figures: what points know, where frames are."""

import numpy as np
import pytest
from cases import make_table, values_of

from cellval.figures.cells import (
    cell_data,
    colours,
    frames,
    placed,
    point_data,
    scaled,
)
from cellval.views.value_view import ValueView, value_view


def test_points_know_their_cell_whatever_the_order(davis):
    table, values = davis
    view = value_view(values)
    rows, columns = np.array([150, 3, 150, 11]), np.array([2, 0, 1, 2])
    marks = ["p", "q", "r", "s"]
    for line, i, j, mark in zip(
        cell_data(view, rows, columns, marks), rows, columns, marks, strict=True
    ):
        assert line.tolist() == [
            i,
            j,
            values.column_names[j],
            values.cells.iat[i, j] or "(blank)",
            view.unit.with_error(values.values[i, j], values.stderr[i, j]),
            f"row {i + 1}",
            table.ids[i],
            values.labels[i],
            mark,
        ]


def test_a_cell_without_a_value_says_why():
    table = make_table([("number", [1, 2])], [0, 1])
    view = ValueView(values_of(table, [[0.1], [np.nan]]))
    known = cell_data(view, np.arange(2), np.zeros(2, int), ["", ""])
    assert "held out" not in known[0, 4]
    assert "held out" in known[1, 4]


def test_no_points_are_no_lines():
    assert point_data([]).shape == (0, 0)
    assert point_data([[1, "a"], [2, "b"]]).tolist() == [[1, "a"], [2, "b"]]


def test_cells_are_placed_where_they_are_drawn():
    rows, columns = np.array([9, 5, 7]), np.array([2, 0])
    assert placed(rows, columns, [(7, 2), (5, 0), (100, 2)]) == [(1, 1), (2, 0)]
    assert placed(rows, columns, []) == []


@pytest.mark.parametrize("turn", [False, True])
def test_a_frame_goes_around_its_cell(turn):
    line = frames([(3, 1)], "red", 2, turn=turn, half=0.7)
    x, y = (line["y"], line["x"]) if turn else (line["x"], line["y"])
    assert (min(x[:5]), max(x[:5])) == (0.5, 1.5)
    assert (min(y[:5]), max(y[:5])) == pytest.approx((2.3, 3.7))
    assert x[5] is None and y[5] is None


def test_colours_have_a_middle_and_are_never_without_room():
    around = colours(2.0, 1.0)
    assert (around["zmin"], around["zmid"], around["zmax"]) == (-1.0, 1.0, 3.0)
    assert colours(0.0)["zmin"] < 0 < colours(0.0)["zmax"]
    assert scaled(np.array([0.5, np.nan]), 100).dtype == np.float32
