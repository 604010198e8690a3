"""What the cells of a column look like, and whether a text could be one of them.

Three kinds of columns are told apart: numbers, by the range of nearly all of them;
texts that many cells share, by how many do; and all others by the shape of their texts
(2020-01-31 is of the shape 9-9-9). A text that hardly any other cell of its own column
is like, and that many of another are, stands in the wrong column.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from cellval.kept import kept
from cellval.table.columns import FIT, Texts, numbers_of
from cellval.table.table import Table, texts_of

# How well a text fits: as others do; perhaps; nobody knows; a number far from others or
# an unheard-of text that looks like them; of another kind altogether.
FITS, MAY_FIT, UNKNOWN, ODD, STRANGE = 1.0, 0.5, 0.0, -0.5, -1.0
TYPICAL = 0.05  # of the cells, at least, are as rare as a text that fits
COMMON = 3  # cells, at least, hold a text that is known
SHARED = 0.8  # of the cells hold such a text, where texts are what counts
REGULAR = 0.9  # of the cells have the same shape, where it tells what they are
INNER = 0.05  # beyond it on either side numbers may be wrong,
STRETCH = 1.5  # and right ones are so much farther away than it is from the middle
BEYOND = 0.001  # of the other numbers lie farther out than one that is beyond them
LONGEST = 60  # characters: the shape of a longer text is that of its beginning
_runs = re.compile(r"[^\W\d_]+|\d+|\s+")


@dataclass(frozen=True, eq=False)
class Domain:
    """What cells of a column look like."""

    n: int  # cells that are not missing
    # Cells that hold a text, which is no number where most are,
    counts: Mapping[str, int]
    shapes: Mapping[str, int]  # or one of a shape; of texts only
    unit: str | None  # of its numbers; None for a column of texts
    numbers: np.ndarray  # of each cell, NaN for others; empty for a column of texts
    inner: tuple[float, float]  # where nearly all of them lie
    decimal: str

    @classmethod
    def of(cls, texts: Texts, decimal: str) -> "Domain":
        values, unit = numbers_of(texts, decimal)
        values[~np.isfinite(values)] = np.nan
        counts: Counter[str] = Counter()
        if texts.present and texts.share(values) >= FIT:
            numbers = values[texts.index]
            asked = np.flatnonzero(~texts.missing & np.isnan(values))
            for text, k in zip(texts.some(asked), asked.tolist(), strict=True):
                counts[text.strip()] += int(texts.counts[k])
            return cls(
                texts.present, counts, {}, unit, numbers, _inner(numbers), decimal
            )
        for k in np.flatnonzero(~texts.missing).tolist():
            counts[texts.stripped[k]] += int(texts.counts[k])
        shapes: Counter[str] = Counter()
        for text, count in counts.items():
            shapes[shape(text)] += count
        none, nowhere = np.empty(0), (np.nan, np.nan)
        return cls(texts.present, counts, shapes, None, none, nowhere, decimal)

    def is_beyond(self, rows: np.ndarray) -> np.ndarray:
        """Which numbers of some rows lie beyond nearly all of the other rows.

        True for what is no number.
        """
        if self.unit is None:
            return np.ones(rows.size, bool)
        own, others = self.numbers[rows], np.sort(np.delete(self.numbers, rows))
        others = others[~np.isnan(others)]
        at_most = np.searchsorted(others, own, side="right")
        below = np.searchsorted(others, own)
        beyond = np.minimum(at_most, others.size - below) <= BEYOND * others.size
        return np.isnan(own) | beyond

    @property
    def is_shared(self) -> bool:
        """Do nearly all cells hold a text that others hold, too?"""
        common = sum(count for count in self.counts.values() if count >= COMMON)
        return common >= SHARED * self.n

    def fits(self, texts: Texts, own: int = 0) -> np.ndarray:
        """How well each text fits; with `own` 1, one cell is the text's own."""
        if self.n <= own:
            return np.full(len(texts.arrow), UNKNOWN)
        is_number = self.unit is not None
        fits = self._numbers(texts, own) if is_number else self._texts(texts, own)
        return np.where(texts.missing, UNKNOWN, fits)

    def _numbers(self, texts: Texts, own: int) -> np.ndarray:
        values, _ = numbers_of(texts, self.decimal, self.unit)
        low, high = self.inner
        fits = np.where((values >= low) & (values <= high), FITS, ODD)
        for k in np.flatnonzero(np.isnan(values)).tolist():
            count = self.counts.get(texts.stripped[k], 0) - own
            fits[k] = UNKNOWN if count >= TYPICAL * self.n else STRANGE
        return fits

    def _texts(self, texts: Texts, own: int) -> np.ndarray:
        of_texts, of_shapes = _Rarity(self.counts), _Rarity(self.shapes)
        is_shared = self.is_shared
        fits = np.empty(len(texts.arrow))
        for k, text in enumerate(texts.stripped):
            count = self.counts.get(text, 0)
            looks = self.shapes.get(shape(text), 0)
            as_others = looks > own and of_shapes(looks) >= TYPICAL
            if not is_shared:
                fits[k] = self._by_shape(text, looks) if as_others else STRANGE
            elif count - own >= COMMON and of_texts(count) >= TYPICAL:
                fits[k] = FITS
            else:
                fits[k] = ODD if as_others else STRANGE
        return fits

    def _by_shape(self, text: str, looks: int) -> float:
        """Nearly all look like a date, say; that it is a word says little."""
        is_mark = any(not (c.isalpha() or c.isspace()) for c in text)
        return FITS if is_mark and looks >= REGULAR * self.n else MAY_FIT


