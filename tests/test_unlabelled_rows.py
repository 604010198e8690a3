"""Rows without a label: no model learns from them, but their cells are compared."""

import numpy as np
import pandas as pd
import pytest
from cases import message_of

import cellval
from cellval.detect.labels import label_surprise
from cellval.detect.surprise import surprise
from cellval.games.groups import of_labelled, rows_by_column
from cellval.repairs.repair import Repair
from cellval.views.row_detail import neighbours

GONE = [4, 11, 76]  # positions; the second is the row with swapped cells


@pytest.fixture(scope="module")
def davis():
    return pd.read_csv("sample_data/davis.csv", dtype=str, keep_default_na=False)


def read(frame, without=(), **options):
    frame = frame.copy()
    frame.loc[list(without), options.get("label", "sex")] = ""
    options = {"label": "sex"} | options
    return cellval.read(frame.to_csv(index=False).encode(), **options)


@pytest.fixture(scope="module")
def table(davis):
    return read(davis, GONE)


@pytest.fixture(scope="module")
def rest(davis):
    """The table of those who have one."""
    return read(davis.drop(index=GONE))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"subsets": 4, "random_state": 3},
        {"test": 0.3},
        {"method": "loo", "model": "tree"},
        {"method": "oob", "rounds": 20},
    ],
)
def test_values_are_those_of_the_rows_with_a_label(table, rest, options):
    values, own = (cellval.value_cells(t, **options) for t in (table, rest))
    has = table.y >= 0
    for name in ("values", "stderr", "row_values", "row_stderr"):
        found = getattr(values, name)
        assert np.array_equal(found[has], getattr(own, name), equal_nan=True)
        assert np.isnan(found[~has]).all()
    assert values.total == own.total and values.settings.table == table.fingerprint
    assert values.row_numbers.tolist() == list(range(1, 201))


def test_rows_alone_and_closeness_of_numbers(davis, table, rest):
    rows = cellval.value_rows(table)
    assert np.array_equal(rows[table.y >= 0], cellval.value_rows(rest))
    assert np.isnan(rows[GONE]).all()
    numbers = {"label": "height", "kinds": {"height": "number"}}
    values = cellval.value_cells(read(davis, GONE, **numbers), subsets=2)
    own = cellval.value_cells(read(davis.drop(index=GONE), **numbers), subsets=2)
    assert np.array_equal(np.delete(values.values, GONE, axis=0), own.values)


def test_a_run_is_continued_and_saved(table, tmp_path):
    whole = cellval.value_cells(table, subsets=2)
    for step in cellval.iter_values(table, subsets=2):
        if step.has_result:
            break
    step.result.save(tmp_path / "some.npz")
    known = cellval.load(tmp_path / "some.npz")
    again = cellval.value_cells(table, subsets=2, continue_from=known)
    assert np.array_equal(again.values, whole.values, equal_nan=True)


def test_a_function_sees_the_rows_of_the_whole_table(table):
    seen = set()

    def h(rows, columns):
        seen.update(np.asarray(rows).tolist())
        return float(len(rows))

    cellval.value_cells(table, method="loo", model=h)
    assert max(seen) == table.n_rows - 1


def test_test_rows_without_a_label_test_nothing(davis, rest):
    half = davis.iloc[:100]
    test, own = (
        cellval.read(frame.to_csv(index=False).encode(), like=rest)
        for frame in (half.assign(sex=half["sex"].where(half.index != 4, "")), half)
    )
    assert (test.y < 0).sum() == 1
    values = cellval.value_cells(rest, test=test)
    assert values.n_test == own.n_rows - 1
    model = cellval.value_cells(rest, test=test, method="loo", model="tree")
    assert model.n_test == values.n_test


@pytest.mark.parametrize("label", ["sex", "repwt"])
def test_their_cells_are_surprising_or_not(davis, label):
    """The swapped cells of row 12 are found without its label, whatever its kind."""
    table = read(davis, GONE, label=label)
    found = surprise(table)
    weight = table.feature_names.index("weight")
    assert found.surprise[11, weight] < 1e-3
    assert np.median(found.surprise[GONE]) > 0.02
    assert np.isfinite(found.rarity[GONE][:, weight]).all()
    listed = cellval.suspects(table)
    assert listed["row_number"].tolist()[:2] == [12, 12]
    assert set(listed["suggestion"][:2]) == {"57", "166"}


def test_others_are_judged_as_without_them(table, rest):
    """Few more rows change little; and never the label of others."""
    has = table.y >= 0
    a, b = surprise(table).surprise[has], surprise(rest).surprise
    assert np.corrcoef(np.log(a + 1e-9).ravel(), np.log(b + 1e-9).ravel())[0, 1] > 0.95
    assert label_surprise(table).shape == (200,)
    judged = cellval.suspect_labels(table)
    assert len(judged) == 197 and not set(judged["row_number"]) & {5, 12, 77}


