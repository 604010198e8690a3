"""The doors to values: tables or frames in, CellValues out."""

import sys

import numpy as np
import pandas as pd
import pytest
from cases import random_table

import cellval
from cellval import valuation
from cellval.methods import METHODS
from cellval.table.table import Table
from cellval.values.options import RunOptions
from cellval.values.result import CellValues
from cellval.values.words import design_words


def test_a_data_frame_is_accepted_wherever_a_table_is():
    frame = pd.DataFrame({"x": [1, 2, 3, 4, 5, 6.5], "target": list("aabbab")})
    comp = cellval.value_cells(frame, n_neighbors=2, test=frame)
    assert isinstance(comp, CellValues)
    assert comp.column_names == ("x",)


@pytest.mark.parametrize("method", list(METHODS))
def test_every_method_gives_cell_values_that_can_be_kept(method, davis, tmp_path):
    few = pd.DataFrame({"x": [1, 2, 3, 4, 9, 8], "y": list("aabbab")})
    table = Table.from_frame(few, label="y") if method in ("exact", "flat") else davis
    rounds = {"flat": {"rounds": 2}, "mc": {"rounds": 12}, "oob": {"rounds": 12}}
    options = {"method": method, **rounds.get(method, {}), "n_jobs": 1}
    values = cellval.value_cells(table, **options)
    assert values.values.shape == (table.n_rows, len(table.features))
    assert np.isfinite(values.values).any()
    assert design_words(values.settings)
    values.save(tmp_path / "v.npz")
    again = cellval.load(tmp_path / "v.npz")
    np.testing.assert_array_equal(again.values, values.values)
    assert again.settings == values.settings
    assert len(values.lowest(3)) == 3
    repeated = cellval.value_cells(table, **options)
    np.testing.assert_array_equal(repeated.values, values.values)


def test_snapshots_begin_before_and_end_with_the_values(davis):
    first, *others = cellval.iter_values(davis, n_neighbors=5)
    assert first.preparing and not first.has_result and first.done == 0
    done = [snapshot.done for snapshot in others]
    assert done == sorted(done) and done[-1] == 1
    assert others[-1].seen == "200 test points" and others[-1].seconds_left == 0
    whole = cellval.value_cells(davis, n_neighbors=5)
    np.testing.assert_array_equal(others[-1].result.values, whole.values)


def test_faults_are_found_before_the_first_snapshot(davis):
    for wrong in ({"n_neighbors": 0}, {"method": "mc", "test": 2.0}, {"test": "x"}):
        with pytest.raises(cellval.InputError):
            cellval.iter_values(davis, **wrong)
    with pytest.raises(cellval.InputError, match="A table or a DataFrame is needed"):
        cellval.iter_values("sample_data/davis.csv")


def test_only_values_by_the_same_method_are_continued(davis):
    values = cellval.value_cells(davis)
    with pytest.raises(cellval.InputError, match="different method"):
        cellval.iter_values(davis, method="mc", continue_from=values)
    part = cellval.value_cells(davis, method="random")
    with pytest.raises(cellval.InputError, match="not made by the KNN engine"):
        cellval.iter_values(davis, continue_from=part)
    with pytest.raises(cellval.InputError, match="lack what is needed"):
        cellval.iter_values(davis, method="random", continue_from=part)


@pytest.mark.parametrize("scoring", ["accuracy", "balanced"])
@pytest.mark.parametrize("test", [None, 0.3])
def test_values_of_rows_alone_are_the_sums_of_their_cells(davis, test, scoring):
    options = {"test": test, "scoring": scoring, "n_neighbors": 4, "random_state": 3}
    rows = cellval.value_rows(davis, **options)
    values = cellval.value_cells(davis, **options)
    np.testing.assert_allclose(rows, values.row_values, rtol=0, atol=1e-12)
    frame = davis.cells
    test = frame.head(20) if test is None else test
    of_frame = cellval.value_rows(frame, test=test, n_neighbors=4)
    assert of_frame.shape == (200,)


def test_progress_is_for_terminals_only(davis, monkeypatch, capsys):
    cellval.value_cells(davis)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    cellval.value_cells(davis)
    assert "200 test points" in capsys.readouterr().err


def test_expected_time_grows_with_the_work():
    table = random_table(1, 1200, ["decimal"] * 12)

    def expected(**options):
        return valuation.expected_seconds(table, RunOptions(**options), timed=False)

    one = expected(subsets=1)
    assert 0 < one < expected(subsets="all")
    assert expected(subsets=1, near=100) < expected(subsets=1, near=200) < one
    assert expected(budget=2.0) <= 2
    with pytest.raises(cellval.InputError):
        expected(n_neighbors=0)
    with pytest.raises(cellval.InputError, match="too many"):
        valuation.expected_seconds(
            random_table(1, 9, ["number"] * 21), RunOptions(subsets="all")
        )
