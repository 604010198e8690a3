"""A model as a utility: how well it predicts test rows when it sees only some cells."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, clone, is_classifier, is_regressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import ThreadpoolController

from cellval.errors import InputError
from cellval.games.tree import UNLIMITED, Limits, Trees
from cellval.games.watched import line_by_calls
from cellval.stats import unit_of
from cellval.table.columns import Column
from cellval.table.encoding import encoded_label
from cellval.table.labels import closeness, closeness_of_guesses, usual_width
from cellval.table.table import Table

LARGEST = 1e30  # sums and halves of such numbers are still float32
MOST_CATEGORIES = 50  # indicators of one column; rarer categories have none


class ModelData(NamedTuple):
    """All that a model needs of a training and a test table."""

    # float32; beside numbers as labels float64, or some models would narrow these, too
    train: np.ndarray  # (n_rows, n_features)
    test: np.ndarray  # (n_test, n_features)
    features: list[np.ndarray]  # of each column
    is_number: list[bool]  # each column
    y: np.ndarray  # codes of classes, or numbers
    # Of the test rows: classes in the table's codes, -1 if it has no such; or numbers.
    truth: np.ndarray


@dataclass(frozen=True, eq=False)
class ModelUtility:
    """Accuracy on test rows of an estimator trained on some rows and columns.

    Where the label is a number the estimator is a regressor, and the utility its mean
    closeness: 1 less the distance of what it says from the truth, in widths, at least 0
    (the score that KNN has, too).

    Numbers are filled up with the median, and categories turned into indicators, once
    for all (from the whole training table), so that an evaluation is one fit. A missing
    cell has an indicator of its own. Where all rows are of one class, that class is
    predicted, and so is the commonest one where the rows are too few for the estimator
    (of numbers the median); without rows or columns the utility is `empty`.

    A `DecisionTreeClassifier` with nothing set but `max_depth`, `min_samples_split`,
    `min_samples_leaf` (whole numbers) and `random_state` is compiled: `tree.Trees`, 20
    times as fast. It splits as scikit-learn does, but of equally good splits it takes
    the first in the order of columns, where scikit-learn draws one by `random_state`.

    A pickled utility holds numbers instead of the tables: these are None in its copy.

    """

    estimator: Any  # of scikit-learn, or a pipeline; cloned for every fit
    table: Table
    test: Table  # read like the table (`read(..., like=table)`)
    # The usual one (accuracy, or closeness), or a function of (truth, predicted).
    scoring: Any = "accuracy"
    empty: float = 0.0
    random_state: int = 0  # seed of an estimator (or of parts of it) that has none
    width: float | None = None  # of closeness; None: the usual one of the table

    def __post_init__(self) -> None:
        numbers = self.table.target is not None
        what = "regressor" if numbers else "classifier"
        if isinstance(self.estimator, type) or not hasattr(self.estimator, "predict"):
            raise InputError(
                f"{self.estimator!r} is no model: give a {what} such as "
                f"DecisionTree{what.capitalize()}(), with brackets."
            )
        fits = is_regressor if numbers else is_classifier
        if isinstance(self.estimator, BaseEstimator) and not fits(self.estimator):
            raise InputError(
                f"{self.estimator!r} does not predict "
                f"{'numbers' if numbers else 'classes'}, which the label "
                f"'{self.table.label}' holds; use a {what}."
            )

    def __call__(self, rows: np.ndarray, columns: np.ndarray) -> float:
        if len(rows) == 0 or len(columns) == 0:
            return self.empty
        if self._trees is not None:
            return self._score(self._trees.predict(rows, columns))
        data = self.data
        used = np.concatenate([data.features[j] for j in columns])
        asked = np.ascontiguousarray(data.test[:, used])
        return self._fitted(data.train[np.ix_(rows, used)], data.y[rows], asked)

    def line(
        self, rows: np.ndarray, columns: np.ndarray, wanted: np.ndarray
    ) -> np.ndarray:
        """Utilities of rows seen through the first 0, 1, ... of the columns."""
        if self._trees is None or self.scoring != "accuracy" or len(rows) == 0:
            return line_by_calls(self, rows, columns, wanted)
        found = self._trees.accuracies(rows, columns, self.data.truth, wanted)
        found[0] = self.empty
        return found

    def score_of(self, seen: np.ndarray) -> float:
        """Score of the estimator trained on all rows, with these features for theirs.

        They are like `data.train`.
        """
        return self._fitted(seen, self.data.y, self.data.test)

    @property
    def compiled(self) -> bool:
        """Is the estimator compiled, so that threads can evaluate side by side?"""
        return self._trees is not None

    def _fitted(self, seen: np.ndarray, y: np.ndarray, asked: np.ndarray) -> float:
        """Score of the estimator (of scikit-learn) trained on `seen`."""
        if (y == y[0]).all():
            return self._score(np.full(len(asked), y[0]))
        try:
            said = self._predicted(seen, y, asked)
        except Exception:
            # Some models need more rows than a small set has, such as five neighbours.
            # They do not know better than to say its commonest class.
            self._must_work  # noqa: B018 - raises if it is the model's own fault
            said = np.full(len(asked), _usual(y))
        return self._score(said)

    def _predicted(
        self, seen: np.ndarray, y: np.ndarray, asked: np.ndarray
    ) -> np.ndarray:
        seeds = {
            name: self.random_state
            for name, value in self.estimator.get_params().items()
            if name.endswith("random_state") and value is None
        }
        return said_by(clone(self.estimator).set_params(**seeds), seen, y, asked)

    @cached_property
    def _must_work(self) -> bool:
        """Whether the model can learn from all rows; an error in words if not."""
        try:
            self._predicted(self.data.train, self.data.y, self.data.test)
        except Exception as error:
            raise InputError(
                f"{self.estimator!r} cannot learn from this table: {error}"
            ) from error
        return True

    def _score(self, predicted: np.ndarray) -> float:
        if callable(self.scoring):
            return float(self.scoring(self.data.truth, predicted))
        return float(np.mean(agreement(self.data.truth, predicted, self._width)))

    @cached_property
    def _width(self) -> float | None:
        if self.width is not None or self.table.target is None:
            return self.width
        return usual_width(self.table.target)

    def guess(self) -> float:
        """Score of always saying the commonest class, or the median, of the rows."""
        truth = self.data.truth
        return float(np.mean(agreement(truth, _usual(self.data.y), self._width)))

    def chance(self) -> np.ndarray:
        """Of each test row, how well a random training row's label agrees."""
        y, truth = self.data.y, self.data.truth
        if self._width is not None:
            return closeness_of_guesses(y, truth, self._width)
        share = np.bincount(y, minlength=max(y.max(), truth.max()) + 2) / y.size
        return np.asarray(share[truth])  # the last: of no row, 0

    @cached_property
    def data(self) -> ModelData:
        return data_of(self.table, self.test)

    @cached_property
    def _trees(self) -> Trees | None:
        limits = tree_limits(self.estimator)
        return None if limits is None else Trees.of(*self.data[:5], limits)

    def __getstate__(self) -> dict[str, Any]:
        made = {"data": self.data, "_trees": self._trees, "_width": self._width}
        return {**self.__dict__, **made, "table": None, "test": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)


