"""Tables whose rows follow each other: what stands between its neighbours is in step.

In the log of a machine a number may be odd beside all other columns and yet be right,
because the rows before and after lead to it. Where the order of rows tells that much
about a column, a cell is surprising only if it is out of step with them as well. Rows
that are copies of each other count as one: they would vouch for their own error.
"""

import numpy as np
import pandas as pd

from cellval.kept import kept
from cellval.table.columns import Column
from cellval.table.table import Table, texts_of

FEWEST = 50  # blocks of rows, or order tells nothing
CLOSER = 0.3  # times as far as in a shuffled table are cells from those around them
SORTED = 0.02  # of the changes, at most, go the other way: then rows were sorted
NEAR = 0.3  # of the usual gap in a shuffled table: so far may a cell be and be in step
FARTHEST = 3.0  # medians: how much one cell counts where that is judged


@kept(1)
def in_step(table: Table) -> np.ndarray:
    """Cells that the rows before and after lead to: bool, (n_rows, n_columns); none of
    columns about which order tells nothing."""
    block = _blocks(table)
    n = int(block[-1]) + 1 if block.size else 0
    steady = np.zeros((table.n_rows, len(table.features)), bool)
    if n < FEWEST:
        return steady
    order = _shuffled(table, block, n)
    for j, column in enumerate(table.features):
        x = _by_block(column, block, n)
        gaps, moves = _gaps(x, column)
        shuffled, _ = _gaps(x[order], column)
        known, by_chance = _mean(gaps, shuffled), _mean(shuffled, shuffled)
        if _is_sorted(x):  # in a sorted column every error is in step
            continue
        if 0 < by_chance < np.inf and known <= CLOSER * by_chance:
            near = NEAR * float(np.median(shuffled[shuffled > 0]))
            steady[:, j] = (gaps <= np.maximum(near, moves))[block]
    return steady


def _is_sorted(x: np.ndarray) -> bool:
    known = x[~np.isnan(x)]
    ups, downs = (known[1:] > known[:-1]).sum(), (known[1:] < known[:-1]).sum()
    return bool(min(ups, downs) <= SORTED * (ups + downs))


def _shuffled(table: Table, block: np.ndarray, n: int) -> np.ndarray:
    """Another order of the blocks, in which those of a class stay where the class is:
    a table that is sorted by its label is no series.
    """
    draw = np.random.default_rng([0, n])
    group = np.zeros(n, np.int64)
    group[block] = table.y
    order = np.arange(n)
    for label in np.unique(group):
        own = np.flatnonzero(group == label)
        order[own] = draw.permutation(own)
    return order


def _blocks(table: Table) -> np.ndarray:
    """Number of the block of rows that are copies of each other, of each row."""
    changes = np.zeros(table.n_rows, bool)
    for texts in texts_of(table).values():
        changes[1:] |= texts.index[1:] != texts.index[:-1]
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
def _gaps(x: np.ndarray, column: Column) -> tuple[np.ndarray, np.ndarray]:
    """How far each is from lying between the ones before and after it, and how far
    these are from each other; for categories, whether it is like neither of them."""
    series = pd.Series(x)
    before, after = series.shift().ffill(), series.shift(-1).bfill()
    before, after = before.fillna(after), after.fillna(before)
    if column.numbers is None:
        same = (x == before) | (x == after)
        return np.where(np.isnan(x), np.nan, 1.0 - same), np.zeros(x.size)
    low, high = np.minimum(before, after), np.maximum(before, after)
    gaps = np.maximum(np.maximum(low - x, x - high), 0.0)
    return gaps.to_numpy(), (high - low).to_numpy()


@np.errstate(all="ignore")
def _mean(gaps: np.ndarray, shuffled: np.ndarray) -> float:
    """Of gaps, where far ones count no more than so many of a shuffled table."""
    positive = shuffled[shuffled > 0]
    known = gaps[~np.isnan(gaps)]
    if not positive.size or not known.size:
        return 0.0
    return float(np.mean(np.minimum(known, FARTHEST * np.median(positive))))
