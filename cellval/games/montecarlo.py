"""2D-Shapley-MC: random orders of rows and columns, one utility per cell and round.

In a round the rows come in a random order, and the columns in another. With u[s, f] the
utility of the first s rows seen through the first f columns, the cell where the s-th
row meets the f-th column gets

    u[s, f] - u[s-1, f] - u[s, f-1] + u[s-1, f-1]                      (Algorithm 1)

so that three of the four terms are known. A round may take minutes: it is made in
stretches of u of about a second each, so that little is lost where a run is cut short.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cellval.games.estimate import Estimate
from cellval.games.going_on import Arrays, shaped, stacked, unstacked
from cellval.games.watched import Play, Utility, line
from cellval.parallel import Piece
from cellval.weights import Weights, relative, shapley

FEWEST_ROUNDS = 10  # before a standard error is believed
COUNTS = ("n_rounds", "n_evaluations")  # fields of `RoundSums`
SUMMED = ("cells", "rows", "columns")
POWERS = ("sums", "squares")
FIRST = 10  # utilities in the first stretches
STRETCH = 1.0  # seconds that later ones take
PRIOR = 30  # rounds that a cell takes over from the others in its column (measured)


Seed = tuple[int, int]  # of a round
Call = tuple[Callable[..., Any], tuple[Any, ...]]


def utilities(
    h: Utility, shape: tuple[int, int], seed: Seed, first: int, last: int
) -> np.ndarray:
    """u of a round, line after line, from number `first` to before number `last`."""
    rows, columns = orders(seed, shape)
    width, found = columns.size + 1, []
    for s in range(first // width, -(-last // width)):
        wanted = np.zeros(width, bool)
        wanted[max(0, first - s * width) : last - s * width] = True
        found.append(line(h, np.sort(rows[:s]), columns, wanted)[wanted])
    return np.concatenate(found)


def truncated(
    h: Utility, shape: tuple[int, int], seed: Seed, tolerance: float
) -> tuple[np.ndarray, int]:
    """u of a round, and evaluations made: the rest of a line is taken as its utility
    with all rows as soon as it comes within the tolerance of that.
    """
    rows, columns = orders(seed, shape)
    u, settled = np.empty((shape[0] + 1, shape[1] + 1)), np.zeros(shape[1] + 1, bool)
    u[0] = line(h, np.array([], np.int64), columns, ~settled)
    whole = line(h, np.arange(rows.size), columns, ~settled)
    n = columns.size
    for s in range(1, rows.size + 1):
        u[s] = line(h, np.sort(rows[:s]), columns, ~settled)
        n += int(np.count_nonzero(~settled[1:]))
        settled |= np.abs(u[s] - whole) <= tolerance
        u[s, settled] = whole[settled]
    return u, n


def orders(seed: Seed, shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Of the rows and of the columns in a round."""
    draw = np.random.default_rng(seed)
    return draw.permutation(shape[0]), draw.permutation(shape[1])


