"""`Estimate`: values of the players of a game, and how sure they are."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Estimate:
    """Values of the players.

    Attributes
    ----------
    values, stderr : ndarray of shape (n_rows, n_columns)
        NaN where unknown.
    row_stderr, column_stderr : ndarray
        Of the sums over rows and columns.
    n_draws : int
        Rounds or trees so far; 0 where nothing is sampled.
    n_evaluations : int
        Of the utility, so far.
    """

    values: np.ndarray
    stderr: np.ndarray
    row_stderr: np.ndarray
    column_stderr: np.ndarray
    n_draws: int = 0
    n_evaluations: int = 0

    @property
    def typical_stderr(self) -> float:
        """Mean standard error of a cell."""
        known = self.stderr[np.isfinite(self.stderr)]
        return float(known.mean()) if known.size else float("nan")


def exactly(values: np.ndarray) -> Estimate:
    """An estimate that sampling adds nothing to."""
    n, m = values.shape
    none = np.where(np.isnan(values), np.nan, 0.0)
    return Estimate(values, none, np.zeros(n), np.zeros(m))


def unsure(values: np.ndarray, stderr: np.ndarray | None = None) -> Estimate:
    """One whose sums have no known error."""
    n, m = values.shape
    unknown = np.full((n, m), np.nan) if stderr is None else stderr
    return Estimate(values, unknown, np.full(n, np.nan), np.full(m, np.nan))
