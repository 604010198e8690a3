"""Which cells are probably wrong: what a cell does (value), how odd it is (surprise).

Neither question answers the other. A cell of a hard case hurts and is right; an absurd
cell in a column that nobody needs does no harm. Suspicion is the weighted geometric
mean of two tail probabilities, so lower is worse for it, too.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from cellval.detect.suggestions import best_texts
from cellval.detect.surprise import Surprise, surprise
from cellval.table.columns import Column
from cellval.table.describe import number_text, usual_range
from cellval.table.table import InputError, Table
from cellval.text import SURE, brief
from cellval.values.result import CellValues

# Of the value beside surprise: measured on planted errors (benchmarks/detection.py).
VALUE_WEIGHT = 0.25
FALSE_ALARMS = 0.1  # expected share among the flagged cells
SURPRISING = 0.01  # one ordinary cell in a hundred is as odd
CORNERS = {
    "error": "likely error",
    "odd": "surprising but harmless",
    "hard": "ordinary but harmful: hard case or label problem",
    "fine": "fine",
}


@dataclass(frozen=True, eq=False)
class Suspicion:
    """Every cell ranked by how likely it is wrong. Lower is worse.

    Attributes
    ----------
    harm : ndarray of shape (n_rows, n_columns)
        0 to 1: share of the cells of the same class whose value, in standard errors, is
        at most as low. NaN where there is no value.
    suspicion : ndarray of shape (n_rows, n_columns)
        Geometric mean of surprise (weight 4) and harm (weight 1); surprise alone where
        there is no value.
    """

    table: Table
    values: CellValues | None
    surprise: Surprise
    harm: np.ndarray
    suspicion: np.ndarray

    @cached_property
    def order(self) -> np.ndarray:
        """Flat positions of all cells, worst first."""
        return _order(self.suspicion, self.harm)

    @cached_property
    def surprise_order(self) -> np.ndarray:
        """The same by surprise alone."""
        return _order(self.surprise.surprise, self.harm)

    @cached_property
    def ranks(self) -> np.ndarray:
        """Rank of every cell, 1 for the most suspicious."""
        ranks = np.empty(self.suspicion.size, np.int64)
        ranks[self.order] = np.arange(1, ranks.size + 1)
        return ranks.reshape(self.suspicion.shape)

    @cached_property
    def n_flagged(self) -> int:
        """How many of the most suspicious cells to flag; see `n_to_flag`."""
        return n_to_flag(self.suspicion)

    @cached_property
    def hurts(self) -> np.ndarray:
        """Cells whose value is clearly below zero."""
        if self.values is None:
            return np.zeros(self.suspicion.shape, bool)
        with np.errstate(invalid="ignore"):
            return np.asarray(self.values.values < -SURE * self.values.stderr)

    @cached_property
    def corner(self) -> np.ndarray:
        """Which of `CORNERS` each cell lies in, as an index into its keys."""
        odd = self.surprise.surprise < SURPRISING
        return np.where(odd, np.where(self.hurts, 0, 1), np.where(self.hurts, 2, 3))

    def corner_of(self, index: int, j: int) -> str:
        """The corner of one cell, in words."""
        return list(CORNERS.values())[int(self.corner[index, j])]


def make_suspicion(
    table: Table, values: CellValues | None, found: Surprise
) -> Suspicion:
    """Put values and surprise of the same table together."""
    odd = found.surprise.astype(float)
    harm = np.full(odd.shape, np.nan) if values is None else _harm(values)
    with np.errstate(divide="ignore"):
        logs = np.log(odd) + VALUE_WEIGHT * np.nan_to_num(np.log(harm))
    weights = 1.0 + VALUE_WEIGHT * ~np.isnan(harm)
    return Suspicion(table, values, found, harm, np.exp(logs / weights))


def _harm(values: CellValues) -> np.ndarray:
    """In standard errors a value says more than by itself: large values of cells that
    few test points see are mostly noise.
    """
    errors = np.where(values.stderr > 0, values.stderr, np.nan)
    typical = np.nanmedian(errors) if np.isfinite(errors).any() else 1.0
    scores = values.values / np.where(np.isnan(errors), typical, errors)
    harm = np.full(scores.shape, np.nan)
    labels = pd.factorize(np.array(values.labels, object))[0]
    for label in np.unique(labels):
        members = labels == label
        own = scores[members]
        known = np.sort(own[np.isfinite(own)])
        if known.size:
            at_most = np.searchsorted(known, own, side="right") / known.size
            harm[members] = np.where(np.isfinite(own), at_most, np.nan)
    return harm


def _order(worst: np.ndarray, then: np.ndarray) -> np.ndarray:
    """Flat positions by the first, then the second, then as in the table."""
    return np.lexsort((np.nan_to_num(then.ravel(), nan=2.0), worst.ravel()))


def n_to_flag(suspicion: np.ndarray) -> int:
    """How many cells to flag, aiming at one false alarm in ten.

    The rule of Benjamini and Hochberg on e times the suspicion: whatever the dependence
    of two tail probabilities, e times their weighted geometric mean is one again (Vovk
    and Wang, 2020). It is as good as the tails that `surprise.tail_of` extrapolates:
    where ordinary cells have heavier ones, more alarms are false.
    """
    ordered = np.sort(suspicion, axis=None)
    allowed = FALSE_ALARMS * np.arange(1, ordered.size + 1) / ordered.size
    passed = np.flatnonzero(np.e * ordered <= allowed)
    return int(passed[-1]) + 1 if passed.size else 0


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


def reasons(about: Suspicion, rows: np.ndarray, columns: np.ndarray) -> list[str]:
    """A sentence for each cell on what is odd about it and whether it hurts."""
    corners = list(CORNERS.values())
    ordinary = {k: f"{words[0].upper()}{words[1:]}." for k, words in enumerate(corners)}
    kinds = about.corner[rows, columns]
    texts = [ordinary[kind] for kind in kinds.tolist()]
    usual: dict[tuple[int, int], str] = {}
    for at in np.flatnonzero(about.surprise.surprise[rows, columns] < SURPRISING):
        i, j = int(rows[at]), int(columns[at])
        why = about.surprise.misfits.get((i, j)) or _oddity(about, i, j, usual)
        texts[at] = why + (" It hurts." if about.hurts[i, j] else "")
    return texts


def _oddity(about: Suspicion, i: int, j: int, usual: dict[tuple[int, int], str]) -> str:
    table, found = about.table, about.surprise
    column, label = table.features[j], int(table.y[i])
    if (j, label) not in usual:
        usual[j, label] = usual_range(column, table.y == label)
    parts = []
    if found.residual[i, j] < 0.05 and np.isfinite(found.nearby.expected[i, j]):
        has = _expected_text(column, float(found.nearby.expected[i, j]))
        parts.append(f"rows like this one have about {has}")
    if found.rarity[i, j] < 0.05 or not parts:
        who = brief(table.classes[label], 20)
        parts.append(
            f"usual where {brief(table.label, 20)} is {who}: {usual[j, label]}"
        )
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def _expected_text(column: Column, expected: float) -> str:
    if column.codes is not None:
        return f"'{brief(column.categories[int(expected)], 30)}'"
    return number_text(column, expected)
