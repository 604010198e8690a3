"""Dates on a weekday, or at an hour, on which nearly no others are."""

import numpy as np
import pandas as pd
from cases import one_column

import cellval
from cellval.detect.periods import ENOUGH, out_of_step
from cellval.detect.surprise import surprise
from cellval.detect.suspects import suspects

MONDAY = pd.Timestamp("2024-01-01")
rng = np.random.default_rng(3)


def weekdays(n, hours=False):
    """From Monday to Friday; with hours, from 9 to 17."""
    days = [MONDAY + pd.Timedelta(days=7 * (k // 5) + k % 5) for k in range(n)]
    if hours:
        days = [
            day + pd.Timedelta(minutes=int(rng.integers(540, 1020))) for day in days
        ]
    form = "%Y-%m-%d %H:%M" if hours else "%Y-%m-%d"
    return [day.strftime(form) for day in days]


def found_in(cells):
    return out_of_step(one_column(cells)[1])


def test_the_only_sunday_is_named():
    cells = weekdays(300)
    cells[50] = "2024-03-10"
    assert found_in(cells) == {50: (1 / 300, "The only one of 300 dates on a Sunday.")}


def test_a_few_of_the_same_weekday_are_counted():
    cells = weekdays(1000)
    cells[50] = cells[70] = "2024-03-10"
    assert found_in(cells)[70] == (0.002, "Only 2 of 1,000 dates are on a Sunday.")


def test_dates_on_all_days_have_no_rhythm():
    days = pd.date_range("2024-01-01", periods=300).strftime("%Y-%m-%d").tolist()
    assert found_in(days) == {}


def test_few_dates_say_nothing_about_weekdays():
    cells = weekdays(7 * ENOUGH - 1)
    cells[50] = "2024-03-10"
    assert found_in(cells) == {}


def test_the_only_one_at_night_is_named_and_surprising():
    cells = weekdays(600, hours=True)
    cells[77] = cells[77][:10] + " 03:12"
    why = "The only one of 600 dates from 3:00 to 3:59."
    assert found_in(cells)[77] == (1 / 600, why)
    frame = pd.DataFrame({"at": cells, "x": rng.normal(size=600)})
    frame["y"] = np.resize(["a", "b"], 600)
    table = cellval.Table.from_frame(frame, label="y")
    found = surprise(table)
    assert found.surprise[77, 0] < 0.002
    listed = suspects(table)
    row = listed[(listed["position"] == 77) & (listed["column"] == "at")].iloc[0]
    assert row["reason"] == why


def test_times_of_the_day_have_hours_and_durations_have_none():
    cells = [f"{8 + k % 10:02}:{k % 60:02}" for k in range(500)]
    cells[5] = "02:10"
    assert list(found_in(cells)) == [5]
    assert found_in([f"{8 + k % 30}:{k % 60:02}" for k in range(500)] + ["2:10"]) == {}
