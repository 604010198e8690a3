"""What a suspicious cell should have been: slips of the fingers, and neighbours."""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from functools import cache
from typing import NamedTuple

import numpy as np

from cellval.detect.misspelt import TIMES, is_systematic, misspelt
from cellval.detect.neighbours import MOST_KNOWN, NeighbourIndex
from cellval.detect.placeholders import holds_code
from cellval.detect.readings import (
    UNITS,
    as_decimal,
    is_closest,
    is_marked_anew,
    is_within,
    readings,
    writings,
    written,
)
from cellval.detect.rules import exceptions
from cellval.detect.surprise import Surprise
from cellval.errors import InputError
from cellval.kept import kept
from cellval.stats import robust_spread
from cellval.table.columns import Column
from cellval.table.encoding import encode_column
from cellval.table.table import Table
from cellval.text import brief, full

BLANK = "(blank)"
FITS = 0.05  # so many ordinary cells, at least, are as odd as a slip put right
ODD = 0.01  # less odd cells are not taken for slips
MOST_SWAPS = 5  # other columns tried for a cell
LONGEST = 40  # characters of a number; longer ones are no slip of the fingers
MOST_DETAILED = 2_000  # cells of a long list; it takes half a millisecond each
AT_ONCE = 64  # of them, before one looks whether there is time left
CLEAR_FIT = 0.3  # a slip put right looks like this many ordinary cells, to be likely,
CLEARLY = 3.0  # and fits so many times better than any other
FAR = 3.0  # robust standard deviations from the median
FEW_ROWS = 5  # fewer neighbours say little,
AGREED = 0.5  # and so many of them must hold the same for it to be likely
# How well a variant must fit: of units one or the other does by chance, but not if the
# cell itself names it.
LEAST = {"slip": FITS, "unit": 0.2, "named unit": 0.001}
_number = re.compile(r"[-+−]?\d(?:[\d.,' ]*\d)?")


@dataclass(frozen=True)
class Suggestion:
    """What could stand in a cell instead.

    Attributes
    ----------
    text : str
        To be written into the cell as it is; empty to blank it.
    why : str
        A sentence.
    also : tuple of (str, str)
        Column and text of other cells of the row that change with it.
    fit : float
        0 to 1: the share of ordinary cells that would look at least as odd. NaN if
        that is not known.
    is_likely : bool
        Clearly the best of all that the cell could be, if it is wrong at all; the
        others are ideas. See ``results/detection.md`` for how often it is right.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read("sample_data/davis.csv", label="sex")
    >>> best = cellval.suggest(table, 12, "height")[0]
    >>> best.text, best.also, best.is_likely
    ('166', (('weight', '57'),), True)
    >>> best.why
    "Swapped with 'weight' in the same row."
    """

    text: str
    why: str
    also: tuple[tuple[str, str], ...] = ()
    fit: float = float("nan")
    is_likely: bool = False


CODE = Suggestion("", 'The number may stand for "missing".')


def suggestions(
    table: Table, found: Surprise, position: int, column: str
) -> tuple[Suggestion, ...]:
    """What could stand in a cell instead, the likeliest first.

    Other readings of the same text; slips that would fit (swapped digits, a shifted
    decimal point, a missing sign, another unit, swapped with another column); what the
    rows most like its row have. Only the first one can be likely.
    """
    cell = position, table.feature_names.index(column)
    return suggest_many(table, found, [cell])[0]


def suggest_many(
    table: Table,
    found: Surprise,
    cells: Sequence[tuple[int, int]],
    is_over: Callable[[], bool] = lambda: False,
) -> list[tuple[Suggestion, ...]]:
    """The same for many cells, by row and column position; for the first ones only if
    time is over before the end.
    """

    @cache
    def asked(j: int) -> NeighbourIndex:
        return NeighbourIndex(table, found.model, MOST_KNOWN, [j])

    is_code = holds_code(table, found.placeholders)
    swaps: dict[tuple[int, int], list[Suggestion]] = {}
    near: dict[tuple[int, int], np.ndarray] = {}
    # Once for each column: it compares all its categories.
    meant = {j: misspelt(table.features[j]) for j in {j for _, j in cells}}
    answers: list[tuple[Suggestion, ...]] = []
    for at, (i, j) in enumerate(cells):
        if at % AT_ONCE == 0:
            if at and is_over():
                break
            some = cells[at : at + AT_ONCE]
            swaps, near = _swaps(table, found, some, asked), _near(found, some, asked)
        around = _Around.of(table, j, near[i, j])
        known = writings(table)[table.feature_names[j]].known
        options = _by_rule(table, i, j) + _readings(table, found, i, j)
        named, slips, unit = _slips(table, found, i, j)
        options += named + _clearest([*swaps.get((i, j), ()), *slips], known) or unit
        slip = _misspelt(table, i, j, meant[j], around)
        options += slip or _neighbours_have(table, i, j, around)
        if is_code[i, j]:  # which is asked once for all cells that hold it
            options = [CODE, *(replace(o, is_likely=False) for o in options)]
        answers.append(_in_order(table.cells[table.feature_names[j]].iloc[i], options))
    return answers


