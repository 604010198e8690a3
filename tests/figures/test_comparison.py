"""Before and after a repair: accuracies and heatmaps side by side."""

from dataclasses import replace

import numpy as np
import pytest

import cellval
from cellval.figures.comparison import accuracies, heatmaps
from cellval.figures.palette import GREY, HIGH, REPAIR_MARK
from cellval.repairs.comparison import Comparison
from cellval.repairs.repair import Repair, repaired
from cellval.views.matched_rows import MatchedRows

CHANGES = {(12, "height"): Repair("replace", "166"), (3, ""): Repair("drop")}


@pytest.fixture(scope="module")
def pair(davis):
    table, before = davis
    after = cellval.value_cells(repaired(table, CHANGES), n_neighbors=5)
    return MatchedRows(before, after, table.row_numbers[:20])


def test_models_have_their_accuracies_and_the_difference():
    draw = np.random.default_rng(0)
    before = 0.7 + draw.normal(0, 0.01, (2, 3, 5))
    gain = np.array([0.1, 0.0])[:, None, None]
    after = before + gain + draw.normal(0, 0.003, before.shape)
    known = {"n_touched": 2, "n_dropped": 1, "n_tested": 90}
    comparison = Comparison(
        ("KNN", "Tree"), before, after, 0.25, **known, guess="F", guess_accuracy=0.55
    )
    figure = accuracies(comparison)
    first, second, *rest = figure.data
    assert (first.name, second.name) == ("before", "after")
    assert first.x == pytest.approx(100 * before.mean(axis=(1, 2)))
    assert second.x == pytest.approx(100 * after.mean(axis=(1, 2)))
    assert [trace.marker.color for trace in rest] == [HIGH, GREY]
    assert rest[0].x[0] == pytest.approx(10, abs=0.5)
    assert list(figure.layout.yaxis.ticktext) == ["KNN", "Tree"]
    low, high = figure.layout.xaxis2.range
    assert low == -high
    assert any(shape.x0 == pytest.approx(55) for shape in figure.layout.shapes)


def test_both_heatmaps_have_the_same_rows_and_colours(pair):
    figure = heatmaps(pair, np.arange(4), set())
    before, after = (trace for trace in figure.data if trace.type == "heatmap")
    assert np.shape(before.z) == np.shape(after.z) == (20, 4)
    assert (before.zmin, before.zmax) == (after.zmin, after.zmax)
    assert before.zmid == 0 == before.zmin + before.zmax
    assert np.isnan(after.z[2]).all() and not np.isnan(before.z[2]).any()
    assert after.customdata[2][0] == "row 3: dropped"
    assert "<b>height</b>: 166" in after.customdata[11][1]
    assert "<b>height</b>: 57" in before.customdata[11][1]


def test_repaired_cells_and_dropped_rows_are_outlined_on_both_sides(pair):
    columns = np.array([2, 1])
    figure = heatmaps(pair, columns, {(12, 1), (3, -1), (150, 1)})
    lines = [trace for trace in figure.data if trace.type == "scatter"]
    assert [line.line.color for line in lines] == [*REPAIR_MARK, *REPAIR_MARK]
    for line in lines:
        ends = np.array([np.nan if v is None else v for v in line.x]).reshape(-1, 6)
        rows = np.array([np.nan if v is None else v for v in line.y]).reshape(-1, 6)
        middles = zip(ends[:, :4].mean(1), rows[:, :4].mean(1), strict=True)
        assert set(middles) == {(0.0, 2.0), (1.0, 2.0), (1.0, 11.0)}


def test_held_out_rows_are_grey_and_dropped_ones_are_not(pair):
    def greys(pair):
        figure = heatmaps(pair, np.arange(4), set())
        said = "held out" in figure.layout.annotations[-1].text
        return [trace for trace in figure.data if trace.name == "held out"], said

    assert greys(pair) == ([], False)  # row 3 is dropped
    cells = pair.before.values.copy()
    cells[4] = np.nan
    held = MatchedRows(replace(pair.before, values=cells), pair.after, pair.rows)
    (grey,), said = greys(held)
    assert said
    assert np.flatnonzero(~np.isnan(grey.z).all(axis=1)).tolist() == [4]
