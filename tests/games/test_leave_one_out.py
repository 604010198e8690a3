"""What is lost when a cell's row and column go, beyond each alone."""

import numpy as np
import pytest
from small_games import Random

from cellval.games.leave_one_out import LeftOut, leave_one_out
from cellval.parallel import drive


def test_leave_one_out_equals_its_definition():
    game = Random(10, 4, 3)
    found = leave_one_out(game, 4, 3)
    rows, columns = list(range(4)), list(range(3))
    for i in rows:
        for j in columns:
            less, fewer = [r for r in rows if r != i], [c for c in columns if c != j]
            expected = game(rows, columns) + game(less, fewer)
            expected -= game(less, columns) + game(rows, fewer)
            assert found[i, j] == pytest.approx(expected)


def test_rows_have_values_one_after_the_other():
    game = Random(11, 4, 3)
    whole = leave_one_out(game, 4, 3)
    steps = [s for s in drive(LeftOut(game, 4, 3)) if s.has_result]
    assert steps[-1].seen == "4 of 4 rows left out"
    np.testing.assert_allclose(steps[-1].result.values, whole, atol=1e-12)
    first = steps[0].result.values
    np.testing.assert_allclose(first[0], whole[0], atol=1e-12)
    assert np.isnan(first[1:]).all()
