"""What columns are worth, with errors and the spread of their cells."""

import numpy as np
from cases import values_of

from cellval.figures.columns import column_bars
from cellval.views.column_facts import column_facts
from cellval.views.value_view import ValueView, value_view


def test_columns_have_bars_with_errors_and_a_spread(davis):
    _, values = davis
    view = value_view(values)
    figure = column_bars(view, np.array([2, 0]))
    bars, boxes, dots = figure.data
    unit = view.column_unit
    np.testing.assert_allclose(bars.x, values.column_values[[2, 0]] * unit.factor)
    np.testing.assert_allclose(
        bars.error_x.array, values.column_stderr[[2, 0]] * unit.factor
    )
    assert [data[0] for data in bars.customdata] == [2, 0]
    np.testing.assert_allclose(
        boxes.median, np.median(values.values[:, [2, 0]], axis=0) * view.unit.factor
    )
    np.testing.assert_allclose(
        dots.x, values.values[:, [2, 0]].min(axis=0) * view.unit.factor
    )


def test_without_values_there_are_bars_but_no_spread(davis):
    table, _ = davis
    values = values_of(table, np.full((200, 4), np.nan))
    figure = column_bars(value_view(values), np.arange(4))
    assert [trace.type for trace in figure.data] == ["bar"]


def test_text_of_a_file_is_shown_as_text(nasty, shows_text):
    assert shows_text(column_bars(ValueView(nasty[1]), np.arange(1)))


def test_a_bar_tells_suspects_and_missing_cells(davis, ranked):
    table, values = davis
    facts = column_facts(values, table, ranked)
    bars = column_bars(value_view(values), np.array([0, 2]), facts).data[0]
    assert "1 suspicious cell<br>0 % of its cells are missing" in bars.customdata[0][2]
    assert "0 suspicious cells<br>8 %" in bars.customdata[1][2]
