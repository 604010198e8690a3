"""Blocks: groups of rows and groups of columns as the players of the same 2D game.

A group is one player: it comes with all of its rows (or columns) or not at all. So a
block's value is the sum of its cells' values only where the utility adds up over cells.
"""

import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cellval.errors import InputError, is_whole, require
from cellval.games.block_values import BlockValues
from cellval.games.exact import iter_utilities, values_of
from cellval.games.groups import ROUNDS, Groups, is_exact, n_evaluations
from cellval.games.knn_utility import KnnUtility
from cellval.games.model_utility import Utility, line
from cellval.games.montecarlo import FEWEST_ROUNDS, Sums, one_round
from cellval.games.watched import Watched
from cellval.parallel import TICK, in_order, n_cores

MEASURED = 1.0  # seconds of evaluations from which a run's time is foretold


@dataclass(frozen=True, eq=False)
class BlockUtility:
    """What unions of groups are worth: h of all their rows and all their columns.

    Examples
    --------
    >>> groups = Groups(("a", "b"), np.array([0, 1, 1]))
    >>> h = BlockUtility(lambda rows, columns: len(rows) * len(columns), groups, groups)
    >>> h(np.array([1]), np.array([0, 1]))
    6.0
    """

    h: Utility
    row_groups: Groups
    column_groups: Groups
    less: float = 0.0  # taken off unless there are no rows or no columns

    @property
    def compiled(self) -> bool:
        return bool(getattr(self.h, "compiled", True))

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


def iter_blocks(
    h: Utility,
    row_groups: Groups,
    column_groups: Groups,
    *,
    method: str = "auto",
    rounds: int = ROUNDS,
    target_stderr: float | None = None,
    budget: float | None = None,
    random_state: int = 0,
    executor: Executor | None = None,
    n_jobs: int | None = None,
) -> Iterator[BlockValues]:
    """Value all blocks of row groups x column groups; yields snapshots.

    Parameters
    ----------
    h : Utility
        Of rows and columns of the table. Where it has `players` (rows that are not held
        out for testing), other rows belong to no group.
    row_groups, column_groups : Groups
    method : "auto", "exact" or "mc"
        Exact (2^R x 2^C utilities) for up to 16 groups in all, else random orders of
        the groups.
    rounds, target_stderr, budget : int, float, float
        Monte Carlo: rounds at most, the mean standard error to stop at, seconds to stop
        after.
    executor : Executor, optional
        `n_jobs` pieces of work run on it at a time. Without, threads are used.
    n_jobs : int, optional
        Default: all cores for KNN and the models of `utility_of`, one for other
        functions. The same bits for any number.

    Examples
    --------
    >>> groups = Groups(("a", "b"), np.array([0, 1, 1]))
    >>> h = lambda rows, columns: float(len(rows) * len(columns))
    >>> *_, blocks = iter_blocks(h, groups, groups)
    >>> blocks.values.round(9).tolist(), blocks.total, blocks.exact
    ([[1.0, 2.0], [2.0, 4.0]], 9.0, True)
    """
    row_groups, column_groups = in_game(h, row_groups, column_groups)
    require("rounds", rounds, is_whole(rounds, 1), "1 or more")
    exact = is_exact(row_groups, column_groups, method)
    started = time.monotonic()
    guess = float(getattr(h, "guess", np.nan))
    n_jobs = _n_jobs(h, n_jobs)
    less = 0.0 if exact or np.isnan(guess) else guess
    game = BlockUtility(h, row_groups, column_groups, less)
    watched = Watched(game)
    pool = executor or ThreadPoolExecutor(n_jobs, "blocks")
    if exact:
        snapshots = _exact(game, watched, pool, n_jobs)
    else:
        plan = (rounds, target_stderr, random_state)
        snapshots = _sampled(game, watched, plan, pool, n_jobs)
    snapshot = None
    try:
        for snapshot in snapshots:
            spent = time.monotonic() - started
            left = spent * (1 - snapshot.done) / max(snapshot.done, 1e-12)
            snapshot = replace(snapshot, seconds=spent, seconds_left=left, guess=guess)
            yield snapshot
            known = snapshot.values is not None
            if budget is not None and not exact and known and spent >= budget:
                break
        if snapshot is not None and snapshot.done < 1:  # a target or the budget
            yield replace(snapshot, done=1.0, seconds_left=0.0)
    finally:
        watched.stop = True
        snapshots.close()
        if executor is None:
            pool.shutdown(cancel_futures=True)


