"""The nearest of some rows: sorted, by the definition, and as a vote."""

import naive
import numpy as np
import pytest
from cases import random_table

from cellval.knn.nearest import (
    BLOCK,
    k_nearest,
    k_smallest,
    keep_nearest,
    knn_classes,
    nearest_rows,
)
from cellval.table.encoding import encode
from cellval.table.table import part

GO = np.zeros(1, np.uint8)  # nothing stops


@pytest.mark.uncompiled
@pytest.mark.parametrize("k", [1, 3, 12])
@pytest.mark.parametrize("levels", [2, 1000])
def test_the_k_nearest_are_the_first_of_a_stable_sort(levels, k):
    dist = np.random.default_rng(levels).integers(0, levels, 12).astype(np.float32)
    order = np.argsort(dist, kind="stable")[:k]
    rows, gaps = k_nearest(dist, k)
    assert rows.tolist() == order.tolist()
    np.testing.assert_array_equal(gaps, dist[order])
    smallest = np.empty(k, np.float32)
    k_smallest(dist, smallest)
    np.testing.assert_array_equal(smallest, gaps)


@pytest.mark.uncompiled
def test_places_that_no_row_fills_are_empty():
    dist = np.array([3, np.inf, 1], np.float32)
    rows, gaps = k_nearest(dist, 4)
    assert rows.tolist() == [2, 0, -1, -1]
    assert gaps.tolist() == [1, 3, np.inf, np.inf]
    smallest = np.empty(4, np.float32)
    k_smallest(dist, smallest)
    assert smallest.tolist() == [1, 3, np.inf, np.inf]


@pytest.mark.uncompiled
def test_a_row_is_put_behind_those_as_near():
    best, rows = np.array([1, 2, 5], np.float32), np.array([7, 8, 9])
    keep_nearest(np.float32(2), 4, best, rows)
    assert rows.tolist() == [7, 8, 4]
    keep_nearest(np.float32(0), 5, best, rows)
    assert rows.tolist() == [5, 7, 8]
    assert best.tolist() == [0, 1, 2]


def asked(cells, own, known, predictors, importance, k, weight, is_category):
    found = np.empty((len(own), len(predictors), k), np.int32)
    arrays = (np.array(own), known, weight, is_category)
    importance = np.array(importance, np.float32)
    nearest_rows(cells, *arrays, np.array(predictors), importance, found, GO)
    return found


@pytest.mark.uncompiled
def test_rows_nearest_for_a_column_are_those_of_the_definition():
    rng = np.random.default_rng(1)
    n, k = 15, 4
    cells = rng.integers(0, 5, (3, n)).astype(np.float32)
    cells[0, :4] = np.nan
    cells[2, 3] = 1000  # counts as far, but no farther than FARTHEST
    is_category, weight = np.array([False, True, False]), np.full(3, 0.5, np.float32)
    predictors = [[1, 2], [0, -1]]
    importance = [[0.25, 0.75], [1.0, 0.0]]
    own = list(range(n))
    found = asked(cells, own, cells, predictors, importance, k, weight, is_category)
    columns = [[None if np.isnan(c) else float(c) for c in line] for line in cells]
    kinds = ["category" if c else "number" for c in is_category]
    for i in range(n):
        for j, weights in enumerate(([0, 0.25, 0.75], [1, 0, 0])):
            fixed = columns, kinds, [0.5] * 3, weights
            ref = naive.nearest(*fixed, i, range(n), k)
            assert found[i, j].tolist() == ref


def test_more_rows_than_are_compared_at_a_time_are_joined_without_a_seam():
    n = 2 * BLOCK + 77
    x = np.random.default_rng(2).permutation(n).astype(np.float32)
    rows = np.array([[500.25, n - 3.25]], np.float32)
    options = [[0]], [[1.0]], 3, np.full(1, 1e-6, np.float32), np.zeros(1, bool)
    found = asked(rows, [-1, -1], x[None], *options)[:, 0]
    assert x[found].tolist() == [[500, 501, 499], [n - 3, n - 4, n - 2]]


@pytest.mark.uncompiled
def test_a_stopped_search_ends_at_once():
    found = np.full((1, 1, 2), 9, np.int32)
    one = np.ones((1, 1), np.float32)
    arrays = np.array([-1]), one, one[0], np.zeros(1, bool)
    nearest_rows(one, *arrays, np.array([[0]]), one, found, np.ones(1, np.uint8))
    assert (found == 9).all()


def naive_vote(train, seen, k):
    """Expected votes when ties in distance are broken at random, in plain Python."""
    classes = []
    for t in range(seen.shape[1]):
        distances = []
        for i in range(train.cells.shape[1]):
            total = 0.0
            for j, weight in enumerate(train.weight):
                a, b = float(train.cells[j, i]), float(seen[j, t])
                if np.isnan(a) or np.isnan(b):
                    total += np.isnan(a) != np.isnan(b)
                elif train.is_category[j]:
                    total += float(weight) * (a != b)
                else:
                    total += float(weight) * (a - b) ** 2
            distances.append(total)
        y, reach = train.y.tolist(), sorted(distances)[min(k, len(distances)) - 1]
        near = [y[i] for i, d in enumerate(distances) if d < reach]
        tied = [y[i] for i, d in enumerate(distances) if d == reach]
        left = min(k, len(distances)) - len(near)
        votes = {
            c: (near.count(c) * len(tied) + left * tied.count(c), y.count(c), -c)
            for c in set(y)
        }
        classes.append(max(votes, key=votes.get))
    return classes


@pytest.mark.uncompiled
@pytest.mark.parametrize("k", [1, 2, 5, 100])
@pytest.mark.parametrize("seed", range(4))
def test_knn_is_the_vote_of_the_definition(k, seed):
    kinds = ["number", "category", "number", "category"]
    table = random_table(seed, 40, kinds, n_classes=3, missing=0.15)
    test = random_table(seed + 50, 30, kinds, n_classes=3, levels=4, missing=0.15)
    seen = encode(test, like=table).cells
    expected = naive_vote(encode(table), seen, k)
    assert knn_classes(table, seen, k).tolist() == expected


def test_knn_does_not_depend_on_row_order():
    table = random_table(7, 60, ["number", "category"], n_classes=3)
    rows = np.random.default_rng(0).permutation(60)
    shuffled = part(table, rows)
    seen = encode(table).cells
    np.testing.assert_array_equal(
        knn_classes(table, seen, 5), knn_classes(shuffled, seen, 5)
    )
