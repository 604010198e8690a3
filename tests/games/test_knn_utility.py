"""Nearest neighbours as a utility: the definition, and its short cuts."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from cases import naive_games, random_table
from small_games import Hidden, blocks_of, exact_values, groups

import cellval
from cellval.errors import InputError
from cellval.games.blocks import BlockUtility
from cellval.games.groups import (
    columns_alone,
)
from cellval.games.knn_utility import MANY, KnnUtility

KINDS = ["number", "category", "decimal"]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("how", ["leave-one-out", "table", "share"])
@pytest.mark.parametrize("numbers", [False, True])
def test_knn_utilities_of_single_rows_give_the_engines_values(seed, how, numbers):
    made = {"n_classes": 3, "numbers": numbers}
    table = random_table(seed, 7, KINDS, missing=0.1, **made)
    test = {
        "leave-one-out": None,
        "table": random_table(seed + 50, 4, KINDS, name="test", **made),
        "share": 0.3,
    }[how]
    h = KnnUtility(table, test, n_neighbors=2)
    single = groups(*range(7)), groups(*range(3))
    blocks = blocks_of(h, *single)
    values = cellval.value_cells(table, n_neighbors=2, test=test, subsets="all").values
    players = h.players
    np.testing.assert_allclose(blocks.values, values[players], atol=1e-9)
    assert np.isnan(values[~players]).all()


@pytest.mark.uncompiled
@pytest.mark.parametrize("k", [1, 3, 20, MANY + 1])
@pytest.mark.parametrize("loo", [True, False])
@pytest.mark.parametrize("width", [None, 0.7])
def test_knn_utilities_equal_the_definition(k, loo, width):
    made = {"levels": 2, "numbers": width is not None}
    table = random_table(3, 9, KINDS, missing=0.2, **made)
    test = None if loo else random_table(60, 5, KINDS, name="test", **made)
    games = naive_games(table, k, test, width=width)
    h = KnnUtility(table, test, n_neighbors=k, width=width)
    for rows, columns in (((0, 2, 3, 7), (1,)), (range(9), (0, 1, 2)), ((4,), (0, 2))):
        own = [
            g.h(tuple(i for i in rows if i in g.rows), tuple(columns)) for g in games
        ]
        expected = float(sum(own) / len(own))
        assert h(np.array(rows), np.array(columns)) == pytest.approx(expected)
    assert h([], [0]) == h([0], []) == 0.0
    guess = sum(Fraction(agree) for game in games for agree in game.matches)
    assert h.guess == pytest.approx(float(guess / (9 * len(games))))


@pytest.mark.parametrize("scoring", ["accuracy", "balanced", "closeness"])
def test_the_short_cut_of_knn_equals_one_union_after_another(scoring):
    kinds, numbers = [*KINDS, "number"], scoring == "closeness"
    table = random_table(5, 40, kinds, n_classes=3, missing=0.1, numbers=numbers)
    scoring = "accuracy" if numbers else scoring
    h = KnnUtility(table, n_neighbors=4, scoring=scoring)
    draw = np.random.default_rng(0)
    rows = groups(*draw.permutation(40) % 5)
    columns = groups(0, 1, 0, 2)
    fast = blocks_of(h, rows, columns)
    slow = exact_values(BlockUtility(h, rows, columns), 5, 3)
    np.testing.assert_allclose(fast.values, slow, atol=1e-12)
    values = cellval.value_cells(table, n_neighbors=4, scoring=scoring, subsets="all")
    assert fast.total == pytest.approx(values.total)


def test_the_chain_of_knn_equals_one_prefix_after_another():
    table = random_table(7, 40, [*KINDS, "number"], missing=0.1)
    h = KnnUtility(table, n_neighbors=4)
    rows, columns = groups(*np.arange(40) % 5), groups(0, 1, 0, 2)
    options = {"method": "mc", "rounds": 6}
    fast = blocks_of(h, rows, columns, **options)
    slow = blocks_of(Hidden(h), rows, columns, **options)
    np.testing.assert_allclose(fast.values, slow.values, atol=1e-12)
    np.testing.assert_allclose(fast.stderr, slow.stderr, atol=1e-9)
    assert fast.n_evaluations == slow.n_evaluations == 6 * 15


def test_workers_change_no_bit_of_knn_blocks():
    table = random_table(6, 60, KINDS)
    h = KnnUtility(table, n_neighbors=3)
    rows = groups(*np.arange(60) % 3)
    one, two = (
        blocks_of(h, rows, columns_alone(table), n_jobs=n).values for n in (1, 3)
    )
    np.testing.assert_array_equal(one, two)


def test_impossible_options_of_knn_are_refused_in_words():
    table = random_table(0, 6, KINDS)
    with pytest.raises(InputError, match="n_neighbors=0 is not possible: it must be 1"):
        KnnUtility(table, n_neighbors=0)
    with pytest.raises(InputError, match="between 0 and 1"):
        blocks_of(KnnUtility(table, 1.5), groups(0, 1, 0, 1, 0, 1), groups(0, 1, 1))
    with pytest.raises(InputError, match="width=2 is for labels that are numbers"):
        KnnUtility(table, width=2)
    with pytest.raises(InputError, match="scoring='balanced' is for classes"):
        KnnUtility(random_table(0, 6, KINDS, numbers=True), scoring="balanced")
    with pytest.raises(InputError, match="was read without a label"):
        KnnUtility(replace(table, label=""))
