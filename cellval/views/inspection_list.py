"""The inspection list: which cells a person wants to see, and what is known of them."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from cellval.detect.placeholders import holds_code, missing_codes
from cellval.detect.suggestions import best_suggestions, suggested_text
from cellval.detect.suspects import suspicion_lines, value_lines
from cellval.detect.suspicion import Suspicion
from cellval.repairs.repair import Repairs
from cellval.table.describe import usual_ranges
from cellval.table.table import Table
from cellval.text import brief, content, one_in
from cellval.values.result import CellValues
from cellval.views.rankings import Ranking, ranking

MOST = 5000
USUAL = 50  # lines, or as many as there are suspects if these are more
LONGEST = 80  # characters of a cell


class Wanted(NamedTuple):
    """Which cells a person wants to see."""

    by: str = "suspicion"  # key of rankings.RANKINGS
    k: int | None = None  # None: the usual number
    columns: tuple[str, ...] = ()  # only these; all if none is named
    classes: tuple[str, ...] = ()
    with_codes: bool = True  # also cells that hold a code for "missing"


class Inspection(NamedTuple):
    """The worst of the wanted cells, a line each."""

    frame: pd.DataFrame  # worst first; see `_lines`
    by: str  # key of RANKINGS that was used; see rankings.ranking
    # Lines of suspects, the cells that the rule picks; None by value, which has none.
    n_rule: int | None
    n_all: int | None  # suspects, also those that filters or the length leave out
    k: int | None  # lines that a person asked for; None: the usual number


def inspection(
    table: Table,
    values: CellValues,
    suspicion: Suspicion | None,
    wanted: Wanted,
    *,
    decisions: Mapping[tuple[int, str], str],
    repairs: Repairs,
) -> Inspection:
    """The worst cells that pass the filters, with what was decided on them."""
    ranked, at, n_rule = _ranked(table, values, suspicion, wanted)
    at = at[: wanted.k or _usual(n_rule)]
    cells = np.unravel_index(ranked.order[at], values.values.shape)
    lines = _lines(table, values, suspicion, *cells)
    where = list(zip(lines["row_number"].tolist(), lines["column"], strict=True))
    lines["rank"] = at + 1
    lines["decision"] = [decisions.get(cell, "") for cell in where]
    lines["repair"] = [_repair_text(repairs, *cell) for cell in where]
    n = None if n_rule is None else min(n_rule, at.size)
    lines["suspect"] = np.arange(at.size) < (n or 0)
    return Inspection(pd.DataFrame(lines), ranked.by, n, ranked.n_rule, wanted.k)


def prepare_list(table: Table, values: CellValues, suspicion: Suspicion) -> None:
    """Make what takes long of the usual list, so that no page waits for it."""
    inspection(table, values, suspicion, Wanted(), decisions={}, repairs={})


def usual_number(
    table: Table, values: CellValues, suspicion: Suspicion | None, wanted: Wanted
) -> int:
    """How many lines there are unless a person says otherwise."""
    _, at, n_rule = _ranked(table, values, suspicion, wanted)
    return min(at.size, _usual(n_rule))


def wanted_cells(
    table: Table, values: CellValues, suspicion: Suspicion | None, wanted: Wanted
) -> np.ndarray:
    """Which cells pass the filters; bool, (n_rows, n_columns)."""
    keep = np.ones(values.values.shape, bool)
    if wanted.columns:
        keep &= np.isin(values.column_names, wanted.columns)[None, :]
    if wanted.classes:
        keep &= np.isin(values.groups, wanted.classes)[:, None]
    if suspicion is not None and not wanted.with_codes:
        keep &= ~holds_code(table, missing_codes(table))
    return keep


def _usual(n_rule: int | None) -> int:
    return min(MOST, max(USUAL, n_rule or 0))


def _ranked(
    table: Table, values: CellValues, suspicion: Suspicion | None, wanted: Wanted
) -> tuple[Ranking, np.ndarray, int | None]:
    """The ranking, which of its places pass the filters, how many are suspects."""
    ranked = ranking(values, suspicion, wanted.by)
    keep = wanted_cells(table, values, suspicion, wanted).ravel()
    # Most often all are wanted, and of a large table these are many.
    at = np.arange(ranked.order.size)
    at = at if keep.all() else at[keep[ranked.order]]
    n_rule = None if ranked.n_rule is None else int((at < ranked.n_rule).sum())
    return ranked, at, n_rule


def _lines(
    table: Table,
    values: CellValues,
    suspicion: Suspicion | None,
    rows: np.ndarray,
    columns: np.ndarray,
) -> dict[str, Any]:
    lines = value_lines(table, values, rows, columns)
    lines["content"] = [brief(text, LONGEST) for text in lines["content"]]
    lines["class"] = [values.labels[i] for i in rows]
    if suspicion is None:
        usual = usual_ranges(table)
        pairs = zip(lines["column"], (table.groups[i] for i in rows), strict=True)
        lines["usual"] = [usual[pair] for pair in pairs]
        return lines
    best = best_suggestions(table, suspicion.surprise, rows, columns)
    lines["suggestion"] = [*map(suggested_text, best)]
    lines |= suspicion_lines(suspicion, rows, columns)
    lines["finding"] = suspicion.findings((rows, columns))
    lines["odds"] = [one_in(share) for share in lines["surprise"].tolist()]
    return lines


def _repair_text(repairs: Repairs, row_number: int, column: str) -> str:
    """What a cell will hold; empty if it stays as it is."""
    if (row_number, "") in repairs:
        return "(row dropped)"
    found = repairs.get((row_number, column))
    return "" if found is None else content(found.text, LONGEST)
