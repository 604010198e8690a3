"""What is lost when a cell's row and column go, beyond each alone."""

import numpy as np
import pytest
from small_games import Random, last

from cellval.games.leave_one_out import LeftOut
from cellval.parallel import drive


def test_leave_one_out_equals_its_definition():
    game = Random(10, 4, 3)
    found = last(drive(LeftOut(game, 4, 3))).values
    rows, columns = list(range(4)), list(range(3))
    for i in rows:
        for j in columns:
            less, fewer = [r for r in rows if r != i], [c for c in columns if c != j]
            expected = game(rows, columns) + game(less, fewer)
            expected -= game(less, columns) + game(rows, fewer)
            assert found[i, j] == pytest.approx(expected)


def test_rows_have_values_one_after_the_other():
    game = Random(11, 4, 3)
    steps = [s for s in drive(LeftOut(game, 4, 3)) if s.has_result]
    assert steps[-1].seen == "4 of 4 rows left out"
    first, whole = steps[0].result.values, steps[-1].result.values
    np.testing.assert_array_equal(first[0], whole[0])
    assert np.isnan(first[1:]).all() and np.isfinite(whole).all()
