"""Yes and no in the ways people write them."""

import numpy as np
import pytest
from cases import one_column

import cellval
from cellval.table.booleans import are_booleans, meaning_of
from cellval.table.encoding import encode


@pytest.mark.parametrize(
    ("yes", "no"),
    [
        ("yes", "no"),
        ("TRUE", "False"),
        ("Ja", "nein"),
        ("wahr", "falsch"),
        ("oui", "non"),
        ("vrai", "faux"),
        ("sí", "no"),
        ("verdadero", "falso"),
        ("sì", "no"),
        ("vero", "falso"),
        ("sim", "não"),
        ("on", "off"),
        ("Y", "n"),
        ("t", "F"),
        ("1", "0"),
    ],
)
def test_words_of_many_languages_say_yes_or_no(yes, no):
    assert meaning_of(yes) is True and meaning_of(no) is False
    assert are_booleans({yes, no})


@pytest.mark.parametrize(
    "texts",
    [
        {"N", "S", "O"},  # parts of the compass
        {"x", "y"},
        {"M", "F"},
        {"yes", "Yes"},
        {"yes", "no", "maybe"},
    ],
)
def test_other_texts_are_left_alone(texts):
    assert not are_booleans(texts)
    _, column = one_column(sorted(texts) * 4)
    assert column.categories == tuple(sorted(texts)) and column.form == ""


@pytest.mark.parametrize("tick", ["x", "X", "✓", "yes", "ja", "True"])
def test_a_tick_beside_blank_cells_is_a_feature(tick):
    table, column = one_column([tick, "", "", tick, ""] * 3)
    assert (column.kind, column.feature) == ("category", True)
    cells, weight = encode(table).cells[0], encode(table).weight[0]
    assert cells[0] == cells[3] and np.isnan(cells[1]) and weight == 1
    assert one_column([tick] * 12)[1].kind == "constant"


@pytest.mark.parametrize("text", ["a", "1", "no", "s"])
def test_another_text_beside_blank_cells_is_a_constant(text):
    assert one_column([text, "", ""] * 4)[1].kind == "constant"


MIXED = ["yes"] * 5 + ["no"] * 4 + ["Y", "TRUE", "ja", "No", ""]


def test_spellings_of_the_same_meaning_have_one_code_and_no_distance():
    table, column = one_column(MIXED)
    assert column.kind == "category" and column.categories == ("no", "yes")
    assert column.codes.tolist() == [1] * 5 + [0] * 4 + [1, 1, 1, 0, -1]
    assert table.cells["x"].tolist() == MIXED  # as they are
    assert np.unique(encode(table).cells[0, [0, 9, 10, 11]]).size == 1
    assert (
        "'x': read 'No' as 'no' and 'TRUE', 'Y', 'ja' as 'yes', which means the same."
        in table.notes
    )


def test_one_spelling_of_each_needs_no_note():
    table, _ = one_column(["yes", "no", "yes"] * 4)
    assert not any("means the same" in note for note in table.notes)


def test_other_spellings_of_a_test_table_mean_the_same():
    table, _ = one_column(["yes", "no", "yes"] * 4)
    test = cellval.read(b"x,other,y\nTRUE,1,a\nFALSE,2,b\n", like=table)
    np.testing.assert_array_equal(
        encode(test, like=table).cells[0], encode(table).cells[0, :2]
    )


def test_a_column_keeps_its_spelling_when_cells_change():
    table, _ = one_column(["yes"] * 4 + ["no"] * 4)
    changed = table.with_cells({(i, "x"): "JA" for i in range(4)})
    assert changed.columns[0].categories == ("no", "yes")
    assert changed.with_cells({(0, "x"): "maybe"}).columns[0].categories == (
        "maybe",
        "no",
        "yes",
    )


def test_labels_are_left_as_they_are():
    table = cellval.read(b"x,y\n1,yes\n2,Yes\n3,no\n4,no\n", label="y")
    assert table.classes == ("Yes", "no", "yes")
