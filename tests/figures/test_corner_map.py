"""Harm against surprise: every cell in its corner, every corner named."""

import numpy as np
import pytest
from cases import values_of

import cellval
from cellval.detect.surprise import surprise
from cellval.detect.suspicion import CORNERS, make_suspicion
from cellval.figures.corner_map import corner_plot
from cellval.views.corners import corner_counts, drawn_cells, in_standard_errors


def plot(suspicion, **options):
    keep = np.ones(suspicion.scores.shape, bool)
    cells = drawn_cells(suspicion, keep)
    counts = corner_counts(suspicion)
    return cells, corner_plot(suspicion, cells, counts, **options)


def test_every_point_lies_in_its_corner_and_knows_its_cell(ranked):
    cells, figure = plot(ranked)
    points = figure.data[0]
    for x, y, known, cell in zip(
        points.x, points.y, points.customdata, cells, strict=True
    ):
        i, j = divmod(int(cell), 4)
        assert (int(known[0]), int(known[1])) == (i, j)
        corner = CORNERS[ranked.corner_of(i, j)]
        assert known[10] == corner
        odd = ranked.surprise.surprise[i, j] < 0.01
        assert (x < -2) == odd or x == pytest.approx(-2, abs=1e-6)
        assert (y < -2) == bool(ranked.hurts[i, j])
        assert known[5] == f"row {i + 1}"
    swapped = next(k for k in points.customdata if (k[0], k[1]) == (11, 0))
    assert swapped[2:4].tolist() == ["weight", "166"]
    assert swapped[9] == "less than 1 in a million"
    assert min(points.x) == pytest.approx(-6, abs=1e-5)


def test_hovering_names_everything(ranked):
    points = plot(ranked)[1].data[0]
    for word in ("value", "standard errors", "surprise"):
        assert word in points.hovertemplate
    assert points.customdata[0][6] == ""  # the table has no id
    assert points.customdata[0][7] in (", class F", ", class M")


def test_suspects_lie_on_top_and_many_ordinary_points_darken(ranked):
    cells, figure = plot(ranked)
    points = figure.data[0]
    suspects = ranked.order[: ranked.n_flagged]
    assert set(cells[-len(suspects) :]) == set(suspects)
    seen = [float(colour.split(",")[-1][:-1]) for colour in points.marker.color]
    kinds = ranked.corner.ravel()[cells]
    assert min(np.array(seen)[kinds <= 1]) > max(np.array(seen)[kinds > 1])
    # A click leaves all of them as they are.
    assert points.marker.opacity == points.unselected.marker.opacity == 1


def test_the_corners_are_named_and_counted_and_the_axes_say_what_is_worse(ranked):
    _, figure = plot(ranked)
    notes = [note.text.replace("<br>", " ") for note in figure.layout.annotations]
    counts = corner_counts(ranked)
    for name, words in CORNERS.items():
        assert any(words in note and f"{counts[name]:,} cell" in note for note in notes)
    for axis, question in (("xaxis", "surprising?"), ("yaxis", "hurt?")):
        title = figure.layout[axis].title.text
        assert question in title
        assert "lower is worse" in title
    assert "1 in<br>100" in figure.layout.xaxis.ticktext
    lines = [shape for shape in figure.layout.shapes if shape.type == "line"]
    assert {(line.x0, line.x1) for line in lines} >= {(-2, -2)}
    assert {(line.y0, line.y1) for line in lines} >= {(-2, -2)}


def test_the_names_of_corners_have_room_of_their_own(large):
    _, figure = plot(large)
    low, high = figure.layout.yaxis.range
    y = figure.data[0].y
    assert min(y) - low > 0.1 * (high - low)
    assert high - max(y) > 0.1 * (high - low)


def test_the_selected_cell_is_marked_as_if_it_was_clicked(ranked):
    for cell in ((11, 0), (40, 3)):
        points, ring = plot(ranked, selected=cell)[1].data
        assert [points.customdata[k][:2].tolist() for k in points.selectedpoints] == [
            list(cell)
        ]
        assert len(ring.x) == 0


def test_the_selected_cell_has_a_ring_if_it_is_not_drawn(large):
    cells, figure = plot(large, selected=(20, 1))
    assert 20 * len(large.values.column_names) + 1 not in cells
    assert figure.data[0].selectedpoints is None
    ring = figure.data[1]
    assert len(ring.x) == 1
    score = in_standard_errors(large.values)[20, 1]
    assert ring.y[0] == pytest.approx(score) or ring.y[0] in (
        min(figure.data[0].y),
        max(figure.data[0].y),
    )
    assert len(plot(large)[1].data[1].x) == 0


def test_text_of_a_file_is_shown_as_text():
    raw = "<b>x</b>,y\n" + "".join(f"<i>{k % 3}</i>,{'ab'[k % 2]}\n" for k in range(30))
    table = cellval.read(raw.encode(), label="y")
    values = values_of(table, np.linspace(-0.4, 0.4, 30)[:, None])
    _, figure = plot(make_suspicion(table, values, surprise(table)))
    assert figure.data[0].customdata[0][2] == "&lt;b&gt;x&lt;/b&gt;"
    assert "<i>" not in figure.data[0].customdata[0][3]


def test_names_of_corners_have_room_beside_the_points(ranked):
    figure = plot(ranked)[1]
    bottom, top = figure.layout.yaxis.range
    ys = np.array(figure.data[0].y)
    pixels = 400 / (top - bottom)  # about the height of the plot without its axes
    for note in figure.layout.annotations:
        lines = note.text.count("<br>") + 1
        free = ys.min() - bottom if note.yanchor == "bottom" else top - ys.max()
        assert free * pixels >= 16 * lines + 4, note.text
