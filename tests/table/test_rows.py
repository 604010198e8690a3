"""Some rows of a table, as models see them."""

import numpy as np
from cases import make_table, random_table

from cellval.table.encoding import encode
from cellval.table.rows import cells_of, part


def test_a_part_has_the_cells_of_its_rows_in_their_order():
    table = random_table(0, 30, ["number", "category"], n_classes=3, missing=0.2)
    rows = np.array([7, 3, 3, 29])
    some = part(table, rows)
    assert some.n_rows == 4
    assert some.row_numbers.tolist() == [8, 4, 4, 30]
    np.testing.assert_array_equal(some.y, table.y[rows])
    assert some.classes == table.classes
    for own, whole in zip(some.features, table.features, strict=True):
        np.testing.assert_array_equal(cells_of(own), cells_of(whole)[rows])
        np.testing.assert_array_equal(own.missing, whole.missing[rows])


def test_a_part_is_encoded_on_the_scale_of_the_whole():
    table = random_table(1, 30, ["decimal", "category"])
    rows = np.array([2, 11])
    np.testing.assert_array_equal(
        encode(part(table, rows), like=table).cells, encode(table).cells[:, rows]
    )


def test_missing_cells_of_any_kind_are_nan():
    table = make_table([("number", [1, None]), ("category", [None, 2])], [0, 1])
    number, category = map(cells_of, table.features)
    np.testing.assert_array_equal(number, [1, np.nan])
    np.testing.assert_array_equal(category, [np.nan, 2])
