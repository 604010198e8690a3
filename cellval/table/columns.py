"""`Column`: what the text cells of one column are, and their numbers or codes."""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from cellval.errors import InputError
from cellval.table.booleans import BOOLEAN, are_booleans, is_tick, usual_spellings
from cellval.table.dates import (
    DATE_FORMS,
    days_of,
    is_time,
    like_a_date,
    like_a_time,
    seconds_of,
    time_form,
)
from cellval.text import listed, shortened

KINDS = ("number", "category", "text", "date", "id", "constant")
# Share of the cells that must fit for a column to count as numbers or dates.
FIT = 0.8
# The same for plain numbers if the others are numbers with a unit or another mark.
MOSTLY = 0.6
MISSING_MARKERS = frozenset({"na", "n/a", "#n/a", "nan", "null", "?", "-"})
# Expressions of Arrow, which looks at all texts at once: texts that need no strip, of
# them those that may be missing, and numbers that it reads as Python does.
_tidy = "^[!-~]*$"
_maybe_missing = "^([^0-9]{0,4}|[+])$"
_quick = {mark: f"^-?[0-9]{{1,18}}([{mark}][0-9]{{1,18}})?$" for mark in ".,"}


@dataclass(frozen=True, eq=False)
class Column:
    """One column of a table that is not its label.

    Attributes
    ----------
    kind : str
        One of `KINDS`; times and durations are dates, yes and no are categories.
    why_not : str
        Why the column is no feature; empty if it is one.
    missing : ndarray of bool, shape (n_rows,)
        Blank cells, markers such as ``NA`` or ``?``, and strays.
    strays : tuple of (int, str)
        Position (from 0) and text of the cells that do not fit a number or date column.
    numbers : ndarray of float64, shape (n_rows,), or None
        NaN where missing; dates as days since 1970-01-01, times (``14:30``) and
        durations as seconds.
    codes : ndarray of int32, shape (n_rows,), or None
        Index into `categories`, -1 where missing.
    form : str
        The unit of a number column, such as ``kg``; the order of a date column, such
        as ``day/month/year``, or of its times, such as ``hour:minute``; ``yes or no``
        of categories that say it, where texts of the same meaning have one code.
    note : str
        A sentence about a guess that may be wrong.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read("sample_data/ugly.csv", label="grade")
    >>> column = table.columns[1]
    >>> column.name, column.kind, column.form, column.strays
    ('harvested', 'date', 'day.month.year', ((71, 'Mitte September'),))
    """

    name: str
    kind: str
    why_not: str
    missing: np.ndarray
    strays: tuple[tuple[int, str], ...] = ()
    numbers: np.ndarray | None = None
    codes: np.ndarray | None = None
    categories: tuple[str, ...] = ()
    form: str = ""
    note: str = ""

    @property
    def feature(self) -> bool:
        return not self.why_not

    def part(self, rows: np.ndarray) -> "Column":
        """Some of its cells, in this order."""
        place = {i: k for k, i in enumerate(rows.tolist())} if self.strays else {}
        return replace(
            self,
            missing=self.missing[rows],
            strays=tuple((place[i], text) for i, text in self.strays if i in place),
            numbers=None if self.numbers is None else self.numbers[rows],
            codes=None if self.codes is None else self.codes[rows],
        )

    @property
    def word(self) -> str:
        """What one of its cells is: a number, date, time ..."""
        return "time" if self.kind == "date" and is_time(self.form) else self.kind

    def __repr__(self) -> str:
        why = f", not a feature: {self.why_not}" if self.why_not else ""
        return f"<Column '{shortened(self.name)}': {self.kind}{why}>"


