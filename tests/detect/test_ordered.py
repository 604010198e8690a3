"""Orders between columns: found where they hold, not where one only lies higher."""

import numpy as np
import pandas as pd
import pytest
from cases import shuffled

import cellval
from cellval.detect import ordered as module
from cellval.detect.ordered import ordered


def trips(n=300, seed=0):
    """Begin and end, lowest and highest; a price above its cost as a rule of thumb."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame()
    frame["begin"] = np.datetime64("2020-01-01") + rng.integers(0, 900, n)
    frame["end"] = frame["begin"] + pd.to_timedelta(rng.integers(0, 60, n), unit="D")
    middle, way = rng.normal(15, 8, n), rng.gamma(3, 2, n)
    frame["lowest"] = np.round(middle - way, 1)
    frame["highest"] = np.round(middle + way, 1)
    frame["cost"] = np.round(rng.lognormal(3, 1, n), 2)
    frame["price"] = np.round(frame["cost"] * rng.normal(1.5, 0.2, n), 2)
    return frame.astype(str)


def read(frame, **how):
    return cellval.read(frame.to_csv(index=False).encode(), **{"label": None} | how)


def cells(frame):
    return {
        (i, name): after
        for one in ordered(read(frame))
        for i, name, after in zip(
            one.rows.tolist(), one.columns, one.after, strict=True
        )
    }


@pytest.mark.parametrize("seed", range(5))
def test_orders_without_exceptions_and_rules_of_thumb_are_no_findings(seed):
    assert ordered(read(trips(seed=seed))) == ()


def test_two_cells_that_were_swapped_are_swapped_back():
    frame = trips()
    gap = pd.to_datetime(frame["end"]) - pd.to_datetime(frame["begin"])
    i = int(np.flatnonzero(gap == pd.Timedelta(30, "D"))[0])
    begin, end = frame.loc[i, ["begin", "end"]]
    frame.loc[i, ["begin", "end"]] = end, begin
    assert cells(frame) == {(i, "begin"): begin, (i, "end"): end}
    (one,) = ordered(read(frame))
    assert one.kind == "rule" and one.title == "begin ≤ end" and one.is_flagged
    assert one.reason(0) == (
        f"begin is {end}, end is {begin}; in 299 of 300 rows it is not so."
    )


def test_a_cell_outside_of_its_column_is_the_wrong_one():
    frame = trips()
    frame.loc[8, "end"], frame.loc[9, "lowest"] = "1920-05-05", "150"
    assert cells(frame) == {(8, "end"): None, (9, "lowest"): None}
    assert all(one.is_flagged for one in ordered(read(frame)))


def test_where_nothing_tells_which_cell_it_is_asked_but_not_flagged():
    frame = trips()
    frame.loc[8, ["begin", "end"]] = "2022-01-05", "2020-02-05"
    (one,) = ordered(read(frame))
    assert one.rows.tolist() == [8] and not one.is_flagged and not one.has_action


def test_a_third_column_tells_which_cell_is_wrong():
    frame = trips()
    end = pd.to_datetime(frame["end"])
    frame["paid"] = (end + pd.to_timedelta(np.arange(300) % 40, unit="D")).astype(str)
    frame.loc[[5, 6], ["begin", "end", "paid"]] = [
        ["2022-01-05", "2020-02-05", "2020-02-09"],
        ["2020-09-05", "2020-09-09", "2020-02-09"],
    ]
    assert set(cells(frame)) == {(5, "begin"), (6, "paid")}


def test_columns_far_apart_keep_no_order():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"small": rng.integers(0, 100, 300)})
    frame["large"] = rng.integers(90, 1000, 300)
    frame.loc[3, "small"] = 5000
    assert ordered(read(frame.astype(str))) == ()


@pytest.mark.parametrize("spread", [0.5, 2.0, 5.0])
def test_what_only_lies_higher_keeps_no_order(spread):
    rng = np.random.default_rng(1)
    a = rng.normal(50, 10, 1000)
    b = a + 2.5 * spread + spread * rng.normal(size=1000)
    frame = pd.DataFrame({"a": a.round(2), "b": b.round(2)})
    assert 0 < np.mean(b < a) < module.BROKEN
    assert ordered(read(frame.astype(str))) == ()


def test_machines_at_rest_keep_no_order():
    """Idle for hours, which is one state; power below voltage when it starts."""
    rng = np.random.default_rng(2)
    idle = pd.DataFrame({"voltage": [0] * 3000, "power": [0] * 3000})
    runs = pd.DataFrame({"voltage": rng.integers(1, 60, 300)})
    runs["power"] = runs["voltage"] * rng.integers(5, 90, 300)
    start = pd.DataFrame({"voltage": np.arange(30) % 15 + 1, "power": [0, 5] * 15})
    frame = pd.concat([idle, runs, start]).astype(str)
    assert ordered(read(frame)) == ()


def test_ties_and_missing_cells_break_nothing():
    frame = trips()
    frame.loc[::5, "end"] = frame.loc[::5, "begin"]
    frame.loc[::7, "begin"] = ""
    assert ordered(read(frame)) == ()


@pytest.mark.parametrize("shape", [(30, 60), (60, 30), (200, 40)])
@pytest.mark.parametrize("highest", [3, 10, 1000])
def test_shuffled_tables_have_no_orders(shape, highest):
    rng = np.random.default_rng(highest)
    table = pd.DataFrame(rng.integers(0, highest, shape)).add_prefix("x")
    assert ordered(read(table.astype(str))) == ()


def test_orders_are_gone_once_columns_are_shuffled():
    frame = trips()
    frame.loc[8, "end"] = "1920-05-05"
    assert ordered(read(shuffled(frame, np.random.default_rng(0)))) == ()


def test_large_tables_are_judged_by_some_rows(monkeypatch):
    frame = trips(1500)
    frame.loc[[3, 700, 1499], "end"] = "1920-05-05"
    whole = set(cells(frame))
    monkeypatch.setattr(module, "MOST_JUDGED", 1000)
    monkeypatch.setattr(module, "TRIED", 200)
    assert set(cells(frame)) == whole == {(i, "end") for i in (3, 700, 1499)}


def test_huge_numbers_are_no_matter():
    frame = trips(150)
    frame["huge"] = [f"{1 + k % 17}e307" for k in range(150)]
    frame["low"] = [f"-{1 + k % 13}e307" for k in range(150)]
    assert ordered(read(frame)) == ()


@pytest.mark.parametrize(
    "raw", [b"x\n1\n2\n", b"x,y\n1,2\n2,1\n", b"x,y,z\n,,1\n,,2\n"]
)
def test_small_and_odd_tables_have_none(raw):
    assert ordered(cellval.read(raw, label=None)) == ()
