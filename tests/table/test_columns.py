"""What a column is: numbers, categories, dates, ids, and what is missing."""

import datetime

import numpy as np
import pandas as pd
import pytest
from cases import make_table, message_of, one_column

from cellval.table.columns import Texts, cells_of, numbers_of

# Numbers


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["1", "2.5", "-3"], [1, 2.5, -3]),
        (["+1", " 2 ", ".5", "5."], [1, 2, 0.5, 5]),
        (["1e3", "2E-2", "1.5e+1"], [1000, 0.02, 15]),
        (["1,234", "1,234,567.5", "12"], [1234, 1234567.5, 12]),
        (["1'234", "2'000", "12"], [1234, 2000, 12]),
        (["1 234", "2\u00a0000", "12"], [1234, 2000, 12]),
        (["\u22125", "3", "4"], [-5, 3, 4]),
        (["12%", "7.5 %", "0%"], [12, 7.5, 0]),
        (["$5", "$1,200.50", "$7"], [5, 1200.5, 7]),
        (["5 €", "7€", "8 €"], [5, 7, 8]),
        (["12 kg", "13.5 kg", "9kg"], [12, 13.5, 9]),
        (["3 m2", "4 m2", "5 m2"], [3, 4, 5]),
        (["EUR 3", "EUR 4", "EUR 5"], [3, 4, 5]),
        (["-$5,000.00", "$-5.50", "($1,200.00)", "$7"], [-5000, -5.5, -1200, 7]),
        (["\u2212$5", "- $6", "+$7"], [-5, -6, 7]),
        (["(1,234)", "12", "7"], [-1234, 12, 7]),
        (["(5 €)", "6 €", "-7€"], [-5, 6, -7]),
        (["EUR 5 000", "-EUR 4", "EUR -3"], [5000, -4, -3]),
        (["US$ 5", "US$1,000", "-US$ 7"], [5, 1000, -7]),
        (["5 zł", "6 zł", "-7zł"], [5, 6, -7]),
        (["kr 5", "kr. 6", "-kr 7"], [5, 6, -7]),
        (["R$ 5", "R$6.50", "-R$ 7"], [5, 6.5, -7]),
    ],
)
def test_numbers_are_read_however_they_are_written(cells, numbers):
    _, column = one_column(cells)
    assert (column.kind, column.feature, column.strays) == ("number", True, ())
    assert column.numbers.tolist() == numbers
    assert column.codes is None


def test_numbers_parse_back_exactly():
    rng = np.random.default_rng(3)
    numbers = np.concatenate([rng.normal(size=50), [1e-300, 1e300, 1 / 3, 2**53 + 2]])
    _, column = one_column([repr(float(x)) for x in numbers])
    assert np.array_equal(column.numbers, numbers)


@pytest.mark.parametrize("stray", ["12.0 oz", "N/A", "?", "-", "abc", "1/2", "1.2.3"])
def test_strays_do_not_turn_a_number_column_into_text(stray):
    cells = [f"{1 + i / 8}" for i in range(2000)]
    cells[7], cells[9], cells[1500] = stray, "", stray
    table, column = one_column(cells)
    assert column.kind == "number" and column.feature
    assert column.strays == ((7, stray), (1500, stray))
    assert np.flatnonzero(column.missing).tolist() == [7, 9, 1500]
    assert np.array_equal(np.isnan(column.numbers), column.missing)
    if stray in ("N/A", "?", "-"):  # it says so itself
        assert f"'{stray}' was taken for missing in 2 cells of 'x'." in table.notes
        return
    note = next(note for note in table.notes if "'x'" in note)
    assert "2 cells" in note and f"row 8 '{stray}'" in note and "row 1,501" in note


def test_amounts_of_money_have_decimal_commas_too():
    cells = ["5.000,00 €", "-1.234,50 €", "7 €"] * 2
    _, column = one_column(cells, delimiter=";")
    assert column.numbers[:3].tolist() == [5000, -1234.5, 7] and column.form == "€"


@pytest.mark.parametrize("stray", ["(12)", "--5", "-$-5", "(-$5)", "($5", "$5)"])
def test_signs_that_may_mean_anything_are_strays(stray):
    cells = [f"${i}" if "$" in stray else f"{i}" for i in range(20)]
    _, column = one_column([*cells, stray] * 2)
    assert [text for _, text in column.strays] == [stray] * 2


