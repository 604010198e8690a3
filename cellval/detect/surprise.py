"""How unusual every cell is, given its row's class and the rows most like its row.

Two questions are asked of a cell, and each is answered by a tail probability: how many
ordinary cells of the column would look at least as odd. *Rarity*: how far is it from
the middle of its class? *Residual*: how far from what its neighbours in other columns
say? Surprise is their weighted geometric mean. Lower is worse.
"""

from collections.abc import Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace

import numpy as np

from cellval.detect.misspelt import misspelt
from cellval.detect.neighbours import Model, Nearby, bent, iter_nearby, make_model
from cellval.detect.placeholders import Placeholder, placeholders
from cellval.detect.tails import Tail, calibrated, tail_of
from cellval.errors import is_whole, require
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
    model : Model
        How neighbours were found.
    done : float
        Share of the computation.
    """

    surprise: np.ndarray
    rarity: np.ndarray
    residual: np.ndarray
    nearby: Nearby
    tails: "tuple[Tail | None, ...]"
    misfits: Mapping[tuple[int, int], str]
    placeholders: tuple[Placeholder, ...]
    model: Model
    done: float = 1.0


def surprise(
    table: Table, *, random_state: int = 0, n_jobs: int | None = None
) -> Surprise:
    """How unusual every cell is.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read_csv("sample_data/davis.csv", label="sex")
    >>> found = surprise(table).surprise
    >>> row = table.position(12)  # weight and height are swapped
    >>> (found[row, :2] < 1e-6).tolist()
    [True, True]
    """
    for found in iter_surprise(table, random_state=random_state, n_jobs=n_jobs):
        last = found
    return last


def iter_surprise(
    table: Table,
    *,
    random_state: int = 0,
    n_jobs: int | None = None,
    executor: Executor | None = None,
) -> Iterator[Surprise]:
    """Yield how unusual every cell is: soon for large tables, then more exactly.

    The same seed gives the same numbers bit for bit, whatever the number of workers.
    """
    require("random_state", random_state, is_whole(random_state, 0), "whole, from 0 on")
    codes = placeholders(table)
    cleaned = without(table, codes)
    model = make_model(cleaned, random_state)
    rare = np.column_stack(
        [
            _rarity(column, float(bend), table.y)
            for column, bend in zip(cleaned.features, model.bends, strict=True)
        ]
    )
    misfits = _misfits(table, codes)
    nearby = iter_nearby(cleaned, model, n_jobs=n_jobs, executor=executor)
    last: Surprise | None = None
    for done, answer in nearby:
        if answer is not None:
            last = _combined(cleaned, model, rare, answer, misfits, codes, done)
            yield last
        elif last is not None:
            yield replace(last, done=done)


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


def _combined(
    table: Table,
    model: Model,
    rarity: np.ndarray,
    nearby: Nearby,
    misfits: Mapping[tuple[int, int], str],
    codes: tuple[Placeholder, ...],
    done: float,
) -> Surprise:
    tails = _tails(table, model, nearby)
    residual = np.empty(rarity.shape)
    for j, column in enumerate(table.features):
        own = (nearby.expected[:, j], nearby.apart[:, j])
        residual[:, j] = _residual(column, tails[j], *own)
    # The better its neighbours know a cell, the less its class has to say.
    weight = RARITY_WEIGHT * (1.0 - model.predictable) ** 4
    log_residual = np.log(np.where(np.isnan(residual), rarity, residual))
    logs = (log_residual + weight * np.log(rarity)) / (1.0 + weight)
    both = np.nan_to_num(np.exp(logs), nan=1.0)
    for cell in misfits:
        both[cell] = 0.0
    return Surprise(
        both.astype(np.float32),
        rarity.astype(np.float32),
        residual.astype(np.float32),
        nearby,
        tails,
        misfits,
        codes,
        model,
        done,
    )


def _rarity(column: Column, bend: float, y: np.ndarray) -> np.ndarray:
    """Tail probability of each cell within its class; NaN where missing."""
    if column.numbers is None:
        return _category_rarity(column, y)
    x = bent(column.numbers, bend)
    away = np.full(x.size, np.nan)
    everyone = _spread(x)
    for label in np.unique(y):
        members = np.flatnonzero((y == label) & ~np.isnan(x))
        if members.size == 0:
            continue
        own = x[members]
        spread = _spread(own) if members.size >= FEW else everyone
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


def _tails(table: Table, model: Model, nearby: Nearby) -> tuple[Tail | None, ...]:
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


def _spread(x: np.ndarray) -> float:
    """Interquartile range in units of a normal distribution's standard deviation."""
    known = x[~np.isnan(x)]
    if known.size == 0:
        return 1.0
    low, high = np.percentile(known, [25, 75])
    return float((high - low) / 1.35 or np.std(known) or 1.0)
