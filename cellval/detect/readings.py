"""Other readings of the same text: what a cell says without decoration or slips.

"0.065%" in a column of plain numbers is 0.065, "74 patxents" among "12 patients" is "74
patients", and a bouncing keyboard writes 3399..66 for 39.6.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from difflib import SequenceMatcher, get_close_matches

import numpy as np
import pyarrow.compute as pc

from cellval.detect.misspelt import is_slip
from cellval.detect.other_dates import DateWriting, date_writing
from cellval.kept import kept
from cellval.table.booleans import BOOLEAN, meaning_of
from cellval.table.columns import MISSING_MARKERS, Column, Texts, numbers_of
from cellval.table.dates import days_of
from cellval.table.table import Table, stripped_of

USUAL = 0.6  # share of a column's cells that are written alike: the others differ
ALIKE = 0.7  # of two words, 0 to 1, at least: many slips in one word
RARE = 0.02  # share of the cells with a way of writing that may be a slip
REPEATED = 3  # cells with a number that is known, and at least
OFTEN = 0.004  # of all cells;
MOSTLY = 0.7  # so many of all cells must hold a known one
SHORTEST_DOUBLED = 4  # characters: 11 may be meant
MOST_AROUND = 12  # characters beside a number: an address is no number with more
NOISY, TIDY = 15, 9  # digits of a number with, and without, what rounding left
UNITS = (  # what a number was given in, what it should be in, and the factor
    ("in", "cm", 2.54),
    ("lb", "kg", 0.45359237),
    ("oz", "g", 28.349523),
    ("ft", "m", 0.3048),
    ("mi", "km", 1.609344),
    ("gal", "l", 3.785412),
    ("h", "min", 60.0),
    ("years", "months", 12.0),
)
UNIT_NAMES = {name for unit in UNITS for name in unit[:2]}
_number = re.compile(r"(?<![\w.,])[-+−]?\d+(?:[.,]\d+)*|\d+(?:[.,]\d+)*")
_plain = re.compile(r"[-+−]?\d+(?:[.,]\d+)*")  # which is most cells, and found soon
_ordinary = r"[-+]?[0-9]+([.,][0-9]+)*"  # the same without digits of other scripts
PERCENTAGES = ({"#", "#%"}, {"#", "# %"})
_feet = re.compile(
    r"(\d+) *(?:'|’|′|ft\.?|feet|foot)(?: and)? *(?:(\d+(?:[.,]\d+)?) *"
    r"(?:\"|''|”|″|in\.?|inch|inches)?)?",
    re.IGNORECASE,
)


@dataclass(frozen=True, eq=False)
class Writing:
    """How the cells of a column are written, but for a few."""

    usual: str  # the usual way, with # for each number; empty if there is none
    mark: str  # the decimal mark
    low: Decimal | None  # of the plain numbers
    high: Decimal | None
    known: tuple[str, ...]  # plain numbers, if few of them stand in most cells
    rare: frozenset[str]  # ways in which few cells are written
    dates: DateWriting | None = None  # if it is a column of dates


@kept(1)
def writings(table: Table) -> dict[str, Writing]:
    """How the columns of a table are written, by name."""
    return {column.name: _writing(table, column) for column in table.features}


def _writing(table: Table, column: Column) -> Writing:
    texts = stripped_of(table, column.name)
    shapes, plain = _shapes(texts)
    n, counts = shapes.total(), texts.counts
    usual = max(shapes, key=lambda shape: shapes[shape], default="")
    if "#" not in usual or shapes[usual] < USUAL * n:
        usual = ""
    low, high = _ends(texts, plain, table.decimal)
    often = plain[counts[plain] >= max(REPEATED, OFTEN * n)]
    is_most = counts[often].sum() >= MOSTLY * n
    known = tuple(texts.some(often)) if is_most else ()
    rare = frozenset(shape for shape in shapes if shapes[shape] <= RARE * n)
    dates = date_writing(column, texts)
    return Writing(usual, table.decimal, low, high, known, rare, dates)


def _shapes(texts: Texts) -> tuple[Counter[str], np.ndarray]:
    """How many cells have each shape, and which texts are plain numbers: most are, and
    are found together.
    """
    found = pc.match_substring_regex(texts.arrow, f"^(?:{_ordinary})$")
    is_plain = found.to_numpy(zero_copy_only=False) & ~texts.missing
    others = np.flatnonzero(~texts.missing & ~is_plain)
    first = {"#": int(np.argmax(is_plain))} if is_plain.any() else {}
    shapes: Counter[str] = Counter()
    for k, text in zip(others.tolist(), texts.some(others), strict=True):
        shape = shape_of(text)
        shapes[shape] += int(texts.counts[k])
        first[shape] = min(first.get(shape, k), k)
        is_plain[k] = shape == "#"
    plain = np.flatnonzero(is_plain)
    shapes["#"] = int(texts.counts[plain].sum())
    in_order = sorted(first, key=lambda shape: first[shape])
    return Counter({shape: shapes[shape] for shape in in_order}), plain


def _ends(
    texts: Texts, plain: np.ndarray, mark: str
) -> tuple[Decimal | None, Decimal | None]:
    """The lowest and the highest of plain numbers, exactly."""
    about = numbers_of(texts, mark, "")[0][plain]
    if plain.size and np.isfinite(about).all():  # then few need to be read exactly
        plain = plain[(about == about.min()) | (about == about.max())]
    read = [as_decimal(number, mark) for number in texts.some(plain)]
    known = [number for number in read if number is not None]
    return (min(known), max(known)) if known else (None, None)


def shape_of(text: str) -> str:
    """A text with # for each number in it."""
    return "#" if _plain.fullmatch(text) else _number.sub("#", text.casefold())


