"""Ways to write: deviations are one question each, and a reading repairs all."""

import numpy as np
import pandas as pd
import pytest

import cellval
from cellval.detect.formats import characters, collapsed, formats, plain_reading

RNG = np.random.default_rng(0)


def table_of(**columns):
    return cellval.Table.from_frame(pd.DataFrame(columns), label=None)


def beside(texts):
    return table_of(x=texts, z=RNG.normal(size=len(texts)).round(3).astype(str))


def of_x(texts):
    return [one for one in formats(beside(texts)) if one.column == "x"]


def test_a_unit_in_several_spellings_is_one_question():
    units = np.resize([" oz", " oz.", " OZ.", " ounce"], 200).astype(object)
    units[:9] = " oz. can"
    numbers = np.resize(["12.0", "16.0", "8.4", "24"], 200)
    (one,) = of_x([f"{a}{b}" for a, b in zip(numbers, units, strict=True)])
    assert one.n_cells == 200 and one.is_flagged
    assert set(one.after[9:]) == {"12", "16", "8.4", "24"} and one.after[12] == "12"
    assert set(one.after[:9]) == {None}  # what is more than a unit would be lost
    assert "5 spellings" in one.evidence


@pytest.mark.parametrize(
    "texts",
    [
        [f"{n} oz" for n in range(100)],  # one spelling is a way to write
        np.resize(["3 months", "1 year", "5 years"], 90).tolist(),  # other units
        np.resize(["1st", "2nd", "3rd", "4th"], 80).tolist(),
        np.resize(["SI1", "VS2", "VVS1", "IF"], 100).tolist(),  # categories
        RNG.normal(size=100).astype(str).tolist(),
        ["a", "b"],
        [f"{n} g {what}" for n in range(50) for what in ("flour", "sugar")],
        [f"{n} S Main St" for n in range(100)],
        [f"a &lt; b{n}" for n in range(50)],
        [*map(str, range(100, 180)), *["<5"] * 4, "90+", "90+", "15414-5415"],
        [*map(str, range(100, 200)), *[f"{n}a" for n in range(100, 125)]],
        [""] * 30,
        ["new york", "paris", "rome"] * 20,
        [str(n) for n in range(1, 1001)],  # ids that count
    ],
)
def test_what_is_meant_so_is_left_alone(texts):
    assert [one for one in of_x(texts) if one.is_flagged] == []


def test_texts_among_numbers_by_the_way_they_are_written():
    texts = [f"{n / 1000:.3f}" for n in range(10, 90)] * 2
    texts[:30] = [f"{text}%" for text in texts[:30]]
    texts[40], texts[41] = "abc", "?!"
    many, rest = sorted(of_x(texts), key=lambda one: -one.n_cells)
    assert many.n_cells == 30 and rest.rows.tolist() == [40, 41]
    assert rest.reason(0) == "'abc' is no number."
    assert plain_reading(beside(texts), "x", "0.052000000000000005%") == "0.052"
    assert plain_reading(beside(texts), "x", "abc") is None


def test_other_characters_than_all_others():
    codes = [f"{n:05d}" for n in RNG.choice(90_000, 200, replace=False) + 1]
    table = table_of(x=codes, z=codes)
    texts = [f"AB-{code}" for code in codes]
    texts[3], texts[7] = "AB-12x45", "AB-1234"
    found = of_x(texts)
    assert {one.rows.tolist()[0]: one.is_flagged for one in found} == {
        3: True,
        7: False,
    }
    assert [one for one in formats(table) if one.is_flagged] == []


def test_damaged_letters_are_mended():
    texts = np.resize(["Zürich", "Genève", "Bern"], 60).astype(object)
    texts[0], texts[1] = "ZÃ¼rich", "M&amp;S"
    (one,) = [one for one in of_x(texts) if "damaged" in one.title]
    assert one.after.tolist() == ["Zürich", "M&S"] and one.is_flagged


def test_blanks_around_few_texts():
    texts = np.resize(["Zürich", "Genève", "Bern"], 60).astype(object)
    texts[4] = " Bern"
    (one,) = [one for one in of_x(texts) if "blanks" in one.title]
    assert one.rows.tolist() == [4] and one.after.tolist() == ["Bern"]
    assert of_x([f" {text.strip()}" for text in texts]) == []
    labelled = cellval.Table.from_frame(beside(texts).cells, label="x")
    assert [one.after.tolist() for one in formats(labelled)] == [["Bern"]]


def test_patterns():
    assert characters("AB-12 ü") == "aa-99 a"
    assert collapsed("AB-12 ü") == "a-9 a"


DAYS = pd.date_range("2020-01-01", periods=200, freq="5D")


def test_dates_in_another_way_are_one_question_with_the_same_dates():
    texts = DAYS.strftime("%Y-%m-%d").tolist()
    texts[3], texts[5], texts[9] = "31.12.2024", "12/31/2023", "2024/11/30"
    (one,) = of_x(texts)
    assert one.rows.tolist() == [3, 5, 9] and one.is_flagged
    assert one.after.tolist() == ["2024-12-31", "2023-12-31", "2024-11-30"]


def test_a_date_that_may_be_two_days_is_left_and_said_so():
    texts = DAYS.strftime("%Y-%m-%d").tolist()
    texts[3], texts[5] = "31.12.2024", "03/04/2024"
    rewritten, two = sorted(of_x(texts), key=lambda one: one.rows[0])
    assert rewritten.rows.tolist() == [3] and two.after.tolist() == [None]
    assert two.reason(0) == "'03/04/2024' may be 2024-03-04 or 2024-04-03."
    assert "told apart" in two.evidence


def test_the_other_way_round_says_that_more_may_be_so():
    texts = DAYS.strftime("%d/%m/%Y").tolist()
    texts[3] = "12/31/2024"
    (one,) = of_x(texts)
    assert one.after.tolist() == ["31/12/2024"] and "nobody can tell" in one.evidence


@pytest.mark.parametrize(
    "texts",
    [
        [f"{day.day}.{day.month}.{day.year}" for day in DAYS]  # zeros tell nothing
        + ["01.02.2021"],
        [
            day.strftime("%Y-%m-%d" if k % 3 else "%Y/%m/%d")
            for k, day in enumerate(DAYS)
        ],
        [*DAYS.strftime("%d.%m.%Y"), "31.12.24"],
        DAYS.strftime("%b %Y").tolist(),
    ],
)
def test_dates_that_are_written_as_others_are_left_alone(texts):
    assert of_x(texts) == []
