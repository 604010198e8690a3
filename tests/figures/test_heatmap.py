"""Cells as colours: every one is found, named and outlined in the right place."""

from dataclasses import replace

import numpy as np
import pytest
from cases import make_table, values_of

from cellval.figures.heatmap import ROWS_DOWN, heatmap
from cellval.figures.layout import MENU_PIXELS, text_pixels
from cellval.figures.palette import MARK, OUTLINE
from cellval.views.value_view import ValueView, value_view


def points_of(figure):
    found = (trace for trace in figure.data if trace.type.startswith("scatter"))
    return next(trace for trace in found if trace.customdata is not None)


def test_every_cell_has_a_point_that_knows_it(davis):
    _, values = davis
    rows, columns = np.array([122, 11]), np.array([1, 0, 3])
    figure = heatmap(value_view(values), rows, columns)
    points = points_of(figure)
    cells = [
        (x, y, int(d[0]), int(d[1])) for x, y, d in zip(*_points(points), strict=True)
    ]
    assert len(cells) == 6
    for x, y, i, j in cells:
        assert (rows[y], columns[x]) == (i, j)
    unit = value_view(values).unit
    for (x, y, i, j), data in zip(cells, points.customdata, strict=True):
        shown = figure.data[0].z[y][x]
        assert shown == pytest.approx(values.values[i, j] * unit.factor, rel=1e-3)
        assert data[2] == values.column_names[j]
        assert data[3] == values.cells.iat[i, j]
        assert data[4] == unit.with_error(values.values[i, j], values.stderr[i, j])
        assert data[5] == f"row {i + 1}"


def _points(trace):
    return trace.x, trace.y, trace.customdata


def test_hovering_names_everything(davis):
    _, values = davis
    figure = heatmap(value_view(values), np.arange(3), np.arange(4))
    template = points_of(figure).hovertemplate
    for word in ("value", "rank", "1 is worst", "class"):
        assert word in template
    assert figure.layout.hoverdistance == -1
    assert figure.data[0].hoverinfo == "skip"
    assert points_of(figure).hoverinfo != "skip"


def test_transposing_swaps_the_axes_and_keeps_the_cells(davis):
    _, values = davis
    rows, columns = np.arange(5), np.arange(4)
    figure = heatmap(value_view(values), rows, columns, transposed=True)
    assert np.shape(figure.data[0].z) == (4, 5)
    for x, y, data in zip(*_points(points_of(figure)), strict=True):
        assert (x, y) == (int(data[0]), int(data[1]))


@pytest.mark.parametrize("transposed", [False, True])
def test_a_clicked_cell_has_a_clear_frame_in_two_tones(davis, transposed):
    figure = heatmap(
        value_view(davis[1]), np.arange(200), np.arange(4), transposed=transposed
    )
    points = points_of(figure)
    rim, clicked = points.marker.line, points.selected.marker
    assert (rim.color, clicked.color) == MARK
    assert rim.width >= 3
    assert clicked.size >= 12
    assert points.marker.opacity == points.unselected.marker.opacity == 0


@pytest.mark.parametrize("transposed", [False, True])
def test_the_cell_that_is_looked_at_is_marked_as_if_it_was_clicked(davis, transposed):
    rows, columns = np.array([9, 5, 7]), np.array([2, 0])

    def marked(cell):
        look = {"selected": cell, "transposed": transposed}
        points = points_of(heatmap(value_view(davis[1]), rows, columns, **look))
        return [points.customdata[k][:2].tolist() for k in points.selectedpoints or ()]

    for cell in ((9, 0), (7, 2)):
        assert marked(cell) == [list(cell)]
    assert marked((100, 2)) == marked(None) == []


@pytest.mark.parametrize("transposed", [False, True])
def test_outlines_sit_on_the_right_cells(davis, transposed):
    _, values = davis
    rows, columns = np.array([9, 5, 7]), np.array([2, 0])
    figure = heatmap(
        value_view(values),
        rows,
        columns,
        outlined={(7, 2), (5, 0), (100, 2)},
        transposed=transposed,
    )
    drawn = [trace for trace in figure.data if trace.type == "scatter"]
    lines = [trace for trace in drawn if trace.customdata is None]
    below, line = lines
    # two tones: one of them shows on every colour
    assert (below.line.color, line.line.color) == OUTLINE
    assert (below.x, below.y) == (line.x, line.y)
    assert below.line.width > line.line.width
    xs = np.array([np.nan if v is None else v for v in line.x]).reshape(-1, 6)
    ys = np.array([np.nan if v is None else v for v in line.y]).reshape(-1, 6)
    centres = {
        (x, y) for x, y in zip(xs[:, :4].mean(1), ys[:, :4].mean(1), strict=True)
    }
    expected = {
        (1.0, 1.0),
        (0.0, 2.0),
    }  # (across, down): row 5 column 0, row 7 column 2
    if transposed:
        expected = {(y, x) for x, y in expected}
    assert centres == expected
    assert np.ptp(xs[:, :4], axis=1) == pytest.approx(1.0)


