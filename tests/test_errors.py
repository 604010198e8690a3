"""What a person can fix: one exception, and checks that raise it."""

import re

import numpy as np
import pytest

import cellval
from cellval.errors import InputError, is_positive, is_whole, require


def test_a_fault_of_a_person_is_a_value_error_with_a_sentence():
    assert issubclass(InputError, ValueError)
    assert cellval.InputError is InputError
    with pytest.raises(InputError) as caught:
        require("near", 0, False, "None, or 1 or more")
    assert str(caught.value) == "near=0 is not possible: it must be None, or 1 or more."
    require("near", 5, True, "None, or 1 or more")


def small_table(n_columns=4):
    lines = [",".join([f"c{k}" for k in range(n_columns)] + ["y"])]
    for i in range(20):
        numbers = [str((7 * i + k) % 5) for k in range(n_columns)]
        lines.append(",".join([*numbers, "ab"[i % 2]]))
    return cellval.read("\n".join(lines).encode(), label="y")


def what_if(**options):
    table = small_table()
    values = cellval.value_cells(table, **options)
    row = next(
        n
        for n, value in zip(values.row_numbers, values.row_values, strict=True)
        if np.isnan(value) or "test" not in options
    )
    return cellval.what_if(table, values, int(row), {"c0": "3"})


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: what_if(column_weights="banzhaf"), "with Shapley weights first"),
        (lambda: what_if(method="random"), "by KNN first"),
        (lambda: what_if(test=0.3), "leave-one-out"),
        (lambda: cellval.value_cells(small_table(), test=0.01), "leave-one-out"),
        (lambda: cellval.value_cells(small_table(30), subsets="all"), "at random"),
        (lambda: cellval.value_cells(small_table(30), method="exact"), "Monte Carlo"),
        (
            lambda: cellval.value_cells(small_table(), method="flat", model="knn"),
            "Use another model",
        ),
        (
            lambda: cellval.read(b"a,b,y\n1,2,3\n", label="y", max_columns=2),
            "raise the limit",
        ),
        (
            lambda: cellval.read(b"a,b,y\n1,2,3\n", label="y", max_bytes=2),
            "CELLVAL_MAX_MB",
        ),
    ],
)
def test_what_a_page_may_show_names_no_argument(ask, words):
    with pytest.raises(InputError, match=words) as caught:
        ask()
    assert not re.search(r"\w=|argument|[a-z]_[a-z]|\('", str(caught.value))


@pytest.mark.parametrize("value", [1, 7, np.int64(3), np.uint8(1)])
def test_whole_numbers_are_whole(value):
    assert is_whole(value, 1) is True
    assert is_whole(value, 8) is False


@pytest.mark.parametrize("value", [True, 2.0, "2", None, [2], np.float64(2)])
def test_nothing_else_is_whole(value):
    assert not is_whole(value, 0)


@pytest.mark.parametrize("value", [None, 1, 0.1, np.float32(2)])
def test_positive_numbers_and_none_are_fine(value):
    assert is_positive(value)


@pytest.mark.parametrize("value", [0, -1, float("nan"), "2", [1], np.float64(0)])
def test_nothing_else_is_positive(value):
    assert not is_positive(value)
