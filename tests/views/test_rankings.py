"""Which cells come first, and how many of them are outlined."""

import numpy as np
import pytest
from cases import random_table, values_of

import cellval
from cellval.detect.surprise import surprise
from cellval.detect.suspicion import make_suspicion, n_to_flag
from cellval.views import rankings
from cellval.views.value_view import value_view


@pytest.fixture(scope="module")
def davis():
    table = cellval.read("sample_data/davis.csv", label="sex")
    values = cellval.value_cells(table, n_neighbors=5)
    return make_suspicion(table, values, surprise(table))


@pytest.fixture(scope="module")
def large():
    """Rows 0 to 9 have no value."""
    rng = np.random.default_rng(0)
    table = random_table(0, 3000, ["decimal"] * 4)
    cells = rng.normal(0.001, 0.002, (3000, 4))
    cells[:10] = np.nan
    return make_suspicion(table, values_of(table, cells), surprise(table))


def test_every_ranking_puts_the_worst_first(davis):
    values = davis.values
    for by, numbers in (
        ("suspicion", davis.scores),
        ("surprise", davis.surprise.surprise),
        ("all", values.values),
        ("value", value_view(values).ranks),
    ):
        ranked = rankings.ranking(values, davis, by)
        assert ranked.by == by
        assert sorted(ranked.order) == list(range(800))
        assert (np.diff(numbers.ravel()[ranked.order]) >= 0).all()
    assert rankings.ranking(values, davis, "surprise").n_rule == n_to_flag(
        davis.surprise.surprise
    )
    assert rankings.ranking(values, davis, "suspicion").n_rule == davis.n_flagged
    assert rankings.ranking(values, davis, "value").n_rule is None


@pytest.mark.parametrize("by", ["suspicion", "surprise"])
def test_before_surprise_is_known_the_value_ranks(davis, by):
    ranked = rankings.ranking(davis.values, None, by)
    assert ranked.by == "value"
    found = rankings.outlines(davis.values, None, by)
    view = value_view(davis.values)
    assert found.by == "value"
    assert found.cells.tolist() == view.harmful[: view.usual_suspects].tolist()


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
