"""What follows from a table alone."""

import numpy as np
from cases import make_table, naive_games, random_table

import cellval
from cellval.table.encoding import encode
from cellval.table.table import part
from cellval.views.table_view import coordinates, nearest, similar_order, table_view


def test_a_view_is_kept_with_its_table_only():
    table, other = random_table(0, 20, ["number"]), random_table(0, 20, ["number"])
    assert table_view(table) is table_view(table)
    assert table_view(other) is not table_view(table)


def test_a_search_looks_at_number_id_and_cells_in_small_letters():
    table = cellval.read(
        b"who,x,y\nAnn,1.5,a\nBob,2.5,\nCid,Q7,b\nDan,9,a\n",
        label="y",
        id_column="who",
        kinds={"x": "category"},
    )
    texts = table_view(table).text.tolist()
    assert texts[2] == "3\ncid\ncid\nq7\nb"


def test_similar_rows_of_one_class_follow_each_other():
    table = random_table(1, 80, ["decimal", "category"], n_classes=3)
    view = table_view(table)
    assert sorted(view.similar) == list(range(80))
    assert (np.diff(table.y[view.similar_in_class]) >= 0).all()
    for k in range(3):
        inside = view.similar[table.y[view.similar] == k]
        of_class = view.similar_in_class[table.y[view.similar_in_class] == k]
        np.testing.assert_array_equal(inside, of_class)


def test_similar_order_is_fast_and_complete_with_equal_rows():
    points = np.zeros((5000, 3), np.float32)
    assert sorted(similar_order(points).tolist()) == list(range(5000))


def test_nearest_rows_leave_out_the_row_and_the_column():
    columns = [("number", [0, 0, 50, 9]), ("number", [1, 2, 1, 9])]
    table = make_table(columns, [0, 1, 0, 1])
    near, apart = nearest(table, 0, 2)
    assert near[0] == 1
    assert 0 not in near
    near, apart = nearest(table, 0, 2, without="c0")
    assert near[0] == 2
    assert apart[0] == 0
    assert len(nearest(table, 0, 99)[0]) == 3


def test_distances_are_those_of_the_definition_per_column():
    kinds = ["decimal", "category", "number"]
    table = random_table(5, 40, kinds, missing=0.2)
    (game,) = naive_games(table, 1, part(table, np.array([7])))
    squares = game.distances((0, 1, 2))
    near, apart = nearest(table, 7, 39)
    assert sorted(near.tolist()) == [i for i in range(40) if i != 7]
    expected = [np.sqrt(float(squares[i]) / 3) for i in near.tolist()]
    np.testing.assert_allclose(apart, expected, rtol=1e-5)
    assert (np.diff(apart) >= 0).all()


def test_coordinates_are_about_as_far_apart_as_the_rows():
    table = random_table(6, 30, ["decimal", "category", "number"])
    points = coordinates(encode(table))
    near, apart = nearest(table, 4, 29)
    squares = ((points[near] - points[4]) ** 2).sum(axis=1) / 3
    np.testing.assert_allclose(np.sqrt(squares), apart, rtol=1e-4)
