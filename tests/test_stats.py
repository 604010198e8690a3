"""The few statistics that several rooms share."""

import naive
import numpy as np
import pytest

from cellval.errors import InputError
from cellval.stats import (
    clearly_below,
    hold_out,
    in_errors,
    median,
    robust_spread,
    stratified,
)


def test_a_value_without_an_error_is_infinitely_sure():
    assert in_errors(-0.2, 0.1) == -2
    assert in_errors(-0.2, 0.0) == -np.inf
    assert in_errors(0.2, 0.0) == np.inf
    assert in_errors(0.0, 0.0) == 0


def test_only_what_is_two_errors_below_zero_is_clearly_below():
    values = np.array([-0.3, -0.1, 0.3, -0.3, np.nan])
    stderr = np.array([0.1, 0.1, 0.1, np.nan, 0.1])
    assert clearly_below(values, stderr).tolist() == [True, *[False] * 4]


@pytest.mark.parametrize("seed", range(6))
def test_medians_of_rows_leave_out_missing_cells(seed):
    draw = np.random.default_rng(seed)
    cells = draw.integers(0, 9, (20, 1 + seed)).astype(float)
    cells[draw.random(cells.shape) < 0.4] = np.nan
    expected = [
        naive.middle([None if np.isnan(c) else c for c in row]) for row in cells
    ]
    expected = [np.nan if m is None else m for m in expected]
    np.testing.assert_array_equal(median(cells), expected)


def test_one_absurd_number_does_not_change_a_robust_spread():
    x = np.random.default_rng(0).normal(5, 3, 4000)
    assert robust_spread(x) == pytest.approx(3, rel=0.05)
    wild = np.append(x, [1e9, np.nan])
    assert robust_spread(wild) == pytest.approx(robust_spread(x), rel=0.01)


@pytest.mark.parametrize(
    ("x", "spread"),
    [
        ([], 1.0),
        ([np.nan, np.nan], 1.0),
        ([7.0] * 5, 1.0),
        ([0.0] * 9 + [10.0], 3.0),  # no quartiles apart: the standard deviation
        ([-1e300, 1e300] * 2, 2e300 / 1.35),
    ],
)
def test_a_spread_is_never_zero_and_never_overflows(x, spread):
    assert robust_spread(np.array(x)) == pytest.approx(spread)


def test_about_the_same_share_of_each_class_is_drawn():
    y = np.repeat([0, 1, 2], [100, 10, 1])
    chosen = stratified(y, 0.3, np.random.default_rng(0))
    assert np.bincount(y[chosen], minlength=3).tolist() == [30, 3, 0]
    kept = stratified(y, 1.0, np.random.default_rng(0), keep=1)
    assert np.bincount(y[kept], minlength=3).tolist() == [99, 9, 0]
    again = stratified(y, 0.3, np.random.default_rng(0))
    np.testing.assert_array_equal(chosen, again)


def test_a_hold_out_follows_from_its_seed():
    y = np.repeat([0, 1], 50)
    one, same, other = (hold_out(y, 0.3, seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one, same)
    assert one.sum() == other.sum() == 30 and (one != other).any()
    assert hold_out(y, np.float32(0.5), 0).sum() == 50


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (True, "not understood"),
        ("0.3", "not understood"),
        (0, "between 0 and 1"),
        (1.0, "between 0 and 1"),
        (float("nan"), "between 0 and 1"),
        (0.001, "leaves no rows on one side"),
        (0.999, "leaves no rows on one side"),
    ],
)
def test_a_share_that_cannot_be_held_out_says_why(share, words):
    with pytest.raises(InputError, match=words):
        hold_out(np.repeat([0, 1], 5), share, 0)
