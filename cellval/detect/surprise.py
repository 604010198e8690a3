"""How unusual every cell is, given its row's label and the rows most like its row.

Two questions are asked of a cell, and each is answered by a tail probability: how many
ordinary cells of the column would look at least as odd. *Rarity*: how far is it from
the middle of its class, or of the rows whose label is a number near its own?
*Residual*: how far from what its neighbours in other columns say? Surprise is their
weighted geometric mean. Lower is worse.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from cellval.detect.codes import sure_of
from cellval.detect.copies import confirmed
from cellval.detect.finding import FLAGGED
from cellval.detect.grouped import grouped
from cellval.detect.neighbours import Asking, Nearby, NeighbourModel, bent, n_known_of
from cellval.detect.periods import out_of_step
from cellval.detect.placeholders import Placeholder, holds_code, placeholders
from cellval.detect.series import in_step
from cellval.detect.tails import Tail, calibrated, tail_of
from cellval.detect.units import in_another_unit
from cellval.errors import is_whole, require
from cellval.kept import kept
from cellval.parallel import drive, seconds_of
from cellval.progress import Snapshot
from cellval.stats import robust_spread
from cellval.table.columns import Column
from cellval.table.table import Table
from cellval.values.memory import COMPARED, check_memory

DOUBTFUL_CODE = 0.011  # of ordinary cells: not odd yet, but before all others
NANOSECONDS = 5.0  # that comparing a cell with another one usually takes
RARITY_WEIGHT = 0.5  # of rarity beside the residual, in a column nothing predicts
FEW = 5  # cells: smaller classes are judged by the spread of the whole column
NEAR_SHARE, FEWEST_NEAR = 0.1, 40  # of the rows: those with a label near another
NARROWEST = 0.1  # of the column's spread: no class counts as tighter
BORROWED = 500  # cells: how much a column's tail trusts that of all columns


@dataclass(frozen=True, eq=False)
class Surprise:
    """How unusual every cell of a table is; lower is worse."""

    # float32, 0 to 1: about the share of ordinary cells that look at least as odd. 0
    # for misfits (but dates out of step have a share, too), 1 where it is missing.
    surprise: np.ndarray
    rarity: np.ndarray  # its part within the class; NaN where unknown
    residual: np.ndarray  # its part against the neighbours; NaN where unknown
    nearby: Nearby
    tails: tuple[Tail | None, ...]  # of each column of numbers, against the neighbours
    misfits: Mapping[tuple[int, int], str]  # odd whatever others say; a sentence each
    placeholders: tuple[Placeholder, ...]
    model: NeighbourModel

    @property
    def is_final(self) -> bool:
        """Was it not stopped at the first, quick answer of a large table?"""
        return self.nearby.n_known == n_known_of(len(self.surprise))


def surprise(
    table: Table, *, random_state: int = 0, n_jobs: int | None = None
) -> Surprise:
    """How unusual every cell is; InputError if that does not fit into memory."""
    check_memory(table, COMPARED)
    *_, last = iter_surprise(table, random_state=random_state, n_jobs=n_jobs)
    return last.result


def iter_surprise(
    table: Table,
    *,
    random_state: int = 0,
    n_jobs: int | None = None,
    executor: Executor | None = None,
    in_parts: bool = False,
) -> Generator[Snapshot[Surprise], None, None]:
    """Find how unusual every cell is: soon for large tables, then more exactly.

    With `in_parts` there is a result from the start, for those who cannot wait: rows
    that were not compared with their neighbours yet are judged within their class. The
    same seed gives the same numbers bit for bit, whatever the number of workers.
    """
    require("random_state", random_state, is_whole(random_state, 0), "whole, from 0 on")
    codes = sure_codes(table)
    asking = Asking(without(table, codes), random_state, in_parts)
    steps = drive(asking, n_jobs=n_jobs, executor=executor)
    return _iter_surprise(steps, partial(_combined, table, codes, asking))


def expected_seconds(
    table: Table, random_state: int = 0, *, timed: bool = True
) -> float:
    """About how long the search takes on one core.

    From a few rows that are timed; or else from what a usual machine takes.
    """
    asking = Asking(table, random_state)
    if not timed:
        return asking.total * len(table.features) * NANOSECONDS / 1e9
    return seconds_of(lambda: asking.model, repeat=1) + asking.expected_seconds()


def _iter_surprise(
    steps: Generator[Snapshot[Nearby], None, None],
    combined: Callable[[Nearby], Surprise],
) -> Generator[Snapshot[Surprise], None, None]:
    once = cache(combined)  # many snapshots share an answer
    with closing(steps):
        for step in steps:
            yield step.then(once)


@np.errstate(all="ignore")  # numbers may be as large, or as small, as can be
def _combined(
    table: Table, codes: tuple[Placeholder, ...], asking: Asking, nearby: Nearby
) -> Surprise:
    """Rarity and residual as one number."""
    misfits, odds = dict(_misfits(table)), odds_of(asking, nearby)
    for code in placeholders(table):  # of which one cannot be sure, but rather odd
        own = odds.both[:, table.feature_names.index(code.column)]
        own[code.rows] = np.minimum(own[code.rows], DOUBTFUL_CODE)
    odds.both[in_step(table) | confirmed(table)] = 1.0
    for cell in misfits:
        odds.both[cell] = 0.0
    for cell, (share, why) in _out_of_step(asking.table).items():
        if share < odds.both[cell]:
            odds.both[cell], misfits[cell] = share, why
    return Surprise(
        odds.both.astype(np.float32),
        odds.rarity.astype(np.float32),
        odds.residual.astype(np.float32),
        nearby,
        odds.tails,
        misfits,
        codes,
        asking.model,
    )


class Odds(NamedTuple):
    """Tail probabilities of the cells that were asked about."""

    both: np.ndarray  # of rarity and residual; 1 where nothing is known
    rarity: np.ndarray
    residual: np.ndarray
    tails: tuple[Tail | None, ...]


@np.errstate(all="ignore")
def odds_of(asking: Asking, nearby: Nearby) -> Odds:
    model, asked = asking.model, list(asking.asked)
    tails = _tails(asking.columns, model.bends[asked], nearby)
    rarity = _rarities(asking)
    residual = np.empty(rarity.shape)
    for j, (column, tail) in enumerate(zip(asking.columns, tails, strict=True)):
        expected, apart = nearby.expected[:, j], nearby.apart[:, j].astype(float)
        if tail is None or column.numbers is None:
            residual[:, j] = calibrated(apart)
        else:
            residual[:, j] = tail.probability(column.numbers, expected, apart)
    # The better its neighbours know a cell, the less its class has to say.
    weight = RARITY_WEIGHT * (1.0 - model.predictable[asked]) ** 4
    log_residual = np.log(np.where(np.isnan(residual), rarity, residual))
    logs = (log_residual + weight * np.log(rarity)) / (1.0 + weight)
    return Odds(np.nan_to_num(np.exp(logs), nan=1.0), rarity, residual, tails)


def without(table: Table, codes: tuple[Placeholder, ...]) -> Table:
    """The table with placeholders, and what is in another unit, taken as missing."""
    held, names = holds_code(table, codes), {code.column for code in codes}

    def column(old: Column) -> Column:
        other = [g.rows for g in in_another_unit(old)] if old.feature else []
        if old.numbers is None or not (other or old.name in names):
            return old
        gone = held[:, table.feature_names.index(old.name)].copy()
        gone[np.concatenate([np.array([], int), *other])] = True
        numbers = np.where(gone, np.nan, old.numbers)
        return replace(old, numbers=numbers, missing=old.missing | gone)

    return replace(table, columns=tuple(column(old) for old in table.columns))


@kept(1)
def _misfits(table: Table) -> dict[tuple[int, int], str]:
    """Cells that a finding of their column is sure of, with a sentence each."""
    found: dict[tuple[int, int], str] = {}
    places = {name: j for j, name in enumerate(table.feature_names)}
    for one in sorted(grouped(table), key=lambda one: -one.sure):
        if not one.is_flagged:
            break
        for k, (i, name) in enumerate(one.cells):
            if name in places:
                found.setdefault((i, places[name]), one.reason(k))
    return found


def sure_codes(table: Table) -> tuple[Placeholder, ...]:
    """Numbers that stand for "missing", but for those that are rather a guess."""
    return tuple(c for c in placeholders(table) if sure_of(table, c) >= FLAGGED)


@kept(1)
def _out_of_step(table: Table) -> dict[tuple[int, int], tuple[float, str]]:
    return {
        (i, j): found
        for j, column in enumerate(table.features)
        for i, found in out_of_step(column).items()
    }


@kept(1)
def _rarities(asking: Asking) -> np.ndarray:
    table, bends = asking.table, asking.model.bends[list(asking.asked)]
    columns = zip(asking.columns, bends.tolist(), strict=True)
    if table.target is not None:
        near = NearLabels.of(table.target)
        parts = [_rarity_near(column, bend, near) for column, bend in columns]
    else:
        parts = [_rarity(column, bend, table.y) for column, bend in columns]
    return np.column_stack(parts)


@dataclass(frozen=True, eq=False)
class NearLabels:
    """Rows in the order of their numeric labels: near ones stand side by side."""

    order: np.ndarray  # positions of the rows that have one
    window: int  # rows that count as near, half of them on either side
    n_rows: int

    @classmethod
    def of(cls, target: np.ndarray) -> "NearLabels":
        n = int(np.sum(~np.isnan(target)))
        window = min(n, max(FEWEST_NEAR, round(NEAR_SHARE * n)))
        return cls(np.argsort(target, kind="stable")[:n], window | 1, target.size)

    def rolled(self, x: np.ndarray) -> Any:
        """Windows of near rows, in the order of labels; at the ends they are cut."""
        ordered = pd.Series(x[self.order])
        return ordered.rolling(self.window, center=True, min_periods=1)

    def back(self, ordered: Any, otherwise: float) -> np.ndarray:
        """In the order of the table; `otherwise` stands for rows without a label."""
        out = np.full(self.n_rows, otherwise)
        out[self.order] = ordered
        return out


def _rarity_near(column: Column, bend: float, near: NearLabels) -> np.ndarray:
    """Tail probability of each cell among rows with a label near its own."""
    if column.numbers is not None:
        x = bent(column.numbers, bend)
        everyone = robust_spread(x)
        windows = near.rolled(x)
        spread = (windows.quantile(0.75) - windows.quantile(0.25)) / 1.35
        known = x[~np.isnan(x)]
        other = float(np.median(known)) if known.size else np.nan
        middle = near.back(windows.median(), other)
        spread = near.back(spread, everyone)
        away = np.abs(x - middle) / np.maximum(spread, NARROWEST * everyone)
        return tail_of(away)(away)
    assert column.codes is not None
    codes, n = column.codes, len(column.categories)
    known = codes >= 0
    if not known.any():
        return np.full(codes.size, np.nan)
    common = np.bincount(codes[known], minlength=n).astype(float)
    total = max(1.0, common.sum())
    # The share of the column counts as one cell of the window.
    shares = np.empty((n, codes.size))
    present = near.back(near.rolled(known.astype(float)).sum(), total)
    for c in range(n):
        here = near.rolled((codes == c).astype(float)).sum()
        here = near.back(here, common[c])
        shares[c] = (here + common[c] / total) / (present + 1.0)
    own = shares[np.maximum(codes, 0), np.arange(codes.size)]
    tail = np.where(shares <= own * (1 + 1e-9), shares, 0.0).sum(axis=0)
    return calibrated(np.where(known, tail, np.nan))


def _rarity(column: Column, bend: float, y: np.ndarray) -> np.ndarray:
    """Tail probability of each cell within its class; NaN where missing."""
    if column.numbers is None:
        return _category_rarity(column, y)
    x = bent(column.numbers, bend)
    away = np.full(x.size, np.nan)
    everyone = robust_spread(x)
    for label in np.unique(y):
        members = np.flatnonzero((y == label) & ~np.isnan(x))
        if members.size == 0:
            continue
        among = x[members] if label >= 0 else x[~np.isnan(x)]  # no label: all rows
        spread = robust_spread(among) if among.size >= FEW else everyone
        spread = max(spread, NARROWEST * everyone)
        away[members] = np.abs(x[members] - np.median(among)) / spread
    return tail_of(away)(away)


def _category_rarity(column: Column, y: np.ndarray) -> np.ndarray:
    assert column.codes is not None
    codes, n = column.codes, len(column.categories)
    probability = np.full(codes.size, np.nan)
    for label in np.unique(y):
        members = np.flatnonzero((y == label) & (codes >= 0))
        among = codes[members] if label >= 0 else codes[codes >= 0]
        counts = np.bincount(among, minlength=n) + 0.5
        order = np.argsort(counts, kind="stable")
        below = np.cumsum(counts[order]) / counts.sum()
        # Categories that are as common count, too.
        last = np.searchsorted(counts[order], counts, side="right") - 1
        probability[members] = below[last][codes[members]]
    return calibrated(probability)


def _tails(
    columns: Sequence[Column], bends: np.ndarray, nearby: Nearby
) -> tuple[Tail | None, ...]:
    """Of each column of numbers. Small ones are drawn to the tail of all of them."""
    found: dict[int, tuple[np.ndarray, float, float]] = {}
    for j, column in enumerate(columns):
        if column.numbers is not None:
            bend, usual = float(bends[j]), 1.0
            gap = np.abs(bent(column.numbers, bend) - bent(nearby.expected[:, j], bend))
            known = gap[~np.isnan(gap)]
            if known.size:
                usual = float(1.4826 * np.median(known) or np.std(known)) or 1.0
            found[j] = gap / np.hypot(usual, nearby.apart[:, j]), usual, bend
    everyone = tail_of(np.concatenate([[], *(gap for gap, _, _ in found.values())]))
    tails: list[Tail | None] = [None] * len(columns)
    for j, (gap, usual, bend) in found.items():
        own = tail_of(gap).drawn_to(everyone, BORROWED / (BORROWED + gap.size))
        tails[j] = replace(own, usual=usual, bend=bend)
    return tuple(tails)
