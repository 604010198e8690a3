"""Every way of ordering rows by distance sorts."""

import numpy as np
import pytest
from doors import order_few, order_many, radix_sort

from cellval.knn import row_values as rows_
from cellval.knn import sorting
from cellval.knn.agreement import HALF, LOWER, ONE


def key_cases():
    rng = np.random.default_rng(0)
    n = 4000
    outlier = np.full(n, 1e12) + rng.integers(0, 1000, n) * 65536.0
    yield "normal", (rng.normal(size=(n, 5)) ** 2).sum(axis=1)
    yield "ties", rng.integers(0, 4, n)
    yield "all equal", np.full(n, 3.5)
    yield "all zero", np.zeros(n)
    yield "far and alike", outlier
    yield "far and alike, one near", np.append(outlier[1:], 0.0)
    yield "wide range", 10.0 ** rng.uniform(-30, 30, n)
    yield "descending", np.arange(n, 0, -1) ** 2


@pytest.mark.parametrize(
    "n",
    [
        *(pytest.param(n, marks=pytest.mark.uncompiled) for n in (1, 2, 17, 300)),
        *(sorting.SMALL, 4000),
    ],
)
@pytest.mark.parametrize("keys", [pytest.param(k, id=name) for name, k in key_cases()])
def test_every_way_of_ordering_sorts(keys, n):
    dist = keys[-n:].astype(np.float32)
    bits = dist.view(np.uint32)
    match = np.arange(n) % 3 == 0
    scratch = rows_.make_scratch(n)
    ref = np.sort(bits)
    items = order_many(bits, match, scratch.items, scratch.spare, scratch.counts)
    np.testing.assert_array_equal(items >> HALF, ref)
    rows = ((items & LOWER) >> ONE).astype(int)
    np.testing.assert_array_equal(np.sort(rows), np.arange(n))
    np.testing.assert_array_equal(bits[rows], ref)
    np.testing.assert_array_equal((items & ONE).astype(bool), match[rows])
    order_few(bits, scratch.items, scratch.spare, scratch.counts)
    np.testing.assert_array_equal(scratch.items[:n] >> HALF, ref)
    rows = (scratch.items[:n] & LOWER).astype(int)
    np.testing.assert_array_equal(bits[rows], ref)
    np.testing.assert_array_equal(np.sort(rows), np.arange(n))
    scratch.items[:n] = (bits.astype(np.uint64) << HALF) | np.arange(n, dtype=np.uint64)
    items = radix_sort(scratch.items[:n], scratch.spare[:n], scratch.counts)
    np.testing.assert_array_equal(items >> HALF, ref)
