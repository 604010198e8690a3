"""Findings: cells of a column that are written otherwise than all others.

The texts of a column fall into classes by what their characters are. What deviates from
the main class, and a main class that keeps numbers from being read as such, is one
question each, with a reading that repairs all its cells.
"""

import html
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping

import numpy as np
import pyarrow.compute as pc

from cellval.detect.finding import Finding, column_name, finding, in_cells
from cellval.detect.other_dates import DateWriting, date_writing, meant
from cellval.detect.placeholders import words_for_missing
from cellval.detect.readings import (
    as_decimal,
    readings,
    shape_of,
    tidied,
    writings,
    written,
)
from cellval.kept import kept
from cellval.table.columns import MISSING_MARKERS, Column, Texts
from cellval.table.notes import header_rows
from cellval.table.table import Table, texts_of
from cellval.text import brief, counted, listed

NOTATION = 0.3  # how sure: <5 among numbers says more than a number can
STRAY = 0.95  # how sure: a text among numbers, or damage of encoding
UNLIKE = 0.85  # other kinds of characters than all others have
LENGTH = 0.3  # a character more or less
LONG_CODE = 5  # characters: shorter ones may just count
DIFFERENT = 20  # texts with the main pattern, at least
MANY_UNITS = 0.92  # one unit in several spellings
OUTER = 0.6  # blanks around a text
MAIN = 0.9  # share of a column's cells that the main pattern has, at least
MANY = 20  # cells written alike are a question of their own
LONGEST_WAY = 20  # characters
TWO_DAYS = "day or month"  # the way of dates that may be read in two
FEWEST = 20  # cells with content, or there is no main pattern
PLAIN, SAME = 0.9, 0.95  # of the cells are numbers with one unit, and perhaps a word
FEW_OUTER = 0.1  # of the cells, at most, have blanks around them
UNIT_WORDS = {
    **dict.fromkeys(("oz", "ounce", "ounces"), "oz"),
    **dict.fromkeys(("lb", "lbs", "pound", "pounds"), "lb"),
    **dict.fromkeys(("ft", "foot", "feet"), "ft"),
    **dict.fromkeys(("in", "inch", "inches"), "in"),
    **dict.fromkeys(("kg", "kgs", "kilo", "kilos", "kilogram", "kilograms"), "kg"),
    **dict.fromkeys(("g", "gr", "gram", "grams"), "g"),
    **dict.fromkeys(("km", "kms", "kilometer", "kilometers", "kilometre"), "km"),
    **dict.fromkeys(("cm", "centimeter", "centimeters", "centimetre"), "cm"),
    **dict.fromkeys(("m", "meter", "meters", "metre", "metres"), "m"),
    **dict.fromkeys(("l", "liter", "liters", "litre", "litres"), "l"),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), "s"),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), "min"),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), "h"),
    **dict.fromkeys(("d", "day", "days"), "d"),
    **dict.fromkeys(("yr", "yrs", "year", "years"), "year"),
    **dict.fromkeys(("%", "percent", "pct", "per cent"), "%"),
    **dict.fromkeys(("$", "usd", "dollar", "dollars"), "$"),
    **dict.fromkeys(("€", "eur", "euro", "euros"), "€"),
    **dict.fromkeys(("mi", "mile", "miles"), "mi"),
}
_with_unit = re.compile(r"([-+−]?\d[\d.,]*)\s*([^\W\d][^\d]*|[%$€£][^\d]*)")
_beyond = re.compile(r"[<>≤≥~≈]=? ?#|# ?\+|# ?[-–/] ?#")
_letter = re.compile(r"# ?[a-z]")
_damage = "[ÃÂ][\u0080-\u00bf]|â€|ï»¿|\ufffd|&(?:amp|lt|gt|quot|nbsp|#\\p{Nd}+);"


@kept(1)
def formats(table: Table) -> tuple[Finding, ...]:
    """Those of all columns of the file; of classes only the blanks around them."""
    found: list[Finding] = []
    for column in table.columns:
        texts = texts_of(table)[column.name]
        dates = date_writing(column, texts)
        others = _other_dates(column, texts, dates) if dates else {}
        found += _strays(table, column, others)
        found += _rewritten(table, column, texts, others)
        found += _damaged(table, column, texts)
        found += _outer_blanks(table, column, texts)
        if column.numbers is None and column.kind in ("category", "text", "id"):
            found += _spelt_units(table, column, texts) or _unlike(table, column, texts)
    if table.class_column is not None:
        texts = texts_of(table)[table.label]
        found += _outer_blanks(table, table.class_column, texts)
    return tuple(found)


