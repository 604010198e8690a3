"""The few statistics that several rooms share."""

import numpy as np

from cellval.errors import InputError

SURE = 2.0  # standard errors from zero that count as clear


def median(cells: np.ndarray) -> np.ndarray:
    """Of each row, without missing cells; NaN if there are no others."""
    ordered = np.sort(cells, axis=1)  # NaN last
    n = (~np.isnan(cells)).sum(axis=1)
    rows, last = np.arange(len(cells)), np.maximum(n - 1, 0)
    low, high = ordered[rows, last // 2], ordered[rows, np.minimum(n // 2, last)]
    return np.asarray((low + high) / 2.0)


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
    rng = np.random.default_rng([random_state, 2**31])
    held_out = np.zeros(y.size, bool)
    for label in np.unique(y):
        members = np.flatnonzero(y == label)
        held_out[rng.permutation(members)[: round(share * members.size)]] = True
    if held_out.all() or not held_out.any():
        raise InputError(
            f"A hold-out of {share:.0%} leaves no rows on one side. Choose another "
            "share, a second table, or KNN with leave-one-out (test=None)."
        )
    return held_out