@dataclass(frozen=True, eq=False)
class Texts:
    """The different texts of one column; what is asked of a cell is asked once."""

    name: str
    index: np.ndarray  # cell -> text
    arrow: pa.Array  # the texts; lists of many of them take much memory
    is_tidy: bool  # letters and digits of ASCII without blanks: nothing to strip
    counts: np.ndarray
    missing: np.ndarray  # blank or a marker
    known: tuple[str, ...] = ()  # categories of the column that it is read like

    @classmethod
    def of(cls, cells: pd.Series, known: tuple[str, ...] = ()) -> "Texts":
        """A text that is `known` to be a category is not missing."""
        index, uniques = pd.factorize(cells)
        arrow = as_arrow(uniques)
        counts = np.bincount(index, minlength=len(arrow))
        is_tidy = bool(pc.all(pc.match_substring_regex(arrow, _tidy)).as_py())
        asked = _numbers_where(arrow, _maybe_missing) if is_tidy else None
        found = (arrow if asked is None else arrow.take(asked)).to_pylist()
        # Minus beside plus is a test result, not a gap.
        has_plus = any(text.strip() == "+" for text in found)
        markers = MISSING_MARKERS - ({"-"} if has_plus else set())
        missing = np.zeros(len(arrow), bool)
        missing[slice(None) if asked is None else asked] = [
            not (text := raw.strip())
            or (len(text) < 5 and text.casefold() in markers and text not in known)
            for raw in found
        ]
        return cls(str(cells.name), index, arrow, is_tidy, counts, missing, known)

    @cached_property
    def raw(self) -> list[str]:
        texts: list[str] = self.arrow.to_pylist()
        return texts

    @cached_property
    def stripped(self) -> list[str]:
        return self.raw if self.is_tidy else [text.strip() for text in self.raw]

    def some(self, which: np.ndarray) -> list[str]:
        """The texts with these numbers, without a list of all."""
        texts: list[str] = self.arrow.take(which).to_pylist()
        return texts

    @property
    def n_different(self) -> int:
        """Different texts but for blanks around them, without the missing ones."""
        return int(np.sum(~self.missing)) if self.is_tidy else len(self.different)

    @property
    def title(self) -> str:
        """The column's name, cut to a length that sentences bear."""
        return shortened(self.name)

    @cached_property
    def present(self) -> int:
        return int(self.counts[~self.missing].sum())

    @cached_property
    def different(self) -> set[str]:
        return {self.stripped[i] for i in np.flatnonzero(~self.missing)}

    def codes(
        self, categories: tuple[str, ...], meant: Mapping[str, str] | None = None
    ) -> np.ndarray:
        """Index into `categories` of each cell, -1 where missing.

        A text that is `meant` as another one has the code of that one.
        """
        code_of = {text: code for code, text in enumerate(categories)}
        if meant:
            code_of |= {text: code_of[other] for text, other in meant.items()}
        codes = np.array([code_of.get(t, -1) for t in self.stripped], dtype=np.int32)
        return read_only(codes[self.index])

    def spellings(self) -> dict[str, str]:
        """Texts that say yes or no, and the usual text of the same meaning."""
        counts: Counter[str] = Counter()
        for i in np.flatnonzero(~self.missing).tolist():
            counts[self.stripped[i]] += int(self.counts[i])
        return usual_spellings(counts, self.known)

    def share(self, values: np.ndarray) -> float:
        """Which part of the present cells has a value."""
        return float(self.counts[~np.isnan(values)].sum()) / max(self.present, 1)

    def first(self, which: np.ndarray) -> tuple[int, str]:
        """Position and text of the first cell whose text is one of `which`."""
        i = int(np.flatnonzero(which[self.index])[0])
        return i, shortened(self.raw[self.index[i]])


class _Found(NamedTuple):
    """What a column is, and for numbers and dates the value of each text."""

    kind: str
    why_not: str = ""
    values: np.ndarray | None = None
    form: str = ""
    note: str = ""


def column_of(
    texts: Texts,
    rows: np.ndarray,
    decimal: str,
    day_first: bool,
    kind: str | None = None,
    why_not: str = "",
    form: str | None = None,
) -> Column:
    """The column with these cells, of the `kind` given or the one they look like.

    `why_not` overrules the column's own; `form` is that of the column to be read
    alike, whose cells may then all be strays. `rows` are the numbers of the rows.
    """
    if kind is None:
        found = _guessed(texts, decimal, day_first)
    else:
        found = _told(texts, kind, decimal, day_first, form, rows)
    if why_not:
        found = found._replace(why_not=why_not, note="")
    if found.values is None:
        missing = read_only(texts.missing[texts.index])
        column = Column(texts.name, found.kind, found.why_not, missing)
        if found.kind != "category":
            return column
        meant = texts.spellings() if found.form == BOOLEAN else {}
        categories = tuple(sorted({meant.get(t, t) for t in texts.different}))
        return replace(
            column,
            codes=texts.codes(categories, meant),
            categories=categories,
            form=found.form,
            note="" if found.why_not else _spelling_note(texts.title, meant),
        )
    infinite = np.isinf(found.values)
    if infinite.any() and not found.why_not:
        i, text = texts.first(infinite)
        raise InputError(
            f"'{texts.name}' holds an infinite number in row {rows[i]:,} ('{text}'). "
            "Correct the cell or leave it blank, or exclude the column."
        )
    numbers = np.where(infinite, np.nan, found.values)[texts.index]
    missing = np.isnan(numbers)
    return Column(
        texts.name,
        found.kind,
        found.why_not,
        read_only(missing),
        _strays(texts, np.flatnonzero(missing)),
        numbers=read_only(numbers),
        form=found.form,
        note=found.note,
    )


