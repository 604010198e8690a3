"""What a row is worth under each of its contents."""

import numpy as np
import pytest
from cases import untidy_table
from changed_rows import CHANGES, TABLE, changed, close, row_told, row_values

import cellval
from cellval.whatif import contents


def gains(told):
    """The same less the row as it is."""
    return np.transpose([told.mean(q, 0) for q in range(1, len(told.by_test))])


@pytest.mark.parametrize("scoring", ["accuracy", "balanced"])
@pytest.mark.parametrize("n_neighbors", [1, 5, 100])
@pytest.mark.parametrize("index", [0, 17])
def test_row_values_are_those_of_the_changed_table(index, n_neighbors, scoring):
    settings = {"n_neighbors": n_neighbors, "scoring": scoring}
    values = cellval.value_cells(TABLE, subsets=1, **settings)
    told = row_told(TABLE, values, index, CHANGES)
    now = cellval.value_rows(TABLE, **settings)[index]
    close(told.mean(0)[0], now)
    ref = [
        cellval.value_rows(changed(TABLE, index, changes), **settings)[index]
        for changes in CHANGES
    ]
    close(row_values(told)[0], ref)
    close(gains(told)[0], np.array(ref) - now)
    assert told.n_tests == TABLE.n_rows


@pytest.mark.parametrize("scoring", ["accuracy", "balanced"])
def test_row_values_on_a_test_table_are_those_of_the_changed_table(scoring):
    test = untidy_table(1, 15, name="test", like=TABLE)
    test = test.with_cells({(2, "kind"): "new"})  # a class that training lacks
    settings = {"n_neighbors": 3, "scoring": scoring}
    values = cellval.value_cells(TABLE, test=test, subsets=1, **settings)
    told = row_told(TABLE, values, 8, CHANGES, test)
    ref = [
        cellval.value_rows(changed(TABLE, 8, changes), test=test, **settings)[8]
        for changes in CHANGES
    ]
    close(row_values(told)[0], ref)


def test_some_test_points_speak_for_all(monkeypatch):
    table = untidy_table(3, 300)
    values = cellval.value_cells(table, subsets=1)
    exact = row_told(table, values, 20, CHANGES)
    assert exact.by_test.shape[1] == 299 and exact.note == ""
    monkeypatch.setattr(contents, "ROW_WORK", 301 * 300)
    some = row_told(table, values, 20, CHANGES)
    assert some.by_test.shape[1] < 299 and "test points" in some.note
    (a, error), (b, other) = row_values(some), row_values(exact)
    assert (np.abs(a - b) <= 3 * error).all()
    assert (error > other / 2).all()
    (a, error), (b, _) = gains(some), gains(exact)
    assert (np.abs(a - b) <= 3 * error + 1e-12).all()


def test_a_sampled_test_point_counts_for_those_not_seen():
    told = contents.TestContributions(
        np.array([[1.0, 2.0, 4.0]]),
        np.array([1.0, 2.0, 2.0]),
        np.array([False, True, True]),
        5,
    )
    assert told.mean(0)[0] == 13 / 5
