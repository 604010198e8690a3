"""How unusual every cell is, given its row's class and the rows most like its row.

Two questions are asked of a cell, and each is answered by a tail probability: how many
ordinary cells of the column would look at least as odd. *Rarity*: how far is it from
the middle of its class? *Residual*: how far from what its neighbours in other columns
say? Surprise is their weighted geometric mean. Lower is worse.
"""

from collections.abc import Generator, Mapping
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np

from cellval.detect.misspelt import misspelt
from cellval.detect.neighbours import (
    MOST_KNOWN,
    Asking,
    Nearby,
    NeighbourModel,
    bent,
)
from cellval.detect.placeholders import Placeholder, placeholders
from cellval.detect.tails import Tail, calibrated, tail_of
from cellval.errors import is_whole, require
from cellval.parallel import drive
from cellval.progress import Snapshot
from cellval.stats import robust_spread
from cellval.table.columns import MISSING_MARKERS, Column
from cellval.table.table import Table
from cellval.text import brief

RARITY_WEIGHT = 0.5  # of rarity beside the residual, in a column nothing predicts
FEW = 5  # cells: smaller classes are judged by the spread of the whole column
NARROWEST = 0.1  # of the column's spread: no class counts as tighter
BORROWED = 500  # cells: how much a column's tail trusts that of all columns


@dataclass(frozen=True, eq=False)
class Surprise:
    """How unusual every cell of a table is; lower is worse.

    Attributes
    ----------
    surprise : ndarray of float32, shape (n_rows, n_columns)
        0 to 1: about the share of ordinary cells that look at least as odd. 0 for
        misfits, 1 where the cell is missing.
    rarity, residual : ndarray of float32, shape (n_rows, n_columns)
        Its two parts: within the class, and against the neighbours. NaN where unknown.
    nearby : Nearby
        What the neighbours have.
    tails : tuple of Tail or None, one for each column
        How far ordinary numbers are from what their neighbours have.
    misfits : mapping of (position, column position) to str
        Cells that are odd whatever the others say, each with a sentence.
    placeholders : tuple of Placeholder
        Codes that seem to stand for "missing".
    model : NeighbourModel
        How neighbours were found.
    """

    surprise: np.ndarray
    rarity: np.ndarray
    residual: np.ndarray
    nearby: Nearby
    tails: "tuple[Tail | None, ...]"
    misfits: Mapping[tuple[int, int], str]
    placeholders: tuple[Placeholder, ...]
    model: NeighbourModel

    @property
    def is_final(self) -> bool:
        """Was it not stopped at the first, quick answer of a large table?"""
        return self.nearby.n_known == min(MOST_KNOWN, len(self.surprise))


def surprise(
    table: Table, *, random_state: int = 0, n_jobs: int | None = None
) -> Surprise:
    """How unusual every cell is.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read("sample_data/davis.csv", label="sex")
    >>> found = surprise(table).surprise
    >>> row = table.position(12)  # weight and height are swapped
    >>> (found[row, :2] < 1e-6).tolist()
    [True, True]
    """
    *_, last = iter_surprise(table, random_state=random_state, n_jobs=n_jobs)
    return last.result


def iter_surprise(
    table: Table,
    *,
    random_state: int = 0,
    n_jobs: int | None = None,
    executor: Executor | None = None,
) -> Generator[Snapshot[Surprise], None, None]:
    """Find how unusual every cell is: soon for large tables, then more exactly.

    The same seed gives the same numbers bit for bit, whatever the number of workers.
    """
    require("random_state", random_state, is_whole(random_state, 0), "whole, from 0 on")
    codes = placeholders(table)
    asking = Asking(without(table, codes), random_state)
    steps = drive(asking, n_jobs=n_jobs, executor=executor)
    return _iter_surprise(_Combining(table, codes, asking), steps)


def _iter_surprise(
    combining: "_Combining", steps: Generator[Snapshot[Nearby], None, None]
) -> Generator[Snapshot[Surprise], None, None]:
    combined = cache(combining.surprise)  # many snapshots share an answer
    with closing(steps):
        for step in steps:
            yield step.then(combined)


@dataclass(frozen=True, eq=False)
class _Combining:
    """What is said about cells beside what their neighbours say."""

    table: Table
    codes: tuple[Placeholder, ...]
    asking: Asking  # on the table without codes

    @cached_property
    def _rarity(self) -> np.ndarray:
        features, bends = self.asking.table.features, self.asking.model.bends
        return np.column_stack(
            [
                _rarity(column, float(bend), self.table.y)
                for column, bend in zip(features, bends, strict=True)
            ]
        )

    @cached_property
    def _misfits(self) -> dict[tuple[int, int], str]:
        return _misfits(self.table, self.codes)

    def surprise(self, nearby: Nearby) -> Surprise:
        """Rarity and residual as one number."""
        table, model = self.asking.table, self.asking.model
        tails = _tails(table, model, nearby)
        rarity = self._rarity
        residual = np.empty(rarity.shape)
        for j, column in enumerate(table.features):
            own = (nearby.expected[:, j], nearby.apart[:, j])
            residual[:, j] = _residual(column, tails[j], *own)
        # The better its neighbours know a cell, the less its class has to say.
        weight = RARITY_WEIGHT * (1.0 - model.predictable) ** 4
        log_residual = np.log(np.where(np.isnan(residual), rarity, residual))
        logs = (log_residual + weight * np.log(rarity)) / (1.0 + weight)
        both = np.nan_to_num(np.exp(logs), nan=1.0)
        for cell in self._misfits:
            both[cell] = 0.0
        return Surprise(
            both.astype(np.float32),
            rarity.astype(np.float32),
            residual.astype(np.float32),
            nearby,
            tails,
            self._misfits,
            self.codes,
            model,
        )


