"""The rows most like a row."""

import numpy as np
from cases import make_table, naive_games, random_table

from cellval.table.encoding import encode
from cellval.table.table import part
from cellval.views import similar


def test_similar_order_is_fast_and_complete_with_equal_rows():
    points = np.zeros((5000, 3), np.float32)
    assert sorted(similar.similar_order(points).tolist()) == list(range(5000))


def test_nearest_rows_leave_out_the_row_and_the_column():
    columns = [("number", [0, 0, 50, 9]), ("number", [1, 2, 1, 9])]
    table = make_table(columns, [0, 1, 0, 1])
    encoded = encode(table)
    near, apart = similar.nearest(table, encoded, 0, 2)
    assert near[0] == 1
    assert 0 not in near
    near, apart = similar.nearest(table, encoded, 0, 2, without="c0")
    assert near[0] == 2
    assert apart[0] == 0
    assert len(similar.nearest(table, encoded, 0, 99)[0]) == 3


def test_distances_are_those_of_the_definition_per_column():
    kinds = ["decimal", "category", "number"]
    table = random_table(5, 40, kinds, missing=0.2)
    (game,) = naive_games(table, 1, part(table, np.array([7])))
    squares = game.distances((0, 1, 2))
    near, apart = similar.nearest(table, encode(table), 7, 39)
    assert sorted(near.tolist()) == [i for i in range(40) if i != 7]
    expected = [np.sqrt(float(squares[i]) / 3) for i in near.tolist()]
    np.testing.assert_allclose(apart, expected, rtol=1e-5)
    assert (np.diff(apart) >= 0).all()


def test_coordinates_are_about_as_far_apart_as_the_rows():
    table = random_table(6, 30, ["decimal", "category", "number"])
    encoded = encode(table)
    points = similar.coordinates(encoded)
    _, apart = similar.nearest(table, encoded, 4, 29)
    near, _ = similar.nearest(table, encoded, 4, 29)
    squares = ((points[near] - points[4]) ** 2).sum(axis=1) / 3
    np.testing.assert_allclose(np.sqrt(squares), apart, rtol=1e-4)
