"""The few statistics that several rooms share."""

import numpy as np

from cellval.errors import InputError

SURE = 2.0  # standard errors from zero that count as clear
HUGE = 1e150  # squares of larger numbers would overflow


def in_errors(value: float, stderr: float) -> float:
    """A value in standard errors from 0; infinite where it has no error."""
    if stderr > 0:
        return value / stderr
    return np.copysign(np.inf, value) if value else 0.0


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


def robust_spread(x: np.ndarray) -> float:
    """Interquartile range in units of a normal distribution's standard deviation.

    Where that is 0 the standard deviation, and where that is 0, too, 1. Missing numbers
    do not count.
    """
    known = x[~np.isnan(x)]
    if known.size == 0:
        return 1.0
    largest = np.abs(known).max()
    unit = largest if largest > HUGE else 1.0
    low, high = np.percentile(known / unit, [25, 75])
    return float(unit * ((high - low) / 1.35 or np.std(known / unit))) or 1.0


def stratified(
    y: np.ndarray, share: float, draw: np.random.Generator, *, keep: int = 0
) -> np.ndarray:
    """About a share of each class, as a mask; at least `keep` rows of it are left."""
    chosen = np.zeros(y.size, bool)
    for label in np.unique(y):
        members = np.flatnonzero(y == label)
        n = min(round(share * members.size), members.size - keep)
        chosen[draw.permutation(members)[:n]] = True
    return chosen


def hold_out(y: np.ndarray, share: float, random_state: int) -> np.ndarray:
    """Rows to test on: about the given share of each class."""
    if isinstance(share, bool) or not isinstance(share, (int, float, np.number)):
        raise InputError(
            f"test={share!r} is not understood. Use None (leave-one-out), a share of "
            "the rows such as 0.3, or a second table."
        )
    if not 0 < share < 1:
        raise InputError(
            f"test={share!r}: the share of rows to hold out must lie between 0 and 1, "
            "such as 0.3."
        )
    draw = np.random.default_rng([random_state, 2**31])
    held_out = stratified(y, float(share), draw)
    if held_out.all() or not held_out.any():
        raise InputError(
            f"A hold-out of {share:.0%} leaves no rows on one side. Choose another "
            "share, a second table, or KNN with leave-one-out (test=None)."
        )
    return held_out
