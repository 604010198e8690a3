"""Kernels against the oracle where small tables do not reach: sorts, cuts, large n."""

import naive
import numpy as np
import pytest

from cellval.knn import row_values as rows_
from cellval.knn import sorting
from cellval.knn.cell_values import (
    Queries,
    Rows,
    make_sums,
    permutations,
    permutations_near,
)
from cellval.knn.row_values import Point
from cellval.knn.sorting import HALF, ONE

GO = np.zeros(1, np.uint8)  # nothing stops


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


@pytest.mark.parametrize("n", [1, 2, 17, 300, sorting.SMALL, 4000])
@pytest.mark.parametrize(("name", "keys"), list(key_cases()))
def test_every_way_of_ordering_sorts(name, keys, n):
    dist = keys[-n:].astype(np.float32)
    bits = dist.view(np.uint32)
    match = np.arange(n) % 3 == 0
    scratch = rows_.make_scratch(n)
    ref = np.sort(bits)
    items = sorting.order_many(
        bits, match, scratch.items, scratch.spare, scratch.counts
    )
    np.testing.assert_array_equal(items >> HALF, ref)
    rows = ((items & sorting.LOWER) >> ONE).astype(int)
    np.testing.assert_array_equal(np.sort(rows), np.arange(n))
    np.testing.assert_array_equal(bits[rows], ref)
    np.testing.assert_array_equal((items & ONE).astype(bool), match[rows])
    if sorting.order_few(bits, scratch.items, scratch.counts):
        np.testing.assert_array_equal(scratch.items[:n] >> HALF, ref)
    else:
        assert name != "normal"
    scratch.items[:n] = (bits.astype(np.uint64) << HALF) | np.arange(n, dtype=np.uint64)
    items = sorting.radix_sort(scratch.items[:n], scratch.spare[:n], scratch.counts)
    np.testing.assert_array_equal(items >> HALF, ref)


def plain_row_values(dist, match, k, near=0, left_out=-1):
    """The oracle's closed form in floating point, with numpy sums: for large n."""
    rows = [i for i in range(len(dist)) if i != left_out]
    d = np.array([dist[i] for i in rows], float)
    if near and near < len(rows):
        reach = np.sort(d)[near - 1]
        d = np.where(d <= reach, d, np.inf)
    p = np.arange(1, len(rows) + 1)
    g = 1 / np.maximum(p, k)
    w = np.where(p > k, 1 / (p * np.maximum(p - 1, 1)), 0.0)
    later_of = np.cumsum(w[::-1])[::-1] - w  # sum of w beyond each position
    out, tail, b = np.zeros(len(dist)), 0.0, len(rows)
    for value in np.unique(d)[::-1]:
        group = np.flatnonzero(d == value)
        size, hits = group.size, sum(bool(match[rows[i]]) for i in group)
        at = slice(b - size, b)
        beyond = later_of[b - 1] if b else 0.0
        later = np.mean(later_of[at] - beyond)
        for i in group:
            hit = bool(match[rows[i]])
            taken = (hits - hit) / (size - 1) * later if size > 1 else 0.0
            out[rows[i]] = hit * g[at].mean() - taken - tail
        tail += hits / size * w[at].sum()
        b -= size
    return out


def test_plain_row_values_are_the_oracle_s():
    rng = np.random.default_rng(1)
    dist, match = rng.integers(0, 4, 12), rng.integers(0, 2, 12)
    ref = naive.row_values(dict(enumerate(dist.tolist())), match.tolist(), 3)
    comp = plain_row_values(dist, match, 3)
    np.testing.assert_allclose(comp, [float(ref[i]) for i in range(12)], atol=1e-12)


def point_of(match, left_out=-1, count=None):
    count = np.ones(match.size, np.uint64) if count is None else count.astype(np.uint64)
    if left_out >= 0:
        count[left_out] -= np.uint64(1)
    tally = (count << HALF) | (count * match.astype(np.uint64))
    n_rows, n_hits = int(count.sum()), int(count[match].sum())
    return Point(match, tally, bool(count.max() > 1), n_rows, n_hits, left_out)


@pytest.mark.parametrize("left_out", [-1, 0, 7])
@pytest.mark.parametrize("near", [0, 1, 40, 500, 2999, 10**6])
@pytest.mark.parametrize("n", [40, 1400, 3000])
@pytest.mark.parametrize("levels", [3, 10**6])
def test_row_values_of_many_rows(n, near, levels, left_out):
    rng = np.random.default_rng([n, levels])
    dist = rng.integers(0, levels, n).astype(np.float32)
    match = rng.random(n) < 0.4
    if left_out >= 0:
        dist[left_out] = np.inf
    out = np.zeros(n)
    rows_.row_values(
        dist,
        near,
        point_of(match, left_out),
        rows_.make_steps(n, 10),
        rows_.make_scratch(n),
        out,
    )
    ref = plain_row_values(dist, match, 10, near, left_out)
    np.testing.assert_allclose(out, ref, rtol=0, atol=1e-12)


