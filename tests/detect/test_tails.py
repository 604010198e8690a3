"""Tail probabilities of ordinary cells."""

import numpy as np
import pytest

from cellval.detect.tails import Tail, calibrated, tail_of

rng = np.random.default_rng


def test_the_tail_of_a_normal_distribution_is_about_right():
    x = np.abs(rng(0).normal(size=20_000))
    tail = tail_of(x)
    for away, share in ((1.0, 0.317), (2.0, 0.0455), (3.0, 0.0027)):
        assert 0.7 * share < tail(np.array([away]))[0] < 2 * share


def test_contamination_leaves_the_tail_alone():
    x = np.abs(rng(0).normal(size=2000))
    dirty = x.copy()
    dirty[:80] = 1000.0
    assert tail_of(dirty).far == pytest.approx(tail_of(x).far, rel=0.15)
    assert tail_of(dirty)(np.array([1000.0]))[0] < 1e-9


def test_heavy_tails_bend_it():
    x = np.abs(rng(0).standard_t(3, size=50_000))
    assert tail_of(x).shape < 1.3
    share = float((x > 8).mean())
    normal = tail_of(np.abs(rng(0).normal(size=50_000)))
    far = np.array([8.0])
    assert (
        normal(far)[0] < 1e-3 * tail_of(x)(far)[0] and tail_of(x)(far)[0] > share / 50
    )


@pytest.mark.parametrize(
    "x", [[], [np.nan], [0.0, 0.0, 0.0], [0.0] * 9 + [1.0], [3.0], [2.0] * 5]
)
def test_tails_of_next_to_nothing_are_probabilities(x):
    x = np.array(x, float)
    p = tail_of(x)(x)
    assert ((p > 0) & (p <= 1) | np.isnan(x)).all()


def test_a_tail_is_drawn_to_another():
    a, b = Tail(1.0, 1.0, 2.0, 2.0), Tail(1.0, 3.0, 2.3, 0.5)
    x = np.array([0.5, 2.0, 5.0])
    np.testing.assert_allclose(a.drawn_to(b, 0.0)(x), a(x))
    np.testing.assert_allclose(a.drawn_to(b, 1.0)(x), b(x))


def test_probabilities_are_raised_where_too_many_are_low():
    p = np.array([0.01] * 20 + [0.9] * 80)
    assert calibrated(p)[0] == pytest.approx(0.04)
    assert calibrated(np.array([0.01, 0.5, np.nan] * 50))[0] == pytest.approx(0.1, 0.01)
    fine = np.linspace(0.001, 1, 1000)
    np.testing.assert_allclose(calibrated(fine), fine, rtol=0.02)
