"""Dates and times, in the ways people write them."""

import numpy as np
import pytest
from cases import one_column

from cellval.table.dates import date_text, seconds_of, time_form, time_text
from cellval.table.describe import number_text, spread, usual_range


def dates_in(cells):
    _, column = one_column([*cells, *cells, ""])
    assert (column.kind, column.word, column.strays) == ("date", "date", ())
    return [number_text(column, day) for day in column.numbers[: len(cells)]]


@pytest.mark.parametrize(
    "cells",
    [
        ["3 Mar 2020", "14 april 2021"],
        ["3rd March, 2020", "14th April 2021"],
        ["March 3, 2020", "Apr. 14 2021"],
        ["2020-Mar-03", "2021-Apr-14"],
        ["03-Mar-20", "14-Apr-21"],
        ["3. März 2020", "14. April 2021"],
        ["3 mars 2020", "14 avr. 2021"],
        ["3 de marzo de 2020", "14 de abril de 2021"],
        ["3 marzo 2020", "14 aprile 2021"],
        ["3 Mar 2020 14:30", "14 Apr 2021 2:00 PM"],
    ],
)
def test_months_have_names(cells):
    assert dates_in(cells) == ["2020-03-03", "2021-04-14"]


def test_a_month_is_its_first_day():
    assert dates_in(["Mar 2020", "août 2021"]) == ["2020-03-01", "2021-08-01"]


@pytest.mark.parametrize("stray", ["31 Feb 2020", "12 Marks 2020", "4 jui 2020"])
def test_a_date_that_is_not_in_the_calendar_is_a_stray(stray):
    cells = [f"{1 + i} May 2020" for i in range(20)]
    cells[4] = stray
    _, column = one_column(cells)
    assert column.kind == "date" and column.strays == ((4, stray),)


def test_years_alone_and_words_with_numbers_are_no_dates():
    assert one_column(["1999", "2001", "2005"] * 3)[1].kind == "number"
    assert one_column(["Mark 2020", "Mark 2021"] * 5)[1].kind == "category"


def test_days_before_1970_keep_their_day():
    assert date_text(-0.25) == "1969-12-31"


@pytest.mark.parametrize(
    ("cells", "form", "seconds"),
    [
        (["14:30", "08:05"], "hour:minute", [52_200, 29_100]),
        (["2:30 PM", "12:05 a.m."], "hour:minute", [52_200, 300]),
        (["2 PM", "11:45am"], "hour:minute", [50_400, 42_300]),
        (["14:30:15", "08:05:00"], "hour:minute:second", [52_215, 29_100]),
        (["38:30", "7:15"], "hours:minutes", [138_600, 26_100]),
        (["26:02:33", "0:00:10"], "hours:minutes:seconds", [93_753, 10]),
        (["1:02:33", "58:41"], "minutes:seconds", [3753, 3521]),
        (["2:13.45", "1:59,9"], "minutes:seconds", [133.45, 119.9]),
    ],
)
def test_times_are_seconds(cells, form, seconds):
    _, column = one_column(cells * 2)
    assert (column.kind, column.word, column.form) == ("date", "time", form)
    assert column.feature and column.strays == ()
    assert column.numbers[:2].tolist() == seconds


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("hour:minute", "09:05"),
        ("hour:minute:second", "09:05:07"),
        ("hours:minutes", "49:05"),
        ("hours:minutes:seconds", "49:05:07"),
        ("minutes:seconds", "2:13.45"),
        ("minutes:seconds", "58:41"),
        ("minutes:seconds", "1:02:33"),
    ],
)
def test_times_are_written_as_they_are_read(form, text):
    assert time_text(seconds_of(text, form), form) == text


def test_no_minute_has_sixty_seconds():
    assert time_text(59.999, "minutes:seconds") == "1:00"
    assert time_text(3599, "hour:minute") == "01:00"


@pytest.mark.parametrize("stray", ["25:10", "14:75", "noon", "13:00 PM"])
def test_what_no_clock_shows_is_a_stray(stray):
    cells = [f"{8 + i % 9:02}:30" for i in range(100)]
    cells[4] = stray
    table, column = one_column(cells)
    assert column.word == "time" and column.strays == ((4, stray),)
    assert any("no time" in note and "row 5" in note for note in table.notes)


@pytest.mark.parametrize("cells", [["2:1", "0:3", "1:1"], ["16:9", "4:3", "21:9"]])
def test_scores_and_ratios_are_no_times(cells):
    assert one_column(cells * 5)[1].kind == "category"


def test_a_time_typed_later_is_read_like_its_column():
    table, _ = one_column(["1:02:33", "58:41"] * 5)
    again = table.read_texts("x", ["59:00", "2020-01-01"])
    np.testing.assert_array_equal(again.numbers, [3540, np.nan])
    table, _ = one_column(["2020-01-01", "2020-01-05"] * 5)
    assert table.read_texts("x", ["14:30"]).missing.all()


def test_usual_times_and_axes_are_written_as_times():
    table, column = one_column([f"{8 + i % 9:02}:30" for i in range(90)])
    assert usual_range(column, np.ones(90, bool)) == "08:30 to 16:30"
    assert [text for _, text in spread(table, 0, "x").marks] == [
        "09:50",
        "12:30",
        "15:10",
    ]


def test_one_slip_does_not_turn_times_of_the_day_into_durations():
    assert time_form({"14:30": 99, "25:10": 1}) == "hour:minute"
    assert time_form({"14:30": 90, "25:10": 10}) == "hours:minutes"
