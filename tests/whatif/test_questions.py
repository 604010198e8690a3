"""What-if answers are those of a new run on the changed table."""

import numpy as np
import pandas as pd
import pytest

import cellval
from cellval.errors import InputError
from cellval.knn import problem
from cellval.table.table import Table
from cellval.whatif import contents as alternatives
from cellval.whatif.contents import Told
from cellval.whatif.questions import label_or_cell, row_value_if, what_if


def close(a, b, atol=1e-12):
    np.testing.assert_allclose(a, b, rtol=0, atol=atol)


def mixed(seed=0, n=40, n_columns=4, name="table", like=None):
    """Ties, missing cells, categories, three classes, some equal rows."""
    rng = np.random.default_rng(seed)
    cells = {}
    for j in range(n_columns):
        kind = ("whole", "category", "decimal")[j % 3]
        if kind == "whole":
            column = rng.integers(0, 5, n).astype(str)
        elif kind == "category":
            column = rng.choice(["red", "green", "blue"], n)
        else:
            column = np.round(rng.normal(size=n), 1).astype(str)
        column = column.astype(object)
        column[rng.random(n) < 0.1] = ""
        cells[f"c{j}"] = column
    cells["kind"] = rng.choice(["a", "b", "c"], n, p=[0.6, 0.3, 0.1])
    df = pd.DataFrame(cells)
    df.iloc[:3] = df.iloc[3:6].to_numpy()
    if like:
        return Table.from_frame(df, like=like, name=name)
    kinds = {f"c{j}": "category" if j % 3 == 1 else "number" for j in range(n_columns)}
    return Table.from_frame(df, label="kind", kinds=kinds, name=name)


TABLE = mixed()
CHANGES = [
    {"c0": "4"},
    {"c0": "1000"},
    {"c1": "violet"},
    {"c2": ""},
    {"kind": "a"},
    {"kind": "c"},
    {"kind": "new"},
    {"c0": "2", "c1": "red", "c2": "0.1", "kind": "b"},
]


def changed(table, index, changes):
    return table.with_cells({(index, name): text for name, text in changes.items()})


@pytest.mark.parametrize("scoring", ["accuracy", "balanced"])
@pytest.mark.parametrize("n_neighbors", [1, 5, 100])
@pytest.mark.parametrize("index", [0, 17])
def test_row_values_are_those_of_the_changed_table(index, n_neighbors, scoring):
    settings = {"n_neighbors": n_neighbors, "scoring": scoring}
    comp = row_value_if(TABLE, index, CHANGES, settings=settings)
    close(comp.now, cellval.value_rows(TABLE, **settings)[index])
    ref = [
        cellval.value_rows(changed(TABLE, index, changes), **settings)[index]
        for changes in CHANGES
    ]
    close(comp.values, ref)
    close(comp.gains, comp.values - comp.now)
    assert comp.n_test == TABLE.n_rows


@pytest.mark.parametrize("scoring", ["accuracy", "balanced"])
def test_row_values_on_a_test_table_are_those_of_the_changed_table(scoring):
    test = mixed(1, 15, name="test", like=TABLE)
    test = test.with_cells({(2, "kind"): "new"})  # a class that training lacks
    settings = {"n_neighbors": 3, "scoring": scoring}
    comp = row_value_if(TABLE, 8, CHANGES, settings=settings, test=test)
    ref = [
        cellval.value_rows(changed(TABLE, 8, changes), test=test, **settings)[8]
        for changes in CHANGES
    ]
    close(comp.values, ref)


def test_rows_held_out_stay_held_out_when_a_label_changes(monkeypatch):
    settings = {"n_neighbors": 3, "random_state": 4}
    values = cellval.value_cells(TABLE, test=0.3, **settings)
    held_out = np.isnan(values.row_values)
    index = int(np.flatnonzero(~held_out)[2])
    comp = row_value_if(TABLE, index, CHANGES, settings=values.settings, test=0.3)
    same = row_value_if(TABLE, index, CHANGES, settings=values.settings, test=held_out)
    close(comp.values, same.values)
    monkeypatch.setattr(problem, "hold_out", lambda *_: held_out)
    for changes, value in zip(CHANGES, comp.values, strict=True):
        new = changed(TABLE, index, changes)
        close(value, cellval.value_rows(new, test=0.3, **settings)[index])
        answer = what_if(TABLE, values, index, changes)
        ref = cellval.value_cells(new, test=0.3, **settings)
        close(answer.after_total, ref.row_values[index])
        close(cells_of(answer.after), ref.values[index], 1e-9)


