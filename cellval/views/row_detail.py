"""One row: how its cells make its value, its neighbours, what could be changed."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from cellval.detect.suggestions import Suggestion, suggest_many
from cellval.detect.surprise import Surprise
from cellval.detect.suspicion import SURPRISING, Suspicion
from cellval.kept import kept
from cellval.stats import clearly_below
from cellval.table.table import Table
from cellval.values.result import CellValues
from cellval.views.table_view import nearest

N_LOWEST = 50  # rows
N_NEAR = 10
N_IMPORTANT = 6  # columns shown of the neighbours
MOST_CELLS = 5  # tried in a row
MAX_BARS = 12  # of a waterfall


def lowest_rows(values: CellValues) -> list[int]:
    """Positions of the rows with the lowest values, lowest first."""
    order = np.argsort(values.row_values, kind="stable")[:N_LOWEST]
    return [int(i) for i in order if np.isfinite(values.row_values[i])]


def rows_beside(values: CellValues, position: int) -> tuple[int | None, int | None]:
    """The rows of the next lower and the next higher value; None where there is none.

    After a row without a value comes the lowest one.
    """
    order = np.argsort(values.row_values, kind="stable")
    order = order[np.isfinite(values.row_values[order])]
    at = np.flatnonzero(order == position)
    before, after = (at[0] - 1, at[0] + 1) if at.size else (-1, 0)
    return (
        int(order[before]) if before >= 0 else None,
        int(order[after]) if after < order.size else None,
    )


@dataclass(frozen=True)
class RowSum:
    """How the cells of a row make its value."""

    total: float  # the row's value
    stderr: float
    up: float  # sum of the cells above 0, and below
    down: float
    n_up: int
    n_down: int
    n_cells: int
    rank: int  # among the rows with a value; 1 is the lowest
    n_rows: int


def row_sum(values: CellValues, position: int) -> RowSum:
    """The identity behind a row's waterfall."""
    cells, total = values.values[position], float(values.row_values[position])
    helps, hurts = cells[cells > 0], cells[cells < 0]
    return RowSum(
        total,
        float(values.row_stderr[position]),
        float(helps.sum()),
        float(hurts.sum()),
        helps.size,
        hurts.size,
        cells.size,
        int((values.row_values < total).sum()) + 1,
        int(np.isfinite(values.row_values).sum()),
    )


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The rows most like a row, nearest first."""

    rows: np.ndarray  # positions
    distances: np.ndarray  # two random rows are about 1 apart
    same: np.ndarray  # which of them have the row's label
    share: float  # of all rows that have it
    columns: tuple[str, ...]  # whose cells matter most for the row


def neighbours(table: Table, values: CellValues, position: int) -> Neighbours:
    """Alike labels around a row raise its value, others lower it.

    Of rows with a label, as models see them.
    """
    has = np.flatnonzero(table.y >= 0)
    near, distances = nearest(
        table.labelled, int(np.searchsorted(has, position)), N_NEAR
    )
    rows, alike = has[near], table.y == table.y[position]
    size = np.abs(np.nan_to_num(values.values[position]))
    important = np.argsort(-size, kind="stable")[:N_IMPORTANT]
    columns = tuple(values.column_names[j] for j in important)
    return Neighbours(rows, distances, alike[rows], float(alike[has].mean()), columns)


def is_low(values: CellValues, suspicion: Suspicion | None, position: int) -> bool:
    """Is a row clearly below zero, among the lowest rows, or has it a suspect?"""
    if clearly_below(values.row_values[position], values.row_stderr[position]):
        return True
    if suspicion is not None and suspicion.ranks[position].min() <= suspicion.n_flagged:
        return True
    return position in lowest_rows(values)


def row_suggestions(
    table: Table, suspicion: Suspicion | None, position: int
) -> list[tuple[dict[str, str], str]]:
    """For each odd cell of a row: what should stand there, and why.

    A swap changes two cells, and is one change.
    """
    if suspicion is None or position >= len(suspicion.scores):
        return []
    odd = np.flatnonzero(suspicion.surprise.surprise[position] < SURPRISING)
    worst = np.argsort(suspicion.scores[position, odd], kind="stable")[:MOST_CELLS]
    columns = tuple(odd[worst].tolist())
    found: dict[frozenset[tuple[str, str]], tuple[dict[str, str], str]] = {}
    suggested = _suggested(suspicion.surprise, table, position, columns)
    for j, options in zip(columns, suggested, strict=True):
        if options:
            best = options[0]
            texts = {table.feature_names[j]: best.text, **dict(best.also)}
            found.setdefault(frozenset(texts.items()), (texts, best.why))
    return list(found.values())


@kept(16)
def _suggested(
    found: Surprise, table: Table, position: int, columns: tuple[int, ...]
) -> list[tuple[Suggestion, ...]]:
    return suggest_many(table, found, [(position, j) for j in columns])


def folded(explained: pd.DataFrame) -> pd.DataFrame:
    """The largest contributions, and the others as one line; the sum stays."""
    if len(explained) <= MAX_BARS:
        return explained
    shown, rest = explained.iloc[: MAX_BARS - 1], explained.iloc[MAX_BARS - 1 :]
    line = {
        "column": f"{len(rest):,} other columns",
        "cell": None,
        "value": rest["value"].sum(),
        "stderr": float(np.sqrt(np.sum(rest["stderr"] ** 2))),
    }
    return pd.concat([shown, pd.DataFrame([line])], ignore_index=True)


def in_one_order(
    now: pd.DataFrame, then: pd.DataFrame
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Lines of a row before and after a change, in the order of the first.

    Of many columns, those that are large on either side are not folded.
    """
    sides = now.set_index("column"), then.set_index("column")
    sizes = np.maximum(*(side["value"].abs() for side in sides))
    large = set(sizes.nlargest(MAX_BARS - (len(now) > MAX_BARS)).index)
    order = sorted(sides[0].index, key=lambda name: name not in large)
    one, two = (side.loc[order].reset_index() for side in sides)
    return one, two


def running_limits(values: np.ndarray, total: float) -> tuple[float, float]:
    """Smallest and largest point that a waterfall of these values passes."""
    path = np.concatenate([[0.0, total], np.cumsum(values)])
    low, high = float(np.nanmin(path)), float(np.nanmax(path))
    return (low, high) if low < high else (low - 1e-9, high + 1e-9)


def shared_limits(rows: Iterable[tuple[pd.DataFrame, float]]) -> tuple[float, float]:
    """Limits of one axis for the waterfalls of several rows.

    Each has its lines, as from `CellValues.explain`, and its total.
    """
    limits = [
        running_limits(folded(lines)["value"].to_numpy(), total)
        for lines, total in rows
    ]
    return min(low for low, _ in limits), max(high for _, high in limits)
