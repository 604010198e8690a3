"""CellValues: lists, explanations, files. One index space, lower is worse."""

import numpy as np
import pandas as pd
import pytest
from cases import make_table, random_table

import cellval


@pytest.fixture(scope="module")
def table():
    return random_table(50, 30, ["number", "category", "decimal"], n_classes=3)


@pytest.fixture(scope="module")
def values(table):
    return cellval.value_cells(table, n_neighbors=3)


def test_lowest_lists_the_cells_from_the_lowest_value_up(table, values):
    lowest = values.lowest(10)
    assert list(lowest.columns[:6]) == ["index", "row", "id", "label", "column", "cell"]
    assert lowest["value"].is_monotonic_increasing
    assert lowest["rank"].tolist() == list(range(1, 11))
    assert lowest["value"][0] == values.values.min()
    first = lowest.iloc[0]
    assert first["row"] == first["index"] + 1
    assert first["cell"] == table.cells[first["column"]][first["index"]]
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
    parts = values.explain(row=7)
    assert abs(parts["value"].sum() - values.rows["value"][6]) < 1e-12
    assert parts["value"].abs().is_monotonic_decreasing
    with pytest.raises(cellval.InputError, match="no valued row 31"):
        values.explain(row=31)


def test_save_and_load_keep_everything(values, tmp_path):
    values.save(tmp_path / "v.npz")
    back = cellval.load(tmp_path / "v.npz")
    assert back.values.tobytes() == values.values.tobytes()
    assert dict(back.settings) == dict(values.settings)
    pd.testing.assert_frame_equal(back.lowest(None), values.lowest(None))
    pd.testing.assert_frame_equal(back.rows, values.rows)
    pd.testing.assert_frame_equal(back.columns, values.columns)


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
