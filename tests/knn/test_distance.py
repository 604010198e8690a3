"""Distances are sums over columns, as `Encoded` defines them."""

import numpy as np
import pytest
from cases import naive_games, random_table

from cellval.knn.distance import MISSING, add_column, distances
from cellval.table.encoding import encode

pytestmark = pytest.mark.uncompiled
NAN = np.float32(np.nan)


def added(cells, at, is_category, farthest=None, weight=0.25):
    dist = np.full(len(cells), 100.0, np.float32)
    numbers = np.array(cells, np.float32), np.float32(at), np.float32(weight)
    add_column(*numbers, is_category, farthest, dist)
    return (dist - 100).tolist()


def test_numbers_are_apart_by_their_squared_difference():
    assert added([1, 3, -1, NAN], 1, False) == [0, 1, 1, MISSING]


def test_categories_are_apart_where_they_differ():
    assert added([2, 0, 7, NAN], 2, True) == [0, 0.25, 0.25, MISSING]


@pytest.mark.parametrize("is_category", [True, False])
def test_missing_is_no_distance_from_missing_and_one_from_all_else(is_category):
    assert added([NAN, 5], NAN, is_category) == [0, 1]


def test_no_number_counts_as_farther_than_the_farthest():
    far = np.float32(16)
    assert added([1, 9, 1e6, NAN], 1, False, far) == [0, 16, 16, 1]
    assert added([0, 1e18], 0, False, far) == [0, 16]


@pytest.mark.parametrize("without", [-1, 0, 2])
def test_distances_of_all_rows_are_those_of_the_definition(without):
    kinds = ["decimal", "category", "number"]
    table = random_table(5, 20, kinds, missing=0.2)
    test = random_table(6, 3, kinds, missing=0.2, name="test")
    train, seen = encode(table), encode(test, like=table)
    subset = tuple(j for j in range(3) if j != without)
    for t, game in enumerate(naive_games(table, 1, test)):
        fixed = train.cells, train.weight, train.is_category
        found = distances(*fixed, np.ascontiguousarray(seen.cells[:, t]), without)
        ref = [float(game.distances(subset)[i]) for i in range(20)]
        np.testing.assert_allclose(found, ref, rtol=1e-6)


def test_rows_with_the_same_cells_are_at_the_same_distance_to_the_last_bit():
    rng = np.random.default_rng(0)
    cells = rng.normal(size=(6, 40)).astype(np.float32)
    cells[:, 20:] = cells[:, :20]
    weight = rng.random(6).astype(np.float32)
    found = distances(cells, weight, np.zeros(6, bool), cells[:, 3].copy())
    np.testing.assert_array_equal(found[:20], found[20:])
