"""2D-OOB: how often trees that use a cell's column predict its row (Sun et al., 2024).

Trees are trained on bootstraps of the rows with half of the columns each. A cell's
score is the share of trees that predict its row correctly, among those that did not
train on the row and use the column. No test set is needed. The scores are not additive:
they sum to nothing in particular, and are about 1 for cells of easy rows.
"""

import time
from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np

from cellval.games.model_utility import matrices
from cellval.games.tree import Trees
from cellval.parallel import in_order
from cellval.table.table import Table

AT_ONCE = 50  # trees between two snapshots
ROWS_AT_ONCE = 100_000  # of all of them: some tenths of a second


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores after some trees.

    Attributes
    ----------
    values, stderr : ndarray of shape (n_rows, n_columns)
        NaN where no tree has judged the cell.
    n_trees : int
    done : float
        Share of the trees.
    """

    values: np.ndarray
    stderr: np.ndarray
    n_trees: int
    done: float
    seconds: float
    seconds_left: float


def iter_oob(
    table: Table,
    *,
    n_trees: int = 1000,
    random_state: int = 0,
    executor: Executor | None = None,
    n_jobs: int = 1,
) -> Iterator[Scores]:
    """Yield scores as trees are added; the same bits for any number of workers.

    Parameters
    ----------
    executor : Executor, optional
        Where trees grow, best threads; `n_jobs` at a time. Without one, here.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read_csv("sample_data/davis.csv", label="sex")
    >>> for scores in iter_oob(table, n_trees=100):
    ...     pass
    >>> scores.values.shape, bool(np.nanmean(scores.values) > 0.7)
    ((200, 4), True)
    """
    started = time.monotonic()
    X, _, features = matrices(table, table)
    is_number = [column.numbers is not None for column in table.features]
    trees = Trees.of(X, X, features, is_number, table.y)
    judged = np.zeros((table.n_rows, len(features)))
    right = judged.copy()
    size = max(1, min(AT_ONCE, ROWS_AT_ONCE // table.n_rows))
    tasks = [
        (trees, random_state, first, min(first + size, n_trees))
        for first in range(0, n_trees, size)
    ]
    results: Any = in_order(_votes, tasks, executor, n_jobs)
    try:
        for (*_, done), (more_judged, more_right) in zip(tasks, results, strict=True):
            judged += more_judged
            right += more_right
            seconds = time.monotonic() - started
            left = seconds * (n_trees - done) / done
            shares = _shares(judged, right)
            yield Scores(*shares, done, done / n_trees, seconds, left)
    finally:
        results.close()


def _votes(
    trees: Trees, random_state: int, first: int, last: int
) -> tuple[np.ndarray, np.ndarray]:
    """How many of some trees have judged each cell, and were right."""
    n, m = trees.cells.y.size, trees.cells.first.size - 1
    size = last - first
    outside, correct = np.zeros((size, n)), np.zeros((size, n))
    used = np.zeros((size, m))
    for k in range(size):
        draw = np.random.default_rng([random_state, first + k])
        columns = draw.permutation(m)[: max(1, m // 2)]
        rows = draw.integers(0, n, n)
        left_out = np.setdiff1d(np.arange(n), rows)
        used[k, columns] = 1.0
        outside[k, left_out] = 1.0
        said = trees.predict(rows, columns, left_out)
        correct[k, left_out] = said == trees.cells.y[left_out]
    return outside.T @ used, correct.T @ used


def _shares(judged: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Share of right ones, and its standard error."""
    with np.errstate(invalid="ignore", divide="ignore"):
        # above 0 also where all trees agree (Laplace)
        p = (right + 1.0) / (judged + 2.0)
        stderr = np.where(judged > 0, np.sqrt(p * (1 - p) / judged), np.nan)
        return right / judged, stderr
