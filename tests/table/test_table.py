"""Columns, kinds, label and the Table itself."""

import datetime
import re
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cellval.errors import InputError
from cellval.table.columns import KINDS, Column
from cellval.table.table import Table, read

SAMPLES = Path(__file__).parent.parent / "sample_data"


def csv_of(columns, delimiter=","):
    names = list(columns)
    rows = zip(*columns.values(), strict=True)
    lines = [delimiter.join(f'"{cell}"' for cell in row) for row in rows]
    return "\n".join([delimiter.join(names), *lines]).encode()


def one_column(cells, name="x", delimiter=",", **options):
    """Read a table of the given column, a plain feature and a label."""
    n = len(cells)
    columns = {
        name: cells,
        "other": [[2.5, 7.25, 1.5][i % 3] for i in range(n)],
        "y": ["ab"[i % 2] for i in range(n)],
    }
    if delimiter != ",":
        columns["other"] = [str(v).replace(".", ",") for v in columns["other"]]
    table = read(csv_of(columns, delimiter), label="y", **options)
    return table, table.columns[0]


def message_of(call, *args, **options):
    with pytest.raises(InputError) as caught:
        call(*args, **options)
    return str(caught.value)


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
    note = next(note for note in table.notes if "'x'" in note)
    assert "2 cells" in note and f"row 8 '{stray}'" in note and "row 1,501" in note


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


def test_long_cells_are_shortened_in_notes():
    cells = [f"{i}.5" for i in range(20)]
    cells[3] = "word " * 1000
    table, column = one_column(cells)
    assert column.strays == ((3, cells[3]),)
    assert all(len(note) < 300 for note in table.notes)


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
    assert column.kind == "category"


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


def test_the_persons_id_column_names_the_rows():
    table, column = one_column(["u", "v", "", "u"], id_column="x")
    assert column.kind == "id" and not column.feature and table.id_column == "x"
    assert table.ids == ("u", "v", "3", "u")


# What the person says


def test_excluded_columns_are_no_features_and_the_note_says_so():
    table, column = one_column(["1", "2", "4"], exclude=("x",))
    assert column.kind == "number" and column.why_not == "excluded by you"
    assert table.feature_names == ("other",)
    assert any("'x'" in note and "excluded by you" in note for note in table.notes)
    assert one_column(["1", "2", "4"], exclude="x")[1].why_not == "excluded by you"


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


@pytest.mark.parametrize(
    "options",
    [
        {"label": "Weigth"},
        {"label": "sex", "id_column": "Weigth"},
        {"label": "sex", "exclude": ["Weigth"]},
        {"label": "sex", "kinds": {"Weigth": "number"}},
    ],
)
def test_an_unknown_column_lists_the_columns_and_the_nearest_name(options):
    message = message_of(read, b"weight,age,sex\n1,2,M\n2,5,F\n", **options)
    assert "no column 'Weigth'" in message
    assert "Did you mean 'weight'?" in message and "'weight', 'age', 'sex'" in message


def test_options_that_contradict_each_other_get_a_sentence():
    raw = b"a,b,sex\n1,2,M\n2,5,F\n"
    assert "'sex'" in message_of(read, raw, "sex", exclude=["sex"])
    assert "'sex'" in message_of(read, raw, "sex", id_column="sex")
    message = message_of(read, raw, "sex", kinds={"a": "numeric"})
    assert "'numeric'" in message and all(kind in message for kind in KINDS)


# Label


def label_table(cells, **options):
    n = len(cells)
    return read(csv_of({"x": [i % 3 for i in range(n)], "y": cells}), **options)


@pytest.mark.parametrize(
    ("cells", "classes", "y"),
    [
        (["b", "a", "b"], ("a", "b"), [1, 0, 1]),
        (["True", "False", "True"], ("False", "True"), [1, 0, 1]),
        (["10", "2", "10"], ("2", "10"), [1, 0, 1]),
        ([" b", "a", "b "], ("a", "b"), [1, 0, 1]),
        (["0.0", "1.0", "0.0"], ("0.0", "1.0"), [0, 1, 0]),
        (["+", "-", "-"], ("+", "-"), [0, 1, 1]),
        (["None", "x", "x"], ("None", "x"), [0, 1, 1]),
    ],
)
def test_a_label_can_be_words_booleans_or_small_integers(cells, classes, y):
    table = label_table(cells, label="y")
    assert table.classes == classes and table.y.tolist() == y
    assert table.y.dtype == np.int32


