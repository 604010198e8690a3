"""Multiples, sums and products: found where they hold, and who breaks them."""

import numpy as np
import pandas as pd
import pytest
from cases import shuffled

import cellval
from cellval.detect import arithmetic as module
from cellval.detect.arithmetic import arithmetic


def bills(n=200, seed=0):
    """Total, gross and centimetres can be reckoned; the rest cannot."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"price": np.round(rng.lognormal(3, 0.8, n), 2)})
    frame["pieces"] = rng.integers(2, 20, n)
    frame["total"] = np.round(frame["price"] * frame["pieces"], 2)
    frame["post"] = np.round(rng.uniform(2, 9, n), 2)
    frame["gross"] = np.round(frame["total"] + frame["post"], 2)
    frame["inches"] = rng.integers(50, 80, n)
    frame["cm"] = np.round(2.54 * frame["inches"], 1)
    frame["begin"] = np.datetime64("2020-01-01") + rng.integers(0, 900, n)
    frame["days"] = rng.integers(1, 60, n)
    frame["end"] = frame["begin"] + pd.to_timedelta(frame["days"], unit="D")
    return frame.astype(str)


def read(frame, **how):
    return cellval.read(frame.to_csv(index=False).encode(), **{"label": None} | how)


def found(frame):
    """Repairs of cells that are decided, and rules."""
    all_found = arithmetic(read(frame))
    cells = {
        (i, name): after
        for one in all_found
        for i, name, after in zip(
            one.rows.tolist(), one.columns, one.after, strict=True
        )
    }
    return cells, {one.title for one in all_found}


def test_rules_without_exceptions_are_no_findings():
    assert arithmetic(read(bills())) == ()


def test_cells_that_break_a_rule_are_named_with_what_it_says():
    frame = bills()
    true = {(5, "price"), (9, "gross"), (11, "cm"), (20, "pieces"), (50, "total")}
    meant = {cell: frame.loc[cell] for cell in true}
    frame.loc[5, "price"] = "3" + frame.loc[5, "price"]
    frame.loc[9, "gross"], frame.loc[11, "cm"] = "12.5", "17.3"
    frame.loc[20, "pieces"] = "40"
    frame.loc[50, "total"] = "1" + frame.loc[50, "total"]
    cells, titles = found(frame)
    assert {cell: float(after) for cell, after in cells.items()} == {
        cell: float(text) for cell, text in meant.items()
    }
    assert titles == {
        "total = price × pieces",
        "gross = total + post",
        "cm = 2.54 × inches",
    }
    for one in arithmetic(read(frame)):
        assert one.kind == "rule" and one.is_flagged


def test_days_between_dates_are_a_sum():
    frame = bills()
    frame.loc[40, "days"] = "999"
    assert found(frame) == (
        {(40, "days"): bills().loc[40, "days"]},
        {"end = begin + days"},
    )


def test_lines_have_their_plainest_numbers():
    rng = np.random.default_rng(1)
    c = np.round(rng.normal(15, 8, 200), 1)
    frame = pd.DataFrame({"c": c, "f": np.round(1.8 * c + 32, 1)})
    frame["born"] = rng.integers(1930, 2000, 200)
    frame["age"] = 2020 - frame["born"]
    frame = frame.astype(str)
    frame.loc[3, "f"], frame.loc[7, "age"] = "500", "500"
    cells, titles = found(frame)
    assert titles == {"f = 1.8 × c + 32", "age = 2,020 − born"}
    assert set(cells) == {(3, "f"), (7, "age")}
    assert float(cells[3, "f"]) == pytest.approx(1.8 * c[3] + 32, abs=0.051)


def test_a_share_is_a_quotient():
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"part": rng.integers(1, 400, 300)})
    frame["whole"] = frame["part"] + rng.integers(2, 400, 300)
    frame["share"] = np.round(frame["part"] / frame["whole"], 3)
    frame = frame.astype(str)
    meant, frame.loc[8, "share"] = frame.loc[8, "share"], "5.5"
    cells, titles = found(frame)
    assert titles == {"share = part / whole"}
    assert float(cells[8, "share"]) == float(meant)


def test_a_cell_that_keeps_another_rule_is_not_the_wrong_one():
    """Price and pieces may both be meant, but pieces also give the weight."""
    frame = bills()
    frame["weight"] = (frame["pieces"].astype(int) * 125).astype(str)
    frame.loc[30, "total"] = frame.loc[31, "total"]
    cells, _ = found(frame)
    assert set(cells) == {(30, "total")}  # of which gross tells, too


def test_where_nothing_tells_which_cell_it_is_asked_but_not_flagged():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.integers(0, 400, (200, 2)), columns=["men", "women"])
    frame["people"] = frame["men"] + frame["women"]
    frame.loc[4, "people"] = 400 if frame.loc[4, "people"] != 400 else 300
    frame.loc[4, ["men", "women"]] = 111, 111
    (one,) = arithmetic(read(frame.astype(str)))
    assert one.title == "people = men + women: one of these cells"
    assert one.rows.tolist() == [4] and not one.is_flagged


def test_missing_cells_and_strays_break_nothing():
    frame = bills()
    frame.loc[::7, "total"], frame.loc[3, "gross"] = "", "much"
    assert arithmetic(read(frame)) == ()


def test_many_exceptions_of_one_kind_are_a_rule_of_their_own():
    frame = bills(400)
    some = np.arange(0, 400, 25)
    gross = frame.loc[some, "gross"].astype(float) + 10
    frame.loc[some, "gross"] = np.round(gross, 2).astype(str)
    assert not any(one.is_flagged for one in arithmetic(read(frame)))


def test_copies_are_a_rule_only_if_some_differ():
    frame = bills()
    frame["again"] = frame["price"]
    assert arithmetic(read(frame)) == ()
    frame.loc[6, "again"] = "7777"
    assert found(frame)[0] == {(6, "again"): frame.loc[6, "price"]}


def test_what_is_only_near_is_no_rule():
    rng = np.random.default_rng(4)
    a = rng.normal(50, 10, 1000)
    b = rng.normal(50, 10, 1000)
    for noise in (0.3, 1.0, 5.0):
        near = np.round(a + b + rng.normal(0, noise, 1000), 1)
        frame = pd.DataFrame({"a": a.round(1), "b": b.round(1), "c": near})
        assert arithmetic(read(frame.astype(str))) == ()


def test_machines_at_rest_make_no_rule():
    """The same numbers for hours, which add up by chance."""
    rows = [["11", "84", "95"]] * 300 + [["0", "0", "0"]] * 300 + [["5", "7", "90"]] * 9
    frame = pd.DataFrame(rows, columns=["a", "b", "c"])
    assert arithmetic(read(frame)) == ()


@pytest.mark.parametrize("shape", [(30, 60), (60, 30), (200, 40)])
@pytest.mark.parametrize("highest", [3, 10, 1000])
def test_shuffled_tables_have_no_rules(shape, highest):
    for seed in range(2):
        rng = np.random.default_rng(seed)
        cells = rng.integers(0, highest, shape)
        frame = pd.DataFrame(cells, columns=[f"x{k}" for k in range(shape[1])])
        assert arithmetic(read(frame.astype(str))) == ()


@pytest.mark.parametrize("seed", range(3))
def test_columns_with_rules_have_none_once_they_are_shuffled(seed):
    rng = np.random.default_rng(seed)
    assert arithmetic(read(shuffled(bills(150, seed), rng))) == ()


def test_large_tables_are_judged_by_some_rows(monkeypatch):
    frame = bills(1500)
    frame.loc[1499, "cm"] = "17.3"
    monkeypatch.setattr(module, "MOST_JUDGED", 300)
    monkeypatch.setattr(module, "FIRST", 250)
    assert set(found(frame)[0]) == {(1499, "cm")}


def test_huge_and_infinite_numbers_are_no_matter():
    frame = bills(60)
    frame["huge"] = [f"{1 + k % 17}e307" for k in range(60)]
    frame["tiny"] = [f"{1 + k % 19}e-300" for k in range(60)]
    frame["endless"] = ["inf", "-inf", *map(str, range(58))]
    assert arithmetic(read(frame, exclude=["endless"])) == ()


@pytest.mark.parametrize(
    "raw",
    [
        b"x\n1\n2\n",
        b"x,y\n1,2\n2,4\n",
        b"x,y,z\n,,1\n,,2\n",
        b"x,y,z\n" + b"3,3,1\n3,3,2\n" * 50,
    ],
)
def test_small_and_odd_tables_have_none(raw):
    assert arithmetic(cellval.read(raw, label=None)) == ()
