"""2D-OOB: how often trees that use a cell's column predict its row (Sun et al., 2024).

Trees are trained on bootstraps of the rows with half of the columns each. A cell's
score is the share of trees that predict its row correctly, among those that did not
train on the row and use the column. No test set is needed. The scores are not additive:
they sum to nothing in particular, and are about 1 for cells of easy rows.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from cellval.games.utility import matrices
from cellval.table import Table

AT_ONCE = 50  # trees between two snapshots


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores after some trees.

    Attributes
    ----------
    values, stderr : ndarray of shape (n_rows, n_columns)
        NaN where no tree has judged the cell.
    n_trees : int
    done : float
    """

    values: np.ndarray
    stderr: np.ndarray
    n_trees: int
    done: float


def iter_oob(
    table: Table, *, n_trees: int = 1000, random_state: int = 0
) -> Iterator[Scores]:
    """Yield scores as trees are added; the same seed gives the same scores.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read_csv("sample_data/davis.csv", label="sex")
    >>> for scores in iter_oob(table, n_trees=100):
    ...     pass
    >>> scores.values.shape, bool(np.nanmean(scores.values) > 0.7)
    ((200, 4), True)
    """
    X, _, features = matrices(table, table)
    n, m = table.n_rows, len(features)
    judged, right = np.zeros((n, m)), np.zeros((n, m))
    for first in range(0, n_trees, AT_ONCE):
        size = min(AT_ONCE, n_trees - first)
        outside, correct = np.zeros((size, n)), np.zeros((size, n))
        used = np.zeros((size, m))
        for k in range(size):
            draw = np.random.default_rng([random_state, first + k])
            columns = draw.permutation(m)[: max(1, m // 2)]
            rows = draw.integers(0, n, n)
            left_out = np.setdiff1d(np.arange(n), rows)
            own = np.concatenate([features[j] for j in columns])
            tree = DecisionTreeClassifier(random_state=int(draw.integers(2**31)))
            tree.fit(X[np.ix_(rows, own)], table.y[rows])
            used[k, columns] = 1.0
            outside[k, left_out] = 1.0
            if left_out.size:
                said = tree.predict(X[np.ix_(left_out, own)])
                correct[k, left_out] = said == table.y[left_out]
        judged += outside.T @ used
        right += correct.T @ used
        with np.errstate(invalid="ignore", divide="ignore"):
            share = right / judged
            # of a share, kept above 0 where all trees agree (Laplace)
            p = (right + 1.0) / (judged + 2.0)
            stderr = np.where(judged > 0, np.sqrt(p * (1 - p) / judged), np.nan)
        done = first + size
        yield Scores(share, stderr, done, done / n_trees)
