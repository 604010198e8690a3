"""A small untidy table, and rows of it that are changed."""

import numpy as np
from cases import number_table, untidy_table

from cellval.whatif.changed_row import changed_row, run_of
from cellval.whatif.contents import whole_row


def close(a, b, atol=1e-12):
    np.testing.assert_allclose(a, b, rtol=0, atol=atol)


TABLE = untidy_table()


CHANGES = [
    {"c0": "4"},
    {"c0": "1000"},
    {"c1": "violet"},
    {"c2": ""},
    {"kind": "a"},
    {"kind": "c"},
    {"kind": "new"},
    {"c0": "2", "c1": "red", "c2": "0.1", "kind": "b"},
]


# The same with a label of numbers.
NUMBERS = number_table(40, 0)

NUMBER_CHANGES = [
    {"x": "0.4"},
    {"x": "1000"},
    {"word": "sideways"},
    {"noise": ""},
    {"price": "49"},
    {"price": "510.5"},
    {"x": "0.1", "word": "up", "noise": "", "price": "60"},
]


def changed(table, position, changes):
    return table.with_cells({(position, name): text for name, text in changes.items()})


def row_told(table, values, position, changes_list, test=None):
    """What test points say about a row as it is, and after each change."""
    run = run_of(table, values, test)
    return whole_row(run, changed_row(run, position, changes_list))


def row_values(told):
    """Of each change, with standard errors."""
    return np.transpose([told.mean(q) for q in range(1, len(told.by_test))])
