"""The ranked list of cells, each with its reason and a suggestion."""

import numpy as np
import pandas as pd

from cellval.detect.reasons import reasons
from cellval.detect.suggestions import best_texts
from cellval.detect.surprise import surprise
from cellval.detect.suspicion import Suspicion, make_suspicion
from cellval.errors import InputError
from cellval.table.table import Table
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
    DataFrame with columns index (the row's position in the table, from 0), row (from 1,
    as a person counts data rows), id, column, content, value, stderr, surprise,
    suspicion, reason (a sentence), suggestion (empty where there is none). The first
    ``attrs["n_flagged"]`` cells are those to look at; the rule aims at one false
    alarm in ten.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read_csv("sample_data/davis.csv", label="sex")
    >>> found = cellval.suspects(table, cellval.value_cells(table))
    >>> pair = found.head(2).sort_values("column")
    >>> pair[["row", "column", "content", "suggestion"]].values.tolist()
    [[12, 'height', '57', '166'], [12, 'weight', '166', '57']]
    """
    if isinstance(table, pd.DataFrame):
        table = Table.from_frame(table)
    known = values.settings.get("table") if values is not None else None
    if known not in (None, table.fingerprint):
        raise InputError(
            f"These values are of another table than {table.name}, or of the same one "
            "with another label or other features. Give the Table that was valued."
        )
    found = surprise(table, random_state=random_state, n_jobs=n_jobs)
    return suspects_frame(make_suspicion(table, values, found))


def suspects_frame(about: Suspicion, k: int | None = None) -> pd.DataFrame:
    """The k most suspicious cells (all with None), worst first; see `suspects`."""
    return cells_frame(about, about.order[:k])


def cells_frame(about: Suspicion, cells: np.ndarray) -> pd.DataFrame:
    """Lines of `suspects` for cells by their flat position, in this order."""
    table, values = about.table, about.values
    rows, columns = np.unravel_index(cells, about.suspicion.shape)
    contents = np.empty(cells.size, object)
    for j in np.unique(columns).tolist():
        own = columns == j
        contents[own] = table.cells[table.feature_names[j]].iloc[rows[own]].tolist()
    none = np.full(cells.size, np.nan)
    frame = pd.DataFrame(
        {
            "index": rows,
            "row": table.row_numbers[rows],
            "id": np.array(table.ids, object)[rows],
            "column": np.array(table.feature_names, object)[columns],
            "content": contents,
            "value": none if values is None else values.values[rows, columns],
            "stderr": none if values is None else values.stderr[rows, columns],
            "surprise": about.surprise.surprise[rows, columns].astype(float),
            "suspicion": about.suspicion[rows, columns],
            "reason": reasons(about, rows, columns),
            "suggestion": best_texts(table, about.surprise, rows, columns),
        }
    )
    frame.attrs["n_flagged"] = about.n_flagged
    return frame
