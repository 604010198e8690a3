"""How well labels agree: 1 or 0 of classes, closeness of numbers."""

import naive
import numpy as np
import pytest

from cellval.compiled import kernel
from cellval.knn.agreement import agreement, as_bit, mix, of_two


@kernel
def compiled(y, at, hit, miss):
    """What overloads choose when kernels are compiled."""
    agree = agreement(y, at)
    mixed, bits = np.empty((2, y.size)), np.empty(y.size, np.uint64)
    side_by_side = np.array([miss, hit])
    for i in range(y.size):
        mixed[0, i] = mix(agree[i], hit, miss)
        mixed[1, i] = of_two(agree[i], side_by_side, np.uint32(0))
        bits[i] = as_bit(agree[i])
    return agree, mixed, bits


@pytest.mark.uncompiled
@pytest.mark.parametrize("width", [None, 1.0])
def test_agreement_is_that_of_the_definition(width):
    y, at = np.array([0, 2, 1, 2, 5], np.int32), np.int32(2)
    if width:
        y, at = np.array([0.25, 2.0, 1.5, 2.75, 9.0]), 2.0
    expected = [float(naive.agreement(own, at, width)) for own in y.tolist()]
    agree, mixed, bits = compiled(y, at, 3.0, -1.0)
    assert agree.dtype == (float if width else bool)
    assert agree.tolist() == expected
    assert mixed.tolist() == [[4 * s - 1 for s in expected]] * 2
    assert bits.tolist() == [0 if width else int(s) for s in expected]
