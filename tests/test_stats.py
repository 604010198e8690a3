"""The few statistics that several rooms share."""

import naive
import numpy as np
import pytest

from cellval.stats import (
    clearly_below,
    in_errors,
    median,
    robust_spread,
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
