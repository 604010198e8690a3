"""`Settings`: how values were made, as fields; sentences about them are in `words`."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, get_args

from cellval.errors import CannotGoOn, InputError
from cellval.methods import METHODS, MODELS, about

# What values of one run must share with those that continue it.
OF_THE_RUN = (
    *("method", "table", "n_neighbors", "test", "test_rows", "test_table"),
    *("baseline", "scoring", "width", "column_weights", "near", "random_state"),
    *("item_work", "backend", "model", "rounds", "row_weights", "truncation"),
)
BACKENDS = ("cpu", "cuda")
TESTS = ("leave-one-out", "hold-out", "table", "none", "function")
DESIGNS = (
    *("subsets", "pairs", "rounds", "cell orders", "left out", "trees", "random"),
)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How values were made.

    Attributes
    ----------
    method : str
        A key of `cellval.methods.METHODS`.
    table : str
        Fingerprint of the table.
    model : str
        A key of `MODELS`, "function" for a person's own, an estimator as it prints
        itself, or nothing where no model is trained.
    test : str
        One of `TESTS`: where the score was measured.
    test_rows : int
        Rows held out.
    test_name, test_table : str
        Name and fingerprint of the test table.
    scoring : str
        "accuracy" or "balanced" of classes, "closeness" of numbers.
    width : float
        Of closeness: how far apart two labels agree no more.
    backend : str
        One of `BACKENDS`: where it was computed.
    cluster : str
        On which one, in words; empty for this computer.
    design : str
        One of `DESIGNS`: what was evaluated. "subsets" are all of them (exact).
    n_draws, most_draws : int
        How many subsets, pairs of orders for every test point (from, to), rounds or
        trees.
    n_seen, n_tests : int
        Test points of the first pass seen, and all of them, while it is not finished;
        else 0.
    weight : float
        What the values count when they are merged with others.
    sources : tuple of (str, int or None)
        Test points and seed of each of the runs that were merged.
    middle : float
        The value of a cell that is neither good nor bad.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read("sample_data/davis.csv", label="sex")
    >>> how = cellval.value_cells(table).settings
    >>> how.method, how.test, how.design, how.is_exact
    ('knn', 'leave-one-out', 'subsets', True)
    """

    method: str = "knn"
    table: str = ""
    model: str = "knn"
    n_neighbors: int | None = None
    test: str = "leave-one-out"
    test_rows: int = 0
    test_name: str = ""
    test_table: str = ""
    subsets: str | int = "auto"
    passes: tuple[int, ...] = ()
    item_work: float = 0.0
    baseline: str = "zero"
    scoring: str = "accuracy"
    width: float | None = None
    row_weights: str = "shapley"
    column_weights: str = "shapley"
    near: int | None = None
    truncation: float | None = None
    rounds: int | None = None
    random_state: int | None = 0
    backend: str = "cpu"
    cluster: str = ""
    design: str = "subsets"
    n_draws: int = 0
    most_draws: int = 0
    n_seen: int = 0
    n_tests: int = 0
    weight: float = 0.0
    sources: tuple[tuple[str, int | None], ...] = ()
    middle: float = 0.0

    def __post_init__(self) -> None:
        known = {"method": (*METHODS, "none"), "test": TESTS, "design": DESIGNS}
        known["backend"] = BACKENDS
        for name, possible in known.items():
            if getattr(self, name) not in possible:
                raise ValueError(f"{name}={getattr(self, name)!r}")

    @property
    def is_valued(self) -> bool:
        """Do cells have values at all? Not without a label."""
        return self.method != "none"

    @property
    def additive(self) -> bool:
        """Are values parts of the score? Else 0 is no border between good and bad."""
        return about(self.method).additive

    @property
    def possible(self) -> tuple[float, float]:
        """Between which numbers all cells must lie."""
        return about(self.method).possible

    @property
    def sums_to_score(self) -> bool:
        """Is the total the score reached (less what no columns are worth)?"""
        return self.additive and self.row_weights == self.column_weights == "shapley"

    @property
    def is_exact(self) -> bool:
        """Were all subsets evaluated, without sampling?"""
        return self.design == "subsets"

    @property
    def is_approximate(self) -> bool:
        """Is the utility itself a coarser one?"""
        return self.near is not None or self.truncation is not None

    @property
    def source(self) -> tuple[str, int | None]:
        """Test points and seed: runs that share them saw the same draws."""
        where = f"{self.test} {self.test_rows} {self.test_table}".strip()
        return where, self.random_state

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> "Settings":
        """What `to_dict` gave, after JSON made lists of tuples."""
        sources = tuple((where, seed) for where, seed in saved["sources"])
        passes = tuple(map(int, saved["passes"]))
        return cls(**{**saved, "sources": sources, "passes": passes}).checked()

    def checked(self) -> "Settings":
        """Itself, if every field is of its kind: a file may say anything."""
        for one in fields(self):
            value: Any = getattr(self, one.name)
            if isinstance(value, tuple):
                continue  # made of what was read
            kinds = get_args(one.type) or (one.type,)
            if float in kinds and type(value) in (int, float) and math.isfinite(value):
                continue
            if type(value) not in kinds or (float in kinds and value is not None):
                raise ValueError(f"{one.name}={value!r}")
        return self


