"""`BlockValues`: what each block of row groups x column groups is worth."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from cellval.stats import SURE
from cellval.text import listed

NOTHING = 1e-4  # a total of this size (a share) cannot be shared


@dataclass(frozen=True, eq=False)
class BlockValues:
    """Values of all blocks; a share of the accuracy each, lower is worse.

    Attributes
    ----------
    row_groups, column_groups : tuple of str
    values : ndarray of shape (R, C)
    stderr : ndarray of shape (R, C)
        Standard errors over rounds; 0 where values are exact.
    row_stderr, column_stderr : ndarray
        Of the sums over a row group's, or a column group's, blocks. The total has no
        error: every round sums to it.
    n_rows, n_columns : ndarray of int
        Members of each group.
    exact : bool
    n_evaluations : int
        Utilities known so far.
    guess : float
        Accuracy without learning anything from columns, where the utility knows it.
    baseline : float
        What values count from: 0, or the guess (`above_guess`).

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read("sample_data/davis.csv", label="sex")
    >>> blocks = cellval.value_blocks(table, "sex")
    >>> blocks.row_groups, blocks.values.shape, blocks.exact
    (('F', 'M'), (2, 4), True)
    >>> float(round(blocks.values.sum() - blocks.total, 12))
    0.0
    """

    row_groups: tuple[str, ...]
    column_groups: tuple[str, ...]
    values: np.ndarray
    stderr: np.ndarray
    row_stderr: np.ndarray
    column_stderr: np.ndarray
    n_rows: np.ndarray
    n_columns: np.ndarray
    exact: bool
    n_evaluations: int
    guess: float = float("nan")
    baseline: float = 0.0

    @property
    def row_values(self) -> np.ndarray:
        return np.asarray(self.values.sum(axis=1))

    @property
    def column_values(self) -> np.ndarray:
        return np.asarray(self.values.sum(axis=0))

    @property
    def total(self) -> float:
        """What all groups together are worth: the model's accuracy above `baseline`."""
        return float(self.values.sum())

    @property
    def has_shares(self) -> bool:
        return bool(self.total > NOTHING)

    def above_guess(self) -> "BlockValues":
        """The same game with utilities counted from the guess instead of from 0.

        Whoever comes first brings what a guess reaches, and everybody is as likely to
        come first: so much less, the same for all blocks, is every block's value.
        """
        less = self.guess / self.values.size
        return replace(self, values=self.values - less, baseline=self.guess)

    def to_frame(self) -> pd.DataFrame:
        """One line per block: row_group, column_group, value, stderr, share, sizes."""
        r, c = self.values.shape
        rows, columns = np.repeat(np.arange(r), c), np.tile(np.arange(c), r)
        return pd.DataFrame(
            {
                "row_group": [self.row_groups[g] for g in rows],
                "column_group": [self.column_groups[g] for g in columns],
                "value": self.values.ravel(),
                "stderr": self.stderr.ravel(),
                "share_percent": self._share(self.values.ravel()),
                "rows": self.n_rows[rows],
                "columns": self.n_columns[columns],
                "cells": self.n_rows[rows] * self.n_columns[columns],
                "counted_from": self.baseline,
            }
        )

    def shares(self) -> pd.DataFrame:
        """One line per row group, then per column group, then the total.

        `share_percent` is NaN where the total is about 0 or below; see `caveats`.
        """
        n, m = int(self.n_rows.sum()), int(self.n_columns.sum())
        parts = (
            ("rows", self.row_groups, self.row_values, self.row_stderr),
            ("columns", self.column_groups, self.column_values, self.column_stderr),
            ("total", ("total",), np.array([self.total]), np.zeros(1)),
        )
        frames = []
        for of, names, values, stderr in parts:
            rows = np.full(len(names), n) if of != "rows" else self.n_rows
            columns = np.full(len(names), m) if of != "columns" else self.n_columns
            per_row = values / rows if of != "columns" else np.full(len(values), np.nan)
            frames.append(
                pd.DataFrame(
                    {
                        "groups_of": of,
                        "group": list(names),
                        "value": values,
                        "stderr": stderr,
                        "share_percent": self._share(values),
                        "share_stderr": self._share(stderr),
                        "rows": rows,
                        "columns": columns,
                        "cells": rows * columns,
                        "per_1000_rows": 1000 * per_row,
                        "per_1000_cells": 1000 * values / (rows * columns),
                        "counted_from": self.baseline,
                    }
                )
            )
        return pd.concat(frames, ignore_index=True)

    def caveats(self) -> tuple[str, ...]:
        """What to know before someone is paid by these shares."""
        said = []
        if not self.has_shares:
            said.append(
                "All groups together are worth about nothing, so there are no shares."
            )
        harmful = [
            name
            for names, values, stderr in (
                (self.row_groups, self.row_values, self.row_stderr),
                (self.column_groups, self.column_values, self.column_stderr),
            )
            for name, value, error in zip(names, values, stderr, strict=True)
            if value < -SURE * np.nan_to_num(error) - 1e-9
        ]
        if harmful:
            one = len(harmful) == 1
            said.append(
                f"{listed(harmful)} {'lies' if one else 'lie'} below 0: the model does "
                f"better without {'it' if one else 'them'}, on average. The shares of "
                "the others then sum to more than 100 %."
            )
        single = [
            n for n, k in zip(self.row_groups, self.n_rows, strict=True) if k == 1
        ]
        if single:
            one = len(single) == 1
            said.append(
                f"{listed(single)} {'has' if one else 'have'} a single row"
                f"{'' if one else ' each'}: one row's luck is all that is measured."
            )
        return tuple(said)

    def _share(self, values: np.ndarray) -> np.ndarray:
        if not self.has_shares:
            return np.full(len(values), np.nan)
        return np.asarray(100 * values / self.total)