def _near(
    found: Surprise,
    cells: Sequence[tuple[int, int]],
    asked: Callable[[int], NeighbourIndex],
) -> dict[tuple[int, int], np.ndarray]:
    """The rows most like that of each cell, by what predicts its column."""
    near: dict[tuple[int, int], np.ndarray] = {}
    for j in {j for _, j in cells}:
        rows = np.array([i for i, own in cells if own == j])
        rows_found = asked(j).neighbours(found.model.cells[:, rows], rows)[:, 0]
        near |= {(i, j): row for i, row in zip(rows.tolist(), rows_found, strict=True)}
    return near


def _by_rule(table: Table, i: int, j: int) -> list[Suggestion]:
    """What a rule says that the cell breaks."""
    broken = exceptions(table).get((i, table.feature_names[j]))
    if broken is None:
        return []
    rule, k = broken
    why = f"Nearly all rows with the same {brief(rule.given, 30)} have it."
    return [Suggestion(rule.usual[k], why, is_likely=True)]


def _in_order(own: str, options: Sequence[Suggestion]) -> tuple[Suggestion, ...]:
    """Each text once, a likely one first; none is likely beside another likely one."""
    first: dict[str, Suggestion] = {}
    for option in options:
        known = first.setdefault(option.text.strip(), option)
        if option.is_likely and not known.is_likely:  # two reasons for the same text
            first[option.text.strip()] = replace(known, is_likely=True)
    first.pop(own.strip(), None)
    ordered = sorted(first.values(), key=lambda option: not option.is_likely)
    likely, rest = ordered[:1], ordered[1:]
    return (*likely, *(replace(option, is_likely=False) for option in rest))


def best_suggestions(
    table: Table,
    found: Surprise,
    rows: np.ndarray,
    columns: np.ndarray,
    is_over: Callable[[], bool] = lambda: False,
) -> list[Suggestion | None]:
    """The likely suggestion for each surprising cell, if there is one.

    Cells behind the first `MOST_DETAILED`, or for which no time is left, have none.
    Each is looked for once: it takes a millisecond, and lists ask again.
    """
    odd = np.flatnonzero(found.surprise[rows, columns] < ODD)
    best: list[Suggestion | None] = [None] * rows.size
    # Codes for "missing" come first and are many: they must not use up the detail.
    is_code = holds_code(table, found.placeholders)[rows[odd], columns[odd]]
    for at in odd[is_code]:
        best[at] = replace(CODE, is_likely=True)
    detailed = odd[~is_code][:MOST_DETAILED]
    cells = [(int(rows[at]), int(columns[at])) for at in detailed]
    known = _known(found, table)
    new = [cell for cell in cells if cell not in known]
    answers = suggest_many(table, found, new, is_over) if new else []
    for cell, options in zip(new, answers, strict=False):  # fewer, if time is over
        known[cell] = next((option for option in options if option.is_likely), None)
    for at, cell in zip(detailed, cells, strict=True):
        best[at] = known.get(cell)
    return best


@kept(1)
def _known(found: Surprise, table: Table) -> dict[tuple[int, int], Suggestion | None]:
    return {}


def suggested_text(best: Suggestion | None) -> str:
    """What a list says."""
    return "" if best is None else best.text or BLANK


