"""`value_cells`: from a table to the value of every cell, in one call."""

import sys
from collections.abc import Iterator
from concurrent.futures import Executor
from typing import Any

import pandas as pd

from cellval.errors import InputError
from cellval.knn import engine
from cellval.knn.engine import make_problem
from cellval.knn.plan import NANOSECONDS
from cellval.methods import method_of
from cellval.parallel import n_cores
from cellval.progress import shown
from cellval.table.table import Table
from cellval.values.result import CellValues

KNN_ONLY = ("subsets", "near", "continue_from")
GAMES_ONLY = ("model", "rounds", "truncation", "row_weights")
UNTESTED = ("model", "test", "scoring", "baseline", "n_neighbors")  # not for "oob"

NEAR_NANOSECONDS = 4.0  # an evaluation with the near-field approximation


def iter_values(
    table: Table | pd.DataFrame, *, method: str = "knn", **options: Any
) -> Iterator[Any]:
    """Value the cells of a table step by step; see `cellval.value_cells`.

    Yields a snapshot before the first and after every step, with `values`, `done` (the
    share of the run), `seconds` and `seconds_left`. Closing the iterator stops the run;
    what the last snapshot holds remains.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read_csv("sample_data/davis.csv", label="sex")
    >>> for snapshot in cellval.iter_values(table, n_neighbors=5):
    ...     pass
    >>> snapshot.done
    1.0
    """
    about = method_of(method)
    foreign: tuple[str, ...] = GAMES_ONLY if method == "knn" else KNN_ONLY
    if method != "knn" and not about.game:
        foreign += UNTESTED
    for name in foreign:
        if name in options:
            raise InputError(
                f"{name} is no option of method={method!r} ({about.title}); leave it "
                "out, or choose another method."
            )
    if method == "knn":
        return engine.iter_values(table, **options)
    # scikit-learn takes two seconds to load, and KNN does without it
    from cellval.games.run import iter_game

    return iter_game(table, method=method, **options)


def _same(value: Any, default: Any) -> bool:
    return value is default or (isinstance(value, str) and value == default)


def value_cells(
    table: Table | pd.DataFrame,
    *,
    method: str = "knn",
    model: Any = "tree",
    rounds: int | None = None,
    n_neighbors: int = 10,
    test: Table | pd.DataFrame | float | None = None,
    subsets: str | int = "auto",
    baseline: str = "zero",
    scoring: str = "accuracy",
    near: int | None = None,
    row_weights: str = "shapley",
    column_weights: str = "shapley",
    truncation: float | None = None,
    budget: float | None = None,
    target_stderr: float | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    executor: Executor | None = None,
    continue_from: CellValues | None = None,
) -> CellValues:
    """Value every cell of a table, by default by 2D-Shapley with a KNN surrogate.

    Lower is worse.

    Parameters
    ----------
    table : Table or DataFrame
        From `cellval.read_csv` or `Table.from_frame`. The label of a bare DataFrame is
        guessed.
    method : str
        "knn", or another of `cellval.methods.METHODS`, which says when to use it: "mc"
        and "exact" (2D-Shapley with any model), "loo" (2D leave-one-out), "flat" (1D-
        Shapley on cells), "oob" (2D-OOB), "random".
    model : "tree", "logistic", "boosting", "knn", classifier, or function
        What "mc", "exact", "loo" and "flat" train: any scikit-learn classifier or
        pipeline. A function ``h(rows, columns) -> float`` of positions from 0 is a
        utility of its own; then all rows are valued.
    rounds : int, optional
        Random orders of "mc" (100) and "flat" (20), trees of "oob" (1,000).
    n_neighbors : int
        K of the KNN surrogate.
    test : None, Table, DataFrame or float
        Where the score is measured. None: every row in turn, with all others as its
        neighbours (leave-one-out); every row gets a value. A table: on its rows. A
        share such as 0.3: on so many rows of the table, which then get no value; the
        methods with a model take 0.3 for None. "oob" needs no test rows.
    subsets : "auto", "all" or int
        Which subsets of columns each test point sees: all of them (exact), or about so
        many, sampled. "auto" takes all where that is cheapest and says what it took in
        ``settings["design"]``.
    baseline : "zero" or "chance"
        What no columns are worth: nothing (as in the paper), or a guess among all rows.
    scoring : "accuracy" or "balanced"
        Every test point has the same say, or every class.
    near : int, optional
        Approximation for large tables: rows beyond the `near` nearest count as equally
        far. Named in ``settings["approximation"]``.
    row_weights, column_weights : "shapley", "banzhaf" or "beta(a, b)"
        How much a contribution counts by how many others are there ("mc" and "exact";
        "knn" has `column_weights`). Only Shapley's values sum to the score; see
        `cellval.weights`.
    truncation : float, optional
        Of "mc": take a prefix of the rows for all of them, once its score is that
        close. An approximation, named in ``settings["approximation"]``.
    budget : float, optional
        Seconds after which to stop with what there is.
    target_stderr : float, optional
        Stop when the mean standard error of the cells, in the unit of the values, is at
        most this.
    random_state : int
        Seed. The same seed gives the same values bit for bit, whatever `n_jobs`.
    n_jobs : int, optional
        Threads, by default as many as there are cores.
    executor : concurrent.futures.Executor, optional
        Where to run instead of on threads of this process.
    continue_from : CellValues, optional
        Go on where an earlier run with the same settings stopped.

    Returns
    -------
    CellValues

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read_csv("sample_data/davis.csv", label="sex")
    >>> cellval.value_cells(table).lowest(2)[["row", "column", "cell"]]
       row  column cell
    0  165  height  163
    1   61  height  165
    """
    defaults: dict[str, Any] = value_cells.__kwdefaults__ or {}
    given = {name: value for name, value in locals().items() if name in defaults}
    options = {k: v for k, v in given.items() if not _same(v, defaults[k])}
    snapshots = iter_values(table, **{"method": method, **options})
    if sys.stderr.isatty():
        snapshots = shown(snapshots)
    for snapshot in snapshots:  # noqa: B007 - the last one is the result
        pass
    return snapshot.values


def expected_seconds(table: Table, **options: Any) -> float:
    """About how long a run with these options would take on this machine.

    Raises InputError where `start` would fail for the options.
    """
    if options.get("method", "knn") != "knn":
        from cellval.games.run import expected_seconds as of_game

        return of_game(table, **options)
    problem = make_problem(table, **options)
    cost = NEAR_NANOSECONDS if 0 < problem.near < problem.plan.n_rows else NANOSECONDS
    seconds = problem.plan.total_work() * cost / 1e9 / n_cores()
    budget = options.get("budget")
    return seconds if budget is None else min(seconds, float(budget))
