"""What was noticed while a table was read."""

from cases import csv_of, one_column

from cellval.table.table import read


def test_duplicates_are_rows_that_repeat_features_and_label():
    raw = b"id,x,c,y\n10,1,u,a\n11,1.0,u ,a\n12,1,u,b\n13,,u,a\n14,,u,a\n15,2,v,b\n"
    table = read(raw, label="y")
    assert table.n_duplicates == 2
    assert any("2 rows repeat an earlier row" in note for note in table.notes)


def test_columns_that_miss_as_many_cells_are_all_named():
    raw = b"a,b,c,y\n1,,3,u\n,2,4,v\n3,4,5,u\n4,5,6,v\n"
    table = read(raw, label="y")
    assert any("most in 'a' and 'b' (1 each)." in note for note in table.notes)


def test_long_cells_are_shortened_in_notes():
    cells = [f"{i}.5" for i in range(20)]
    cells[3] = "word " * 1000
    table, column = one_column(cells)
    assert column.strays == ((3, cells[3]),)
    assert all(len(note) < 300 for note in table.notes)


def test_of_a_table_without_a_label_nothing_is_said_of_one():
    raw = csv_of({"x": [1, 1, 2], "z": ["a", "a", "b"]})
    (note,) = (n for n in read(raw, label=None).notes if "repeats an earlier" in n)
    assert "in all features." in note
    (note,) = (n for n in read(raw, label="z").notes if "repeats an earlier" in n)
    assert "in all features and the label." in note


def test_words_for_missing_among_numbers_are_said_to_be_missing():
    cells = [f"{i}.5" for i in range(20)]
    cells[3], cells[7], cells[9] = "NA", "", "high"
    table, _ = one_column(cells)
    assert any("1 cell is no number" in note for note in table.notes)
    assert "'NA' was taken for missing in 1 cell of 'x'." in table.notes
    assert any("2 other feature cells are missing" in note for note in table.notes)


def test_a_header_in_the_middle_is_said():
    lines = [f"{i},{i % 3},{'ab'[i % 2]}" for i in range(30)]
    raw = "\n".join(["x,z,y", *lines[:9], "x,z,y", *lines[9:]]).encode()
    (note,) = (n for n in read(raw, label="y").notes if "names of the columns" in n)
    assert "in row 10 once more" in note
