"""Which cells are probably wrong: what a cell does (value), how odd it is (surprise).

Neither question answers the other. A cell of a hard case hurts and is right; an absurd
cell in a column that nobody needs does no harm. Suspicion is the weighted geometric
mean of two tail probabilities, so lower is worse for it, too.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from cellval.detect.surprise import Surprise
from cellval.errors import InputError
from cellval.stats import clearly_below
from cellval.table.table import Table
from cellval.values.result import CellValues

# Of the value beside surprise: measured on planted errors (benchmarks/detection.py).
VALUE_WEIGHT = 0.25
FALSE_ALARMS = 0.1  # expected share among the flagged cells
OTHERS = (0.2, 0.03)  # shares of the cells, from the worst on, that tell how tails are
MARGIN = 0.6  # of their slope: tails get heavier
SOME = 0.003  # of the cells: fewer flagged ones must stand out of the tail
LOWEST = 1e-12  # no suspicion is told apart from lower ones
SURPRISING = 0.01  # one ordinary cell in a hundred is as odd
CORNERS = {
    "error": "odd and hurts",
    "odd": "odd but harmless",
    "hard": "hurts but ordinary: hard case or label problem",
    "fine": "ordinary and harmless",
}
# What a cell is in one to three words, for badges: suspects go before corners.
FINDINGS = {"suspect": "Likely error"} | {
    name: words.partition(":")[0].capitalize() for name, words in CORNERS.items()
}


@dataclass(frozen=True, eq=False)
class Suspicion:
    """Every cell ranked by how likely it is wrong. Lower is worse."""

    table: Table
    values: CellValues | None
    surprise: Surprise
    # 0 to 1: share of the cells of the same class (or band of numbers) whose value, in
    # standard errors, is at most as low. NaN where there is no value.
    harm: np.ndarray
    # Geometric mean of surprise (weight 4) and harm (weight 1); surprise alone where
    # there is no value.
    scores: np.ndarray

    @cached_property
    def order(self) -> np.ndarray:
        """Flat positions of all cells, worst first."""
        return _order(self.scores, self.harm)

    def first(self, k: int | None) -> np.ndarray:
        """The first k of `order`, found without sorting all cells (all with None)."""
        few = k is not None and 0 <= k < self.scores.size
        if k is None or not few or "order" in self.__dict__:
            return self.order[:k]
        if k == 0:
            return np.empty(0, np.int64)
        scores, harm = self.scores.ravel(), self.harm.ravel()
        worst = np.flatnonzero(scores <= np.partition(scores, k - 1)[k - 1])
        return worst[_order(scores[worst], harm[worst])][:k]

    @cached_property
    def surprise_order(self) -> np.ndarray:
        """The same by surprise alone."""
        return _order(self.surprise.surprise, self.harm)

    @cached_property
    def ranks(self) -> np.ndarray:
        """Rank of every cell, 1 for the most suspicious."""
        ranks = np.empty(self.scores.size, np.int64)
        ranks[self.order] = np.arange(1, ranks.size + 1)
        return ranks.reshape(self.scores.shape)

    @cached_property
    def n_flagged(self) -> int:
        """How many of the most suspicious cells to flag; see `n_to_flag`."""
        return n_to_flag(self.scores)

    @cached_property
    def hurts(self) -> np.ndarray:
        """Cells whose value is clearly below zero."""
        if self.values is None:
            return np.zeros(self.scores.shape, bool)
        return clearly_below(self.values.values, self.values.stderr)

    @cached_property
    def corner(self) -> np.ndarray:
        """Which of `CORNERS` each cell lies in, as an index into its keys."""
        odd = self.surprise.surprise < SURPRISING
        return np.where(odd, np.where(self.hurts, 0, 1), np.where(self.hurts, 2, 3))

    def findings(self, cells: tuple[np.ndarray, ...]) -> list[str]:
        """One of `FINDINGS` for each cell, by positions of rows and columns."""
        at = np.ravel_multi_index(cells, self.scores.shape)
        flagged = np.isin(at, self.first(self.n_flagged))
        kinds = np.where(flagged, 0, 1 + self.corner[cells])
        names = list(FINDINGS.values())
        return [names[kind] for kind in kinds.tolist()]

    def corner_of(self, position: int, j: int) -> str:
        """The corner of one cell, by its key."""
        return list(CORNERS)[int(self.corner[position, j])]


def check_values(table: Table, values: Any) -> None:
    """InputError unless they are values of this table, or None."""
    if values is None:
        return
    if not isinstance(values, CellValues):
        raise InputError(
            f"values must be the CellValues of value_cells, not {type(values).__name__}"
            ". Give them as they are, or leave them out."
        )
    if values.settings.table != table.fingerprint:
        raise InputError(
            f"These values are of another table than {table.name}, or of the same one "
            "with another label or other features. Give the Table that was valued."
        )


def make_suspicion(
    table: Table, values: CellValues | None, found: Surprise
) -> Suspicion:
    """Put values and surprise of the same table together."""
    odd = found.surprise.astype(float)
    harm = np.full(odd.shape, np.nan) if values is None else _harm(values)
    with np.errstate(divide="ignore"):
        logs = np.log(odd) + VALUE_WEIGHT * np.nan_to_num(np.log(harm))
    weights = 1.0 + VALUE_WEIGHT * ~np.isnan(harm)
    return Suspicion(table, values, found, harm, np.exp(logs / weights))


def _harm(values: CellValues) -> np.ndarray:
    """In standard errors a value says more than by itself: large values of cells that
    few test points see are mostly noise.
    """
    errors = np.where(values.stderr > 0, values.stderr, np.nan)
    typical = np.nanmedian(errors) if np.isfinite(errors).any() else 1.0
    scores = values.values / np.where(np.isnan(errors), typical, errors)
    harm = np.full(scores.shape, np.nan)
    labels = pd.factorize(np.array(values.groups, object))[0]
    for label in np.unique(labels):
        members = np.flatnonzero(np.repeat(labels == label, scores.shape[1]))
        own = scores.ravel()[members]
        members, own = members[np.isfinite(own)], own[np.isfinite(own)]
        order = np.argsort(own)
        own = own[order]  # asked in order, as it is then found in no time
        at_most = np.searchsorted(own, own, side="right") / max(1, own.size)
        harm.reshape(-1)[members[order]] = at_most
    return harm


def _order(worst: np.ndarray, then: np.ndarray) -> np.ndarray:
    """Flat positions by the first, then the second, then as in the table."""
    worst, then = worst.ravel(), then.ravel()
    order = np.argsort(worst, kind="stable")
    # Sorting by both is slow, and only ties need it.
    ordered = worst[order]
    as_next = ordered[1:] == ordered[:-1]
    tied = np.flatnonzero(np.append(as_next, False) | np.append(False, as_next))
    cells = order[tied]
    among = np.lexsort((np.nan_to_num(then[cells], nan=2.0), ordered[tied]))
    order[tied] = cells[among]
    return order


def n_to_flag(suspicion: np.ndarray) -> int:
    """How many cells to flag, aiming at one false alarm in ten.

    The rule of Benjamini and Hochberg on e times the suspicion: whatever the dependence
    of two tail probabilities, e times their weighted geometric mean is one again (Vovk
    and Wang, 2020). It is as good as the tails that `tails.tail_of` extrapolates:
    where ordinary cells have heavier ones, more alarms are false. Cells that a finding
    of their column settles have no suspicion left and count by themselves: however many
    they are, they make no other cell more likely to be wrong. And where only few others
    would be flagged, these must stand out of the table's own tail: real tables without
    an error have some cells that no tail foresees.
    """
    ordered = np.sort(suspicion, axis=None)
    settled = int(np.searchsorted(ordered, 0.0, side="right"))
    rest = ordered[settled:]
    ranks = np.arange(1, rest.size + 1)
    by_chance = math.e * rest * max(1, rest.size)
    n = _last(by_chance <= FALSE_ALARMS * ranks)
    if n < SOME * rest.size:
        n = min(n, _last(_as_the_others(rest) <= FALSE_ALARMS * ranks))
    return settled + n


def _last(passed: np.ndarray) -> int:
    """How many come up to the last one that passed."""
    at = np.flatnonzero(passed)
    return int(at[-1]) + 1 if at.size else 0


def _as_the_others(ordered: np.ndarray) -> np.ndarray:
    """How many cells one would expect up to each, if the lowest went on as those before
    them do: in the logarithm a straight line through two shares of the cells, less
    steep by a margin, and no steeper than that of tail probabilities themselves.
    """
    logs = -np.log(np.maximum(ordered, LOWEST))
    most, least = (int(share * ordered.size) for share in OTHERS)
    if least < 2:
        return np.zeros(ordered.size)
    apart, steepest = logs[least] - logs[most], np.log(OTHERS[0] / OTHERS[1])
    slope = MARGIN * steepest / max(apart, steepest)
    return np.asarray(least * np.exp(-slope * (logs - logs[least])))
