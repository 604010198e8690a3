"""What-if answers are those of a new run on the changed table."""

import numpy as np
import pandas as pd
import pytest
from cases import untidy_table
from changed_rows import CHANGES, TABLE, changed, close, row_told, row_values

import cellval
from cellval.errors import InputError
from cellval.knn import problem
from cellval.table.table import Table
from cellval.whatif.questions import label_or_cell, what_if


def test_rows_held_out_stay_held_out_when_a_label_changes(monkeypatch):
    settings = {"n_neighbors": 3, "random_state": 4}
    values = cellval.value_cells(TABLE, test=0.3, **settings)
    held_out = np.isnan(values.row_values)
    index = int(np.flatnonzero(~held_out)[2])
    found, _ = row_values(row_told(TABLE, values, index, CHANGES))
    monkeypatch.setattr(problem, "hold_out", lambda *_: held_out)
    for changes, value in zip(CHANGES, found, strict=True):
        new = changed(TABLE, index, changes)
        close(value, cellval.value_rows(new, test=0.3, **settings)[index])
        answer = what_if(TABLE, values, index + 1, changes)
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
    comp = what_if(TABLE, values, 18, changes)
    assert "exact" in comp.note
    close(cells_of(comp.after), ref.values[17], 1e-9)
    close(cells_of(comp.before), values.values[17])
    close(comp.after_total, ref.row_values[17])
    close(comp.after_stderr, ref.row_stderr[17])
    close(comp.before_total, values.row_values[17])


def test_exact_cells_on_a_test_table():
    test = untidy_table(1, 15, name="test", like=TABLE)
    values = cellval.value_cells(TABLE, test=test, n_neighbors=3)
    for changes in CHANGES:
        new = changed(TABLE, 9, changes)
        ref = cellval.value_cells(new, test=test, n_neighbors=3)
        comp = what_if(TABLE, values, 10, changes, test=test)
        close(cells_of(comp.after), ref.values[9], 1e-9)


@pytest.mark.parametrize("changes", CHANGES[:6], ids=str)
def test_sampled_cells_are_within_their_errors_and_sum_exactly(changes):
    table = untidy_table(2, 60, n_columns=7)
    values = cellval.value_cells(table, n_neighbors=5)
    new = cellval.value_cells(changed(table, 20, changes), n_neighbors=5)
    comp = what_if(table, values, 21, changes, seconds=0.0004)
    assert "Approximate" in comp.note
    after = comp.after.set_index("column").loc[list(table.feature_names)]
    error = np.abs(after["value"] - new.values[20])
    assert (error <= 3 * after["stderr"]).all()
    close(after["value"].sum(), new.row_values[20])
    close(comp.after_total, new.row_values[20])
    again = what_if(table, values, 21, changes, seconds=0.0004)
    close(again.after["value"], comp.after["value"], 0)


def test_a_sampled_run_is_carried_on_by_exact_differences():
    table = untidy_table(2, 40, n_columns=6)
    values = cellval.value_cells(table, n_neighbors=5, subsets=24)
    assert not values.settings.is_exact
    comp = what_if(table, values, 21, {"c0": table.cells["c0"].iloc[20]})
    pd.testing.assert_frame_equal(comp.before, comp.after, check_exact=False)


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
    answer = label_or_cell(table, values, 4, {"x0": "10", "x1": "10.1"})
    frame = answer.frame()
    assert frame["change"].tolist()[0] == "sex: M → F"
    columns = ["change", "column", "before", "after", "value", "gain", "stderr"]
    assert list(frame) == columns
    close(answer.now, values.row_values[3])
    close(frame["gain"], frame["value"] - answer.now)
    assert "Changing sex from M to F would raise the row's value most" in answer.verdict
    assert "The label may be wrong." in answer.verdict or "told apart" in answer.verdict
    assert answer.row_number == 4


def test_a_wrong_cell_is_named():
    table = swapped()
    values = cellval.value_cells(table, n_neighbors=5)
    answer = label_or_cell(table, values, 6, {"x0": "0.1"})
    assert "Changing x0 from 30 to 0.1" in answer.verdict
    assert "The cell is the likelier culprit." in answer.verdict


def test_nothing_helps_a_good_row():
    table = swapped()
    values = cellval.value_cells(table, n_neighbors=5)
    answer = label_or_cell(table, values, 11, {})
    assert answer.verdict.startswith("No single change helps:")


def test_noise_is_called_noise():
    rng = np.random.default_rng(0)
    df = pd.DataFrame(
        {"x": rng.normal(size=60).round(2), "y": rng.choice(list("ab"), 60)}
    )
    table = Table.from_frame(df, label="y")
    values = cellval.value_cells(table)
    verdicts = [label_or_cell(table, values, i, {}).verdict for i in range(1, 21)]
    assert any("within two standard errors" in verdict for verdict in verdicts)


def test_at_most_ten_other_labels_are_tried():
    rng = np.random.default_rng(0)
    y = np.repeat([f"k{k:02}" for k in range(14)], range(5, 19))
    df = pd.DataFrame({"x": rng.normal(size=y.size).round(2), "y": y})
    table = Table.from_frame(df, label="y")
    values = cellval.value_cells(table)
    labels = label_or_cell(table, values, 1, {}).frame()["after"].tolist()
    assert labels == [f"k{k:02}" for k in range(13, 3, -1)]


# ---- what is refused, and what is said


VALUES = cellval.value_cells(TABLE, n_neighbors=5)


def test_an_unknown_column_is_refused():
    with pytest.raises(InputError, match="no column 'size'"):
        what_if(TABLE, VALUES, 3, {"size": "1"})
    with pytest.raises(InputError, match="no column 'size'"):
        label_or_cell(TABLE, VALUES, 3, {"size": "1"})


@pytest.mark.parametrize("row_number", [-1, 0, 41])
def test_an_unknown_row_is_refused(row_number):
    with pytest.raises(InputError, match=f"no row {row_number}.*1 to 40"):
        what_if(TABLE, VALUES, row_number, {"c0": "1"})
    with pytest.raises(InputError, match=f"no row {row_number}.*1 to 40"):
        label_or_cell(TABLE, VALUES, row_number, {})


def test_a_stopped_run_is_named():
    table = untidy_table(2, 200, n_columns=7)
    steps = cellval.iter_values(table, subsets=14)
    part = next(step.result for step in steps if step.has_result)
    steps.close()
    assert part.n_test < 200
    note = what_if(table, part, 20, {"c0": "1"}).note
    assert "stopped" in note


def test_the_only_row_of_one_of_two_classes_keeps_its_label():
    df = pd.DataFrame({"x0": [1.5, 2.5, 4.0] * 4, "y": ["a"] + ["b"] * 11})
    table = Table.from_frame(df, label="y")
    answer = label_or_cell(table, cellval.value_cells(table), 1, {"x0": "5"})
    assert answer.frame()["column"].tolist() == ["x0"]
