"""Runs work items on an executor, merges their sums in order, yields snapshots.

One loop serves the library, the command line and the app: `iter_values`. Items are
fixed by the settings and merged in their order, so values are the same bit for bit
whatever the number of workers, and any prefix of the work is an estimate that can be
continued.
"""

import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from cellval.knn.cell_values import (
    Queries,
    Rows,
    Sums,
    all_subsets,
    make_sums,
    permutations,
    permutations_near,
    permutations_with_ends,
    whole_rows,
)
from cellval.knn.plan import ALL, Item, with_ends
from cellval.knn.problem import Problem, make_problem
from cellval.knn.sorting import SMALL
from cellval.knn.sums import Merged, cell_values, merge, n_seen, nothing, resumed
from cellval.parallel import n_workers
from cellval.table.table import Table
from cellval.values.result import CellValues


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Where a run stands. `values` is computed when asked for."""

    problem: Problem
    merged: Merged
    done: float  # share of the run, 0 to 1
    seconds: float
    seconds_left: float
    compiling: bool = False

    @cached_property
    def values(self) -> CellValues:
        """The estimate so far."""
        return cell_values(self.problem, self.merged)

    @property
    def n_test(self) -> int:
        """Test points seen so far."""
        return n_seen(self.problem, self.merged)

    @property
    def has_values(self) -> bool:
        """One test point alone says nothing about its error."""
        return self.n_test >= 2

    @property
    def seen(self) -> str:
        """How much was done, in words."""
        return f"{self.n_test:,} test points"


def iter_values(
    table: Table | pd.DataFrame,
    *,
    n_neighbors: int = 10,
    test: Table | pd.DataFrame | float | None = None,
    subsets: str | int = "auto",
    baseline: str = "zero",
    scoring: str = "accuracy",
    column_weights: str = "shapley",
    near: int | None = None,
    budget: float | None = None,
    target_stderr: float | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    executor: Executor | None = None,
    continue_from: CellValues | None = None,
) -> Iterator[Snapshot]:
    """Value the cells of a table step by step; see `cellval.value_cells`.

    Yields a `Snapshot` before the first and after every work item. Closing the iterator
    stops the run; what the last snapshot holds remains.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read_csv("sample_data/davis.csv", label="sex")
    >>> for snapshot in cellval.iter_values(table, n_neighbors=5):
    ...     pass
    >>> snapshot.done
    1.0
    """
    problem = make_problem(
        table,
        n_neighbors=n_neighbors,
        test=test,
        subsets=subsets,
        baseline=baseline,
        scoring=scoring,
        column_weights=column_weights,
        near=near,
        budget=budget,
        target_stderr=target_stderr,
        random_state=random_state,
        continue_from=continue_from,
    )
    merged = resumed(problem, continue_from) if continue_from else nothing(problem)
    width = n_workers(n_jobs, executor)
    return _run(problem, merged, budget, target_stderr, width, executor)


def run_item(
    rows: Rows,
    tests: Queries,
    orders: np.ndarray | None,
    near: int | None,
    chance: bool,
    steps: np.ndarray,
    stop: np.ndarray,
) -> Sums:
    """Sums of one work item; runs anywhere its arguments can be sent to.

    Setting `stop` ends it early in a thread of this process, with useless sums.
    """
    m, n = rows.cells.shape
    if orders is None:
        sums = make_sums(n, m)
        all_subsets(rows, tests, near, chance, steps, stop, sums)
        return sums
    # sampled values of many rows need no more digits, and memory traffic is what costs
    sums = make_sums(n, m, np.float32 if n > SMALL else np.float64)
    if with_ends(m, orders.shape[1]):
        kernel = permutations_with_ends
    elif near is not None and near < n - 1:
        kernel = permutations_near
    else:
        kernel = permutations
    kernel(rows, tests, orders, near, chance, steps, stop, sums)
    return sums


def _task(problem: Problem, item: Item) -> tuple[Any, ...]:
    tests = Queries(*(array[item.first : item.last] for array in problem.tests))
    orders = None if item.n_pairs == ALL else problem.plan.orders(item)
    near = problem.near or None
    return problem.rows, tests, orders, near, problem.chance, problem.steps


def _run(
    problem: Problem,
    merged: Merged,
    budget: float | None,
    target_stderr: float | None,
    n_jobs: int,
    executor: Executor | None,
) -> Iterator[Snapshot]:
    plan = problem.plan
    items = [
        item
        for item in plan.items()
        if (item.pass_number, item.number) >= (merged.pass_number, merged.next_item)
    ]
    total = plan.total_work()
    done = before = total - sum(map(plan.work, items))
    yield Snapshot(problem, merged, done / total, 0.0, float("nan"), compiling=True)
    stop = np.zeros(1, np.uint8)
    _compile(problem, items)
    pool = executor or ThreadPoolExecutor(n_jobs, thread_name_prefix="cellval")
    waiting: deque[tuple[Item, Future[Sums]]] = deque()
    following = iter(items)
    started = time.monotonic()
    seconds = 0.0
    try:
        while True:
            while len(waiting) < 2 * n_jobs and (item := next(following, None)):
                task = (*_task(problem, item), stop)
                waiting.append((item, pool.submit(run_item, *task)))
            if not waiting:
                break
            patience = None  # something must be seen, however short the budget
            if budget is not None and merged.next_item + merged.pass_number:
                patience = max(0.0, budget - seconds)
            item, future = waiting[0]
            try:
                part = future.result(patience)
            except TimeoutError:
                yield Snapshot(problem, merged, 1.0, time.monotonic() - started, 0.0)
                break
            waiting.popleft()
            merged = merge(problem, merged, item, part)
            done += plan.work(item)
            seconds = time.monotonic() - started
            share, left = done / total, seconds * (total - done) / (done - before)
            if budget is not None:
                share = max(share, seconds / budget)
                left = min(left, budget - seconds)
            over = item is items[-1] or (budget is not None and seconds >= budget)
            if target_stderr is not None and not over:
                so_far = Snapshot(problem, merged, share, seconds, left).values
                over = so_far.typical_stderr <= target_stderr
            if over:
                share, left = 1.0, 0.0
            yield Snapshot(problem, merged, share, seconds, left)
            if over:
                break
    finally:
        stop[0] = 1
        for _, future in waiting:
            future.cancel()
        if executor is None:
            pool.shutdown(wait=True, cancel_futures=True)


def _compile(problem: Problem, items: list[Item]) -> None:
    """Compile (or load) the kernels on no test point, so that no budget pays for it."""
    m = problem.plan.n_columns
    for n_pairs in {item.n_pairs for item in items}:
        tests = Queries(*(array[:0] for array in problem.tests))
        orders = None if n_pairs == ALL else np.empty((0, n_pairs, m), np.int64)
        near, stop = problem.near or None, np.zeros(1, np.uint8)
        fixed = near, problem.chance, problem.steps, stop
        run_item(problem.rows, tests, orders, *fixed)


def value_rows(
    table: Table | pd.DataFrame,
    *,
    n_neighbors: int = 10,
    test: Table | pd.DataFrame | float | None = None,
    scoring: str = "accuracy",
    random_state: int = 0,
) -> np.ndarray:
    """1D KNN-Shapley value of every row alone, ties averaged: one subset, no sampling.

    The same numbers as ``value_cells(...).rows`` under the zero baseline, much faster.

    Returns
    -------
    ndarray of shape (n_rows,)

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read_csv("sample_data/davis.csv", label="sex")
    >>> cellval.value_rows(table).shape
    (200,)
    """
    problem = make_problem(
        table,
        n_neighbors=n_neighbors,
        test=test,
        scoring=scoring,
        subsets=1,
        random_state=random_state,
    )
    sums = make_sums(problem.rows.y.size, 1)
    whole_rows(problem.rows, problem.tests, None, problem.steps, sums)
    values = np.append(sums.rows / problem.tests.times.sum(), np.nan)
    return np.asarray(values[problem.of_row])