def _strays(texts: Texts, rows: np.ndarray) -> tuple[tuple[int, str], ...]:
    """Position and text of the cells of these rows that are not blank."""
    which = np.unique(texts.index[rows])
    pairs = zip(which.tolist(), texts.some(which), strict=True)
    filled = {k: text for k, text in pairs if text.strip()}
    rows = rows[np.isin(texts.index[rows], list(filled))]
    numbers = texts.index[rows].tolist()
    return tuple((i, filled[k]) for i, k in zip(rows.tolist(), numbers, strict=True))


def as_arrow(texts: Any) -> pa.Array:
    """Texts in one piece of memory; lists of many of them are slow."""
    arrow = pa.array(texts, pa.large_string())
    return arrow.combine_chunks() if isinstance(arrow, pa.ChunkedArray) else arrow


def between(texts: pa.Array, mark: str) -> pa.LargeStringScalar:
    """All texts with a mark between them."""
    rows = pa.ListArray.from_arrays([0, len(texts)], texts)
    return pc.binary_join(rows, pa.scalar(mark, texts.type))[0]


def _numbers_where(texts: pa.Array, pattern: str) -> np.ndarray:
    """Numbers of the texts that an expression matches."""
    found = pc.match_substring_regex(texts, pattern)
    return np.flatnonzero(found.to_numpy(zero_copy_only=False))


def cells_of(column: Column) -> np.ndarray:
    """Numbers or codes, NaN where missing."""
    if column.numbers is not None:
        return column.numbers
    assert column.codes is not None
    return np.where(column.codes < 0, np.nan, column.codes)


def read_only(array: np.ndarray) -> np.ndarray:
    array.setflags(write=False)
    return array


def _told(
    texts: Texts,
    kind: str,
    decimal: str,
    day_first: bool,
    form: str | None,
    rows: np.ndarray,
) -> _Found:
    if kind == "number":
        values, unit = numbers_of(texts, decimal, form)
        found = _Found(kind, "", values, unit)
    elif kind == "date":
        values, order, note = _dates(texts, day_first, form)
        found = _Found(kind, "", values, order, note)
    elif kind == "category":
        return _category(texts) if form is None else _Found(kind, form=form)
    else:
        why_not = {
            "id": "it names rows instead of describing them",
            "text": "it is free text",
            "constant": "it is taken as a constant",
        }
        return _Found(kind, why_not.get(kind, ""))
    if form is None and texts.present and not texts.share(values):
        i, text = texts.first(~texts.missing)
        raise InputError(
            f"'{texts.name}' cannot be read as a {kind} column: none of its cells is a "
            f"{kind} (row {rows[i]:,} holds '{text}'). Choose another kind for it."
        )
    return found


def _guessed(texts: Texts, decimal: str, day_first: bool) -> _Found:
    n, k = len(texts.index), texts.n_different
    if k == 0:
        return _Found("constant", "all its cells are missing")
    if k == 1 and texts.present < n and is_tick(min(texts.different)):
        return _Found("category")  # beside blank cells, which differ from it
    values, unit = numbers_of(texts, decimal)
    n_numbers = len(np.unique(values[~np.isnan(values)]))
    # One number and some words (`0`, `0`, `yes`): the words say more than the number.
    words = bool(np.isnan(values[~texts.missing]).any())
    if k == 1 or (n_numbers == 1 and not words):
        only = shortened(min(texts.different))
        return _Found("constant", f"it holds only the value '{only}'")
    if n_numbers > 1 and _fits(texts, values, unit):
        is_id = not unit and (not words or _names_an_id(texts.name))
        if is_id and counts_rows(texts, values):
            return _Found("id", "its numbers name rows instead of describing them")
        return _Found("number", "", values, unit)
    dates = _dates(texts, day_first)
    if texts.share(dates[0]) >= FIT:
        return _Found("date", "", *dates)
    if _all_differ(k, texts) or (_names_an_id(texts.name) and k >= 0.9 * texts.present):
        return _Found("id", "its texts name rows instead of describing them")
    if k > min(max(20, n / 5), 1000):
        why = f"it holds {k:,} different texts, too many for categories"
        return _Found("text", why)
    return _category(texts)


def _category(texts: Texts) -> _Found:
    return _Found("category", form=BOOLEAN * are_booleans(texts.different))