def check_goes_on(
    earlier: Settings, now: Settings, names: Sequence[str] = OF_THE_RUN
) -> None:
    """`CannotGoOn` if a run cannot continue an earlier one, as these differ."""
    changed = [name for name in names if getattr(earlier, name) != getattr(now, name)]
    if changed:
        raise CannotGoOn(
            "This run cannot continue those values: different "
            + ", ".join(changed)
            + ". Use the same table and settings, or start a new run."
        )


def nothing_to_go_on() -> CannotGoOn:
    """Values alone do not tell what they were made of."""
    return CannotGoOn(
        "These values lack what is needed to continue them. Start a new run."
    )


# --- files of version 0.1 -------------------------------------------------------------

_MODELS = {title.lower(): name for name, title in MODELS.items()} | {
    "KNN model": "knn",
    "your function": "function",
}


def from_0_1(old: Mapping[str, Any]) -> Settings:
    """Settings as version 0.1 wrote them: a mapping with sentences in it."""
    method = old.get("by", "knn")
    if method not in METHODS:
        raise InputError(
            f"Values by '{method}' are not known to this version. Run it again."
        )
    test = _test_of(str(old.get("test", "leave-one-out")))
    design = str(old.get("design", ""))
    numbers = [int(n.replace(",", "")) for n in re.findall(r"[\d,]*\d", design)]
    done: dict[str, Any] = {"design": _design_of(method, design)}
    if numbers and done["design"] not in ("left out", "random"):
        done |= {"n_draws": numbers[0], "most_draws": numbers[0]}
        if done["design"] == "pairs" and " to " in design.partition("random")[0]:
            done["most_draws"] = numbers[1]
    if unfinished := re.search(r"([\d,]+) of ([\d,]+) test points", design):
        seen, of = (int(n.replace(",", "")) for n in unfinished.groups())
        done |= {"n_seen": seen, "n_tests": of}
    truncated = re.search(r"within ([\d.e-]+) of all", str(old.get("approximation")))
    model = str(old.get("model", "KNN model"))
    kept = (
        *("table", "n_neighbors", "subsets", "item_work", "baseline", "scoring"),
        *("row_weights", "column_weights", "near", "rounds", "random_state"),
        *("weight", "middle"),
    )
    return Settings(
        method=method,
        model=_MODELS.get(model, model),
        truncation=float(truncated[1]) if truncated else None,
        passes=tuple(map(int, old.get("passes", ()))),
        sources=tuple(
            (Settings(**_test_of(where)).source[0], seed)
            for where, seed in old.get("sources", ())
        ),
        **test,
        **done,
        **{name: old[name] for name in kept if name in old},
    ).checked()


def _test_of(said: str) -> dict[str, Any]:
    if held_out := re.match(r"hold-out of (\d+) rows", said):
        return {"test": "hold-out", "test_rows": int(held_out[1])}
    if table := re.fullmatch(r"test table '(.*)' (\w+)", said, re.DOTALL):
        return {"test": "table", "test_name": table[1], "test_table": table[2]}
    names = {"none": "none", "your function's": "function"}
    return {"test": names.get(said, "leave-one-out")}


def _design_of(method: str, design: str) -> str:
    if method == "knn":
        return "subsets" if design.startswith("all ") else "pairs"
    others = {"oob": "trees", "loo": "left out", "flat": "cell orders", "mc": "rounds"}
    return others.get(method, "random" if method == "random" else "subsets")
