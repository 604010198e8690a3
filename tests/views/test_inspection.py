"""Where curves over all cells are drawn."""

import numpy as np

from cellval.views.inspection import inspected


def test_lines_are_close_at_the_start_and_never_long():
    assert inspected(30).tolist() == list(range(31))
    cells = inspected(1_000_000)
    assert cells.size < 500 and cells[-1] == 1_000_000
    assert np.diff(cells)[0] < np.diff(cells)[-1] / 5
