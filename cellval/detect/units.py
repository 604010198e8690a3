"""Cells of a column that were given in another unit: feet among inches.

Some far cells of a column are no errors: it may have two kinds of rows, or a long tail.
But if nearly all that lie on one side, with a gap between them and the others, fall
into the midst of the others once they are multiplied by the factor between two units,
and spread there as the others do, then another unit is the plain answer.
"""

import numpy as np

from cellval.detect.readings import UNITS
from cellval.kept import kept
from cellval.table.columns import Column
from cellval.text import full

FAR = 5.0  # robust standard deviations from the median
TIGHT = 0.2  # of the median: others spread no more, or any factor would fit
FEWEST = 10  # cells, at least
MOST = 0.4  # of all cells
NEARLY_ALL = 0.7  # of those that are far on one side
WITHIN = 3.0  # standard deviations from the middle of the others lies each of them,
MIDST, CHANCE = 0.25, 1.2  # and their median so many, and so many by chance of one cell
ALIKE = (0.6, 1.5)  # their spread, times that of the others
EMPTY = 0.1  # of them, at most, lie in the first part of the way to the others:
FIRST_PART = 0.4
_UNITS = {  # by the factor that a cell needs
    **{factor: (given, wanted) for given, wanted, factor in UNITS},
    **{1 / factor: (wanted, given) for given, wanted, factor in UNITS},
    12.0: ("ft", "in"),
    1 / 12.0: ("in", "ft"),
    100.0: ("m", "cm"),
    0.01: ("cm", "m"),
    1000.0: ("kg", "g"),
    0.001: ("g", "kg"),
}


@kept(1)
def in_another_unit(column: Column) -> dict[int, str]:
    """Positions of such cells, and a sentence each."""
    found: dict[int, str] = {}
    if column.numbers is None:
        return found
    x = column.numbers
    known = np.flatnonzero(np.isfinite(x) & (x > 0))
    if known.size < 2 * FEWEST:
        return found
    middle, spread = _body(x[known])
    if not 0 < spread <= TIGHT * middle:
        return found
    gap = (x[known] - middle) / spread
    for side in (known[gap < -FAR], known[gap > FAR]):
        if not FEWEST <= side.size <= MOST * known.size:
            continue
        fitting = ((_fit(x[side], f, middle, spread), f) for f in _UNITS)
        fit, factor = max(fitting, key=lambda pair: int(pair[0].sum()))
        n = int(fit.sum())
        if n < max(FEWEST, NEARLY_ALL * side.size):
            continue
        if not _is_apart(x[side], x[side][fit], middle, spread):
            continue
        given, wanted = _UNITS[factor]
        for i in side[fit].tolist():
            found[i] = (
                f"{full(x[i])} lies far from the others, but {full(x[i] * factor)} "
                f"would be as they are, and so it is with {n - 1:,} more cells: "
                f"another unit, such as {given} for {wanted}?"
            )
    return found


def _body(x: np.ndarray) -> tuple[float, float]:
    """Middle and standard deviation of the half of the cells that is closest together.

    A quarter of them in another unit would mislead quartiles.
    """
    ordered = np.sort(x)
    half = (x.size + 1) // 2
    widths = ordered[half - 1 :] - ordered[: x.size - half + 1]
    first = int(np.argmin(widths))
    middle = float(np.median(ordered[first : first + half]))
    return middle, float(widths[first] / 1.349)


def _fit(x: np.ndarray, factor: float, middle: float, spread: float) -> np.ndarray:
    """Which cells are like the others after that; none if they are not together."""
    new = x * factor
    fit = np.abs(new - middle) <= WITHIN * spread
    n, (low, high) = int(fit.sum()), ALIKE
    if n < FEWEST or not low <= np.std(new[fit]) / spread <= high:
        return np.zeros(x.size, bool)
    off = abs(float(np.median(new[fit])) - middle) / spread
    return fit & (off <= MIDST + CHANCE / np.sqrt(n))


def _is_apart(x: np.ndarray, fit: np.ndarray, middle: float, spread: float) -> bool:
    """A long tail is thickest where it begins; another unit leaves a gap."""
    edge = middle + np.sign(x[0] - middle) * FAR * spread
    if edge <= 0:
        return False
    way = np.log(x / edge) / np.log(np.median(fit) / edge)
    return bool(np.sum(way < FIRST_PART) <= EMPTY * x.size)
