"""Cells of a column that were given in another unit: feet among inches.

Some far cells of a column are no errors: it may have two kinds of rows, or a long tail.
But if nearly all that lie on one side, with a gap between them and the others, fall
into the midst of the others once they are multiplied by the factor between two units,
and spread there as the others do, then another unit is the plain answer.
"""

from decimal import Decimal
from typing import NamedTuple

import numpy as np

from cellval.detect.finding import Finding, column_name, finding
from cellval.detect.readings import UNITS, as_decimal, written
from cellval.kept import kept
from cellval.table.columns import Column
from cellval.table.table import Table
from cellval.text import counted, full

LIKELY = 0.9  # how sure
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


class Converted(NamedTuple):
    """Cells of a column that fit once they are multiplied by a factor."""

    rows: np.ndarray
    factor: float
    given: str  # the unit that they seem to have
    wanted: str  # that of the others


def other_units(table: Table) -> list[Finding]:
    """One finding for each unit in a column that is not that of the others."""
    return [
        _finding(table, column, group)
        for column in table.features
        for group in in_another_unit(column)
    ]


def _finding(table: Table, column: Column, group: Converted) -> Finding:
    assert column.numbers is not None
    old = column.numbers[group.rows]
    new = [_written(table, x * group.factor) for x in old]
    held = table.cells[column.name].iloc[group.rows].str.strip()
    plain = [as_decimal(text, table.decimal) is not None for text in held]
    first, n = int(np.argmin(np.abs(old - np.median(old)))), len(new)
    name = column_name(column.name)
    return finding(
        table,
        "unit",
        column.name,
        group.rows.tolist(),
        [text if is_plain else None for text, is_plain in zip(new, plain, strict=True)],
        about=(group.given, group.wanted),
        sure=LIKELY,
        title=f"{name}: {group.given} instead of {group.wanted}?",
        evidence=(
            f"{counted(n, 'cell')} lie far from all others, but times "
            f"{full(group.factor)} they would be as these are ({full(old[first])} is "
            f"{new[first]}): another unit, such as {group.given} for {group.wanted}?"
        ),
        why=[
            f"{full(x)} lies far from the others, but {text} would be as they are, "
            f"and so it is with {n - 1:,} more cells: another unit, such as "
            f"{group.given} for {group.wanted}?"
            for x, text in zip(old.tolist(), new, strict=True)
        ],
    )


def _written(table: Table, x: float) -> str:
    """A number as the file would have it, with the digits that a conversion tells."""
    return written(Decimal(f"{x:.8g}"), table.decimal)


@kept(1)
def in_another_unit(column: Column) -> tuple[Converted, ...]:
    """Such cells, by their unit."""
    found: list[Converted] = []
    if column.numbers is None:
        return ()
    x = column.numbers
    known = np.flatnonzero(np.isfinite(x) & (x > 0))
    if known.size < 2 * FEWEST:
        return ()
    middle, spread = _body(x[known])
    if not 0 < spread <= TIGHT * middle:
        return ()
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
        found.append(Converted(side[fit], factor, *_UNITS[factor]))
    return tuple(found)


@np.errstate(all="ignore")  # numbers may be as large as can be
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
