"""What follows from one set of values: ranks, limits of colours, harmful cells."""

import operator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cellval.kept import kept
from cellval.stats import clearly_below
from cellval.values.result import CellValues
from cellval.values.words import Unit, score_name
from cellval.views.bands import Bands, bands

COLOUR_QUANTILE = 0.995
SUSPECT_SHARE = 0.005
MIN_SUSPECTS = 5
QUANTILES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True, eq=False)
class ValueView:
    """What follows from one set of values; computed when asked for."""

    values: CellValues

    @property
    def is_valued(self) -> bool:
        return self.values.settings.is_valued

    @cached_property
    def has_ids(self) -> bool:
        """Do rows have other names than their numbers?"""
        numbers = map(str, self.values.row_numbers.tolist())
        return any(map(operator.ne, self.values.ids, numbers))

    @cached_property
    def ranks(self) -> np.ndarray:
        """Rank of every cell within its row's class; 1 is the lowest, 0 no value."""
        return self.values.ranks(within_class=True)

    @cached_property
    def ranks_over_all(self) -> np.ndarray:
        return self.values.ranks()

    @cached_property
    def order(self) -> np.ndarray:
        """Flat positions of the cells with a value by `ranks`."""
        return _order(self.ranks)

    @cached_property
    def order_over_all(self) -> np.ndarray:
        return _order(self.ranks_over_all)

    def rank_over_all(self, position: int, j: int) -> int:
        """The same for one cell without ranking all of them; 0 if it has no value."""
        values = self.values.values
        flat, at = values.ravel(), position * values.shape[1] + j
        value = flat[at]
        if not np.isfinite(value):
            return 0
        return int((flat < value).sum() + (flat[:at] == value).sum()) + 1

    @cached_property
    def limit(self) -> float:
        """How far from the middle colours saturate; a quantile, so that no single cell
        decides.
        """
        return _limit(self.values.values - self.values.settings.middle)

    @cached_property
    def row_limit(self) -> float:
        return _limit(self.values.row_values - self.values.settings.middle)

    @cached_property
    def unit(self) -> Unit:
        return Unit.of(self.limit, score_name(self.values.settings))

    @cached_property
    def row_unit(self) -> Unit:
        return Unit.of(self.row_limit, self.unit.score)

    @cached_property
    def column_unit(self) -> Unit:
        return Unit.of(_limit(self.values.column_values), self.unit.score)

    def column_text(self, j: int) -> str:
        """The value of a column with its standard error."""
        values = self.values
        value, error = values.column_values[j], values.column_stderr[j]
        return self.column_unit.with_error(value, error)

    @cached_property
    def lowest_cell(self) -> np.ndarray:
        """Lowest value in each row; NaN in rows without values."""
        return np.fmin.reduce(self.values.values, axis=1)

    @cached_property
    def harmful(self) -> np.ndarray:
        """Flat positions of cells clearly below zero, lowest in their class first."""
        cells = np.flatnonzero(clearly_below(self.values.values, self.values.stderr))
        return cells[np.argsort(self.ranks.ravel()[cells], kind="stable")]

    @cached_property
    def harmful_by_column(self) -> np.ndarray:
        m = self.values.values.shape[1]
        return np.bincount(self.harmful % m, minlength=m)

    @cached_property
    def overview(self) -> Bands:
        """All rows at a glance, in the order of the file."""
        return bands(self.values.values, np.arange(len(self.values.values)))

    @property
    def usual_suspects(self) -> int:
        """How many suspects at most are outlined unless a person says otherwise."""
        return max(MIN_SUSPECTS, round(SUSPECT_SHARE * self.values.values.size))

    @cached_property
    def spread(self) -> np.ndarray | None:
        """Where `QUANTILES` of the cell values of each column are, a line each.

        Over the rows with values; None if there is no such row.
        """
        cells = self.values.values
        cells = cells[np.isfinite(cells).all(axis=1)]
        # Turned, numbers of a column lie side by side, and are sorted much faster.
        return np.quantile(cells.T, QUANTILES, axis=1) if len(cells) else None


@kept(1)
def value_view(values: CellValues) -> ValueView:
    """The view of these values, kept with them."""
    return ValueView(values)


def _order(ranks: np.ndarray) -> np.ndarray:
    order = np.argsort(ranks, axis=None, kind="stable")
    return order[np.count_nonzero(ranks == 0) :]


def _limit(values: np.ndarray) -> float:
    size = np.abs(values[np.isfinite(values)])
    if size.size == 0:
        return 0.0
    return float(np.quantile(size, COLOUR_QUANTILE)) or float(size.max())
