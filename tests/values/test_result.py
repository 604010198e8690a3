"""CellValues: lists, explanations, files, merging. Lower is worse."""

import io
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from cases import close, make_table, random_table

import cellval
from cellval.errors import InputError
from cellval.values.result import _as_json


@pytest.fixture(scope="module")
def table():
    return random_table(50, 30, ["number", "category", "decimal"], n_classes=3)


@pytest.fixture(scope="module")
def values(table):
    return cellval.value_cells(table, n_neighbors=3)


def test_lowest_lists_the_cells_from_the_lowest_value_up(table, values):
    lowest = values.lowest(10)
    assert list(lowest.columns[:6]) == [
        *("position", "row_number", "id", "label", "column", "cell")
    ]
    assert lowest["value"].is_monotonic_increasing
    assert lowest["rank"].tolist() == list(range(1, 11))
    assert lowest["value"][0] == values.values.min()
    first = lowest.iloc[0]
    assert first["row_number"] == first["position"] + 1
    assert first["cell"] == table.cells[first["column"]][first["position"]]
    assert len(values.lowest(None)) == values.values.size


def test_ranks_within_the_class_take_the_lowest_share_of_each_class():
    labels = ["rare"] * 10 + ["common"] * 90
    frame = pd.DataFrame(
        {"x": np.random.default_rng(0).normal(size=100).round(3), "y": labels}
    )
    values = cellval.value_cells(cellval.Table.from_frame(frame, label="y"))
    within = values.lowest(20, within_class=True)
    assert (within["label"] == "rare").sum() == 2
    assert sorted(values.ranks(within_class=True).ravel()) == list(range(1, 101))


def test_explain_sums_to_the_row_s_value(values):
    parts = values.explain(7)
    assert abs(parts["value"].sum() - values.rows["value"][6]) < 1e-12
    assert parts["value"].abs().is_monotonic_decreasing
    with pytest.raises(cellval.InputError, match="no row 31"):
        values.explain(31)


@pytest.mark.parametrize(
    "texts",
    [
        [],
        [""],
        ["1.5", "a b", "~!#[]{}^_`'"],
        ['a"b', "c"],
        ["\\"],
        ["\n"],
        ["x\n"],
        ["\x7f"],
        ["ü"],
    ],
)
@pytest.mark.parametrize("dtype", ["str", object])
def test_texts_are_written_as_json_writes_them(texts, dtype):
    assert _as_json(pd.Series(texts, dtype=dtype)) == json.dumps(texts)


def test_save_and_load_keep_everything(values, tmp_path):
    values.save(tmp_path / "v.npz")
    back = cellval.load(tmp_path / "v.npz")
    assert back.values.tobytes() == values.values.tobytes()
    assert list(back.state) == list(values.state)
    for name, array in values.state.items():
        np.testing.assert_array_equal(back.state[name], array)
        assert back.state[name].dtype == array.dtype
    read = cellval.load(io.BytesIO((tmp_path / "v.npz").read_bytes()))
    assert read.values.tobytes() == values.values.tobytes()
    assert back.settings == values.settings
    pd.testing.assert_frame_equal(back.lowest(None), values.lowest(None))
    pd.testing.assert_frame_equal(back.rows, values.rows)
    pd.testing.assert_frame_equal(back.columns, values.columns)


def test_a_file_that_cannot_be_written_leaves_the_old_one(
    values, tmp_path, monkeypatch
):
    path = tmp_path / "v.npz"
    values.save(path)
    before = path.read_bytes()

    def full(file, array, **options):
        file.write(b"half a file")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np.lib.format, "write_array", full)
    with pytest.raises(OSError, match="No space"):
        values.save(path)
    assert path.read_bytes() == before


def test_objects_are_not_written(values, tmp_path):
    harmful = replace(values, state={"a": np.array([tmp_path], object)})
    with pytest.raises(ValueError, match="allow_pickle"):
        harmful.save(tmp_path / "v.npz")


def test_loading_something_else_is_refused_with_a_sentence(tmp_path):
    with pytest.raises(cellval.InputError, match="no file"):
        cellval.load(tmp_path / "none.npz")
    other = tmp_path / "other.npz"
    other.write_bytes(b"no zip")
    with pytest.raises(cellval.InputError, match="does not hold cell values"):
        cellval.load(other)
    np.savez(other, x=np.array([object()]))
    with pytest.raises(cellval.InputError, match="does not hold cell values"):
        cellval.load(other)