def value_blocks(
    h: Utility, row_groups: Groups, column_groups: Groups, **options: Any
) -> BlockValues:
    """The end of `iter_blocks`.

    Examples
    --------
    >>> import cellval
    >>> from cellval.games import columns_by_kind, rows_by_column
    >>> table = cellval.read_csv("sample_data/adult_2000.csv", label="income")
    >>> sources, kinds = rows_by_column(table, "sex"), columns_by_kind(table)
    >>> blocks = value_blocks(KnnUtility(table), sources, kinds)
    >>> blocks.row_groups, round(blocks.total, 3)
    (('Male', 'Female'), 0.754)
    """
    *_, blocks = iter_blocks(h, row_groups, column_groups, **options)
    return blocks


def in_game(
    h: Utility, row_groups: Groups, column_groups: Groups
) -> tuple[Groups, Groups]:
    """The groups without rows that are held out, checked."""
    players = getattr(h, "players", None)
    if players is not None:
        row_groups = row_groups.among(players)
    for groups, what in ((row_groups, "rows"), (column_groups, "columns")):
        if len(groups) == 0:
            raise InputError(f"No {what} are in a group, so there is nothing to value.")
        if (groups.sizes == 0).any():
            empty = groups.names[int(np.argmin(groups.sizes))]
            raise InputError(f"Group '{empty}' has no {what}; leave it out.")
    if len(row_groups) * len(column_groups) == 1:
        raise InputError(
            "There is one group of rows and one of columns, so there is nothing to "
            "share. Make at least two groups."
        )
    return row_groups, column_groups


def _exact(
    game: BlockUtility, watched: Watched, pool: Executor, n_jobs: int
) -> Generator[BlockValues, None, None]:
    rows, columns = game.row_groups, game.column_groups
    n = n_evaluations(rows, columns)
    for done, utilities in _iter_unions(game, watched, pool, n_jobs):
        values = values_of(utilities) if done >= 1 else None
        yield _snapshot(rows, columns, values, round(done * n), done)


def _iter_unions(
    game: BlockUtility, watched: Watched, pool: Executor, n_jobs: int
) -> Iterator[tuple[float, np.ndarray]]:
    rows, columns = game.row_groups, game.column_groups
    if isinstance(game.h, KnnUtility):
        return game.h.iter_unions(rows.members(), columns.members(), pool, n_jobs)
    options: dict[str, Any] = {"executor": pool, "n_jobs": n_jobs, "every": TICK}
    return iter_utilities(watched, len(rows), len(columns), **options)


def _sampled(
    game: BlockUtility,
    watched: Watched,
    plan: tuple[int, float | None, int],
    pool: Executor,
    n_jobs: int,
) -> Generator[BlockValues, None, None]:
    """Rounds of the game above a guess.

    Whoever comes first brings what a guess reaches; by whom that is, values from 0
    would vary most. Everybody's mean part of it is known: it is added in the end.
    """
    rounds, target_stderr, random_state = plan
    rows, columns = game.row_groups, game.column_groups
    shape = len(rows), len(columns)
    back = game.less / (shape[0] * shape[1])
    work: Iterator[tuple[Any, ...]]
    if isinstance(game.h, KnnUtility):
        task: Callable[..., Any] = _knn_round
        work = ((game, (random_state, r)) for r in range(rounds))
    else:
        task = one_round
        work = ((watched, *shape, (random_state, r)) for r in range(rounds))
    sums = Sums.of(*shape)
    now = replace(_snapshot(rows, columns, None, 0, 0.0), exact=False)
    for result in in_order(task, work, pool, n_jobs, TICK):
        if result is None:
            inside = watched.n / (rounds * shape[0] * shape[1])
            yield replace(now, done=min(0.999, max(inside, now.done)))
            continue
        sums = sums.plus(*result)
        found = sums.estimate(rounds, 0.0)
        now = replace(
            _snapshot(
                rows, columns, found.values + back, found.n_evaluations, found.done
            ),
            stderr=found.stderr,
            row_stderr=found.row_stderr,
            column_stderr=found.column_stderr,
            exact=False,
        )
        yield now
        enough = -1.0 if target_stderr is None else target_stderr
        if sums.n_rounds >= FEWEST_ROUNDS and float(np.mean(found.stderr)) <= enough:
            return