def test_many_numbers_in_other_clothes_leave_a_column_a_number():
    cells = [f"{5 + i / 100:.2f}" for i in range(70)] + ["6,1 g/l", "5,8 g/l"] * 15
    _, column = one_column(cells)
    assert column.kind == "number" and len(column.strays) == 30
    assert column.numbers[3] == 5.03
    words = cells[:70] + ["high", "low"] * 15
    assert one_column(words)[1].kind == "text"
    doses = ["500 mg", "250 mg"] * 35 + ["1 g"] * 30
    assert one_column(doses)[1].kind == "category"


def test_stray_units_do_not_turn_a_decimal_comma_column_into_text():
    cells = [f"{i},5" for i in range(20)]
    cells[3] = "12,0 oz"
    _, column = one_column(cells, delimiter=";")
    assert column.kind == "number" and column.strays == ((3, "12,0 oz"),)
    assert column.numbers[4] == 4.5


def test_another_unit_than_most_is_a_stray():
    cells = ["12 kg"] * 5 + ["13 kg"] * 5 + ["11 lb", "14"]
    _, column = one_column(cells)
    assert column.kind == "number"
    assert column.strays == ((10, "11 lb"), (11, "14"))


@pytest.mark.parametrize(("n_words", "kind"), [(20, "number"), (21, "category")])
def test_eighty_percent_of_the_present_cells_must_be_numbers(n_words, kind):
    numbers = [str(i % 10) for i in range(100 - n_words)]
    cells = numbers + ["word"] * n_words + [""] * 50 + ["NA"] * 30
    _, column = one_column(cells)
    assert column.kind == kind


def test_one_number_and_some_words_are_categories():
    _, column = one_column(["0"] * 18 + ["yes"] * 2)
    assert column.kind == "category" and column.categories == ("0", "yes")


@pytest.mark.parametrize("cell", ["inf", "-Infinity", "1e400", "∞", "-1e999"])
def test_an_infinite_number_names_column_row_and_what_to_do(cell):
    cells = ["1.5", "2.5", cell, "4.5", "2.5", "8"]
    message = message_of(one_column, cells)
    assert "'x'" in message and "row 3" in message and f"'{cell}'" in message
    assert "blank" in message and "exclude" in message


def test_infinite_numbers_in_an_unused_column_do_no_harm():
    cells = ["1.5", "2.5", "inf", "4.5", "2.5", "8"]
    _, column = one_column(cells, exclude=["x"])
    assert column.why_not == "excluded by you" and np.isnan(column.numbers[2])


# Missing cells


@pytest.mark.parametrize(
    "gap", ["", "  ", "\t", "NA", "n/a", "#N/A", "NaN", "NULL", "null", "?", "-"]
)
def test_gaps_in_a_category_column_are_missing_and_no_category(gap):
    _, column = one_column(["red", gap, "blue", "red"])
    assert column.missing.tolist() == [False, True, False, False]
    assert column.codes.tolist() == [1, -1, 0, 1]
    assert column.categories == ("blue", "red") and column.strays == ()


def test_none_is_a_category():
    _, column = one_column(["None", "Gold", "None", "Silver"])
    assert column.categories == ("Gold", "None", "Silver")


def test_minus_beside_plus_is_a_category():
    _, column = one_column(["+", "-", "+", "-"])
    assert column.categories == ("+", "-") and not column.missing.any()


def test_blank_cells_of_a_number_column_are_missing_but_no_strays():
    table, column = one_column(["1", "", "3", " "])
    assert column.strays == () and column.missing.tolist() == [False, True, False, True]
    assert any("2 feature cells are missing" in note for note in table.notes)


# Categories, text, constants


def test_categories_are_compared_without_surrounding_spaces():
    table, column = one_column(["red", " red", "red ", "blue"])
    assert column.categories == ("blue", "red")
    assert column.codes.tolist() == [1, 1, 1, 0]
    assert table.cells["x"].tolist() == ["red", " red", "red ", "blue"]


@pytest.mark.parametrize("words", [("True", "False"), ("yes", "no"), ("TRUE", "FALSE")])
def test_booleans_are_categories(words):
    _, column = one_column([words[i % 2] for i in range(12)])
    assert column.kind == "category" and column.categories == tuple(sorted(words))


@pytest.mark.parametrize(
    ("n", "n_texts", "kind"),
    [
        (60, 20, "category"),
        (60, 21, "text"),
        (500, 100, "category"),
        (500, 101, "text"),
        (6000, 1000, "category"),
        (6000, 1001, "text"),
    ],
)
def test_many_different_texts_are_no_feature_and_the_note_says_why(n, n_texts, kind):
    table, column = one_column([f"word {'z' * (i % n_texts)}" for i in range(n)])
    assert column.kind == kind
    assert column.feature == (kind == "category")
    if kind == "text":
        assert f"{n_texts:,} different texts" in column.why_not
        assert any("'x'" in note and column.why_not in note for note in table.notes)


