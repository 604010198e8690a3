"""Rules of every kind, held against tables that they were not found in."""

import numpy as np
import pandas as pd
import pytest

import cellval
from cellval.detect.arithmetic import arithmetic
from cellval.detect.breaks import (
    MOST_KNOWN,
    breaks,
    finding_of,
    known_lines,
    majority,
    misfit,
)
from cellval.detect.keys import keys
from cellval.detect.ordered import ordered
from cellval.detect.rule import Rule


def read(frame, **how):
    frame = pd.DataFrame(frame).assign(k=np.arange(len(pd.DataFrame(frame))) % 7)
    return cellval.read(frame.to_csv(index=False).encode(), **{"label": None} | how)


def rows(rule, frame, **how):
    """Row and suggestion of each cell that breaks it."""
    table = read(frame, **how)
    assert misfit(rule, table) == ""
    return {(cell.position, cell.column): cell.says for cell in breaks(rule, table)}


# --- what some columns settle ---------------------------------------------------------


def test_who_stands_alone_is_told_from_many():
    table = read({"a": ["x"] * 9, "b": ["1"] * 5 + ["2", "2", "3", ""]})
    found = breaks(Rule(("a",), "b", (("x", "1"),)), table)
    assert [cell.is_alone for cell in found] == [False, False, True, True]


def test_known_lines_are_the_clear_ones():
    texts = {
        "a": ["x"] * 5 + ["y"] * 4 + ["z"] + ["n/a"] * 4,
        "b": ["1"] * 4 + ["2"] + ["1", "1", "2", "2"] + ["3"] + ["4"] * 4,
    }
    assert known_lines(Rule(("a",), "b"), texts) == (("x", "1"),)
    n = MOST_KNOWN + 5
    many = {"a": [str(k) for k in range(n) for _ in range(3)], "b": ["1"] * 3 * n}
    assert len(known_lines(Rule(("a",), "b"), many)) == MOST_KNOWN
    assert known_lines(Rule(("a",), "b", kind="order"), texts) == ()


def test_a_majority_is_clear_and_of_enough_rows():
    assert majority(["a", "a"]) == ("", 0)
    assert majority(["a", "a", "b"]) == ("a", 2)
    assert majority(["a", "a", "b", "b"]) == ("", 0)


# --- order ----------------------------------------------------------------------------

DAYS = {
    "begin": ["2020-01-05", "2020-02-01", "2020-03-01", "2020-05-01", ""],
    "end": ["2020-01-09", "2020-02-01", "2020-02-01", "", "2020-01-01"],
}


def test_an_order_is_broken_where_both_are_known():
    order = Rule(("begin",), "end", kind="order")
    assert rows(order, DAYS) == {(2, "end"): None}
    strict = Rule(("begin",), "end", kind="order", strict=True)
    assert rows(strict, DAYS) == {(1, "end"): None, (2, "end"): None}
    (cell,) = breaks(order, read(DAYS))
    assert cell.why == "begin is 2020-03-01, end is 2020-02-01."


def test_an_order_is_looked_for_in_what_cells_hold_by_now():
    order, table = Rule(("begin",), "end", kind="order"), read(DAYS)
    texts = {"end": ["2019-01-01", *DAYS["end"][1:2], "2020-03-02", "", ""]}
    (cell,) = breaks(order, table, texts)
    assert cell.position == 0 and "2019-01-01" in cell.why


# --- arithmetic -----------------------------------------------------------------------


def bills(n=40, seed=0):
    draw = np.random.default_rng(seed)
    frame = pd.DataFrame({"net": np.round(draw.uniform(10, 90, n), 2)})
    frame["tax"] = np.round(draw.uniform(1, 9, n), 2)
    frame["total"] = np.round(frame["net"] + frame["tax"], 2)
    frame["n"] = draw.integers(2, 9, n)
    frame["sales"] = np.round(frame["net"] * frame["n"], 2)
    frame["cents"] = np.round(frame["total"] * 100).astype(int)
    return frame


ARITHMETIC = {
    "total": Rule(("net", "tax"), "total", kind="sum"),
    "net": Rule(("total", "tax"), "net", kind="difference"),
    "sales": Rule(("net", "n"), "sales", kind="product"),
    "n": Rule(("sales", "net"), "n", kind="ratio"),
    "cents": Rule(("total",), "cents", kind="multiple", factor=100.0),
}


@pytest.mark.parametrize("target", ARITHMETIC)
def test_arithmetic_holds_but_for_the_row_that_was_changed(target):
    rule, frame = ARITHMETIC[target], bills()
    assert rows(rule, frame) == {}
    right = read(frame).cells[target].iat[7]
    frame.loc[7, target] = frame.loc[7, target] + 3
    assert rows(rule, frame) == {(7, target): right}


