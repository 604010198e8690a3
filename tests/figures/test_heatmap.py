"""Figures say the right things in the right places, and show text as text."""

import json

import numpy as np
import pytest
from cases import make_table
from test_views import values_of

import cellval
from cellval.figures import distribution, heatmap, layout, overview
from cellval.figures import waterfall as figures
from cellval.figures.columns import column_bars
from cellval.table import describe as places
from cellval.values.words import Unit, effect
from cellval.views import value_view as views
from cellval.views.bands import bands


@pytest.fixture(scope="module")
def davis():
    table = cellval.read("sample_data/davis.csv", label="sex")
    return table, cellval.value_cells(table, n_neighbors=5)


def nasty(n=4):
    """A table whose names, ids and cells look like HTML."""
    raw = "id,<b>x</b>,y\n" + "".join(
        f"<i>{k}</i>,<script>{k % 2}</script>,{'a' if k % 2 else '<u>b</u>'}\n"
        for k in range(n)
    )
    table = cellval.read(raw.encode(), label="y", id_column="id")
    return table, values_of(table, np.linspace(-0.4, 0.4, n)[:, None])


def overlay(figure):
    return next(trace for trace in figure.data if trace.type == "scattergl")


def test_every_cell_has_a_point_that_knows_it(davis):
    _, values = davis
    rows, columns = np.array([122, 11]), np.array([1, 0, 3])
    figure = heatmap.heatmap(views.value_view(values), rows, columns)
    points = overlay(figure)
    cells = [
        (x, y, int(d[0]), int(d[1])) for x, y, d in zip(*_points(points), strict=True)
    ]
    assert len(cells) == 6
    for x, y, i, j in cells:
        assert (rows[y], columns[x]) == (i, j)
    unit = views.value_view(values).unit
    for (x, y, i, j), data in zip(cells, points.customdata, strict=True):
        shown = figure.data[0].z[y][x]
        assert shown == pytest.approx(values.values[i, j] * unit.factor, rel=1e-3)
        assert data[2] == values.column_names[j]
        assert data[3] == values.cells.iat[i, j]
        assert data[4] == unit.with_error(values.values[i, j], values.stderr[i, j])
        assert data[6] == f"row {i + 1}"


def _points(trace):
    return trace.x, trace.y, trace.customdata


def test_hovering_names_everything(davis):
    _, values = davis
    figure = heatmap.heatmap(views.value_view(values), np.arange(3), np.arange(4))
    template = overlay(figure).hovertemplate
    for word in ("value", "rank", "1 is worst", "id", "class"):
        assert word in template
    assert figure.layout.hoverdistance == -1
    assert figure.data[0].hoverinfo == "skip"
    assert overlay(figure).hoverinfo != "skip"


def test_transposing_swaps_the_axes_and_keeps_the_cells(davis):
    _, values = davis
    rows, columns = np.arange(5), np.arange(4)
    figure = heatmap.heatmap(views.value_view(values), rows, columns, transposed=True)
    assert np.shape(figure.data[0].z) == (4, 5)
    for x, y, data in zip(*_points(overlay(figure)), strict=True):
        assert (x, y) == (int(data[0]), int(data[1]))


@pytest.mark.parametrize("transposed", [False, True])
def test_outlines_sit_on_the_right_cells(davis, transposed):
    _, values = davis
    rows, columns = np.array([9, 5, 7]), np.array([2, 0])
    figure = heatmap.heatmap(
        views.value_view(values),
        rows,
        columns,
        outlined={(7, 2), (5, 0), (100, 2)},
        selected=(9, 0),
        transposed=transposed,
    )
    line, _ = (trace for trace in figure.data if trace.type == "scatter")
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
    view = views.ValueView(values_of(table, cells))
    figure = heatmap.heatmap(view, np.arange(400), np.arange(1))
    z = figure.data[0]
    assert z.zmid == 0
    assert z.zmax == -z.zmin == pytest.approx(1.0)
    assert "below 0 hurts" in figure.layout.annotations[0].text


def test_cells_without_values_are_gaps():
    table = make_table([("number", [1, 2, 3])], [0, 1, 0])
    view = views.ValueView(values_of(table, [[0.1], [np.nan], [0.2]]))
    figure = heatmap.heatmap(view, np.arange(3), np.arange(1))
    assert np.isnan(figure.data[0].z[1][0])
    assert "held out" in overlay(figure).customdata[1][4]


def test_a_chart_of_many_thin_rows_stays_about_one_screen_high(davis):
    _, values = davis
    whole = heatmap.heatmap(views.value_view(values), np.arange(200), np.arange(4))
    few = heatmap.heatmap(views.value_view(values), np.arange(60), np.arange(4))
    assert whole.layout.height <= 800
    assert few.layout.height <= 800


