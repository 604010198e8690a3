"""Numbers and texts as people read them: units, signs, plain sentences."""

import html
import math
from dataclasses import dataclass

SURE = 2.0  # standard errors from zero that count as clear

VALUE_HELP = (
    "How much this cell adds to the accuracy of the model (nearest neighbours, KNN, if "
    "you chose no other). Lower is worse; below 0 the cell hurts. pp: percentage "
    "points of accuracy; 1 ppm is 0.0001 pp. Exports hold the same number as a share: "
    "0.37 pp is 0.0037."
)
STDERR_HELP = (
    "Standard error: how far the value may be off by chance. A value more than two "
    "standard errors below 0 is clearly harmful."
)
ROW_HELP = (
    "The row's 1D value: the sum of its cells, in percentage points (pp) of accuracy "
    "that this row adds. Lower is worse; below 0 the row hurts."
)
COLUMN_HELP = (
    "The column's 1D value: the sum of its cells, in percentage points (pp) of "
    "accuracy that this column adds. Lower is worse; below 0 the column hurts."
)
RANK_HELP = "1 is the lowest (worst) cell. Lower values come first."
WITHIN_HELP = (
    "Rows of a rare class get lower values whatever they contain, so a list over all "
    "cells is mostly about that class. Ranking each cell among the cells of its own "
    "class finds planted errors more often."
)
SUSPICION_HELP = (
    "From 0 to 1: how surprising the cell is (four fifths) and how much it hurts (one "
    "fifth), in one number. Lower is worse; rank 1 is the most suspicious cell."
)
SURPRISE_HELP = (
    "Share of ordinary cells of the column that look at least as odd, given the row's "
    "class and the rows most like it: 0.001 is one in a thousand. Lower is worse."
)


@dataclass(frozen=True)
class Unit:
    """How numbers of one quantity are written.

    Examples
    --------
    >>> unit = Unit.of(0.004)
    >>> unit.text(-0.00374), unit.with_error(-0.00374, 0.00084)
    ('−0.374 pp', '−0.374 ± 0.084 pp')
    """

    name: str
    long: str
    factor: float
    decimals: int

    @classmethod
    def of(cls, size: float) -> "Unit":
        """The unit in which numbers up to about `size` (a share) read well."""
        name, long, factor = "pp", "percentage points of accuracy", 100.0
        if 0 < size < 1e-4:
            name, long, factor = "ppm", "millionths of accuracy", 1e6
        known = math.isfinite(size) and size > 0
        digits = 2 - math.floor(math.log10(size * factor)) if known else 2
        return cls(name, long, factor, min(max(digits, 0), 6))

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


def brief(text: object, length: int = 40) -> str:
    """On one line, cut to a length; a cell may hold a novel."""
    line = " ".join(str(text).split())
    return line if len(line) <= length else line[: length - 1] + "…"


def content(text: object, length: int = 40) -> str:
    """A cell's text as it is shown: blank cells have a word."""
    return brief(text, length) or "(blank)"


def figure_text(text: object, length: int = 40) -> str:
    """For plotly, which understands some HTML."""
    return html.escape(brief(text, length), quote=False)


def certainty(value: float, stderr: float) -> str:
    """Whether a value can be told from zero, in words."""
    if not math.isfinite(value):
        return "not valued"
    if not math.isfinite(stderr):
        return "how sure this is cannot be said yet"
    z = abs(value) / stderr if stderr > 0 else (math.inf if value else 0.0)
    away = "" if math.isinf(z) else f" ({z:.1f} standard errors)"
    if z < SURE:
        return f"indistinguishable from zero{away}"
    return f"clearly {'below' if value < 0 else 'above'} zero{away}"


def effect(
    value: float, stderr: float, what: str = "This cell", model: str = "KNN model"
) -> str:
    """What a value means, as a sentence."""
    if not math.isfinite(value):
        return (
            f"{what} has no value: its row was held out for testing, where it serves "
            "to measure the accuracy."
        )
    sure = certainty(value, stderr)
    if sure.startswith("indistinguishable"):
        return f"{what} makes no measurable difference to the {model}: {sure}."
    verb = "lowers" if value < 0 else "raises"
    return (
        f"{what} {verb} the accuracy of the {model} by about "
        f"{points(abs(value))}: {sure}."
    )


def points(share: float) -> str:
    """A share of accuracy in percentage points, two significant digits."""
    size = abs(share) * 100
    if size == 0 or not math.isfinite(size):
        return "0 percentage points"
    decimals = max(0, 1 - math.floor(math.log10(size)))
    sign = "−" if share < 0 else ""
    return f"{sign}{size:,.{decimals}f} percentage points"


def percent(share: float) -> str:
    """A share of rows; never rounded to none or all when it is not.

    Examples
    --------
    >>> percent(0.0001), percent(0.25), percent(1.0)
    ('0.01 %', '25 %', '100 %')
    """
    size = 100 * share
    for decimals in (0, 1, 2, 3):
        text = f"{size:.{decimals}f}"
        if (float(text) > 0) == (size > 0) and (float(text) < 100) == (size < 100):
            break
    return f"{text} %"


def one_in(share: float) -> str:
    """A probability as people count it, down to one in a million.

    Examples
    --------
    >>> one_in(0.00049), one_in(0.31), one_in(0.0)
    ('1 in 2,000', '31 in 100', 'less than 1 in a million')
    """
    if not math.isfinite(share):
        return "–"
    if share < 1e-6:
        return "less than 1 in a million"
    if share >= 0.095:
        return f"{100 * share:.0f} in 100"
    n = 1 / share
    digits = 1 - math.floor(math.log10(n))
    return f"1 in {round(n, min(digits, 0)):,.0f}".replace("1,000,000", "a million")
