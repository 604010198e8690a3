"""`value_cells`: from a table to the value of every cell, in one call."""

import sys
from concurrent.futures import Executor

import pandas as pd

from cellval.knn.engine import iter_values
from cellval.progress import shown
from cellval.table import Table
from cellval.values import CellValues


def value_cells(
    table: Table | pd.DataFrame,
    *,
    n_neighbors: int = 10,
    test: Table | pd.DataFrame | float | None = None,
    subsets: str | int = "auto",
    baseline: str = "zero",
    scoring: str = "accuracy",
    near: int | None = None,
    budget: float | None = None,
    target_stderr: float | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    executor: Executor | None = None,
    continue_from: CellValues | None = None,
) -> CellValues:
    """Value every cell of a table: 2D-Shapley with a KNN surrogate. Lower is worse.

    Parameters
    ----------
    table : Table or DataFrame
        From `cellval.read_csv` or `Table.from_frame`. The label of a bare DataFrame is
        guessed.
    n_neighbors : int
        K of the KNN surrogate.
    test : None, Table, DataFrame or float
        Where the score is measured. None: every row in turn, with all others as its
        neighbours (leave-one-out); every row gets a value. A table: on its rows. A
        share such as 0.3: on so many rows of the table, which then get no value.
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
    snapshots = iter_values(
        table,
        n_neighbors=n_neighbors,
        test=test,
        subsets=subsets,
        baseline=baseline,
        scoring=scoring,
        near=near,
        budget=budget,
        target_stderr=target_stderr,
        random_state=random_state,
        n_jobs=n_jobs,
        executor=executor,
        continue_from=continue_from,
    )
    if sys.stderr.isatty():
        snapshots = shown(snapshots)
    for snapshot in snapshots:  # noqa: B007 - the last one is the result
        pass
    return snapshot.values
