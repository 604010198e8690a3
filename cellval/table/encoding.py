"""`Encoded`: columns as float32 arrays, and what "far apart" means for each kind.

The distance of two rows is a sum over columns, one number per column of the CSV:

    number, date    weight * (x - x')^2
    category        weight if they differ, else 0
    missing         0 against missing, 1 against anything else

with weights such that two random cells of any column are about 1 apart, so that every
column has the same say. A number's spread is robust (interquartile range), so that one
absurd cell cannot shrink its column.
"""

from dataclasses import dataclass

import numpy as np

from cellval.errors import InputError
from cellval.kept import kept
from cellval.stats import robust_spread, unit_of
from cellval.table.columns import Column
from cellval.table.labels import LABEL_KINDS
from cellval.table.table import Table

# In robust standard deviations from the median. An absurd cell counts as so far away,
# or in float32 its distance would swallow those of all other columns.
FARTHEST = 1e3
LARGEST_POWER = 308  # of ten, as a number
ROUNDING = 1e-12  # relative error of a decimal times a power of ten
UNKNOWN = -2.0  # code of a category that the training table does not have


@dataclass(frozen=True, eq=False)
class Encoded:
    """Rows ready for distances, as float32."""

    cells: np.ndarray  # (columns, rows): numbers, or codes; NaN where missing
    weight: np.ndarray  # of each column
    is_category: np.ndarray  # likewise
    # int32: index into the training table's classes, -1 if it lacks the class; or
    # float64: the numbers of the label
    y: np.ndarray


def encode(table: Table, like: Table | None = None) -> Encoded:
    """Encode a table's features; with `like`, on the scale of that (training) table."""
    train = table if like is None else like
    own = {column.name: column for column in table.columns}
    cells, weights, is_category = [], [], []
    for column in train.features:
        if column.name not in own:
            raise InputError(
                f"The test table has no column '{column.name}', which the training "
                "table uses. Add it, or exclude it from the training table."
            )
        encoded, weight = encode_column(own[column.name], column)
        cells.append(encoded)
        weights.append(weight)
        is_category.append(column.codes is not None)
    return Encoded(
        np.array(cells, np.float32).reshape(len(cells), table.n_rows),
        np.array(weights, np.float32),
        np.array(is_category, bool),
        encoded_label(table, train),
    )


def encoded_label(table: Table, train: Table) -> np.ndarray:
    """Codes of classes in the training table, -1 if it lacks the class or the row has
    none; or numbers.
    """
    if (table.target is None) != (train.target is None):
        raise InputError(
            f"The label '{train.label}' is {LABEL_KINDS[train.label_kind]} in "
            f"{train.name} and {LABEL_KINDS[table.label_kind]} in {table.name}. Read "
            "the second with like=table."
        )
    if table.target is not None:
        return table.target
    at = {name: k for k, name in enumerate(train.classes)}
    codes = [*(at.get(name, -1) for name in table.classes), -1]
    classes = np.array(codes, np.int32)
    return np.asarray(classes[table.y])


def encode_column(wanted: Column, like: Column) -> tuple[np.ndarray, float]:
    """Cells on the scale of the (training) column they are like, and its weight."""
    kind = _categories if like.codes is not None else _numbers
    return kind(like, wanted)


def _categories(column: Column, wanted: Column) -> tuple[np.ndarray, float]:
    if wanted.codes is None:
        raise InputError(
            f"Column '{column.name}' holds categories in the training table, but "
            f"{wanted.kind}s in the test table. Read the test table with like=table."
        )
    code_of = {text: code for code, text in enumerate(column.categories)}
    codes = [float(code_of.get(text, UNKNOWN)) for text in wanted.categories]
    return np.array([*codes, np.nan])[wanted.codes], _weight(column)


@kept(1)  # a few cells are often encoded like those of a long column
def _weight(column: Column) -> float:
    """Of categories."""
    assert column.codes is not None
    present = column.codes[column.codes >= 0]
    share = np.bincount(present) / max(1, present.size)
    differ = 1.0 - float(np.sum(share**2))  # of two random cells
    return _few_bits(1.0 / (differ or 1.0))


def _numbers(column: Column, wanted: Column) -> tuple[np.ndarray, float]:
    new = wanted.numbers
    if new is None:
        if not wanted.missing.all():
            raise InputError(
                f"Column '{column.name}' holds numbers in the training table, but "
                f"{wanted.kind} in the test table. Read the test table with like=table."
            )
        new = np.full(len(wanted.missing), np.nan)
    found = _scale(column)
    if found is None:
        return np.full(new.size, np.nan), 1.0
    unit, centre, scale, factor = found
    if factor:  # decimals as whole numbers, so that equal gaps are equal in float32 too
        with np.errstate(over="ignore"):
            cells = new * factor
        whole = np.rint(cells)
        cells = np.where(
            np.abs(cells - whole) <= ROUNDING * np.abs(cells), whole, cells
        )
        cells = cells - np.rint(centre * factor)
        scale = scale * factor
    else:
        cells = (new / unit - centre / unit) / (scale / unit)
        scale = 1.0
    limit = FARTHEST * scale
    return np.clip(cells, -limit, limit), _few_bits(0.5 / scale**2)


@kept(1)
def _scale(column: Column) -> tuple[float, float, float, float] | None:
    """Unit, median, spread and factor (or 0) of numbers; None if all are missing."""
    assert column.numbers is not None
    x = column.numbers[~np.isnan(column.numbers)]
    if x.size == 0:
        return None
    unit = unit_of(x)
    with np.errstate(over="ignore"):
        factor = _exact_factor(x)
    return unit, float(np.median(x / unit) * unit), robust_spread(x), factor


def _exact_factor(x: np.ndarray) -> float:
    """Smallest power of ten that makes all of x whole numbers within 2^24, or 0."""
    largest, width = np.abs(x).max(), np.ptp(x)
    if width == 0 or not np.isfinite(width):
        return 0.0
    x = np.sort(x)
    n_steps = _n_steps(x)
    with np.errstate(divide="ignore", over="ignore"):  # of numbers near 1e-308
        finest = min(np.log10(2**24 / width), np.log10(1e9 / largest), LARGEST_POWER)
    for power in range(-int(np.log10(largest)), int(finest) + 1):
        factor = 10.0**power
        if not 0 < factor * largest < 1e9:  # beyond, rounding says nothing
            continue
        scaled = x * factor
        whole = np.rint(scaled)
        close = np.all(np.abs(scaled - whole) <= ROUNDING * np.abs(scaled))
        if close and _n_steps(whole) == n_steps:  # no two became alike
            return factor
    return 0.0


def _n_steps(ordered: np.ndarray) -> int:
    """How often a number differs from the one before it."""
    return int(np.count_nonzero(ordered[1:] != ordered[:-1]))


def _few_bits(weight: float) -> float:
    """Round to 8 significant bits.

    Sums of such weights times small whole numbers are exact in float32 in any order:
    ties are ties however the columns are ordered.
    """
    mantissa, exponent = np.frexp(weight)
    return float(np.ldexp(np.rint(mantissa * 256) / 256, exponent))
