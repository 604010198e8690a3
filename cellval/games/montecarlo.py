"""2D-Shapley-MC: random orders of rows and columns, one utility per cell and round.

In a round the rows come in a random order, and the columns in another. With u[s, f] the
utility of the first s rows seen through the first f columns, the cell where the s-th
row meets the f-th column gets

    u[s, f] - u[s-1, f] - u[s, f-1] + u[s-1, f-1]                      (Algorithm 1)

so that three of the four terms are known and two lines of u are all that is kept.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from cellval.games.estimate import Estimate
from cellval.games.going_on import Arrays, shaped
from cellval.games.watched import Play, Utility, line
from cellval.parallel import Piece
from cellval.weights import Weights, relative, shapley

FEWEST_ROUNDS = 10  # before a standard error is believed
COUNTS = ("n_rounds", "n_evaluations")  # fields of `RoundSums`
SUMMED = ("cells", "rows", "columns")
POWERS = ("sums", "squares")
PRIOR = 30  # rounds that a cell takes over from the others in its column (measured)


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


@dataclass(frozen=True, eq=False)
class RoundSums:
    """Sums over rounds, and sums of squares."""

    n_rounds: int
    n_evaluations: int
    cells: tuple[np.ndarray, np.ndarray]
    rows: tuple[np.ndarray, np.ndarray]
    columns: tuple[np.ndarray, np.ndarray]

    @classmethod
    def of(cls, n: int, m: int) -> "RoundSums":
        return cls(0, 0, *((np.zeros(s), np.zeros(s)) for s in ((n, m), (n,), (m,))))

    def plus(self, marginal: np.ndarray, n_evaluations: int) -> "RoundSums":
        parts = (marginal, marginal.sum(axis=1), marginal.sum(axis=0))
        old = (self.cells, self.rows, self.columns)
        new = [(a + x, b + x * x) for (a, b), x in zip(old, parts, strict=True)]
        return RoundSums(self.n_rounds + 1, self.n_evaluations + n_evaluations, *new)

    def estimate(self) -> Estimate:
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
        )


@dataclass(eq=False)
class Rounds(Play[RoundSums, Estimate]):
    """Random orders, one pair a piece."""

    rounds: int = 100
    weights: tuple[Weights, Weights] = (shapley, shapley)
    truncation: float | None = None
    random_state: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        self.total = float(self.rounds * self.n_rows * self.n_columns)

    def one(self, seed: tuple[int, int]) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """The call that makes one round: marginal contributions, and evaluations."""
        game = self.watched, self.n_rows, self.n_columns
        return one_round, (*game, seed, self.weights, self.truncation)

    def pieces(self) -> Iterator[Piece]:
        for r in range(self.rounds):
            yield Piece(*self.one((self.random_state, r)), self.total / self.rounds)

    def begin(self) -> RoundSums:
        return RoundSums.of(self.n_rows, self.n_columns)

    def add(self, state: RoundSums, answer: tuple[np.ndarray, int]) -> RoundSums:
        return state.plus(*answer)

    def told(self, state: RoundSums) -> dict[str, np.ndarray]:
        counts = {name: np.array(getattr(state, name)) for name in COUNTS}
        return counts | {
            f"{name}_{power}": array.T
            for name in SUMMED
            for power, array in zip(POWERS, getattr(state, name), strict=True)
        }

    def restored(self, told: Arrays) -> tuple[int, RoundSums]:
        n, m = self.n_rows, self.n_columns
        counts = [int(told[name]) for name in COUNTS]
        sums = [
            tuple(shaped(told, f"{name}_{power}", *shape) for power in POWERS)
            for name, shape in zip(SUMMED, ((n, m), (n,), (m,)), strict=True)
        ]
        known = RoundSums(*counts, *sums)  # type: ignore[arg-type] # a pair each
        if not 0 < known.n_rounds <= self.rounds:
            raise ValueError("n_rounds")
        return known.n_rounds, known

    def make(self, state: RoundSums) -> Callable[[], Estimate] | None:
        return state.estimate if state.n_rounds else None

    def seen(self, state: RoundSums) -> str:
        return f"{state.n_rounds:,} of {self.rounds:,} rounds"

    def stderr(self, state: RoundSums) -> float:
        few = state.n_rounds < FEWEST_ROUNDS
        return float("inf") if few else state.estimate().typical_stderr
