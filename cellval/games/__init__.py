"""Any 2D game: rows and columns of a table as players, a utility of both.

A *utility* is a function ``h(rows, columns) -> float`` of sorted positions; it says how
well a model does that sees these rows through these columns. `ModelUtility` makes one
of any scikit-learn estimator; any other function serves, too.
"""

from cellval.games.exact import exact_values
from cellval.games.leave_one_out import leave_one_out
from cellval.games.montecarlo import Estimate, iter_rounds
from cellval.games.utility import ModelUtility, Utility
from cellval.games.weights import banzhaf, beta, shapley

__all__ = [
    "Estimate",
    "ModelUtility",
    "Utility",
    "banzhaf",
    "beta",
    "exact_values",
    "iter_rounds",
    "leave_one_out",
    "shapley",
]
