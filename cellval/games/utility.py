"""A model as a utility: how well it predicts test rows when it sees only some cells."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.base import clone

from cellval.decoding import InputError
from cellval.kinds import Column
from cellval.table import Table

Utility = Callable[[np.ndarray, np.ndarray], float]

MOST_CATEGORIES = 50  # indicators of one column; rarer categories have none


@dataclass(frozen=True, eq=False)
class ModelUtility:
    """Accuracy on test rows of an estimator trained on some rows and columns.

    Numbers are filled up with the median, and categories turned into indicators, once
    for all (from the whole training table), so that an evaluation is one fit. A missing
    cell has an indicator of its own. Where all rows are of one class, that class is
    predicted; without rows or columns the utility is `empty`.

    Attributes
    ----------
    estimator : scikit-learn classifier or pipeline
        Cloned for every fit.
    table, test : Table
        `test` is read like the table (`read_csv(..., like=table)`).
    scoring : "accuracy" or a function of (true classes, predicted classes)
    empty : float
        What no rows or no columns are worth.
    repeats : int
        Fits to average for estimators with a `random_state`, each with its own seed.

    Examples
    --------
    >>> import cellval
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> table = cellval.read_csv("sample_data/davis.csv", label="sex")
    >>> h = ModelUtility(DecisionTreeClassifier(random_state=0), table, table)
    >>> h(np.arange(200), np.array([1])) > h(np.arange(200), np.array([], int))
    True
    """

    estimator: Any
    table: Table
    test: Table
    scoring: Any = "accuracy"
    empty: float = 0.0
    repeats: int = 1
    random_state: int = 0

    def __post_init__(self) -> None:
        if self.scoring != "accuracy" and not callable(self.scoring):
            raise InputError(
                f"scoring={self.scoring!r} is not possible: use 'accuracy' or a "
                "function of the true and the predicted classes."
            )
        if self.repeats < 1:
            raise InputError("repeats must be 1 or more.")

    def __call__(self, rows: np.ndarray, columns: np.ndarray) -> float:
        if len(rows) == 0 or len(columns) == 0:
            return self.empty
        train, test, features = self._arrays
        y = self.table.y[rows]
        if (y == y[0]).all():
            return self._score(np.full(self._truth.size, y[0]))
        used = np.concatenate([features[j] for j in columns])
        seen = train[np.ix_(rows, used)]
        asked = np.ascontiguousarray(test[:, used])
        return float(
            np.mean([self._score(m.fit(seen, y).predict(asked)) for m in self._models])
        )

    @property
    def _models(self) -> list[Any]:
        models = [clone(self.estimator) for _ in range(self.repeats)]
        if self.repeats > 1 and "random_state" in self.estimator.get_params():
            for k, model in enumerate(models):
                model.set_params(random_state=self.random_state + k)
        return models

    def _score(self, predicted: np.ndarray) -> float:
        if callable(self.scoring):
            return float(self.scoring(self._truth, predicted))
        return float(np.mean(self._truth == predicted))

    @cached_property
    def _truth(self) -> np.ndarray:
        """Classes of the test rows in the codes of the table; -1 for unknown ones."""
        code = {name: k for k, name in enumerate(self.table.classes)}
        return np.array([code.get(name, -1) for name in self.test.classes])[self.test.y]

    @cached_property
    def _arrays(self) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
        return matrices(self.table, self.test)


def matrices(
    table: Table, test: Table
) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
    """Training and test matrix, and which of their columns each column became."""
    own = {column.name: column for column in test.columns}
    seen, asked, features, n = [], [], [], 0
    for column in table.features:
        a, b = _matrices(column, own[column.name])
        seen.append(a)
        asked.append(b)
        features.append(np.arange(n, n + a.shape[1]))
        n += a.shape[1]
    return np.hstack(seen), np.hstack(asked), features


def _matrices(column: Column, other: Column) -> tuple[np.ndarray, np.ndarray]:
    """The cells of a column, and of its like in the test table, as numbers."""
    if column.numbers is not None:
        x = column.numbers
        middle = float(np.nanmedian(x)) if (~np.isnan(x)).any() else 0.0
        y = np.full(other.missing.size, np.nan)
        if other.numbers is not None:
            y = other.numbers
        parts = [
            [np.where(np.isnan(cells), middle, cells) for cells in (x, y)],
            [np.isnan(cells).astype(float) for cells in (x, y)],
        ]
        kept = parts if column.missing.any() else parts[:1]
        a, b = (np.column_stack([part[k] for part in kept]) for k in (0, 1))
        return a.astype(np.float32), b.astype(np.float32)
    assert column.codes is not None
    counts = np.bincount(
        column.codes[column.codes >= 0], minlength=len(column.categories)
    )
    common = np.argsort(-counts, kind="stable")[:MOST_CATEGORIES]
    place = {name: code for code, name in enumerate(column.categories)}
    translated = np.array([*(place.get(c, -2) for c in other.categories), -1])
    seen = np.full(other.missing.size, -1)
    if other.codes is not None:
        seen = translated[other.codes]
    wanted = np.append(common, -1) if column.missing.any() else common
    a, b = (cells[:, None] == wanted for cells in (column.codes, seen))
    return a.astype(np.float32), b.astype(np.float32)