def test_rows_without_a_label_are_set_aside_counted_and_keep_their_numbers():
    table = label_table(["a", "", "b", "NA", "a", "?"], label="y")
    assert table.row_numbers.tolist() == [1, 3, 5] and table.n_rows == 3
    assert table.cells["x"].tolist() == ["0", "2", "1"]
    assert any("3 rows" in n and "'y'" in n and "row 2" in n for n in table.notes)
    assert table.position(5) == 2 and table.ids == ("1", "3", "5")
    assert "row 4" in message_of(table.position, 4).lower()
    assert "set aside" in message_of(table.position, 4)


@pytest.mark.parametrize("row", [0, -1, 7])
def test_a_row_that_is_not_there_gets_the_range(row):
    table = label_table(["a", "b", "b", "a"], label="y")
    message = message_of(table.position, row)
    assert f"no row {row}" in message and "1 to 4" in message


@pytest.mark.parametrize(
    ("cells", "parts"),
    [
        (["a"] * 6, ["'y'", "'a' in every row", "another column"]),
        (["a", "", "NA", "a"], ["'y'", "'a' in every row"]),
        ([f"t{i}" for i in range(9)], ["'y'", "9 different values", "9 rows"]),
        ([f"{i}.5" for i in range(9)], ["'y'", "9 different numbers", "bin it"]),
        ([str(i) for i in range(812)], ["'y'", "812 different numbers", "bin it"]),
        ([f"{i % 30}.5" for i in range(400)], ["30 different numbers", "bin it"]),
        ([str(i % 90) for i in range(900)], ["90 different numbers", "another column"]),
        ([f"t{i % 60}" for i in range(100)], ["60 different values", "100 rows"]),
        (["a", "", ""], ["'y'", "1 row;", "at least 2"]),
        (["", "", ""], ["'y'", "0 rows", "at least 2"]),
        (["a"], ["'y'", "1 row;", "at least 2"]),
    ],
)
def test_a_column_that_cannot_be_a_label_says_why(cells, parts):
    message = message_of(label_table, cells, label="y")
    for part in parts:
        assert part in message


@pytest.mark.parametrize(
    ("names", "guess"),
    [
        (["y", "a", "b"], "y"),
        (["a", "Target", "b"], "Target"),
        (["income", "a", "b"], "income"),
        (["a", "Class", "label"], "label"),
        (["a", "b", "c"], "c"),
    ],
)
def test_a_label_that_was_not_given_is_guessed_and_said(names, guess):
    columns = {
        name: ["01"[(i + j) % 2] for i in range(8)] for j, name in enumerate(names)
    }
    columns = {"size": [1.5 * i for i in range(8)]} | columns
    table = read(csv_of(columns))
    assert table.label == guess
    assert any("not given" in note and f"'{guess}'" in note for note in table.notes)


def test_the_guess_passes_over_columns_that_cannot_be_a_label():
    n = 40
    columns = {
        "sex": ["MF"[i % 2] for i in range(n)],
        "target": [f"{i}.25" for i in range(n)],
        "weight": [50 + i % 13 for i in range(n)],
        "kind": ["pq"[i % 2] for i in range(n)],
    }
    assert read(csv_of(columns), exclude=["kind"]).label == "sex"
    message = message_of(
        Table.from_frame, pd.DataFrame({"a": range(9), "b": np.arange(9) / 4})
    )
    assert "No column" in message and "'b'" in message
    message = message_of(read, csv_of(columns), exclude=list(columns))
    assert "No column" in message and "excluded" in message


def test_no_usable_feature_says_why_for_each_column():
    raw = csv_of({"k": [7] * 4, "e": [""] * 4, "y": ["a", "b", "a", "b"]})
    message = message_of(read, raw, "y")
    assert "no usable feature" in message
    assert "'k': it holds only the value '7'" in message
    assert "'e': all its cells are missing" in message
    message = message_of(read, b"x,y\n1,a\n2,b\n", "y", exclude=["x"])
    assert "'x': excluded by you" in message


# Table


def test_duplicates_are_rows_that_repeat_features_and_label():
    raw = b"id,x,c,y\n10,1,u,a\n11,1.0,u ,a\n12,1,u,b\n13,,u,a\n14,,u,a\n15,2,v,b\n"
    table = read(raw, label="y")
    assert table.n_duplicates == 2
    assert any("2 rows repeat an earlier row" in note for note in table.notes)


