"""Figures of blocks: values as colours, shares as bars."""

import numpy as np
import pytest
from small_games import COLUMNS, ROWS, Crowded, blocks_of, groups

from cellval.figures.blocks import heatmap, shares
from cellval.games.groups import Groups


@pytest.mark.parametrize("method", ["exact", "mc"])
def test_figures_of_blocks(method):
    h = Crowded(6, 4)
    names = ("<b>a</b>", "b", "c" * 80)
    rows = Groups(names, ROWS.of)
    blocks = blocks_of(h, rows, COLUMNS, method=method, rounds=3)
    figure = heatmap(blocks)
    assert np.array(figure.data[0].z).shape == (3, 2)
    assert "<b>a</b>" not in figure.layout.yaxis.ticktext
    assert ("exact" in figure.data[0].customdata[0][0]) == (method == "exact")
    bars = shares(blocks)
    shown = [np.sum(trace.x) for trace in bars.data if trace.type == "bar"]
    assert shown == pytest.approx([100, 100])


def test_a_figure_of_one_group_of_columns_has_the_bars_of_rows_only():
    blocks = blocks_of(Crowded(6, 4), ROWS, groups(0, 0, 0, 0))
    bars = shares(blocks)
    assert [trace.type for trace in bars.data] == ["bar", "scatter"]
    assert len(bars.data[0].x) == 3


def test_blocks_worth_nothing_are_drawn():
    blocks = blocks_of(lambda rows, columns: 0.0, ROWS, COLUMNS)
    assert heatmap(blocks).data