def _spelling_note(title: str, meant: Mapping[str, str]) -> str:
    """Which texts count as another one, if any do."""
    others: dict[str, list[str]] = {}
    for text, usual in sorted(meant.items()):
        if text != usual:
            others.setdefault(usual, []).append(text)
    same = [f"{listed(texts)} as '{usual}'" for usual, texts in others.items()]
    return f"'{title}': read {' and '.join(same)}, which means the same." * bool(same)


def _fits(texts: Texts, values: np.ndarray, unit: str) -> bool:
    """Are nearly all cells numbers, or most plain ones and the others in other clothes?

    Among 6.1 and 5.8 even many a "6,1 g/l" is no reason to take them all for texts; but
    500 mg and 1 g may be two units of equal right.
    """
    share = texts.share(values)
    if share >= FIT or share < MOSTLY or unit:
        return share >= FIT
    clothed = values.copy()
    for i in np.flatnonzero(~texts.missing & np.isnan(values)).tolist():
        if any(dressed.fullmatch(texts.stripped[i]) for dressed in _dressed.values()):
            clothed[i] = 0.0
    return texts.share(clothed) >= FIT


def _all_differ(k: int, texts: Texts) -> bool:
    # In a handful of rows values differ by chance.
    return k == texts.present >= 10 and 2 * k >= len(texts.index)


def counts_rows(texts: Texts, values: np.ndarray) -> bool:
    """Whole numbers that count the rows, or nearly all differ under an id's name."""
    cells = values[texts.index]
    cells = cells[~np.isnan(cells)]
    if not np.isfinite(cells).all() or np.mod(cells, 1).any():
        return False
    k = len(np.unique(cells))
    if _names_an_id(texts.name) and k >= 0.9 * len(cells):
        return True
    with np.errstate(over="ignore"):
        steps = np.diff(cells)
    return _all_differ(k, texts) and bool(
        np.all(steps == steps[0])
        # A counter with gaps where rows were deleted.
        or (np.all(steps > 0) and cells[-1] - cells[0] < 1.2 * len(cells))
    )


_id_name = re.compile(
    r"(.*[ _.:#-])?(ids?|uuid|guid|index|idx|key|nr|no|sku|serial)"
    r"|unnamed: \d+|.*nummer|.*_number"
)


def _names_an_id(name: str) -> bool:
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).casefold().strip(" .#")
    return bool(_id_name.fullmatch(snake))


_plain = {
    mark: re.compile(
        # Possessive: or a thousand digits and a letter are tried in a million ways.
        rf"[+-]?([0-9]++[{mark}]?+[0-9]*+|[{mark}][0-9]++)([eE][+-]?[0-9]++)?"
    )
    for mark in ".,"
}
_money = (
    r"(?:US|CA|AU|NZ|HK|R|A|C|S)?\$|[€£¥₹₽₺₩₪₫]"
    r"|(?:USD|EUR|GBP|CHF|JPY|CAD|AUD|SEK|NOK|DKK|PLN|CZK|BRL|INR|CNY)(?= )"
    r"|(?:kr|Kr|Rs|Fr|z\u0142)\.?(?= )"
)
_dressed = {
    mark: re.compile(
        # -$5, $-5, and in accounts ($5).
        r"(?P<below>\()?"
        rf"(?:(?:(?P<before>[+\-\u2212]) ?)?(?P<money>{_money}) ?)?"
        r"(?P<sign>(?(before)|[+\-\u2212]?))"
        r"(?P<number>(?:[0-9]{1,3}(?P<by>["
        + other
        + r"'\u2019 \u00a0\u202f])[0-9]{3}(?:(?P=by)[0-9]{3})*|[0-9]+)"
        rf"(?:[{mark}][0-9]*)?|[{mark}][0-9]+)"
        r"(?P<power>[eE][+-]?[0-9]+)?"
        # Letters, a percent sign ...; the last character may be a power, as in m2.
        r"(?:[ \u00a0\u202f]?(?P<unit>(?:[^\W\d_]|[%‰°$€£¥₹\"″])[^\d,;]{0,11}?[23]?))?"
        r"(?(below)\))"
    )
    for mark, other in (".,", ",.")
}
_signs = {"": 1.0, "+": 1.0, "-": -1.0, "\u2212": -1.0, "?": np.nan}
_infinite = re.compile(r"[+-]?(inf|infinity|∞)", re.IGNORECASE)


