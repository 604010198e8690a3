"""`Game`: a table, a utility and a method, checked and split before a run."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from cellval.errors import InputError, is_positive, is_whole, require
from cellval.games.exact import MOST_PLAYERS
from cellval.games.flat import FlatUtility
from cellval.games.knn_utility import KnnUtility
from cellval.games.model_utility import ModelUtility
from cellval.games.models import estimator_of, split
from cellval.methods import METHODS, MODELS, ROUNDS, method_of
from cellval.table.table import Table
from cellval.values.result import CellValues, describe
from cellval.weights import named

USUAL = ("zero", "accuracy")  # baseline and scoring
SAMPLING_ONLY = "standard errors are those of sampling, not of the test rows"


class Found(NamedTuple):
    """Values of the players, and standard errors of them and of their sums."""

    values: np.ndarray
    stderr: np.ndarray
    row_stderr: np.ndarray
    column_stderr: np.ndarray


@dataclass(frozen=True, eq=False)
class Function:
    """A person's own utility; what it returns is checked."""

    h: Any

    def __call__(self, rows: np.ndarray, columns: np.ndarray) -> float:
        worth = self.h(rows, columns)
        try:
            number = float(worth)
        except (TypeError, ValueError):
            number = float("nan")
        if not np.isfinite(number):
            raise InputError(
                f"Your function returned {worth!r} for {len(rows):,} rows and "
                f"{len(columns):,} columns; it must return a number, for none of them, "
                "too."
            )
        return number


