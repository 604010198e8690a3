"""The ranked list of cells, each with its reason and a suggestion."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from cellval.detect.suggestions import (
    Suggestion,
    best_suggestions,
    suggested_text,
    suggestions,
)
from cellval.detect.surprise import Surprise, surprise
from cellval.detect.suspicion import (
    CORNERS,
    SURPRISING,
    Suspicion,
    check_values,
    make_suspicion,
)
from cellval.errors import InputError, is_whole, require
from cellval.kept import kept
from cellval.table.columns import Column
from cellval.table.describe import alike, number_text, usual_bounds, usual_range
from cellval.table.table import Table, as_table
from cellval.text import brief, listed
from cellval.values.result import CellValues

UNUSUAL = 0.05  # a share of ordinary cells: below it there is something to say


def suspects(
    table: Table | pd.DataFrame,
    values: CellValues | None = None,
    *,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> pd.DataFrame:
    """Every cell, the most suspicious first.

    Parameters
    ----------
    table : Table or DataFrame
    values : CellValues, optional
        Of the same table; without it, surprise alone decides.

    Returns
    -------
    DataFrame with columns position (of the row in the table, from 0), row_number (from
    1, as a person counts data rows), id, column, content, value, stderr, surprise,
    suspicion, reason (a sentence), suggestion (empty where there is none), why (of the
    suggestion, a sentence). The first ``attrs["n_flagged"]`` cells are those to look
    at; the rule aims at one false alarm in ten.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read("sample_data/davis.csv", label="sex")
    >>> found = cellval.suspects(table, cellval.value_cells(table))
    >>> pair = found.head(2).sort_values("column")
    >>> pair[["row_number", "column", "content", "suggestion"]].values.tolist()
    [[12, 'height', '57', '166'], [12, 'weight', '166', '57']]
    """
    table = as_table(table)
    check_values(table, values)
    found = surprise(table, random_state=random_state, n_jobs=n_jobs)
    return suspects_frame(make_suspicion(table, values, found))


def suspects_frame(
    suspicion: Suspicion,
    k: int | None = None,
    is_over: Callable[[], bool] = lambda: False,
) -> pd.DataFrame:
    """The k most suspicious cells (all with None), worst first; see `suspects`.

    When time is over no more suggestions are made.
    """
    rows, columns = np.unravel_index(suspicion.first(k), suspicion.scores.shape)
    lines = value_lines(suspicion.table, suspicion.values, rows, columns)
    lines |= suspicion_lines(suspicion, rows, columns)
    table, found = suspicion.table, suspicion.surprise
    best = best_suggestions(table, found, rows, columns, is_over)
    lines["suggestion"] = [*map(suggested_text, best)]
    lines["why"] = [suggestion.why if suggestion else "" for suggestion in best]
    frame = pd.DataFrame(lines)
    frame.attrs["n_flagged"] = suspicion.n_flagged
    return frame


def value_lines(
    table: Table, values: CellValues | None, rows: np.ndarray, columns: np.ndarray
) -> dict[str, Any]:
    """Where cells are, what they hold and what they are worth."""
    texts = np.empty(rows.size, object)
    for j in np.unique(columns).tolist():  # the texts of a whole table are many
        own = columns == j
        texts[own] = table.cells[table.feature_names[j]].iloc[rows[own]].tolist()
    none = np.full(rows.size, np.nan)
    return {
        "position": rows,
        "row_number": table.row_numbers[rows],
        "id": [table.ids[i] for i in rows.tolist()],
        "column": np.array(table.feature_names, object)[columns],
        "content": texts,
        "value": none if values is None else values.values[rows, columns],
        "stderr": none if values is None else values.stderr[rows, columns],
    }


def suspicion_lines(
    suspicion: Suspicion, rows: np.ndarray, columns: np.ndarray
) -> dict[str, Any]:
    return {
        "surprise": suspicion.surprise.surprise[rows, columns].astype(float),
        "suspicion": suspicion.scores[rows, columns],
        "reason": reasons(suspicion, rows, columns),
    }


class Usual(NamedTuple):
    """What most cells of a column hold in the rows of one label."""

    words: str
    bounds: tuple[float, float] | None  # of numbers

    @classmethod
    def of(cls, column: Column, who: np.ndarray) -> "Usual":
        numbers = column.numbers
        present = None if numbers is None else numbers[who & ~column.missing]
        bounds = usual_bounds(present) if present is not None and present.size else None
        return cls(usual_range(column, who), bounds)

    def holds(self, column: Column, i: int) -> bool:
        if self.bounds is None or column.numbers is None:
            return False
        low, high = self.bounds
        return bool(low <= column.numbers[i] <= high)


def reasons(suspicion: Suspicion, rows: np.ndarray, columns: np.ndarray) -> list[str]:
    """A sentence for each cell on what is odd about it and whether it hurts."""
    corners = (CORNERS | {"fine": "neither odd nor clearly harmful"}).values()
    ordinary = {k: f"{words[0].upper()}{words[1:]}." for k, words in enumerate(corners)}
    kinds = suspicion.corner[rows, columns]
    texts = [ordinary[kind] for kind in kinds.tolist()]
    for at in np.flatnonzero(suspicion.surprise.surprise[rows, columns] < SURPRISING):
        i, j = int(rows[at]), int(columns[at])
        why = suspicion.surprise.misfits.get((i, j)) or _oddity(suspicion, i, j)
        texts[at] = why + (" It hurts." if suspicion.hurts[i, j] else "")
    for at in np.flatnonzero(_is_unusual(suspicion, rows, columns)):
        why = _oddity(suspicion, int(rows[at]), int(columns[at]))
        texts[at] = f"A little unusual: {why[0].lower()}{why[1:]}"
    return texts


def _is_unusual(
    suspicion: Suspicion, rows: np.ndarray, columns: np.ndarray
) -> np.ndarray:
    """Cells in no corner of their own for which there is yet something to say."""
    odd = suspicion.surprise.surprise[rows, columns]
    ordinary = suspicion.corner[rows, columns] == list(CORNERS).index("fine")
    return np.asarray(ordinary & (odd < UNUSUAL))


@kept(1)
def _usual(column: Column, table: Table) -> dict[int, Usual]:
    """By label; of those that were asked for."""
    return {}


def _oddity(suspicion: Suspicion, i: int, j: int) -> str:
    table, found = suspicion.table, suspicion.surprise
    column, label = table.features[j], int(table.y[i])
    usual = _usual(column, table)
    if label not in usual:
        usual[label] = Usual.of(column, alike(table, label))
    parts = []
    expected = float(found.nearby.expected[i, j])
    if found.residual[i, j] < UNUSUAL and np.isfinite(expected):
        has = number_text(column, expected)
        if column.codes is not None:
            has = f"'{brief(column.categories[int(expected)], 30)}'"
        parts.append(f"rows like this one have about {has}")
    # In a small class an odd cell may itself be where the usual ones end.
    is_rare = found.rarity[i, j] < UNUSUAL and not usual[label].holds(column, i)
    if is_rare or not parts:
        where = "in this column"
        if table.label and label >= 0:
            who = brief(table.classes[label], 20)
            where = f"where {brief(table.label, 20)} is {who}"
        parts.append(f"usual {where}: {usual[label].words}")
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def suggest(
    table: Table | pd.DataFrame, row_number: int, column: str, *, random_state: int = 0
) -> tuple[Suggestion, ...]:
    """What could stand in a cell instead, the likeliest first.

    Parameters
    ----------
    row_number : int
        The row as a person counts, from 1.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read("sample_data/davis.csv", label="sex")
    >>> best = cellval.suggest(table, 12, "height")[0]
    >>> best.text, best.also, best.why
    ('166', (('weight', '57'),), "Swapped with 'weight' in the same row.")
    """
    table = as_table(table)
    if column not in table.feature_names:
        raise InputError(
            f"'{column}' is no feature of {table.name}; its features are "
            f"{listed(table.feature_names, 20)}."
        )
    require("random_state", random_state, is_whole(random_state, 0), "whole, from 0 on")
    found = _surprise_of(table, int(random_state))
    return suggestions(table, found, table.position(row_number), column)


@kept(1)
def _surprise_of(table: Table, random_state: int) -> Surprise:
    return surprise(table, random_state=random_state)