def test_arrays_are_read_only():
    table, column = one_column(["1", "2", "4"])
    category = one_column(["r", "g", "r"])[1]
    for array in (
        *(table.y, table.row_numbers, column.numbers, column.missing),
        *(category.codes, category.missing),
    ):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_types_and_shapes_are_as_stated():
    table, column = one_column(["1", "", "4"])
    category = one_column(["r", "", "g"])[1]
    assert isinstance(column, Column)
    assert column.numbers.dtype == np.float64 and column.missing.dtype == bool
    assert category.codes.dtype == np.int32
    assert np.issubdtype(table.row_numbers.dtype, np.integer)
    assert {len(a) for a in (column.numbers, category.codes, table.y)} == {3}
    assert table.features == tuple(c for c in table.columns if c.feature)


def test_fingerprint_changes_with_cells_label_and_kinds_only():
    raw = b"a,b,y\n1,2,0\n2,1,1\n3,2,0\n"
    table = read(raw, label="y")
    assert re.fullmatch(r"[0-9a-f]{64}", table.fingerprint)
    same = read(raw.replace(b",", b";").replace(b"\n", b"\r\n"), label="y")
    assert same.fingerprint == table.fingerprint
    others = [
        read(raw.replace(b"3", b"4"), label="y"),
        read(raw.replace(b"3", b"3.0"), label="y"),
        read(raw.replace(b"a,", b"c,"), label="y"),
        read(raw, label="b"),
        read(raw, label="y", exclude=["a"]),
        read(raw, label="y", kinds={"a": "category"}),
    ]
    prints = {table.fingerprint, *(other.fingerprint for other in others)}
    assert len(prints) == 7


def test_a_table_prints_in_a_few_lines():
    raw = b"key,x,kind,y\n1,2.5,p,a\n2,3.5,q,b\n3,2.5,p,a\n"
    assert repr(read(raw, label="y", kinds={"x": "number"})).splitlines() == [
        "Table 'table': 3 rows x 4 columns",
        "  label 'y': a 2, b 1",
        "  number (1): 'x'",
        "  category (1): 'kind'",
        "  not used (1): 'key' (id)",
    ]
    df = pd.DataFrame(np.arange(200 * 300).reshape(200, 300) % 7).add_prefix(
        "long" * 90
    )
    df["y"] = [f"class {i % 40} {'z' * 900}" for i in range(200)]
    text = str(Table.from_frame(df, label="y"))
    assert len(text) < 1500 and "and 34 more" in text and "and 294 more" in text
    assert repr(read(raw, label="y").columns[1]) == "<Column 'x': number>"


# Test sets: read like another table


TRAIN = b"""key,size,day,rh,note,twice,flat,kind
901,12 kg,31/01/2024,+,p,1.5,7,a
377,14 kg,05/02/2024,-,q,2.5,7,b
618,12 kg,01/03/2024,+,p,1.5,7,a
245,17 kg,02/03/2024,-,p,4.5,7,b
"""


def train_table():
    return read(TRAIN, label="kind", exclude=["twice"])


def like_train(text):
    return read(text.encode(), like=train_table())


def test_one_row_of_one_class_is_read_with_the_kinds_of_the_training_table():
    train = train_table()
    header, row = TRAIN.decode().splitlines()[:2]
    test = like_train(f"{header}\n{row}\n")
    assert test.label == "kind" and test.classes == ("a",) and test.y.tolist() == [0]
    assert test.feature_names == train.feature_names == ("size", "day", "rh", "note")
    assert test.id_column == "key" and test.ids == ("901",)
    for ours, theirs in zip(test.columns, train.columns, strict=True):
        assert (ours.name, ours.kind) == (theirs.name, theirs.kind)
        assert ours.why_not == theirs.why_not
    by_name = {column.name: column for column in test.columns}
    assert by_name["twice"].why_not == "excluded by you"
    assert by_name["flat"].kind == "constant"


def test_a_test_cell_means_what_it_means_in_the_training_table():
    rows = "13 kg,05/02/2024,-,p,a\n15,?,-,x,b\n16,,-,x,b\n"
    test = like_train(f"size,day,rh,note,kind\n{rows}")
    size, day, rh, note = test.features
    assert size.numbers[0] == 13 and size.strays == ((1, "15"), (2, "16"))
    assert day.numbers[0] == train_table().features[1].numbers[1]
    assert rh.categories == ("-",) and not rh.missing.any()
    assert note.categories == ("p", "x")
    assert not any("told apart" in note for note in test.notes)