def without(table: Table, codes: tuple[Placeholder, ...]) -> Table:
    """The table with its placeholders taken as missing."""
    wanted: dict[str, list[float]] = {}
    for code in codes:
        wanted.setdefault(code.column, []).append(code.number)

    def column(old: Column) -> Column:
        if old.name not in wanted or old.numbers is None:
            return old
        gone = np.isin(old.numbers, wanted[old.name])
        numbers = np.where(gone, np.nan, old.numbers)
        return replace(old, numbers=numbers, missing=old.missing | gone)

    return replace(table, columns=tuple(column(old) for old in table.columns))


def _misfits(
    table: Table, codes: tuple[Placeholder, ...]
) -> dict[tuple[int, int], str]:
    """Cells that do not fit their column's format, placeholders, and slips."""
    found: dict[tuple[int, int], str] = {}
    at = {name: j for j, name in enumerate(table.feature_names)}
    for j, column in enumerate(table.features):
        for i, text in column.strays:
            if text.strip().casefold() not in MISSING_MARKERS:
                found[i, j] = f"'{brief(text, 30)}' is no {column.kind}."
        for slip, meant in misspelt(column).items():
            for i in np.flatnonzero(column.codes == slip).tolist():
                found[i, j] = f"Looks like a slip for '{column.categories[meant]}'."
    for code in codes:
        j = at[code.column]
        for i in np.flatnonzero(table.features[j].numbers == code.number).tolist():
            found[i, j] = (
                f"{code.text} lies apart from all other numbers of the column and is "
                f'in {code.n_cells:,} cells: it may stand for "missing".'
            )
    return found


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
        own = x[members]
        spread = robust_spread(own) if members.size >= FEW else everyone
        spread = max(spread, NARROWEST * everyone)
        away[members] = np.abs(own - np.median(own)) / spread
    return tail_of(away)(away)


def _category_rarity(column: Column, y: np.ndarray) -> np.ndarray:
    assert column.codes is not None
    codes, n = column.codes, len(column.categories)
    probability = np.full(codes.size, np.nan)
    for label in np.unique(y):
        members = np.flatnonzero((y == label) & (codes >= 0))
        counts = np.bincount(codes[members], minlength=n) + 0.5
        order = np.argsort(counts, kind="stable")
        below = np.cumsum(counts[order]) / counts.sum()
        # Categories that are as common count, too.
        last = np.searchsorted(counts[order], counts, side="right") - 1
        probability[members] = below[last][codes[members]]
    return calibrated(probability)


def _tails(
    table: Table, model: NeighbourModel, nearby: Nearby
) -> tuple[Tail | None, ...]:
    """Of each column of numbers. Small ones are drawn to the tail of all of them."""
    gaps: list[np.ndarray | None] = []
    usual: list[float] = []
    for j, column in enumerate(table.features):
        usual.append(1.0)
        if column.numbers is None:
            gaps.append(None)
            continue
        bend = float(model.bends[j])
        gap = np.abs(bent(column.numbers, bend) - bent(nearby.expected[:, j], bend))
        known = gap[~np.isnan(gap)]
        if known.size:
            usual[-1] = float(1.4826 * np.median(known) or np.std(known)) or 1.0
        gaps.append(gap / np.hypot(usual[-1], nearby.apart[:, j]))
    numbers = [gap for gap in gaps if gap is not None]
    everyone = tail_of(np.concatenate(numbers)) if numbers else Tail(1.0, 1.0, 0.0, 1.0)
    tails: list[Tail | None] = []
    for gap, size, bend in zip(gaps, usual, model.bends.tolist(), strict=True):
        if gap is None:
            tails.append(None)
            continue
        own = tail_of(gap).drawn_to(everyone, BORROWED / (BORROWED + gap.size))
        tails.append(replace(own, usual=size, bend=bend))
    return tuple(tails)


def _residual(
    column: Column, tail: Tail | None, expected: np.ndarray, apart: np.ndarray
) -> np.ndarray:
    """Tail probability of each cell among its neighbours; NaN where unknown."""
    if tail is None:
        return calibrated(apart.astype(float))
    assert column.numbers is not None
    return tail.probability(column.numbers, expected, apart.astype(float))
