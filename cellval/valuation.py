"""The doors to values: a table (or a DataFrame) goes in, `CellValues` come out."""

import math
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import fields, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from cellval.cluster import Cluster, as_executor
from cellval.errors import InputError
from cellval.knn import engine
from cellval.knn.problem import require_label
from cellval.progress import Snapshot, shown
from cellval.table.table import Table, as_table
from cellval.text import joined, listed
from cellval.values.memory import COMPARED, check_memory
from cellval.values.options import RunOptions
from cellval.values.result import (
    CellValues,
    among_all,
    made_on,
    of_labelled,
    unvalued,
)
from cellval.values.settings import check_goes_on


def iter_values(
    table: Table | pd.DataFrame,
    *,
    n_jobs: int | None = None,
    executor: Executor | None = None,
    continue_from: CellValues | None = None,
    **options: Any,
) -> Iterator[Snapshot[CellValues]]:
    """Value the cells of a table step by step; options are those of `value_cells`.

    Yields a snapshot before the first and after every step; its `result` is the
    estimate so far, as soon as it `has_result`. Closing the iterator stops the run;
    what the last snapshot holds remains.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read("sample_data/davis.csv", label="sex")
    >>> for snapshot in cellval.iter_values(table, n_neighbors=5):
    ...     pass
    >>> snapshot.done, snapshot.result.values.shape
    (1.0, (200, 4))
    """
    chosen = options_of(options)
    table = as_table(table)
    if isinstance(chosen.test, pd.DataFrame):
        chosen = replace(chosen, test=as_table(chosen.test, like=table))
    require_label(table)
    check_memory(table)
    return iter_chosen(
        table, chosen, n_jobs=n_jobs, executor=executor, continue_from=continue_from
    )


def options_of(said: Mapping[str, Any]) -> RunOptions:
    """InputError for one that there is not."""
    known = [option.name for option in fields(RunOptions)]
    if unknown := [name for name in said if name not in known]:
        raise InputError(
            f"There is no option {listed(unknown)}. Options are {joined(known, 20)}."
        )
    return RunOptions(**said)


def iter_chosen(
    table: Table,
    options: RunOptions,
    *,
    n_jobs: int | None = None,
    executor: Executor | None = None,
    continue_from: CellValues | None = None,
) -> Iterator[Snapshot[CellValues]]:
    """The same with options that were checked before.

    Of a table without a label there is at once one result that holds no values.
    """
    if not table.label:
        return iter([Snapshot(1.0, seconds_left=0.0, make=partial(unvalued, table))])
    executor = as_executor(executor)
    where: dict[str, Any] = {"n_jobs": n_jobs, "executor": executor}
    if table.labelled is not table and not options.is_function:
        if continue_from is not None:
            now = replace(continue_from.settings, table=table.fingerprint)
            check_goes_on(continue_from.settings, now)
            continue_from = of_labelled(continue_from, table)
        steps = iter_chosen(
            table.labelled, options, continue_from=continue_from, **where
        )
        return _among_all(steps, table)
    if options.method == "knn":
        steps = engine.iter_knn(table, options, continue_from=continue_from, **where)
        return _with_place(steps, executor)
    # scikit-learn takes two seconds to load, and KNN does without it
    from cellval.games.run import iter_game

    steps = iter_game(table, options, continue_from=continue_from, **where)
    return _with_place(steps, executor)


def _with_place(
    steps: Iterator[Snapshot[CellValues]], executor: Executor | None
) -> Iterator[Snapshot[CellValues]]:
    """Their settings say on which cluster they were made, if they were."""
    if not isinstance(executor, Cluster):
        return steps
    return _placed(steps, executor)


def _placed(
    steps: Iterator[Snapshot[CellValues]], cluster: Cluster
) -> Iterator[Snapshot[CellValues]]:
    with closing(steps):  # type: ignore[type-var] # all of them are generators
        for step in steps:
            yield step.then(partial(made_on, cluster=cluster.words))


def _among_all(
    steps: Iterator[Snapshot[CellValues]], table: Table
) -> Iterator[Snapshot[CellValues]]:
    with closing(steps):  # type: ignore[type-var] # all of them are generators
        for step in steps:
            yield step.then(partial(among_all, table=table))


def expected_seconds(table: Table, options: RunOptions, *, timed: bool = True) -> float:
    """About how long a run with these options would take on this machine.

    Parts of it are made and timed; of KNN only if `timed`: what is not compiled yet is
    waited for then. Raises InputError where the run would fail for the options.
    """
    if not table.label:
        return 0.0
    table = table.labelled
    if options.method == "knn":
        seconds = engine.expected_seconds(table, options, timed=timed)
    else:
        from cellval.games.run import expected_seconds as of_game

        seconds = of_game(table, options)
    return seconds if options.budget is None else min(seconds, float(options.budget))


def outlook(
    table: Table, options: RunOptions, *, tried: bool = True
) -> tuple[engine.Outlook | None, float]:
    """What a run by KNN would do, None of others; and the standard error to expect.

    That is NaN unless it may be `tried`, and of a run that ends when its budget does.
    """
    if not table.label or options.method != "knn":
        return None, math.nan
    table, stderr = table.labelled, math.nan
    if tried and not options.stops:
        stderr = engine.expected_stderr(table, options)
    return engine.outlook(table, options), stderr


