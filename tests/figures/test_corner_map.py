"""Rankings, outlines, and the plot of harm against surprise."""

import numpy as np
import pytest
from cases import random_table
from test_views import values_of

import cellval
from cellval.detect.surprise import surprise
from cellval.detect.suspicion import CORNERS, make_suspicion, n_to_flag
from cellval.figures.corner_map import (
    MOST_DRAWN,
    corner_counts,
    corner_plot,
    drawn_cells,
    in_standard_errors,
    not_drawn_words,
)
from cellval.text import one_in
from cellval.views import rankings
from cellval.views import value_view as views


@pytest.fixture(scope="module")
def davis():
    table = cellval.read("sample_data/davis.csv", label="sex")
    values = cellval.value_cells(table, n_neighbors=5)
    return make_suspicion(table, values, surprise(table))


@pytest.fixture(scope="module")
def large():
    """So many cells that only a part is drawn; rows 0 to 9 have no value."""
    rng = np.random.default_rng(0)
    table = random_table(0, 3000, ["decimal"] * 4)
    cells = rng.normal(0.001, 0.002, (3000, 4))
    cells[:10] = np.nan
    return make_suspicion(table, values_of(table, cells), surprise(table))


def everything(about):
    return np.ones(about.scores.shape, bool)


# --- rankings and outlines ------------------------------------------------------------


def test_every_ranking_puts_the_worst_first(davis):
    values, about = davis.values, davis
    for by, numbers in (
        ("suspicion", about.scores),
        ("surprise", about.surprise.surprise),
        ("all", values.values),
        ("value", views.value_view(values).ranks),
    ):
        ranked = rankings.ranking(values, about, by)
        assert ranked.by == by
        assert sorted(ranked.order) == list(range(800))
        assert (np.diff(numbers.ravel()[ranked.order]) >= 0).all()
    assert rankings.ranking(values, about, "surprise").n_rule == n_to_flag(
        about.surprise.surprise
    )
    assert rankings.ranking(values, about, "suspicion").n_rule == about.n_flagged
    assert rankings.ranking(values, about, "value").n_rule is None


@pytest.mark.parametrize("by", ["suspicion", "surprise"])
def test_before_surprise_is_known_the_value_ranks(davis, by):
    ranked = rankings.ranking(davis.values, None, by)
    assert ranked.by == "value"
    found = rankings.outlines(davis.values, None, by)
    rows, columns = views.value_view(davis.values).suspects()
    assert found.by == "value"
    assert found.cells.tolist() == (rows * 4 + columns).tolist()


def test_a_ranking_by_value_leaves_out_cells_without_one(large):
    ranked = rankings.ranking(large.values, large, "value")
    assert ranked.order.size == 2990 * 4
    assert ranked.order.min() >= 40


def test_outlines_follow_the_rule_unless_a_number_is_chosen(davis):
    found = rankings.outlines(davis.values, davis, "suspicion")
    assert found.cells.tolist() == davis.order[: davis.n_flagged].tolist()
    assert not found.chosen
    words = rankings.outline_words(found)
    assert words.startswith("2 cells are outlined by the rule, which aims at one")
    seven = rankings.outlines(davis.values, davis, "suspicion", 7)
    assert seven.cells.size == 7
    assert "as many as you chose" in rankings.outline_words(seven)
    none = rankings.Outlines("surprise", np.zeros(0, int), False)
    assert "Nothing stands out" in rankings.outline_words(none)
    assert "most surprising" in rankings.outline_words(none)
    one = rankings.Outlines("suspicion", np.zeros(1, int), False)
    assert "1 cell is" in rankings.outline_words(one)


def test_cells_with_a_code_are_found():
    text = "x,y\n" + "".join(
        f"{999 if k % 9 == 0 else 100 + k % 30},{'ab'[k % 2]}\n" for k in range(90)
    )
    table = cellval.read(text.encode(), label="y")
    suspicion = make_suspicion(table, None, surprise(table))
    (code,) = suspicion.surprise.placeholders
    assert rankings.code_rows(table, code).tolist() == list(range(0, 90, 9))
    held = rankings.holds_code(table, suspicion)
    assert np.flatnonzero(held[:, 0]).tolist() == list(range(0, 90, 9))


# --- which cells are drawn ------------------------------------------------------------


