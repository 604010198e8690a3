"""phi equals the closed form where small tables do not reach: sorts, cuts, large n."""

import naive
import numpy as np
import pytest
from cases import plain_row_values
from doors import row_values

from cellval.knn import row_values as rows_
from cellval.knn.agreement import HALF
from cellval.knn.row_values import Point


def test_plain_row_values_are_the_oracle_s():
    rng = np.random.default_rng(1)
    dist, match = rng.integers(0, 4, 12), rng.integers(0, 5, 12) / 4
    ref = naive.row_values(dict(enumerate(dist.tolist())), match.tolist(), 3)
    comp = plain_row_values(dist, match, 3)
    np.testing.assert_allclose(comp, [float(ref[i]) for i in range(12)], atol=1e-12)


def point_of(agree, k, left_out=-1, count=None):
    """A test point with K neighbours as rows see it."""
    count = np.ones(agree.size, np.uint64) if count is None else count.astype(np.uint64)
    if left_out >= 0:
        count[left_out] -= np.uint64(1)
    is_match = agree.astype(np.uint64) * np.uint64(agree.dtype == bool)
    n_rows = int(count.sum())
    return Point(
        at=np.zeros(0, np.float32),
        agree=agree,
        tally=(count << HALF) | (count * is_match),
        repeats=bool(count.max() > 1),
        n_rows=n_rows,
        n_agree=float((count * agree).sum()),
        left_out=left_out,
        steps=rows_.make_steps(max(n_rows, agree.size), k),
        scratch=rows_.make_scratch(agree.size),
    )


def labels(rng, n, share, closeness):
    """Agreement with many ties: of classes, or closeness from 0 to 1."""
    if closeness:
        return np.maximum(0.0, rng.integers(-3, 8, n) / 7)
    return rng.random(n) < share


@pytest.mark.parametrize("left_out", [-1, 0, 7])
@pytest.mark.parametrize("near", [None, 0, 1, 40, 500, 2999, 10**6])
@pytest.mark.parametrize(
    "n", [pytest.param(40, marks=pytest.mark.uncompiled), 1400, 3000]
)
@pytest.mark.parametrize("levels", [3, 10**6])
@pytest.mark.parametrize("closeness", [False, True])
def test_row_values_of_many_rows(n, near, levels, left_out, closeness):
    rng = np.random.default_rng([n, levels])
    dist = rng.integers(0, levels, n).astype(np.float32)
    match = labels(rng, n, 0.4, closeness)
    if left_out >= 0:
        dist[left_out] = np.inf
    out = np.zeros(n)
    row_values(dist, near, point_of(match, 10, left_out), out)
    ref = plain_row_values(dist, match, 10, near, left_out)
    np.testing.assert_allclose(out, ref, rtol=0, atol=1e-12)


@pytest.mark.parametrize("near", [None, 0, 30])
@pytest.mark.parametrize("n", [pytest.param(50, marks=pytest.mark.uncompiled), 2000])
@pytest.mark.parametrize("closeness", [False, True])
def test_repeated_rows_are_the_same_as_rows_written_out(n, near, closeness):
    rng = np.random.default_rng(2)
    dist = rng.integers(0, 500, n).astype(np.float32)
    match = labels(rng, n, 0.5, closeness)
    count = rng.integers(1, 4, n)
    comp = np.zeros(n)
    n_all = int(count.sum())
    row_values(dist, near, point_of(match, 5, count=count), comp)
    written = np.repeat(np.arange(n), count)
    ref = np.zeros(n_all)
    row_values(dist[written], near, point_of(match[written], 5), ref)
    np.testing.assert_allclose(comp[written], ref, rtol=0, atol=1e-14)


def test_a_misleading_sample_does_not_change_the_near_field():
    # every sampled row is near, all others far: the guessed reach is too short
    n = 3 * rows_.SAMPLE
    dist = np.full(n, 100.0, np.float32) + np.arange(n, dtype=np.float32)
    dist[::3] = 0.5
    match = np.arange(n) % 2 == 0
    out = np.zeros(n)
    row_values(dist, 3000, point_of(match, 10), out)
    ref = plain_row_values(dist, match, 10, 3000)
    np.testing.assert_allclose(out, ref, rtol=0, atol=1e-12)
