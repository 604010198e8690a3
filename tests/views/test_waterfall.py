"""Contributions that are folded keep their sum, and the way they go its limits."""

import numpy as np
import pandas as pd
import pytest

from cellval.views.waterfall import MAX_BARS, folded, running_limits


def explained(values):
    names = [f"c{k}" for k in range(len(values))]
    return pd.DataFrame(
        {"column": names, "cell": "x", "value": values, "stderr": [0.1] * len(values)}
    )


def test_a_short_list_stays_as_it_is():
    lines = explained([3.0] * MAX_BARS)
    assert folded(lines) is lines


def test_the_others_are_one_line_and_the_sum_stays():
    lines = explained(np.random.default_rng(0).normal(size=30))
    short = folded(lines, 5)
    assert short["column"].tolist() == ["c0", "c1", "c2", "c3", "26 other columns"]
    assert pd.isna(short["cell"].iat[-1])
    assert short["value"].sum() == pytest.approx(lines["value"].sum())
    assert short["stderr"].iat[-1] == pytest.approx(0.1 * np.sqrt(26))


def test_limits_hold_the_whole_way_and_have_room():
    assert running_limits(np.array([3.0, -5.0, 1.0]), -1.0) == (-2.0, 3.0)
    assert running_limits(np.array([1.0, np.nan]), 1.0) == (0.0, 1.0)
    low, high = running_limits(np.zeros(2), 0.0)
    assert low < 0 < high