# --- texts among numbers and dates ----------------------------------------------------


def _strays(table: Table, column: Column, others: Collection[str]) -> Iterator[Finding]:
    """What is no number, date or time: one finding for each way to write it that many
    cells have, and one for all `others` but dates."""
    asked = words_for_missing(column)
    headers = set(header_rows(table.cells).tolist() if column.strays else ())
    ways: dict[str, list[tuple[int, str]]] = {}
    for i, text in column.strays:
        own = text.strip()
        known = own in asked or own in others or i in headers
        if not known and own.casefold() not in MISSING_MARKERS:
            twice = column.kind == "date" and len(meant(own)) > 1
            ways.setdefault(TWO_DAYS if twice else _way(own), []).append((i, own))
    apart = {
        way
        for way, cells in ways.items()
        if len(cells) >= MANY or _is_notation(way, len(cells)) or way == TWO_DAYS
    }
    rest = [cell for way, cells in ways.items() if way not in apart for cell in cells]
    groups = {way: ways[way] for way in ways if way in apart}
    for way, cells in (groups | ({"": sorted(rest)} if rest else {})).items():
        first = cells[0][1]
        title = f"{column_name(column.name)}: '{brief(first, 30)}' is no {column.word}"
        evidence = f"'{brief(first, 30)}' is no {column.word}."
        if len(cells) > 1:
            evidence = (
                f"{counted(len(cells), 'cell')} such as '{brief(first, 30)}' hold no "
                f"{column.word}; all others do."
            )
        if way == TWO_DAYS:
            title = f"{column_name(column.name)}: '{brief(first, 30)}' may be two days"
            evidence = "Day and month cannot be told apart, so nothing is proposed."
        title += f", and {len(cells) - 1:,} more" * (len(cells) > 1)
        yield finding(
            table,
            "format",
            column.name,
            [i for i, _ in cells],
            about=("stray", way),
            sure=NOTATION if _is_notation(way, len(cells)) else STRAY,
            title=title,
            evidence=evidence,
            why=[_why_stray(column, own) for _, own in cells],
        )


def _why_stray(column: Column, own: str) -> str:
    days = [*meant(own)] if column.kind == "date" else []
    if len(days) > 1:
        return f"'{brief(own, 30)}' may be {days[0]} or {days[1]}."
    return f"'{brief(own, 30)}' is no {column.word}."


def _other_dates(column: Column, texts: Texts, dates: DateWriting) -> dict[str, str]:
    """Dates that are written otherwise, and the same as the others have them: those
    that the column cannot read, and where it has one way, all."""
    strays = {text.strip() for _, text in column.strays}
    asked = strays if dates.share < MAIN or texts.present < FEWEST else texts.different
    plain = {text: _zeros(text) for text in asked}
    new = {text: dates.written(text) for text in asked}
    return {
        text: other
        for text, other in new.items()
        if other is not None and (text in strays or plain[text] != _zeros(other))
    }


def _zeros(text: str) -> str:
    """Without zeros before a digit: 1.2.2024 is no other way than 01.02.2024."""
    return re.sub(r"(?<!\d)0(?=\d)", "", text)


def _rewritten(
    table: Table, column: Column, texts: Texts, others: Mapping[str, str]
) -> Iterator[Finding]:
    """Dates that are written otherwise: one question, and a reading for all."""
    own = [k for k, text in enumerate(texts.stripped) if text in others]
    if not own:
        return
    rows = np.flatnonzero(np.isin(texts.index, own))
    held = [texts.stripped[int(k)] for k in texts.index[rows]]
    title = f"{column_name(column.name)}: '{brief(held[0], 30)}' is another way to "
    title += "write a date" + f", and {rows.size - 1:,} more" * (rows.size > 1)
    evidence = (
        f"{counted(rows.size, 'date')} such as '{brief(held[0], 30)}' would be "
        f"'{others[held[0]]}' in the way of the other cells. Only one day can be meant."
    )
    turned = {"day/month/year", "month/day/year"} - {column.form}
    if len(turned) == 1 and any(turned & {*meant(text).values()} for text in {*held}):
        evidence += (
            " Dates with a day up to 12 may be the other way round, too, which nobody "
            "can tell: they are left."
        )
    yield finding(
        table,
        "format",
        column.name,
        rows,
        [others[text] for text in held],
        about=("dates",),
        sure=STRAY,
        title=title,
        evidence=evidence,
    )