class _Rarity:
    """Share of a column's cells that are at most as common as a text."""

    def __init__(self, counts: Mapping[str, int]):
        self.sizes = np.sort(np.array([*counts.values()], np.int64))
        self.below = np.append(0, np.cumsum(self.sizes)) / max(1, self.sizes.sum())

    def __call__(self, count: int) -> float:
        return float(self.below[np.searchsorted(self.sizes, count, side="right")])


@kept(1)
def domains(table: Table) -> tuple[Domain, ...]:
    """Of every column of the file, in its order."""
    return tuple(Domain.of(texts, table.decimal) for texts in texts_of(table).values())


@kept(1)
def own_fits(table: Table) -> np.ndarray:
    """How well each cell fits its own column; (n_rows, n_columns of the file)."""
    pairs = zip(domains(table), texts_of(table).values(), strict=True)
    return np.column_stack([domain.fits(t, 1)[t.index] for domain, t in pairs])


def fits_of(domain: Domain, cells: Sequence[str]) -> np.ndarray:
    """How well cells of another column would fit."""
    texts = Texts.of(pd.Series([*cells], dtype="str"))
    return domain.fits(texts)[texts.index]


def shape(text: str) -> str:
    """Digits as 9, capitals as A, other letters as a; marks as they are.

    Examples
    --------
    >>> shape("2020-01-31"), shape("Bad Homburg v. d. H."), shape("NY")
    ('9-9-9', 'a a', 'A')
    """
    parts: list[str] = []
    for part in _runs.sub(_class, text[:LONGEST]).split(" "):
        word = part.strip(".,") if part[:1] in "aA" else part
        if not parts or word not in ("a", "A") or parts[-1] not in ("a", "A"):
            parts.append(word)
        elif len(parts) == 1:  # two words or more look alike
            parts = ["a", "a"]
    return " ".join(parts)


def _class(match: re.Match[str]) -> str:
    run = match[0]
    if run.isspace():
        return " "
    if run[0].isdecimal():
        return "9"
    return "A" if run.isupper() else "a"


def _inner(values: np.ndarray) -> tuple[float, float]:
    """Where right numbers lie, whatever a few wrong ones are."""
    known = values[~np.isnan(values)]
    low, middle, high = np.quantile(known, [INNER, 0.5, 1 - INNER])
    with np.errstate(over="ignore"):
        lowest = low - STRETCH * (middle - low)
        highest = high + STRETCH * (high - middle)
    # Where nearly all hold the same number, others say nothing.
    return (
        float(lowest if low < middle else known.min()),
        float(highest if high > middle else known.max()),
    )