def value_cells(
    table: Table | pd.DataFrame,
    *,
    method: str = "knn",
    model: Any = "tree",
    rounds: int | None = None,
    n_neighbors: int = RunOptions.n_neighbors,
    test: Table | pd.DataFrame | float | None = None,
    subsets: str | int = "auto",
    baseline: str = "zero",
    scoring: str = "accuracy",
    width: float | None = None,
    near: int | None = None,
    row_weights: str = "shapley",
    column_weights: str = "shapley",
    truncation: float | None = None,
    budget: float | None = None,
    target_stderr: float | None = None,
    random_state: int = 0,
    backend: str = "cpu",
    n_jobs: int | None = None,
    executor: Executor | None = None,
    continue_from: CellValues | None = None,
) -> CellValues:
    """Value every cell of a table, by default by 2D-Shapley with a KNN surrogate.

    Lower is worse.

    Parameters
    ----------
    table : Table or DataFrame
        From `cellval.read` or `Table.from_frame`. The label of a bare DataFrame is
        guessed.
    method : str
        "knn", or another of `cellval.methods.METHODS`, which says when to use it: "mc"
        and "exact" (2D-Shapley with any model), "loo" (2D leave-one-out), "flat" (1D-
        Shapley on cells), "oob" (2D-OOB), "random".
    model : "tree", "logistic", "boosting", "knn", estimator, or function
        What "mc", "exact", "loo" and "flat" train: any scikit-learn classifier, or
        pipeline of one. For a label of numbers names stand for regressors ("logistic"
        for ridge regression), and an estimator must be one. A function ``h(rows,
        columns) -> float`` of positions from 0 is a utility of its own; then all rows
        are valued.
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
        many, sampled. "auto" takes all where that is cheapest, and of a table so large
        that it would take too long (from about 50,000 rows of 20 columns on) draws some
        of the test points, unless there is a budget; ``settings`` says what it took.
    baseline : "zero" or "chance"
        What no columns are worth: nothing (as in the paper), or a guess among all rows.
    scoring : "accuracy" or "balanced"
        Every test point has the same say, or every class.
    width : float, optional
        Of a label of numbers: how far apart two of them agree no more. The score is
        their mean closeness, ``1 - distance / width``, at least 0. By default two
        robust standard deviations (the range of the middle half, divided by 0.675).
    near : int, optional
        Approximation for large tables: rows beyond the `near` nearest count as equally
        far.
    row_weights, column_weights : "shapley", "banzhaf" or "beta(a, b)"
        How much a contribution counts by how many others are there ("mc" and "exact";
        "knn" has `column_weights`). Only Shapley's values sum to the score; see
        `cellval.weights`.
    truncation : float, optional
        Of "mc": take a prefix of the rows for all of them, once its score is that
        close. An approximation; a run that is stopped goes on after its last whole
        round.
    budget : float, optional
        Seconds after which to stop with what there is.
    target_stderr : float, optional
        Stop when the mean standard error of the cells, in the unit of the values, is at
        most this.
    random_state : int
        Seed. The same seed gives the same values bit for bit, whatever `n_jobs`.
    backend : "cpu", "cuda" or "auto"
        Where "knn" computes: on the processor, on an NVIDIA GPU (``pip install
        'cellval[cuda]'``), or on a GPU where there is one; ``settings.backend`` says
        which. Both draw the same column orders and agree within rounding; the same
        bits come from the same one only.
    n_jobs : int, optional
        Threads, by default as many as there are cores.
    executor : concurrent.futures.Executor or dask.distributed.Client, optional
        Where to run instead of on threads of this process. Of a Dask cluster all
        threads are used, and it may grow; the same bits come from anywhere.
    continue_from : CellValues, optional
        Go on where an earlier run with the same settings stopped, to the same bits. By
        "exact" there are no values before the end, and nothing to go on from; of a
        function of your own nobody can tell whether it is the same.

    Returns
    -------
    CellValues

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read("sample_data/davis.csv", label="sex")
    >>> cellval.value_cells(table).lowest(2)[["row_number", "column", "cell"]]
       row_number  column cell
    0         165  height  163
    1          61  height  165
    """
    snapshots = iter_values(
        table,
        method=method,
        model=model,
        rounds=rounds,
        n_neighbors=n_neighbors,
        test=test,
        subsets=subsets,
        baseline=baseline,
        scoring=scoring,
        width=width,
        near=near,
        row_weights=row_weights,
        column_weights=column_weights,
        truncation=truncation,
        budget=budget,
        target_stderr=target_stderr,
        random_state=random_state,
        backend=backend,
        n_jobs=n_jobs,
        executor=executor,
        continue_from=continue_from,
    )
    if sys.stderr.isatty():
        snapshots = shown(snapshots)
    for snapshot in snapshots:  # noqa: B007 - the last one is the result
        pass
    return snapshot.result


def value_rows(
    table: Table | pd.DataFrame,
    *,
    n_neighbors: int = RunOptions.n_neighbors,
    test: Table | pd.DataFrame | float | None = None,
    scoring: str = "accuracy",
    width: float | None = None,
    random_state: int = 0,
    backend: str = "cpu",
) -> np.ndarray:
    """1D KNN-Shapley value of every row alone, ties averaged: one subset, no sampling.

    The same numbers as ``value_cells(...).rows`` under the zero baseline, much faster.
    NaN in rows that are not valued. `backend` as in `value_cells`.

    Returns
    -------
    ndarray of shape (n_rows,)

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read("sample_data/davis.csv", label="sex")
    >>> cellval.value_rows(table).shape
    (200,)
    """
    table = as_table(table)
    require_label(table)
    check_memory(table, COMPARED)
    test = as_table(test, like=table) if isinstance(test, pd.DataFrame) else test
    options = RunOptions(
        n_neighbors=n_neighbors,
        test=test,
        scoring=scoring,
        width=width,
        random_state=random_state,
        subsets=1,
        backend=backend,
    )
    values = np.full(table.n_rows, np.nan)
    values[table.y >= 0] = engine.row_values(table.labelled, options)
    return values