def cells_of(frame):
    names = list(TABLE.feature_names)
    return frame.set_index("column")["value"][names].to_numpy()


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"baseline": "chance"},
        {"scoring": "balanced"},
        {"near": 5},
        {"near": 5, "baseline": "chance"},
        {"n_neighbors": 100},
    ],
    ids=str,
)
@pytest.mark.parametrize("changes", CHANGES, ids=str)
def test_exact_cells_are_those_of_the_changed_table(settings, changes):
    settings = {"n_neighbors": 5, **settings}
    values = cellval.value_cells(TABLE, **settings)
    ref = cellval.value_cells(changed(TABLE, 17, changes), **settings)
    comp = what_if(TABLE, values, 17, changes)
    assert "exact" in comp.note
    close(cells_of(comp.after), ref.values[17], 1e-9)
    close(cells_of(comp.before), values.values[17])
    close(comp.after_total, ref.row_values[17])
    close(comp.after_stderr, ref.row_stderr[17])
    close(comp.before_total, values.row_values[17])


def test_exact_cells_on_a_test_table():
    test = mixed(1, 15, name="test", like=TABLE)
    values = cellval.value_cells(TABLE, test=test, n_neighbors=3)
    for changes in CHANGES:
        new = changed(TABLE, 9, changes)
        ref = cellval.value_cells(new, test=test, n_neighbors=3)
        comp = what_if(TABLE, values, 9, changes, test=test)
        close(cells_of(comp.after), ref.values[9], 1e-9)


@pytest.mark.parametrize("changes", CHANGES[:6], ids=str)
def test_sampled_cells_are_within_their_errors_and_sum_exactly(changes):
    table = mixed(2, 60, n_columns=7)
    values = cellval.value_cells(table, n_neighbors=5)
    new = cellval.value_cells(changed(table, 20, changes), n_neighbors=5)
    comp = what_if(table, values, 20, changes, seconds=0.0004)
    assert "Approximate" in comp.note
    after = comp.after.set_index("column").loc[list(table.feature_names)]
    error = np.abs(after["value"] - new.values[20])
    assert (error <= 3 * after["stderr"]).all()
    close(after["value"].sum(), new.row_values[20])
    close(comp.after_total, new.row_values[20])
    again = what_if(table, values, 20, changes, seconds=0.0004)
    close(again.after["value"], comp.after["value"], 0)


def test_a_sampled_run_is_carried_on_by_exact_differences():
    table = mixed(2, 40, n_columns=6)
    values = cellval.value_cells(table, n_neighbors=5, subsets=24)
    assert "exact" not in values.settings["design"]
    comp = what_if(table, values, 20, {"c0": table.cells["c0"].iloc[20]})
    pd.testing.assert_frame_equal(comp.before, comp.after, check_exact=False)


def test_some_test_points_speak_for_all(monkeypatch):
    table = mixed(3, 300)
    exact = row_value_if(table, 20, CHANGES, settings={})
    monkeypatch.setattr(alternatives, "ROW_WORK", 301 * 300)
    some = row_value_if(table, 20, CHANGES, settings={})
    assert some.n_test < 300 and "test points" in some.note
    assert (np.abs(some.values - exact.values) <= 3 * some.stderr).all()
    assert (np.abs(some.gains - exact.gains) <= 3 * some.gains_stderr + 1e-12).all()
    assert (some.stderr > exact.stderr / 2).all()


def test_a_sampled_test_point_counts_for_those_not_seen():
    told = Told(
        np.array([[1.0, 2.0, 4.0]]),
        np.array([1.0, 2.0, 2.0]),
        np.array([False, True, True]),
        5,
    )
    assert told.mean(0)[0] == 13 / 5


# ---- label or cell


def swapped():
    """Two classes apart in two columns; one row with a wrong label, one wrong cell."""
    rng = np.random.default_rng(5)
    y = np.repeat([0, 1], 40)
    cells = {f"x{j}": np.round(rng.normal(10 * y, 1), 2) for j in range(2)}
    df = pd.DataFrame(cells).astype(str)
    df["sex"] = np.where(y, "M", "F")
    df.loc[3, "sex"] = "M"
    df.loc[5, "x0"] = "30"
    return Table.from_frame(df, label="sex")


def test_a_wrong_label_is_named():
    table = swapped()
    values = cellval.value_cells(table, n_neighbors=5)
    answer = label_or_cell(table, values, 3, {"x0": "10", "x1": "10.1"})
    frame = answer.frame()
    assert frame["change"].tolist()[0] == "sex: M → F"
    columns = ["change", "column", "before", "after", "value", "gain", "stderr"]
    assert list(frame) == columns
    close(answer.now, values.row_values[3])
    close(frame["gain"], frame["value"] - answer.now)
    assert "Changing sex from M to F would raise the row's value most" in answer.verdict
    assert "The label may be wrong." in answer.verdict or "told apart" in answer.verdict
    assert answer.row == 4


