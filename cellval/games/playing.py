"""How each method plays a game: from a `Game` to steps of an estimate."""

from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cellval.games.exact import iter_utilities, values_of
from cellval.games.flat import flat_round
from cellval.games.game import Found, Game
from cellval.games.leave_one_out import gains, line_without
from cellval.games.montecarlo import Sums, one_round
from cellval.games.oob import iter_oob
from cellval.games.watched import Watched
from cellval.parallel import TICK, default_executor, in_order
from cellval.weights import named


@dataclass(frozen=True, eq=False)
class Step:
    """What a method knows at one moment; `estimate` as in `GameSnapshot`."""

    done: float
    estimate: Found | None
    seen: str
    design: str
    n_rounds: int = 0  # of a sampled estimate


def play(
    game: Game, n_jobs: int, executor: Executor | None
) -> Generator[Step, None, None]:
    if game.method == "random":
        yield _random(game)
        return
    if game.method == "oob":
        yield from _out_of_bag(game, executor, n_jobs)
        return
    own = None
    if executor is None:
        # one worker can be a thread, whatever it does
        one = n_jobs == 1
        own = ThreadPoolExecutor(1) if one else default_executor(game.h, n_jobs)
    pool = executor or own
    assert pool is not None
    watched = Watched(game.h) if isinstance(own, ThreadPoolExecutor) else None
    game = replace(game, h=watched or game.h)

    def done(n: int, n_all: int) -> float:
        """Share of the run: of the evaluations where they are counted, or of tasks."""
        inside = watched.n / game.n_evaluations if watched else 0.0
        return 1.0 if n == n_all else min(0.999, max(inside, n / n_all))

    by = {"exact": _exact, "loo": _leave_one_out}.get(game.method, _rounds)
    steps = by(game, pool, n_jobs, done)
    over = False
    try:
        yield from steps
        over = True
    finally:
        if watched:
            watched.stop = True
        elif own is not None and not over:  # before its tasks are cancelled
            own.shutdown(kill_workers=True)  # type: ignore[call-arg] # it is joblib's
        steps.close()
        if own is not None:
            own.shutdown()


def _rounds(
    game: Game, pool: Executor, n_jobs: int, done: Any
) -> Generator[Step, None, None]:
    """Random orders, by 2D-Shapley-MC or of all cells alike."""
    n, m = game.shape
    seed = game.settings["random_state"]
    weights = tuple(named(game.settings[f"{of}_weights"]) for of in ("row", "column"))
    tasks: Iterator[tuple[Any, ...]]
    if game.method == "flat":
        task: Callable[..., Any] = _flat_round
        tasks = ((game.h, n, m, (seed, r)) for r in range(game.rounds))
        orders = "of all cells"
    else:
        task = one_round
        options = (weights, game.truncation)
        tasks = ((game.h, n, m, (seed, r), *options) for r in range(game.rounds))
        orders = "of rows and columns"
    sums, estimate = Sums.of(n, m), None
    for result in in_order(task, tasks, pool, n_jobs, TICK):
        if result is not None:
            sums = sums.plus(*result)
            e = sums.estimate(game.rounds, 0.0)
            estimate = Found(e.values, e.stderr, e.row_stderr, e.column_stderr)
        k = sums.n_rounds
        seen = f"{k:,} of {game.rounds:,} rounds"
        design = f"{k:,} random {'order' if k == 1 else 'orders'} {orders}"
        design += _weights_words(game.settings)
        yield Step(done(k, game.rounds), estimate, seen, design, k)


def _flat_round(
    h: Any, n_rows: int, n_columns: int, seed: tuple[int, int]
) -> tuple[np.ndarray, int]:
    return flat_round(h, n_rows, n_columns, seed), n_rows * n_columns


def _leave_one_out(
    game: Game, pool: Executor, n_jobs: int, done: Any
) -> Generator[Step, None, None]:
    """Row by row; those to come have no values yet."""
    n, m = game.shape
    tasks = ((game.h, n, m, i) for i in (-1, *range(n)))
    values, lines = np.full((n, m), np.nan), []
    for found in in_order(line_without, tasks, pool, n_jobs, TICK):
        if found is not None:
            lines.append(found)
            if len(lines) > 1:
                values[len(lines) - 2] = gains(lines[0], found)
        k = len(lines)
        seen = f"{max(k - 1, 0):,} of {n:,} rows left out"
        estimate = _without_errors(values.copy()) if k > 1 else None
        yield Step(done(k, n + 1), estimate, seen, "every row and column left out once")


def _exact(
    game: Game, pool: Executor, n_jobs: int, done: Any
) -> Generator[Step, None, None]:
    weights = [named(game.settings[f"{of}_weights"]) for of in ("row", "column")]
    design = "all subsets of rows and columns (exact)" + _weights_words(game.settings)
    options: dict[str, Any] = {"executor": pool, "n_jobs": n_jobs, "every": TICK}
    utilities = iter_utilities(game.h, *game.shape, **options)
    for share, known in utilities:
        estimate = None
        if share == 1:
            estimate = _without_errors(values_of(known, *weights))
        yield Step(share, estimate, f"{share:.0%} of all subsets", design)


def _without_errors(values: np.ndarray) -> Found:
    """An estimate that sampling adds nothing to."""
    n, m = values.shape
    none = np.where(np.isnan(values), np.nan, 0.0)
    return Found(values, none, np.zeros(n), np.zeros(m))


def _out_of_bag(game: Game, executor: Executor | None, n_jobs: int) -> Iterator[Step]:
    n_all, seed = game.rounds, game.settings["random_state"]
    own = ThreadPoolExecutor(n_jobs) if executor is None else None
    try:
        for scores in iter_oob(
            game.table,
            n_trees=n_all,
            random_state=seed,
            executor=executor or own,
            n_jobs=n_jobs,
        ):
            unknown = [np.full(size, np.nan) for size in scores.values.shape]
            estimate = Found(scores.values, scores.stderr, *unknown)
            seen = f"{scores.n_trees:,} of {n_all:,} trees"
            design = f"{scores.n_trees:,} trees on bootstraps of the rows, each with "
            design += "half of the columns"
            yield Step(scores.done, estimate, seen, design, scores.n_trees)
    finally:
        if own is not None:
            own.shutdown(cancel_futures=True)


def _random(game: Game) -> Step:
    """A seeded order of all cells, as numbers around 0."""
    n, m = game.shape
    draw = np.random.default_rng([game.settings["random_state"], 2**31])
    ranks = draw.permutation(n * m).reshape(n, m)
    values = (ranks + 0.5) / (n * m) - 0.5
    unknown = [np.full(shape, np.nan) for shape in ((n, m), n, m)]
    return Step(1.0, Found(values, *unknown), "", "a random order of all cells")


def _weights_words(settings: dict[str, Any]) -> str:
    chosen = [
        f"{settings[f'{of}_weights']} weights along {of}s"
        for of in ("row", "column")
        if settings[f"{of}_weights"] != "shapley"
    ]
    return "".join(f", {words}" for words in chosen)