@pytest.mark.parametrize("near", [0, 30])
@pytest.mark.parametrize("n", [50, 2000])
def test_repeated_rows_are_the_same_as_rows_written_out(n, near):
    rng = np.random.default_rng(2)
    dist = rng.integers(0, 500, n).astype(np.float32)
    match = rng.random(n) < 0.5
    count = rng.integers(1, 4, n)
    comp = np.zeros(n)
    n_all = int(count.sum())
    rows_.row_values(
        dist,
        near,
        point_of(match, count=count),
        rows_.make_steps(n_all, 5),
        rows_.make_scratch(n),
        comp,
    )
    written = np.repeat(np.arange(n), count)
    ref = np.zeros(n_all)
    rows_.row_values(
        dist[written],
        near,
        point_of(match[written]),
        rows_.make_steps(n_all, 5),
        rows_.make_scratch(n_all),
        ref,
    )
    np.testing.assert_allclose(comp[written], ref, rtol=0, atol=1e-14)


def test_a_misleading_sample_does_not_change_the_near_field():
    # every sampled row is near, all others far: the guessed reach is too short
    n = 3 * rows_.SAMPLE
    dist = np.full(n, 100.0, np.float32) + np.arange(n, dtype=np.float32)
    dist[::3] = 0.5
    match = np.arange(n) % 2 == 0
    out = np.zeros(n)
    rows_.row_values(
        dist,
        3000,
        point_of(match),
        rows_.make_steps(n, 10),
        rows_.make_scratch(n),
        out,
    )
    ref = plain_row_values(dist, match, 10, 3000)
    np.testing.assert_allclose(out, ref, rtol=0, atol=1e-12)


def large_batch(n=2500, m=5, n_tests=3):
    rng = np.random.default_rng(3)
    cells = rng.integers(0, 40, (m, n)).astype(np.float32)
    cells[1] = rng.integers(0, 3, n)
    cells[2, rng.random(n) < 0.1] = np.nan
    rows = Rows(
        cells,
        np.full(m, 0.25, np.float32),
        np.arange(m) == 1,
        rng.integers(0, 2, n).astype(np.int32),
        np.empty(0, np.int64),
    )
    own = np.arange(n_tests, dtype=np.int64) * 7
    tests = Queries(
        np.ascontiguousarray(cells[:, own].T),
        rows.y[own],
        own,
        np.ones(n_tests, np.int64),
        np.ones(n_tests),
    )
    orders = np.stack([[rng.permutation(m)] for _ in range(n_tests)])
    return rows, tests, orders, rows_.make_steps(n, 10)


def distances(rows, tests, t, subset):
    dist = np.zeros(rows.y.size, np.float32)
    for j in subset:
        a, b = rows.cells[j], tests.cells[t, j]
        gap = (a != b) if rows.is_category[j] else (a - b) ** 2
        gap = rows.weight[j] * gap
        either = np.isnan(a) != np.isnan(b)
        both = np.isnan(a) & np.isnan(b)
        dist += np.where(either, 1, np.where(both, 0, gap)).astype(np.float32)
    return dist


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("near", [0, 100])
def test_permutations_of_many_rows(near, dtype):
    rows, tests, orders, steps = large_batch()
    m, n = rows.cells.shape
    ref = np.zeros((m, n))
    for t in range(tests.y.size):
        match = rows.y == tests.y[t]
        for order in (orders[t, 0], orders[t, 0, ::-1]):
            before = np.zeros(n)
            for p in range(m):
                dist = distances(rows, tests, t, order[: p + 1])
                after = plain_row_values(dist, match, 10, near, tests.own[t])
                ref[order[p]] += (after - before) / 2
                before = after
    sums = make_sums(n, m, dtype)
    kernel = permutations_near if near else permutations
    kernel(rows, tests, orders, near, False, steps, GO, sums)
    atol = 1e-8 if dtype is np.float32 else 1e-12
    np.testing.assert_allclose(sums.cells, ref, rtol=0, atol=atol)
    np.testing.assert_allclose(sums.rows, ref.sum(axis=0), rtol=0, atol=atol)
    np.testing.assert_allclose(sums.columns, ref.sum(axis=1), rtol=0, atol=1e-6)


def test_kernels_without_compiling_give_the_same():
    """The Python source itself, as NUMBA_DISABLE_JIT would run it."""
    rng = np.random.default_rng(4)
    dist = rng.integers(0, 5, 30).astype(np.float32)
    match = rng.random(30) < 0.5
    steps, scratch = rows_.make_steps(30, 4), rows_.make_scratch(30)
    compiled, plain = np.zeros(30), np.zeros(30)
    items = np.array(
        [
            (int(b) << 32) | (i << 1) | int(m)
            for i, (b, m) in enumerate(zip(dist.view(np.uint32), match, strict=True))
        ],
        np.uint64,
    )
    items = np.sort(items)
    point = point_of(match)
    rows_.spread_many(items, np.uint64(30), 0.0, point, steps, compiled)
    rows_.spread_many.py_func(items, np.uint64(30), 0.0, point, steps, plain)
    whole = np.zeros(30)
    rows_.row_values(dist, 0, point, steps, scratch, whole)
    np.testing.assert_allclose(plain, compiled, atol=1e-15)
    np.testing.assert_allclose(whole, compiled, atol=1e-15)
