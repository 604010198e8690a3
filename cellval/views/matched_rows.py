"""Rows of two results that belong to each other."""

from dataclasses import dataclass

import numpy as np

from cellval.values.result import CellValues


@dataclass(frozen=True, eq=False)
class MatchedRows:
    """Rows of two results that belong to each other.

    Attributes
    ----------
    rows : ndarray of int
        Numbers of the rows, as counted in the file.
    old, new : ndarray of int
        Their positions before and after; -1 where there is none.
    """

    before: CellValues
    after: CellValues
    rows: np.ndarray
    old: np.ndarray
    new: np.ndarray

    def part(self, first: int, last: int) -> "MatchedRows":
        cut = slice(first, last)
        return MatchedRows(
            self.before, self.after, self.rows[cut], self.old[cut], self.new[cut]
        )


def paired(before: CellValues, after: CellValues, rows: np.ndarray) -> MatchedRows:
    """Find rows, by their number, in both results."""
    return MatchedRows(
        before,
        after,
        rows,
        _positions(before.row_numbers, rows),
        _positions(after.row_numbers, rows),
    )


def _positions(numbers: np.ndarray, rows: np.ndarray) -> np.ndarray:
    at = np.minimum(np.searchsorted(numbers, rows), len(numbers) - 1)
    return np.where(numbers[at] == rows, at, -1)