def test_a_test_column_may_hold_nothing_but_strays():
    test = like_train("size,day,rh,note,kind\nheavy,soon,+,p,a\n")
    assert [column.strays for column in test.features[:2]] == [
        ((0, "heavy"),),
        ((0, "soon"),),
    ]


def test_the_decimal_mark_of_the_training_table_holds_where_the_test_set_has_none():
    train = read(b"x;y\n1234,5;a\n12,5;b\n2.345,1;a\n", label="y")
    assert read(b"x;y\n1.234;a\n", like=train).features[0].numbers[0] == 1234
    assert read(b"x;y\n1.5;a\n", like=train).features[0].numbers[0] == 1.5


def test_a_minus_that_is_a_class_in_training_is_a_label_in_the_test_set():
    train = read(b"x,y\n1,+\n2,-\n4,+\n", label="y")
    assert read(b"x,y\n1,-\n2,\n", like=train).classes == ("-",)


def test_columns_of_a_test_set_are_found_by_name_and_unknown_ones_are_no_features():
    test = like_train("more,kind,note,rh,day,size\n3,a,p,+,31/01/2024,1 kg\n")
    assert test.feature_names == ("size", "day", "rh", "note")
    assert test.cells.columns[0] == "more" and test.id_column is None
    extra = test.columns[-1]
    assert extra.name == "more" and "no such column" in extra.why_not
    assert any("'more'" in note for note in test.notes)


def test_classes_that_training_does_not_have_are_kept_and_said():
    test = like_train("size,day,rh,note,kind\n1 kg,,+,p,c\n2 kg,,+,p,a\n")
    assert test.classes == ("a", "c") and test.y.tolist() == [1, 0]
    assert any("does not have: 'c'" in note for note in test.notes)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("size,rh,note,kind\n1 kg,+,p,a\n", ["no column 'day'", "feature of table"]),
        ("size,day,rh,note\n1 kg,,+,p\n", ["no column 'kind'", "label"]),
        (
            "size,day,rh,note,kind\n1 kg,,+,p,\n",
            ["'kind'", "0 rows", "at least 1 row "],
        ),
        ("size,day,rh,note,kind\n1e999 kg,,+,p,a\n", ["'size'", "row 1", "infinite"]),
    ],
)
def test_a_test_set_that_does_not_fit_says_why(text, parts):
    message = message_of(like_train, text)
    for part in parts:
        assert part in message


@pytest.mark.parametrize(
    "options",
    [
        {"label": "note"},
        {"id_column": "key"},
        {"exclude": "rh"},
        {"kinds": {"rh": "id"}},
    ],
)
def test_options_that_the_training_table_settles_are_refused(options):
    message = message_of(read, TRAIN, like=train_table(), **options)
    assert "read like table" in message
    assert read(TRAIN, label="kind", like=train_table()).n_rows == 4


def test_a_frame_is_read_like_a_file():
    train = read(SAMPLES / "adult_2000.csv", label="income")
    df = pd.read_csv(SAMPLES / "adult_2000.csv").tail(1)
    test = Table.from_frame(df, like=train, name="last row")
    assert test.feature_names == train.feature_names and test.n_rows == 1
    for ours, theirs in zip(test.features, train.features, strict=True):
        assert ours.kind == theirs.kind
        if theirs.numbers is not None:
            assert ours.numbers[0] == theirs.numbers[-1]


# DataFrames


