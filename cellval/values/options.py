"""`RunOptions`: everything that can be chosen about a valuation, in one list.

The library checks its arguments by it, the command line makes its flags of it, and the
app its widgets. What was done with them in the end is `Settings`.
"""

from dataclasses import Field, dataclass, field, fields
from typing import Any

import numpy as np

from cellval.errors import InputError, is_positive, is_whole, require
from cellval.methods import METHODS, MODELS, ROUNDS, method_of
from cellval.parallel import Budget
from cellval.weights import named

BASELINES = {
    "zero": "0 %, as in the paper",
    "chance": "what random neighbours reach",
}
SCORINGS = {
    "accuracy": "every test point has the same say",
    "balanced": "every class has the same say",
}
BACKENDS = ("cpu", "cuda", "auto")
GAMES = tuple(name for name, method in METHODS.items() if method.game)
TESTED = ("knn", *GAMES)  # methods that measure on test rows


def _option(
    default: Any,
    flag: str,
    means: str,
    *,
    of: tuple[str, ...] = tuple(METHODS),
    kind: type = str,
) -> Any:
    """A field with its flag, a line for help texts, and the methods that have it."""
    metadata = {"flag": flag, "means": means, "of": of, "kind": kind}
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """What a person asked for; see `cellval.value_cells`, which has the same list.

    Examples
    --------
    >>> RunOptions(n_neighbors=5).method
    'knn'
    >>> RunOptions(method="oob", near=100)
    Traceback (most recent call last):
    cellval.errors.InputError: near is no option of method='oob' (2D-OOB (trees)); ...
    """

    method: str = _option(
        "knn",
        "--method",
        "how cells are valued (default knn): "
        + "; ".join(f"{name}: {method.title}" for name, method in METHODS.items()),
    )
    model: Any = _option(
        "tree", "--model", f"{', '.join(MODELS)} (default tree)", of=GAMES
    )
    rounds: int | None = _option(
        None, "--rounds", "random orders, or trees", of=tuple(ROUNDS), kind=int
    )
    n_neighbors: int = _option(
        10, "--neighbors", "K of KNN (default 10)", of=TESTED, kind=int
    )
    test: Any = _option(
        None,
        "--test",
        "a second CSV, or a share of the rows, 0.3 (default: leave-one-out)",
        of=TESTED,
    )
    subsets: str | int = _option(
        "auto", "--subsets", "auto, all, or how many (default auto)", of=("knn",)
    )
    baseline: str = _option(
        "zero", "--baseline", "zero or chance (default zero)", of=TESTED
    )
    scoring: str = _option(
        "accuracy", "--scoring", "accuracy or balanced (default accuracy)", of=TESTED
    )
    width: float | None = _option(
        None,
        "--width",
        "how far apart labels that are numbers agree no more (default: twice their "
        "robust standard deviation)",
        of=TESTED,
        kind=float,
    )
    near: int | None = _option(
        None,
        "--near",
        "approximate: order only the nearest NEAR rows",
        of=("knn",),
        kind=int,
    )
    row_weights: str = _option(
        "shapley",
        "--row-weights",
        "shapley, banzhaf or 'beta(a, b)'",
        of=("mc", "exact"),
    )
    column_weights: str = _option(
        "shapley", "--column-weights", "the same", of=("knn", "mc", "exact")
    )
    truncation: float | None = _option(
        None, "--truncation", "an approximation, such as 0.01", of=("mc",), kind=float
    )
    budget: float | None = _option(
        None, "--seconds", "stop after so many seconds", kind=float
    )
    target_stderr: float | None = _option(
        None, "--stderr", "stop at this standard error", kind=float
    )
    random_state: int = _option(0, "--seed", "seed (default 0)", kind=int)
    backend: str = _option(
        "cpu",
        "--backend",
        "cpu, cuda (a GPU), or auto: a GPU where one is there (default cpu)",
        of=("knn",),
    )

    def __post_init__(self) -> None:
        method = method_of(self.method)
        for option in fields(self):
            value = getattr(self, option.name)
            if isinstance(value, np.generic):  # which no file of values can hold
                object.__setattr__(self, option.name, value.item())
            if self.method not in option.metadata["of"] and self.is_given(option):
                raise InputError(
                    f"{option.name} is no option of method={self.method!r} "
                    f"({method.title}); leave it out, or choose another method."
                )
        chosen = {"baseline": BASELINES, "scoring": SCORINGS, "backend": BACKENDS}
        for name, possible in chosen.items():
            value, words = getattr(self, name), " or ".join(map(repr, possible))
            require(name, value, isinstance(value, str) and value in possible, words)
        least = "1 or more"
        for name in ("rounds", "near"):
            value = getattr(self, name)
            ok = value is None or is_whole(value, 1)
            require(name, value, ok, f"None, or {least}")
        require("n_neighbors", self.n_neighbors, is_whole(self.n_neighbors, 1), least)
        seed = self.random_state
        require("random_state", seed, is_whole(seed, 0), "whole, from 0 on")
        require("width", self.width, is_positive(self.width), "None, or above 0")
        share = self.truncation
        require("truncation", share, is_positive(share), "None, or above 0")
        for name in ("row_weights", "column_weights"):
            try:
                object.__setattr__(self, name, named(getattr(self, name)).name)
            except InputError as error:
                raise InputError(f"{name}: {error}") from None
        self.stops_at  # noqa: B018 - checks the budget

    def is_given(self, option: "Field[Any]") -> bool:
        """Does a field differ from its default?"""
        value = getattr(self, option.name)
        # Tables and frames are never a default, and do not compare as a whole.
        is_plain = isinstance(value, str | int | float)
        return not (value is option.default or (is_plain and value == option.default))

    @property
    def stops_at(self) -> Budget:
        return Budget(self.budget, self.target_stderr)

    @property
    def stops(self) -> bool:
        """May a run end before all is done, wherever it then stands?"""
        return self.budget is not None or self.target_stderr is not None

    @property
    def is_function(self) -> bool:
        """Is the model a utility of rows and columns of the whole table?"""
        return callable(self.model) and not hasattr(self.model, "predict")

    @property
    def n_rounds(self) -> int:
        """Rounds (trees of "oob") of the method; 1 where it has none."""
        return ROUNDS.get(self.method, 1) if self.rounds is None else int(self.rounds)
