"""Blocks: groups of rows and groups of columns as the players of the same 2D game.

A group is one player: it comes with all of its rows (or columns) or not at all. So a
block's value is the sum of its cells' values only where the utility adds up over cells.
"""

from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from cellval.errors import InputError, is_whole, require
from cellval.games.block_values import BlockValues
from cellval.games.estimate import Estimate, exactly
from cellval.games.exact import AllSubsets, values_of
from cellval.games.groups import (
    ROUNDS,
    Groups,
    columns_alone,
    columns_by,
    is_exact,
    n_evaluations,
    of_labelled,
    rows_by_column,
)
from cellval.games.knn_utility import Unions
from cellval.games.models import utility_of
from cellval.games.montecarlo import Call, Rounds, Seed, orders
from cellval.games.watched import Utility, is_compiled, line
from cellval.parallel import Budget, Computation, drive
from cellval.progress import Snapshot
from cellval.table.table import Table, as_table
from cellval.values.memory import COMPARED, check_memory
from cellval.values.options import RunOptions

MEASURED = 1.0  # seconds of evaluations from which a run's time is foretold


@dataclass(frozen=True, eq=False)
class BlockUtility:
    """What unions of groups are worth: h of all their rows and all their columns."""

    h: Any
    row_groups: Groups
    column_groups: Groups
    less: float = 0.0  # taken off unless there are no rows or no columns

    @property
    def compiled(self) -> bool:
        return is_compiled(self.h)

    def __call__(self, rows: np.ndarray, columns: np.ndarray) -> float:
        own = np.flatnonzero(np.isin(self.row_groups.of, rows))
        seen = np.flatnonzero(np.isin(self.column_groups.of, columns))
        less = self.less if own.size and seen.size else 0.0
        return float(self.h(own, seen)) - less

    def line(
        self, rows: np.ndarray, columns: np.ndarray, wanted: np.ndarray
    ) -> np.ndarray:
        """Utilities of row groups seen through the first 0, 1, ... column groups."""
        own = np.flatnonzero(np.isin(self.row_groups.of, rows))
        members = [np.flatnonzero(self.column_groups.of == g) for g in columns]
        ends = np.cumsum([0, *map(len, members)])
        asked = np.zeros(ends[-1] + 1, bool)
        asked[ends] = wanted
        found = line(self.h, own, np.concatenate(members), asked)[ends]
        if own.size:
            found[1:] -= self.less
        return found


class _BlockRounds(Rounds):
    """Random orders of the groups; all utilities of a round at once, where possible."""

    def whole(self, seed: Seed) -> Call | None:
        if hasattr(self.h.h, "chain"):
            return _chained, (self.h, seed)
        return super().whole(seed)


def _chained(game: BlockUtility, seed: Seed) -> tuple[np.ndarray, int]:
    """As `montecarlo.utilities`, by the utility's own `chain`."""
    rows, columns = orders(seed, (len(game.row_groups), len(game.column_groups)))
    own, seen = game.row_groups.members(), game.column_groups.members()
    u = game.h.chain([own[g] for g in rows], [seen[g] for g in columns])
    u[1:, 1:] -= game.less
    return u, rows.size * columns.size


