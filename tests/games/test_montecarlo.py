"""Random orders: an evaluation a cell, exact within their errors, the same bits."""

from concurrent.futures import ThreadPoolExecutor

import naive
import numpy as np
import pytest
from small_games import Random, exact_values, rounds_of

from cellval.weights import banzhaf, beta, shapley

WEIGHTS = {
    "shapley": (shapley, naive.weight),
    "banzhaf": (banzhaf, naive.banzhaf_weight),
    "beta(4, 1)": (beta(4, 1), naive.beta_weight(4, 1)),
    "beta(1, 3)": (beta(1, 3), naive.beta_weight(1, 3)),
}


@pytest.mark.parametrize("name", WEIGHTS)
def test_sampled_values_equal_the_exact_ones_within_their_errors(name):
    weights = (WEIGHTS[name][0],) * 2
    game = Random(6, 4, 3)
    exact = exact_values(game, 4, 3, *weights)
    found = rounds_of(game, 4, 3, 600, weights=weights)
    away = np.abs(found.values - exact) / found.stderr
    assert away.max() < 4 and away.mean() < 1.5
    row_away = np.abs(found.values.sum(1) - exact.sum(1)) / found.row_stderr
    assert np.nan_to_num(row_away).max() < 4


def test_one_evaluation_for_each_cell_and_round():
    asked = []

    def counting(rows, columns):
        if len(rows) and len(columns):
            asked.append((tuple(rows), tuple(columns)))
        return float(len(rows))

    assert rounds_of(counting, 5, 4, 3).n_evaluations == 3 * 5 * 4
    # and one to load what evaluations need
    assert len(asked) == 3 * 5 * 4 + 1


def test_every_round_sums_to_the_utility_of_all():
    game = Random(7, 5, 3)
    found = rounds_of(game, 5, 3, 4)
    assert found.values.sum() == pytest.approx(game(range(5), range(3)))


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_workers_change_no_bit(n_jobs):
    game = Random(8, 5, 3)
    alone = rounds_of(game, 5, 3, 7)
    with ThreadPoolExecutor(n_jobs) as pool:
        options = {"executor": pool, "n_jobs": n_jobs}
        shared = rounds_of(game, 5, 3, 7, **options)
    np.testing.assert_array_equal(alone.values, shared.values)
    np.testing.assert_array_equal(alone.stderr, shared.stderr)


def test_a_target_ends_the_rounds_early():
    game = Random(9, 3, 2)
    found = rounds_of(game, 3, 2, 10_000, target=0.1)
    assert 10 <= found.n_draws < 10_000 and found.stderr.mean() <= 0.1


def test_truncation_saves_evaluations_and_stays_close():
    def saturating(rows, columns):
        return min(1.0, 0.3 * len(rows)) * len(columns) / 4

    whole = rounds_of(saturating, 30, 4, 20)
    cut = rounds_of(saturating, 30, 4, 20, truncation=0.001)
    assert cut.n_evaluations < 0.4 * whole.n_evaluations
    np.testing.assert_allclose(cut.values, whole.values, atol=0.002)
