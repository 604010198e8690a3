"""Dates written otherwise than their column does: the same date in its way.

31.12.2024 among 2024-12-31 is 2024-12-31. Nothing is guessed: 03/04/2024 may be two
days, 31.12.24 two centuries, and both are left.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

import numpy as np

from cellval.table.columns import Column, Texts
from cellval.table.dates import DATE_FORMS, FIRST_DAY, days_of, is_time

MOSTLY = 0.5  # share of the dates that one way has, or the column has none
FORMS = [form for form in DATE_FORMS if form != "month year"]  # that name a day


@dataclass(frozen=True, eq=False)
class DateWriting:
    """How a column writes most of its dates.

    Examples
    --------
    >>> DateWriting("{y}-{m}-{d}", 1.0, 4, frozenset(), {}, "").written("31.12.2024")
    '2024-12-31'
    """

    frame: str  # with {d}, {m} and {y}
    share: float  # of the column's dates that have it
    year_digits: int
    bare: frozenset[str]  # of d and m: those without a zero before one digit
    names: Mapping[int, str]  # of months, if these are words
    clock: str  # digits of the time that follows, as 99:99; empty if none does

    def written(self, text: str) -> str | None:
        """The same date in this way; None if it cannot be told which one it is."""
        if len(days := meant(text)) != 1:
            return None
        (day,) = days
        _, parts, time = _taken_apart(text, days[day])
        month = self.names.get(day.month) if self.names else self._digits("m", day)
        told = len(parts["y"]) >= self.year_digits and _pattern(time) == self.clock
        if not told or month is None:
            return None
        year = f"{day.year:04}"[-self.year_digits :]
        new = self.frame.format(y=year, m=month, d=self._digits("d", day)) + time
        return new if day in meant(new) else None  # 1924 is not 24

    def _digits(self, part: str, day: date) -> str:
        number = day.month if part == "m" else day.day
        return str(number) if part in self.bare else f"{number:02}"


def date_writing(column: Column, texts: Texts) -> DateWriting | None:
    """How the dates of a column are written; None if it has none, or no main way."""
    if column.kind != "date" or is_time(column.form) or column.form not in FORMS:
        return None
    frames: Counter[tuple[str, int, str]] = Counter()
    parts_of: dict[tuple[str, int, str], list[tuple[dict[str, str], int]]] = {}
    for k in np.flatnonzero(~texts.missing).tolist():
        text, n = texts.stripped[k], int(texts.counts[k])
        if np.isnan(days_of(text, column.form)):
            continue
        frame, parts, time = _taken_apart(text, column.form)
        way = frame, len(parts["y"]), _pattern(time)
        frames[way] += n
        parts_of.setdefault(way, []).append((parts, n))
    if not frames:
        return None
    (main, most), total = frames.most_common(1)[0], frames.total()
    if most < MOSTLY * total:
        return None
    bare = frozenset(part for part in "dm" if _is_bare(part, parts_of[main]))
    names: dict[int, Counter[str]] = {}
    for parts, n in parts_of[main]:
        if "month" in parts:
            names.setdefault(int(parts["month"]), Counter())[parts["m"]] += n
    usual = {month: known.most_common(1)[0][0] for month, known in names.items()}
    return DateWriting(main[0], most / total, main[1], bare, usual, main[2])


def meant(text: str) -> dict[date, str]:
    """The days that a text may mean, each with a form that says so."""
    days: dict[date, str] = {}
    for form in FORMS:
        number = days_of(text, form)
        match = DATE_FORMS[form].fullmatch(text)
        if np.isnan(number) or match is None:
            continue
        if match["zone"]:  # here it may be another day
            return {}
        days[date.fromordinal(int(np.floor(number)) + FIRST_DAY)] = form
    return days


def _taken_apart(text: str, form: str) -> tuple[str, dict[str, str], str]:
    """A date without its digits, what they were, and the time after it."""
    match = DATE_FORMS[form].fullmatch(text)
    assert match is not None
    month = "m" if "m" in match.groupdict() else "name"
    spans = sorted((match.span(g), g) for g in ("d", month, "y"))
    end = len(text) if match["hour"] is None else match.start("hour")
    frame, at, parts = "", 0, dict[str, str]()
    for (start, stop), group in spans:
        name = "m" if group == month else group
        frame, at = f"{frame}{text[at:start]}{{{name}}}", stop
        parts[name] = match[group]
    if month == "name":
        day = int(np.floor(days_of(text, form))) + FIRST_DAY
        parts["month"] = str(date.fromordinal(day).month)
    return frame + text[at:end], parts, text[end:]


def _pattern(time: str) -> str:
    return re.sub(r"\d", "9", time)


def _is_bare(part: str, known: list[tuple[dict[str, str], int]]) -> bool:
    """Do most write one digit without a zero before it?"""
    one, two = 0, 0
    for parts, n in known:
        one += n * (len(parts[part]) == 1)
        two += n * parts[part].startswith("0")
    return one > two
