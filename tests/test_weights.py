"""Weights of contributions by how many others are there."""

from math import comb

import naive
import numpy as np
import pytest

from cellval import glossary
from cellval.weights import named, relative

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


def test_every_family_says_what_it_gives_up():
    assert set(glossary.GIVES_UP) == {"shapley", "banzhaf", "beta"}
    for name in ("banzhaf", "beta"):
        assert "Gives up efficiency" in glossary.GIVES_UP[name]
