"""`CellValues` by any method but KNN's: from a `Game` to snapshots."""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from cellval.errors import CannotGoOn, InputError
from cellval.games.estimate import Estimate, exactly, unsure
from cellval.games.exact import AllSubsets, values_of
from cellval.games.flat import FlatRounds
from cellval.games.game import Game, make_game
from cellval.games.going_on import Arrays, Continuable, GoingOn
from cellval.games.leave_one_out import LeftOut
from cellval.games.montecarlo import Rounds
from cellval.games.oob import OutOfBag
from cellval.games.watched import line
from cellval.methods import METHODS
from cellval.parallel import Piece, drive, n_cores, seconds_of
from cellval.progress import Snapshot
from cellval.table.table import Table
from cellval.values.options import RunOptions
from cellval.values.result import CellValues
from cellval.values.settings import check_goes_on
from cellval.weights import Weights, named

PROCESSES = 3.0  # seconds until worker processes have loaded


def iter_game(
    table: Table,
    options: RunOptions,
    *,
    n_jobs: int | None = None,
    executor: Executor | None = None,
    continue_from: CellValues | None = None,
) -> Iterator[Snapshot[CellValues]]:
    """Value the cells of a table by a game; see `cellval.iter_values`.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read("sample_data/davis.csv", label="sex")
    >>> *_, last = iter_game(table, RunOptions(method="loo"))
    >>> last.seen, last.result.values.shape
    ('140 of 140 rows left out', (200, 4))
    """
    game, known = make_game(table, options), None
    if continue_from is not None:
        check_goes_on(continue_from.settings, game.settings)
        if options.is_function or "..." in game.settings.model:
            raise CannotGoOn(
                "Nobody can tell whether this function or model is the one that these "
                "values were made with, so they are not continued. Start a new run."
            )
        known = continue_from.state
    run = GoingOn(METHODS_OF[game.method](game), known)
    return _iter_values(game, run, n_jobs, executor)


def _iter_values(
    game: Game, run: GoingOn[Any, Any], n_jobs: int | None, executor: Executor | None
) -> Iterator[Snapshot[CellValues]]:
    budget = game.options.budget
    stops_at = game.options.stops_at
    with closing(
        drive(run, budget=stops_at, n_jobs=n_jobs, executor=executor)
    ) as steps:
        for step in steps:
            late = budget is not None and step.seconds >= budget
            if late and not step.has_result:
                raise InputError(
                    f"After {budget:g} seconds there are no values yet: "
                    f"{METHODS[game.method].title} needs longer on this table. Give it "
                    "more time, or use the KNN method."
                )
            found = step.then(partial(_cell_values, game))
            if not step.has_result and (told := run.begun) is not None:
                found = replace(found, begun=partial(_begun, game, told))
            yield found


def _begun(game: Game, told: Callable[[], Arrays]) -> CellValues:
    """No values yet, and what lets it go on."""
    unknown = unsure(np.full(game.shape, np.nan))
    return replace(game.cell_values(unknown), state=told())


def _cell_values(game: Game, found: tuple[Any, Arrays]) -> CellValues:
    """From what the computation gives (of "exact" the utilities of all subsets), and
    what lets it go on.
    """
    estimate, state = found
    if game.method == "exact":
        estimate = exactly(values_of(estimate, *_weights(game)))
    return replace(game.cell_values(estimate), state=state)


def _weights(game: Game) -> tuple[Weights, Weights]:
    return named(game.options.row_weights), named(game.options.column_weights)


def _rounds(game: Game) -> Rounds:
    options = game.options
    weights, seed = _weights(game), int(options.random_state)
    play = FlatRounds if game.method == "flat" else Rounds
    return play(
        game.h, *game.shape, options.n_rounds, weights, options.truncation, seed
    )


@dataclass(eq=False)
class _Random(Continuable[tuple[Estimate, ...], Estimate]):
    """A seeded order of all cells, as numbers around 0."""

    game: Game
    total = 1.0

    def done(self, state: tuple[Estimate, ...]) -> float:
        return float(len(state))

    def left(self, state: tuple[Estimate, ...]) -> list[Piece]:
        seed = int(self.game.options.random_state)
        return [] if state else [Piece(_random, (*self.game.shape, seed))]

    def make(self, state: tuple[Estimate, ...]) -> Callable[[], Estimate] | None:
        return (lambda: state[0]) if state else None


def _random(n: int, m: int, seed: int) -> Estimate:
    draw = np.random.default_rng([seed, 2**31])
    ranks = draw.permutation(n * m).reshape(n, m)
    return unsure((ranks + 0.5) / (n * m) - 0.5)


def _trees(game: Game) -> OutOfBag:
    options = game.options
    return OutOfBag(game.table, options.n_rounds, int(options.random_state))


METHODS_OF: dict[str, Callable[[Game], Continuable[Any, Any]]] = {
    "mc": _rounds,
    "flat": _rounds,
    "exact": lambda game: AllSubsets(game.h, *game.shape),
    "loo": lambda game: LeftOut(game.h, *game.shape),
    "oob": _trees,
    "random": _Random,
}


def expected_seconds(table: Table, options: RunOptions) -> float:
    """About how long a run would take here: a few evaluations are made and timed."""
    game = make_game(table, options)
    if game.method == "random":
        return 0.0
    run = METHODS_OF[game.method](game)
    run.prepare()
    width = n_cores()
    starting = PROCESSES if width > 1 and run.processes else 0.0
    return starting + _one_evaluation(game, run) * game.n_evaluations / width


def _one_evaluation(game: Game, run: Continuable[Any, Any]) -> float:
    """Seconds of a usual evaluation (of "oob": of a tree), the shorter of two."""
    n, m = game.shape
    draw = np.random.default_rng(0)
    share = 1 if game.method == "loo" else 2
    rows = np.sort(draw.permutation(n)[: max(1, n // share)])
    columns = draw.permutation(m)
    call: Callable[[], Any]
    if game.method == "oob":
        call, each = run.prepare, 1  # grows one
    elif game.method == "mc":  # rows are seen through one column more at a time
        call, each = partial(line, game.h, rows, columns, np.ones(m + 1, bool)), m
    elif game.method == "flat":
        call, each = partial(game.h, draw.random((n, m)) < 0.5), 1
    else:
        call, each = partial(game.h, rows, np.sort(columns[: max(1, m // share)])), 1
    # libraries of models may start threads of their own
    return seconds_of(call, own=not run.processes) / each
