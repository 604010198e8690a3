"""Any 2D game: rows and columns of a table as players, a utility of both.

A *utility* is a function ``h(rows, columns) -> float`` of sorted positions; it says how
well a model does that sees these rows through these columns. `ModelUtility` makes one
of any scikit-learn estimator, `KnnUtility` is that of nearest neighbours, `utility_of`
knows models by name; any other function serves, too. *Groups* of rows and columns play
the same game as blocks (`iter_blocks`).
"""

from cellval.games.block_values import BlockValues
from cellval.games.blocks import BlockUtility, iter_blocks, value_blocks
from cellval.games.exact import exact_values
from cellval.games.groups import (
    Groups,
    columns_alone,
    columns_by,
    columns_by_kind,
    columns_by_name,
    columns_together,
    rows_by_column,
    rows_by_quantiles,
    rows_by_ranges,
)
from cellval.games.knn_utility import KnnUtility
from cellval.games.leave_one_out import leave_one_out
from cellval.games.model_utility import ModelUtility, Utility
from cellval.games.models import utility_of
from cellval.games.montecarlo import Estimate, iter_rounds
from cellval.weights import banzhaf, beta, shapley

__all__ = [
    "BlockUtility",
    "BlockValues",
    "Estimate",
    "Groups",
    "KnnUtility",
    "ModelUtility",
    "Utility",
    "banzhaf",
    "beta",
    "columns_alone",
    "columns_by",
    "columns_by_kind",
    "columns_by_name",
    "columns_together",
    "exact_values",
    "iter_blocks",
    "iter_rounds",
    "leave_one_out",
    "rows_by_column",
    "rows_by_quantiles",
    "rows_by_ranges",
    "shapley",
    "utility_of",
    "value_blocks",
]
