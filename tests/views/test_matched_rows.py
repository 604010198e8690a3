"""Rows of two results that belong to each other."""

import numpy as np
from cases import make_table, values_of

from cellval.views.matched_rows import paired


def test_rows_are_matched_by_their_number_and_dropped_ones_have_no_position():
    table = make_table([("number", [1, 2, 3, 4])], [0, 1, 0, 1])
    before = values_of(table, [[0.1], [0.2], [0.3], [0.4]])
    after = values_of(table.with_cells({}, drop=[1]), [[1.0], [3.0], [4.0]])
    matched = paired(before, after, np.array([4, 2, 3]))
    assert matched.old.tolist() == [3, 1, 2]
    assert matched.new.tolist() == [2, -1, 1]
    assert matched.after.values[matched.new[0], 0] == 4.0


def test_a_part_holds_the_same_rows_in_the_same_order():
    table = make_table([("number", [1, 2, 3])], [0, 1, 0])
    values = values_of(table, [[0.1], [0.2], [0.3]])
    part = paired(values, values, np.array([3, 1, 2])).part(1, 3)
    assert part.rows.tolist() == [1, 2]
    assert part.old.tolist() == part.new.tolist() == [0, 1]


def test_a_row_that_no_result_has_is_matched_nowhere():
    table = make_table([("number", [1, 2])], [0, 1])
    values = values_of(table, [[0.1], [0.2]])
    assert paired(values, values, np.array([99])).old.tolist() == [-1]
