"""From 0 to a row's value, largest contribution first."""

import numpy as np
import pytest
from cases import make_table, values_of

from cellval.figures.waterfall import waterfall
from cellval.values.words import Unit
from cellval.views.row_detail import MAX_BARS
from cellval.views.value_view import ValueView, value_view


def test_the_waterfall_ends_at_the_row_value_largest_first(davis):
    _, values = davis
    unit = value_view(values).row_unit
    figure = waterfall(values.explain(12), values.row_values[11], unit)
    bars = figure.data[0]
    assert sum(bars.x[:-1]) == pytest.approx(bars.x[-1])
    assert bars.x[-1] == pytest.approx(values.row_values[11] * unit.factor)
    assert (np.diff(np.abs(bars.x[:-1])) <= 0).all()
    assert list(bars.measure) == ["relative"] * 4 + ["total"]
    assert any("weight = <b>166</b>" in text for text in figure.layout.yaxis.ticktext)


def test_a_long_waterfall_is_folded_and_still_sums():
    rng = np.random.default_rng(0)
    table = make_table([("number", [1, 2])] * 30, [0, 1])
    values = values_of(table, rng.normal(size=(2, 30)))
    explained = values.explain(1)
    figure = waterfall(explained, values.row_values[0], Unit.of(1.0))
    bars = figure.data[0]
    assert len(bars.x) == MAX_BARS + 1
    assert "19 other columns" in figure.layout.yaxis.ticktext[-2]
    assert sum(bars.x[:-1]) == pytest.approx(100 * values.row_values[0])
    low, high = figure.layout.xaxis.range
    path = np.cumsum(bars.x[:-1])
    assert low < min(path.min(), 0) <= max(path.max(), 0) < high


def test_two_waterfalls_can_have_one_scale(davis):
    _, values = davis
    unit = value_view(values).row_unit
    first, second = (
        waterfall(
            values.explain(row), values.row_values[row - 1], unit, limits=(-0.1, 0.3)
        )
        for row in (12, 13)
    )
    assert first.layout.xaxis.range == second.layout.xaxis.range


def test_text_of_a_file_is_shown_as_text(nasty, shows_text):
    values = nasty[1]
    unit = ValueView(values).row_unit
    assert shows_text(waterfall(values.explain(1), 0.1, unit))