def test_a_planted_bad_cell_is_the_darkest_of_the_overview():
    rng = np.random.default_rng(1)
    table = make_table([("number", range(3000))] * 3, [0, 1] * 1500)
    cells = rng.normal(0.001, 0.0001, (3000, 3))
    cells[1234, 1] = -0.5
    view = views.ValueView(values_of(table, cells))
    order = rng.permutation(3000)
    figure = overview.overview(view, order, bands(cells, order), (0, 60))
    z = np.array(figure.data[0].z, float)
    band, group = np.unravel_index(z.argmin(), z.shape)
    assert group == 1
    assert z[band, group] <= figure.data[0].zmin
    data = overlay(figure).customdata[band * 3 + group]
    assert (int(data[0]), int(data[1])) == (1234, 1)
    assert data[5] == "row 1,235"


def test_the_overview_shows_where_the_window_is(davis):
    _, values = davis
    order = np.arange(200)
    pooled = bands(values.values, order, n_bands=100)
    figure = overview.overview(views.value_view(values), order, pooled, (60, 120))
    frame = figure.data[2]
    assert (min(frame.y), max(frame.y)) == (29.5, 59.5)


@pytest.mark.parametrize(
    "draw", ["heatmap", "overview", "columns", "waterfall", "spread"]
)
def test_text_that_looks_like_html_is_shown_as_text(draw):
    table, values = nasty()
    view = views.ValueView(values)
    rows = np.arange(4)
    if draw == "heatmap":
        figure = heatmap.heatmap(view, rows, np.arange(1))
    elif draw == "overview":
        pooled = bands(values.values, rows)
        figure = overview.overview(view, rows, pooled, (0, 2))
    elif draw == "columns":
        figure = column_bars(view, np.arange(1))
    elif draw == "waterfall":
        figure = figures.waterfall(values.explain(1), 0.1, view.row_unit)
    else:
        spread = places.spread(table, 0, table.feature_names[0])
        figure = distribution.distribution(
            spread, table.classes[0], "<script>0</script>"
        )
    text = json.dumps(figure.to_plotly_json(), default=str)
    for tag in ("<script>", "<i>", "<u>", "<b>x"):
        assert tag not in text
    assert "&lt;" in text


def test_the_waterfall_ends_at_the_row_value_largest_first(davis):
    _, values = davis
    unit = views.value_view(values).row_unit
    figure = figures.waterfall(values.explain(12), values.row_values[11], unit)
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
    figure = figures.waterfall(explained, values.row_values[0], Unit.of(1.0))
    bars = figure.data[0]
    assert len(bars.x) == layout.MAX_BARS + 1
    assert "19 other columns" in figure.layout.yaxis.ticktext[-2]
    assert sum(bars.x[:-1]) == pytest.approx(100 * values.row_values[0])
    low, high = figure.layout.xaxis.range
    path = np.cumsum(bars.x[:-1])
    assert low < min(path.min(), 0) <= max(path.max(), 0) < high


def test_columns_have_bars_with_errors_and_a_spread(davis):
    _, values = davis
    view = views.value_view(values)
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


def test_the_distribution_marks_the_cell_and_one_far_outside():
    table = make_table([("number", [*range(50), 100_000])], [0, 1] * 25 + [0])
    spread = places.spread(table, 50, "c0")
    figure = distribution.distribution(spread, "no", "100000")
    assert "→" in figure.layout.annotations[0].text
    inside = distribution.distribution(places.spread(table, 3, "c0"), "no", "3")
    assert inside.layout.annotations[0].text == "this cell: 3"
    assert inside.layout.shapes[0].x0 == 3


@pytest.mark.parametrize(
    ("value", "stderr", "words"),
    [
        (
            -0.0005,
            0.0001,
            "lowers the accuracy of the KNN model by about 0.050 percent",
        ),
        (-0.0005, 0.0001, "clearly below zero"),
        (0.02, 0.001, "raises the accuracy of the KNN model by about 2.0 percent"),
        (-0.0005, 0.0004, "indistinguishable from zero"),
        (-0.0005, np.nan, "cannot be said yet"),
        (np.nan, np.nan, "held out"),
    ],
)
def test_a_value_is_said_in_words(value, stderr, words):
    assert words in effect(value, stderr)


@pytest.mark.parametrize(
    ("size", "value", "text"),
    [
        (0.2, 0.2149, "21.5 pp"),
        (0.004, -0.00374, "−0.374 pp"),
        (2e-5, -2.13e-5, "−21.3 ppm"),
        (0.004, -1e-9, "0.000 pp"),
        (0.0, 0.0, "0.00 pp"),
    ],
)
def test_numbers_are_written_with_their_unit(size, value, text):
    assert Unit.of(size).text(value) == text


def test_class_sizes_are_pieces_of_one_bar_that_sum_to_all_rows():
    figure = distribution.class_sizes("y", ["<b>a</b>", "b"], [3, 7])
    assert [trace.x[0] for trace in figure.data] == [3, 7]
    assert figure.layout.barmode == "stack"
    assert "<b>" not in figure.data[0].text
    assert "3 of 10 rows" in figure.data[0].hovertemplate
