"""Weights of contributions by how many others are there."""

from math import comb

import naive
import numpy as np
import pytest

from cellval.errors import InputError
from cellval.weights import banzhaf, beta, named, relative, shapley

WEIGHTS = {
    "banzhaf": naive.banzhaf_weight,
    "beta(4, 1)": naive.beta_weight(4, 1),
    "beta(1, 16)": naive.beta_weight(1, 16),
}


@pytest.mark.parametrize("n", [1, 2, 3, 300, 3000])
@pytest.mark.parametrize(
    "text", ["banzhaf", "beta(1, 1)", "beta(16, 1)", "beta(0.01, 30)", "beta(1e9, 1)"]
)
def test_factors_are_finite_and_average_to_one(text, n):
    factors = relative(named(text), n)
    assert np.isfinite(factors).all()
    assert (factors >= 0).all()
    assert factors.mean() == pytest.approx(1.0)


@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_weights_are_their_formulas(n):
    pairs = {"shapley": naive.weight, **WEIGHTS, "beta(3, 2)": naive.beta_weight(3, 2)}
    for text, w in pairs.items():
        ref = [float(w(s, n)) for s in range(n)]
        np.testing.assert_allclose(named(text)(n), ref, rtol=1e-12)
        ref = [float(n * comb(n - 1, s) * w(s, n)) for s in range(n)]
        comp = relative(named(text), n)
        np.testing.assert_allclose(comp, ref, rtol=1e-12)


def test_a_larger_a_stresses_small_coalitions():
    sizes = np.arange(20)
    names = ("beta(16, 1)", "beta(4, 1)", "beta(1, 1)", "beta(1, 4)", "beta(1, 16)")
    means = [np.mean(sizes * relative(named(t), 20)) for t in names]
    assert means == sorted(means)
    assert means[0] < 2
    assert means[-1] > 17


@pytest.mark.parametrize("name", ["shapley", *WEIGHTS, "beta(1, 3)"])
def test_weights_sum_to_one_over_coalitions(name):
    for n in (1, 2, 7):
        counts = [len(list(naive.combinations(range(n - 1), s))) for s in range(n)]
        assert np.dot(counts, named(name)(n)) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Shapley", "shapley"),
        (" BANZHAF ", "banzhaf"),
        ("Beta(4,1)", "beta(4, 1)"),
        ("beta( 0.50 , 2.0 )", "beta(0.5, 2)"),
    ],
)
def test_weights_are_known_by_their_name_however_it_is_written(text, name):
    assert named(text).name == name
    assert named(name).name == name


@pytest.mark.parametrize("text", ["beta(0, 1)", "beta(1, -2)", "beta(1, inf)"])
def test_beta_weights_need_numbers_above_zero(text):
    with pytest.raises(InputError, match="with two numbers above 0"):
        named(text)


def test_beta_of_ones_is_shapley():
    np.testing.assert_allclose(beta(1, 1)(9), shapley(9), rtol=1e-12)
    np.testing.assert_array_equal(relative(shapley, 9), np.ones(9))
    assert banzhaf(3).tolist() == pytest.approx([0.25] * 3)
