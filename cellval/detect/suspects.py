"""The ranked list of cells, each with its reason and a suggestion."""

import numpy as np
import pandas as pd

from cellval.detect.reasons import reasons
from cellval.detect.suggestions import Suggestion, best_texts, suggestions
from cellval.detect.surprise import Surprise, surprise
from cellval.detect.suspicion import Suspicion, make_suspicion
from cellval.errors import InputError
from cellval.kept import kept
from cellval.table.table import Table, as_table
from cellval.text import listed
from cellval.values.result import CellValues


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
    suspicion, reason (a sentence), suggestion (empty where there is none). The first
    ``attrs["n_flagged"]`` cells are those to look at; the rule aims at one false
    alarm in ten.

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
    if values is not None and values.settings.table != table.fingerprint:
        raise InputError(
            f"These values are of another table than {table.name}, or of the same one "
            "with another label or other features. Give the Table that was valued."
        )
    found = surprise(table, random_state=random_state, n_jobs=n_jobs)
    return suspects_frame(make_suspicion(table, values, found))


def suspects_frame(suspicion: Suspicion, k: int | None = None) -> pd.DataFrame:
    """The k most suspicious cells (all with None), worst first; see `suspects`."""
    return cells_frame(suspicion, suspicion.order[:k])


def cells_frame(suspicion: Suspicion, cells: np.ndarray) -> pd.DataFrame:
    """Lines of `suspects` for cells by their flat position, in this order."""
    table, values = suspicion.table, suspicion.values
    rows, columns = np.unravel_index(cells, suspicion.scores.shape)
    contents = np.empty(cells.size, object)
    for j in np.unique(columns).tolist():
        own = columns == j
        contents[own] = table.cells[table.feature_names[j]].iloc[rows[own]].tolist()
    none = np.full(cells.size, np.nan)
    frame = pd.DataFrame(
        {
            "position": rows,
            "row_number": table.row_numbers[rows],
            "id": np.array(table.ids, object)[rows],
            "column": np.array(table.feature_names, object)[columns],
            "content": contents,
            "value": none if values is None else values.values[rows, columns],
            "stderr": none if values is None else values.stderr[rows, columns],
            "surprise": suspicion.surprise.surprise[rows, columns].astype(float),
            "suspicion": suspicion.scores[rows, columns],
            "reason": reasons(suspicion, rows, columns),
            "suggestion": best_texts(table, suspicion.surprise, rows, columns),
        }
    )
    frame.attrs["n_flagged"] = suspicion.n_flagged
    return frame


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
    found = _surprise_of(table, int(random_state))
    return suggestions(table, found, table.position(row_number), column)


@kept(1)
def _surprise_of(table: Table, random_state: int) -> Surprise:
    return surprise(table, random_state=random_state)