def test_results_print_in_a_line_and_do_not_dump_arrays(values):
    assert len(repr(values)) < 300
    assert "30 rows x 3 columns" in repr(values)


def test_one_test_point_has_no_standard_error():
    table = make_table([("number", [1, 2, 3])], [0, 1, 0])
    test = make_table([("number", [1])], [0], name="test")
    values = cellval.value_cells(table, n_neighbors=1, test=test)
    assert np.isnan(values.stderr).all()
    assert np.isnan(values.typical_stderr)


MIXED = ["number", "category", "decimal"]


def test_runs_with_other_weights_are_not_merged():
    table = random_table(24, 20, MIXED)
    options = {"subsets": 3, "column_weights": "banzhaf"}
    one, two = (cellval.value_cells(table, random_state=s, **options) for s in range(2))
    both = one.merge(two)
    close(both.row_values, both.values.sum(axis=1))
    with pytest.raises(cellval.InputError, match="differ in column_weights"):
        one.merge(cellval.value_cells(table, subsets=3, random_state=2))


def test_merged_runs_are_averages_and_refuse_the_same_draws():
    table = random_table(33, 30, ["number"] * 6, levels=6)
    a, b = (cellval.value_cells(table, subsets=24, random_state=s) for s in (0, 1))
    both = a.merge(b)
    close(both.values, (a.values + b.values) / 2)
    close(both.values.sum(axis=1), both.rows["value"])
    with pytest.raises(cellval.InputError, match="same draws"):
        a.merge(a)
    with pytest.raises(cellval.InputError, match="cannot be continued"):
        cellval.value_cells(table, continue_from=both)


def test_merging_runs_on_two_test_tables_pools_their_test_points():
    table = random_table(34, 12, MIXED)
    tests = [random_table(s, 8, MIXED, name=f"t{s}") for s in (35, 36)]
    a, b = (cellval.value_cells(table, test=t, subsets="all") for t in tests)
    both = a.merge(b)
    assert both.n_test == 16
    close(both.values, (a.values + b.values) / 2)
    close(both.stderr, np.sqrt(a.stderr**2 + b.stderr**2) / 2)


def test_merging_refuses_what_does_not_belong_together():
    table = random_table(66, 40, ["number"] * 5, levels=9)
    exact = cellval.value_cells(table, subsets="all")
    a, b, c = (cellval.value_cells(table, subsets=10, random_state=s) for s in range(3))
    with pytest.raises(cellval.InputError, match="exact or sampled"):
        exact.merge(a)
    both = a.merge(b)
    with pytest.raises(cellval.InputError, match="same draws"):
        both.merge(b)
    assert len(both.merge(c).settings.sources) == 3
    halves = [cellval.value_cells(table, test=0.3, random_state=s) for s in (0, 1)]
    with pytest.raises(cellval.InputError, match="test"):
        halves[0].merge(halves[1])


def test_rows_and_frames_are_counted_as_a_person_counts(values):
    assert values.rows["row_number"].tolist() == list(range(1, 31))
    assert values.to_frame().index.name == "row_number"
    assert values.to_frame().index[0] == 1
    assert values.position(30) == 29


def test_arrays_of_values_are_read_only(values):
    for array in (values.values, values.stderr, values.row_values, values.row_stderr):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_three_runs_are_merged_in_any_order():
    table = random_table(60, 30, ["number"] * 6, levels=6)
    runs = [cellval.value_cells(table, subsets=12, random_state=s) for s in range(3)]
    one = runs[0].merge(runs[1]).merge(runs[2])
    other = runs[2].merge(runs[0]).merge(runs[1])
    close(one.values, other.values)
    close(one.values, np.mean([run.values for run in runs], axis=0))
    assert one.settings.weight == other.settings.weight == 90
    assert one.settings.random_state is None


def test_merging_is_for_knn(davis):
    a = cellval.value_cells(davis, method="mc", rounds=3)
    b = cellval.value_cells(davis, method="mc", rounds=3, random_state=1)
    with pytest.raises(InputError, match="KNN"):
        a.merge(b)
