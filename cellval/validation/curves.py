"""Two ways to judge an order of cells: what it finds, and what a model does without.

A *detection curve* counts the wrong cells among the first ones of the order. A *removal
curve* takes the first cells away, trains a decision tree on what is left, and measures
it on other rows.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from cellval.errors import InputError
from cellval.games.model_utility import matrices
from cellval.table.columns import Column
from cellval.table.table import Table

STEPS = 40  # points of a removal curve, beside the one before any removal
TREES = 5  # a tree draws lots among equally good splits: the mean of a few
Refill = Literal["mean", "draw"]


@dataclass(frozen=True, eq=False)
class Curve:
    """Share of the wrong cells found when a share of all cells was inspected.

    Attributes
    ----------
    inspected, found : ndarray of float
        From (0, 0) to (1, 1); straight between two points. Cells of equal score are
        inspected in random order, and the curve is the expectation.
    n_cells, n_wrong : int
    """

    inspected: np.ndarray
    found: np.ndarray
    n_cells: int
    n_wrong: int

    @cached_property
    def area(self) -> float:
        """Under the curve; 0.5 is chance, 1 - (share of wrong cells) / 2 the best."""
        return float(np.trapezoid(self.found, self.inspected))

    @cached_property
    def auc(self) -> float:
        """Chance that a wrong cell comes before a right one (ROC AUC, ties half)."""
        wrong = self.n_wrong / self.n_cells
        return (self.area - wrong / 2) / (1 - wrong)

    def found_at(self, share: float | np.ndarray) -> np.ndarray:
        """Share of the wrong cells found among a share of all cells."""
        return np.interp(share, self.inspected, self.found)


def detection_curve(wrong: np.ndarray, scores: np.ndarray) -> Curve:
    """What is found when cells are inspected from the lowest score on.

    Parameters
    ----------
    wrong : ndarray of bool
    scores : ndarray of the same shape
        Lower is worse. Cells without a score (NaN) come last, in random order.

    Examples
    --------
    >>> curve = detection_curve(np.array([True, False, True, False]), [1, 2, 3, 3])
    >>> curve.found.tolist(), curve.auc
    ([0.0, 0.5, 0.5, 1.0], 0.625)
    """
    wrong = np.asarray(wrong, bool).ravel()
    scores = np.asarray(scores, float).ravel()
    if wrong.shape != scores.shape:
        raise ValueError(f"{wrong.size} cells, but {scores.size} scores")
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
    """Least share of the cells, in whole cells, that holds a share of the wrong ones.

    Examples
    --------
    >>> curve = detection_curve(np.array([True, False, True, False]), [1, 2, 3, 4])
    >>> share_needed(curve, 0.5), share_needed(curve, 0.9)
    (0.25, 0.75)
    """
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

    Parameters
    ----------
    removed : ndarray of bool, shape (n_rows, n_columns)
        Over the features, in their order.
    refill : "mean" or "draw"
    seed : int
        Of the draws.

    Examples
    --------
    >>> import cellval, pandas as pd
    >>> frame = pd.DataFrame({"x": [1.0, 2.0, 6.0], "y": ["a", "b", "a"]})
    >>> table = cellval.Table.from_frame(frame, label="y", kinds={"x": "number"})
    >>> refilled(table, np.array([[True], [False], [False]])).features[0].numbers
    array([4., 2., 6.])
    >>> some = refilled(table, np.array([[1], [1], [0]], bool), refill="draw")
    >>> some.features[0].numbers
    array([6., 6., 6.])
    """
    if refill not in get_args(Refill):
        raise InputError(f"refill={refill!r} is not possible: use 'mean' or 'draw'.")
    new = {
        # a draw of a column does not depend on what is removed from others
        column.name: _refilled(
            column,
            removed[:, j],
            np.random.default_rng([seed, 17, j]) if refill == "draw" else None,
        )
        for j, column in enumerate(table.features)
        if removed[:, j].any()
    }
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
    """Accuracy of a model when a share of the cells was removed.

    Attributes
    ----------
    removed : ndarray of float, shape (n_steps,)
        Shares of all cells, from 0 on.
    hits : ndarray of float, shape (n_steps, n_tests)
        For each test row the share of models that predicted it.
    """

    removed: np.ndarray
    hits: np.ndarray

    @cached_property
    def accuracy(self) -> np.ndarray:
        """Of each step, shape (n_steps,)."""
        return np.asarray(self.hits.mean(axis=1))

    def mean(self, until: float = 1.0) -> float:
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
    *,
    shares: Sequence[float] | np.ndarray | None = None,
    trees: int = TREES,
    refill: Refill = "mean",
    random_state: int = 0,
) -> Removal:
    """Accuracy on test rows of decision trees, as cells of the training rows go.

    Parameters
    ----------
    train, test : Table
        `test` is read like `train`, or a part of the same table.
    order : ndarray of int
        Flat positions of the cells, those that go first in front.
    shares : sequence of float
        Of the cells to remove at each step; 41 from 0 to 1 by default.
    trees : int
        Trees to average, each with its own seed (and its own draws).
    refill : "mean" or "draw"
        What removed cells become; see `refilled`.
    """
    shares = np.linspace(0, 1, STEPS + 1) if shares is None else np.asarray(shares)
    hits = [
        hits_without(
            train,
            test,
            order,
            share,
            trees=trees,
            refill=refill,
            random_state=random_state,
        )
        for share in shares
    ]
    return Removal(np.asarray(shares, float), np.array(hits))


def hits_without(
    train: Table,
    test: Table,
    order: np.ndarray,
    share: float,
    *,
    trees: int = TREES,
    refill: Refill = "mean",
    random_state: int = 0,
) -> np.ndarray:
    """Share of the decision trees that predict each test row, without some cells."""
    shape = (train.n_rows, len(train.features))
    removed = np.zeros(shape[0] * shape[1], bool)
    removed[order[: round(share * removed.size)]] = True
    removed = removed.reshape(shape)
    code = {name: k for k, name in enumerate(train.classes)}
    truth = np.array([code.get(name, -1) for name in test.classes])[test.y]
    hits = np.zeros(truth.size)
    for k in range(trees):
        seed = random_state + k
        if k == 0 or refill == "draw":  # means are the same for every tree
            rest = refilled(train, removed, refill=refill, seed=seed)
            seen, asked, _ = matrices(rest, test)
        tree = DecisionTreeClassifier(random_state=seed)
        hits += tree.fit(seen, train.y).predict(asked) == truth
    return hits / trees
