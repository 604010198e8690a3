"""1D-Shapley on flattened cells: every cell a player, absent ones filled with means."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from cellval.games.model_utility import ModelUtility
from cellval.games.montecarlo import Call, Rounds, Seed

# h of which cells are there: bool (n_rows, n_columns) -> float
CellUtility = Callable[[np.ndarray], float]


class FlatRounds(Rounds):
    """Random orders of all cells, one a piece; `h` is a `CellUtility`."""

    def prepare(self) -> None:
        self.h(np.ones((self.n_rows, self.n_columns), bool))

    @property
    def size(self) -> int:
        return self.n_rows * self.n_columns + 1

    def stretch(self, seed: Seed, first: int, last: int) -> Call:
        shape = self.n_rows, self.n_columns
        return flat_stretch, (self.watched, shape, seed, first, last)

    def marginal(self, seed: Seed, utilities: np.ndarray) -> np.ndarray:
        found = np.empty((self.n_rows, self.n_columns))
        found.flat[_order(seed, found.size)] = np.diff(utilities)
        return found


def flat_stretch(
    h: CellUtility, shape: tuple[int, int], seed: Seed, first: int, last: int
) -> np.ndarray:
    """Utilities of the first 0, 1, ... cells of a random order, from `first` to before
    `last`.
    """
    there = np.zeros(shape, bool)
    order = _order(seed, there.size)
    there.flat[order[:first]] = True
    found = np.empty(last - first)
    for k in range(first, last):
        there.flat[order[k - 1 : k]] = True
        found[k - first] = h(there)
    return found


def _order(seed: Seed, n_cells: int) -> np.ndarray:
    return np.random.default_rng(seed).permutation(n_cells)


@dataclass(frozen=True, eq=False)
class FlatUtility:
    """A model's score when only some cells are there; the rows and labels all are."""

    model: ModelUtility
    compiled = False

    def __call__(self, there: np.ndarray) -> float:
        if not there.any():
            return self.model.empty
        data = self.model.data
        features_there = np.repeat(there, [own.size for own in data.features], axis=1)
        return self.model.score_of(filled(data.train, features_there))


def filled(cells: np.ndarray, there: np.ndarray) -> np.ndarray:
    """Cells with absent ones replaced by the mean of those present in their column.

    A column without any is 0 everywhere: it says nothing.
    """
    n = there.sum(axis=0)
    means = np.where(there, cells, 0.0).sum(axis=0) / np.maximum(n, 1)
    return np.where(there, cells, means)
