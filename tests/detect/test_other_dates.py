"""A date in the way of its column: exact, or not at all."""

from datetime import date, timedelta

import pandas as pd
import pytest

from cellval.detect.other_dates import date_writing, meant
from cellval.table.columns import Texts
from cellval.table.table import Table

DAYS = [date(2020, 1, 1) + timedelta(days=7 * k) for k in range(200)]


def written(way, own, days=DAYS):
    """What another date becomes in a column of dates that are written so."""
    texts = [day.strftime(way) if isinstance(way, str) else way(day) for day in days]
    frame = pd.DataFrame({"x": [*texts, own], "z": range(len(texts) + 1)}, dtype=str)
    table = Table.from_frame(frame, label=None)
    column = next(column for column in table.columns if column.name == "x")
    return date_writing(column, Texts.of(table.cells["x"])).written(own)


@pytest.mark.parametrize(
    ("way", "own", "expected"),
    [
        ("%Y-%m-%d", "31.12.2024", "2024-12-31"),
        ("%Y-%m-%d", "12/31/2024", "2024-12-31"),
        ("%Y-%m-%d", "2024/12/31", "2024-12-31"),
        ("%Y-%m-%d", "3 Jan 2024", "2024-01-03"),
        ("%Y-%m-%d", "04/04/2024", "2024-04-04"),  # both ways the same
        ("%d/%m/%Y", "12/31/2024", "31/12/2024"),
        ("%m/%d/%Y", "31/12/2024", "12/31/2024"),
        ("%m/%d/%Y", "2024-03-04", "03/04/2024"),
        ("%d %b %Y", "2024-12-31", "31 Dec 2024"),
        ("%d/%m/%y", "2024-12-31", "31/12/24"),
        ("%d/%m/%y", "12/31/24", "31/12/24"),
        (lambda day: f"{day.day}.{day.month}.{day.year}", "2024-03-04", "4.3.2024"),
        ("%Y-%m-%d 08:30", "31.12.2024 17:45", "2024-12-31 17:45"),
        ("%Y-%m-%dT08:30:00", "31.12.2024 17:45:01", "2024-12-31T17:45:01"),
        # What nobody can tell:
        ("%Y-%m-%d", "03/04/2024", None),
        ("%Y-%m-%d", "31.12.24", None),
        ("%d/%m/%y", "1924-12-31", None),
        ("%Y-%m-%d", "31.12.2024 17:45", None),  # the time would be lost
        ("%Y-%m-%d 08:30", "31.12.2024", None),  # and here made up
        ("%Y-%m-%d 08:30", "2024-12-31T23:45+05:00", None),
        ("%Y-%m-%d", "Dec 2024", None),
        ("%Y-%m-%d", "30.02.2024", None),
        ("%Y-%m-%d", "soon", None),
    ],
)
def test_the_same_date_or_nothing(way, own, expected):
    assert written(way, own) == expected


def test_a_month_that_the_column_never_names_is_not_named():
    first = [day for day in DAYS if day.month < 12]
    assert written("%d %b %Y", "2024-12-31", first) is None
    assert written("%d %b %Y", "2024-11-30", first) == "30 Nov 2024"


def test_days_that_may_be_meant():
    assert [*map(str, meant("03/04/2024"))] == ["2024-03-04", "2024-04-03"]
    assert [*map(str, meant("03.04.2024"))] == ["2024-04-03"]
    assert meant("13/13/2024") == {}


@pytest.mark.parametrize(
    "texts", [["a", "b"], ["8:30", "9:15"], ["Jan 2024", "Feb 2024"]]
)
def test_no_days_have_no_way(texts):
    frame = pd.DataFrame({"x": texts * 30, "z": range(60)}, dtype=str)
    table = Table.from_frame(frame, label=None)
    column = next(column for column in table.columns if column.name == "x")
    assert date_writing(column, Texts.of(table.cells["x"])) is None
