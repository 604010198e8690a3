"""What follows from one set of values."""

import numpy as np
import pytest
from cases import make_table, random_table, values_of

from cellval.views import value_view as views


@pytest.fixture
def small():
    """Six rows of two columns with easy values."""
    columns = [("number", [1, 2, 3, 4, 5, 6]), ("category", [0, 0, 1, 1, 2, 2])]
    table = make_table(columns, [0, 0, 0, 1, 1, 1])
    cells = [[0.3, 0.1], [-0.2, 0.5], [0.0, 0.1], [0.4, -0.5], [0.1, 0.0], [0.2, 0.3]]
    return table, values_of(table, cells)


def test_suspects_are_clearly_below_zero_and_lowest_in_their_class():
    table = make_table([("number", range(8)), ("number", range(8))], [0] * 6 + [1] * 2)
    cells = np.zeros((8, 2))
    cells[0] = [-0.5, -0.4]
    cells[1, 0] = -0.3
    cells[6, 1] = -0.1
    stderr = np.full((8, 2), 0.01)
    stderr[0, 1] = 0.4  # low, but not clearly
    view = views.ValueView(values_of(table, cells, stderr))
    cells = [divmod(at, 2) for at in view.harmful.tolist()]
    assert set(cells) == {(0, 0), (1, 0), (6, 1)}
    # The lowest of the rare class goes before the second lowest of the common one.
    assert set(cells[:2]) == {(0, 0), (6, 1)}
    assert view.harmful_by_column.tolist() == [2, 1]


def test_no_suspects_while_standard_errors_are_unknown(small):
    table, values = small
    unknown = np.full(values.values.shape, np.nan)
    view = views.ValueView(values_of(table, values.values, unknown))
    assert view.harmful.size == 0


@pytest.mark.parametrize(("n", "most"), [(10, 5), (1000, 20)])
def test_at_most_half_a_percent_of_the_cells_are_suspects(n, most):
    table = random_table(0, n, ["number"] * 4)
    cells = np.full((n, 4), -1.0)
    view = views.ValueView(values_of(table, cells))
    assert view.usual_suspects == most


def test_the_rank_of_one_cell_is_its_rank_among_all(small):
    view = views.ValueView(small[1])
    for i, j in np.ndindex(6, 2):
        assert view.rank_over_all(i, j) == view.ranks_over_all[i, j]


def test_what_is_derived_is_kept_for_the_same_values_only(small):
    table, values = small
    assert views.value_view(values) is views.value_view(values)
    assert views.value_view(values_of(table, values.values)) is not views.value_view(
        values
    )


def test_the_spread_is_of_the_rows_with_values():
    table = make_table([("number", range(100))] * 3, [0, 1] * 50)
    cells = np.random.default_rng(0).normal(size=(100, 3))
    cells[:10] = np.nan
    spread = views.ValueView(values_of(table, cells)).spread
    known = cells[10:]
    assert spread.shape == (len(views.QUANTILES), 3)
    np.testing.assert_allclose(spread[3], np.median(known, axis=0))
    np.testing.assert_array_equal(spread[0], known.min(axis=0))
    assert (np.diff(spread, axis=0) > 0).all()


def test_without_values_there_is_no_spread():
    table = make_table([("number", [1, 2])], [0, 1])
    unknown = views.ValueView(values_of(table, [[np.nan]] * 2))
    assert unknown.spread is None
