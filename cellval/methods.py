"""The ways to value cells, and when to use which."""

import math
from dataclasses import dataclass

from cellval.errors import InputError


@dataclass(frozen=True)
class Method:
    """One way to value cells."""

    title: str
    when: str  # to use it, and what it costs
    means: str  # what a cell's number says
    additive: bool  # do the cells sum to the score?
    game: bool  # does it train a model on some rows and columns, again and again?
    # Between which numbers all cells must lie.
    possible: tuple[float, float] = (-math.inf, math.inf)


MODELS = {
    "knn": "KNN",
    "tree": "Decision tree",
    "logistic": "Logistic regression",
    "boosting": "Gradient boosting",
}
# The same where the label is a number.
REGRESSORS = MODELS | {"logistic": "Ridge regression"}
MODELS_OF = {"category": MODELS, "number": REGRESSORS}  # by the kind of the label
ROUNDS = {"mc": 100, "flat": 20, "oob": 1000}  # by default; of "oob" the trees

_ADDS = "What the cell adds to the accuracy of the model; below 0 it hurts."

METHODS = {
    "knn": Method(
        "2D-Shapley, KNN (recommended)",
        "Start here: seconds to minutes, because nearest neighbours need no training.",
        _ADDS,
        additive=True,
        game=False,
    ),
    "oob": Method(
        "2D-OOB (trees)",
        "A second opinion in seconds: how often trees that use a cell's column, and "
        "did not train on its row, predict the row.",
        "Share of trees that predict the cell's row, among those that use its column. "
        "Not additive: the numbers sum to nothing in particular, and none is below 0.",
        additive=False,
        game=False,
        possible=(0.0, 1.0),
    ),
    "mc": Method(
        "2D-Shapley, any model (Monte Carlo)",
        "When it must be your model and the table is small: every random order trains "
        "the model once per cell.",
        _ADDS,
        additive=True,
        game=True,
    ),
    "exact": Method(
        "2D-Shapley, any model (exact)",
        "For tables of at most 16 rows and columns in all, such as an example to "
        "check by hand; it trains the model on all combinations.",
        _ADDS,
        additive=True,
        game=True,
    ),
    "loo": Method(
        "2D leave-one-out",
        "A quick baseline: what is lost when the cell's row and column go. Mostly 0, "
        "and blind to copies.",
        "What the model loses without the cell's row and column together, beyond each "
        "alone. Not additive.",
        additive=False,
        game=True,
        possible=(-2.0, 2.0),
    ),
    "flat": Method(
        "1D-Shapley on cells",
        "The paper's baseline, to compare with: every cell a player on its own, absent "
        "ones filled with the mean. Slow, and noisier than 2D.",
        "What the cell adds to the accuracy when absent cells are means.",
        additive=True,
        game=True,
    ),
    "random": Method(
        "Random",
        "A baseline to compare with: what an order by chance finds.",
        "A random number; it says nothing.",
        additive=False,
        game=False,
        possible=(-0.5, 0.5),
    ),
}

# Of a table without a label: nothing that one chooses.
UNVALUED = Method(
    "No label",
    "",
    "This table has no label that cells could help to predict, so they have no values: "
    "colours and lists show how odd they are.",
    additive=False,
    game=False,
)


def about(name: str) -> Method:
    """The method that made values, or none."""
    return UNVALUED if name == "none" else METHODS[name]


def method_of(name: str) -> Method:
    if name not in METHODS:
        possible = ", ".join(repr(known) for known in METHODS)
        raise InputError(f"method={name!r} is not possible: use one of {possible}.")
    return METHODS[name]
