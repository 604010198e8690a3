"""Rows shifted by a column: found by what fits where, and moved back."""

import numpy as np
import pandas as pd
import pytest
from row_cases import after_of, cells_of, odd_tables, people, read

from cellval.detect.shifted import shifted
from cellval.detect.swapped import swapped


def moved(frame, rows, first, way):
    """Rows whose cells stand a place to the right (1) or left (-1) from a column on."""
    new = frame.to_numpy(object).copy()
    for i in rows:
        old = new[i].copy()
        if way > 0:
            new[i, first + 1 :], new[i, first] = old[first:-1], ""
        else:
            new[i, first:-1], new[i, -1] = old[first + 1 :], ""
    return pd.DataFrame(new, columns=frame.columns)


@pytest.mark.parametrize("way", [1, -1])
def test_shifted_rows_are_one_finding_that_moves_them_back(way):
    frame, rows = people(), [4, 90, 150]
    first = [*frame].index("city")
    dirty = moved(frame, rows, first, way)
    (found,) = shifted(read(dirty))
    assert found.kind == "shift" and found.is_flagged
    names = [*frame][first:]
    assert cells_of(found) == {(i, name) for i in rows for name in names}
    lost = names[-1] if way > 0 else names[0]
    right = {(i, n): "" if n == lost else frame.at[i, n] for i in rows for n in names}
    assert after_of(found) == right
    side = "right" if way > 0 else "left"
    assert found.title == f"3 rows shifted to the {side} from city on"


def test_rows_shifted_at_other_places_are_other_findings():
    frame = people()
    dirty = moved(moved(frame, [4], 2, 1), [9], 3, -1)
    found = shifted(read(dirty))
    assert {(int(one.rows[0]), one.n_cells) for one in found} == {(4, 6), (9, 5)}
    assert len({one.key for one in found}) == 2


def test_a_shifted_row_is_not_swapped_as_well():
    assert swapped(read(moved(people(), [4, 90], 3, 1))) == []


def test_two_cells_are_not_enough():
    frame = people()
    frame.loc[8, "state"] = frame.loc[8, "city"]
    frame.loc[8, "lat"] = "MA"
    assert shifted(read(frame)) == []


def test_extreme_numbers_are_no_shift():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(300, 8)).round(3))
    frame = frame.mul([1, 3, 9, 27, 1, 3, 9, 27]).round(3)
    frame.iloc[5] = 20.0  # fits only some of them
    assert shifted(read(frame.astype(str))) == []


def test_numbers_of_many_sizes_tell_a_shift():
    rng = np.random.default_rng(0)
    sizes = 10.0 ** np.arange(8)
    frame = pd.DataFrame(rng.uniform(1, 2, (300, 8)) * sizes).round(2).astype(str)
    (found,) = shifted(read(moved(frame, [7], 0, 1)))
    assert set(found.rows.tolist()) == {7}


def test_three_numbers_are_not_enough():
    rng = np.random.default_rng(0)
    sizes = 10.0 ** np.arange(8)
    frame = pd.DataFrame(rng.uniform(1, 2, (300, 8)) * sizes).round(2).astype(str)
    assert shifted(read(moved(frame, [7], 4, 1))) == []


@pytest.mark.parametrize("name", odd_tables())
def test_nothing_is_found_where_nothing_is_shifted(name):
    assert shifted(read(odd_tables()[name])) == []