def test_repairs_serve_rows_with_and_without_a_label(table, rest):
    """A label that is filled in makes the row one to learn from."""
    fixed = cellval.repair(table, {(12, "sex"): "F", (12, "weight"): "57"})
    assert fixed.y[11] == 0 and fixed.labelled.n_rows == 198
    measured = cellval.compare_models(table, fixed, folds=2, repeats=1)
    assert measured.verdict("KNN")
    other = cellval.repair(table, {(12, "weight"): "57"})  # which no model sees
    words = message_of(cellval.compare_models, table, other, folds=2, repeats=1)
    assert "Nothing was changed that a model could see" in words
    blank = cellval.repair(table, {(1, "sex"): None, (2, "weight"): "1"})
    assert cellval.compare_models(table, blank, folds=2, repeats=1).verdict("KNN")


def test_what_if_speaks_of_rows_with_a_label(table, rest):
    values, own = cellval.value_cells(table), cellval.value_cells(rest)
    new = cellval.what_if(table, values, 13, {"weight": "80"})
    there = rest.row_numbers[table.labelled.position(13)]
    same = cellval.what_if(rest, own, int(there), {"weight": "80"})
    assert (new.before_total, new.after_total) == (same.before_total, same.after_total)
    words = message_of(cellval.what_if, table, values, 12, {"weight": "80"})
    assert "Row 12 has no label" in words and "'sex'" in words
    words = message_of(cellval.what_if, table, values, 13, {"sex": ""})
    assert "cannot be valued without a label" in words
    found = cellval.label_or_cell(table, values, 13, {"height": "163"})
    assert found.row_number == 13


def test_blocks_and_validations_leave_them_out(davis):
    davis = davis.assign(site=["a", "b", "b", "b"] * 50)
    table, rest = read(davis, GONE), read(davis.drop(index=GONE))
    for model in ("knn", "tree"):
        some, own = (
            cellval.value_blocks(t, "site", model=model) for t in (table, rest)
        )
        assert np.array_equal(some.values, own.values)
        assert some.n_rows.sum() == own.n_rows.sum()
    one = rows_by_column(table, "site")
    assert of_labelled(one, table).of.size == 197
    found = cellval.validate(table, kind="times ten", removal=False)
    assert found.planted.table.n_rows == 197


def test_they_are_exported(table, tmp_path):
    values = cellval.value_cells(table)
    assert len(values.rows) == 200 and values.rows["value"].isna().sum() == 3
    assert (values.lowest(None)["row_number"] != 12).all()
    fixed = cellval.repair_file(
        b"x,z,y\n1,7,a\n2,8,\n3,9,b\n", {(2, "x"): Repair("replace", "5")}
    )
    assert fixed == b"x,z,y\n1,7,a\n5,8,\n3,9,b\n"


def test_values_of_another_table_are_not_continued(davis, table):
    other = read(davis.assign(weight=davis["weight"].to_numpy()[::-1]), GONE)
    for step in cellval.iter_values(other, subsets=2):
        if step.has_result:
            break
    options = {"subsets": 2, "continue_from": step.result}
    assert "different table" in message_of(cellval.value_cells, table, **options)
    less = options | {"continue_from": cellval.value_cells(read(davis[:90]), subsets=2)}
    assert "different table" in message_of(cellval.value_cells, table, **less)


def test_columns_of_the_rows_with_a_label_are_whole(davis):
    """Cells that do not fit keep their rows, and columns of no use stay known."""
    day = pd.Series(pd.date_range("2020-01-01", periods=200).astype(str))
    day[[150, 199]] = "soon"
    table = read(davis.assign(day=day, note="same"), GONE)
    assert table.labelled.cells["day"][147] == "soon"
    (column,) = (c for c in table.labelled.columns if c.name == "day")
    assert column.strays == ((147, "soon"), (196, "soon"))
    assert len(table.labelled.columns) == len(table.columns)
    cellval.validate(table, kind="times ten", removal=False)


def test_rows_that_get_or_lose_a_label_are_counted_as_changed(table):
    fixed = cellval.repair(table, {(5, "sex"): "F", (12, "sex"): "F"})
    measured = cellval.compare_models(table, fixed, folds=2, repeats=1)
    assert (measured.n_touched, measured.n_dropped) == (2, 0)
    drop = cellval.repair(table, {(1, ""): Repair("drop"), (2, "sex"): None})
    measured = cellval.compare_models(table, drop, folds=2, repeats=1)
    assert (measured.n_touched, measured.n_dropped) == (2, 1)


def test_neighbours_that_drive_a_row_have_a_label(table):
    values = cellval.value_cells(table)
    for position in (3, 10, 100):
        near = neighbours(table, values, position)
        assert (table.y[near.rows] >= 0).all() and position not in near.rows
        assert near.share == (table.labelled.y == table.y[position]).mean()


def test_a_column_that_only_they_fill(davis):
    lone = pd.Series([""] * 200)
    lone[GONE] = ["u", "v", "u"]
    number = lone.replace({"u": "1.5", "v": "2.5"})
    frame = davis.assign(lone=lone, number=number)
    kinds = {"height": "number", "lone": "category", "number": "number"}
    table = read(frame, GONE, label="height", kinds=kinds)
    assert surprise(table).surprise.shape == (200, 6)
    cellval.validate(table, kind="swap", removal=False)


def test_one_source_that_has_labels_has_nothing_to_share(davis):
    site = pd.Series(["a"] * 200)
    site[GONE] = "b"
    words = message_of(
        cellval.value_blocks, read(davis.assign(site=site), GONE), "site"
    )
    assert "'a' in every row" in words
