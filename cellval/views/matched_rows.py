"""Rows and cells of two results that belong to each other."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

import numpy as np
import pandas as pd

from cellval.detect.suspicion import Suspicion
from cellval.table.table import Table
from cellval.text import content
from cellval.values.result import CellValues


@dataclass(frozen=True, eq=False)
class MatchedRows:
    """Rows of two results that belong to each other."""

    before: CellValues
    after: CellValues
    rows: np.ndarray  # their numbers, as counted in the file

    @property
    def old(self) -> np.ndarray:
        """Positions of the rows before; -1 where there is none."""
        return _positions(self.before.row_numbers, self.rows)

    @property
    def new(self) -> np.ndarray:
        """Positions of the rows after."""
        return _positions(self.after.row_numbers, self.rows)


def _positions(numbers: np.ndarray, rows: np.ndarray) -> np.ndarray:
    at = np.minimum(np.searchsorted(numbers, rows), len(numbers) - 1)
    return np.where(numbers[at] == rows, at, -1)


@dataclass(frozen=True, eq=False)
class Version:
    """A table with its values, and how suspicious its cells are if that is known."""

    table: Table
    values: CellValues
    suspicion: Suspicion | None

    def cell(self, row_number: int, column: str) -> tuple[str, float, int | None]:
        """Content, value and rank by suspicion of a cell."""
        if row_number not in self.table.row_numbers:
            return "(dropped)", np.nan, None
        i, j = self.table.position(row_number), self.values.column_names.index(column)
        rank = None if self.suspicion is None else int(self.suspicion.ranks[i, j])
        text = content(self.table.cells[column].iat[i])
        return text, float(self.values.values[i, j]), rank


def cells_before_after(
    cells: Iterable[tuple[int, str]], before: Version, after: Version
) -> pd.DataFrame:
    """What became of each cell, by row number and column; others than features go."""
    lines = []
    for row_number, name in cells:
        if name in before.values.column_names:
            sides = before.cell(row_number, name), after.cell(row_number, name)
            told = chain.from_iterable(zip(*sides, strict=True))
            lines.append((row_number, name, *told))
    names = ["row_number", "column", "before", "after", "value before", "value after"]
    return pd.DataFrame(lines, columns=[*names, "rank before", "rank after"])
