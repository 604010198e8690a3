"""Two ways to judge an order of cells: what it finds, and what a model does without.

A *detection curve* counts the wrong cells among the first ones of the order. A *removal
curve* takes the first cells away, trains a decision tree on what is left, and measures
it on other rows.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from cellval.games.utility import matrices
from cellval.kinds import Column
from cellval.table import InputError, Table

STEPS = 40  # points of a removal curve, beside the one before any removal
TREES = 5  # a tree draws lots among equally good splits: the mean of a few


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


def refilled(table: Table, removed: np.ndarray) -> Table:
    """The table with removed cells refilled from what is left of their columns.

    A number becomes the mean of all other cells of its column, a category the commonest
    one of them; those that are removed, too, or missing, do not count. Where nothing is
    left, the whole column counts.

    Parameters
    ----------
    removed : ndarray of bool, shape (n_rows, n_columns)
        Over the features, in their order.

    Examples
    --------
    >>> import cellval, pandas as pd
    >>> frame = pd.DataFrame({"x": [1.0, 2.0, 6.0], "y": ["a", "b", "a"]})
    >>> table = cellval.Table.from_frame(frame, label="y", kinds={"x": "number"})
    >>> refilled(table, np.array([[True], [False], [False]])).features[0].numbers
    array([4., 2., 6.])
    """
    new = {
        column.name: _refilled(column, removed[:, j])
        for j, column in enumerate(table.features)
        if removed[:, j].any()
    }
    columns = tuple(new.get(column.name, column) for column in table.columns)
    return replace(table, columns=columns)


def _refilled(column: Column, removed: np.ndarray) -> Column:
    known = ~column.missing
    rest = known & ~removed
    rest = rest if rest.any() else known
    if not rest.any():
        return column
    # a stray or blank cell that is removed has a content now, too
    missing = column.missing & ~removed
    if column.numbers is not None:
        numbers = np.where(removed, column.numbers[rest].mean(), column.numbers)
        return replace(column, numbers=numbers, missing=missing)
    assert column.codes is not None
    commonest = int(np.argmax(np.bincount(column.codes[rest])))
    codes = np.where(removed, commonest, column.codes).astype(np.int32)
    return replace(column, codes=codes, missing=missing)


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
        Trees to average, each with its own seed.
    """
    shares = np.linspace(0, 1, STEPS + 1) if shares is None else np.asarray(shares)
    how = {"trees": trees, "random_state": random_state}
    hits = [hits_without(train, test, order, share, **how) for share in shares]
    return Removal(np.asarray(shares, float), np.array(hits))


def hits_without(
    train: Table,
    test: Table,
    order: np.ndarray,
    share: float,
    *,
    trees: int = TREES,
    random_state: int = 0,
) -> np.ndarray:
    """Share of the decision trees that predict each test row, without some cells."""
    shape = (train.n_rows, len(train.features))
    removed = np.zeros(shape[0] * shape[1], bool)
    removed[order[: round(share * removed.size)]] = True
    seen, asked, _ = matrices(refilled(train, removed.reshape(shape)), test)
    code = {name: k for k, name in enumerate(train.classes)}
    truth = np.array([code.get(name, -1) for name in test.classes])[test.y]
    hits = np.zeros(truth.size)
    for k in range(trees):
        tree = DecisionTreeClassifier(random_state=random_state + k)
        hits += tree.fit(seen, train.y).predict(asked) == truth
    return hits / trees