def test_colours_are_centred_on_zero_and_limited_by_a_quantile():
    table = make_table([("number", range(400))], [0, 1] * 200)
    cells = np.full((400, 1), 0.01)
    cells[0] = -5.0  # one absurd value must not bleach the others
    view = ValueView(values_of(table, cells))
    figure = heatmap(view, np.arange(400), np.arange(1))
    z = figure.data[0]
    assert z.zmid == 0
    assert z.zmax == -z.zmin == pytest.approx(1.0)
    assert "below 0 hurts" in figure.layout.annotations[0].text


def test_cells_without_values_are_gaps():
    table = make_table([("number", [1, 2, 3])], [0, 1, 0])
    view = ValueView(values_of(table, [[0.1], [np.nan], [0.2]]))
    figure = heatmap(view, np.arange(3), np.arange(1))
    assert np.isnan(figure.data[0].z[1][0])
    assert "held out" in points_of(figure).customdata[1][4]


def test_a_chart_of_many_thin_rows_stays_about_one_screen_high(davis):
    _, values = davis
    whole = heatmap(value_view(values), np.arange(200), np.arange(4))
    few = heatmap(value_view(values), np.arange(60), np.arange(4))
    assert whole.layout.height <= 800
    assert few.layout.height <= 800


def test_text_of_a_file_is_shown_as_text(nasty, shows_text):
    view = ValueView(nasty[1])
    assert shows_text(heatmap(view, np.arange(4), np.arange(1)))


def test_by_suspicion_the_real_error_stands_out(davis, ranked):
    view, rows, columns = value_view(davis[1]), np.arange(200), np.arange(4)
    figure = heatmap(view, rows, columns, suspicion=ranked)
    cells = figure.data[0]
    z = np.array(cells.z)
    assert z[11, 0] == z[11, 1] == cells.zmax  # row 12: weight and height swapped
    strong = z > (cells.zmin + cells.zmax) / 2
    assert strong.sum() <= 4
    assert (z < 2).mean() > 0.95  # the others are pale
    assert "suspicion" in figure.layout.annotations[0].text
    assert "0.0001" in cells.colorbar.ticktext  # the number that the list has
    assert "suspicion" in points_of(figure).hovertemplate
    known = points_of(figure).customdata[11 * 4]
    assert known[8].startswith("below 0.0001, rank ")


@pytest.mark.parametrize("transposed", [False, True])
def test_the_names_of_rows_say_what_they_are(davis, transposed):
    table, values = davis
    for ids, said in ((table.ids, "row number"), (("a",) * 200, "row id")):
        view = ValueView(replace(values, ids=ids))
        figure = heatmap(view, np.arange(9), np.arange(4), transposed=transposed)
        note = figure.layout.annotations[-1]
        assert note.text == said
        assert abs(note.xshift) <= figure.layout.margin.l
        if transposed:
            assert text_pixels(said) < figure.layout.margin.l
        else:  # no name of a row is under it
            names = max(map(text_pixels, figure.layout.yaxis.ticktext))
            assert figure.layout.margin.l - names >= ROWS_DOWN
        assert not figure.layout.yaxis.automargin


def test_held_out_cells_have_a_colour_and_a_word_only_where_there_are_some():
    table = make_table([("number", [1, 2, 3])], [0, 1, 0])
    for cells, n in (([[0.1], [np.nan], [0.2]], 2), ([[0.1], [0.0], [0.2]], 0)):
        view = ValueView(values_of(table, cells))
        for turn in (False, True):
            figure = heatmap(view, np.arange(3), np.arange(1), transposed=turn)
            greys = [trace for trace in figure.data if trace.name == "held out"]
            assert len(greys) == n  # of cells, and of their row
            said = "held out for testing" in figure.layout.annotations[0].text
            assert said == (n > 0)


def test_of_few_columns_with_long_names_the_last_is_named_too():
    """Slanted names that reach beyond the chart would be left out."""
    names = ["age", "income", "height", "a_long_name_of_a_column"]
    table = make_table([("number", [1, 2])] * 4, [0, 1])
    values = replace(values_of(table, np.zeros((2, 4))), column_names=tuple(names))
    axis = heatmap(ValueView(values), np.arange(2), np.arange(4)).layout.xaxis
    assert (axis.tickangle, axis.ticklabeloverflow) == (-30, "allow")


def test_names_are_told_apart_on_the_axis_and_whole_where_one_hovers():
    table = make_table([("number", [1, 2])] * 60, [0, 1])
    names = tuple(f"survey_of_2021_question_{k:02d}_in_words" for k in range(60))
    values = replace(values_of(table, np.zeros((2, 60))), column_names=names)
    figure = heatmap(ValueView(values), np.arange(2), np.arange(60))
    shown = figure.layout.xaxis.ticktext
    assert len(set(shown)) == len(shown) > 20
    assert {data[2] for data in points_of(figure).customdata} == set(names)
    bars = next(trace for trace in figure.data if trace.type == "bar")
    assert {data[2] for data in bars.customdata} == set(names)


def test_nothing_lies_under_the_menu(davis, ranked):
    view, rows, columns = value_view(davis[1]), np.arange(60), np.arange(4)
    for suspicion in (None, ranked):
        figure = heatmap(view, rows, columns, suspicion=suspicion)
        look, bar = figure.layout, figure.data[0].colorbar
        note = look.margin.t - look.annotations[0].yshift
        scale = (1 - bar.y) * look.height
        assert MENU_PIXELS <= note < scale < look.margin.t
