"""Rows in an order, filtered, found, and a window of them."""

import numpy as np
import pytest
from cases import make_table, random_table, values_of

import cellval
from cellval.views.order import filtered, find_rows, row_order, window
from cellval.views.table_view import table_view


@pytest.fixture
def small():
    """Six rows of two columns with easy values."""
    columns = [("number", [1, 2, 3, 4, 5, 6]), ("category", [0, 0, 1, 1, 2, 2])]
    table = make_table(columns, [0, 0, 0, 1, 1, 1])
    cells = [[0.3, 0.1], [-0.2, 0.5], [0.0, 0.1], [0.4, -0.5], [0.1, 0.0], [0.2, 0.3]]
    return table, values_of(table, cells)


@pytest.mark.parametrize(
    ("by", "column", "expected"),
    [
        ("file", None, [0, 1, 2, 3, 4, 5]),
        ("row", None, [3, 2, 4, 1, 0, 5]),
        ("cell", None, [3, 1, 2, 4, 0, 5]),
        ("column", "c0", [1, 2, 4, 5, 0, 3]),
        ("column", "no such", [0, 1, 2, 3, 4, 5]),
    ],
)
def test_rows_come_in_the_order_asked_for(small, by, column, expected):
    table, values = small
    assert row_order(table, values, by, column).tolist() == expected


def test_rows_without_values_come_last(small):
    table, values = small
    cells = values.values.copy()
    cells[3] = np.nan
    held_out = values_of(table, cells)
    for by in ("row", "cell", "column"):
        assert row_order(table, held_out, by, "c0")[-1] == 3


def test_rows_come_in_the_order_of_their_most_suspicious_cell(small):
    table, values = small
    ranks = np.array([[9, 8], [7, 2], [3, 4], [5, 6], [10, 12], [11, 1]])
    order = row_order(table, values, "suspicion", ranks=ranks)
    assert order.tolist() == [5, 1, 2, 3, 0, 4]
    # Until suspicion is known, the lowest cell stands for it.
    lowest = row_order(table, values, "cell")
    assert row_order(table, values, "suspicion").tolist() == lowest.tolist()


def test_similar_order_keeps_classes_and_alike_rows_together():
    table = random_table(3, 300, ["decimal", "decimal", "category"], n_classes=2)
    order = row_order(table, None, "similar")
    assert sorted(order.tolist()) == list(range(300))
    assert (np.diff(table.y[order]) >= 0).all()
    points = table_view(table).points

    def step(rows):
        return np.linalg.norm(np.diff(points[rows], axis=0), axis=1).mean()

    assert step(order) < 0.7 * step(np.argsort(table.y, kind="stable"))


def test_filters_by_class_search_and_given_rows(small):
    table, _ = small
    order = np.array([5, 4, 3, 2, 1, 0])
    assert filtered(order, table, classes=("no",)).tolist() == [2, 1, 0]
    assert filtered(order, table, only=np.array([1, 4])).tolist() == [4, 1]
    assert filtered(order, table, search=" YES ").tolist() == [5, 4, 3]
    assert filtered(order, table, search="(").tolist() == []
    assert filtered(order, table).tolist() == order.tolist()


def test_a_row_is_found_by_id_and_by_number():
    raw = b"name;x;y\nann;1;a\nbob;2;\n7;3;b\ncid;1;b\n" + b"".join(
        b"r%d;%d;a\n" % (k, k) for k in range(10)
    )
    table = cellval.read(raw, label="y", id_column="name")
    assert find_rows(table, " ann ") == [0]
    assert find_rows(table, "7") == [2]  # an id goes before a row number
    assert find_rows(table, "4") == [3]
    assert find_rows(table, "2") == [1]  # though it has no label
    assert find_rows(table, "nobody") == []


@pytest.mark.parametrize(
    ("n", "start", "expected"),
    [(200, 0, (0, 60)), (200, 190, (140, 200)), (10, 5, (0, 10)), (200, -3, (0, 60))],
)
def test_a_window_stays_within_the_rows(n, start, expected):
    assert window(n, start, 60) == expected
