"""Values of players, and how sure they are."""

import numpy as np

from cellval.games.estimate import exactly, unsure

VALUES = np.array([[1.0, 2.0], [3.0, np.nan]])


def test_exact_values_have_no_error_and_unknown_ones_no_value():
    estimate = exactly(VALUES)
    np.testing.assert_array_equal(estimate.stderr, [[0, 0], [0, np.nan]])
    assert not estimate.row_stderr.any() and not estimate.column_stderr.any()
    assert estimate.typical_stderr == 0


def test_the_typical_error_leaves_out_what_is_unknown():
    errors = np.array([[0.1, 0.3], [np.nan, np.nan]])
    estimate = unsure(VALUES, errors)
    assert estimate.typical_stderr == 0.2
    assert np.isnan(estimate.row_stderr).all() and estimate.column_stderr.shape == (2,)
    assert np.isnan(unsure(VALUES).typical_stderr)
