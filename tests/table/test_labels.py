"""Which column can be the label, and what its classes are."""

import numpy as np
import pandas as pd
import pytest
from cases import csv_of, message_of

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
        ([f"{i}.5" for i in range(9)], ["'y'", "9 different numbers", "bin it"]),
        ([str(i) for i in range(812)], ["'y'", "812 different numbers", "bin it"]),
        ([f"{i % 30}.5" for i in range(400)], ["30 different numbers", "bin it"]),
        ([str(i % 90) for i in range(900)], ["90 different numbers", "another column"]),
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
        "target": [f"{i}.25" for i in range(n)],
        "weight": [50 + i % 13 for i in range(n)],
        "kind": ["pq"[i % 2] for i in range(n)],
    }
    assert read(csv_of(columns), exclude=["kind"]).label == "sex"
    message = message_of(
        Table.from_frame, pd.DataFrame({"a": range(9), "b": np.arange(9) / 4})
    )
    assert "No column" in message and "'b'" in message
    message = message_of(read, csv_of(columns), exclude=list(columns))
    assert "No column" in message and "excluded" in message
