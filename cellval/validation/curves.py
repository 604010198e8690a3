"""Two ways to judge an order of cells: what it finds, and what a model does without.

A *detection curve* counts the wrong cells among the first ones of the order. A *removal
curve* takes the first cells away, trains a decision tree on what is left, and measures
it on other rows: by accuracy, or, where the label is a number, by the closeness that
values speak of, too.
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from cellval.errors import InputError
from cellval.games.model_utility import agreement, data_of, said_by
from cellval.games.models import estimator_of
from cellval.table.columns import Column
from cellval.table.labels import usual_width
from cellval.table.table import Table

Refill = Literal["mean", "draw"]


@dataclass(frozen=True, eq=False)
class Curve:
    """Share of the wrong cells found when a share of all cells was inspected.

    From (0, 0) to (1, 1); straight between two points. Cells of equal score are
    inspected in random order, and the curve is the expectation.
    """

    inspected: np.ndarray
    found: np.ndarray
    n_cells: int
    n_wrong: int

    @cached_property
    def auc(self) -> float:
        """Chance that a wrong cell comes before a right one (ROC AUC, ties half)."""
        wrong = self.n_wrong / self.n_cells
        area = float(np.trapezoid(self.found, self.inspected))
        return (area - wrong / 2) / (1 - wrong)

    def found_at(self, share: float | np.ndarray) -> np.ndarray:
        """Share of the wrong cells found among a share of all cells."""
        return np.interp(share, self.inspected, self.found)


def detection_curve(wrong: np.ndarray, scores: np.ndarray) -> Curve:
    """What is found when cells are inspected from the lowest score on.

    Cells without a score (NaN) come last, in random order.
    """
    wrong = np.asarray(wrong, bool).ravel()
    scores = np.asarray(scores, float).ravel()
    n, n_wrong = wrong.size, int(wrong.sum())
    if not 0 < n_wrong < n:
        raise InputError(
            f"{n_wrong:,} of {n:,} cells are wrong: a detection curve needs cells of "
            "both kinds. Plant another share of errors."
        )
    # NaN equals NaN here and is the largest
    _, group = np.unique(scores, return_inverse=True)
    sizes = np.cumsum(np.bincount(group))
    hits = np.cumsum(np.bincount(group, weights=wrong))
    return Curve(np.append(0.0, sizes / n), np.append(0.0, hits / n_wrong), n, n_wrong)


def share_needed(curve: Curve, level: float) -> float:
    """Least share of the cells, in whole cells, that holds that much of the wrong."""
    k = int(np.searchsorted(curve.found, level - 1e-12))
    if k == 0:
        return 0.0
    below, above = curve.found[k - 1 : k + 1]
    way = (level - below) / (above - below)
    start, end = curve.n_cells * curve.inspected[k - 1 : k + 1]
    return math.ceil(start + way * (end - start) - 1e-6) / curve.n_cells


def order_of(
    scores: np.ndarray, *, highest_first: bool = False, seed: int = 0
) -> np.ndarray:
    """Flat positions of the cells by score; those of equal score in random order."""
    flat = np.asarray(scores, float).ravel()
    lots = np.random.default_rng([seed, 7]).permutation(flat.size)
    return np.lexsort((lots, -flat if highest_first else flat))


def refilled(
    table: Table, removed: np.ndarray, *, refill: Refill = "mean", seed: int = 0
) -> Table:
    """The table with removed cells refilled from what is left of their columns.

    By "mean", a number becomes the mean of all other cells of its column, a category
    the commonest one of them; by "draw", each cell becomes a random one of them. Those
    that are removed, too, or missing, do not count. Where nothing is left, the whole
    column counts.
    """
    new = {}
    for j, column in enumerate(table.features):
        # a draw of a column does not depend on what is removed from others
        lots = np.random.default_rng([seed, 17, j]) if refill == "draw" else None
        if removed[:, j].any():
            new[column.name] = _refilled(column, removed[:, j], lots)
    columns = tuple(new.get(column.name, column) for column in table.columns)
    return replace(table, columns=columns)


def _refilled(
    column: Column, removed: np.ndarray, lots: np.random.Generator | None
) -> Column:
    """Refilled by draws if there are lots, else by the mean or the commonest."""
    known = ~column.missing
    rest = known & ~removed
    rest = rest if rest.any() else known
    if not rest.any():
        return column
    # a stray or blank cell that is removed has a content now, too
    missing = column.missing & ~removed
    cells = column.numbers if column.numbers is not None else column.codes
    assert cells is not None
    content: Any  # a cell for all, or one for each
    if lots is not None:
        content = lots.choice(cells[rest], int(removed.sum()))
    elif column.numbers is not None:
        content = cells[rest].mean()
    else:
        content = np.bincount(cells[rest]).argmax()
    cells = cells.copy()
    cells[removed] = content
    if column.numbers is not None:
        return replace(column, numbers=cells, missing=missing)
    return replace(column, codes=cells, missing=missing)


@dataclass(frozen=True, eq=False)
class Removal:
    """Accuracy (of numbers, closeness) when a share of the cells was removed."""

    removed: np.ndarray  # shares of all cells, from 0 on, shape (n_steps,)
    # Share of models that predict a row, or their mean closeness (n_steps, n_tests).
    hits: np.ndarray

    @cached_property
    def accuracy(self) -> np.ndarray:
        """Of each step, shape (n_steps,)."""
        return np.asarray(self.hits.mean(axis=1))

    def mean(self, until: float) -> float:
        """Mean accuracy while up to that share is removed."""
        x = np.append(self.removed[self.removed < until], until)
        y = np.interp(x, self.removed, self.accuracy)
        return float(np.trapezoid(y, x) / (x[-1] - x[0]))

    def gain_at(self, share: float) -> tuple[float, float]:
        """Accuracy with that share removed, less the one before, and standard error.

        The error is that of the test rows, each compared with itself.
        """
        k = int(np.argmin(np.abs(self.removed - share)))
        gains = self.hits[k] - self.hits[0]
        return float(gains.mean()), float(gains.std(ddof=1) / math.sqrt(gains.size))


def removal_curve(
    train: Table,
    test: Table,
    order: np.ndarray,
    shares: np.ndarray,
    trees: int,
    refill: Refill = "mean",
) -> Removal:
    """Accuracy as cells go in an order, a share of them after the other."""
    hits = [hits_without(train, test, order, s, trees, refill) for s in shares]
    return Removal(shares, np.array(hits))


def hits_without(
    train: Table,
    test: Table,
    order: np.ndarray,
    share: float,
    trees: int,
    refill: Refill = "mean",
) -> np.ndarray:
    """Share of decision trees that predict each test row, without the first cells.

    Of numbers it is their mean closeness to the row's label. A tree draws lots among
    equally good splits: hence several. `order` are flat positions of the cells of the
    training rows.
    """
    shape = (train.n_rows, len(train.features))
    removed = np.zeros(shape, bool)
    removed.flat[order[: round(share * removed.size)]] = True
    hits = np.zeros(test.n_rows)
    width = None if train.target is None else usual_width(train.target)
    for seed in range(trees):
        if seed == 0 or refill == "draw":  # means are the same for every tree
            rest = refilled(train, removed, refill=refill, seed=seed)
            data = data_of(rest, test)
        tree = estimator_of("tree", seed, numbers=train.target is not None)
        said = said_by(tree, data.train, data.y, data.test)
        hits += agreement(data.truth, said, width)
    return hits / trees
