"""Exact values of small games, from the utilities of all pairs of subsets."""

from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import chain

import numpy as np

from cellval.games.going_on import Arrays, stacked, unstacked
from cellval.games.watched import Play, Utility
from cellval.parallel import Piece
from cellval.text import whole_percent
from cellval.weights import Weights, shapley

PIECES = 400  # into so many the evaluations are cut, at most


class AllSubsets(Play[tuple[list[float], ...], np.ndarray]):
    """The utilities of all pairs of subsets, numbered by their bits, (2^n, 2^m).

    In a random order, so that what is left takes as long as what was done.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        self.total = float((2**self.n_rows - 1) * (2**self.n_columns - 1))

    @cached_property
    def _subsets(self) -> tuple[list[np.ndarray], list[np.ndarray]]:
        return _subsets(self.n_rows), _subsets(self.n_columns)

    @cached_property
    def _cuts(self) -> list[np.ndarray]:
        """Numbers (s, f) of the pairs of non-empty subsets in each piece."""
        sizes = 2**self.n_rows, 2**self.n_columns
        pairs = np.argwhere(np.ones((sizes[0] - 1, sizes[1] - 1), bool)) + 1
        pairs = np.random.default_rng(0).permutation(pairs)
        size = -(-len(pairs) // PIECES)
        return [pairs[first : first + size] for first in range(0, len(pairs), size)]

    def done(self, state: tuple[list[float], ...]) -> float:
        return float(sum(map(len, state)))

    def left(self, state: tuple[list[float], ...]) -> Iterator[Piece]:
        rows, columns = self._subsets
        for cut in self._cuts[len(state) :]:
            subsets = [(rows[s], columns[f]) for s, f in cut.tolist()]
            yield Piece(_evaluated, (self.watched, subsets), float(len(cut)))

    def told(self, state: tuple[list[float], ...]) -> dict[str, np.ndarray]:
        utilities = np.array([*chain(*state)])
        return {"utilities": stacked(utilities, self.n_columns, self.n_rows)}

    def restored(self, told: Arrays) -> tuple[list[float], ...]:
        known, ends = unstacked(told["utilities"]), np.cumsum([*map(len, self._cuts)])
        if known.size not in ends:
            raise ValueError("utilities")
        parts = np.split(known, ends[ends < known.size])
        return tuple(part.tolist() for part in parts)

    def make(self, state: tuple[list[float], ...]) -> Callable[[], np.ndarray] | None:
        whole = len(state) == len(self._cuts)
        return (lambda: self._utilities(state)) if whole else None

    def _utilities(self, answers: tuple[list[float], ...]) -> np.ndarray:
        """The answers of all pieces, and what no rows or no columns are worth."""
        rows, columns = self._subsets
        found = np.empty((len(rows), len(columns)))
        found[0] = [self.h(rows[0], f) for f in columns]
        found[1:, 0] = [self.h(s, columns[0]) for s in rows[1:]]
        for cut, answer in zip(self._cuts, answers, strict=True):
            found[cut[:, 0], cut[:, 1]] = answer
        return found

    def seen(self, state: tuple[list[float], ...]) -> str:
        return f"{whole_percent(len(state) / len(self._cuts))} of all subsets"


def values_of(
    utilities: np.ndarray,
    row_weights: Weights = shapley,
    column_weights: Weights = shapley,
) -> np.ndarray:
    """Eq. (4) of the paper, from the utilities of all pairs of subsets, (2^n, 2^m)."""
    n_rows, n_columns = (int(size).bit_length() - 1 for size in utilities.shape)
    left = _marginals(n_rows, row_weights)
    return np.asarray(left @ utilities @ _marginals(n_columns, column_weights).T)


def _evaluated(h: Utility, pairs: list[tuple[np.ndarray, np.ndarray]]) -> list[float]:
    return [float(h(s, f)) for s, f in pairs]


def _subsets(n: int) -> list[np.ndarray]:
    """All subsets of n players, by the bits of their number."""
    return [np.flatnonzero(number >> np.arange(n) & 1) for number in range(2**n)]


def _marginals(n: int, weights: Weights) -> np.ndarray:
    """(n, 2^n): the weighted sum over subsets that is each player's value."""
    numbers = np.arange(2**n)
    inside = (numbers >> np.arange(n)[:, None] & 1).astype(bool)
    size = inside.sum(axis=0)
    w = weights(n)
    with_player, without = w[np.maximum(size - 1, 0)], w[np.minimum(size, n - 1)]
    return np.where(inside, with_player, -without)
