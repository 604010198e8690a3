"""Dates as days since 1970 and times as seconds, in the ways people write them."""

import re
import unicodedata
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta

import numpy as np

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FIRST_DAY = EPOCH.toordinal()
RARE = 0.02  # share of the times that may lie beyond a day and yet be slips
# English, German, French, Spanish, Italian, Portuguese, Dutch
_NAMES = """
january february march april may june july august september october november december
januar februar märz april mai juni juli august september oktober november dezember
janvier février mars avril mai juin juillet août septembre octobre novembre décembre
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre
dicembre janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro
dezembro januari februari maart april mei juni juli augustus september oktober november
december
"""


def _without_accents(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", text) if c.isascii())


def _month_names() -> dict[str, int]:
    """Names and how they begin, from three letters on, unless two months begin so."""
    found: dict[str, set[int]] = {"mrt": {3}}
    for k, name in enumerate(_NAMES.split()):
        for length in range(3, len(name) + 1):
            for text in (name[:length], _without_accents(name)[:length]):
                found.setdefault(text, set()).add(k % 12 + 1)
    return {text: min(months) for text, months in found.items() if len(months) == 1}


MONTHS = _month_names()

_day, _month, _year = r"(?P<d>\d{1,2})", r"(?P<m>\d{1,2})", r"(?P<y>\d{4}|\d\d)"
_nth, _full_year = _day + r"(?:st|nd|rd|th|\.)?", r"(?P<y>\d{4})"
_name = r"(?P<name>[A-Za-zÀ-ÿ]{3,10})\.?"
_time = (
    r"(?:[T ] ?(?P<hour>\d{1,2})(?P<clock>:\d\d(?::\d\d(?:[.,]\d+)?)?)"
    r" ?(?P<half>[AaPp][Mm])?(?P<zone>Z|[+-]\d\d:?\d\d)?)?"
)
DATE_FORMS = {
    form: re.compile(day + _time, re.ASCII)
    for form, day in {
        "year-month-day": rf"{_full_year}(?P<s>[-/.]){_month}(?P=s){_day}",
        # Two-digit years only in full (01.02.24): 1.2.24 may be a version.
        "day.month.year": rf"{_day}\.{_month}\.(?P<y>\d{{4}}|(?<=\d\d\.\d\d\.)\d\d)",
        "month/day/year": rf"{_month}(?P<s>[/-]){_day}(?P=s){_year}",
        "day/month/year": rf"{_day}(?P<s>[/-]){_month}(?P=s){_year}",
        "day month year": rf"{_nth}(?: de)?[ -]?{_name}(?: de)?(?:-|,? ){_year}",
        "month day, year": rf"{_name} {_nth},? {_full_year}",
        "year month day": rf"{_full_year}[ -]{_name}[ -]{_day}",
        "month year": rf"{_name}(?: de)?[ -]{_full_year}",
    }.items()
}
_first_look = re.compile(
    r"\d{1,4}(?:[-/.]\d{1,2}[-/.]\d|(?:st|nd|rd|th|\.)?(?: de)?[ -]?"
    r"(?P<after>[A-Za-zÀ-ÿ]{3,10})[-., ])|(?P<begin>[A-Za-zÀ-ÿ]{3,10})[-., ]",
    re.ASCII,
).match


def like_a_date(text: str) -> bool:
    """A quick look that saves all forms for most texts."""
    match = _first_look(text)
    if match is None:
        return False
    name = match["after"] or match["begin"]
    return name is None or name.casefold() in MONTHS


def days_of(text: str, form: str) -> float:
    """Days from 1970-01-01 to a date that is written in this form; NaN if it is not.

    Examples
    --------
    >>> days_of("3 Jan 1970", "day month year")
    2.0
    """
    match = DATE_FORMS[form].fullmatch(text)
    if match is None:
        return np.nan
    part = match.groupdict()
    year, hour = int(part["y"]), int(part["hour"] or 0)
    month = int(part["m"]) if "m" in part else MONTHS.get(part["name"].casefold(), 0)
    if len(part["y"]) == 2:
        year += 2000 if year < 69 else 1900
    if part["half"]:
        if not 1 <= hour <= 12:
            return np.nan
        hour = hour % 12 + 12 * (part["half"].casefold() == "pm")
    day, clock, zone = int(part.get("d", 1)), part["clock"], part["zone"]
    try:
        days = date(year, month, day).toordinal() - FIRST_DAY
        if clock is None:
            return float(days)
        if zone is None and len(clock) <= len(":30:15"):  # which is quicker
            minute, second = int(clock[1:3]), int(clock[4:] or 0)
            fits = hour < 24 and minute < 60 and second < 60
            seconds = 86_400 * days + 3600 * hour + 60 * minute + second
            return seconds / 86_400 if fits else np.nan
        iso = f"{year:04}-{month:02}-{day:02}T{hour:02}{clock}{zone or 'Z'}"
        return (datetime.fromisoformat(iso) - EPOCH) / timedelta(days=1)
    except ValueError:
        return np.nan


def date_text(days: float) -> str:
    return str(np.datetime64(int(np.floor(days)), "D"))


# --- times: of the day, or how long something took ------------------------------------

_clock_time = re.compile(
    r"(?P<first>\d{1,4})"
    r"(?::(?P<second>[0-5]\d)(?::(?P<third>[0-5]\d))?(?P<rest>[.,]\d+)?)?"
    r"(?: ?(?P<half>[ap])\.?m\.?)?",
    re.ASCII | re.IGNORECASE,
)
like_a_time = re.compile(
    r"\d{1,4}:[0-5]\d|\d{1,2} ?[ap]\.?m", re.ASCII | re.IGNORECASE
).match


def is_time(form: str) -> bool:
    """Is it a form of times, not of dates?"""
    return ":" in form


def time_form(counts: Mapping[str, int]) -> str:
    """How times are written: of the day, or as hours, or as minutes from zero on."""
    n = n_seconds = n_beyond = n_pairs = n_above = 0
    for text, count in counts.items():
        match = _clock_time.fullmatch(text)
        if match is None:
            continue
        is_pair = bool(match["second"]) and not match["third"]
        if is_pair and match["rest"]:  # 2:13.45
            return "minutes:seconds"
        is_beyond = int(match["first"]) > 23
        n += count
        n_seconds += count * bool(match["third"])
        n_beyond += count * is_beyond
        n_pairs += count * is_pair
        n_above += count * (is_pair and is_beyond)
    # 58:41 beside 1:02:33 is less than an hour.
    if n_seconds and n_above > RARE * n_pairs:
        return "minutes:seconds"
    if n_beyond > RARE * n:
        return "hours:minutes" + ":seconds" * (n_seconds > n / 2)
    return "hour:minute" + ":second" * (n_seconds > n / 2)


def seconds_of(text: str, form: str) -> float:
    """Seconds of a time since midnight, or that it lasts; NaN if it is none.

    Examples
    --------
    >>> seconds_of("2:30 PM", "hour:minute"), seconds_of("2:30", "minutes:seconds")
    (52200.0, 150.0)
    """
    match = _clock_time.fullmatch(text)
    if match is None or not (match["second"] or match["half"]):
        return np.nan
    first, second = int(match["first"]), int(match["second"] or 0)
    third = float((match["third"] or "0") + (match["rest"] or "").replace(",", "."))
    if form == "minutes:seconds" and not match["half"]:
        if match["third"] is None:
            first, second, third = 0, first, second + third
    elif match["rest"] and not match["third"]:
        return np.nan
    is_of_the_day = form.startswith("hour:")
    if match["half"]:
        if not (is_of_the_day and 1 <= first <= 12):
            return np.nan
        first = first % 12 + 12 * (match["half"].casefold() == "p")
    seconds = 3600 * first + 60 * second + third
    return np.nan if is_of_the_day and seconds > 24 * 3600 else seconds


def time_text(seconds: float, form: str) -> str:
    """A time as the column has it, in 24 hours.

    Examples
    --------
    >>> time_text(52_200, "hour:minute"), time_text(150, "minutes:seconds")
    ('14:30', '2:30')
    """
    if not form.endswith(("second", "seconds")):
        minutes = round(seconds / 60)
        hours = f"{minutes // 60:02}" if form == "hour:minute" else f"{minutes // 60}"
        return f"{hours}:{minutes % 60:02}"
    digits = 2 if form == "minutes:seconds" else 0  # races are decided by less
    whole, part = divmod(round(seconds, digits), 1)
    minutes, rest = divmod(int(whole), 60)
    end = f"{rest:02}" + (f"{part:.2f}".rstrip("0")[1:] if part else "")
    if form == "minutes:seconds" and minutes < 60:
        return f"{minutes}:{end}"
    hours = f"{minutes // 60:02}" if form.startswith("hour:") else f"{minutes // 60}"
    return f"{hours}:{minutes % 60:02}:{end}"
