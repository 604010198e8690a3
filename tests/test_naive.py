"""The two levels of the oracle agree, so that the faster one may stand in."""

from fractions import Fraction

import naive
import numpy as np
import pytest


@pytest.mark.parametrize("seed", range(12))
def test_closed_form_with_ties_is_the_shapley_value_of_the_expected_utility(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(1, 7)), int(rng.integers(1, 8))
    distances = {i: Fraction(int(d)) for i, d in enumerate(rng.integers(0, 3, n))}
    matches = [bool(c) for c in rng.integers(0, 2, n)]

    def h(rows):
        return naive.expected_hits({i: distances[i] for i in rows}, matches, k) / k

    assert naive.row_values(distances, matches, k) == naive.shapley(h, list(range(n)))


def test_cell_values_by_columns_are_the_2d_definition():
    from cases import naive_games, random_table

    table = random_table(3, 4, ["number", "category", "number"], missing=0.1)
    for game in naive_games(table, k=2):

        def h(s, f, game=game):
            return game.h(tuple(game.rows[i] for i in s), f)

        by_columns = naive.cell_values_by_columns(game, 3)
        by_definition = naive.cell_values_of(h, len(game.rows), 3)
        assert [by_columns[i] for i in game.rows] == by_definition
