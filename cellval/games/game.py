"""`Game`: a table, a utility and a method, checked and split before a run."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cellval.errors import InputError
from cellval.games.estimate import Estimate
from cellval.games.flat import FlatUtility
from cellval.games.groups import MOST_PLAYERS
from cellval.games.knn_utility import KnnUtility
from cellval.games.model_utility import ModelUtility
from cellval.games.models import estimator_of
from cellval.knn.problem import label_settings, require_label
from cellval.methods import METHODS
from cellval.table.splits import split
from cellval.table.table import Table
from cellval.values.options import RunOptions
from cellval.values.result import CellValues, describe
from cellval.values.settings import Settings

DESIGNS = {
    "mc": "rounds",
    "exact": "subsets",
    "loo": "left out",
    "flat": "cell orders",
    "oob": "trees",
    "random": "random",
}


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
    """A table, a utility and a method: everything that is fixed before the run."""

    table: Table
    options: RunOptions
    players: np.ndarray  # positions of the rows that are valued; others are test rows
    h: Any  # utility (or FlatUtility) of positions among the players
    n_test: int
    settings: Settings

    def __post_init__(self) -> None:
        n, m = self.shape
        if self.method == "exact" and n + m > MOST_PLAYERS:
            raise InputError(
                f"Exact values of {n:,} rows and {m:,} columns would train the model "
                f"2^{n + m} times; at most {MOST_PLAYERS} rows and columns in all are "
                "possible. Use Monte Carlo or KNN, or group rows and "
                "columns (Sources)."
            )

    @property
    def method(self) -> str:
        return self.options.method

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
            return self.options.n_rounds
        return self.options.n_rounds * n * m

    def cell_values(self, estimate: Estimate) -> CellValues:
        """Values of all rows; NaN in rows that are not valued."""
        values, n = estimate.values, estimate.n_draws

        def to_table(players: np.ndarray) -> np.ndarray:
            rows = np.full((self.table.n_rows, *players.shape[1:]), np.nan)
            rows[self.players] = players
            return rows

        settings = replace(self.settings, n_draws=n, most_draws=n)
        together: Any = np.nansum
        if not settings.additive:
            # nothing says that 0 is neither good nor bad, nor what a sum would be
            middle = float(np.nanmean(values)) if np.isfinite(values).any() else 0.0
            settings = replace(settings, middle=middle)
            together = _means
        return CellValues(
            values=to_table(values),
            stderr=to_table(estimate.stderr),
            row_values=to_table(together(values, axis=1)),
            row_stderr=to_table(estimate.row_stderr),
            column_values=together(values, axis=0),
            column_stderr=estimate.column_stderr,
            n_test=self.n_test,
            settings=settings,
            **describe(self.table),
        )


def make_game(table: Table, options: RunOptions) -> Game:
    """Split the table into players and test rows, and make the utility."""
    require_label(table)
    method, model, seed = options.method, options.model, int(options.random_state)
    label = label_settings(table, options)
    settings = Settings(
        method=method,
        model="",
        test="none",
        table=table.fingerprint,
        random_state=seed,
        rounds=options.n_rounds,
        row_weights=options.row_weights,
        column_weights=options.column_weights,
        baseline=options.baseline,
        **label,
        truncation=options.truncation,
        design=DESIGNS[method],
    )
    everyone = np.arange(table.n_rows)
    if not METHODS[method].game:
        return Game(table, options, everyone, None, table.n_rows, settings)
    h: Any
    if options.is_function:
        usual = (options.test, options.baseline, options.scoring, options.width)
        if method == "flat" or usual != (None, "zero", "accuracy", None):
            raise InputError(
                "A function of rows and columns measures by itself: leave out test, "
                "baseline, scoring and width, and use method 'mc', 'exact' or 'loo'."
            )
        own = replace(settings, scoring=options.scoring, width=None)
        settings = replace(own, test="function", model="function")
        h = Function(model)
        return Game(table, options, everyone, h, table.n_rows, settings)
    is_knn = isinstance(model, str) and model == "knn"
    numbers = table.target is not None
    estimator = None if is_knn else estimator_of(model, seed, numbers=numbers)
    players, train, tests = split(table, options.test, seed)
    measured: dict[str, Any] = {"test": "hold-out", "test_rows": tests.n_rows}
    if isinstance(options.test, Table):
        measured = {"test": "table", "test_name": tests.name}
        measured["test_table"] = tests.fingerprint[:12]
    settings = replace(settings, model=str(model), **measured)
    if is_knn:
        if method == "flat" or options.baseline == "chance":
            raise InputError(
                "KNN as the model can neither fill absent cells, as "
                f"{METHODS['flat'].title} does, nor guess, as values above chance need "
                "it. Use another model, or value by the method KNN."
            )
        neighbors = int(options.n_neighbors)
        settings = replace(settings, n_neighbors=neighbors)
        how = {"scoring": options.scoring, "width": label["width"]}
        h = KnnUtility(train, tests, neighbors, **how)
    else:
        h = ModelUtility(
            estimator,
            train,
            tests,
            scoring=_SCORINGS[options.scoring],
            random_state=seed,
            width=label["width"],
        )
        if options.baseline == "chance":
            h = replace(h, empty=_chance(h, options.scoring))
        if method == "flat":
            h = FlatUtility(h)
    return Game(table, options, players, h, tests.n_rows, settings)


def _balanced(truth: np.ndarray, predicted: np.ndarray) -> float:
    """Mean over the classes of the share that is recognised."""
    return float(np.mean([np.mean(predicted[truth == c] == c) for c in set(truth)]))


_SCORINGS: dict[str, Any] = {"accuracy": "accuracy", "balanced": _balanced}


def _chance(h: ModelUtility, scoring: str) -> float:
    """Score of a guess among the training rows."""
    each = h.chance()
    if scoring == "balanced":  # all rows of a class are alike
        each = each[np.unique(h.test.y, return_index=True)[1]]
    return float(np.mean(each))


def _means(values: np.ndarray, axis: int) -> np.ndarray:
    known = np.isfinite(values)
    sums, n = np.where(known, values, 0.0).sum(axis=axis), known.sum(axis=axis)
    return np.where(n > 0, sums / np.maximum(n, 1), np.nan)
