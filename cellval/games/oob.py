"""2D-OOB: how often trees that use a cell's column predict its row (Sun et al., 2024).

Trees are trained on bootstraps of the rows with half of the columns each. A cell's
score is the share of trees that predict its row correctly, among those that did not
train on the row and use the column. No test set is needed. The scores are not additive:
they sum to nothing in particular, and are about 1 for cells of easy rows. Where the
label is a number it is their mean closeness, by regression trees of scikit-learn.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from cellval.games.estimate import Estimate, unsure
from cellval.games.going_on import Arrays, Continuable, shaped
from cellval.games.model_utility import ModelData, agreement, data_of, said_by
from cellval.games.models import estimator_of
from cellval.games.montecarlo import FEWEST_ROUNDS
from cellval.games.tree import Trees
from cellval.parallel import Piece
from cellval.table.labels import usual_width
from cellval.table.table import Table

AT_ONCE = 50  # trees between two snapshots
ROWS_AT_ONCE = 100_000  # of all of them: some tenths of a second

Votes = tuple[int, np.ndarray, np.ndarray]  # trees, judged each cell, and were right


@dataclass(frozen=True, eq=False)
class RegressionTrees:
    """Trees of numbers, as `Trees` are of classes."""

    data: ModelData

    def predict(
        self, rows: np.ndarray, columns: np.ndarray, asked: np.ndarray
    ) -> np.ndarray:
        """What a tree trained on `rows` says of the rows `asked`."""
        used = np.concatenate([self.data.features[j] for j in columns])
        tree = estimator_of("tree", numbers=True)
        cells, y = self.data.train[:, used], self.data.y[rows]
        return said_by(tree, cells[rows], y, cells[asked])


@dataclass(eq=False)
class OutOfBag(Continuable[Votes, Estimate]):
    """Trees, some a piece."""

    table: Table
    n_trees: int = 1000
    random_state: int = 0

    def __post_init__(self) -> None:
        self.total = float(self.n_trees)

    @cached_property
    def _judged(self) -> tuple[Trees | RegressionTrees, np.ndarray, float | None, int]:
        """Trees, labels, the width of closeness, and how many columns there are."""
        data, m = data_of(self.table, self.table), len(self.table.features)
        if self.table.target is None:
            return Trees.of(*data[:5]), data.y, None, m
        return RegressionTrees(data), data.y, usual_width(data.y), m

    def prepare(self) -> None:
        _votes(*self._judged, self.random_state, 0, 1)

    @property
    def _at_once(self) -> int:
        return max(1, min(AT_ONCE, ROWS_AT_ONCE // self.table.n_rows))

    def done(self, state: Votes) -> float:
        return float(state[0])

    def left(self, state: Votes) -> Iterator[Piece]:
        size = self._at_once
        for first in range(state[0], self.n_trees, size):
            last = min(first + size, self.n_trees)
            arguments = (*self._judged, self.random_state, first, last)
            yield Piece(_votes, arguments, float(last - first))

    def begin(self) -> Votes:
        none = np.zeros((self.table.n_rows, len(self.table.features)))
        return 0, none, none

    def add(self, state: Votes, answer: Votes) -> Votes:
        return state[0] + answer[0], state[1] + answer[1], state[2] + answer[2]

    def told(self, state: Votes) -> dict[str, np.ndarray]:
        n, judged, right = state
        return {"n_trees": np.array(n), "judged": judged.T, "right": right.T}

    def restored(self, told: Arrays) -> Votes:
        shape = self.table.n_rows, len(self.table.features)
        judged, right = (shaped(told, name, *shape) for name in ("judged", "right"))
        n = int(told["n_trees"])
        if not 0 < n <= self.n_trees:
            raise ValueError("n_trees")
        return n, judged, right

    def make(self, state: Votes) -> Callable[[], Estimate] | None:
        return (lambda: _estimate(*state)) if state[0] else None

    def seen(self, state: Votes) -> str:
        return f"{state[0]:,} of {self.n_trees:,} trees"

    def stderr(self, state: Votes) -> float:
        few = state[0] < FEWEST_ROUNDS
        return float("inf") if few else _estimate(*state).typical_stderr


def _votes(
    trees: Trees | RegressionTrees,
    y: np.ndarray,
    width: float | None,
    m: int,
    random_state: int,
    first: int,
    last: int,
) -> Votes:
    n, size = y.size, last - first
    outside, correct = np.zeros((size, n)), np.zeros((size, n))
    used = np.zeros((size, m))
    for k in range(size):
        draw = np.random.default_rng([random_state, first + k])
        columns = draw.permutation(m)[: max(1, m // 2)]
        rows = draw.integers(0, n, n)
        left_out = np.setdiff1d(np.arange(n), rows)
        used[k, columns] = 1.0
        outside[k, left_out] = 1.0
        said = trees.predict(rows, columns, left_out)
        correct[k, left_out] = agreement(y[left_out], said, width)
    return size, outside.T @ used, correct.T @ used


def _estimate(n: int, judged: np.ndarray, right: np.ndarray) -> Estimate:
    """Share of right ones, and its standard error."""
    with np.errstate(invalid="ignore", divide="ignore"):
        # above 0 also where all trees agree (Laplace)
        p = (right + 1.0) / (judged + 2.0)
        stderr = np.where(judged > 0, np.sqrt(p * (1 - p) / judged), np.nan)
        return replace(unsure(right / judged, stderr), n_draws=n)
