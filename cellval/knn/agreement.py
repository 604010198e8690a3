"""Compiled: how well the labels of rows agree with a test point's.

The utility of KNN is the mean agreement of the K nearest rows. Of classes it is 1 or 0,
kept as a bool; of numbers it is closeness from 0 to 1, kept as a float64:

    s[i] = max(0, 1 - |y_i - y_t| / width)

Labels come as int32 codes of classes, or as float64 numbers in units of the width. All
values are linear in s, so kernels are the same for both but for the few steps here, of
which the types choose one when kernels are compiled: what classes do not need costs
them nothing. The bodies are what runs uncompiled.
"""

import numpy as np

from cellval.compiled import kernel, overload, types

HALF, LOWER, ONE = np.uint64(32), np.uint64(0xFFFFFFFF), np.uint64(1)
CLASSES = np.bool_  # dtype of the agreement of classes


def _of_classes(s):
    return isinstance(getattr(s, "dtype", s), types.Boolean)


@kernel
def _same(y, at):
    match = np.empty(y.size, np.bool_)
    for i in range(y.size):
        match[i] = y[i] == at
    return match


@kernel
def _close(y, at):
    close = np.empty(y.size)
    for i in range(y.size):
        close[i] = max(0.0, 1.0 - abs(y[i] - at))
    return close


def agreement(y, at):
    """Of each row's label with the label `at`."""
    return _close(y, at) if y.dtype.kind == "f" else _same(y, at)


@overload(agreement)
def _agreement(y, at):
    if isinstance(y.dtype, types.Float):
        return lambda y, at: _close(y, at)
    return lambda y, at: _same(y, at)


def mix(s, hit, miss):
    """The value of a row: `hit` if it agrees fully, `miss` if not at all."""
    if isinstance(s, bool | np.bool_):
        return hit if s else miss
    return miss + s * (hit - miss)


@overload(mix)
def _mix(s, hit, miss):
    if _of_classes(s):
        return lambda s, hit, miss: hit if s else miss
    if hit == types.float32:
        return lambda s, hit, miss: miss + np.float32(s) * (hit - miss)
    return lambda s, hit, miss: miss + s * (hit - miss)


def of_two(s, values, at):
    """The same of a miss and a hit that stand side by side, without a branch."""
    if isinstance(s, bool | np.bool_):
        return values[at + np.uint32(s)]
    return values[at] + s * (values[at + np.uint32(1)] - values[at])


@overload(of_two)
def _of_two(s, values, at):
    if _of_classes(s):
        return lambda s, values, at: values[at + np.uint32(s)]
    return lambda s, values, at: mix(s, values[at + np.uint32(1)], values[at])


def as_bit(s):
    """Beside a row's place or number: does it match? Closeness has no room there."""
    return np.uint64(s) if isinstance(s, bool | np.bool_) else np.uint64(0)


@overload(as_bit)
def _as_bit(s):
    if _of_classes(s):
        return lambda s: np.uint64(s)
    return lambda s: np.uint64(0)


def of_item(item, agree):
    """The agreement of the row of an item: distance << 32 | row << 1 | match."""
    if agree.dtype == CLASSES:
        return bool(item & ONE)
    return agree[(item & LOWER) >> ONE]


@overload(of_item)
def _of_item(item, agree):
    if _of_classes(agree):
        return lambda item, agree: (item & ONE) != np.uint64(0)
    return lambda item, agree: agree[(item & LOWER) >> ONE]


def with_row(close, number, agree, row):
    """The sum of closeness with a row more; that of matches is in the tallies.

    `number` is its tally: how often it is there << 32 | as a match.
    """
    if agree.dtype == CLASSES:
        return close
    return close + np.float64(number >> HALF) * agree[row]


@overload(with_row)
def _with_row(close, number, agree, row):
    if _of_classes(agree):
        return lambda close, number, agree, row: close
    return lambda close, number, agree, row: (
        close + np.float64(number >> np.uint64(32)) * agree[row]
    )


def agreed(total, close, agree):
    """C, the sum of the agreement of rows, of their tallies or their closeness."""
    return np.float64(total & LOWER) if agree.dtype == CLASSES else close


@overload(agreed)
def _agreed(total, close, agree):
    if _of_classes(agree):
        return lambda total, close, agree: np.float64(total & LOWER)
    return lambda total, close, agree: close


def note(sums, g, close, agree):
    """Keep a sum of closeness at place g."""
    if agree.dtype != CLASSES:
        sums[g] = close


@overload(note)
def _note(sums, g, close, agree):
    if _of_classes(agree):
        return lambda sums, g, close, agree: None

    def keep(sums, g, close, agree):
        sums[g] = close

    return keep


def noted(sums, g, agree):
    """What was kept there; 0 for classes."""
    return 0.0 if agree.dtype == CLASSES else sums[g]


@overload(noted)
def _noted(sums, g, agree):
    if _of_classes(agree):
        return lambda sums, g, agree: 0.0
    return lambda sums, g, agree: sums[g]
