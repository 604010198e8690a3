"""Figures of blocks: values as colours, shares as bars."""

import numpy as np
import pytest

from cellval.figures.blocks import heatmap, shares
from cellval.games.blocks import BlockGame
from cellval.games.groups import Groups

NAMES = ("<b>a</b>", "b", "c" * 80)
ROWS = Groups(NAMES, np.array([0, 1, 1, 0, 2, 1]))
COLUMNS = Groups(("a", "b"), np.array([1, 0, 0, 1]))
CELLS = np.random.default_rng(0).normal(size=(6, 4))


def crowded(rows, columns):
    """The more there is, the less a cell adds."""
    if len(rows) == 0 or len(columns) == 0:
        return 0.0
    return float(np.tanh(np.abs(CELLS[np.ix_(rows, columns)]).sum() / 4))


def valued(utility=crowded, columns=COLUMNS, **options):
    *_, last = BlockGame.of(utility, ROWS, columns, **options).play()
    return last.result


@pytest.mark.parametrize("method", ["exact", "mc"])
def test_figures_of_blocks(method):
    blocks = valued(method=method, rounds=3)
    figure = heatmap(blocks)
    assert np.array(figure.data[0].z).shape == (3, 2)
    assert "<b>a</b>" not in figure.layout.yaxis.ticktext
    assert ("exact" in figure.data[0].customdata[0][0]) == (method == "exact")
    bars = shares(blocks)
    shown = [np.sum(trace.x) for trace in bars.data if trace.type == "bar"]
    assert shown == pytest.approx([100, 100])


def test_a_figure_of_one_group_of_columns_has_the_bars_of_rows_only():
    bars = shares(valued(columns=Groups(("a",), np.zeros(4, int))))
    assert [trace.type for trace in bars.data] == ["bar", "scatter"]
    assert len(bars.data[0].x) == 3


def test_blocks_worth_nothing_are_drawn():
    assert heatmap(valued(lambda rows, columns: 0.0)).data