@dataclass(frozen=True, eq=False)
class BlockGame:
    """Groups of rows and columns, and what their unions are worth, before a run."""

    h: Any  # utility of rows and columns of the table
    rows: Groups
    columns: Groups
    exact: bool
    rounds: int  # of a sampled run: random orders of the groups
    random_state: int

    @classmethod
    def of(
        cls,
        h: Utility,
        row_groups: Groups,
        column_groups: Groups,
        *,
        method: str = "auto",
        rounds: int = ROUNDS,
        random_state: int = 0,
    ) -> "BlockGame":
        """The groups, checked, without rows held out: no `players` of the utility."""
        require("rounds", rounds, is_whole(rounds, 1), "1 or more")
        players = getattr(h, "players", None)
        if players is not None:
            row_groups = row_groups.among(players)
        for groups, what in ((row_groups, "rows"), (column_groups, "columns")):
            if len(groups) == 0:
                raise InputError(
                    f"No {what} are in a group, so there is nothing to value."
                )
            if (groups.sizes == 0).any():
                empty = groups.names[int(np.argmin(groups.sizes))]
                raise InputError(f"Group '{empty}' has no {what}; leave it out.")
        if len(row_groups) * len(column_groups) == 1:
            raise InputError(
                "There is one group of rows and one of columns, so there is nothing to "
                "share. Make at least two groups."
            )
        exact = is_exact(row_groups, column_groups, method)
        return cls(h, row_groups, column_groups, exact, rounds, random_state)

    @property
    def guess(self) -> float:
        return float(getattr(self.h, "guess", np.nan))

    @property
    def n_jobs(self) -> int | None:
        """All cores for KNN and models by name; functions may not be thread-safe."""
        return None if hasattr(self.h, "players") else 1

    def computation(self) -> Computation[Any, Any]:
        """Of all utilities, or of rounds of the game above a guess.

        Whoever comes first brings what a guess reaches; by whom that is, values from 0
        would vary most. Everybody's mean part of it is known: it is added in the end.
        """
        if self.exact and hasattr(self.h, "unions"):
            unions: Unions = self.h.unions(self.rows.members(), self.columns.members())
            return unions
        less = 0.0 if self.exact else float(np.nan_to_num(self.guess))
        h = BlockUtility(self.h, self.rows, self.columns, less)
        shape = len(self.rows), len(self.columns)
        if self.exact:
            return AllSubsets(h, *shape)
        return _BlockRounds(h, *shape, self.rounds, random_state=self.random_state)

    def values(self, found: Any) -> BlockValues:
        """From what the computation gives."""
        if self.exact:
            estimate: Estimate = exactly(values_of(found))
            back, n = 0.0, n_evaluations(self.rows, self.columns, "exact")
        else:
            estimate, n = found, found.n_evaluations
            back = np.nan_to_num(self.guess) / estimate.values.size
        return BlockValues(
            self.rows.names,
            self.columns.names,
            estimate.values + back,
            estimate.stderr,
            estimate.row_stderr,
            estimate.column_stderr,
            self.rows.sizes,
            self.columns.sizes,
            self.exact,
            n,
            self.guess,
        )

    def play(
        self,
        *,
        target_stderr: float | None = None,
        budget: float | None = None,
        executor: Executor | None = None,
        n_jobs: int | None = None,
    ) -> Iterator[Snapshot[BlockValues]]:
        """Value all blocks; a budget is for sampled values only."""
        stops = Budget() if self.exact else Budget(budget, target_stderr)
        steps = drive(
            self.computation(),
            budget=stops,
            n_jobs=self.n_jobs if n_jobs is None else n_jobs,
            executor=executor,
        )
        return _valued(self, steps)

    def foretell(self) -> Iterator[Snapshot[float]]:
        """The seconds that `play` would take, after a second or two of it.

        Utilities are evaluated in a random order (KNN: all of them, for one test point
        after the other), so that the first are like the others.
        """
        self.h(self.rows.members()[0], self.columns.members()[0])  # loads what it needs
        with closing(drive(self.computation(), n_jobs=self.n_jobs)) as steps:
            for step in steps:
                whole = step.seconds + step.seconds_left
                if np.isfinite(whole):
                    over = step.done >= 1 or step.seconds >= MEASURED
                    done = 1.0 if over else step.seconds / MEASURED
                    yield Snapshot(done, step.seconds, make=partial(float, whole))
                    if over:
                        return


def _valued(
    game: BlockGame, steps: Generator[Snapshot[Any], None, None]
) -> Iterator[Snapshot[BlockValues]]:
    with closing(steps):
        for step in steps:
            yield step.then(game.values)


