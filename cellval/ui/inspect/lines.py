"""The lines of the inspection list: which cells, and what is known of them."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from cellval.detect.reasons import reasons
from cellval.detect.suggestions import best_texts
from cellval.detect.surprise import Surprise
from cellval.detect.suspicion import Suspicion
from cellval.kept import kept
from cellval.repairs.repair import Repairs
from cellval.table.describe import usual_ranges
from cellval.table.table import Table
from cellval.text import brief, content
from cellval.ui.session import FileWork
from cellval.values.result import CellValues
from cellval.views import rankings

MOST = 5000
USUAL = 50  # lines, or as many as the rule flags if these are more


class Wanted(NamedTuple):
    """Which cells a person wants to see."""

    by: str  # key of RANKINGS
    k: int | None  # None: the usual number
    columns: tuple[str, ...]
    classes: tuple[str, ...]
    decisions: tuple[str, ...]
    with_codes: bool


class Lines(NamedTuple):
    """The lines of the list, before those of some decisions are taken."""

    frame: pd.DataFrame
    by: str  # key of RANKINGS that was used; see rankings.ranking
    n_rule: int | None  # so many of the lines the rule flags


def wanted_cells(
    table: Table, values: CellValues, suspicion: Suspicion | None, wanted: Wanted
) -> np.ndarray:
    """Which cells pass the filters; bool, (n_rows, n_columns)."""
    keep = np.ones(values.values.shape, bool)
    if wanted.columns:
        keep &= np.isin(values.column_names, wanted.columns)[None, :]
    if wanted.classes:
        keep &= np.isin(values.labels, wanted.classes)[:, None]
    if suspicion is not None and not wanted.with_codes:
        keep &= ~rankings.holds_code(table, suspicion)
    return keep


def lines(
    file: FileWork,
    table: Table,
    values: CellValues,
    suspicion: Suspicion | None,
    wanted: Wanted,
) -> Lines:
    """The worst cells that pass the filters, before decisions."""
    ranked, at, n_rule = _ranked(table, values, suspicion, wanted)
    at = at[: wanted.k or _usual(n_rule)]
    frame = _frame(file, table, values, suspicion, ranked.order[at], at + 1)
    n = None if n_rule is None else min(n_rule, at.size)
    return Lines(frame, ranked.by, n)


def usual_number(
    table: Table, values: CellValues, suspicion: Suspicion | None, wanted: Wanted
) -> int:
    """How many lines there are unless a person says otherwise."""
    _, at, n_rule = _ranked(table, values, suspicion, wanted)
    return min(at.size, _usual(n_rule))


def _usual(n_rule: int | None) -> int:
    return min(MOST, max(USUAL, n_rule or 0))


def _ranked(
    table: Table, values: CellValues, suspicion: Suspicion | None, wanted: Wanted
) -> tuple[rankings.Ranking, np.ndarray, int | None]:
    """The ranking, which of its places pass the filters, how many the rule flags."""
    ranked = rankings.ranking(values, suspicion, wanted.by)
    keep = wanted_cells(table, values, suspicion, wanted).ravel()
    at = np.flatnonzero(keep[ranked.order])
    n_rule = None if ranked.n_rule is None else int((at < ranked.n_rule).sum())
    return ranked, at, n_rule


def _frame(
    file: FileWork,
    table: Table,
    values: CellValues,
    suspicion: Suspicion | None,
    cells: np.ndarray,
    ranks: np.ndarray,
) -> pd.DataFrame:
    row, column = np.unravel_index(cells, values.values.shape)
    names = np.array(values.column_names, object)[column]
    numbers = values.row_numbers[row]
    where = list(zip(numbers.tolist(), names, strict=True))
    known: dict[str, Any] = {
        "position": row,
        "rank": ranks,
        "row_number": numbers,
        "id": [values.ids[i] for i in row],
        "column": names,
        "content": _contents(values, row, column),
        "decision": [file.decisions.get(cell, "") for cell in where],
        "repair": [_repair_text(file.repairs, *cell) for cell in where],
        "value": values.values[row, column],
        "stderr": values.stderr[row, column],
        "class": [values.labels[i] for i in row],
    }
    if suspicion is None:
        usual = usual_ranges(table)
        pairs = zip(names, known["class"], strict=True)
        known["usual"] = [usual[pair] for pair in pairs]
    else:
        known["suggestion"] = _suggested(table, suspicion, cells)
        known["suspicion"] = suspicion.scores[row, column]
        known["reason"] = reasons(suspicion, row, column)
        known["surprise"] = suspicion.surprise.surprise[row, column].astype(float)
    return pd.DataFrame(known)


def _contents(values: CellValues, row: np.ndarray, column: np.ndarray) -> np.ndarray:
    """Column by column: the texts of a whole table are many."""
    texts = np.empty(row.size, object)
    for j in np.unique(column):
        own = column == j
        found = values.cells.iloc[row[own], j]
        texts[own] = [brief(text, 80) for text in found]
    return texts


@kept(1)
def _known_texts(found: Surprise, table: Table) -> dict[int, str]:
    """Suggestions that are known by flat position: each takes some milliseconds."""
    return {}


def _suggested(table: Table, suspicion: Suspicion, cells: np.ndarray) -> list[str]:
    known = _known_texts(suspicion.surprise, table)
    new = np.array([cell for cell in cells.tolist() if cell not in known], int)
    if new.size:
        row, column = np.unravel_index(new, suspicion.scores.shape)
        with st.spinner("Looking for what should have been there ..."):
            texts = best_texts(table, suspicion.surprise, row, column)
        known.update(zip(new.tolist(), texts, strict=True))
    return [known[cell] for cell in cells.tolist()]


def _repair_text(repairs: Repairs, row_number: int, column: str) -> str:
    """What a cell will hold; empty if it stays as it is."""
    if (row_number, "") in repairs:
        return "(row dropped)"
    found = repairs.get((row_number, column))
    return "" if found is None else content(found.text, 80)