def numbers_of(
    texts: Texts, decimal: str, unit: str | None = None
) -> tuple[np.ndarray, str]:
    """The number of each text, NaN where it is none, and the unit most cells have.

    Numbers with another unit (or none) than that are not numbers of this column.
    """
    plain, dressed = _plain[decimal].fullmatch, _dressed[decimal].fullmatch
    values = np.full(len(texts.arrow), np.nan)
    if texts.is_tidy:
        quick = _numbers_where(texts.arrow, _quick[decimal])
        quick = quick[~texts.missing[quick]]
        numbers = pc.replace_substring(texts.arrow.take(quick), ",", ".")
        values[quick] = pc.cast(numbers, pa.float64()).to_numpy(zero_copy_only=False)
    others = np.flatnonzero(~texts.missing & np.isnan(values))
    units: dict[int, str] = {}  # of those that have one
    for i, raw in zip(others.tolist(), texts.some(others), strict=True):
        text = raw.strip()
        if plain(text):
            values[i] = float(text.replace(",", "."))
        elif match := dressed(text):
            number = match["number"].replace(match["by"] or " ", "")
            number = number.replace(decimal, ".") + (match["power"] or "")
            own = (match["money"] or "").rstrip(".") + (match["unit"] or "")
            if own := own.casefold():
                units[i] = own
            sign = match["before"] or match["sign"]
            if match["below"]:
                # (12) alone may be anything.
                sign = "-" if (own or match["by"]) and not sign else "?"
            values[i] = float(number) * _signs[sign]
        elif text[-1] in "fFyY∞" and _infinite.fullmatch(text):
            values[i] = -np.inf if text.startswith("-") else np.inf
    clothed = np.zeros(values.size, bool)
    clothed[list(units)] = True
    if unit is None:
        unit = _usual_unit(texts, values, units, clothed)
    for i, own in units.items():
        if own != unit:
            values[i] = np.nan
    if unit:
        values[~clothed] = np.nan
    return values, unit


def _usual_unit(
    texts: Texts, values: np.ndarray, units: Mapping[int, str], clothed: np.ndarray
) -> str:
    """The unit of most numbers, or none; of two the one that comes first."""
    weights: Counter[str] = Counter()
    known = ~np.isnan(values)
    bare = np.flatnonzero(known & ~clothed)
    first = {"": int(bare[0])} if bare.size else {}
    weights[""] = int(texts.counts[bare].sum())
    for i, own in units.items():
        if known[i]:
            weights[own] += int(texts.counts[i])
            first.setdefault(own, i)
    return max(first, key=lambda own: (weights[own], -first[own]), default="")


def _dates(
    texts: Texts, day_first: bool, form: str | None = None
) -> tuple[np.ndarray, str, str]:
    """Days since 1970-01-01 of each text under the form that fits most cells.

    Returns the form and a note if day and month could be either way round; `form` is
    the one to choose then. Times of the day and durations are dates, too, in seconds.
    """
    best, best_form, note = np.full(len(texts.arrow), np.nan), form or "", ""
    if form and is_time(form):
        return _times(texts, form)
    asked = _those(texts, like_a_date)
    forms = [*DATE_FORMS] if asked else []
    if asked and day_first:  # asked before the other one
        forms.remove("month/day/year")
        forms.insert(forms.index("day/month/year") + 1, "month/day/year")
    for other in sorted(forms, key=lambda other: other != form):
        values = np.full(len(texts.arrow), np.nan)
        values[asked] = [days_of(texts.stripped[i], other) for i in asked]
        share, best_share = texts.share(values), texts.share(best)
        if share > best_share:
            best, best_form, note = values, other, ""
        elif (
            not form
            and 0 < share == best_share
            and not np.array_equal(values, best, equal_nan=True)
        ):
            note = (
                f"'{texts.name}': day and month cannot be told apart; its dates "
                f"were read as {best_form}."
            )
        if texts.share(best) == 1 and "/" not in other:  # none can fit better
            break
    if form is None and texts.share(best) < FIT:
        times = _times(texts)
        if texts.share(times[0]) > texts.share(best):
            return times
    return best, best_form, note


def _times(texts: Texts, form: str = "") -> tuple[np.ndarray, str, str]:
    """Seconds of each text, and the form."""
    values = np.full(len(texts.arrow), np.nan)
    asked = _those(texts, like_a_time)
    form = form or time_form({texts.stripped[i]: int(texts.counts[i]) for i in asked})
    values[asked] = [seconds_of(texts.stripped[i], form) for i in asked]
    return values, form, ""


def _those(texts: Texts, like: Callable[[str], object]) -> list[int]:
    """The texts that may be meant, at a first look."""
    present = np.flatnonzero(~texts.missing).tolist()
    return [i for i in present if like(texts.stripped[i])]