def _is_notation(way: str, n: int) -> bool:
    """Below 5, 90 and more, 3 to 4, house 17a: more than a number, and meant so."""
    return bool(_beyond.fullmatch(way)) or (n >= MANY and bool(_letter.fullmatch(way)))


def unit_of(text: str) -> tuple[str, str]:
    """Number and unit of a text that is just that; empty texts if it is not."""
    match = _with_unit.fullmatch(text.strip())
    unit, more = _unit(match[2]) if match else ("", True)
    return (match[1], unit) if match and unit and not more else ("", "")


def plain_reading(table: Table, name: str, text: str) -> str | None:
    """The one other reading of a text as its column writes; None if there is none."""
    writing = writings(table).get(name)
    if writing is None:
        return None
    column = next(column for column in table.features if column.name == name)
    read = readings(column, writing, text.strip())
    return read[0][0] if len(read) == 1 else None


def _way(text: str) -> str:
    """A text with its numbers and words told as such: 12,5 kg is # a."""
    shape = shape_of(text)
    return shape if len(shape) <= LONGEST_WAY else collapsed(text)


# --- encoding and blanks --------------------------------------------------------------


def _damaged(table: Table, column: Column, texts: Texts) -> Iterator[Finding]:
    """Letters that went through a wrong encoding, and codes of web pages."""
    looks_so = pc.match_substring_regex(texts.arrow, _damage)
    bad = np.flatnonzero(looks_so.to_numpy(zero_copy_only=False)).tolist()
    if not bad:
        return
    n = int(texts.counts[bad].sum())
    if n > FEW_OUTER * texts.present:  # then it is how this file is written
        return
    mended = {k: _mended(texts.raw[k]) for k in bad}
    if all(text == texts.raw[k] for k, text in mended.items()):
        return
    rows = np.flatnonzero(np.isin(texts.index, bad))
    first = texts.stripped[int(texts.index[rows[0]])]
    yield finding(
        table,
        "format",
        column.name,
        rows,
        [mended[int(k)] for k in texts.index[rows]],
        about=("encoding",),
        sure=STRAY,
        title=f"{column_name(column.name)}: damaged letters",
        evidence=(
            f"'{brief(first, 30)}' and the like, {in_cells(rows.size)}: the text was "
            "read or written in a wrong encoding, or copied from a web page."
        ),
    )


def _mended(text: str) -> str | None:
    new = html.unescape(text)
    for encoding in ("cp1252", "latin-1"):
        try:
            return new.encode(encoding).decode("utf-8")
        except UnicodeError:
            continue
    return new if new != text and "\ufffd" not in new else None


def _outer_blanks(table: Table, column: Column, texts: Texts) -> Iterator[Finding]:
    """Blanks around a text, where nearly all others have none."""
    if column.numbers is not None:
        return
    padded = [
        k
        for k, (raw, plain) in enumerate(zip(texts.raw, texts.stripped, strict=True))
        if plain and raw != plain
    ]
    n = int(texts.counts[padded].sum())
    if not 0 < n <= FEW_OUTER * texts.present:
        return
    rows = np.flatnonzero(np.isin(texts.index, padded))
    yield finding(
        table,
        "format",
        column.name,
        rows,
        [texts.stripped[int(k)] for k in texts.index[rows]],
        about=("blanks",),
        sure=OUTER,
        title=f"{column_name(column.name)}: blanks around texts",
        evidence=f"In {n:,} of {texts.present:,} cells blanks stand around the text.",
    )


# --- numbers with a unit --------------------------------------------------------------


