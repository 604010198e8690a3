"""The few statistics that several rooms share."""

import sys

import numpy as np

SURE = 2.0  # standard errors from zero that count as clear
HUGE = 1e150  # squares of larger numbers would overflow, of its inverse vanish


def in_errors(value: float, stderr: float) -> float:
    """A value in standard errors from 0; infinite where it has no error."""
    if stderr > 0:
        return value / stderr
    return np.copysign(np.inf, value) if value else 0.0


def is_clear(value: float, stderr: float) -> bool:
    """Is it different from 0 by more than chance explains?"""
    return bool(abs(value) > SURE * stderr)


def clearly_below(values: np.ndarray, stderr: np.ndarray) -> np.ndarray:
    """Which values are below 0 by more than chance explains."""
    with np.errstate(invalid="ignore"):
        return np.asarray(values < -SURE * stderr)


def median(cells: np.ndarray) -> np.ndarray:
    """Of each row, without missing cells; NaN if there are no others."""
    ordered = np.sort(cells, axis=1)  # NaN last
    n = (~np.isnan(cells)).sum(axis=1)
    rows, last = np.arange(len(cells)), np.maximum(n - 1, 0)
    low, high = ordered[rows, last // 2], ordered[rows, np.minimum(n // 2, last)]
    return np.asarray((low + high) / 2.0)


def unit_of(known: np.ndarray) -> float:
    """What numbers are to be divided by, so that reckoning with them is safe: 1, or the
    largest where they are so large or so small that squares or gaps would be lost.
    """
    largest = float(np.abs(known).max(initial=0.0))
    return largest if largest > HUGE or 0 < largest < 1 / HUGE else 1.0


def robust_spread(x: np.ndarray) -> float:
    """Interquartile range in units of a normal distribution's standard deviation.

    Where that is 0 the standard deviation, and where that is 0, too, 1. Missing numbers
    do not count.
    """
    known = x[~np.isnan(x)]
    if known.size == 0:
        return 1.0
    unit = unit_of(known)
    low, high = np.percentile(known / unit, [25, 75])
    spread = float((high - low) / 1.35 or np.std(known / unit))
    return min(unit * spread, sys.float_info.max) or 1.0