def test_a_wrong_cell_is_named():
    table = swapped()
    values = cellval.value_cells(table, n_neighbors=5)
    answer = label_or_cell(table, values, 5, {"x0": "0.1"})
    assert "Changing x0 from 30 to 0.1" in answer.verdict
    assert "The cell is the likelier culprit." in answer.verdict


def test_nothing_helps_a_good_row():
    table = swapped()
    values = cellval.value_cells(table, n_neighbors=5)
    answer = label_or_cell(table, values, 10, {})
    assert answer.verdict.startswith("No single change helps:")


def test_noise_is_called_noise():
    rng = np.random.default_rng(0)
    df = pd.DataFrame(
        {"x": rng.normal(size=60).round(2), "y": rng.choice(list("ab"), 60)}
    )
    table = Table.from_frame(df, label="y")
    values = cellval.value_cells(table)
    verdicts = [label_or_cell(table, values, i, {}).verdict for i in range(20)]
    assert any("within two standard errors" in verdict for verdict in verdicts)


def test_at_most_ten_other_labels_are_tried():
    rng = np.random.default_rng(0)
    y = np.repeat([f"k{k:02}" for k in range(14)], range(5, 19))
    df = pd.DataFrame({"x": rng.normal(size=y.size).round(2), "y": y})
    table = Table.from_frame(df, label="y")
    values = cellval.value_cells(table)
    labels = label_or_cell(table, values, 0, {}).frame()["after"].tolist()
    assert labels == [f"k{k:02}" for k in range(13, 3, -1)]


# ---- what is refused, and what is said


VALUES = cellval.value_cells(TABLE, n_neighbors=5)


def test_an_unknown_column_is_refused():
    with pytest.raises(InputError, match="no column 'size'"):
        what_if(TABLE, VALUES, 3, {"size": "1"})
    with pytest.raises(InputError, match="no column 'size'"):
        label_or_cell(TABLE, VALUES, 3, {"size": "1"})


@pytest.mark.parametrize("index", [-1, 40])
def test_an_unknown_row_is_refused(index):
    with pytest.raises(InputError, match="no row at position"):
        what_if(TABLE, VALUES, index, {"c0": "1"})
    with pytest.raises(InputError, match="no row at position"):
        label_or_cell(TABLE, VALUES, index, {})


def test_a_row_held_out_is_refused():
    values = cellval.value_cells(TABLE, test=0.3)
    index = int(np.flatnonzero(np.isnan(values.row_values))[0])
    with pytest.raises(InputError, match="held out for testing"):
        what_if(TABLE, values, index, {"c0": "1"})


@pytest.mark.parametrize("text", ["", " ", "NA"])
def test_a_blank_label_is_refused(text):
    with pytest.raises(InputError, match="without a label"):
        what_if(TABLE, VALUES, 3, {"kind": text})


def test_another_table_or_test_is_refused():
    with pytest.raises(InputError, match="another table"):
        what_if(mixed(9), VALUES, 3, {"c0": "1"})
    test = mixed(1, 15, name="test", like=TABLE)
    with pytest.raises(InputError, match="another test"):
        what_if(TABLE, VALUES, 3, {"c0": "1"}, test=test)
    values = cellval.value_cells(TABLE, test=test)
    with pytest.raises(InputError, match="test table 'test'"):
        what_if(TABLE, values, 3, {"c0": "1"})


def test_notes_say_how_a_text_was_read():
    note = what_if(TABLE, VALUES, 3, {"c0": "abc"}).note
    assert "'abc' is no number for 'c0' and counts as missing." in note
    note = what_if(TABLE, VALUES, 3, {"c1": "violet", "kind": "z"}).note
    assert "'violet' is new in 'c1'" in note and "'z' is a new class" in note


def test_a_stopped_run_is_named():
    table = mixed(2, 200, n_columns=7)
    _, second, *_ = cellval.iter_values(table, subsets=14)
    assert second.values.n_test < 200
    note = what_if(table, second.values, 20, {"c0": "1"}).note
    assert "stopped" in note


def test_the_only_row_of_one_of_two_classes_keeps_its_label():
    df = pd.DataFrame({"x0": [1.5, 2.5, 4.0] * 4, "y": ["a"] + ["b"] * 11})
    table = Table.from_frame(df, label="y")
    answer = label_or_cell(table, cellval.value_cells(table), 0, {"x0": "5"})
    assert answer.frame()["column"].tolist() == ["x0"]
