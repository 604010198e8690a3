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
    rows, columns = view.suspects()
    found = set(zip(rows.tolist(), columns.tolist(), strict=True))
    assert found == {(0, 0), (1, 0), (6, 1)}
    rows, columns = view.suspects(2)
    # The lowest of the rare class goes before the second lowest of the common one.
    assert set(zip(rows.tolist(), columns.tolist(), strict=True)) == {(0, 0), (6, 1)}
    assert view.harmful_by_column.tolist() == [2, 1]


def test_no_suspects_while_standard_errors_are_unknown(small):
    table, values = small
    unknown = np.full(values.values.shape, np.nan)
    view = views.ValueView(values_of(table, values.values, unknown))
    assert len(view.suspects()[0]) == 0


@pytest.mark.parametrize(("n", "most"), [(10, 5), (1000, 20)])
def test_at_most_half_a_percent_of_the_cells_are_suspects(n, most):
    table = random_table(0, n, ["number"] * 4)
    cells = np.full((n, 4), -1.0)
    view = views.ValueView(values_of(table, cells))
    assert view.usual_suspects == most
    assert len(view.suspects()[0]) == most


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
