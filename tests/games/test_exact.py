"""Exact values of small games equal the definition and keep the axioms."""

import naive
import numpy as np
import pytest
from cases import naive_games, random_table
from small_games import Crowded, Random, exact_values

import cellval
from cellval.games.exact import AllSubsets
from cellval.parallel import drive
from cellval.weights import banzhaf, beta, shapley

WEIGHTS = {
    "shapley": (shapley, naive.weight),
    "banzhaf": (banzhaf, naive.banzhaf_weight),
    "beta(4, 1)": (beta(4, 1), naive.beta_weight(4, 1)),
    "beta(1, 3)": (beta(1, 3), naive.beta_weight(1, 3)),
}


@pytest.mark.parametrize("rows", WEIGHTS)
@pytest.mark.parametrize("columns", WEIGHTS)
def test_exact_values_equal_the_definition(rows, columns):
    game = Random(1, 3, 3)
    (a, naive_a), (b, naive_b) = WEIGHTS[rows], WEIGHTS[columns]
    expected = naive.cell_values_of(game, 3, 3, naive_a, naive_b)
    got = exact_values(game, 3, 3, a, b)
    np.testing.assert_allclose(got, np.array(expected, float), atol=1e-12)


@pytest.mark.parametrize("name", WEIGHTS)
def test_every_semivalue_keeps_the_axioms_it_claims(name):
    weights = (WEIGHTS[name][0],) * 2
    a, b = Random(2, 4, 3), Random(3, 4, 3)
    one, two = (exact_values(g, 4, 3, *weights) for g in (a, b))
    both = exact_values(lambda r, c: 2 * a(r, c) + b(r, c), 4, 3, *weights)
    np.testing.assert_allclose(both, 2 * one + two, atol=1e-12)  # linearity
    dummy = exact_values(Random(4, 4, 3, dummy_row=1), 4, 3, *weights)
    np.testing.assert_allclose(dummy[1], 0.0, atol=1e-12)
    twins = exact_values(Random(5, 4, 3, twins=(0, 2)), 4, 3, *weights)
    np.testing.assert_allclose(twins[0], twins[2], atol=1e-12)  # symmetry
    efficient = np.isclose(one.sum(), a(np.arange(4), np.arange(3)))
    assert efficient == (name == "shapley")


@pytest.mark.parametrize("seed", range(3))
def test_a_knn_utility_gives_the_engines_values(seed):
    table = random_table(seed, 6, ["number", "category", "decimal"], missing=0.1)
    test = random_table(seed + 50, 4, ["number", "category", "decimal"], name="test")
    games = naive_games(table, 2, test)

    def h(rows, columns):
        return float(np.mean([float(g.h(tuple(rows), tuple(columns))) for g in games]))

    values = cellval.value_cells(table, n_neighbors=2, test=test, subsets="all")
    np.testing.assert_allclose(exact_values(h, 6, 3), values.values, atol=1e-9)


def test_utilities_are_all_known_at_the_end():
    for step in drive(AllSubsets(Crowded(3, 2), 3, 2)):
        assert step.has_result == (step.done == 1)
    utilities = step.result
    assert utilities.shape == (8, 4) and np.isfinite(utilities).all()
    assert utilities[5, 2] == Crowded(3, 2)([0, 2], [1])
