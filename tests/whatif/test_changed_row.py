"""A row with other contents: how texts are read, and what is refused."""

import numpy as np
import pytest
from cases import message_of, number_table, random_table, untidy_table

import cellval
from cellval.errors import InputError
from cellval.whatif.changed_row import changed_row, run_of
from cellval.whatif.questions import what_if

TABLE = untidy_table()


VALUES = cellval.value_cells(TABLE, n_neighbors=5)


def test_a_row_held_out_is_refused():
    values = cellval.value_cells(TABLE, test=0.3)
    index = int(np.flatnonzero(np.isnan(values.row_values))[0])
    with pytest.raises(InputError, match="held out for testing"):
        what_if(TABLE, values, index + 1, {"c0": "1"})


@pytest.mark.parametrize("text", ["", " ", "NA"])
def test_a_blank_label_is_refused(text):
    with pytest.raises(InputError, match="without a label"):
        what_if(TABLE, VALUES, 3, {"kind": text})


def test_another_table_or_test_is_refused():
    with pytest.raises(InputError, match="another table"):
        what_if(untidy_table(9), VALUES, 3, {"c0": "1"})
    test = untidy_table(1, 15, name="test", like=TABLE)
    with pytest.raises(InputError, match="another test"):
        what_if(TABLE, VALUES, 3, {"c0": "1"}, test=test)
    values = cellval.value_cells(TABLE, test=test)
    with pytest.raises(InputError, match="test table 'test'"):
        what_if(TABLE, values, 3, {"c0": "1"})


def test_notes_say_how_a_text_was_read():
    note = what_if(TABLE, VALUES, 3, {"c0": "abc"}).note
    assert "'abc' is no number for 'c0' and counts as missing." in note
    note = what_if(TABLE, VALUES, 3, {"c1": "violet", "kind": "z"}).note
    assert "'violet' is new in 'c1'" in note and "'z' is a new class" in note


def test_another_spelling_of_yes_is_nothing_new():
    rows = b"yes,1,a\nno,2,b\nyes,3,a\nno,5,b\n"
    table = cellval.read(b"x,other,y\n" + rows, label="y")
    values = cellval.value_cells(table)
    assert "is new" not in what_if(table, values, 1, {"x": "TRUE"}).note
    assert "is new" in what_if(table, values, 1, {"x": "perhaps"}).note


MIXED = ["number", "category", "decimal"]


def test_what_if_speaks_of_shapley_values_only():
    from cellval.whatif.questions import what_if

    table = random_table(28, 12, MIXED)
    values = cellval.value_cells(table, column_weights="banzhaf")
    with pytest.raises(cellval.InputError, match="made with Banzhaf weights"):
        what_if(table, values, 1, {"c0": "1"})


def test_a_content_that_alters_the_scale_of_its_column_has_a_world_of_its_own():
    run = run_of(TABLE, VALUES, None)
    label, same, other = {"kind": "a"}, {}, {"c1": "violet"}
    row = changed_row(run, 7, [label, same, other])
    assert row.world_of == [0, 0, 0, 1]  # one category more weighs a difference anew
    assert row.y.size == row.test_y.size == 39
    assert row.labels[1] == TABLE.classes.index("a")
    np.testing.assert_array_equal(row.contents[:, 0], row.contents[:, 2])
    assert not np.array_equal(row.worlds[0].weight, row.worlds[1].weight)
    assert row.texts[3]["c1"] == "violet" and row.texts[0]["c1"] != "violet"


def test_a_column_that_is_no_feature_changes_no_value():
    table = cellval.read(
        b"who,x,y\n"
        + b"".join(
            b"n%d,%d,%s\n" % (i, i % 4, b"ab"[i % 2 : i % 2 + 1]) for i in range(30)
        ),
        label="y",
    )
    answer = what_if(table, cellval.value_cells(table), 3, {"who": "somebody"})
    assert "'who' is no feature: it changes no value." in answer.note
    assert answer.gain == 0


def test_a_label_of_numbers_must_stay_a_number_and_far_ones_are_named():
    table = number_table(30, 0)
    values = cellval.value_cells(table, n_neighbors=3)
    words = message_of(what_if, table, values, 3, {"price": "high"})
    assert "cannot be valued without a label: give 'price' a number." in words
    note = what_if(table, values, 3, {"price": "900"}).note
    assert "No other row has a 'price' as high as 900." in note
    assert "No other row" not in what_if(table, values, 3, {"price": "50"}).note
