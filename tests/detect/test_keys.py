"""Repeated names of rows: found where a column names rows, not where numbers agree."""

import numpy as np
import pandas as pd
import pytest

import cellval
from cellval.detect.keys import keys


def orders(n=300, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"order_id": np.arange(1001, 1001 + n)})
    frame["code"] = [f"AB-{k:05}" for k in rng.permutation(n) + 20_000]
    frame["amount"] = np.round(rng.lognormal(5, 1, n), 2)
    frame["weight"] = rng.integers(0, 100_000, n)
    first, last = rng.integers(0, 60, n), rng.integers(0, 60, n)
    frame["name"] = [f"Ann{a} of House{b}" for a, b in zip(first, last, strict=True)]
    return frame.astype(str)


def read(frame, **how):
    return cellval.read(frame.to_csv(index=False).encode(), **{"label": None} | how)


def test_tables_without_repeats_have_no_findings():
    assert keys(read(orders())) == ()


def test_numbers_and_names_of_persons_may_agree():
    frame = orders(2000)
    assert frame["weight"].nunique() < 2000 and frame["name"].nunique() < 2000
    frame.loc[1, "amount"], frame.loc[1, "name"] = frame.loc[0, ["amount", "name"]]
    assert keys(read(frame)) == ()


def test_all_cells_of_a_repeated_id_are_asked_about():
    frame = orders()
    frame.loc[7, "order_id"] = frame.loc[3, "order_id"]
    frame.loc[[20, 21], "order_id"] = frame.loc[10, "order_id"]
    (one,) = keys(read(frame))
    assert (one.kind, one.column) == ("key", "order_id")
    assert one.rows.tolist() == [3, 7, 10, 20, 21]
    assert one.title == "order_id: 2 values more than once"
    assert one.reason(0) == "1004 also stands in row 8."
    assert one.reason(2) == "1011 also stands in row 21, 22."
    assert not one.has_action and not one.is_flagged


def test_codes_of_one_pattern_name_rows():
    frame = orders()
    frame.loc[7, "code"] = frame.loc[3, "code"]
    (one,) = keys(read(frame))
    assert one.column == "code" and one.rows.tolist() == [3, 7]


def test_whole_rows_that_are_repeated_are_another_matter():
    frame = orders()
    frame = pd.concat([frame, frame.iloc[[4]]])
    (one, other) = keys(read(frame))
    for found in (one, other):
        assert found.kind == "duplicate" and found.rows.tolist() == [4, 300]
    assert one.title == "order_id: 1 whole row more than once"
    assert "which is the same in every cell" in one.reason(0)


def test_few_codes_that_agree_by_chance_are_none():
    """Drawn at random from 50,000, some of 600 agree."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"pin": [f"P{k:05}" for k in rng.integers(0, 100_000, 600)]})
    frame["x"] = rng.normal(size=600)
    assert 0 < 600 - frame["pin"].nunique() < 12
    assert keys(read(frame.astype(str), kinds={"pin": "id"})) == ()


def test_ids_that_often_return_name_no_rows():
    frame = orders()
    frame.loc[:30, "order_id"] = frame.loc[100:130, "order_id"].to_numpy()
    assert not any(one.column == "order_id" for one in keys(read(frame)))


def test_blanks_are_no_repeats():
    frame = orders()
    frame.loc[[3, 5, 9], "code"] = ""
    assert keys(read(frame)) == ()


@pytest.mark.parametrize("shape", [(30, 60), (200, 40)])
def test_wide_tables_of_numbers_have_no_keys(shape):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 10_000, shape)).add_prefix("x")
    assert keys(read(frame.astype(str))) == ()


@pytest.mark.parametrize(
    "raw", [b"id\n1\n1\n2\n", b"id,y\n1,2\n1,3\n", b"id,y\n,1\n,2\n"]
)
def test_small_and_odd_tables_have_none(raw):
    assert keys(cellval.read(raw, label=None)) == ()
