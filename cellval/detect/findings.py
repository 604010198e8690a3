"""All questions about a table, those that would settle most errors first."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from cellval.detect.doubtful import doubtful_labels
from cellval.detect.finding import (
    Finding,
    column_name,
    finding,
    row_name,
)
from cellval.detect.grouped import grouped
from cellval.detect.suggestions import ODD, best_suggestions
from cellval.detect.surprise import surprise
from cellval.detect.suspects import reasons
from cellval.detect.suspicion import Suspicion, check_values, make_suspicion
from cellval.kept import kept
from cellval.table.table import Table, as_table
from cellval.text import content
from cellval.values.result import CellValues

MOST_CELLS = 1_000  # odd cells by themselves that are asked about, beyond the flagged


def findings(
    table: Table | pd.DataFrame,
    values: CellValues | None = None,
    *,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> tuple[Finding, ...]:
    """Questions about cells that may be wrong, those that settle most first.

    Parameters
    ----------
    table : Table or DataFrame
    values : CellValues, optional
        Of the same table; without it, cells are judged by surprise alone.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read("sample_data/davis.csv", label="sex")
    >>> first = cellval.findings(table)[0]
    >>> first.n_cells, first.action(table)
    (2, '166 → 57; 57 → 166')
    """
    table = as_table(table)
    check_values(table, values)
    found = surprise(table, random_state=random_state, n_jobs=n_jobs)
    return all_findings(make_suspicion(table, values, found))


@kept(1)
def all_findings(suspicion: Suspicion) -> tuple[Finding, ...]:
    """Those of whole columns, and odd cells that none of them has."""
    found = [*grouped(suspicion.table), *_odd_cells(suspicion)]
    found += doubtful_labels(suspicion)
    return in_order(found)


def in_order(found: list[Finding]) -> tuple[Finding, ...]:
    """Most expected errors per question first; equals as they came."""
    return tuple(sorted(found, key=lambda one: -one.expected_errors))


def _odd_cells(
    suspicion: Suspicion, is_over: Callable[[], bool] = lambda: False
) -> list[Finding]:
    """One for each odd cell, or two that were swapped, that no other finding has."""
    table = suspicion.table
    taken = np.zeros(suspicion.scores.shape, bool)
    for i, j in suspicion.surprise.misfits:
        taken[i, j] = True
    place = {name: j for j, name in enumerate(table.feature_names)}
    for one in grouped(table):
        for i, name in zip(one.rows.tolist(), one.columns, strict=True):
            if one.is_flagged and name in place:
                taken[i, place[name]] = True
    k = min(suspicion.n_flagged + MOST_CELLS, suspicion.scores.size)
    first = suspicion.first(k)
    rows, columns = np.unravel_index(first, suspicion.scores.shape)
    odd = (suspicion.surprise.surprise[rows, columns] < ODD) & ~taken[rows, columns]
    is_flagged = (np.arange(k) < suspicion.n_flagged)[odd]
    rows, columns = rows[odd], columns[odd]
    best = best_suggestions(table, suspicion.surprise, rows, columns, is_over)
    why = reasons(suspicion, rows, columns)
    names = table.feature_names
    found, seen = [], set()
    for at, (i, j) in enumerate(zip(rows.tolist(), columns.tolist(), strict=True)):
        if (i, j) in seen:
            continue
        name, suggestion = names[j], best[at]
        text = table.cells[name].iat[i].strip()
        cells = [(name, suggestion.text if suggestion else None)]
        if suggestion:
            cells += suggestion.also
            seen.update((i, names.index(other)) for other, _ in suggestion.also)
        found.append(
            finding(
                table,
                "swap" if len(cells) > 1 else "cell",
                name,
                [i] * len(cells),
                [after for _, after in cells],
                columns=[other for other, _ in cells],
                about=(text, row_name(table, i)),
                sure=0.8 if is_flagged[at] else 0.2,
                title=f"{column_name(name)}: {content(text, 30)}",
                evidence=why[at],
            )
        )
    return found