class _Around(NamedTuple):
    """What the rows most like a row hold in a column."""

    n: int  # of them that are not missing
    text: str  # the middle number or the commonest category, as in the file
    share: float  # of them that hold the same
    codes: np.ndarray  # their categories

    @classmethod
    def of(cls, table: Table, j: int, near: np.ndarray) -> "_Around":
        column = table.features[j]
        near = near[near >= 0]
        near = near[~column.missing[near]]
        if near.size == 0:
            return cls(0, "", 0.0, near)
        if column.numbers is not None:
            cells = column.numbers[near]
            row = near[np.argsort(cells, kind="stable")][(near.size - 1) // 2]
            same, codes = cells == column.numbers[row], near[:0]
        else:
            assert column.codes is not None
            codes = column.codes[near]
            same = codes == np.bincount(codes).argmax()
            row = near[same][0]
        text = table.cells[column.name].iloc[int(row)].strip()
        return cls(near.size, text, float(same.mean()), codes)


def _neighbours_have(table: Table, i: int, j: int, around: _Around) -> list[Suggestion]:
    """The middle one of the neighbours' numbers, or their commonest category."""
    column = table.features[j]
    if around.n == 0:
        return []
    word = "middle" if column.numbers is not None else "commonest"
    why = f"The {word} one of the {around.n} rows most like this one."
    if around.n == 1:
        why = "What the only other row like this one has."
    # What is altogether different, or missing, may well be meant so.
    likely = (
        not column.missing[i] and around.n >= FEW_ROWS and around.share >= AGREED
    ) and _could_be(column, i, table.cells[column.name].iloc[i].strip(), around.text)
    return [Suggestion(around.text, why, is_likely=likely)]


def _could_be(column: Column, i: int, own: str, text: str) -> bool:
    """Is a text the one that a cell's is most like, and a much more common one?"""
    if column.codes is None:
        return is_closest(own, text, [text])
    counts = _counts(column)
    common = np.flatnonzero(counts >= TIMES * counts[column.codes[i]])
    return is_closest(own, text, [column.categories[k] for k in common])


@kept(1)
def _counts(column: Column) -> np.ndarray:
    assert column.codes is not None
    return np.bincount(column.codes[~column.missing])


# --- the same text, read or written otherwise -----------------------------------------


def _readings(table: Table, found: Surprise, i: int, j: int) -> list[Suggestion]:
    """Other readings of the text that would fit."""
    column = table.features[j]
    own = table.cells[column.name].iloc[i].strip()
    writing = writings(table)[column.name]
    read = readings(column, writing, own)
    if not read or not read[0][0] or writing.dates:
        return [Suggestion(text, why, is_likely=True) for text, why in read]
    if column.numbers is None:
        return [
            Suggestion(text, why, is_likely=True)
            for text, why in read
            if writing.usual != "#" or is_within(writing, text)
        ]
    fits = _fits(table, found, i, j, [text for text, _ in read])
    known = writing.known
    return [
        Suggestion(
            text,
            why,
            fit=fit,
            is_likely=(not known or text in known)
            # 5,8 may be five feet and eight inches.
            and (not is_marked_anew(writing, own, text) or _is_usual(table, j, text)),
        )
        for (text, why), fit in zip(read, fits, strict=True)
        if fit >= FITS or is_within(writing, text)
    ]


def _is_usual(table: Table, j: int, text: str) -> bool:
    """Is a number where nearly all of its column are, whatever absurd ones it has?"""
    column = table.features[j]
    read = table.read_texts(column.name, [text]).numbers
    assert read is not None
    middle, spread = _middle(column)
    return bool(abs(read[0] - middle) <= FAR * spread)


@kept(1)
def _middle(column: Column) -> tuple[float, float]:
    """The median and the spread around it."""
    assert column.numbers is not None
    return float(np.nanmedian(column.numbers)), robust_spread(column.numbers)


def _fits(
    table: Table, found: Surprise, i: int, j: int, texts: Sequence[str]
) -> list[float]:
    """How many ordinary cells would look as odd as each text in this cell; 0 if none
    can be read."""
    tail, expected = found.tails[j], found.nearby.expected[i, j]
    try:
        read = table.read_texts(table.feature_names[j], list(texts)).numbers
    except InputError:  # one of them is infinite: 10e308
        return [0.0] * len(texts)
    if tail is None or read is None or not np.isfinite(expected):
        return [0.0] * len(texts)
    fits = tail.probability(read, expected, float(found.nearby.apart[i, j]))
    return [float(fit) for fit in np.nan_to_num(fits)]


# --- slips ----------------------------------------------------------------------------


def _misspelt(
    table: Table, i: int, j: int, meant: Mapping[int, int], around: _Around
) -> list[Suggestion]:
    """The category that is likely meant, unless rows like this one write it so, too."""
    column = table.features[j]
    code = -1 if column.codes is None else int(column.codes[i])
    if code not in meant:
        return []
    own, word = column.categories[code], column.categories[meant[code]]
    pairs = [(column.categories[a], column.categories[b]) for a, b in meant.items()]
    likely = code not in around.codes and not is_systematic(own, word, pairs)
    return [Suggestion(word, "A slip of the fingers.", is_likely=likely, fit=1.0)]


def _slips(
    table: Table, found: Surprise, i: int, j: int
) -> tuple[list[Suggestion], list[Suggestion], list[Suggestion]]:
    """Texts that a slip of the fingers turns into the cell's, if they would fit.

    Before them, the number in another unit that the cell names; after them, the best
    one in any other unit: a guess, for cells that nothing else explains.
    """
    column = table.features[j]
    if column.numbers is None or found.surprise[i, j] >= ODD:
        return [], [], []
    own = table.cells[column.name].iloc[i].strip()
    variants = _variants(table, column, own)
    of: dict[str, list[Suggestion]] = {kind: [] for kind in LEAST}
    fits = _fits(table, found, i, j, list(variants))
    for (text, (why, kind)), fit in zip(variants.items(), fits, strict=True):
        if fit >= LEAST[kind]:
            likely = kind == "named unit" and fit >= FITS
            of[kind].append(Suggestion(text, why, fit=fit, is_likely=likely))
    best_unit = sorted(of["unit"], key=lambda option: -option.fit)[:1]
    return of["named unit"], of["slip"], best_unit


def _clearest(slips: Sequence[Suggestion], known: Sequence[str]) -> list[Suggestion]:
    """The best fitting first; it is likely if no other comes near.

    Where few numbers are `known` in a column, it must be one of them.
    """
    ordered = sorted(slips, key=lambda option: -option.fit)
    if not ordered:
        return []
    best = ordered[0]
    if best.also:  # two odd cells explained at once, unless by two columns
        only = not any(option.also for option in ordered[1:])
        return [replace(best, is_likely=best.is_likely and only), *ordered[1:]]
    others = [o.fit for o in ordered[1:] if _other_number(o.text, best.text)]
    likely = best.fit >= CLEAR_FIT and best.fit >= CLEARLY * max(others, default=0.0)
    likely = likely and (not known or best.text in known)
    return [replace(best, is_likely=likely), *ordered[1:]]


def _other_number(a: str, b: str) -> bool:
    """Not the same number with or without other characters."""
    x, y = _number.search(a), _number.search(b)
    return x is None or y is None or x[0] != y[0]


def _variants(table: Table, column: Column, own: str) -> dict[str, tuple[str, str]]:
    """What may have been meant, why, and which kind of `LEAST` it is."""
    match = _number.search(own)
    if match is None or len(match[0]) > LONGEST:
        return {}
    first, last = match.span() if column.kind == "number" else (0, len(own))
    number = own[first:last]
    found: dict[str, tuple[str, str]] = {}

    def add(new: str, why: str, kind: str = "slip") -> None:
        found.setdefault(own[:first] + new + own[last:], (why, kind))
        found.setdefault(new, (why, kind))

    if number != own:
        found[number] = f"Without the other characters of '{own}'.", "slip"
    for k in range(len(number) - 1):
        a, b = number[k], number[k + 1]
        if a.isdigit() and b.isdigit() and a != b and (b != "0" or k > 0):
            add(f"{number[:k]}{b}{a}{number[k + 2 :]}", f"The digits {a}{b} swapped.")
    mark = table.decimal
    value = as_decimal(number, mark) if column.kind == "number" else None
    if value is None:
        return found
    usual, most = _digits(column, table)
    for power in (1, -1, 2, -2, 3, -3):
        places = f"{abs(power)} place{'s' * (abs(power) > 1)}"
        way = "right" if power > 0 else "left"
        new = written(value.scaleb(power), mark)
        if len(new.partition(mark)[2]) <= most:  # whole numbers stay whole
            add(new, f"The decimal point {places} further {way}.")
    add(written(-value, mark), "The other sign.")
    words = set(re.findall(r"[a-z]+", own.casefold()))
    for a, b, factor in UNITS:
        for given, meant, times in ((a, b, factor), (b, a, 1 / factor)):
            kind = "named unit" if given in words else "unit"
            with suppress(InvalidOperation):  # it would have more than 28 digits
                new = written(round(value * Decimal(repr(times)), usual), mark)
                add(new, f"{given} turned into {meant} (times {full(times, 4)}).", kind)
    return found


@kept(1)
def _digits(column: Column, table: Table) -> tuple[int, int]:
    """Digits behind the decimal mark: in most cells, and at most."""
    texts = [text.strip() for text in table.cells[column.name].head(200)]
    found = [match[0] for text in texts if (match := _number.search(text))]
    digits = [len(number.partition(table.decimal)[2]) for number in found] or [0]
    return int(np.bincount(digits).argmax()), max(digits)


# --- two columns of a row swapped -----------------------------------------------------


def _swaps(
    table: Table,
    found: Surprise,
    cells: Sequence[tuple[int, int]],
    asked: Callable[[int], NeighbourIndex],
) -> dict[tuple[int, int], list[Suggestion]]:
    """For odd cells: the columns with which they may have been swapped.

    Both cells must fit where they would stand, among the rows that are then nearest.
    """
    tried = [
        (i, j, k)
        for i, j in cells
        if found.surprise[i, j] < ODD
        for k in _partners(table, i, j)
    ]
    if not tried:
        return {}
    rows = np.array([i for i, _, _ in tried])
    changed = np.ascontiguousarray(found.model.cells[:, rows])
    names = table.feature_names

    def text(i: int, j: int) -> str:
        return str(table.cells[names[j]].iloc[i]).strip()

    moves = [
        (at, i, source, target)
        for at, (i, j, k) in enumerate(tried)
        for source, target in ((j, k), (k, j))
    ]
    came = {}  # to a column: in which tries, and its new cells, read like its own
    for target in sorted({to for _, _, _, to in moves}):
        mine = {at: text(i, source) for at, i, source, to in moves if to == target}
        read = table.read_texts(names[target], list(mine.values()))
        changed[target, list(mine)] = encode_column(read, table.features[target])[0]
        came[target] = list(mine), read
    fits = np.full(rows.size, np.inf)
    for target, (at, read) in came.items():
        answer = asked(target).ask(changed[:, at], rows[at])
        fit, tail = answer.apart[:, 0].astype(float), found.tails[target]
        if tail is not None and read.numbers is not None:
            fit = tail.probability(read.numbers, answer.expected[:, 0], fit)
        fits[at] = np.minimum(fits[at], np.nan_to_num(fit))
    result: dict[tuple[int, int], list[Suggestion]] = {}
    for (i, j, k), both_fit in zip(tried, fits.tolist(), strict=True):
        if both_fit >= FITS:
            why = f"Swapped with '{names[k]}' in the same row."
            also = ((names[k], text(i, j)),)
            # It explains two cells at once, so it goes before other slips. Where only
            # one of them is odd, the columns may just hold numbers of the same size.
            both_odd = bool(found.surprise[i, k] < FITS)
            option = Suggestion(text(i, k), why, also, 1.0 + both_fit, both_odd)
            result.setdefault((i, j), []).append(option)
    return result


def _partners(table: Table, i: int, j: int) -> list[int]:
    """Columns whose cell of the row could change places with that of column j."""
    column = table.features[j]
    found: list[int] = []
    for k, other in enumerate(table.features):
        if len(found) == MOST_SWAPS:
            break
        if k == j or other.kind != column.kind or other.missing[i] or column.missing[i]:
            continue
        if column.numbers is not None and other.numbers is not None:
            a, b = column.numbers[i], other.numbers[i]
            if a != b and _within(other, a) and _within(column, b):
                found.append(k)
        elif column.codes is not None and other.codes is not None:
            a, b = column.categories[column.codes[i]], other.categories[other.codes[i]]
            if a != b and a in other.categories and b in column.categories:
                found.append(k)
    return found


def _within(column: Column, number: float) -> bool:
    lowest, highest = _ends(column)
    return lowest <= number <= highest


@kept(1)
def _ends(column: Column) -> tuple[float, float]:
    assert column.numbers is not None
    return float(np.nanmin(column.numbers)), float(np.nanmax(column.numbers))
