"""Which cells stand for a large table between harm and surprise."""

import numpy as np
from cases import random_table, values_of

from cellval.detect.suspicion import CORNERS
from cellval.views.corners import (
    MOST_DRAWN,
    corner_counts,
    drawn_cells,
    in_standard_errors,
    not_drawn_words,
    score_limits,
)


def everything(suspicion):
    return np.ones(suspicion.scores.shape, bool)


def test_a_small_table_is_drawn_whole_with_the_worst_on_top(ranked):
    cells = drawn_cells(ranked, everything(ranked))
    assert sorted(cells) == list(range(800))
    odd = ranked.corner.ravel()[cells] <= 1
    assert odd[-odd.sum() :].all()
    assert cells[-1] == ranked.order[0]
    words = not_drawn_words(ranked, everything(ranked), cells)
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
    assert f"Not drawn: {12_000 - 3000 - 40:,} ordinary and harmless, 40 whose" in words


def test_where_too_much_is_not_fine_every_corner_keeps_its_share(large):
    cells = drawn_cells(large, everything(large), most=300)
    assert cells.size == 300
    counts = np.bincount(large.corner.ravel()[cells], minlength=4)
    odd = np.count_nonzero((large.corner <= 1) & np.isfinite(large.values.values))
    assert counts[0] + counts[1] == min(odd, 150)
    assert min(counts[2], counts[3]) > 50
    words = not_drawn_words(large, everything(large), cells)
    assert "hurts but ordinary" in words


def test_only_wanted_cells_are_drawn(ranked):
    keep = everything(ranked)
    keep[:, 1:] = False
    cells = drawn_cells(ranked, keep)
    assert (cells % 4 == 0).all()
    assert sum(corner_counts(ranked, keep).values()) == 200
    none = drawn_cells(ranked, ~everything(ranked))
    assert none.size == 0


def test_standard_errors_that_are_zero_or_unknown():
    table = random_table(0, 4, ["number"])
    values = values_of(table, [[-1], [0], [1], [2]], [[0], [0], [np.nan], [0.5]])
    scores = in_standard_errors(values).ravel()
    assert scores.tolist()[:2] == [-np.inf, 0]
    assert np.isnan(scores[2])
    assert scores[3] == 4


def test_corners_of_all_cells_are_counted(ranked):
    counts = corner_counts(ranked)
    assert counts == corner_counts(ranked, everything(ranked))
    assert list(counts) == list(CORNERS)
    assert sum(counts.values()) == 800


def test_a_few_cells_far_away_do_not_set_the_limits():
    scores = np.append(np.linspace(-20, 10, 1000), [-1e9, np.inf, np.nan])
    low, high = score_limits(scores)
    assert -21 < low < -19 and 9 < high < 11
    assert score_limits(np.zeros(5)) == (-6, 4)  # the corners stay visible
    assert score_limits(np.array([np.nan])) == (-4, 4)
