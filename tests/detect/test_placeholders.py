"""Codes that stand for missing cells."""

import numpy as np
import pandas as pd
import pytest

import cellval
from cellval.detect.placeholders import holds_code, missing_codes, placeholders
from cellval.table.table import Table

CODES = (0, -1, -9, 99, -99, 999, -999, 9999, 99999)


def found(cells, name="x"):
    frame = pd.DataFrame({name: cells, "y": np.resize(["a", "b"], len(cells))})
    table = Table.from_frame(frame, label="y", kinds={name: "number"})
    return [code.number for code in placeholders(table)]


def bulk(n=200, centre=100.0, spread=10.0):
    return np.random.default_rng(0).normal(centre, spread, n).round(1).tolist()


@pytest.mark.parametrize("code", [0.0, -1.0, 999.0, 37.5, -99.0])
@pytest.mark.parametrize("share", [0.05, 0.2, 0.45])
def test_a_spike_outside_the_bulk_is_found(code, share):
    cells = bulk()
    n = round(share * len(cells))
    cells[:n] = [code] * n
    assert found(cells) == [code]


def test_two_codes_in_a_column_are_both_found():
    cells = bulk()
    cells[:20], cells[20:35] = [0.0] * 20, [999.0] * 15
    assert sorted(found(cells)) == [0.0, 999.0]


def test_a_stray_outlier_near_the_code_does_not_hide_it():
    cells = bulk()
    cells[:40], cells[40] = [-9.0] * 40, -8.0
    assert found(cells) == [-9.0]


def test_zeros_for_unknown_levels_of_a_skewed_column_are_found():
    levels = np.exp(np.random.default_rng(1).normal(4.8, 0.6, 400)).round() + 14
    assert found([0.0] * 300 + levels.tolist()) == [0.0]


@pytest.mark.parametrize(
    "cells",
    [
        [*range(1, 11)] * 20,  # grades
        [0] * 80 + [1] * 60 + [2] * 40 + [3] * 20,  # counts
        [0.0] * 190 + bulk(10),  # what the column is about
        np.exp(np.random.default_rng(2).normal(3, 1.2, 120)).tolist() + [0.0] * 80,
        bulk() + [100.0] * 60,  # inside the bulk
        [*bulk(), 0.0, 0.0],  # two cells are no spike
        [5.0] * 50,
        [1.0, 2.0] * 50,
        [40] * 100 + np.random.default_rng(3).integers(10, 80, 100).tolist(),
    ],
    ids=[
        *("grades", "counts", "mostly zero", "amounts with true zeros", "inside"),
        *("two cells", "constant", "binary", "working hours"),
    ],
)
def test_true_numbers_are_no_codes(cells):
    assert found(cells) == []


@pytest.mark.parametrize("name", ["wine", "breast_cancer", "davis"])
def test_clean_samples_have_none(name):
    assert placeholders(cellval.read(f"sample_data/{name}.csv")) == ()


def test_the_top_code_of_the_census_is_named():
    table = cellval.read("sample_data/adult_2000.csv", label="income")
    (code,) = placeholders(table)
    assert (code.column, code.text, code.n_cells) == ("capital_gain", "99999", 11)


@pytest.mark.parametrize("share", [0.05, 0.2, 0.45])
def test_planted_codes_are_found_in_every_column_of_wine(share):
    frame = pd.read_csv("sample_data/wine.csv")
    label = cellval.read("sample_data/wine.csv").label
    draw, n = np.random.default_rng(0), round(share * len(frame))
    features = frame.columns.drop(label)
    for name in features:
        low, high = frame[name].quantile([0.05, 0.95])
        margin = 3 * frame[name].std()
        # the one people would take
        code = next(c for c in CODES if c < low - margin or c > high + margin)
        frame[name] = frame[name].astype(float)
        frame.loc[draw.choice(len(frame), n, replace=False), name] = code
    table = Table.from_frame(frame, label=label)
    codes = {code.column: code.n_cells for code in placeholders(table)}
    assert codes == dict.fromkeys(features, n)


def test_a_code_beside_many_true_zeros_is_found_and_the_zeros_are_not():
    amounts = np.random.default_rng(5).integers(100, 40_000, 80).tolist()
    assert found([0] * 1020 + amounts + [99_999] * 900) == [99_999.0]


def test_two_codes_side_by_side_are_both_found():
    cells = bulk()
    cells[:20], cells[20:60] = [-998.0] * 20, [-999.0] * 40
    assert sorted(found(cells)) == [-999.0, -998.0]


