"""A few numbers of each column's cell values."""

import numpy as np
from cases import make_table, values_of

from cellval.views.column_spread import QUANTILES, column_spread


def test_the_spread_is_of_the_rows_with_values_in_the_order_asked():
    table = make_table([("number", range(100))] * 3, [0, 1] * 50)
    cells = np.random.default_rng(0).normal(size=(100, 3))
    cells[:10] = np.nan
    spread = column_spread(values_of(table, cells), np.array([2, 0]))
    known = cells[10:][:, [2, 0]]
    assert spread.quantiles.shape == (len(QUANTILES), 2)
    np.testing.assert_allclose(spread.quantiles[2], np.median(known, axis=0))
    np.testing.assert_allclose(spread.lowest, known.min(axis=0))
    assert (np.diff(spread.quantiles, axis=0) > 0).all()


def test_without_values_there_is_none():
    table = make_table([("number", [1, 2])], [0, 1])
    assert column_spread(values_of(table, [[np.nan]] * 2), np.arange(1)) is None