def test_frames_of_any_dtype_become_tables():
    n = 12
    df = pd.DataFrame(
        {
            "float": np.linspace(0.1, 2, n),
            "small": np.linspace(0.1, 2, n).astype(np.float32),
            "int": [5, 3] * 6,
            "nullable": pd.array([1, None, 4] * 4, dtype="Int64"),
            "bool": [True, False] * 6,
            "maybe": pd.array([True, None, False] * 4, dtype="boolean"),
            "day": pd.date_range("2024-01-01", periods=n),
            "moment": pd.date_range("2024-01-01", periods=n, freq="7h", tz="UTC"),
            "span": pd.to_timedelta(np.arange(n) ** 2, unit="min"),
            "category": pd.Categorical(["u", "v", None] * 4),
            "levels": pd.Categorical([3, 1, 2] * 4),
            "text": ["p", "q", ""] * 4,
            "mixed": np.array([None, "p", 3, np.nan] * 3, dtype=object),
            7: [1.5, np.nan] * 5 + [2.5, 8],
            "y": [0, 1, 0, np.nan] * 3,
        },
        index=range(50, 50 + n),
    )
    df.loc[52, "day"] = pd.NaT
    table = Table.from_frame(df, label="y", name="frame")
    kept = df[df["y"].notna()]
    column = {c.name: c for c in table.columns}
    assert table.name == "frame" and table.format is None
    assert table.row_numbers.tolist() == [1, 2, 3, 5, 6, 7, 9, 10, 11]
    assert table.classes == ("0.0", "1.0")
    for name in ("float", "int", "7"):
        expected = kept[7 if name == "7" else name].to_numpy(dtype=float)
        assert np.array_equal(column[name].numbers, expected, equal_nan=True)
    small = column["small"].numbers.astype(np.float32)
    assert np.array_equal(small, kept["small"].to_numpy())
    assert column["nullable"].missing.tolist() == kept["nullable"].isna().tolist()
    assert column["bool"].categories == ("False", "True")
    assert column["maybe"].kind == column["category"].kind == "category"
    assert column["levels"].kind == column["span"].kind == "number"
    assert column["day"].kind == column["moment"].kind == "date"
    assert table.cells["day"][:3].tolist() == ["2024-01-01", "2024-01-02", ""]
    assert column["moment"].numbers[1] == pytest.approx(19723 + 7 / 24)
    assert table.cells["mixed"].tolist()[:4] == ["", "p", "3", ""]
    assert list(table.cells.columns)[-2:] == ["7", "y"]


@pytest.mark.parametrize("name", ["davis", "breast_cancer", "wine", "adult_2000"])
def test_a_frame_and_its_csv_give_the_same_table(name):
    df = pd.read_csv(SAMPLES / f"{name}.csv", dtype=str, keep_default_na=False)
    ours = Table.from_frame(df)
    read = read(SAMPLES / f"{name}.csv")
    assert ours.fingerprint == read.fingerprint
    assert ours.cells.equals(read.cells)


def test_a_frame_of_texts_with_decimal_commas_holds_numbers():
    df = pd.DataFrame({"x": ["1,5", "2,25", "7"], "y": ["a", "b", "a"]})
    assert Table.from_frame(df, label="y").features[0].numbers.tolist() == [
        1.5,
        2.25,
        7,
    ]


def test_names_may_be_anything_that_has_a_text():
    df = pd.DataFrame([[1.5, 2, "a"], [2, 3, "b"], [4, 4, "a"]], columns=[0, 0, 1])
    table = Table.from_frame(df, label=1)
    assert table.label == "1" and table.feature_names == ("0", "0 (2)")


@pytest.mark.parametrize(
    ("df", "part"),
    [
        (pd.DataFrame(), "empty"),
        (pd.DataFrame({"a": []}), "empty"),
        ([1, 2], "DataFrame"),
        (pd.DataFrame({"a": [1.0, np.inf, 3], "y": [0, 1, 0]}), "row 2"),
        (pd.DataFrame({"a": ["u", "v\0", "w"], "y": [0, 1, 0]}), "NUL"),
    ],
)
def test_bad_frames_get_a_sentence(df, part):
    assert part in message_of(Table.from_frame, df, label=None)


def test_lone_surrogates_do_not_break_a_frame():
    df = pd.DataFrame({"a": ["x\ud800", "b", "b"], "y": [0, 1, 0]}, dtype=object)
    assert Table.from_frame(df, label="y").cells["a"][0] == "x?"


# Sample data


def test_davis_row_12_has_weight_and_height_swapped():
    table = read(SAMPLES / "davis.csv", label="sex")
    assert table.n_rows == 200 and table.classes == ("F", "M")
    row = table.cells.iloc[table.position(12)]
    assert row.tolist() == ["F", "166", "57", "56", "163"]
    assert (table.cells["weight"].astype(int) > 130).sum() == 1


def test_breast_cancer_keeps_its_strays_and_drops_its_ids():
    table = read(SAMPLES / "breast_cancer.csv", label="class")
    assert (table.n_rows, len(table.features)) == (699, 9)
    assert table.id_column == "sample_code_number"
    nuclei = next(c for c in table.columns if c.name == "bare_nuclei")
    assert nuclei.kind == "number" and len(nuclei.strays) == 16
    assert {text for _, text in nuclei.strays} == {"?"}


