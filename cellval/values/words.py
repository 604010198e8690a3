"""Values as people read them: units, signs, what a number means in a sentence."""

import math
from dataclasses import dataclass
from typing import ClassVar

from cellval.glossary import of_numbers
from cellval.methods import MODELS, REGRESSORS, about
from cellval.stats import SURE, in_errors
from cellval.values.settings import Settings

MOST_DECIMALS = 7
SCORED = ("leave-one-out", "hold-out", "table")  # kinds of test rows with a score


@dataclass(frozen=True)
class Unit:
    """How numbers of one quantity are written, as in "−0.374 ± 0.084 pp".

    Always in percentage points: cells, rows and columns stand on one page, and a second
    unit for the small ones would have to be converted in the head.
    """

    decimals: int
    score: str = "accuracy"  # of which these are shares; see `score_name`

    name: ClassVar[str] = "pp"
    factor: ClassVar[float] = 100.0

    @classmethod
    def of(cls, size: float, score: str = "accuracy") -> "Unit":
        """With as many decimals as numbers up to about `size` (a share) need."""
        known = math.isfinite(size) and size > 0
        digits = 2 - math.floor(math.log10(size * cls.factor)) if known else 2
        return cls(min(max(digits, 0), MOST_DECIMALS), score)

    @property
    def of_score(self) -> str:
        return f"{self.name} of {self.score}"

    @property
    def long(self) -> str:
        return f"percentage points of {self.score}"

    def number(self, value: float) -> str:
        """Without the unit, for places that name it."""
        if not math.isfinite(value):
            return "–"
        text = f"{value * self.factor:,.{self.decimals}f}"
        if float(text.replace(",", "")) == 0:
            text = text.lstrip("-")
        return text.replace("-", "−")

    def text(self, value: float) -> str:
        number = self.number(value)
        return number if number == "–" else f"{number} {self.name}"

    def with_error(self, value: float, stderr: float) -> str:
        if not math.isfinite(stderr):
            return self.text(value)
        return f"{self.number(value)} ± {self.number(stderr)} {self.name}"


def certainty(value: float, stderr: float) -> str:
    """Whether a value can be told from zero, in words."""
    if not math.isfinite(value):
        return "not valued"
    if not math.isfinite(stderr):
        return "how sure this is cannot be said yet"
    z = in_errors(value, stderr)
    away = "" if math.isinf(z) else f" ({abs(z):.1f} standard errors)"
    if abs(z) < SURE:
        return f"indistinguishable from zero{away}"
    return f"clearly {'below' if value < 0 else 'above'} zero{away}"


def effect(
    value: float, stderr: float, settings: Settings, *, has_label: bool = True
) -> str:
    """What a cell's value means, as a sentence."""
    score, model = score_name(settings), model_words(settings)
    if not math.isfinite(value) and not has_label:
        return "This cell has no value: its row has no label that it could help with."
    if not math.isfinite(value):
        return (
            "This cell has no value: its row was held out for testing, where it serves "
            f"to measure the {score}."
        )
    sure = certainty(value, stderr)
    if abs(in_errors(value, stderr)) < SURE:
        return f"This cell makes no measurable difference to the {model}: {sure}."
    verb = "lowers" if value < 0 else "raises"
    return (
        f"This cell {verb} the {score} of the {model} by about "
        f"{points(abs(value))}: {sure}."
    )


def points(share: float) -> str:
    """A share of the score in percentage points, two significant digits."""
    size = abs(share) * 100
    if size == 0 or not math.isfinite(size):
        return "0 pp"
    decimals = max(0, 1 - math.floor(math.log10(size)))
    sign = "−" if share < 0 else ""
    return f"{sign}{size:,.{decimals}f} pp"


# --- how values were made -------------------------------------------------------------


def method_words(settings: Settings) -> str:
    """The method's name, as papers write it."""
    if settings.method == "knn":
        return "2D-Shapley-KNN"
    return about(settings.method).title


def model_words(settings: Settings) -> str:
    """What the values speak of, such as "KNN model"; nothing where there is none."""
    if settings.model == "knn":
        return "KNN model"
    if settings.model == "function":
        return "your function"
    titles = MODELS if settings.width is None else REGRESSORS
    known = titles.get(settings.model)
    return known.lower() if known else settings.model  # as it prints itself


def score_name(settings: Settings) -> str:
    """What the values are parts of, in one word: accuracy, or closeness of numbers."""
    return "accuracy" if settings.width is None else "closeness"