def agreement(truth: np.ndarray, said: Any, width: float | None) -> np.ndarray:
    """Whether each class is right, or how close each number is."""
    return truth == said if width is None else closeness(truth, said, width)


def said_by(
    model: Any, seen: np.ndarray, y: np.ndarray, asked: np.ndarray
) -> np.ndarray:
    """What a model of scikit-learn says, once it is trained."""
    with quiet():
        if y.dtype.kind != "f":
            return np.asarray(model.fit(seen, y).predict(asked))
        unit = unit_of(y)  # 1, unless squares of the numbers would be lost
        return np.asarray(model.fit(seen, y / unit).predict(asked)) * unit


def _usual(y: np.ndarray) -> Any:
    """The commonest class, or the median of numbers."""
    return np.median(y) if y.dtype.kind == "f" else np.bincount(y).argmax()


@contextmanager
def quiet() -> Iterator[None]:
    """For training: one core, and no warnings that nobody can act on.

    Models gain next to nothing from two cores, and where other threads are busy,
    waiting for each other made them up to 60 times slower. Filters and BLAS threads are
    the whole process's, and runs may restore them in any order: a narrow filter, and
    one thread, do no harm if they stay.
    """
    with (
        _threads().limit(limits=1),
        warnings.catch_warnings(),
        np.errstate(all="ignore"),
    ):
        warnings.filterwarnings("ignore", category=ConvergenceWarning)
        yield


@lru_cache(maxsize=1)
def _threads() -> Any:
    return ThreadpoolController()  # looks at all loaded libraries


def tree_limits(estimator: Any) -> Limits | None:
    """When `Trees` do not split, if they can stand for the estimator; else None."""
    if type(estimator) is not DecisionTreeClassifier:
        return None
    usual, own = DecisionTreeClassifier().get_params(), estimator.get_params()
    names = ("max_depth", "min_samples_split", "min_samples_leaf")
    if any(
        repr(own[k]) != repr(usual[k]) for k in own if k not in (*names, "random_state")
    ):
        return None
    depth, *sizes = (own[name] for name in names)
    limits = [UNLIMITED if depth is None else depth, *sizes]
    # anything else is for scikit-learn: a share of the rows, or a mistake
    if any(
        not isinstance(limit, int) or limit < least
        for limit, least in zip(limits, (1, 2, 1), strict=True)
    ):
        return None
    return Limits(*limits)


def data_of(table: Table, test: Table) -> ModelData:
    own = {column.name: column for column in test.columns}
    seen, asked, features, n = [], [], [], 0
    for column in table.features:
        a, b = _matrices(column, own[column.name])
        seen.append(a)
        asked.append(b)
        features.append(np.arange(n, n + a.shape[1]))
        n += a.shape[1]
    is_number = [column.numbers is not None for column in table.features]
    labels = encoded_label(table, table), encoded_label(test, table)
    precise = np.float32 if table.target is None else np.float64
    a, b = (np.hstack(parts).astype(precise, copy=False) for parts in (seen, asked))
    return ModelData(a, b, features, is_number, *labels)


def _narrow(cells: np.ndarray) -> np.ndarray:
    """As float32; beyond its range nothing is told apart."""
    return np.clip(cells, -LARGEST, LARGEST).astype(np.float32)


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
        return _narrow(a), _narrow(b)
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


@dataclass(frozen=True, eq=False)
class TableUtility:
    """A model's utility in positions of a table of which some rows are held out."""

    model: ModelUtility  # its table has the rows that are not held out
    place: np.ndarray  # of each row of the whole table in that one; -1: held out

    @property
    def compiled(self) -> bool:
        return self.model.compiled

    @cached_property
    def players(self) -> np.ndarray:
        """bool (n_rows,): rows that are not held out."""
        return self.place >= 0

    @cached_property
    def guess(self) -> float:
        """Score of always saying the commonest class, or the median, of the rows."""
        return self.model.guess()

    def __call__(self, rows: np.ndarray, columns: np.ndarray) -> float:
        return self.model(self.place[rows], columns)

    def line(
        self, rows: np.ndarray, columns: np.ndarray, wanted: np.ndarray
    ) -> np.ndarray:
        return self.model.line(self.place[rows], columns, wanted)