@dataclass(frozen=True, eq=False)
class Game:
    """A table, a utility and a method: everything that is fixed before the run.

    Attributes
    ----------
    players : ndarray of int
        Positions of the rows that are valued; the others are test rows.
    h : Utility or FlatUtility
        Of positions among the players.
    """

    table: Table
    players: np.ndarray
    h: Any
    method: str
    rounds: int
    n_test: int
    settings: dict[str, Any]
    truncation: float | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns that play."""
        return self.players.size, len(self.table.features)

    @property
    def n_evaluations(self) -> int:
        """Of the utility, in the whole run."""
        n, m = self.shape
        if self.method == "exact":
            return 2 ** (n + m)
        if self.method == "loo":
            return (n + 1) * (m + 1)
        if self.method == "oob":
            return self.rounds
        return self.rounds * n * m

    def cell_values(
        self,
        estimate: "Found | None",
        design: str,
    ) -> CellValues:
        """Values of all rows; NaN in rows that are not valued."""
        n, m = self.shape
        if estimate is None:
            estimate = Found(*(np.full(s, np.nan) for s in ((n, m), (n, m), n, m)))
        values, stderr, row_stderr, column_stderr = estimate

        def to_table(players: np.ndarray) -> np.ndarray:
            rows = np.full((self.table.n_rows, *players.shape[1:]), np.nan)
            rows[self.players] = players
            return rows

        settings = {**self.settings, "design": design}
        together: Any = np.nansum if np.isfinite(values).any() else np.sum
        if not METHODS[self.method].additive and np.isfinite(values).any():
            # nothing says that 0 is neither good nor bad, nor what a sum would be
            settings["middle"] = float(np.nanmean(values))
            together = _means
        return CellValues(
            values=to_table(values),
            stderr=to_table(stderr),
            row_values=to_table(together(values, axis=1)),
            row_stderr=to_table(row_stderr),
            column_values=together(values, axis=0),
            column_stderr=column_stderr,
            n_test=self.n_test,
            settings=settings,
            **describe(self.table),
        )


def make_game(
    table: Table | pd.DataFrame,
    *,
    method: str = "mc",
    model: Any = "tree",
    test: Table | pd.DataFrame | float | None = None,
    rounds: int | None = None,
    n_neighbors: int = 10,
    baseline: str = "zero",
    scoring: str = "accuracy",
    row_weights: str = "shapley",
    column_weights: str = "shapley",
    truncation: float | None = None,
    budget: float | None = None,
    target_stderr: float | None = None,
    random_state: int = 0,
) -> Game:
    """Check the settings, and split the table into players and test rows.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read_csv("sample_data/davis.csv", label="sex")
    >>> make_game(table, method="loo").settings["test"]
    'hold-out of 60 rows, seed 0'
    """
    table = table if isinstance(table, Table) else Table.from_frame(table)
    about = method_of(method)
    rounds = ROUNDS.get(method, 1) if rounds is None else rounds
    require("rounds", rounds, is_whole(rounds, 1), "1 or more")
    require("baseline", baseline, baseline in ("zero", "chance"), "'zero' or 'chance'")
    require("scoring", scoring, scoring in _SCORINGS, "'accuracy' or 'balanced'")
    require("random_state", random_state, is_whole(random_state, 0), "whole, from 0 on")
    for name, number in (
        ("budget", budget),
        ("target_stderr", target_stderr),
        ("truncation", truncation),
    ):
        require(name, number, is_positive(number), "None, or above 0")
    require(
        "truncation",
        truncation,
        truncation is None or method == "mc",
        "None: only method='mc' can be truncated",
    )
    row_weights, column_weights = named(row_weights).name, named(column_weights).name
    shapley = row_weights == column_weights == "shapley"
    if not shapley and method not in ("mc", "exact"):
        raise InputError(
            f"method={method!r} has no weights; use 'mc' or 'exact' (or 'knn' for "
            "column_weights)."
        )
    settings = {
        "method": about.title,
        "by": method,
        "additive": about.additive,
        "table": table.fingerprint,
        "random_state": int(random_state),
        "rounds": int(rounds),
        "approximation": "",
        "column_weights": column_weights,
        "row_weights": row_weights,
    }
    fixed: dict[str, Any] = {
        "method": method,
        "rounds": int(rounds),
        "settings": settings,
        "truncation": truncation,
    }
    if not about.game:
        settings |= {"test": "none", "leave_one_out": False, "model": ""}
        players = np.arange(table.n_rows)
        return Game(table, players, h=None, n_test=table.n_rows, **fixed)
    settings["errors"] = SAMPLING_ONLY
    if truncation is not None:
        settings["approximation"] = (
            f"truncated: a prefix within {truncation:g} of all rows counts as all rows"
        )
    h: Any
    if callable(model) and not hasattr(model, "predict"):
        if method == "flat" or test is not None or (baseline, scoring) != USUAL:
            raise InputError(
                "A function of rows and columns measures by itself: leave out test, "
                "baseline and scoring, and use method 'mc', 'exact' or 'loo'."
            )
        settings |= {"test": "your function's", "model": "your function"}
        settings["leave_one_out"] = False
        players, h = np.arange(table.n_rows), Function(model)
        return _checked(Game(table, players, h=h, n_test=table.n_rows, **fixed))
    settings |= {"baseline": baseline, "scoring": scoring}
    players, train, tests, said = split(table, test, random_state)
    settings |= {"test": said, "leave_one_out": False, "model": str(model)}
    if isinstance(model, str) and model in MODELS:
        settings["model"] = "KNN model" if model == "knn" else MODELS[model].lower()
    if isinstance(model, str) and model == "knn":
        if method == "flat" or baseline == "chance":
            raise InputError(
                "model='knn' cannot fill absent cells (method='flat') nor guess "
                "(baseline='chance'). Use another model, or method='knn'."
            )
        require("n_neighbors", n_neighbors, is_whole(n_neighbors, 1), "1 or more")
        settings["n_neighbors"] = int(n_neighbors)
        h = KnnUtility(train, tests, n_neighbors=n_neighbors, scoring=scoring)
    else:
        h = ModelUtility(
            estimator_of(model, random_state),
            train,
            tests,
            scoring=_SCORINGS[scoring],
            empty=_chance(train, tests, scoring) if baseline == "chance" else 0.0,
            random_state=random_state,
        )
        if method == "flat":
            h = FlatUtility(h)
    return _checked(Game(table, players, h=h, n_test=tests.n_rows, **fixed))


def _checked(game: Game) -> Game:
    n, m = game.shape
    if game.method == "exact" and n + m > MOST_PLAYERS:
        raise InputError(
            f"Exact values of {n:,} rows and {m:,} columns would train the model "
            f"2^{n + m} times; at most {MOST_PLAYERS} rows and columns in all are "
            "possible. Use Monte Carlo ('mc') or KNN ('knn'), or group rows and "
            "columns (Sources)."
        )
    return game


def _balanced(truth: np.ndarray, predicted: np.ndarray) -> float:
    """Mean over the classes of the share that is recognised."""
    return float(np.mean([np.mean(predicted[truth == c] == c) for c in set(truth)]))


_SCORINGS: dict[str, Any] = {"accuracy": "accuracy", "balanced": _balanced}


def _chance(train: Table, tests: Table, scoring: str) -> float:
    """Score of a guess among the training rows."""
    share = dict(zip(train.classes, np.bincount(train.y) / train.n_rows, strict=False))
    known = [share.get(name, 0.0) for name in tests.classes]
    each = np.array(known)[np.unique(tests.y) if scoring == "balanced" else tests.y]
    return float(np.mean(each))


def _means(values: np.ndarray, axis: int) -> np.ndarray:
    known = np.isfinite(values)
    sums, n = np.where(known, values, 0.0).sum(axis=axis), known.sum(axis=axis)
    return np.where(n > 0, sums / np.maximum(n, 1), np.nan)
