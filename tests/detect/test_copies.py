"""Rows that stand in a table again: they vouch for their cells, unless all do."""

import numpy as np
import pandas as pd
import pytest

import cellval
from cellval.detect.copies import confirmed
from cellval.detect.surprise import surprise

RNG = np.random.default_rng(0)
# A machine that mostly idles near (0, 5): its short state (700, 90) came four times.
IDLE = pd.DataFrame({"x": RNG.normal(size=300).round(2), "z": "5"})
IDLE["y"] = RNG.choice(["on", "off"], 300)
SHORT = pd.DataFrame({"x": ["700"] * 4, "z": "90", "y": "off"})


def table_of(frame):
    return cellval.Table.from_frame(frame.astype(str), label="y")


def with_short(n_times=1, order=None):
    frame = pd.concat([IDLE, SHORT], ignore_index=True)
    frame = frame.loc[frame.index if order is None else order]
    frame = frame.loc[frame.index.repeat(n_times)].reset_index(drop=True)
    return table_of(frame)


@pytest.mark.parametrize("order", [None, RNG.permutation(304)])
def test_a_state_that_comes_again_is_confirmed_wherever_it_stands(order):
    table = with_short(order=order)
    short = (table.cells["x"] == "700").to_numpy()
    assert confirmed(table)[short].all()
    assert (surprise(table).surprise[short] == 1.0).all()


def test_one_that_differs_is_not_and_neither_are_the_rows_it_leaves_too_few():
    frame = pd.concat([IDLE, SHORT], ignore_index=True)
    frame.loc[300, "x"] = "7"
    found = confirmed(table_of(frame))
    assert not found[300].any()
    assert found[301:304].all()
    frame.loc[301, "x"] = "-7"  # two are no proof
    assert not confirmed(table_of(frame))[300:304].any()


def test_another_label_is_another_row():
    frame = pd.concat([IDLE, SHORT], ignore_index=True)
    frame.loc[[300, 301], "y"] = "on"
    assert not confirmed(table_of(frame))[300:].any()


@pytest.mark.parametrize("n_times", [2, 3])
def test_where_every_row_was_copied_copies_say_nothing(n_times):
    table = with_short(n_times)
    usual = confirmed(with_short(1))
    assert np.array_equal(confirmed(table)[::n_times], usual)
    frame = IDLE.assign(x=IDLE["x"].where(IDLE.index != 7, 700.0))
    copied = table_of(frame.loc[frame.index.repeat(n_times)].reset_index(drop=True))
    assert not confirmed(copied)[7 * n_times].any()


def test_one_column():
    x = [1, 3, 1, 9, 1, 4, 1]
    table = cellval.Table.from_frame(pd.DataFrame({"x": x}), label=None)
    assert confirmed(table)[:, 0].tolist() == [number == 1 for number in x]
