"""Which cells come first, and how many of them are outlined."""

import numpy as np
import pytest

from cellval.detect.suspicion import n_to_flag
from cellval.views import rankings
from cellval.views.value_view import value_view


def test_every_ranking_puts_the_worst_first(ranked):
    values = ranked.values
    for by, numbers in (
        ("suspicion", ranked.scores),
        ("surprise", ranked.surprise.surprise),
        ("all", values.values),
        ("value", value_view(values).ranks),
    ):
        found = rankings.ranking(values, ranked, by)
        assert found.by == by
        assert sorted(found.order) == list(range(800))
        assert (np.diff(numbers.ravel()[found.order]) >= 0).all()
    assert rankings.ranking(values, ranked, "surprise").n_rule == n_to_flag(
        ranked.surprise.surprise
    )
    assert rankings.ranking(values, ranked, "suspicion").n_rule == ranked.n_flagged
    assert rankings.ranking(values, ranked, "value").n_rule is None


@pytest.mark.parametrize("by", ["suspicion", "surprise"])
def test_before_surprise_is_known_the_value_ranks(ranked, by):
    assert rankings.ranking(ranked.values, None, by).by == "value"
    found = rankings.outlines(ranked.values, None, by)
    view = value_view(ranked.values)
    assert found.by == "value"
    assert found.cells.tolist() == view.harmful[: view.usual_suspects].tolist()


def test_a_ranking_by_value_leaves_out_cells_without_one(large):
    found = rankings.ranking(large.values, large, "value")
    assert found.order.size == 2990 * 4
    assert found.order.min() >= 40


def test_outlines_follow_the_rule_unless_a_number_is_chosen(ranked):
    found = rankings.outlines(ranked.values, ranked, "suspicion")
    assert found.cells.tolist() == ranked.order[: ranked.n_flagged].tolist()
    assert not found.chosen
    words = rankings.outline_words(found)
    assert words.startswith("2 suspects are outlined; the rule aims at one")
    seven = rankings.outlines(ranked.values, ranked, "suspicion", 7)
    assert seven.cells.size == 7
    assert "as many as you chose" in rankings.outline_words(seven)
    none = rankings.Outlines("value", np.zeros(0, int), False)
    assert "none is clearly below 0" in rankings.outline_words(none)
    none = rankings.Outlines("surprise", np.zeros(0, int), False)
    assert "nothing stands out" in rankings.outline_words(none)
    assert "most surprising" in rankings.outline_words(none)
    one = rankings.Outlines("suspicion", np.zeros(1, int), False)
    assert "1 suspect is" in rankings.outline_words(one)


def test_flat_positions_are_named_as_cells(ranked):
    names = ranked.values.column_names
    cells = rankings.cells_at(ranked.values, np.array([0, 45, 7]))
    assert cells == [(0, names[0]), (11, names[1]), (1, names[3])]
    assert rankings.cells_at(ranked.values, np.array([], np.int64)) == []