def test_a_small_table_is_drawn_whole_with_the_worst_on_top(davis):
    cells = drawn_cells(davis, everything(davis))
    assert sorted(cells) == list(range(800))
    odd = davis.corner.ravel()[cells] <= 1
    assert odd[-odd.sum() :].all()
    assert cells[-1] == davis.order[0]
    words = not_drawn_words(davis, everything(davis), cells)
    assert words == "All 800 cells are drawn."


def test_a_large_table_is_sampled_with_all_that_is_not_fine(large):
    keep = everything(large)
    cells = drawn_cells(large, keep)
    assert cells.size == MOST_DRAWN == np.unique(cells).size
    known = np.isfinite(large.values.values).ravel()
    not_fine = np.flatnonzero((large.corner.ravel() != 3) & known)
    assert 0 < not_fine.size < MOST_DRAWN
    assert np.isin(not_fine, cells).all()
    assert known[cells].all()
    assert drawn_cells(large, keep).tolist() == cells.tolist()  # seeded
    words = not_drawn_words(large, keep, cells)
    assert words.startswith("3,000 of 12,000 cells are drawn.")
    assert f"Not drawn: {12_000 - 3000 - 40:,} fine, 40 whose value" in words


def test_where_too_much_is_not_fine_every_corner_keeps_its_share(large):
    cells = drawn_cells(large, everything(large), most=300)
    assert cells.size == 300
    counts = np.bincount(large.corner.ravel()[cells], minlength=4)
    odd = np.count_nonzero((large.corner <= 1) & np.isfinite(large.values.values))
    assert counts[0] + counts[1] == min(odd, 150)
    assert min(counts[2], counts[3]) > 50
    words = not_drawn_words(large, everything(large), cells)
    assert "ordinary but harmful" in words


def test_only_wanted_cells_are_drawn(davis):
    keep = everything(davis)
    keep[:, 1:] = False
    cells = drawn_cells(davis, keep)
    assert (cells % 4 == 0).all()
    assert sum(corner_counts(davis, keep).values()) == 200
    none = drawn_cells(davis, ~everything(davis))
    assert none.size == 0


def test_standard_errors_that_are_zero_or_unknown():
    table = random_table(0, 4, ["number"])
    values = values_of(table, [[-1], [0], [1], [2]], [[0], [0], [np.nan], [0.5]])
    scores = in_standard_errors(values).ravel()
    assert scores.tolist()[:2] == [-np.inf, 0]
    assert np.isnan(scores[2])
    assert scores[3] == 4


# --- the figure -----------------------------------------------------------------------


def plot(about, **options):
    keep = everything(about)
    counts = corner_counts(about, keep)
    cells = drawn_cells(about, keep)
    return cells, corner_plot(about, cells, counts, **options)


def test_every_point_lies_in_its_corner_and_knows_its_cell(davis):
    cells, figure = plot(davis)
    points = figure.data[0]
    for x, y, known, cell in zip(
        points.x, points.y, points.customdata, cells, strict=True
    ):
        i, j = divmod(int(cell), 4)
        assert (int(known[0]), int(known[1])) == (i, j)
        corner = davis.corner_of(i, j)
        assert known[7] == corner
        odd = davis.surprise.surprise[i, j] < 0.01
        assert (x < -2) == odd or x == pytest.approx(-2, abs=1e-6)
        assert (y < -2) == bool(davis.hurts[i, j])
        assert known[8] == f"row {i + 1}"
    swapped = next(k for k in points.customdata if (k[0], k[1]) == (11, 0))
    assert swapped[2:4].tolist() == ["weight", "166"]
    assert swapped[6] == "less than 1 in a million"
    assert min(points.x) == -6


def test_hovering_names_everything(davis):
    template = plot(davis)[1].data[0].hovertemplate
    for word in ("value", "standard errors", "surprise", "id", "class"):
        assert word in template


def test_the_corners_are_named_and_counted_and_the_axes_say_what_is_worse(davis):
    _, figure = plot(davis)
    notes = [note.text.replace("<br>", " ") for note in figure.layout.annotations]
    counts = corner_counts(davis, everything(davis))
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


def test_the_selected_cell_has_a_ring_even_if_it_is_not_drawn(large):
    _, figure = plot(large, selected=(20, 1))
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


def test_probabilities_in_words():
    shares = (0.5, 0.04, 0.01, 1e-4, 1e-6, 1e-9, float("nan"))
    assert [one_in(share) for share in shares] == [
        "50 in 100",
        "1 in 25",
        "1 in 100",
        "1 in 10,000",
        "1 in a million",
        "less than 1 in a million",
        "–",
    ]
