"""Which column can be the label, and what it is: classes, or numbers."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from cellval.errors import InputError
from cellval.stats import robust_spread
from cellval.table.columns import FIT, Texts, counts_rows, numbers_of, read_only
from cellval.text import full, shortened

LABEL_NAMES = (
    *("label", "labels", "target", "class", "classes", "y", "outcome", "response"),
    *("income", "diagnosis", "species", "survived", "churn", "default", "category"),
    "price",
)
MOST_BANDS = 5  # of a label of numbers
FEW_ROWS = 8  # in a band, at least
FEW_NUMBERS, MANY_NUMBERS = 20, 50  # different ones, of any kind or whole: classes?


class NoLabel(InputError):
    """None was named, and no column can be one; the table may do without."""


class Guess(Enum):
    """What `read` does about a label that nobody named."""

    LABEL = "guessed"


GUESS = Guess.LABEL
LABEL_KINDS = {"category": "classes", "number": "a number"}


@dataclass(frozen=True, eq=False)
class Labels:
    """The label of each row: a class, or a number with the band that it lies in.

    Without a label all rows are of one class, so that nothing depends on it.
    """

    classes: tuple[str, ...]
    y: np.ndarray  # int32: index into `classes`, -1 where the label is missing
    numbers: np.ndarray | None = None  # float64, NaN where missing

    @classmethod
    def none(cls, n_rows: int) -> "Labels":
        return cls(("all rows",), read_only(np.zeros(n_rows, np.int32)))

    @classmethod
    def of(
        cls,
        cells: pd.DataFrame,
        label: str,
        kind: str,
        decimal: str,
        known: tuple[str, ...] = (),
    ) -> "Labels":
        """Of all rows; texts that are `known` to be classes are not missing."""
        if not label:
            return cls.none(len(cells))
        if kind == "number":
            texts = Texts.of(cells[label])
            numbers = numbers_of(texts, decimal)[0][texts.index]
            bands, y = banded(numbers)
            return cls(bands, read_only(y), read_only(numbers))
        texts = Texts.of(cells[label], known)
        classes = sorted_classes(texts.different)
        return cls(classes, texts.codes(classes))


def banded(numbers: np.ndarray) -> tuple[tuple[str, ...], np.ndarray]:
    """Names of up to five bands with about as many rows each, and each row's band.

    They serve where rows must be grouped: filters, strata of a hold-out, what is usual.
    """
    known = np.isfinite(numbers)
    x = numbers[known]
    n_bands = int(np.clip(x.size // FEW_ROWS, 1, MOST_BANDS))
    cuts = np.quantile(x, np.arange(1, n_bands) / n_bands, method="inverted_cdf")
    cuts = np.unique(cuts[cuts < x.max(initial=-np.inf)])
    y = np.full(numbers.size, -1, np.int32)
    y[known] = np.searchsorted(cuts, x)  # a band ends with its cut
    names = []
    for k in range(cuts.size + 1):
        own = x[y[known] == k]
        low, high = (full(v) for v in (own.min(), own.max()))
        names.append(low if low == high else f"{low} to {high}")
    return tuple(names), y


def usual_width(numbers: np.ndarray) -> float:
    """How far apart two numbers agree no more: two robust standard deviations.

    That is about one and a half times the range of the middle half of the rows.
    """
    return 2.0 * robust_spread(numbers)


def closeness(a: Any, b: Any, width: float) -> np.ndarray:
    """How well numbers agree: 1 if they are equal, 0 from a width apart on.

    What is no number agrees with none.
    """
    with np.errstate(all="ignore"):
        gap = np.abs(a / width - b / width)  # in this order they never overflow
        return np.asarray(np.fmax(0.0, 1.0 - gap))


def closeness_of_guesses(
    numbers: np.ndarray, truth: np.ndarray, width: float
) -> np.ndarray:
    """Mean closeness to each true number of any of the others, drawn at random."""
    known = np.sort(numbers / width)
    sums = np.append(0.0, np.cumsum(known))
    at = truth / width
    low, here, high = (np.searchsorted(known, at + k) for k in (-1, 0, 1))
    below = (here - low) * (1 - at) + sums[here] - sums[low]
    above = (high - here) * (1 + at) - sums[high] + sums[here]
    return np.asarray((below + above) / known.size)


def guessed_label(
    cells: pd.DataFrame, taken: Collection[str | None], decimal: str, table: str
) -> str:
    """The column that looks most like a label, of those that are not `taken`."""
    names = [str(column) for column in cells.columns]
    free = [name for name in reversed(names) if name not in taken]
    plain = {re.sub(r"[^a-z0-9]", "", name.casefold()): name for name in free}
    named = [plain[known] for known in LABEL_NAMES if known in plain]

    # Each time anew: the texts of all columns at once would take much memory.
    def have_few() -> Iterator[str]:
        for name in free:
            texts = Texts.of(cells[name])
            if texts.n_different <= min(20, max(2, texts.present / 5)):
                yield name

    # Columns of numbers are looked at only if no column has classes: it takes long.
    def measured() -> Iterator[str]:
        for name in free:
            texts = Texts.of(cells[name])
            if not counts_rows(texts, numbers_of(texts, decimal)[0]):
                yield name

    faults = []
    for name, kind in chain(
        ((name, _expected(name, plain)) for name in named),
        ((name, "category") for name in have_few()),
        ((name, "category") for name in free),
        ((name, "number") for name in measured()),
    ):
        fault = label_fault(Texts.of(cells[name]), decimal, kind)
        if not fault:
            return name
        faults.append(fault)
    why = faults[0] if faults else "All are excluded or name the rows."
    raise NoLabel(
        f"No column of {table} can be the label. {why} Or read it without a label."
    )


def _expected(name: str, columns: Collection[str]) -> str | None:
    """Numbers called y are no label if they stand beside x: they are coordinates."""
    return "category" if name.casefold() == "y" and "x" in columns else None


def label_kind(texts: Texts, decimal: str) -> str:
    """What a label looks like: a "category", or a "number" if it has many numbers."""
    values, unit = numbers_of(texts, decimal)
    whole = not np.mod(values[np.isfinite(values)], 1).any()
    k = np.unique(values[np.isfinite(values)]).size
    if texts.share(values) < FIT or k < 2:
        return "category"
    many = k > (MANY_NUMBERS if whole and not unit else FEW_NUMBERS)
    return "number" if many or too_many(texts) else "category"


def may_be_either(texts: Texts, decimal: str) -> bool:
    """Numbers, but so few that they may be classes as well?"""
    values, _ = numbers_of(texts, decimal)
    return texts.share(values) >= FIT and 2 < texts.n_different <= MANY_NUMBERS


def too_many(texts: Texts) -> bool:
    """Too many different texts for classes?"""
    n, k = texts.present, texts.n_different
    return (k == n and n > 2) or (k > n / 2 and n >= 10)


def label_fault(
    texts: Texts, decimal: str, kind: str | None = None, is_test: bool = False
) -> str:
    """Why the column cannot be a label (of a kind); empty if it can."""
    name, n, k = texts.title, texts.present, texts.n_different
    needed = 1 if is_test else 2
    if n < needed:
        return (
            f"The label '{name}' is filled in {n} row{'s' * (n != 1)}; cellval needs "
            f"at least {needed} row{'s' * (needed > 1)} with a label. Add rows, or "
            "choose another label."
        )
    if is_test:
        if kind == "number" and not np.isfinite(numbers_of(texts, decimal)[0]).any():
            return (
                f"The label '{name}' holds no number, but numbers in the other table. "
                "Correct it, or give a file with the same label."
            )
        return ""
    if k == 1:
        return (
            f"The label '{name}' is '{shortened(min(texts.different))}' in every row, "
            "so there is nothing to learn. Choose another column, or add rows of "
            "another class."
        )
    looks = label_kind(texts, decimal)
    values, _ = numbers_of(texts, decimal)
    known = values[np.isfinite(values)]
    if (kind or looks) == "number":
        if np.isinf(values).any():
            return (
                f"The label '{name}' holds an infinite number. Correct it or leave it "
                "blank, or choose another label."
            )
        if np.unique(known).size < 2:
            return (
                f"The label '{name}' is no column of numbers: {known.size:,} of its "
                f"{n:,} texts are numbers. Choose another label, or take its texts as "
                "classes."
            )
    elif too_many(texts) or (kind is not None and looks == "number"):
        either = "read it as numbers, " if texts.share(values) >= FIT else ""
        return (
            f"Classes must repeat, but '{name}' holds {k:,} different values in "
            f"{n:,} rows. Choose another column as the label, {either}or group its "
            "values first."
        )
    return ""


def sorted_classes(classes: set[str]) -> tuple[str, ...]:
    try:
        return tuple(sorted(classes, key=lambda text: (float(text), text)))
    except ValueError:
        return tuple(sorted(classes))
