"""Scores of cells that an order of inspection can follow. Lower is worse."""

import numpy as np
from cases import make_table, random_table, values_of

import cellval
from cellval.detect.surprise import surprise
from cellval.detect.suspicion import make_suspicion
from cellval.validation.signals import chance, rarity, suspicion_of, within_class


def test_rarity_is_the_distance_from_the_middle_of_the_class():
    columns = [
        ("number", [1, 2, 3, 4, 100, 50, 50, None]),
        ("category", [0, 0, 0, 1, 0, 2, 2, None]),
    ]
    found = rarity(make_table(columns, [0] * 5 + [1] * 3))
    assert found.max() <= 0 and found.argmin() == 8  # the row of 100
    assert found[2, 0] == found[5, 0] == found[7, 0] == 0
    assert found[3, 1] < found[0, 1] < 0 == found[5, 1] == found[7, 1]


def test_values_are_ranked_within_their_class_and_unknown_ones_not_at_all():
    table = make_table([("number", [1, 2, 3])], [0, 1, 0])
    ranks = within_class(values_of(table, [[0.3], [0.1], [np.nan]]))
    assert np.isnan(ranks[2, 0]) and sorted(ranks[:2, 0]) == [1, 2]


def test_suspicion_is_ranked_from_one():
    table = random_table(0, 40, ["decimal", "category"])
    values = cellval.value_cells(table)
    found = suspicion_of(table, values)
    expected = make_suspicion(table, values, surprise(table)).ranks
    np.testing.assert_array_equal(found, expected)
    assert found.min() == 1 and found.max() == 80


def test_chance_is_an_order_that_follows_from_the_seed():
    one = chance((5, 4), 3)
    assert sorted(one.ravel()) == list(range(20))
    np.testing.assert_array_equal(one, chance((5, 4), 3))
    assert (one != chance((5, 4), 4)).any()
