"""Two columns that settle a third: found where it takes both of them."""

import numpy as np
import pandas as pd
import pytest
from cases import shuffled

import cellval
from cellval.detect import two_givens as module
from cellval.detect.two_givens import two_givens


def articles(n=600, seed=0):
    """What and size say what it costs; the shop's name follows from its number."""
    rng = np.random.default_rng(seed)
    what, size = rng.integers(0, 5, n), rng.integers(0, 4, n)
    frame = pd.DataFrame({"what": np.array([*"abcde"])[what]})
    frame["size"] = np.array([*"SMLX"])[size]
    frame["costs"] = np.arange(20)[what * 4 + size] * 7 % 20 + 100
    shop = rng.integers(0, 12, n)
    frame["shop"], frame["town"] = shop, [f"town {k % 7}" for k in shop]
    frame["sold"] = rng.integers(0, 30, n)
    return frame.astype(str)


def read(frame, **how):
    return cellval.read(frame.to_csv(index=False).encode(), **{"label": None} | how)


def test_rules_without_exceptions_are_no_findings():
    assert two_givens(read(articles())) == ()


def test_cells_that_break_it_are_named_with_what_the_others_hold():
    frame = articles()
    meant = frame.loc[[7, 33], "costs"].tolist()
    frame.loc[[7, 33], "costs"] = "999", ""
    (one,) = two_givens(read(frame))
    assert (one.kind, one.column) == ("rule", "costs") and one.is_flagged
    assert one.title == "what and size settle costs"
    assert one.rows.tolist() == [7, 33] and one.after.tolist() == meant
    what, size = frame.loc[7, ["what", "size"]]
    own = (frame["what"] == what) & (frame["size"] == size)
    assert one.reason(0) == (
        f"Where what is {what} and size is {size}, {own.sum() - 1} of {own.sum()} rows "
        f"have '{meant[0]}'."
    )


def test_where_another_size_would_explain_it_nothing_is_flagged():
    frame = articles()
    frame.loc[7, "size"] = "S" if frame.loc[7, "size"] != "S" else "M"
    (one,) = two_givens(read(frame))
    assert one.rows.tolist() == [7] and not one.is_flagged
    assert one.title.endswith("one of these cells")


def test_what_one_column_settles_is_left_out():
    frame = articles()
    frame.loc[9, "town"] = "twon"
    assert two_givens(read(frame)) == ()


def test_a_second_column_does_not_make_a_likely_one_a_rule():
    """Groups that are split by chance are purer, but not for a reason."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.integers(0, 8, 800), "b": rng.integers(0, 12, 800)})
    frame["c"] = np.where(rng.random(800) < 0.82, frame["a"], rng.integers(0, 8, 800))
    assert two_givens(read(frame.astype(str))) == ()


@pytest.mark.parametrize("shape", [(30, 60), (60, 30), (200, 40), (1000, 12)])
@pytest.mark.parametrize("highest", [2, 4, 10])
def test_shuffled_tables_have_no_rules(shape, highest):
    rng = np.random.default_rng(highest)
    frame = pd.DataFrame(rng.integers(0, highest, shape)).add_prefix("x")
    assert [*module._rules(read(frame.astype(str)))] == []


@pytest.mark.parametrize("seed", range(3))
def test_rules_are_gone_once_columns_are_shuffled(seed):
    table = read(articles(seed=seed))
    assert {rule.of.target for rule in module._rules(table)} == {"costs"}
    rng = np.random.default_rng(seed)
    mixed = shuffled(articles(seed=seed), rng)
    assert [*module._rules(read(mixed))] == []


def test_large_tables_are_judged_by_some_rows(monkeypatch):
    frame = articles(3000)
    frame.loc[2999, "costs"] = "999"
    monkeypatch.setattr(module, "MOST_JUDGED", 700)
    monkeypatch.setattr(module, "MOST_TABLE", 10)  # counts that are sorted
    (one,) = two_givens(read(frame))
    assert one.rows.tolist() == [2999]


def test_missing_cells_of_the_two_break_nothing():
    frame = articles()
    frame.loc[::9, "size"] = ""
    assert two_givens(read(frame)) == ()


@pytest.mark.parametrize(
    "raw", [b"x\n1\n2\n", b"x,y,z\n1,2,3\n2,3,4\n", b"x,y,z\n,,1\n,,2\n"]
)
def test_small_and_odd_tables_have_none(raw):
    assert two_givens(cellval.read(raw, label=None)) == ()
