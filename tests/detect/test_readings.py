"""Other readings of the same text."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from cellval.detect import readings as module
from cellval.detect.readings import is_closest, is_within, readings, shape_of, writings
from cellval.table.columns import Texts
from cellval.table.table import read


def reading(texts, own, kind):
    """What another cell of a column of such texts is read as."""
    frame = pd.DataFrame({"x": [*texts, own]})
    frame["y"] = ["ab"[k % 2] for k in range(len(frame))]
    frame["z"] = range(len(frame))
    table = read(frame.to_csv(index=False).encode(), label="y", kinds={"x": kind})
    return [text for text, _ in readings(table.features[0], writings(table)["x"], own)]


ACID = [f"{5 + k / 20:.2f}" for k in range(60)]
PLAIN = [f"0.0{k}" for k in range(10, 99)]


@pytest.mark.parametrize(
    ("texts", "own", "kind", "expected"),
    [
        (PLAIN, "0.065%", "number", ["0.065"]),
        (PLAIN, "0.065", "number", []),
        (PLAIN, "N/A", "number", [""]),
        (PLAIN, "about 3 or 4", "number", []),
        (PLAIN, "165 cm", "number", []),  # not the same number in another unit
        (PLAIN, "00..006655", "number", ["0.065"]),
        (PLAIN, "5'4\"", "number", ["64"]),
        (PLAIN, "5 feet and 8.5 inches", "number", ["68.5"]),
        (
            [f"{k} patients" for k in range(80)],
            "74 patxents",
            "category",
            ["74 patients"],
        ),
        ([f"{k} patients" for k in range(80)], "74", "category", []),
        ([f"{k} oz" for k in range(40)] * 2 + ["7 ml"] * 60, "7 xz", "category", []),
        (["31.7", "39.6", "71.3"] * 30, "3399..66", "number", ["39.6"]),
        (["31.7", "39.6", "71.3"] * 30, "33..77", "number", ["31.7"]),
        (["31.7", "39.6", "71.3"] * 30, "33..", "number", []),  # 31.7 or 39.6
        (["35631", "35903", "36201"] * 30, "3590x", "number", ["35903"]),
        (["35631", "35901", "35903"] * 30, "3590x", "number", []),
        (["red", "green"] * 30, "gren", "category", []),
        ([f"{k}" for k in range(20, 70)], "4o", "number", ["40"]),
        ([f"{k}" for k in range(20, 70)], "oo", "number", []),
        (ACID, "6,1 g/l", "number", ["6.1"]),
        (ACID, "6.1 g/l", "number", ["6.1"]),
        (ACID, "6,1", "number", ["6.1"]),
        (ACID, "6,125", "number", []),  # may be thousands
        (ACID, "6.1 oz", "number", []),
        ([f"{x}%" for x in ACID], "6,1%", "number", ["6.1%"]),
        ([f"0.{k}" for k in range(10, 99)], "35%", "number", ["0.35"]),
        ([f"0.{k}" for k in range(10, 99)], "0.35%", "number", ["0.35"]),
        ([f"{k}" for k in range(10, 99)], "35 %", "number", ["35"]),
        ([f"{k}%" for k in range(3, 70)], "0.05", "number", ["5%"]),
        ([f"{k}%" for k in range(3, 70)], "5", "number", ["5%"]),
        ([f"{k} %" for k in range(100)], "0.5", "number", []),  # or 50 %
        (["yes", "no", "yes"] * 30, "TRUE", "category", ["yes"]),
        (["yes", "no", "yes"] * 30, "yes", "category", []),
        (["yes", "no", "maybe"] * 30, "TRUE", "category", []),
        (["0", "1", "1"] * 30, "yes", "number", ["1"]),
        (["0", "1", "2"] * 30, "yes", "number", []),
    ],
)
def test_a_text_is_read_otherwise_only_where_one_reading_is_possible(
    texts, own, kind, expected
):
    assert reading(texts, own, kind) == expected


def test_shapes_leave_out_the_numbers():
    assert shape_of("12.0 OZ.") == "# oz."
    assert shape_of("-3,5%") == "#%"
    assert shape_of("al_pn-5c") == "al_pn-#c"


def test_a_plain_number_lies_among_those_of_its_column():
    frame = pd.DataFrame({"x": PLAIN, "y": ["a", "b"] * 44 + ["a"]})
    table = read(frame.to_csv(index=False).encode(), label="y")
    writing = writings(table)["x"]
    assert is_within(writing, "0.05") and not is_within(writing, "5")


def test_a_word_is_meant_only_if_no_other_is_closer():
    assert is_closest("MALE", "Male", ["Male", "Female"])
    assert not is_closest("MALE", "Female", ["Male", "Female"])
    assert not is_closest("Paris", "Birmingham", ["Birmingham"])


def test_inches_are_written_with_the_decimal_mark_of_the_file():
    heights = "".join(f"{k},5;{'ab'[k % 2]}\n" for k in range(58, 78))
    table = read(("x;y\n" + heights).encode(), label="y")
    column, writing = table.features[0], writings(table)["x"]
    assert readings(column, writing, "5'8,5\"")[0][0] == "68,5"
    assert is_within(writing, "70,25") and not is_within(writing, "702,5")


def test_the_ends_of_numbers_are_exact():
    def ends(*numbers):
        texts = Texts.of(pd.Series(numbers, dtype="str"))
        return module._ends(texts, np.arange(len(numbers)), ".")

    texts = ["10", "0.10", "0.1", "3e2", "1.0000000000000000001", "-7", "300.0"]
    assert ends(*texts) == (Decimal("-7"), Decimal("300"))
    assert ends("1.00000000000000000001", "1.0", "0.99999999999999999999") == (
        Decimal("0.99999999999999999999"),
        Decimal("1.00000000000000000001"),
    )
    assert ends(*texts, "1,5", "−9")[0] == Decimal("-9")
    assert ends() == (None, None)
