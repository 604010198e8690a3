"""What-if answers are those of a new run on the changed table."""

import numpy as np
import pandas as pd
import pytest
from cases import naive_values, number_table, random_table, untidy_table
from changed_rows import (
    CHANGES,
    NUMBER_CHANGES,
    NUMBERS,
    TABLE,
    changed,
    close,
    row_told,
    row_values,
)

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
    assert f"saw {part.n_test} of 200 test points" in note


def test_the_only_row_of_one_of_two_classes_keeps_its_label():
    df = pd.DataFrame({"x0": [1.5, 2.5, 4.0] * 4, "y": ["a"] + ["b"] * 11})
    table = Table.from_frame(df, label="y")
    answer = label_or_cell(table, cellval.value_cells(table), 1, {"x0": "5"})
    assert answer.frame()["column"].tolist() == ["x0"]


# ---- labels that are numbers


@pytest.mark.parametrize(
    "settings",
    [{}, {"baseline": "chance"}, {"near": 5}, {"width": 3.0}, {"n_neighbors": 100}],
    ids=str,
)
@pytest.mark.parametrize("changes", NUMBER_CHANGES, ids=str)
def test_numbers_are_those_of_the_changed_table(settings, changes):
    settings = {"n_neighbors": 5, **settings}
    values = cellval.value_cells(NUMBERS, **settings)
    settings["width"] = values.settings.width  # a new label moves it, too
    ref = cellval.value_cells(changed(NUMBERS, 17, changes), **settings)
    found = what_if(NUMBERS, values, 18, changes)
    names = list(NUMBERS.feature_names)
    after = found.after.set_index("column")["value"][names].to_numpy()
    close(after, ref.values[17], 1e-9)
    close(found.after_total, ref.row_values[17])
    close(found.before_total, values.row_values[17])


@pytest.mark.parametrize("test", ["table", 0.3])
def test_numbers_on_other_test_rows(test, monkeypatch):
    given = number_table(15, 1, "test", like=NUMBERS) if test == "table" else test
    values = cellval.value_cells(NUMBERS, test=given, n_neighbors=3)
    index = int(np.flatnonzero(np.isfinite(values.row_values))[4])
    held_out = np.isnan(values.row_values)
    monkeypatch.setattr(problem, "hold_out", lambda *_: held_out)
    how = {"test": given, "n_neighbors": 3, "width": values.settings.width}
    for changes in NUMBER_CHANGES[4:]:
        ref = cellval.value_cells(changed(NUMBERS, index, changes), **how)
        own = {"test": given} if test == "table" else {}
        found = what_if(NUMBERS, values, index + 1, changes, **own)
        close(found.after_total, ref.row_values[index])


def test_a_new_number_is_worth_what_the_definition_says():
    table = random_table(4, 6, ["number", "category"], numbers=True)
    values = cellval.value_cells(table, n_neighbors=2, width=1.0)
    new = changed(table, 2, {"label": "0.75", "c0": "1"})
    found = what_if(table, values, 3, {"label": "0.75", "c0": "1"})
    games = naive_values(new, 2, width=1.0)
    close(found.after["value"].sum(), games[2].sum(), 1e-9)
    close(found.after.set_index("column")["value"][["c0", "c1"]], games[2], 1e-9)


def test_label_or_cell_asks_for_the_number_of_rows_like_it():
    table = number_table(120, 3)
    middling = int(np.nanargmin(np.abs(table.features[0].numbers)))
    slip = f"{10 * table.target[7]:.1f}"
    dirty = table.with_cells({(7, "price"): slip, (middling, "x"): "-9"})
    values = cellval.value_cells(dirty, n_neighbors=5)
    found = label_or_cell(dirty, values, 8, {"x": "0.5"})
    line = found.frame().iloc[0]
    assert line["column"] == "price"
    assert abs(float(line["after"]) - table.target[7]) < 8
    assert line["after"] in dirty.labels, "as the file writes such numbers"
    assert "Changing price from" in found.verdict
    assert "The label may be wrong." in found.verdict
    right = table.cells["x"][middling]
    found = label_or_cell(dirty, values, middling + 1, {"x": right})
    assert f"Changing x from -9 to {right}" in found.verdict
    assert "more than the label of rows like it. The cell is the" in found.verdict


def test_a_label_that_all_neighbours_share_is_not_asked_about():
    df = pd.DataFrame({"x": [1.0, 1.0, 1.0, 9.0, 9.5], "y": [5.5, 5.5, 5.5, 70, 80]})
    table = Table.from_frame(df, label="y", kinds={"y": "number", "x": "number"})
    values = cellval.value_cells(table, n_neighbors=2)
    found = label_or_cell(table, values, 1, {})
    assert found.frame().empty
    assert found.verdict == "There is no other label and no suggestion to try."