def iter_blocks(
    table: Table | pd.DataFrame,
    row_groups: Groups | str,
    column_groups: Groups | Mapping[str, Sequence[str]] | None = None,
    *,
    model: Any = "knn",
    test: Table | pd.DataFrame | float | None = None,
    n_neighbors: int = RunOptions.n_neighbors,
    width: float | None = None,
    method: str = "auto",
    rounds: int = ROUNDS,
    target_stderr: float | None = None,
    budget: float | None = None,
    random_state: int = 0,
    executor: Executor | None = None,
    n_jobs: int | None = None,
) -> Iterator[Snapshot[BlockValues]]:
    """Value blocks step by step; options are those of `value_blocks`.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read("sample_data/davis.csv", label="sex")
    >>> for snapshot in cellval.iter_blocks(table, "sex"):
    ...     pass
    >>> snapshot.done, snapshot.result.values.shape
    (1.0, (2, 4))
    """
    table = as_table(table)
    if isinstance(test, pd.DataFrame):
        test = as_table(test, like=table)
    check_memory(table, COMPARED)
    is_told = isinstance(row_groups, str | Groups)
    require("row_groups", row_groups, is_told, "a column, or Groups")
    is_told = column_groups is None or isinstance(column_groups, Groups | Mapping)
    require("column_groups", column_groups, is_told, "a mapping, or Groups")
    if isinstance(row_groups, str):
        row_groups = rows_by_column(table.labelled, row_groups)
    elif table.labelled is not table:
        row_groups = of_labelled(row_groups, table)
    if column_groups is None:
        column_groups = columns_alone(table)
    elif not isinstance(column_groups, Groups):
        column_groups = columns_by(table, column_groups)
    how: dict[str, Any] = {"n_neighbors": n_neighbors, "random_state": random_state}
    h = utility_of(table.labelled, model, test=test, width=width, **how)
    options: dict[str, Any] = {"rounds": rounds, "random_state": random_state}
    game = BlockGame.of(h, row_groups, column_groups, method=method, **options)
    return game.play(
        target_stderr=target_stderr, budget=budget, executor=executor, n_jobs=n_jobs
    )


def value_blocks(
    table: Table | pd.DataFrame,
    row_groups: Groups | str,
    column_groups: Groups | Mapping[str, Sequence[str]] | None = None,
    **options: Any,
) -> BlockValues:
    """What groups of rows, seen through groups of columns, add to a model's score.

    Parameters
    ----------
    table : Table or DataFrame
    row_groups : Groups or str
        A column's name stands for the rows with the same text in it.
    column_groups : Groups or mapping of names to columns, optional
        None: every column alone.
    model : str, or scikit-learn classifier (of a label of numbers: regressor)
        "knn" (default), "tree", "logistic" (of numbers: ridge regression) or
        "boosting".
    test : Table, DataFrame, float or None
        Rows to test on, or a share of the table's to hold out. None is leave-one-out
        for KNN, 0.3 for models.
    n_neighbors : int
        Of KNN.
    width : float, optional
        Of a label of numbers, as in `value_cells`.
    method : "auto", "exact" or "mc"
        Exact (2^R x 2^C utilities) for up to 16 groups in all, else random orders of
        the groups.
    rounds, target_stderr, budget : int, float, float
        Monte Carlo: rounds at most, the mean standard error to stop at, seconds to stop
        after.
    random_state : int
        Of orders, of the hold-out and of models.
    executor, n_jobs
        Where, and how many pieces at a time. The same bits for any number.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read("sample_data/adult_2000.csv", label="income")
    >>> blocks = cellval.value_blocks(table, "sex", {"work": ["workclass"]})
    >>> blocks.row_groups, round(blocks.total, 3)
    (('Male', 'Female'), 0.754)
    """
    *_, last = iter_blocks(table, row_groups, column_groups, **options)
    return last.result