@pytest.mark.parametrize(
    ("name", "label", "n_rows", "n_features"),
    [
        ("wine", "cultivar", 178, 13),
        ("adult_2000", "income", 2000, 14),
        ("ugly", "grade", 183, 10),
    ],
)
def test_samples_are_read_without_being_told_anything(name, label, n_rows, n_features):
    table = read(SAMPLES / f"{name}.csv")
    assert table.label == label
    assert (table.n_rows, len(table.features)) == (n_rows, n_features)


def readme_table(heading):
    lines = (SAMPLES / "README.md").read_text(encoding="utf-8").splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(heading))
    rows = []
    for line in lines[start + 4 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


def test_the_ugly_sample_is_as_its_readme_says():
    table = read(SAMPLES / "ugly.csv", label="grade")
    assert (table.format.encoding, table.format.delimiter) == ("latin-1", ";")
    assert table.format.decimal == "," and table.n_duplicates == 5
    assert set(range(1, 186)) - set(table.row_numbers.tolist()) == {85, 99}
    assert "Hof Müller" in set(table.cells["farm"])
    kinds = {c.name: c.kind for c in table.columns}
    assert (kinds["harvested"], kinds["lot_no"]) == ("date", "id")
    strays = {
        (str(table.row_numbers[i]), column.name, text)
        for column in table.columns
        for i, text in column.strays
    }
    assert strays == {tuple(row) for row in readme_table("Strays")}
    wrong = readme_table("Wrong cells")
    assert len(wrong) == 10
    for row, column, cell, right, _ in wrong:
        assert table.cells[column][table.position(int(row))] == cell != right


# Speed


def test_half_a_million_cells_are_read_in_seconds():
    rng = np.random.default_rng(0)
    df = pd.DataFrame(rng.normal(size=(32_000, 8)).round(3)).rename(columns=str)
    df[[f"c{j}" for j in range(7)]] = rng.integers(0, 9, (32_000, 7)).astype(str)
    df["y"] = rng.integers(0, 2, 32_000)
    raw = df.to_csv(index=False).encode()
    start = time.perf_counter()
    assert read(raw, label="y").n_rows == 32_000
    # About 0.5 s on a laptop; the bound only catches a loop over cells gone wrong.
    assert time.perf_counter() - start < 10


# --- other cells ----------------------------------------------------------------------

CHANGEABLE = b"""id;size;word;note;y
1;1,5;red;x;a
2;2,5;blue;x;b
3;;red;x;
4;3;red;x;b
"""


def changeable():
    return read(CHANGEABLE, label="y", id_column="id", kinds={"word": "category"})


def test_other_cells_are_read_as_the_file_was():
    table = changeable()
    new = table.with_cells({(0, "size"): "7,25", (2, "word"): "green"})
    assert new.columns[1].numbers.tolist() == [7.25, 2.5, 3.0]
    assert new.columns[2].categories == ("blue", "green", "red")
    assert new.cells["size"].tolist() == ["7,25", "2,5", "3"]
    assert table.cells["size"].tolist() == ["1,5", "2,5", "3"]  # nothing is lost
    assert new.columns[0] is table.columns[0]


def test_rows_keep_their_numbers_when_others_are_dropped():
    new = changeable().with_cells({}, drop=[1])
    assert new.row_numbers.tolist() == [1, 4] and new.position(4) == 1
    assert new.ids == ("1", "4")


def test_dropping_all_rows_of_a_class_is_refused_in_words():
    with pytest.raises(InputError, match="'b' in every row"):
        changeable().with_cells({}, drop=[0])


def test_a_changed_label_changes_the_class():
    new = changeable().with_cells({(1, "y"): "a", (2, "y"): "c"})
    assert new.classes == ("a", "c") and new.y.tolist() == [0, 0, 1]


def test_a_row_whose_label_is_blanked_is_left_out():
    new = changeable().with_cells({(1, "y"): " "})
    assert new.row_numbers.tolist() == [1, 4] and new.n_set_aside == 2


def test_no_change_is_the_same_table():
    table = changeable()
    assert table.with_cells({}).fingerprint == table.fingerprint


def test_a_feature_stays_one_even_if_it_becomes_constant():
    new = changeable().with_cells({(1, "word"): "red"})
    assert new.feature_names == changeable().feature_names


def test_texts_are_read_like_cells_of_a_column():
    table = changeable()
    assert table.read_texts("size", ["1,25", "tall"]).numbers.tolist()[0] == 1.25
    assert table.read_texts("size", ["1,25", "tall"]).missing.tolist() == [False, True]
    assert table.read_texts("word", ["red"]).categories == ("red",)
