"""What follows from a table alone."""

import numpy as np
from cases import random_table

import cellval
from cellval.views.table_view import table_view


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
    assert texts[1] == "3\ncid\ncid\nq7\nb"


def test_similar_rows_of_one_class_follow_each_other():
    table = random_table(1, 80, ["decimal", "category"], n_classes=3)
    view = table_view(table)
    assert sorted(view.similar) == list(range(80))
    assert (np.diff(table.y[view.similar_in_class]) >= 0).all()
    for k in range(3):
        inside = view.similar[table.y[view.similar] == k]
        of_class = view.similar_in_class[table.y[view.similar_in_class] == k]
        np.testing.assert_array_equal(inside, of_class)
