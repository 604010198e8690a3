"""`CellValues` by any method but KNN's, step by step."""

import time
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from cellval.errors import InputError
from cellval.games.game import Found, Game, make_game
from cellval.games.montecarlo import FEWEST_ROUNDS
from cellval.games.oob import iter_oob
from cellval.games.playing import play
from cellval.methods import METHODS
from cellval.parallel import n_workers
from cellval.table.table import Table
from cellval.values.result import CellValues

PROCESSES = 3.0  # seconds until worker processes have loaded


@dataclass(frozen=True, eq=False)
class GameSnapshot:
    """Where a game stands. `values` is computed when asked for.

    Attributes
    ----------
    estimate : Found or None
        None before there are values.
    seen : str
        How much was done, in words.
    """

    game: "Game"
    estimate: "Found | None"
    seen: str
    design: str
    done: float
    seconds: float
    seconds_left: float
    compiling: bool = False

    @property
    def n_test(self) -> int:
        """Test rows that the estimate speaks for."""
        return self.game.n_test if self.has_values else 0

    @property
    def has_values(self) -> bool:
        return self.estimate is not None

    @cached_property
    def values(self) -> CellValues:
        """The estimate so far."""
        return self.game.cell_values(self.estimate, self.design)


def iter_game(
    table: Table | pd.DataFrame,
    *,
    budget: float | None = None,
    target_stderr: float | None = None,
    n_jobs: int | None = None,
    executor: Executor | None = None,
    **options: Any,
) -> Iterator[GameSnapshot]:
    """Value the cells of a table by a game; see `cellval.value_cells`.

    Closing the iterator stops the run. The values are the same bit for bit for any
    number of workers.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read_csv("sample_data/davis.csv", label="sex")
    >>> *_, last = iter_game(table, method="loo")
    >>> last.seen, last.values.values.shape
    ('140 of 140 rows left out', (200, 4))
    """
    game = make_game(table, budget=budget, target_stderr=target_stderr, **options)
    return _run(game, n_workers(n_jobs, executor), executor, budget, target_stderr)


def _run(
    game: Game,
    n_jobs: int,
    executor: Executor | None,
    budget: float | None,
    target_stderr: float | None,
) -> Iterator[GameSnapshot]:
    yield GameSnapshot(game, None, "", "", 0.0, 0.0, float("nan"), compiling=True)
    _warm_up(game)  # so that no budget pays for it
    started = time.monotonic()
    with closing(play(game, n_jobs, executor)) as steps:
        for step in steps:
            seconds, done = time.monotonic() - started, step.done
            left = seconds * (1 - done) / done if done else float("nan")
            over = done >= 1
            if budget is not None:
                left = (
                    min(left, max(0.0, budget - seconds)) if done else budget - seconds
                )
                done = max(done, min(1.0, seconds / budget))
                if seconds >= budget and step.estimate is None:
                    raise InputError(
                        f"After {budget:g} seconds there are no values yet: "
                        f"{METHODS[game.method].title} needs longer on this table. "
                        "Give it more time, or use the KNN method."
                    )
                over = over or seconds >= budget
            if (
                target_stderr is not None
                and step.estimate is not None
                and step.n_rounds >= FEWEST_ROUNDS
            ):
                over = over or float(np.nanmean(step.estimate.stderr)) <= target_stderr
            if over:
                done, left = 1.0, 0.0
            yield GameSnapshot(
                game, step.estimate, step.seen, step.design, done, seconds, left
            )
            if over:
                return


def _warm_up(game: Game) -> None:
    """Load and compile what evaluations need."""
    n, m = game.shape
    if game.method == "oob":
        list(iter_oob(game.table, n_trees=1))
    elif game.method == "flat":
        game.h(np.ones((n, m), bool))
    elif game.h is not None:
        game.h(np.arange(min(n, 2)), np.arange(1))


def expected_seconds(
    table: Table, *, n_jobs: int | None = None, **options: Any
) -> float:
    """About how long a run would take here: a few evaluations are made and timed."""
    game = make_game(table, **options)
    if game.method == "random":
        return 0.0
    _warm_up(game)
    width = n_workers(n_jobs, None)
    seconds = _one_evaluation(game) * game.n_evaluations / width
    if width > 1 and not getattr(game.h, "compiled", True):
        seconds += PROCESSES
    budget = options.get("budget")
    return seconds if budget is None else min(seconds, float(budget))


def _one_evaluation(game: Game) -> float:
    """Seconds of a usual evaluation (of "oob": of a tree), the shorter of two."""
    n, m = game.shape
    draw = np.random.default_rng(0)
    share = 1 if game.method == "loo" else 2
    each = []
    for _ in range(2):
        rows = np.sort(draw.permutation(n)[: max(1, n // share)])
        columns = np.sort(draw.permutation(m)[: max(1, m // share)])
        began = time.monotonic()
        if game.method == "oob":
            list(iter_oob(game.table, n_trees=2))
        elif game.method == "flat":
            game.h(draw.random((n, m)) < 0.5)
        else:
            game.h(rows, columns)
        each.append(time.monotonic() - began)
    return min(each) / (2 if game.method == "oob" else 1)
