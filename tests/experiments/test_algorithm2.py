from itertools import permutations

import numpy as np
import pandas as pd
import pytest

import cellval
from cellval.experiments.algorithm2 import Arrays, arrays_of, one_permutation


@pytest.fixture(scope="module")
def small():
    """Two tables without ties, and with a category."""
    draw = np.random.default_rng(0)
    frame = pd.DataFrame(draw.normal(size=(30, 3)), columns=list("abc"))
    frame["d"] = draw.choice(["x", "y", "z"], 30)
    frame["y"] = draw.choice(["no", "yes"], 30)
    table = cellval.Table.from_frame(frame[:20], label="y")
    rest = frame[20:].reset_index(drop=True)
    return table, cellval.Table.from_frame(rest, like=table)


def test_plain_algorithm_2_over_all_orders_has_the_engine_s_values(small):
    table, test = small
    arrays = arrays_of(table, test)
    exact = cellval.value_cells(table, test=test, n_neighbors=3, subsets="all").values
    draw = np.random.default_rng(1)
    orders = [np.array(order) for order in permutations(range(4))]
    by_luck = [one_permutation(arrays, 3, order, ties=draw) for order in 40 * orders]
    # column d alone ties; luck averages out
    np.testing.assert_allclose(np.mean(by_luck, axis=0), exact, atol=2e-3)
    no_ties = Arrays(*(a[:, :3] if a.ndim == 2 else a for a in arrays[:4]))
    no_ties = no_ties._replace(weight=arrays.weight[:3])
    frame = pd.DataFrame(table.cells).drop(columns="d")
    without = cellval.Table.from_frame(frame, label="y")
    other = cellval.Table.from_frame(test.cells.drop(columns="d"), like=without)
    exact = cellval.value_cells(without, test=other, n_neighbors=3, subsets="all")
    mean = np.mean(
        [one_permutation(no_ties, 3, np.array(p)) for p in permutations(range(3))],
        axis=0,
    )
    np.testing.assert_allclose(mean, exact.values, atol=1e-6)


def test_one_test_point_after_the_other_or_many_at_once_is_the_same(small):
    arrays = arrays_of(*small)
    order = np.array([2, 0, 3, 1])
    np.testing.assert_allclose(
        one_permutation(arrays, 3, order, at_once=False),
        one_permutation(arrays, 3, order, at_once=True),
        atol=1e-12,
    )
