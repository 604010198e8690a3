"""Tables whose rows follow each other: what stands between its neighbours is in step.

In the log of a machine a number may be odd beside all other columns and yet be right,
because the rows before and after lead to it. Where the order of rows tells that much
about a column, a cell is surprising only if it is out of step with them as well. Rows
that are copies of each other count as one: they would vouch for their own error.
"""

import numpy as np
import pandas as pd

from cellval.detect.tails import tail_of
from cellval.kept import kept
from cellval.table.columns import Column
from cellval.table.table import Table

FEWEST = 50  # blocks of rows, or order tells nothing
CLOSER = 0.5  # times as far as in a shuffled table are cells from those around them
FARTHEST = 20.0  # medians: how much one cell counts where that is judged


@kept(1)
def in_step(table: Table) -> np.ndarray:
    """Share of ordinary cells that are as far out of step, of each cell; 0 where order
    tells nothing: float32, (n_rows, n_columns)."""
    block = _blocks(table)
    n = int(block[-1]) + 1 if block.size else 0
    shares = np.zeros((table.n_rows, len(table.features)), np.float32)
    if n < FEWEST:
        return shares
    draw = np.random.default_rng([0, n])
    for j, column in enumerate(table.features):
        x = _by_block(column, block, n)
        gaps, shuffled = _gaps(x, column), _gaps(draw.permutation(x), column)
        known, by_chance = _mean(gaps, shuffled), _mean(shuffled, shuffled)
        if known <= CLOSER * by_chance < np.inf:
            share = tail_of(gaps)(gaps) if column.numbers is not None else 1.0 - gaps
            shares[:, j] = np.nan_to_num(share)[block]
    return shares


def _blocks(table: Table) -> np.ndarray:
    """Number of the block of rows that are copies of each other, of each row."""
    changes = np.zeros(table.n_rows, bool)
    for name in table.cells:
        codes = pd.factorize(table.cells[name])[0]
        changes[1:] |= codes[1:] != codes[:-1]
    return np.cumsum(changes)


def _by_block(column: Column, block: np.ndarray, n: int) -> np.ndarray:
    """What the rows of each block hold; NaN where that is missing."""
    held = column.numbers
    if held is None:
        assert column.codes is not None
        held = np.where(column.codes < 0, np.nan, column.codes.astype(float))
    x = np.full(n, np.nan)
    x[block] = held
    return x


@np.errstate(all="ignore")  # numbers may be as large as can be
def _gaps(x: np.ndarray, column: Column) -> np.ndarray:
    """How far each is from lying between the ones before and after it; for categories,
    whether it is like neither of them."""
    series = pd.Series(x)
    before, after = series.shift().ffill(), series.shift(-1).bfill()
    before, after = before.fillna(after), after.fillna(before)
    if column.numbers is None:
        same = (x == before) | (x == after)
        return np.where(np.isnan(x), np.nan, 1.0 - same)
    low, high = np.minimum(before, after), np.maximum(before, after)
    gaps: np.ndarray = np.maximum(np.maximum(low - x, x - high), 0.0).to_numpy()
    return gaps


@np.errstate(all="ignore")
def _mean(gaps: np.ndarray, shuffled: np.ndarray) -> float:
    """Of gaps, where far ones count no more than so many of a shuffled table."""
    known = shuffled[shuffled > 0]
    if not known.size:
        return 0.0
    return float(np.nanmean(np.minimum(gaps, FARTHEST * np.median(known))))
