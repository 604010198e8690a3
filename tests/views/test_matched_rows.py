"""Rows of two results that belong to each other."""

import numpy as np
from cases import make_table, values_of

from cellval.views.matched_rows import MatchedRows


def test_rows_are_matched_by_their_number_and_dropped_ones_have_no_position():
    table = make_table([("number", [1, 2, 3, 4])], [0, 1, 0, 1])
    before = values_of(table, [[0.1], [0.2], [0.3], [0.4]])
    after = values_of(table.with_cells({}, drop=[1]), [[1.0], [3.0], [4.0]])
    matched = MatchedRows(before, after, np.array([4, 2, 3]))
    assert matched.old.tolist() == [3, 1, 2]
    assert matched.new.tolist() == [2, -1, 1]
    assert matched.after.values[matched.new[0], 0] == 4.0


def test_a_row_that_no_result_has_is_matched_nowhere():
    table = make_table([("number", [1, 2])], [0, 1])
    values = values_of(table, [[0.1], [0.2]])
    assert MatchedRows(values, values, np.array([99])).old.tolist() == [-1]
