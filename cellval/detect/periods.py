"""Dates on a day of the week, or at an hour, on which nearly no others are.

Invoices are written from Monday to Friday and in office hours: one of a Sunday night is
worth a look, though its date lies in the middle of the others.
"""

from collections.abc import Iterator

import numpy as np

from cellval.table.columns import Column

ODD = 0.01  # share of the cells, together with those on days that are as rare
ENOUGH = 20  # cells on each weekday or hour if they were spread evenly
_DAYS = ("Mon", "Tues", "Wednes", "Thurs", "Fri", "Satur", "Sun")
WEEKDAYS = tuple(f"on a {day}day" for day in _DAYS)
THURSDAY = 3  # 1970-01-01
HOURS = tuple(f"from {hour}:00 to {hour}:59" for hour in range(24))
DAY = 24 * 3600  # seconds


def out_of_step(column: Column) -> dict[int, tuple[float, str]]:
    """Positions of such cells, each with the share of cells that are as rare, and why.

    Examples
    --------
    >>> days = np.array([7.0 * k + k % 5 - 3 for k in range(300)])
    >>> days[9] += 1  # a Saturday
    >>> column = Column("day", "date", "", np.isnan(days), numbers=days)
    >>> out_of_step(column)[9][1]
    'The only one of 300 dates on a Saturday.'
    """
    if column.kind != "date" or column.numbers is None:
        return {}
    present = np.flatnonzero(~column.missing)
    found: dict[int, tuple[float, str]] = {}
    for names, part in _parts(column, column.numbers[present]):
        if part.size < ENOUGH * len(names):
            continue
        counts = np.bincount(part, minlength=len(names))
        as_rare = np.array([counts[counts <= n].sum() for n in counts]) / part.size
        for at in np.flatnonzero(as_rare[part] < ODD).tolist():
            k, n = int(part[at]), int(counts[part[at]])
            words = f"{part.size:,} {column.word}s"
            why = f"The only one of {words} {names[k]}."
            if n > 1:
                why = f"Only {n:,} of {words} are {names[k]}."
            found.setdefault(int(present[at]), (float(as_rare[k]), why))
    return found


def _parts(
    column: Column, cells: np.ndarray
) -> Iterator[tuple[tuple[str, ...], np.ndarray]]:
    """Weekdays and hours: what each is called, and that of each cell."""
    if column.word == "date":
        yield WEEKDAYS, (np.floor(cells) + THURSDAY).astype(int) % len(WEEKDAYS)
        seconds = np.round((cells - np.floor(cells)) * DAY)
    elif column.form.startswith("hour:"):
        seconds = cells
    else:  # how long something took
        return
    yield HOURS, (seconds // 3600).astype(int) % len(HOURS)
