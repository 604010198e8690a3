"""Utilities by the name of a model, on the rows of a table as they are counted."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from cellval.errors import InputError
from cellval.games.knn_utility import KnnUtility
from cellval.games.model_utility import ModelUtility, Utility, line
from cellval.methods import MODELS
from cellval.stats import hold_out
from cellval.table.rows import part
from cellval.table.table import Table
from cellval.text import listed

HOLD_OUT = 0.3  # share of the rows that models are tested on, if nothing is said


@dataclass(frozen=True, eq=False)
class TableUtility:
    """A model's utility in positions of a table of which some rows are held out.

    Attributes
    ----------
    model : ModelUtility
        Its table has the rows that are not held out.
    place : ndarray of int, shape (n_rows,)
        Where each row of the whole table is in that one; -1 if it is held out.
    """

    model: ModelUtility
    place: np.ndarray

    @property
    def compiled(self) -> bool:
        return self.model.compiled

    @cached_property
    def players(self) -> np.ndarray:
        """bool (n_rows,): rows that are not held out."""
        return self.place >= 0

    @cached_property
    def guess(self) -> float:
        """Accuracy of always saying the most common class of the rows."""
        common = int(np.bincount(self.model.table.y).argmax())
        name = self.model.table.classes[common]
        said = [k for k, text in enumerate(self.model.test.classes) if text == name]
        return float(np.isin(self.model.test.y, said).mean())

    def __call__(self, rows: np.ndarray, columns: np.ndarray) -> float:
        return self.model(self.place[rows], columns)

    def line(
        self, rows: np.ndarray, columns: np.ndarray, wanted: np.ndarray
    ) -> np.ndarray:
        """Utilities of rows seen through the first 0, 1, ... of the columns."""
        return line(self.model, self.place[rows], columns, wanted)


def utility_of(
    table: Table,
    model: Any = "knn",
    *,
    test: Table | float | None = None,
    n_neighbors: int = 10,
    random_state: int = 0,
) -> Utility:
    """How well a model does with some rows and columns of a table.

    Parameters
    ----------
    model : str or scikit-learn estimator
        "knn", "logistic", "tree" or "boosting".
    test : Table, float or None
        A table read like this one, or a share of the rows to hold out: they are tested
        on and are no players. None is leave-one-out for KNN, 0.3 for models.
    n_neighbors : int
        Of KNN.
    random_state : int
        Of the hold-out and of the models.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read_csv("sample_data/davis.csv", label="sex")
    >>> h = utility_of(table, "logistic")
    >>> int(h.players.sum()), h(np.flatnonzero(h.players), np.arange(4)) > 0.8
    (140, True)
    """
    if model == "knn":
        return KnnUtility(table, test, n_neighbors, random_state=random_state)
    estimator = estimator_of(model, random_state)
    players, train, tests, _ = split(table, test, random_state)
    place = np.full(table.n_rows, -1)
    place[players] = np.arange(players.size)
    return TableUtility(ModelUtility(estimator, train, tests), place)


def split(
    table: Table, test: Table | pd.DataFrame | float | None, random_state: int
) -> tuple[np.ndarray, Table, Table, str]:
    """Positions of the rows that play, training and test table, and words about it.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read_csv("sample_data/davis.csv", label="sex")
    >>> players, train, tests, said = split(table, 0.25, 0)
    >>> train.n_rows, tests.n_rows, said
    (150, 50, 'hold-out of 50 rows, seed 0')
    """
    if isinstance(test, (Table, pd.DataFrame)):
        test = test if isinstance(test, Table) else Table.from_frame(test, like=table)
        said = f"test table '{test.name}' {test.fingerprint[:12]}"
        if not set(test.classes) & set(table.classes):
            raise InputError(
                f"The test table '{test.name}' has no class of '{table.name}': "
                f"{listed(test.classes)} against {listed(table.classes)}. Write the "
                "labels in the same way."
            )
        return np.arange(table.n_rows), table, test, said
    out = hold_out(table.y, HOLD_OUT if test is None else test, random_state)
    players = np.flatnonzero(~out)
    said = f"hold-out of {np.sum(out)} rows, seed {random_state}"
    return players, part(table, players), part(table, np.flatnonzero(out)), said


def estimator_of(model: Any, random_state: int = 0) -> Any:
    """The estimator with this name; any other estimator is taken as it is."""
    if not isinstance(model, str):
        return model
    if model == "logistic":
        return make_pipeline(StandardScaler(), LogisticRegression(max_iter=200))
    if model == "tree":
        return DecisionTreeClassifier(random_state=random_state)  # as in the paper
    if model == "boosting":
        return HistGradientBoostingClassifier(
            max_iter=50, early_stopping=False, random_state=random_state
        )
    possible = ", ".join(repr(name) for name in MODELS)
    raise InputError(
        f"model={model!r} is not possible here: use one of {possible}, or a "
        "scikit-learn classifier."
    )
