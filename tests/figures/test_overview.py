"""A whole table at a glance."""

import numpy as np
import pytest
from cases import make_table, values_of

from cellval.figures.overview import LEGEND_PIXELS, overview
from cellval.views.bands import bands
from cellval.views.value_view import ValueView, value_view


def points_of(figure):
    found = (trace for trace in figure.data if trace.type.startswith("scatter"))
    return next(trace for trace in found if trace.customdata is not None)


def test_a_planted_bad_cell_is_the_darkest_of_the_overview():
    rng = np.random.default_rng(1)
    table = make_table([("number", range(3000))] * 3, [0, 1] * 1500)
    cells = rng.normal(0.001, 0.0001, (3000, 3))
    cells[1234, 1] = -0.5
    view = ValueView(values_of(table, cells))
    order = rng.permutation(3000)
    figure = overview(view, order, bands(cells, order), (0, 60))
    z = np.array(figure.data[0].z, float)
    band, group = np.unravel_index(z.argmin(), z.shape)
    assert group == 1
    assert z[band, group] <= figure.data[0].zmin
    data = points_of(figure).customdata[band * 3 + group]
    assert (int(data[0]), int(data[1])) == (1234, 1)
    assert data[5] == "row 1,235"


def test_the_overview_shows_where_the_window_is(davis):
    _, values = davis
    order = np.arange(200)
    pooled = bands(values.values, order, n_bands=100)
    figure = overview(value_view(values), order, pooled, (60, 120))
    frame = figure.data[2]
    assert (min(frame.y), max(frame.y)) == (29.5, 59.5)


def test_without_a_window_the_axes_have_names(davis):
    _, values = davis
    order = np.arange(200)
    pooled = bands(values.values, order)
    figure = overview(value_view(values), order, pooled, None)
    assert len(figure.data) == 2
    assert list(figure.layout.xaxis.ticktext) == list(values.column_names)
    assert figure.layout.yaxis.ticktext[0] == "row 1"
    assert figure.layout.yaxis.visible
    assert not figure.layout.annotations and not figure.data[0].showscale
    framed = overview(value_view(values), order, pooled, (0, 10))
    assert framed.layout.yaxis.visible is False


@pytest.mark.parametrize("window", [(0, 2), None])
def test_text_of_a_file_is_shown_as_text(nasty, shows_text, window):
    values, order = nasty[1], np.arange(4)
    pooled = bands(values.values, order)
    assert shows_text(overview(ValueView(values), order, pooled, window))


def test_by_suspicion_a_band_shows_its_most_suspicious_cell(davis, ranked):
    order = np.arange(200)
    pooled = bands(ranked.scores, order, n_bands=20)
    figure = overview(value_view(davis[1]), order, pooled, (0, 60), by_suspicion=True)
    cells = figure.data[0]
    z = np.array(cells.z)
    assert z[1, 0] == cells.zmax  # row 12 is in the second band of ten
    assert (z < 3).mean() > 0.8
    data = points_of(figure).customdata[1 * 4]
    assert (int(data[0]), data[2], data[4]) == (
        11,
        "weight",
        "suspicion below 0.0001",
    )
    assert "most suspicious of" in points_of(figure).hovertemplate


@pytest.mark.parametrize("by_suspicion", [False, True])
def test_beside_a_window_a_title_and_a_scale_say_what_is_seen(
    davis, ranked, by_suspicion
):
    order = np.arange(200)
    pooled = bands(ranked.scores if by_suspicion else davis[1].values, order)
    view = value_view(davis[1])
    figure = overview(view, order, pooled, (0, 60), by_suspicion=by_suspicion)
    title, frame = (note.text for note in figure.layout.annotations)
    assert "All 200 rows" in title
    assert "the rows beside" in frame
    words = figure.data[0].colorbar.ticktext
    assert words == (("usual", "worst") if by_suspicion else ("lowest", "usual"))
    assert figure.layout.margin.t == LEGEND_PIXELS
