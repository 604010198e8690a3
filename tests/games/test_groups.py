"""Rows and columns as a few players."""

import numpy as np
import pandas as pd
import pytest

import cellval
from cellval.errors import InputError
from cellval.games.groups import (
    MISSING,
    OTHERS,
    Groups,
    columns_by,
    columns_by_kind,
    columns_by_name,
    rows_by_column,
    rows_by_quantiles,
    rows_by_ranges,
)
from cellval.table.table import Table


def sites():
    frame = pd.DataFrame(
        {
            "site": ["b", "a", "", "b", "c", "a", "b", "d", "e", "NA"],
            "size": [1.5, 2, 3, 4, 5, 6, 7, None, 9, 10],
            "day": [f"2024-01-{k + 1:02}" for k in range(10)],
            "same": ["x"] * 10,
            "y": ["u", "v"] * 5,
        }
    )
    return Table.from_frame(frame, label="y", exclude=["site"])


def named(found):
    return {
        name: (np.flatnonzero(found.of == g) + 1).tolist()
        for g, name in enumerate(found.names)
    }


def test_rows_by_a_column_that_is_no_feature():
    found = named(rows_by_column(sites(), "site", n_most=2))
    expected = {"b": [1, 4, 7], "a": [2, 6], OTHERS: [5, 8, 9], MISSING: [3, 10]}
    assert found == expected
    whole = rows_by_column(sites(), "site")
    assert whole.names == ("b", "a", "c", "d", "e", MISSING)
    assert rows_by_column(sites(), "y").names == ("u", "v")


def test_rows_by_numbers_are_in_their_order():
    frame = pd.DataFrame({"n": [10, 2, 2, 33, 10, 10], "y": ["u", "v"] * 3})
    table = Table.from_frame(frame, label="y")
    assert rows_by_column(table, "n").names == ("2", "10", "33")


def test_a_category_called_like_the_others_keeps_its_name():
    texts = ["(others)", "(others)", "a", "b", "c", "c"]
    table = Table.from_frame(
        pd.DataFrame({"s": texts, "x": range(6), "y": ["u", "v"] * 3}), label="y"
    )
    assert rows_by_column(table, "s", n_most=1).names == ("(others)", "(others)'")


def test_rows_by_quantiles_of_numbers_and_dates():
    found = named(rows_by_quantiles(sites(), "size", 3))
    assert list(found) == ["up to 3", "above 3 to 6", "above 6", MISSING]
    assert found["up to 3"] == [1, 2, 3] and found[MISSING] == [8]
    days = rows_by_quantiles(sites(), "day", 2)
    assert days.names == ("up to 2024-01-05", "above 2024-01-05")
    frame = pd.DataFrame({"at": ["08:30", "09:00", "14:30"] * 4, "y": ["u", "v"] * 6})
    times = rows_by_quantiles(Table.from_frame(frame, label="y"), "at", 2)
    assert times.names == ("up to 09:00", "above 09:00")
    with pytest.raises(InputError, match="holds no numbers"):
        rows_by_quantiles(sites(), "site", 2)


def test_rows_by_ranges_count_as_the_file_does():
    table = cellval.read(b"x,y\n1,a\n2,\n3,b\n4,a\n5,b\n", label="y")
    table = table.with_cells({}, drop=[1])
    assert named(rows_by_ranges(table, 2)) == {"rows 1–3": [1, 2], "rows 4–5": [3, 4]}
    assert rows_by_ranges(table, 3).names == ("rows 1–3", "rows 4–4", "rows 5–5")
    with pytest.raises(InputError, match="One range holds all rows"):
        rows_by_ranges(table, 1)


def test_columns_by_names_kinds_and_hand():
    names = ["pay_1", "pay_2", "age", "bill.a", "bill.b", "zip"]
    frame = pd.DataFrame({name: range(8) for name in names})
    frame["zip"] = list("abababab")
    frame["y"] = ["u", "v"] * 4
    table = Table.from_frame(frame, label="y", kinds=dict.fromkeys(names[:5], "number"))
    assert columns_by_name(table).names == ("pay", "age", "bill", "zip")
    assert columns_by_kind(table).names == ("numbers", "categories")
    own = columns_by(table, {"money": ["pay_1", "bill.a"]})
    assert own.names == ("money", OTHERS) and own.of.tolist() == [0, 1, 1, 0, 1, 1]
    with pytest.raises(InputError, match="'nobody' in group 'm' is no feature"):
        columns_by(table, {"m": ["nobody"]})
    with pytest.raises(InputError, match="belongs to one group"):
        columns_by(table, {"m": ["age"], "n": ["age"]})


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda t: rows_by_column(t, "same"), "one group only"),
        (lambda t: rows_by_column(t, "sit"), "has no column 'sit'"),
        (lambda t: rows_by_column(t, "site", 0), "1 or more"),
        (lambda t: Groups(("a", "a"), np.array([0, 1])), "same name"),
    ],
)
def test_groups_that_cannot_be_made_say_why(make, words):
    with pytest.raises(InputError, match=words):
        make(sites())
