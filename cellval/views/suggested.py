"""Likely suggestions by row number and column."""

from collections.abc import Sequence

import numpy as np

from cellval.detect.suggestions import Suggestion, best_suggestions
from cellval.detect.suspicion import Suspicion


def suggested_for(
    suspicion: Suspicion | None, cells: Sequence[tuple[int, str]]
) -> dict[tuple[int, str], Suggestion]:
    """Of each surprising cell; only cells that have one are in it."""
    if suspicion is None:
        return {}
    table = suspicion.table
    at = np.flatnonzero(np.isin(table.row_numbers, [number for number, _ in cells]))
    rows = dict(zip(table.row_numbers[at].tolist(), at.tolist(), strict=True))
    columns = {name: j for j, name in enumerate(table.feature_names)}
    there = [cell for cell in cells if cell[0] in rows and cell[1] in columns]
    places = np.array([(rows[i], columns[name]) for i, name in there], int)
    best = best_suggestions(table, suspicion.surprise, *places.reshape(-1, 2).T)
    return {cell: s for cell, s in zip(there, best, strict=True) if s is not None}