def _knn_round(game: BlockUtility, seed: tuple[int, int]) -> tuple[np.ndarray, int]:
    """As `one_round`, with all utilities of the round at once."""
    draw = np.random.default_rng(seed)
    rows = draw.permutation(len(game.row_groups))
    columns = draw.permutation(len(game.column_groups))
    own, seen = game.row_groups.members(), game.column_groups.members()
    u = game.h.chain([own[g] for g in rows], [seen[g] for g in columns])  # type: ignore[attr-defined] # KNN's
    u[1:, 1:] -= game.less
    marginal = np.empty((rows.size, columns.size))
    marginal[np.ix_(rows, columns)] = np.diff(np.diff(u, axis=0), axis=1)
    return marginal, marginal.size


def _snapshot(
    rows: Groups, columns: Groups, values: np.ndarray | None, n: int, done: float
) -> BlockValues:
    r, c = len(rows), len(columns)
    return BlockValues(
        rows.names,
        columns.names,
        values,
        np.zeros((r, c)),
        np.zeros(r),
        np.zeros(c),
        rows.sizes,
        columns.sizes,
        True,
        n,
        done,
        0.0,
        0.0,
    )


def _n_jobs(h: Utility, n_jobs: int | None) -> int:
    if n_jobs is not None:
        return max(1, int(n_jobs))
    return n_cores() if hasattr(h, "players") else 1


# --- how long will it take ------------------------------------------------------------


@dataclass(frozen=True)
class Expected:
    """How long a run would take, from a few of its evaluations."""

    run_seconds: float
    n_evaluations: int
    done: float
    seconds: float
    seconds_left: float = 0.0


def iter_expected(
    h: Utility,
    row_groups: Groups,
    column_groups: Groups,
    *,
    method: str = "auto",
    rounds: int = ROUNDS,
    n_jobs: int | None = None,
) -> Iterator[Expected]:
    """Foretell the seconds of `iter_blocks` with these options, in a second or two.

    Examples
    --------
    >>> groups = Groups(("a", "b"), np.array([0, 1, 1]))
    >>> *_, expected = iter_expected(lambda rows, columns: 1.0, groups, groups)
    >>> expected.run_seconds < 1, expected.n_evaluations
    (True, 9)
    """
    row_groups, column_groups = in_game(h, row_groups, column_groups)
    exact = is_exact(row_groups, column_groups, method)
    n = n_evaluations(row_groups, column_groups, method, rounds)
    n_jobs = _n_jobs(h, n_jobs)
    h(row_groups.members()[0], column_groups.members()[0])  # whatever loads, loads now
    game = BlockUtility(h, row_groups, column_groups)
    watched = Watched(game)
    with ThreadPoolExecutor(n_jobs, "blocks") as pool:
        started = time.monotonic()
        if exact:
            # Evaluated in a random order (KNN: all of them, for one test after
            # another), so that the first are like the others.
            for done, _ in _iter_unions(game, watched, pool, n_jobs):
                spent = time.monotonic() - started
                share = max(done, watched.n / n)
                if share == 0:
                    continue
                yield Expected(spent / share, n, min(1.0, spent / MEASURED), spent)
                if spent >= MEASURED:
                    break
            watched.stop = True
            return
        draw = np.random.default_rng(0)
        known = 0
        if isinstance(h, KnnUtility):
            work = [(game, (0, r)) for r in range(rounds)]
            for k, _ in enumerate(in_order(_knn_round, work, pool, n_jobs), 1):
                spent = time.monotonic() - started
                yield Expected(rounds * spent / k, n, min(1.0, spent / MEASURED), spent)
                if spent >= MEASURED and k >= n_jobs:
                    break
            return
        while known == 0 or (time.monotonic() - started < MEASURED and known < n):
            pairs = [
                tuple(
                    draw.permutation(size)[: draw.integers(1, size + 1)]
                    for size in (len(row_groups), len(column_groups))
                )
                for _ in range(n_jobs)
            ]
            list(pool.map(game, *zip(*pairs, strict=True)))
            known += len(pairs)
            spent = time.monotonic() - started
            yield Expected(n * spent / known, n, min(1.0, spent / MEASURED), spent)
