"""Columns swapped in some rows: found by what fits where, and put back."""

import numpy as np
import pandas as pd
import pytest
from row_cases import after_of, odd_tables, people, read

import cellval
from cellval.detect.swapped import swapped


def with_swaps(frame, a, b, rows):
    new = frame.copy()
    new.loc[rows, a], new.loc[rows, b] = frame.loc[rows, b], frame.loc[rows, a]
    return new


@pytest.mark.parametrize(
    "pair", [("first", "last"), ("lat", "lon"), ("city", "state"), ("born", "city")]
)
def test_swapped_columns_are_one_finding_that_swaps_back(pair):
    frame, rows = people(), [3, 50, 120]
    (found,) = swapped(read(with_swaps(frame, *pair, rows)))
    assert found.kind == "swap" and found.is_flagged
    right = {(i, name): frame.at[i, name] for i in rows for name in pair}
    assert after_of(found) == right
    assert "3 rows" in found.title and all(name in found.title for name in pair)


def test_two_pairs_of_columns_are_two_findings():
    frame = with_swaps(people(), "first", "last", [5])
    found = swapped(read(with_swaps(frame, "lat", "lon", [9])))
    assert sorted(one.rows[0] for one in found) == [5, 9]
    assert len({one.key for one in found}) == 2


def test_a_real_swap_is_found():
    (found,) = swapped(cellval.read("sample_data/davis.csv", label="sex"))
    assert after_of(found) == {(11, "weight"): "57", (11, "height"): "166"}


def test_numbers_whose_ranges_overlap_are_not_swapped():
    frame = people().rename(columns={"lon": "lat2"})
    frame["lat2"] = frame["lat"].astype(float).sub(2).round(3).astype(str)
    assert swapped(read(with_swaps(frame, "lat", "lat2", [3, 50]))) == []


def test_free_texts_are_not_swapped():
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice([*"abcdefgh"], 8)) for _ in range(400)]
    forms = ("{0} ({0})", "{0}, {0}", "<{0}>")
    remarks = [forms[k % 3].format(word) for k, word in enumerate(words[200:])]
    frame = people().assign(a=words[:200], b=remarks)
    frame.loc[7, "a"], frame.loc[7, "b"] = "odd (one)", "another"
    assert swapped(read(frame)) == []


def test_one_odd_cell_is_no_swap():
    frame = people()
    frame.loc[7, "first"] = "Smith"
    assert swapped(read(frame)) == []


def test_both_cells_must_fit_the_other_column():
    frame = people()
    frame.loc[7, ["first", "last"]] = ["Smith", "Nobody"]
    assert swapped(read(frame)) == []


def test_a_row_that_is_odd_all_over_is_not_swapped():
    frame = with_swaps(people(), "first", "last", [5])
    frame.loc[5, ["city", "lat", "income"]] = ["?!", "-700", "3"]
    assert swapped(read(frame)) == []


@pytest.mark.parametrize("name", odd_tables())
def test_nothing_is_found_where_nothing_is_swapped(name):
    assert swapped(read(odd_tables()[name])) == []


@pytest.mark.parametrize("seed", range(3))
def test_columns_that_hold_the_same_texts_are_not_swapped(seed):
    draw = np.random.default_rng(seed)
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(draw.integers(0, 700, 900), "D")
    ship = days + pd.to_timedelta(draw.integers(0, 9, 900), "D")
    ports = np.array([f"P{k:03d}" for k in range(300)])
    share = 1 / np.arange(1, 301)
    frame = pd.DataFrame({"date": days.strftime("%Y-%m-%d")})
    frame["ship"] = ship.strftime("%Y-%m-%d")
    for name in ("origin", "goal"):
        frame[name] = draw.choice(ports, 900, p=share / share.sum())
    assert swapped(cellval.Table.from_frame(frame, label=None)) == []
