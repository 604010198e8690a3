"""Rows to learn from and rows to test on."""

import numpy as np
import pytest

from cellval.errors import InputError
from cellval.table.splits import hold_out, stratified


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