def score_words(settings: Settings) -> str:
    """The same with how it is measured: balanced accuracy, too."""
    balanced = "balanced " if settings.scoring == "balanced" else ""
    return balanced + score_name(settings)


def colour_words(settings: Settings) -> str:
    """What the colours of cells say, where they are those of values."""
    if settings.additive:
        return f"orange lowers the {score_name(settings)} of the model, blue raises it"
    return "orange is lower than the mean, blue higher"


def spoken(sentence: str, settings: Settings) -> str:
    """A sentence that was written for classes, in words for this label."""
    return sentence if settings.width is None else of_numbers(sentence)


def reached_words(settings: Settings) -> str:
    """What the values sum to."""
    what = f"valued {score_words(settings)} of the {model_words(settings)}"
    return what if settings.baseline == "zero" else f"{what} above chance"


def test_words(settings: Settings) -> str:
    """Where the score was measured."""
    if settings.test == "hold-out":
        return f"hold-out of {settings.test_rows} rows, seed {settings.random_state}"
    if settings.test == "table":
        return f"test table '{settings.test_name}' {settings.test_table}"
    return "your function's" if settings.test == "function" else settings.test


def design_words(settings: Settings, *, plain: bool = False) -> str:
    """What was evaluated; in `plain` words, or in those of files and of the paper."""
    if not settings.is_valued:
        return ""
    n = settings.n_draws
    orders = "order" if settings.most_draws == n == 1 else "orders"
    if settings.design == "subsets":
        of = f"{n:,} column subsets" if n else "subsets of rows and columns"
        text = f"all {of} (exact)"
        if plain:
            of = "columns" if n else "rows and columns"
            text = f"all {f'{n:,} ' if n else ''}combinations of {of}"
    elif settings.design == "pairs":
        many = "" if settings.most_draws == n else f" to {settings.most_draws}"
        text = (
            f"{n}{many} random {orders} of the columns and the reverse, fresh for "
            "every test point"
        )
    else:
        text = {
            "rounds": f"{n:,} random {orders} of rows and columns",
            "cell orders": f"{n:,} random {orders} of all cells",
            "left out": "every row and column left out once",
            "trees": f"{n:,} trees on bootstraps of the rows, each with half of the "
            "columns",
            "random": "a random order of all cells",
        }[settings.design]
    for of in ("row", "column"):
        weights = getattr(settings, f"{of}_weights")
        if weights != "shapley":
            text += f", {weights.capitalize()} weights along {of}s"
    if settings.n_seen < settings.n_tests:
        text += f", {settings.n_seen:,} of {settings.n_tests:,} test points"
    if settings.backend == "cuda":
        text += ", on a GPU"
    if settings.cluster:
        text += f", on {settings.cluster}"
    return f"{text}, merged" if settings.sources else text


def approximation_words(settings: Settings) -> str:
    """Which coarser utility was taken; empty for none."""
    if settings.near is not None:
        return (
            f"near field: rows beyond the {settings.near} nearest count as equally far"
        )
    if settings.truncation is not None:
        return (
            f"truncated: a prefix within {settings.truncation:g} of all rows counts as "
            "all rows"
        )
    return ""


def error_words(settings: Settings) -> str:
    """What standard errors do not hold; empty where they hold everything."""
    if about(settings.method).game:
        return "standard errors are those of sampling, not of the test rows"
    return ""


def stderr_words(settings: Settings, typical: float) -> str:
    """How far values may be off, and by what; empty where nothing was left to chance.

    Exact values of the KNN model still depend on the rows that they were tested on.
    """
    if not typical > 0:
        return ""
    text = f"typical standard error {Unit.of(typical).text(typical)}"
    if settings.is_exact and not about(settings.method).game:
        text += ": other test rows would give somewhat other values"
    return text


def end_words(settings: Settings) -> str:
    """What a run that is over has found."""
    if not settings.is_valued:
        return "all cells were looked at"
    is_whole = settings.n_seen >= settings.n_tests
    if settings.is_exact and not settings.is_approximate and is_whole:
        return "all combinations were counted"
    if settings.method in ("loo", "random"):  # nothing was sampled
        return "all cells have a number"
    return "the values are estimates"


def made_words(settings: Settings, tested: str) -> str:
    """All of it on one line; `tested` are the test points, in words."""
    parts = [
        method_words(settings),
        "" if settings.model == "knn" else model_words(settings),
        f"{settings.n_neighbors} neighbours" if settings.n_neighbors else "",
        design_words(settings),
        approximation_words(settings),
        tested,
        f"scored by {settings.scoring}" if settings.test in SCORED else "",
    ]
    return "; ".join(filter(None, parts))
