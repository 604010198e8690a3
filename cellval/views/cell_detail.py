"""`CellDetail`: everything about one cell, as the panel of a clicked cell shows it."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from cellval.detect.suggestions import Suggestion, suggestions
from cellval.detect.surprise import Surprise
from cellval.detect.suspects import reasons
from cellval.detect.suspicion import Suspicion
from cellval.kept import kept
from cellval.table.describe import (
    Place,
    Spread,
    column_of,
    group_words,
    place,
    spread,
    standing,
)
from cellval.table.table import Table
from cellval.values.result import CellValues
from cellval.values.words import Unit, effect
from cellval.views.table_view import near_rows
from cellval.views.value_view import value_view

N_NEAR = 8


@dataclass(frozen=True)
class Oddity:
    """How odd a cell is, and what that and its value together mean."""

    suspicion: float  # 0 to 1, as surprise; lower is worse
    rank: int  # by suspicion, 1 for the most suspicious cell
    surprise: float
    corner: str  # of the map of all cells: one of `suspicion.CORNERS`
    is_suspect: bool  # does the rule pick it?
    reason: str  # a sentence; empty for an ordinary cell


@dataclass(frozen=True, eq=False)
class CellDetail:
    """One cell: what it holds and does, how odd it is, and what should stand there."""

    position: int  # of its row in the table, from 0
    row_number: int  # in the file, from 1
    column: str
    text: str
    row_id: str | None  # None where the table has no id column
    label: str  # of its row
    group: str  # the rows that it is compared with by its label, as words
    value: float
    stderr: float
    unit: Unit  # in which values of this run read well
    sentence: str  # what the value means; empty where values are no parts of a score
    is_valued: bool  # False without a label
    rank: int  # within its class, 1 for the lowest value; 0 without a value
    rank_over_all: int
    n_ranked: int  # cells with a value
    n_cells: int
    oddity: Oddity | None  # None as long as surprise is not known
    places: tuple[Place, ...]  # in its column: among all rows, and its class
    standing: tuple[str, ...]  # the same in sentences, or why it has no place
    spread: Spread  # the distribution of its column
    near: pd.DataFrame  # row_number, content, label, distance of the rows most like its
    _table: Table = field(repr=False)
    _surprise: Surprise | None = field(repr=False)

    @cached_property
    def suggestions(self) -> tuple[Suggestion, ...]:
        """What could stand in the cell instead, the likeliest first.

        Found when asked for: it takes 0.3 s in a large table. Empty as long as surprise
        is not known.
        """
        if self._surprise is None:
            return ()
        return _suggestions(self._surprise, self._table, self.position, self.column)


@kept(8)
def cell_detail(
    values: CellValues,
    table: Table,
    suspicion: Suspicion | None,
    position: int,
    column: str,
) -> CellDetail:
    """Everything about one cell, by the position of its row and its column's name."""
    position = int(position)
    j = values.column_names.index(column)
    near = near_rows(table, position, column, N_NEAR)
    view, settings = value_view(values), values.settings
    value, stderr = float(values.values[position, j]), float(values.stderr[position, j])
    means = effect(value, stderr, settings, has_label=bool(values.groups[position]))
    oddity = None if suspicion is None else _oddity(suspicion, position, j)
    missing = column_of(table, column).missing[position]
    places = () if missing else place(table, position, column)
    return CellDetail(
        position=position,
        row_number=int(values.row_numbers[position]),
        column=column,
        text=str(table.cells[column].iat[position]),
        row_id=None if table.id_column is None else values.ids[position],
        label=values.labels[position],
        group=group_words(table, position),
        value=value,
        stderr=stderr,
        unit=view.unit,
        sentence=means if settings.additive else "",
        is_valued=settings.is_valued,
        rank=int(view.ranks[position, j]),
        rank_over_all=view.rank_over_all(position, j),
        n_ranked=int(np.count_nonzero(view.ranks)),
        n_cells=values.values.size,
        oddity=oddity,
        places=places,
        standing=standing(table, position, column, places),
        spread=spread(table, position, column),
        near=near,
        _table=table,
        _surprise=None if suspicion is None else suspicion.surprise,
    )


# With the surprise, not the values: these change while a run goes on.
@kept(64)
def _suggestions(
    found: Surprise, table: Table, position: int, column: str
) -> tuple[Suggestion, ...]:
    return suggestions(table, found, position, column)


def _oddity(suspicion: Suspicion, position: int, j: int) -> Oddity:
    corner = suspicion.corner_of(position, j)
    is_odd = corner in ("error", "odd")
    reason = reasons(suspicion, np.array([position]), np.array([j]))[0]
    return Oddity(
        float(suspicion.scores[position, j]),
        int(suspicion.ranks[position, j]),
        float(suspicion.surprise.surprise[position, j]),
        corner,
        bool(suspicion.ranks[position, j] <= suspicion.n_flagged),
        reason if is_odd else "",
    )
