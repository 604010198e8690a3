"""Values as people read them: units, signs, what a number means in a sentence."""

import math
from dataclasses import dataclass

from cellval.stats import SURE


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
