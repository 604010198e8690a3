"""1D-Shapley on flattened cells: every cell a player, absent ones filled with means."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from cellval.games.model_utility import ModelUtility
from cellval.games.montecarlo import Rounds

# h of which cells are there: bool (n_rows, n_columns) -> float
CellUtility = Callable[[np.ndarray], float]


class FlatRounds(Rounds):
    """Random orders of all cells, one a piece; `h` is a `CellUtility`."""

    def prepare(self) -> None:
        self.h(np.ones((self.n_rows, self.n_columns), bool))

    def one(self, seed: tuple[int, int]) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return flat_round, (self.watched, self.n_rows, self.n_columns, seed)


def flat_round(
    h: CellUtility, n_rows: int, n_columns: int, seed: tuple[int, int]
) -> tuple[np.ndarray, int]:
    """Marginal contribution of every cell in one random order of all cells."""
    order = np.random.default_rng(seed).permutation(n_rows * n_columns)
    there = np.zeros((n_rows, n_columns), bool)
    marginal = np.empty(n_rows * n_columns)
    before = h(there)
    for cell in order:
        there.flat[cell] = True
        now = h(there)
        marginal[cell] = now - before
        before = now
    return marginal.reshape(n_rows, n_columns), marginal.size


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
