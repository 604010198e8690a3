"""What a person can fix: one exception, and checks that raise it."""

import re
from contextlib import closing

import numpy as np
import pandas as pd
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


# --- what a person gives by mistake ---------------------------------------------------

DAVIS = "sample_data/davis.csv"


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda t, v: v.lowest(-5), "k=-5 is not possible"),
        (lambda t, v: v.lowest(2.5), "k=2.5 is not possible"),
        (lambda t, v: t.with_cells({(-1, "weight"): "9"}), "no cell .-1, 'weight'."),
        (lambda t, v: t.with_cells({(10**30, "weight"): "9"}), "no cell"),
        (lambda t, v: t.with_cells({(1, "wait"): "9"}), "no cell .1, 'wait'."),
        (lambda t, v: t.with_cells({(1, "weight"): "\ud800"}), "half a character"),
        (lambda t, v: t.with_cells({(1, "weight"): 9}), "9 is no text"),
        (lambda t, v: cellval.suggest(t, 1, "weight", random_state=None), "random_st"),
        (lambda t, v: cellval.suspect_labels(t, random_state=2.5), "random_state=2.5"),
        (lambda t, v: cellval.value_blocks(t, "sex", n_neighbors=2.5), "n_neighbors="),
        (lambda t, v: cellval.value_blocks(t, "sex", n_neighbors=10**30), "n_neigh"),
        (lambda t, v: cellval.read(DAVIS, kinds=["weight"]), "kinds="),
        (lambda t, v: cellval.read(DAVIS, like=True), "like=True"),
        (lambda t, v: cellval.read(pd.Series([1, 2])), "not Series"),
        (lambda t, v: cellval.read(DAVIS, label="x" * 100_000), "has no column"),
        (lambda t, v: cellval.open_project(5, DAVIS), "needs a name"),
        (lambda t, v: cellval.open_project("\0 ", DAVIS), "needs a name"),
        (lambda t, v: cellval.open_project("p", DAVIS, header_row=2.5), "header_row"),
        (
            lambda t, v: cellval.open_project("p", DAVIS, exclude="six"),
            "no column 'six",
        ),
        (lambda t, v: cellval.what_if(t, None, 12, {}), "values=None"),
        (lambda t, v: cellval.what_if(t, v, None, {}), "row_number=None"),
        (lambda t, v: cellval.what_if(t, v, "12", {}), "row_number='12'"),
        (lambda t, v: cellval.what_if(t, v, 12, None), "changes=None"),
        (lambda t, v: cellval.what_if(t, v, 12, ["weight"]), "mapping of columns"),
        (lambda t, v: cellval.label_or_cell(t, None, 12, {}), "values=None"),
        (lambda t, v: cellval.label_or_cell(t, v, 12, None), "suggestions=None"),
        (lambda t, v: cellval.suggest(t, None, "weight"), "row_number=None"),
        (lambda t, v: cellval.value_blocks(t, None), "row_groups=None"),
        (lambda t, v: cellval.value_blocks(t, "sex", 5), "column_groups=5"),
        (lambda t, v: v.merge(None), "other=None"),
        (lambda t, v: t.position(None), "row_number=None"),
        (lambda t, v: t.position([1, 2]), "row_number=.1, 2. is not"),
        (lambda t, v: t.read_texts("nope", ["1"]), "must be a column of davis.csv"),
        (lambda t, v: t.read_texts([], ["1"]), "must be a column of davis.csv"),
        (lambda t, v: t.with_cells(None), "changes=None"),
        (lambda t, v: cellval.report(t, comparison=True), "comparison=True"),
        (lambda t, v: cellval.apply_recipe(None, t), "recipe=None"),
        (lambda t, v: cellval.apply_recipe(b"x" * 9999, t), "recipe=b'xxx"),
        (lambda t, v: cellval.findings(t, rules=None), "rules=None"),
        (lambda t, v: cellval.findings(t, rules=["a"]), "must be a list of rules"),
        (lambda t, v: cellval.read(DAVIS, exclude=5), "exclude=5"),
        (lambda t, v: cellval.read("\ud800.csv"), "^.?.csv cannot be read: its name"),
        (lambda t, v: cellval.projects(folder="\0"), "must be a path"),
        (lambda t, v: cellval.projects(folder="\ud800"), "must be a path"),
        (lambda t, v: cellval.projects(folder=5), "folder=5"),
    ],
)
def test_a_mistake_gets_a_sentence(act, words):
    table = cellval.read(DAVIS, label="sex")
    with pytest.raises(InputError, match=words) as caught:
        act(table, cellval.value_cells(table, n_neighbors=1))
    assert str(caught.value).endswith(".") and len(str(caught.value)) < 3000
    str(caught.value).encode()  # it can be printed


def test_numbers_of_numpy_are_numbers(tmp_path):
    table = cellval.read(DAVIS, label="sex", exclude=None)
    values = cellval.value_cells(table, subsets=np.int64(3), near=np.int32(50))
    values.save(tmp_path / "v.npz")
    assert cellval.load(tmp_path / "v.npz").settings == values.settings
    blocks = cellval.value_blocks(table, "sex", n_neighbors=np.int8(3))
    assert np.isfinite(blocks.values).all()


@pytest.mark.parametrize("name", [" x ", "a\nb", "a" * 300, "\udcffx"])
def test_a_project_is_found_by_the_name_that_was_asked_for(name, tmp_path):
    ids = set()
    for _ in range(2):
        with closing(cellval.open_project(name, DAVIS, folder=tmp_path)) as project:
            ids.add(project.id)
    assert len(ids) == 1


def test_a_label_that_is_a_number_is_no_guess(tmp_path):
    raw = "\n".join(
        ["5,6,y", *(f"{k % 2},{k},{'ab'[k % 2]}" for k in range(8))]
    ).encode()
    with closing(cellval.open_project("p", raw, folder=tmp_path, label=5)) as project:
        assert project.table.label == "5"
