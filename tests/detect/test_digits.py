"""How finely numbers are written: steps of a column, and numbers written like it."""

import numpy as np
import pytest

import cellval
from cellval.detect.digits import is_slip_of_digits, numbers_in


def column(texts, decimal="."):
    mark = ";" if decimal == "," else ","
    lines = [f"x{mark}y", *(f"{text}{mark}{k}" for k, text in enumerate(texts))]
    raw = "\n".join(lines).encode()
    table = cellval.read(raw, label=None, kinds={"y": "category"})
    return table, next(one for one in numbers_in(table) if one.name == "x")


@pytest.mark.parametrize(
    ("texts", "step"),
    [
        (["1", "20", "3"], 1.0),
        (["1.0", "20.0", "3.0"], 1.0),
        (["1.5", "2", "3.1"], 0.1),
        (["1.50", "2.25", "3.10", "0.05"], 0.01),
        (["1e3", "25e-2", "75e-2", "2"], 0.01),
        (["1.5", "2.5", "3.5", "4.123456", "5.5", "6.5"], 0.1),
        (["$1 200.5", "$900.5", "$1.5"], 0.1),
        (["2020-01-01", "2020-01-03"], 1.0),
        (["10:30", "11:45", "12:00"], 60.0),
    ],
)
def test_a_step_is_what_the_digits_tell_apart(texts, step):
    assert column(texts)[1].step == pytest.approx(step)


@pytest.mark.parametrize(
    ("texts", "number", "own", "meant"),
    [
        (["1.50", "2.25", "3.10", "0.05"], 7.5, "9", "7.50"),
        (["1.5", "2", "3.1"], 7.0, "9", "7"),
        (["1.0", "20.0", "3.0"], 7.0, "9.0", "7.0"),
        (["1.5", "2", "3.1"], -0.04, "9", "0"),
        (["5 kg", "7 kg", "9 kg"], 8.0, "80 kg", "8 kg"),
        (["2020-01-01", "2020-01-03"], 18262.0, "2020-01-01", "2020-01-01"),
        (["10:30", "11:45", "12:00"], 37_800.0, "9:00", "10:30"),
    ],
)
def test_a_number_is_written_as_its_column_has_it(texts, number, own, meant):
    table, one = column(texts)
    assert one.text(table, number, own) == meant


def test_the_decimal_mark_is_that_of_the_file():
    table, one = column(["1,5", "2,5", "3,5"], ",")
    assert one.text(table, 4.5, "9") == "4,5"


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_what_is_no_number_is_not_written(number):
    table, one = column(["1.5", "2", "3.1"])
    assert one.text(table, number, "9") is None


def test_huge_numbers_are_written_or_not_but_never_wrong():
    table, one = column(["1e300", "2.5", "3.1", "4.1"])
    text = one.text(table, 1e300, "9")
    assert text is None or float(text) == 1e300


def test_dates_of_another_order_are_not_written():
    table, one = column(["13/01/2020", "14/02/2020", "25/03/2020"])
    assert one.text(table, 18262.0, "13/01/2020") is None


def test_a_label_of_numbers_is_among_them():
    table = cellval.read(
        b"x,y\n1,2.5\n2,3.5\n3,4.5\n", label="y", kinds={"y": "number"}
    )
    assert [one.name for one in numbers_in(table)] == [*table.cells]


@pytest.mark.parametrize(
    ("own", "meant", "expected"),
    [
        ("125", "128", True),
        ("152", "125", True),
        ("12", "125", True),
        ("1255", "125", True),
        ("1.25", "12.5", True),
        ("-5", "5", True),
        ("1250", "125", True),
        ("125", "125", False),
        ("987", "125", False),
        ("0", "125", False),
        ("521", "125", False),
    ],
)
def test_slips_of_digits(own, meant, expected):
    assert is_slip_of_digits(own, meant) == expected