@pytest.mark.parametrize(
    ("cells", "why"),
    [
        (["7"] * 12, "only the value '7'"),
        (["a", "", "a", " a"] * 3, "only the value 'a'"),
        (["1", "1.0", "1.00"] * 4, "only the value"),
        ([""] * 12, "missing"),
        (["NA", "?", ""] * 4, "missing"),
    ],
)
def test_constants_are_no_feature(cells, why):
    _, column = one_column(cells)
    assert column.kind == "constant" and not column.feature
    assert why in column.why_not


# Dates


@pytest.mark.parametrize(
    ("cells", "first"),
    [
        (["2024-01-31", "2024-02-29", "1999-12-01"], (2024, 1, 31)),
        (["2024/01/31", "2024/02/29", "1999/12/01"], (2024, 1, 31)),
        (["31/01/2024", "01/02/2024", "02/02/2024"], (2024, 1, 31)),
        (["01/31/2024", "01/02/2024", "02/02/2024"], (2024, 1, 31)),
        (["31.01.2024", "1.2.2024", "02.02.2024"], (2024, 1, 31)),
        (["31.01.24", "01.02.24", "02.02.75"], (2024, 1, 31)),
        (["31-01-2024", "01-02-2024", "02-02-2024"], (2024, 1, 31)),
    ],
)
def test_dates_are_days_since_1970(cells, first):
    _, column = one_column(cells)
    assert column.kind == "date" and column.feature
    days = datetime.date(*first).toordinal() - datetime.date(1970, 1, 1).toordinal()
    assert column.numbers[0] == days


@pytest.mark.parametrize(
    ("cell", "days"),
    [
        ("1970-01-02T12:00:00", 1.5),
        ("1970-01-02 06:00", 1.25),
        ("1970-01-02T12:00:00Z", 1.5),
        ("1970-01-02T12:00:00+06:00", 1.25),
        ("1970-01-02T12:00:00-0600", 1.75),
        ("1970-01-01 00:00:43.2", 0.0005),
        ("1970-01-02 6:00 PM", 1.75),
        ("1970-01-02 12:00 AM", 1.0),
    ],
)
def test_times_are_parts_of_a_day(cell, days):
    _, column = one_column([cell, "1970-01-05", "1970-01-06"])
    assert column.numbers[0] == pytest.approx(days, abs=1e-12)


def test_cells_that_are_no_date_are_strays_of_a_date_column():
    cells = [f"2024-03-{1 + i:02d}" for i in range(20)]
    cells[4], cells[6], cells[8] = "2024-02-30", "soon", ""
    table, column = one_column(cells)
    assert column.kind == "date"
    assert column.strays == ((4, "2024-02-30"), (6, "soon"))
    assert column.missing.sum() == 3
    assert any("no dates" in note and "row 5" in note for note in table.notes)


@pytest.mark.parametrize(
    ("delimiter", "form"), [(",", "month/day/year"), (";", "day/month/year")]
)
def test_days_and_months_that_cannot_be_told_apart_are_said(delimiter, form):
    cells = ["01/02/2024", "03/04/2024", "05/06/2024"]
    table, _ = one_column(cells, delimiter=delimiter)
    assert any(form in note and "'x'" in note for note in table.notes)


@pytest.mark.parametrize("cells", [["20240131", "20240201"], ["1999", "2001"]])
def test_whole_numbers_are_never_dates(cells):
    _, column = one_column(cells * 3)
    assert column.kind == "number"


def test_dates_that_all_differ_are_no_ids():
    days = pd.date_range("2024-01-01", periods=30).strftime("%Y-%m-%d")
    _, column = one_column(list(days))
    assert column.kind == "date" and column.feature


# Ids


rng = np.random.default_rng(5)


SCATTERED = [str(i) for i in rng.choice(10**6, 30, replace=False)]


