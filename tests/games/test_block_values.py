"""Values of blocks: shares, what they count from, and what to beware of."""

import numpy as np
import pandas as pd
import pytest
from small_games import COLUMNS, ROWS, Additive, blocks_of

from cellval.figures import blocks as blockfigures
from cellval.games.groups import (
    columns_alone,
    columns_together,
    rows_by_column,
)
from cellval.games.models import utility_of
from cellval.table.table import Table

# --- models ---------------------------------------------------------------------------


def mixed(n=120, seed=0):
    draw = np.random.default_rng(seed)
    y = draw.integers(0, 2, n)
    frame = pd.DataFrame(
        {
            "site": np.where(np.arange(n) < n // 2, "north", "south"),
            "x": y + 0.3 * draw.normal(size=n),
            "word": np.where(draw.random(n) < 0.8, np.where(y, "up", "down"), "side"),
            "noise": draw.normal(size=n),
            "y": np.where(y, "yes", "no"),
        }
    )
    return Table.from_frame(frame, label="y", exclude=["site"])


def test_a_source_with_wrong_labels_lies_below_the_others():
    table = mixed(160, seed=3)
    wrong = {(i, "y"): "no" if table.y[i] else "yes" for i in range(80) if i % 4 != 3}
    dirty = table.with_cells(wrong)
    blocks = blocks_of(
        utility_of(dirty, "knn", test=mixed(100, seed=4)),
        rows_by_column(dirty, "site"),
        columns_together(dirty),
    )
    north, south = blocks.row_values
    assert north < 0 < south
    assert any("'north' lies below 0" in text for text in blocks.caveats())


@pytest.mark.parametrize("model", ["knn", "tree"])
def test_values_above_a_guess_are_those_of_the_game_that_counts_from_it(model):
    table = mixed()
    h = utility_of(table, model, test=0.3)
    rows, columns = rows_by_column(table, "site"), columns_alone(table)
    blocks = blocks_of(h, rows, columns)
    share = np.bincount(table.y[~h.players]) / np.sum(~h.players)
    own = np.bincount(table.y[h.players]) / h.players.sum()
    expected = share @ own if model == "knn" else share[own.argmax()]
    assert blocks.guess == pytest.approx(expected)

    def above(rows, columns):
        empty = len(rows) == 0 or len(columns) == 0
        return 0.0 if empty else h(rows, columns) - blocks.guess

    direct = blocks_of(above, rows.among(h.players), columns)
    np.testing.assert_allclose(blocks.above_guess().values, direct.values, atol=1e-12)
    assert blocks.above_guess().shares()["counted_from"].eq(blocks.guess).all()


# --- shares, files and figures --------------------------------------------------------


def test_shares_per_row_and_cell():
    h = Additive(6, 4)
    h.cells[:] = 1.0
    shares = blocks_of(h, ROWS, COLUMNS).shares().set_index("group")
    assert shares.loc["b", "share_percent"].tolist() == pytest.approx([50.0, 50.0])
    assert shares["per_1000_cells"].tolist() == pytest.approx([1000.0] * 6)
    assert shares.loc["c", "per_1000_rows"] == pytest.approx(4000.0)
    assert shares.loc["total", "cells"] == 24


def test_there_are_no_shares_of_nothing():
    blocks = blocks_of(lambda rows, columns: 0.0, ROWS, COLUMNS)
    assert not blocks.has_shares and blocks.shares()["share_percent"].isna().all()
    assert any("no shares" in text for text in blocks.caveats())
    assert any("'c' has a single row" in text for text in blocks.caveats())
    assert blockfigures.heatmap(blocks).data
