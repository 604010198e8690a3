"""Which column can be the label, and what its classes are."""

import numpy as np
import pandas as pd
import pytest
from cases import csv_of, message_of

from cellval.table.labels import closeness, closeness_of_guesses
from cellval.table.table import Table, read


def label_table(cells, **options):
    n = len(cells)
    return read(csv_of({"x": [i % 3 for i in range(n)], "y": cells}), **options)


@pytest.mark.parametrize(
    ("cells", "classes", "y"),
    [
        (["b", "a", "b"], ("a", "b"), [1, 0, 1]),
        (["True", "False", "True"], ("False", "True"), [1, 0, 1]),
        (["10", "2", "10"], ("2", "10"), [1, 0, 1]),
        ([" b", "a", "b "], ("a", "b"), [1, 0, 1]),
        (["0.0", "1.0", "0.0"], ("0.0", "1.0"), [0, 1, 0]),
        (["+", "-", "-"], ("+", "-"), [0, 1, 1]),
        (["None", "x", "x"], ("None", "x"), [0, 1, 1]),
    ],
)
def test_a_label_can_be_words_booleans_or_small_integers(cells, classes, y):
    table = label_table(cells, label="y")
    assert table.classes == classes and table.y.tolist() == y
    assert table.y.dtype == np.int32


@pytest.mark.parametrize(
    ("cells", "parts"),
    [
        (["a"] * 6, ["'y'", "'a' in every row", "another column"]),
        (["a", "", "NA", "a"], ["'y'", "'a' in every row"]),
        ([f"t{i}" for i in range(9)], ["'y'", "9 different values", "9 rows"]),
        ([f"t{i % 60}" for i in range(100)], ["60 different values", "100 rows"]),
        (["a", "", ""], ["'y'", "1 row;", "at least 2"]),
        (["", "", ""], ["'y'", "0 rows", "at least 2"]),
        (["a"], ["'y'", "1 row;", "at least 2"]),
    ],
)
def test_a_column_that_cannot_be_a_label_says_why(cells, parts):
    message = message_of(label_table, cells, label="y")
    for part in parts:
        assert part in message


@pytest.mark.parametrize(
    "cells",
    [
        [f"{i}.5" for i in range(9)],
        [str(i) for i in range(812)],
        [f"{i % 30}.5" for i in range(400)],
        [str(i % 90) for i in range(900)],
        [f"$1,{i:03}" for i in range(100, 130)],
    ],
)
def test_many_numbers_are_a_label_of_numbers_with_bands(cells):
    table = label_table(cells, label="y")
    assert table.target.tolist() == [
        float(c.strip("$").replace(",", "")) for c in cells
    ]
    assert table.labels == tuple(cells)
    assert 1 <= len(table.classes) <= 5 and set(table.y) == set(range(max(table.y) + 1))
    means = [table.target[table.y == k].mean() for k in range(len(table.classes))]
    assert means == sorted(means)
    assert "number" in repr(table)


def test_few_numbers_are_classes_unless_one_says_otherwise():
    cells = ["1", "2", "3"] * 10
    assert label_table(cells, label="y").classes == ("1", "2", "3")
    table = label_table(cells, label="y", kinds={"y": "number"})
    assert table.target.tolist() == [1.0, 2.0, 3.0] * 10
    assert "choose category or number" in message_of(
        label_table, cells, label="y", kinds={"y": "date"}
    )
    many = [str(i % 90) for i in range(900)]
    refused = message_of(label_table, many, label="y", kinds={"y": "category"})
    assert "90 different values" in refused and "read it as numbers" in refused
    words = message_of(label_table, ["a", "b"] * 5, label="y", kinds={"y": "number"})
    assert "no column of numbers" in words
    assert "infinite" in message_of(
        label_table, ["inf", *map(str, range(9))], label="y", kinds={"y": "number"}
    )


def test_what_is_no_number_has_no_label_of_numbers():
    table = label_table([*[str(i / 7) for i in range(40)], "much", ""], label="y")
    assert table.n_rows == 42 and np.isnan(table.target).sum() == 2
    assert table.y.tolist()[40:] == [-1, -1] and table.groups[40:] == ("", "")
    assert table.labels[40:] == ("much", "") and table.labelled.target.size == 40
    assert any("without a number as label 'y'" in note for note in table.notes)