@pytest.mark.parametrize(
    ("name", "cells", "kind"),
    [
        ("who", [f"person {c}" for c in SCATTERED], "id"),
        ("n", [str(i) for i in range(30)], "id"),
        ("n", [str(1000 - 10 * i) for i in range(30)], "id"),
        ("n", [str(i + (i > 9) + (i > 20)) for i in range(30)], "id"),
        ("customer_id", SCATTERED, "id"),
        ("PassengerId", SCATTERED, "id"),
        ("ID", SCATTERED, "id"),
        ("Unnamed: 0", SCATTERED, "id"),
        ("Kundennummer", SCATTERED, "id"),
        ("house no.", SCATTERED, "id"),
        ("sample_code_number", SCATTERED[:28] + SCATTERED[:2], "id"),
        ("sample_code_number", SCATTERED[:15] * 2, "number"),
        ("population", SCATTERED, "number"),
        ("height", [str(150 + i + i // 2) for i in range(30)], "number"),
        ("paid", SCATTERED, "number"),
        ("id", [f"{i}.5" for i in range(30)], "number"),
        ("length", [str(x) for x in rng.normal(size=30)], "number"),
        ("n", [str(i) for i in range(8)], "number"),
        ("id", [str(i) for i in range(8)], "id"),
        ("id", [*SCATTERED[:29], "x12"], "id"),
        ("town", ["Ulm", "Bonn", "Kiel", "Jena", "Hof"], "category"),
        ("key", ["Ulm", "Bonn", "Kiel", "Jena", "Hof"], "id"),
        ("remark", ["late", "wet", "cold"] + [""] * 27, "category"),
    ],
)
def test_ids_are_told_from_features(name, cells, kind):
    table, column = one_column(cells, name=name)
    assert column.kind == kind
    assert column.feature == (kind != "id")
    assert table.id_column == (name if kind == "id" else None)
    assert table.ids[0] == (cells[0] if kind == "id" else "1")


# What the person says


@pytest.mark.parametrize(
    ("kind", "cells", "feature"),
    [
        ("category", ["1", "2", "1"], True),
        ("category", [f"t{i}" for i in range(40)], True),
        ("number", ["1", "x", "y"], True),
        ("number", [str(i) for i in range(30)], True),
        ("number", ["5", "5", "5"], True),
        ("number", ["", "", ""], True),
        ("date", ["2024-01-01", "x", "y"], True),
        ("id", ["1", "2", "1"], False),
        ("text", ["a", "b", "a"], False),
        ("constant", ["a", "b", "a"], False),
    ],
)
def test_a_forced_kind_is_obeyed(kind, cells, feature):
    _, column = one_column(cells, kinds={"x": kind})
    assert column.kind == kind and column.feature == feature
    assert (column.numbers is not None) == (kind in ("number", "date"))
    assert (column.codes is not None) == (kind == "category")


@pytest.mark.parametrize("kind", ["number", "date"])
def test_an_impossible_kind_names_column_row_and_cell(kind):
    message = message_of(one_column, ["", "red", "blue"], kinds={"x": kind})
    assert "'x'" in message and kind in message
    assert "row 2" in message and "'red'" in message


def test_missing_cells_of_any_kind_are_nan():
    table = make_table([("number", [1, None]), ("category", [None, 2])], [0, 1])
    number, category = map(cells_of, table.features)
    np.testing.assert_array_equal(number, [1, np.nan])
    np.testing.assert_array_equal(category, [np.nan, 2])


# Many texts


@pytest.mark.parametrize("decimal", [".", ","])
def test_texts_read_at_once_are_the_numbers_that_each_text_is(decimal):
    rng = np.random.default_rng(0)
    texts = [repr(x) for x in rng.normal(0, 1e6, 200).tolist()]
    texts += [repr(x) for x in (10.0 ** rng.uniform(-30, 30, 200)).tolist()]
    texts += ["0", "-0.0", "007", "+5", ".5", "5.", "1e3", "1E-400", "123456789" * 3]
    texts += ["12%", "$5", "(7)", "abc", "", "?", "NA", "-", "12.5.6", "1,234", "--1"]
    texts = [text.replace(".", decimal) for text in texts]
    tidy = Texts.of(pd.Series(texts, dtype="str"))
    untidy = Texts.of(pd.Series([*texts, " blank "], dtype="str"))
    assert tidy.is_tidy and not untidy.is_tidy
    ref, unit = numbers_of(untidy, decimal)
    comp, also = numbers_of(tidy, decimal)
    assert unit == also == ""
    assert comp.tobytes() == ref[:-1].tobytes(), "bit for bit"
    np.testing.assert_array_equal(tidy.missing, untidy.missing[:-1])
    assert tidy.n_different == len(tidy.different) == untidy.n_different - 1


@pytest.mark.parametrize("last", ["+", " + "])
def test_minus_beside_plus_is_no_gap_however_texts_are_read(last):
    texts = Texts.of(pd.Series(["-", "na", last], dtype="str"))
    assert texts.missing.tolist() == [False, True, False]


def test_the_unit_of_most_cells_wins_and_of_two_the_first():
    def unit(*cells):
        return numbers_of(Texts.of(pd.Series(cells, dtype="str")), ".")[1]

    assert unit("1", "2 kg", "3 kg") == "kg"
    assert unit("1", "2", "3 kg") == ""
    assert unit("1 kg", "2") == "kg" and unit("2", "1 kg") == ""
