"""Many rows and columns pooled into bands."""

import numpy as np

from cellval.views.bands import bands


def test_a_planted_bad_cell_is_visible_in_the_overview():
    rng = np.random.default_rng(0)
    cells = rng.normal(0.001, 0.0002, (30_000, 14))
    cells[17_123, 5] = -0.02
    order = rng.permutation(30_000)
    pooled = bands(cells, order)
    low, high = pooled.limits
    band, group = np.unravel_index(np.nanargmin(pooled.lowest), pooled.lowest.shape)
    assert pooled.lowest[band, group] == -0.02 <= low < high
    assert order[pooled.position[band, group]] == 17_123
    assert pooled.column[band, group] == 5
    at = np.flatnonzero(order == 17_123)[0]
    assert pooled.row_edges[band] <= at < pooled.row_edges[band + 1]
    # It is not lost in a sea of dark bands: the usual band has the lightest colour.
    assert np.mean(pooled.lowest >= high) >= 0.5


def test_bands_pool_columns_and_leave_out_what_is_not_valued():
    cells = np.full((10, 100), 1.0)
    cells[:, 30:] = np.nan
    cells[4, 3] = -1.0
    pooled = bands(cells, np.arange(10), n_bands=5, n_groups=10)
    assert pooled.lowest.shape == (5, 10)
    assert pooled.lowest[2, 0] == -1.0
    assert pooled.column[2, 0] == 3
    assert np.isnan(pooled.lowest[:, 3:]).all()
    assert (pooled.lowest[[0, 1, 3, 4], :3] == 1.0).all()