@dataclass(frozen=True, eq=False)
class RoundSums:
    """Sums over rounds, and sums of squares."""

    n_rounds: int
    n_evaluations: int
    cells: tuple[np.ndarray, np.ndarray]
    rows: tuple[np.ndarray, np.ndarray]
    columns: tuple[np.ndarray, np.ndarray]
    ahead: tuple[np.ndarray, ...] = ()  # utilities of the round that is being made

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
    """Random orders, one pair a round."""

    rounds: int = 100
    weights: tuple[Weights, Weights] = (shapley, shapley)
    truncation: float | None = None
    random_state: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        self.total = float(self.rounds * self.n_rows * self.n_columns)
        self._at_once = FIRST  # utilities in a stretch

    @property
    def size(self) -> int:
        """Utilities in a round."""
        return (self.n_rows + 1) * (self.n_columns + 1)

    def stretch(self, seed: Seed, first: int, last: int) -> Call:
        """The call for some utilities of a round."""
        shape = self.n_rows, self.n_columns
        return utilities, (self.watched, shape, seed, first, last)

    def whole(self, seed: Seed) -> Call | None:
        """The call for all of them and how many evaluations they took, where one needs
        the others.
        """
        if self.truncation is None:
            return None
        shape = self.n_rows, self.n_columns
        return truncated, (self.watched, shape, seed, self.truncation)

    def marginal(self, seed: Seed, u: np.ndarray) -> np.ndarray:
        """Marginal contributions of all cells in a round, from its utilities."""
        shape = self.n_rows, self.n_columns
        rows, columns = orders(seed, shape)
        gain = np.diff(np.diff(u.reshape(rows.size + 1, -1), axis=0), axis=1)
        factors = zip(self.weights, shape, strict=True)
        row_factor, column_factor = (relative(*factor) for factor in factors)
        found = np.empty(shape)
        found[np.ix_(rows, columns)] = row_factor[:, None] * column_factor * gain
        return found

    def done(self, state: RoundSums) -> float:
        part = sum(part.size for part in state.ahead) / self.size
        return self.total / self.rounds * (state.n_rounds + part)

    def left(self, state: RoundSums) -> Iterator[Piece]:
        first, work = sum(part.size for part in state.ahead), self.total / self.rounds
        for r in range(state.n_rounds, self.rounds):
            seed = (self.random_state, r)
            if call := self.whole(seed):
                yield Piece(*call, work)
                continue
            while first < self.size:
                last = min(self.size, first + self._at_once)
                if hasattr(self.h, "line"):  # which makes all of a line anyhow
                    last = -(-last // (self.n_columns + 1)) * (self.n_columns + 1)
                arguments = self.stretch(seed, first, last)
                yield Piece(_timed, arguments, work * (last - first) / self.size)
                first = last
            first = 0

    def add(self, state: RoundSums, answer: tuple[np.ndarray, float]) -> RoundSums:
        seed = (self.random_state, state.n_rounds)
        found, number = answer  # evaluations or seconds
        if self.whole(seed) is not None:
            return state.plus(self.marginal(seed, found), int(number))
        took = max(number, 1e-6) / found.size
        self._at_once = max(1, min(int(STRETCH / took), 4 * found.size))
        ahead = (*state.ahead, found)
        if sum(part.size for part in ahead) < self.size:
            return replace(state, ahead=ahead)
        n = self.n_rows * self.n_columns
        return state.plus(self.marginal(seed, np.concatenate(ahead)), n)

    def begin(self) -> RoundSums:
        return RoundSums.of(self.n_rows, self.n_columns)

    def told(self, state: RoundSums) -> dict[str, np.ndarray]:
        counts = {name: np.array(getattr(state, name)) for name in COUNTS}
        sums = {
            f"{name}_{power}": array.T
            for name in SUMMED
            for power, array in zip(POWERS, getattr(state, name), strict=True)
        }
        if not state.ahead:
            return counts | sums
        ahead = stacked(np.concatenate(state.ahead), self.n_columns, self.n_rows)
        return counts | sums | {"ahead": ahead}

    def restored(self, told: Arrays) -> RoundSums:
        n, m = self.n_rows, self.n_columns
        counts = [int(told[name]) for name in COUNTS]
        sums = [
            tuple(shaped(told, f"{name}_{power}", *shape) for power in POWERS)
            for name, shape in zip(SUMMED, ((n, m), (n,), (m,)), strict=True)
        ]
        ahead = (unstacked(told["ahead"]),) if "ahead" in told else ()
        known = RoundSums(*counts, *sums)  # type: ignore[arg-type] # a pair each
        known = replace(known, ahead=ahead)
        if not 0 < self.done(known) <= self.total or counts[0] < 0:
            raise ValueError("n_rounds")
        if ahead and (self.whole((0, 0)) or not 0 < ahead[0].size < self.size):
            raise ValueError("ahead")
        return known

    def make(self, state: RoundSums) -> Callable[[], Estimate] | None:
        return state.estimate if state.n_rounds else None

    def seen(self, state: RoundSums) -> str:
        return f"{state.n_rounds:,} of {self.rounds:,} rounds"

    def stderr(self, state: RoundSums) -> float:
        few = state.n_rounds < FEWEST_ROUNDS
        return float("inf") if few else state.estimate().typical_stderr


def _timed(
    function: Callable[..., np.ndarray], arguments: tuple[Any, ...]
) -> tuple[np.ndarray, float]:
    """With the seconds that it took where it was made."""
    began = time.perf_counter()
    found = function(*arguments)
    return found, time.perf_counter() - began
