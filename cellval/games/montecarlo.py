"""2D-Shapley-MC: random orders of rows and columns, one utility per cell and round.

In a round the rows come in a random order, and the columns in another. With u[s, f] the
utility of the first s rows seen through the first f columns, the cell where the s-th
row meets the f-th column gets

    u[s, f] - u[s-1, f] - u[s, f-1] + u[s-1, f-1]                      (Algorithm 1)

so that three of the four terms are known and two lines of u are all that is kept.
"""

import time
from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np

from cellval.games.model_utility import Utility, line
from cellval.parallel import in_order
from cellval.weights import Weights, relative, shapley

FEWEST_ROUNDS = 10  # before a standard error is believed
PRIOR = 30  # rounds that a cell takes over from the others in its column (measured)


@dataclass(frozen=True, eq=False)
class Estimate:
    """Values after some rounds.

    Attributes
    ----------
    values, stderr : ndarray of shape (n_rows, n_columns)
        Mean over rounds and its standard error (NaN after one round).
    row_stderr, column_stderr : ndarray
        Of the sums over rows and columns.
    n_rounds, n_evaluations : int
    done : float
        Share of the rounds.
    """

    values: np.ndarray
    stderr: np.ndarray
    row_stderr: np.ndarray
    column_stderr: np.ndarray
    n_rounds: int
    n_evaluations: int
    done: float
    seconds: float
    seconds_left: float


def one_round(
    h: Utility,
    n_rows: int,
    n_columns: int,
    seed: tuple[int, int],
    weights: tuple[Weights, Weights] = (shapley, shapley),
    truncation: float | None = None,
) -> tuple[np.ndarray, int]:
    """Marginal contributions of all cells in one pair of orders, and evaluations made.

    With `truncation`, the rest of a line of u is taken as its utility with all rows as
    soon as it comes within the tolerance of that.
    """
    draw = np.random.default_rng(seed)
    rows, columns = draw.permutation(n_rows), draw.permutation(n_columns)
    row_factor = relative(weights[0], n_rows)
    column_factor = relative(weights[1], n_columns)
    marginal = np.zeros((n_rows, n_columns))
    all_of_it = np.ones(n_columns + 1, bool)
    before, n = line(h, np.array([], np.int64), columns, all_of_it), 0
    whole, settled = None, ~all_of_it
    if truncation is not None:
        whole = line(h, np.arange(n_rows), columns, all_of_it)
        n += n_columns
    for s in range(1, n_rows + 1):
        now = line(h, np.sort(rows[:s]), columns, ~settled)
        now[settled] = before[settled]
        n += int(np.count_nonzero(~settled[1:]))
        if whole is not None:
            settled |= np.abs(now - whole) <= truncation
            now[settled] = whole[settled]
        gain = np.diff(now - before)
        marginal[rows[s - 1], columns] = row_factor[s - 1] * column_factor * gain
        before = now
    return marginal, n


def iter_rounds(
    h: Utility,
    n_rows: int,
    n_columns: int,
    *,
    rounds: int = 100,
    row_weights: Weights = shapley,
    column_weights: Weights = shapley,
    truncation: float | None = None,
    target_stderr: float | None = None,
    random_state: int = 0,
    executor: Executor | None = None,
    n_jobs: int = 1,
) -> Iterator[Estimate]:
    """Yield an estimate after every round; the same bits for any number of workers.

    Parameters
    ----------
    h : Utility
        Must be picklable to run on processes.
    truncation : float, optional
        Tolerance of the utility; an approximation, off by default.
    target_stderr : float, optional
        Stop when the mean standard error of the cells is at most this (but not before
        ten rounds).
    executor : Executor, optional
        Where rounds run (`default_executor(h, n_jobs)`); `n_jobs` of them at a time.
        Without one, here.

    Examples
    --------
    >>> h = lambda rows, columns: float(len(rows) * len(columns))
    >>> for estimate in iter_rounds(h, 3, 2, rounds=5):
    ...     pass
    >>> estimate.values.round(6).tolist(), estimate.n_evaluations
    ([[1.0, 1.0], [1.0, 1.0], [1.0, 1.0]], 30)
    """
    started = time.monotonic()
    weights = (row_weights, column_weights)
    sums = Sums.of(n_rows, n_columns)
    tasks = (
        (h, n_rows, n_columns, (random_state, r), weights, truncation)
        for r in range(rounds)
    )
    results: Any = in_order(one_round, tasks, executor, n_jobs)
    try:
        for marginal, n in results:
            sums = sums.plus(marginal, n)
            estimate = sums.estimate(rounds, time.monotonic() - started)
            over = (
                target_stderr is not None
                and sums.n_rounds >= FEWEST_ROUNDS
                and float(np.mean(estimate.stderr)) <= target_stderr
            )
            yield estimate
            if over:
                return
    finally:
        results.close()


@dataclass(frozen=True, eq=False)
class Sums:
    n_rounds: int
    n_evaluations: int
    cells: tuple[np.ndarray, np.ndarray]  # sums, and sums of squares
    rows: tuple[np.ndarray, np.ndarray]
    columns: tuple[np.ndarray, np.ndarray]

    @classmethod
    def of(cls, n: int, m: int) -> "Sums":
        return cls(0, 0, *((np.zeros(s), np.zeros(s)) for s in ((n, m), (n,), (m,))))

    def plus(self, marginal: np.ndarray, n_evaluations: int) -> "Sums":
        parts = (marginal, marginal.sum(axis=1), marginal.sum(axis=0))
        old = (self.cells, self.rows, self.columns)
        new = [(a + x, b + x * x) for (a, b), x in zip(old, parts, strict=True)]
        return Sums(self.n_rounds + 1, self.n_evaluations + n_evaluations, *new)

    def estimate(self, rounds: int, seconds: float) -> Estimate:
        n = self.n_rounds

        def error(sums: tuple[np.ndarray, np.ndarray], shared: bool) -> np.ndarray:
            if n < 2:
                return np.full(sums[0].shape, np.nan)
            spread = np.maximum(sums[1] - sums[0] ** 2 / n, 0.0)
            if shared:
                # Most rounds see no change in a cell, so its own few may all agree: it
                # counts as if it had seen PRIOR rounds like those of all rows, too.
                usual = np.mean(spread / (n - 1), axis=0)
                spread = (spread + PRIOR * usual) * (n - 1) / (n - 1 + PRIOR)
            return np.asarray(np.sqrt(spread / (n - 1) / n))

        return Estimate(
            self.cells[0] / n,
            error(self.cells, shared=True),
            error(self.rows, shared=True),
            error(self.columns, shared=False),
            n,
            self.n_evaluations,
            n / rounds,
            seconds,
            seconds * (rounds - n) / n,
        )
