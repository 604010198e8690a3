"""`RunOptions`: everything that can be chosen about a valuation, in one list.

The library checks its arguments by it, the command line makes its flags of it, and the
app its widgets. What was done with them in the end is `Settings`.
"""

from dataclasses import Field, dataclass, field, fields
from typing import Any

from cellval.errors import InputError, is_positive, is_whole, require
from cellval.methods import METHODS, MODELS, ROUNDS, method_of
from cellval.parallel import Budget
from cellval.weights import named

BASELINES = {
    "zero": "nothing, as in the paper",
    "chance": "a guess among all rows",
}
SCORINGS = {
    "accuracy": "every test point has the same say",
    "balanced": "every class has the same say",
}
GAMES = tuple(name for name, method in METHODS.items() if method.game)
TESTED = ("knn", *GAMES)  # methods that measure on test rows


def _about(
    flag: str, means: str, *, of: tuple[str, ...] = tuple(METHODS), kind: type = str
) -> dict[str, Any]:
    """The option's flag, a line for help texts, and the methods that have it."""
    return {"flag": flag, "means": means, "of": of, "kind": kind}


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

    method: str = field(
        default="knn",
        metadata=_about(
            "--method",
            "how cells are valued (default knn): "
            + "; ".join(f"{name}: {method.title}" for name, method in METHODS.items()),
        ),
    )
    model: Any = field(
        default="tree",
        metadata=_about("--model", f"{', '.join(MODELS)} (default tree)", of=GAMES),
    )
    rounds: int | None = field(
        default=None,
        metadata=_about(
            "--rounds", "random orders, or trees", of=tuple(ROUNDS), kind=int
        ),
    )
    n_neighbors: int = field(
        default=10,
        metadata=_about("--neighbors", "K of KNN (default 10)", of=TESTED, kind=int),
    )
    test: Any = field(
        default=None,
        metadata=_about(
            "--test",
            "a second CSV, or a share of the rows, 0.3 (default: leave-one-out)",
            of=TESTED,
        ),
    )
    subsets: str | int = field(
        default="auto",
        metadata=_about(
            "--subsets", "auto, all, or how many (default auto)", of=("knn",)
        ),
    )
    baseline: str = field(
        default="zero",
        metadata=_about("--baseline", "zero or chance (default zero)", of=TESTED),
    )
    scoring: str = field(
        default="accuracy",
        metadata=_about(
            "--scoring", "accuracy or balanced (default accuracy)", of=TESTED
        ),
    )
    near: int | None = field(
        default=None,
        metadata=_about(
            "--near",
            "approximate: order only the nearest NEAR rows",
            of=("knn",),
            kind=int,
        ),
    )
    row_weights: str = field(
        default="shapley",
        metadata=_about(
            "--row-weights", "shapley, banzhaf or 'beta(a, b)'", of=("mc", "exact")
        ),
    )
    column_weights: str = field(
        default="shapley",
        metadata=_about("--column-weights", "the same", of=("knn", "mc", "exact")),
    )
    truncation: float | None = field(
        default=None,
        metadata=_about(
            "--truncation", "an approximation, such as 0.01", of=("mc",), kind=float
        ),
    )
    budget: float | None = field(
        default=None,
        metadata=_about("--seconds", "stop after so many seconds", kind=float),
    )
    target_stderr: float | None = field(
        default=None,
        metadata=_about("--stderr", "stop at this standard error", kind=float),
    )
    random_state: int = field(
        default=0, metadata=_about("--seed", "seed (default 0)", kind=int)
    )

    def __post_init__(self) -> None:
        method = method_of(self.method)
        for option in fields(self):
            if self.method not in option.metadata["of"] and self.is_given(option):
                raise InputError(
                    f"{option.name} is no option of method={self.method!r} "
                    f"({method.title}); leave it out, or choose another method."
                )
        for name, possible in (("baseline", BASELINES), ("scoring", SCORINGS)):
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
        is_text = isinstance(value, str) and value == option.default
        return not (value is option.default or is_text or _equal(value, option.default))

    @property
    def stops_at(self) -> Budget:
        return Budget(self.budget, self.target_stderr)

    @property
    def n_rounds(self) -> int:
        """Rounds (trees of "oob") of the method; 1 where it has none."""
        return ROUNDS.get(self.method, 1) if self.rounds is None else int(self.rounds)


def _equal(value: Any, default: Any) -> bool:
    """Numbers that are the same; tables and frames are never a default."""
    return isinstance(value, int | float) and value == default and default is not None