def test_how_far_a_number_may_be_off_is_what_the_rule_says():
    frame = bills()
    frame.loc[7, "total"] += 0.3
    loose = Rule(("net", "tax"), "total", kind="sum", within=0.5)
    assert rows(loose, frame) == {}
    assert list(rows(ARITHMETIC["total"], frame)) == [(7, "total")]
    rounded = Rule(("net", "tax"), "total", kind="sum", rounded=True)
    assert rows(rounded, frame) == {(7, "total"): None}
    frame.loc[7, "total"] -= 0.29
    assert rows(rounded, frame) == {} != rows(ARITHMETIC["total"], frame)


def test_rows_with_zeros_are_held_against_a_rule_unless_most_break_it():
    frame, total = bills(), ARITHMETIC["total"]
    frame.loc[:5, "tax"] = 0.0
    frame.loc[:5, "total"] = frame.loc[:5, "net"]
    frame.loc[3, "total"] += 20
    assert list(rows(total, frame)) == [(3, "total")]
    frame.loc[:5, "total"] += 20  # where the tax is not known, 0 stands for it
    assert rows(total, frame) == {}


def test_a_label_of_numbers_is_a_column_as_others():
    frame = bills()
    frame.loc[7, "total"] += 3
    table = read(frame, label="total")
    assert [c.position for c in breaks(ARITHMETIC["total"], table)] == [7]
    texts = {"total": [*table.cells["total"].tolist()]}
    texts["total"][9] = "999"
    now = breaks(ARITHMETIC["total"], table, texts)
    assert [cell.position for cell in now] == [7, 9]


# --- keys and domains -----------------------------------------------------------------


def test_a_key_of_one_or_more_columns():
    frame = {"shop": [*"aabb"], "day": ["1", "2", "1", "1"], "no": ["7", "8", "7", ""]}
    assert rows(Rule((), "no", kind="unique"), frame) == {
        (0, "no"): None,
        (2, "no"): None,
    }
    both = Rule(("shop",), "day", kind="unique")
    assert rows(both, frame) == {(2, "day"): None, (3, "day"): None}
    first = breaks(both, read(frame))[0]
    assert first.why == "b, 1 also stands in row 4."


def test_a_text_of_one_column_alone_is_a_stranger():
    frame = {"home": ["Bremen", "Mainz", "Ulm"], "away": ["Mainz", "Bremen", "Bremn"]}
    rule = Rule(("home",), "away", kind="domain")
    assert rows(rule, frame) == {(2, "home"): None, (2, "away"): "Bremen"}
    known = Rule(("home",), "away", (("Ulm",),), kind="domain")
    assert rows(known, frame) == {(2, "away"): "Bremen"}
    texts = {name: frame[name] for name in ("home", "away")}
    assert known_lines(rule, texts) == (("Bremen",), ("Mainz",))


# --- whether it can be told -----------------------------------------------------------


def test_columns_that_are_not_there_or_hold_no_numbers_are_told():
    table = read(DAYS | {"name": [*"abcab"], "n": range(5)})
    order = Rule(("begin",), "gone", kind="order")
    assert misfit(order, table) == "column 'gone' is not in this file"
    assert breaks(order, table) == [] and finding_of(order, table, "x") is None
    words = Rule(("begin",), "name", kind="order")
    assert misfit(words, table) == (
        "column 'name' holds neither numbers nor dates in this file"
    )
    mixed = Rule(("begin",), "n", kind="order")
    assert misfit(mixed, table) == "a date and a number cannot be compared"
    assert misfit(Rule((), "name", kind="unique"), table) == ""


def test_a_finding_has_all_cells_of_a_rule_and_the_rule():
    rule = Rule(("begin",), "end", why="because", kind="order")
    one = finding_of(rule, read(DAYS), "The recipe holds")
    assert (one.kind, one.title, one.rows.tolist()) == ("rule", "begin ≤ end", [2])
    assert one.rule == rule.plain and one.sure == 1.0
    assert one.evidence == (
        "The recipe holds the rule that begin ≤ end; 1 cell of this file breaks it."
    )


# --- what finders find is what their rules say ----------------------------------------


def trips(n=300):
    draw = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"begin": np.datetime64("2020-01-01") + draw.integers(0, 900, n)}
    )
    frame["end"] = frame["begin"] + pd.to_timedelta(draw.integers(0, 60, n), unit="D")
    frame["id"] = [f"T{k:04}" for k in range(n)]
    frame = pd.concat([frame.astype(str), bills(n)], axis=1)
    frame.loc[8, "end"], frame.loc[9, "id"] = "1920-05-05", "T0001"
    frame.loc[7, "total"] += 9
    frame.loc[6, "sales"] += 77
    return frame


@pytest.mark.parametrize("finder", [ordered, arithmetic, keys])
def test_rows_of_a_finding_break_its_rule(finder):
    table = read(trips())
    found = finder(table)
    assert found
    for one in found:
        broken = {cell.position for cell in breaks(one.rule, table)}
        assert {*one.rows.tolist()} <= broken, one.title
        assert len(broken) <= 2, one.title