def as_decimal(number: str, mark: str) -> Decimal | None:
    """A number as a file with this decimal mark writes it."""
    other = "," if mark == "." else "."
    plain = number.replace(other, "").replace(" ", "").replace("'", "")
    try:
        return Decimal(plain.replace(mark, ".").replace("−", "-"))
    except InvalidOperation:
        return None


def tidied(number: Decimal) -> Decimal:
    """Without what binary fractions leave behind: 0.052000000000000005 is 0.052."""
    if len(number.as_tuple().digits) < NOISY or not number.is_finite():
        return number
    short = Decimal(f"{number:.12g}").normalize()
    return short if len(short.as_tuple().digits) <= TIDY else number


def written(number: Decimal, mark: str) -> str:
    text = f"{number:f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return text.replace(".", mark)


def readings(column: Column, writing: Writing, own: str) -> list[tuple[str, str]]:
    """Other readings of a text, each with a sentence; none where several are possible.

    Units are left alone: 165 cm are not 165 inches.
    """
    if own.casefold() in MISSING_MARKERS:
        return [("", f"'{own}' stands for a cell without content.")]
    if (text := _usual_boolean(column, own)) not in ("", own):
        return [(text, "What most cells that mean the same have.")]
    if writing.dates and np.isnan(days_of(own, column.form)):
        day = writing.dates.written(own)
        return [(day, "The same date, as the other cells have it.")] if day else []
    zeros = own.replace("o", "0").replace("O", "0")
    is_number = column.kind == "number" and any(letter.isdigit() for letter in own)
    if is_number and zeros != own and _plain.fullmatch(zeros):
        return [(zeros, "The letter o in place of a zero.")]
    half, shape, numbers = _half(own), shape_of(own), _number.findall(own)
    if writing.known and (half or shape != "#"):
        meant = [text for text in writing.known if _may_mean(half or own, text)]
        if len(meant) == 1:
            why = "The only number of the column that looks like it."
            return [(meant[0], why)]
        if meant:
            return []
    if half:
        return [(half, "Every key was struck twice.")]
    if column.kind == "number" and (feet := _feet.fullmatch(own)):
        inches = as_decimal(feet[2] or "0", writing.mark) or Decimal(0)
        return [
            (written(12 * int(feet[1]) + inches, writing.mark), f"{own} in inches.")
        ]
    if len(numbers) != 1 or writing.usual.count("#") != 1:
        return []
    number = _with_mark(numbers[0], writing.mark)
    exact = as_decimal(number, writing.mark)
    if exact is not None and (tidy := tidied(exact)) != exact:
        number = written(tidy, writing.mark)
    if column.kind == "number" and shape == writing.usual and number != numbers[0]:
        text = own.replace(numbers[0], number)
        return [(text, "With the decimal mark of the other cells.")]
    if column.numbers is not None and {shape, writing.usual} in PERCENTAGES:
        return _percentage(column.numbers, writing, number)
    is_short = len(own) - len(numbers[0]) <= MOST_AROUND
    if writing.usual == "#" and shape != "#" and is_short and not _names_unit(shape):
        return [(number, "A plain number, as in the other cells.")]
    if shape in writing.rare and shape != "#" and _is_like(shape, writing.usual):
        return [(writing.usual.replace("#", numbers[0]), "As the other cells have it.")]
    return []


