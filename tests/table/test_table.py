"""The Table: options, rows, test sets, frames, samples, other cells."""

import re
import tracemalloc
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from cases import SAMPLES, calls, csv_of, message_of, one_column, random_table

from cellval.errors import InputError
from cellval.table import table as tables
from cellval.table.columns import KINDS, Column, cells_of
from cellval.table.encoding import encode
from cellval.table.table import Table, part, read


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
    assert "'sex'" in message_of(read, raw, label="sex", exclude=["sex"])
    assert "'sex'" in message_of(read, raw, label="sex", id_column="sex")
    message = message_of(read, raw, label="sex", kinds={"a": "numeric"})
    assert "'numeric'" in message and all(kind in message for kind in KINDS)


# Label


def label_table(cells, **options):
    n = len(cells)
    return read(csv_of({"x": [i % 3 for i in range(n)], "y": cells}), **options)


def test_rows_without_a_label_are_counted_and_set_apart_for_models():
    table = label_table(["a", "", "b", "NA", "a", "?"], label="y")
    assert table.n_rows == 6 and table.y.tolist() == [0, -1, 1, -1, 0, -1]
    assert table.groups == table.labels == ("a", "", "b", "", "a", "")
    assert any("3 rows" in n and "'y'" in n and "row 2" in n for n in table.notes)
    some = table.labelled
    assert some.row_numbers.tolist() == [1, 3, 5] and some.labelled is some
    assert some.cells["x"].tolist() == ["0", "2", "1"] and some.y.tolist() == [0, 1, 0]
    assert some.position(5) == 2 and some.ids == ("1", "3", "5")
    assert "no row 4" in message_of(some.position, 4)


@pytest.mark.parametrize("row", [0, -1, 7])
def test_a_row_that_is_not_there_gets_the_range(row):
    table = label_table(["a", "b", "b", "a"], label="y")
    message = message_of(table.position, row)
    assert f"no row {row}" in message and "1 to 4" in message


def test_no_usable_feature_says_why_for_each_column():
    raw = csv_of({"k": [7] * 4, "e": [""] * 4, "y": ["a", "b", "a", "b"]})
    message = message_of(read, raw, label="y")
    assert "no usable feature" in message
    assert "'k': it holds only the value '7'" in message
    assert "'e': all its cells are missing" in message
    message = message_of(read, b"x,y\n1,a\n2,b\n", label="y", exclude=["x"])
    assert "'x': excluded by you" in message


# Table


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
    for words in parts:
        assert words in message


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
    column = {c.name: c for c in table.columns}
    assert table.name == "frame" and table.format is None
    assert table.y.tolist() == [0, 1, 0, -1] * 3
    assert table.classes == ("0.0", "1.0")
    for name in ("float", "int", "7"):
        expected = df[7 if name == "7" else name].to_numpy(dtype=float)
        assert np.array_equal(column[name].numbers, expected, equal_nan=True)
    small = column["small"].numbers.astype(np.float32)
    assert np.array_equal(small, df["small"].to_numpy())
    assert column["nullable"].missing.tolist() == df["nullable"].isna().tolist()
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
    theirs = read(SAMPLES / f"{name}.csv")
    assert ours.fingerprint == theirs.fingerprint
    assert ours.cells.equals(theirs.cells)


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
        ("ugly", "grade", 185, 10),
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
    assert table.row_numbers[table.y < 0].tolist() == [85, 99]
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


def test_work_grows_no_faster_than_the_rows():
    def made(n):
        rng = np.random.default_rng(0)
        df = pd.DataFrame(rng.normal(size=(n, 8)).round(3)).rename(columns=str)
        df[[f"c{j}" for j in range(7)]] = rng.integers(0, 9, (n, 7)).astype(str)
        return df.assign(y=rng.integers(0, 2, n)).to_csv(index=False).encode()

    read(made(100), label="y")  # whatever is done once
    few, many = (calls(read, made(n), label="y") for n in (2_000, 8_000))
    assert many < 4.4 * few
    assert many < 3 * 16 * 8_000  # a few calls a cell, at most


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
    new = table.with_cells({(0, "size"): "7,25", (3, "word"): "green"})
    assert new.columns[1].numbers[[0, 1, 3]].tolist() == [7.25, 2.5, 3.0]
    assert new.columns[2].categories == ("blue", "green", "red")
    assert new.cells["size"].tolist() == ["7,25", "2,5", "", "3"]
    assert table.cells["size"].tolist() == ["1,5", "2,5", "", "3"]  # nothing is lost
    assert new.columns[0] is table.columns[0]


def test_rows_keep_their_numbers_when_others_are_dropped():
    new = changeable().with_cells({}, drop=[1])
    assert new.row_numbers.tolist() == [1, 3, 4] and new.position(4) == 2
    assert new.ids == ("1", "3", "4")


def test_dropping_all_rows_of_a_class_is_refused_in_words():
    with pytest.raises(InputError, match="'b' in every row"):
        changeable().with_cells({}, drop=[0])


def test_a_changed_label_changes_the_class():
    new = changeable().with_cells({(1, "y"): "a", (2, "y"): "c"})
    assert new.classes == ("a", "b", "c") and new.y.tolist() == [0, 0, 2, 1]


def test_a_row_whose_label_is_blanked_has_none():
    new = changeable().with_cells({(1, "y"): " "})
    assert new.y.tolist() == [0, -1, -1, 1] and new.n_rows == 4


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


# Some rows, as models see them


def test_a_part_has_the_cells_of_its_rows_in_their_order():
    table = random_table(0, 30, ["number", "category"], n_classes=3, missing=0.2)
    rows = np.array([7, 3, 3, 29])
    some = part(table, rows)
    assert some.n_rows == 4
    assert some.row_numbers.tolist() == [8, 4, 4, 30]
    np.testing.assert_array_equal(some.y, table.y[rows])
    assert some.classes == table.classes
    for own, whole in zip(some.features, table.features, strict=True):
        np.testing.assert_array_equal(cells_of(own), cells_of(whole)[rows])
        np.testing.assert_array_equal(own.missing, whole.missing[rows])


def test_a_part_is_encoded_on_the_scale_of_the_whole():
    table = random_table(1, 30, ["decimal", "category"])
    rows = np.array([2, 11])
    np.testing.assert_array_equal(
        encode(part(table, rows), like=table).cells, encode(table).cells[:, rows]
    )


def test_rows_repeat_only_if_they_are_equal_whatever_their_numbers_are(monkeypatch):
    table = read(b"x,z,y\n0,a,k\n-0.0,a,k\n,a,k\n?,a,k\n1,a,l\n1,b,l\n2,b,l\n")
    assert table.n_duplicates == 2
    monkeypatch.setattr(tables, "_mixed", lambda numbers, cells: numbers)  # all alike
    assert replace(table).n_duplicates == 2


def test_reading_takes_at_most_four_times_the_file(tmp_path):
    rng = np.random.default_rng(0)
    n, path = 100_000, tmp_path / "large.csv"
    numbers = {f"x{j}": rng.normal(50, 10, n).round(2 + 4 * j) for j in range(4)}
    pd.DataFrame({**numbers, "y": rng.choice(["a", "b"], n)}).to_csv(path, index=False)
    read(path, label="y")  # what the first one loads does not count
    tracemalloc.start()  # which does not see the memory of Arrow: the texts themselves
    read(path, label="y")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * path.stat().st_size
