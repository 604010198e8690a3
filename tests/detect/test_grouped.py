"""All finders of whole columns together."""

import numpy as np
import pandas as pd
import pytest

import cellval
from cellval.detect import grouped as finders
from cellval.detect.grouped import FINDERS, Search, grouped
from cellval.detect.keys import keys


def heights():
    """A broken rule, and a key that stands twice."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"id": np.arange(200), "inches": rng.integers(50, 80, 200)})
    frame["cm"] = np.round(2.54 * frame["inches"], 1)
    frame.loc[5, "cm"], frame.loc[9, "id"] = 17.3, 3
    return cellval.read(frame.to_csv(index=False).encode(), label=None)


def test_each_finder_is_asked_and_what_it_finds_is_kept():
    table = heights()
    found = grouped(table)
    assert {one.kind for one in found} == {"rule", "key"}
    assert found == tuple(one for finder in FINDERS for one in finder(table))
    assert grouped(table) is found


def test_a_search_that_is_ended_tells_what_was_found_by_then(monkeypatch):
    table, whole = heights(), Search(heights())
    whole.look()
    whole.end()
    assert not whole.is_cut
    search, first = Search(table), FINDERS[: FINDERS.index(keys)]
    monkeypatch.setattr(
        finders, "FINDERS", (*first, lambda _: search.end() or (), keys)
    )
    search.look()
    found = grouped(table)
    assert search.is_cut and {one.kind for one in found} == {"rule"}


def mixed(seed, n=60, width=32):
    """A wide small table of numbers, dates, words and codes that have nothing to do
    with each other.
    """
    draw = np.random.default_rng(seed)
    days = np.datetime64("2020-01-01")
    makers = (
        lambda: draw.integers(0, 20, n),
        lambda: draw.normal(50, 10, n).round(1),
        lambda: (days + draw.integers(0, 400, n)).astype(str),
        lambda: draw.choice(["Bremen", "Hamburg", "Leipzig", "Mainz", "Ulm"], n),
        lambda: draw.choice([f"word {c}" for c in "abcdefghijkl"], n),
        lambda: [f"K{k:04}" for k in draw.permutation(n)],
    )
    return pd.DataFrame({f"c{j}": makers[j % 6]() for j in range(width)})


@pytest.mark.parametrize("n", [60, 150])
def test_a_wide_small_table_has_hardly_a_rule_by_chance(n):
    found = [
        one.title
        for seed in range(8)
        for one in grouped(cellval.read(mixed(seed, n), label=None))
        if one.rule
    ]
    assert len(found) <= 1, found


def test_rules_are_gone_once_columns_are_shuffled():
    rng = np.random.default_rng(0)
    zips = rng.integers(0, 9, 300)
    frame = pd.DataFrame({"zip": zips + 10, "city": [f"town {c}" for c in zips]})
    frame["land"] = [f"land {c % 4}" for c in zips]
    frame["inches"] = rng.integers(50, 80, 300)
    frame["cm"] = np.round(2.54 * frame["inches"], 1)
    frame["begin"] = np.datetime64("2020-01-01") + rng.integers(0, 900, 300)
    frame["end"] = frame["begin"] + pd.to_timedelta(rng.integers(0, 60, 300), "D")
    frame = frame.astype(str)
    frame.loc[3, ["land", "cm", "end"]] = ["land x", "17.3", "1920-01-01"]

    def kinds(frame):
        found = grouped(cellval.read(frame, label=None))
        return {one.rule.kind for one in found if one.rule}

    assert kinds(frame) == {"settles", "multiple", "order"}
    assert (
        kinds(frame.apply(lambda column: rng.permutation(column.to_numpy()))) == set()
    )