def _spelt_units(table: Table, column: Column, texts: Texts) -> list[Finding]:
    """Numbers with one unit in several spellings, which keeps them from being read."""
    mark = table.decimal
    numbers: dict[int, str | None] = {}
    plain = 0  # cells with nothing but a number and a unit
    spelt: Counter[str] = Counter()
    units: set[str] = set()
    for k, text in enumerate(texts.stripped):
        match = None if texts.missing[k] else _with_unit.fullmatch(text)
        if match is None:
            continue
        number, (unit, more) = as_decimal(match[1], mark), _unit(match[2])
        if number is not None and unit:
            numbers[k] = None if more else written(tidied(number), mark)
            spelt[match[2]] += int(texts.counts[k])
            plain += 0 if more else int(texts.counts[k])
            units.add(unit)
    n = sum(spelt.values())
    few = len(units) != 1 or len(spelt) < 2 or len({*numbers.values()}) < 2
    # 200 g flour is more than a number with a unit.
    if few or plain < max(FEWEST, PLAIN * texts.present) or n < SAME * texts.present:
        return []
    rows = np.flatnonzero(np.isin(texts.index, list(numbers)))
    ways = [brief(way, 20) for way, _ in spelt.most_common()]
    return [
        finding(
            table,
            "format",
            column.name,
            rows,
            [numbers[int(k)] for k in texts.index[rows]],
            about=("units", *sorted(units)),
            sure=MANY_UNITS,
            title=f"{column_name(column.name)}: numbers with a unit",
            evidence=(
                f"{counted(n, 'number')} with a unit in {len(spelt)} spellings "
                f"({listed(ways, 4)}): so they are no numbers to any program."
            ),
        )
    ]


def _unit(text: str) -> tuple[str, bool]:
    """What a unit is called, whatever its spelling (empty if it is none), and whether
    more words follow.
    """
    words = re.findall(r"[^\W\d_]+|[%$€£]", text.casefold())
    return (UNIT_WORDS.get(words[0], ""), len(words) > 1) if words else ("", False)


# --- patterns -------------------------------------------------------------------------


def characters(text: str) -> str:
    """9 for each digit, a for each letter, all else as it is."""
    return "".join(
        "9" if c.isdigit() else "a" if c.isalpha() else " " if c.isspace() else c
        for c in text
    )


def collapsed(text: str) -> str:
    """The same with one for each run."""
    return re.sub(r"(.)\1+", r"\1", characters(text))


def _unlike(table: Table, column: Column, texts: Texts) -> Iterator[Finding]:
    """Other kinds of characters, or another length, than nearly all others."""
    known = np.flatnonzero(~texts.missing).tolist()
    n = texts.present
    if n < FEWEST:
        return
    for pattern_of, is_exact in ((characters, True), (collapsed, False)):
        patterns = {k: pattern_of(texts.stripped[k]) for k in known}
        counts: Counter[str] = Counter()
        for k, pattern in patterns.items():
            counts[pattern] += int(texts.counts[k])
        main, n_main = counts.most_common(1)[0]
        different = sum(pattern == main for pattern in patterns.values())
        # Few texts that come again and again are categories, each meant as it is.
        if n_main < MAIN * n or "9" not in main or different < DIFFERENT:
            continue
        example = next(texts.stripped[k] for k in known if patterns[k] == main)
        odd = {k: _difference(patterns[k], main, is_exact) for k in known}
        for word, sure in (("characters", UNLIKE), ("length", LENGTH)):
            own = [k for k in known if odd[k] == word]
            rows = np.flatnonzero(np.isin(texts.index, own))
            if not rows.size:
                continue
            first = texts.stripped[int(texts.index[rows[0]])]
            yield finding(
                table,
                "format",
                column.name,
                rows,
                about=("pattern", main, word),
                sure=sure,
                title=f"{column_name(column.name)}: '{brief(first, 30)}' is unlike all "
                "others",
                evidence=(
                    f"{n_main:,} of {n:,} texts are written as '{brief(example, 30)}', "
                    f"but {counted(rows.size, 'cell')} with other {word}."
                ),
            )
        return


def _difference(pattern: str, main: str, is_exact: bool) -> str:
    """How a text differs: in what characters it has, in length, or not so that it
    would tell anything."""
    if pattern == main:
        return ""
    if set(pattern) != set(main):
        return "characters"
    if not is_exact or len(main) < LONG_CODE:
        return ""
    return "length" if len(pattern) != len(main) else "characters"