def _usual_boolean(column: Column, own: str) -> str:
    """Yes or no as a column of them writes it, or one of zeros and ones."""
    meaning = meaning_of(own)
    if meaning is None:
        return ""
    if column.numbers is not None:
        cells = column.numbers[~column.missing]
        return str(int(meaning)) if np.isin(cells, (0.0, 1.0)).all() else ""
    same = [text for text in column.categories if meaning_of(text) == meaning]
    return same[0] if column.form == BOOLEAN and same else ""


def _percentage(
    cells: np.ndarray, writing: Writing, number: str
) -> list[tuple[str, str]]:
    """5% among 0.04 and 0.06 is 0.05, and 0.05 among 4% and 6% is 5%."""
    value = as_decimal(number, writing.mark)
    if value is None:
        return []
    low, high = np.nanmin(cells), np.nanmax(cells)
    other = value / 100 if writing.usual == "#" else value * 100
    same_fits, other_fits = low <= value <= high, low <= other <= high
    if other_fits and not same_fits:
        text = writing.usual.replace("#", written(other, writing.mark))
        return [(text, "The same share, as the other cells have it.")]
    if writing.usual == "#":
        return [(number, "A plain number, as in the other cells.")]
    text = writing.usual.replace("#", number)
    return [(text, "As the other cells have it.")] if not other_fits else []


def _with_mark(number: str, mark: str) -> str:
    """A number with one decimal mark, with that of the file; 1,234 may be thousands."""
    other = "," if mark == "." else "."
    whole, _, digits = number.partition(other)
    is_foreign = digits.isdecimal() and len(digits) != 3 and mark not in whole
    return f"{whole}{mark}{digits}" if is_foreign else number


def is_marked_anew(writing: Writing, own: str, text: str) -> bool:
    """Does a reading have another decimal mark than the cell?"""
    other = "," if writing.mark == "." else "."
    return text not in own and text.replace(writing.mark, other) in own


def _names_unit(shape: str) -> bool:
    """A unit that may have to be turned into another one; g/l are not grams."""
    return bool(set(re.findall(r"[a-z/]+", shape)) & UNIT_NAMES)


def _half(own: str) -> str:
    """A text without its second half of each pair of equal characters, or nothing."""
    half = own[::2]
    doubled = len(own) >= SHORTEST_DOUBLED and half == own[1::2]
    return half if doubled and any(letter.isdigit() for letter in half) else ""


def _may_mean(own: str, known: str) -> bool:
    """Was a number meant: with letters for some of its digits, or with keys missed?"""
    if any(letter.isalpha() for letter in own):
        return len(own) == len(known) and all(
            a == b or a.isalpha() for a, b in zip(own, known, strict=True)
        )
    keys = iter(known)
    return len(own) > 1 and all(key in keys for key in own)


def is_within(writing: Writing, text: str) -> bool:
    """Does a plain number lie among those of its column?"""
    number = as_decimal(text, writing.mark)
    if number is None or writing.low is None or writing.high is None:
        return False
    return writing.low <= number <= writing.high


def _is_like(a: str, b: str) -> bool:
    return is_slip(a, b) or SequenceMatcher(None, a, b).ratio() >= ALIKE


def is_closest(own: str, word: str, words: Sequence[str]) -> bool:
    """May a word be meant, with a few slips, rather than any other of the words?"""
    known = {other.casefold(): other for other in words}
    near = get_close_matches(own.casefold(), known, n=1, cutoff=ALIKE)
    return bool(near) and near[0] == word.casefold()
