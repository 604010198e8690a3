"""Likely suggestions for many cells, each looked for once: it takes a millisecond."""

from collections.abc import Sequence

import numpy as np

from cellval.detect.suggestions import Suggestion, best_suggestions
from cellval.detect.surprise import Surprise
from cellval.detect.suspicion import Suspicion
from cellval.kept import kept
from cellval.table.table import Table


def suggested(
    found: Surprise, table: Table, rows: np.ndarray, columns: np.ndarray
) -> list[Suggestion | None]:
    """The likely suggestion for each surprising cell, if there is one; by position."""
    known = _known(found, table)
    cells = list(zip(rows.tolist(), columns.tolist(), strict=True))
    new = [cell for cell in cells if cell not in known]
    if new:
        places = np.array(new).T
        known.update(zip(new, best_suggestions(table, found, *places), strict=True))
    return [known[cell] for cell in cells]


@kept(1)
def _known(found: Surprise, table: Table) -> dict[tuple[int, int], Suggestion | None]:
    return {}


def suggested_for(
    suspicion: Suspicion | None, cells: Sequence[tuple[int, str]]
) -> dict[tuple[int, str], Suggestion]:
    """The same by row number and column; only cells that have one are in it."""
    if suspicion is None:
        return {}
    table = suspicion.table
    rows = {number: i for i, number in enumerate(table.row_numbers.tolist())}
    columns = {name: j for j, name in enumerate(table.feature_names)}
    there = [cell for cell in cells if cell[0] in rows and cell[1] in columns]
    places = np.array([(rows[i], columns[name]) for i, name in there], int)
    best = suggested(suspicion.surprise, table, *places.reshape(-1, 2).T)
    return {cell: s for cell, s in zip(there, best, strict=True) if s is not None}
