"""Cells in figures: what points know, where frames are."""

import numpy as np
import pytest
from cases import make_table, values_of

from cellval.figures.cells import (
    SUSPICION_TICKS,
    cell_data,
    colours,
    decades,
    frames,
    held_out,
    placed,
    point_data,
    scaled,
)
from cellval.figures.palette import HELD_OUT
from cellval.values.settings import Settings
from cellval.views.value_view import ValueView, value_view


def test_points_know_their_cell_whatever_the_order(davis):
    _, values = davis
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
            "",  # it has no id but its number
            f", class {values.labels[i]}",
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
    around = colours(2.0, 10.0, Settings(middle=1.0))
    assert (around["zmin"], around["zmid"], around["zmax"]) == (-10.0, 10.0, 30.0)
    assert colours(0.0)["zmin"] < 0 < colours(0.0)["zmax"]
    assert scaled(np.array([0.5, np.nan]), 100).dtype == np.float32


@pytest.mark.parametrize("middle", [0.1, 0.5, 0.9])
def test_a_scale_stays_within_what_is_possible_and_colours_keep_their_meaning(middle):
    limit = 0.4
    made = colours(limit, 100, Settings(method="oob", middle=middle))
    assert (made["zmin"], made["zmax"]) == pytest.approx(
        (100 * max(0, middle - limit), 100 * min(1, middle + limit))
    )
    places, codes = zip(*made["colorscale"], strict=True)
    assert (places[0], places[-1]) == (0, 1)
    neutral = dict(zip(codes, places, strict=True))["#f4f4f1"]
    at = made["zmin"] + neutral * (made["zmax"] - made["zmin"])
    assert at == pytest.approx(100 * middle)


def test_suspicion_is_drawn_by_decades_up_to_one_in_a_million():
    drawn = decades(np.array([1.0, 0.01, 1e-6, 0.0]))
    assert drawn.tolist() == pytest.approx([0, 2, 6, 6])
    for at, words in SUSPICION_TICKS.items():
        assert float(words) == 10.0**-at  # a number, as in the list: no share of cells


def test_only_cells_without_a_value_are_held_out():
    assert held_out(np.zeros((2, 2))) == []
    (grey,) = held_out(np.array([[1.0, np.nan]]))
    assert np.isnan(grey["z"]).tolist() == [[True, False]]
    assert grey["colorscale"][0][1] == HELD_OUT