def test_numbers_are_guessed_as_label_only_where_nothing_has_classes():
    numbers = [round(1.7 * i % 11, 2) for i in range(60)]
    columns = {"a": numbers, "b": numbers[::-1], "id": range(1, 61)}
    assert read(csv_of(columns)).label == "b"
    assert read(csv_of(columns | {"kind": list("ab") * 30})).label == "kind"
    assert read(csv_of({"price": numbers, "target": numbers, "z": numbers})).label == (
        "target"
    )


def test_a_table_without_a_label_has_all_columns_and_rows():
    table = read(b"x,y\n1,a\n2,\n3,b\n", label=None)
    assert table.label == "" and table.n_rows == 3
    assert table.feature_names == ("x", "y")
    assert table.y.tolist() == [0, 0, 0] and table.labels == ("", "", "")
    assert "no label" in repr(table)
    changed = table.with_cells({(0, "x"): "5"}, drop=[1])
    assert changed.n_rows == 2 and changed.label == ""
    again = read(b"x,y\n7,b\n", like=table)
    assert again.label == "" and again.n_rows == 1


def test_numbers_stay_a_label_when_cells_change_and_in_a_test_table():
    cells = [str(i / 7) for i in range(40)]
    table = label_table(cells, label="y")
    changed = table.with_cells({(0, "y"): "99", (1, "y"): ""})
    assert changed.target[0] == 99 and np.isnan(changed.target[1])
    test = read(csv_of({"x": [1, 2], "y": ["3", "3"]}), like=table)
    assert test.target.tolist() == [3.0, 3.0]
    assert table.fingerprint != changed.fingerprint
    asked = label_table(["1", "2"] * 9, label="y")
    other = label_table(["1", "2"] * 9, label="y", kinds={"y": "number"})
    assert asked.fingerprint != other.fingerprint


@pytest.mark.parametrize(
    ("names", "guess"),
    [
        (["y", "a", "b"], "y"),
        (["a", "Target", "b"], "Target"),
        (["income", "a", "b"], "income"),
        (["a", "Class", "label"], "label"),
        (["a", "b", "c"], "c"),
    ],
)
def test_a_label_that_was_not_given_is_guessed_and_said(names, guess):
    columns = {
        name: ["01"[(i + j) % 2] for i in range(8)] for j, name in enumerate(names)
    }
    columns = {"size": [1.5 * i for i in range(8)]} | columns
    table = read(csv_of(columns))
    assert table.label == guess
    assert any("not given" in note and f"'{guess}'" in note for note in table.notes)


def test_the_guess_passes_over_columns_that_cannot_be_a_label():
    n = 40
    columns = {
        "sex": ["MF"[i % 2] for i in range(n)],
        "target": [f"t{i}" for i in range(n)],
        "weight": [50 + i % 13 for i in range(n)],
        "kind": ["pq"[i % 2] for i in range(n)],
    }
    assert read(csv_of(columns), exclude=["kind"]).label == "sex"
    message = message_of(
        Table.from_frame,
        pd.DataFrame({c: [f"{c}{i}" for i in range(9)] for c in "ab"}),
    )
    assert "No column" in message and "'b'" in message
    message = message_of(read, csv_of(columns), exclude=list(columns))
    assert "No column" in message and "excluded" in message


def test_closeness_of_guesses_is_the_mean_over_all_pairs():
    draw = np.random.default_rng(0)
    numbers, truth = draw.integers(0, 9, 40) / 2, draw.integers(-4, 14, 30) / 2
    apart = np.abs(truth[:, None] - numbers) / 1.7
    expected = np.maximum(0, 1 - apart).mean(axis=1)
    np.testing.assert_allclose(closeness_of_guesses(numbers, truth, 1.7), expected)
    assert closeness(3.0, np.array([3.0, 4.0, 9.0, np.nan]), 2).tolist() == [
        1,
        0.5,
        0,
        0,
    ]