def test_minus_one_among_counts_is_a_code():
    assert found([-1] * 30 + [0] * 80 + [1] * 60 + [2] * 40) == [-1.0]
    assert found([-3, -2, -1, 0, 1, 2, 3] * 30) == []


@pytest.mark.parametrize(
    ("lone", "others", "is_code"),
    [
        (-999, bulk(), True),
        (-999, bulk(centre=5), True),  # temperatures, some below zero
        (-99, bulk(centre=-90), False),
        (-1, [0, 1, 2, 3] * 50, False),  # a slip may make it
        (999, bulk(), False),
    ],
)
def test_one_cell_with_an_unmistakable_code_is_enough(lone, others, is_code):
    assert found([lone, *others]) == [lone] * is_code


def test_cells_with_a_code_are_found():
    text = "x,y\n" + "".join(
        f"{999 if k % 9 == 0 else 100 + k % 30},{'ab'[k % 2]}\n" for k in range(90)
    )
    table = cellval.read(text.encode(), label="y")
    (code,) = placeholders(table)
    assert code.rows.tolist() == list(range(0, 90, 9))
    held = holds_code(table, (code,))
    assert np.flatnonzero(held[:, 0]).tolist() == list(range(0, 90, 9))


# --- texts ----------------------------------------------------------------------------


def texts_found(cells, **options):
    frame = pd.DataFrame({"x": cells, "y": np.resize(["a", "b"], len(cells))})
    table = Table.from_frame(frame, label="y", **options)
    return {code.text: code.n_cells for code in missing_codes(table)}


@pytest.mark.parametrize(
    "text",
    [
        *("empty", "Unknown", " NONE ", "not available", "Not  Available", "missing"),
        *("TBD", "n.a.", "(blank)", "<none>", "--", "??", "[N/A]", "unspecified"),
    ],
)
def test_words_for_missing_are_codes_among_categories_and_among_numbers(text):
    assert texts_found(["red", "green", text] * 10) == {text.strip(): 10}
    cells = [*map(str, bulk(60)), text, text]
    assert texts_found(cells) == {text.strip(): 2}


def test_writings_of_a_word_are_codes_of_one_column():
    cells = ["red", "green", "Unknown", "unknown", "unknown ", "n.a."] * 10
    assert texts_found(cells) == {"unknown": 20, "Unknown": 10, "n.a.": 10}


@pytest.mark.parametrize("text", ["?", "NA", "n/a", "null", "-", ""])
def test_what_the_reader_takes_for_missing_is_no_question(text):
    assert texts_found(["red", "green", text] * 10) == {}
    assert texts_found([*map(str, bulk(60)), text]) == {}


@pytest.mark.parametrize(
    "cells",
    [
        ["+", "-"] * 30,  # a test result
        ["no", "yes", "other"] * 20,
        ["unknown soldier", "nonesuch", "emptied"] * 20,
        ["1", "2", "-1", "x"] * 20,  # -1 beside other numbers
        ["a.", "b.", "c."] * 20,
    ],
)
def test_clean_categories_are_no_question(cells):
    assert texts_found(cells, kinds={"x": "category"}) == {}


def test_a_code_of_digits_among_words_is_found():
    assert texts_found(["red", "green", "-999"] * 20) == {"-999": 20}


def test_columns_that_are_not_used_and_the_label_are_no_question():
    n = 40
    frame = pd.DataFrame(
        {
            "code": [f"k{i}" if i else "unknown" for i in range(n)],
            "left out": ["red", "unknown"] * 20,
            "used": ["red", "green"] * 20,
            "y": ["yes", "no", "unknown", "none"] * 10,
        }
    )
    how = {"id_column": "code", "exclude": ["left out"]}
    assert missing_codes(Table.from_frame(frame, label="y", **how)) == ()


def test_numbers_and_texts_of_a_column_come_together():
    numbers = [*map(str, bulk()), *["999"] * 15, *["unknown"] * 4]
    colours = np.resize(["red", "green", "none"], len(numbers))
    labels = np.resize(["a", "b"], len(numbers))
    frame = pd.DataFrame({"x": numbers, "colour": colours, "y": labels})
    codes = missing_codes(Table.from_frame(frame, label="y"))
    named = [(code.column, code.text) for code in codes]
    assert named == [("x", "999"), ("x", "unknown"), ("colour", "none")]
    assert codes[0].number == 999.0
    assert np.isnan(codes[1].number)


@pytest.mark.parametrize("name", ["wine", "breast_cancer", "davis", "ugly"])
def test_clean_samples_have_no_texts_for_missing(name):
    assert missing_codes(cellval.read(f"sample_data/{name}.csv")) == ()
