"""Text to cells: what is detected, and the sentence for what is broken."""

import csv
import io
import random

import pandas as pd
import pytest

from cellval.errors import InputError
from cellval.table import parsing
from cellval.table.parsing import text_cells
from cellval.table.table import read

GOOD = "name,weight,sex\nJosé,12.5,M\nZoë,3.25,F\nÅsa,7,M\n"


def message_of(source, **options):
    with pytest.raises(InputError) as caught:
        read(source, **options)
    return str(caught.value)


# Delimiter and decimal mark


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiter_is_found_although_quoted_cells_contain_it(delimiter):
    rows = [["a", "b", "y"], ["1", f"x{delimiter} {delimiter}y", "k"]]
    rows += [["2", "plain", "l"], ["3", 'with "quotes"', "k"]]
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=delimiter).writerows(rows)
    table = read(buffer.getvalue().encode(), label="y")
    assert table.format.delimiter == delimiter
    assert table.cells.values.tolist() == rows[1:]


@pytest.mark.parametrize(
    ("text", "delimiter", "decimal", "numbers"),
    [
        ("a;y\n12,5;p\n3,25;q\n7;p\n", ";", ",", [12.5, 3.25, 7]),
        ("a\ty\n12,5\tp\n3,25\tq\n7\tp\n", "\t", ",", [12.5, 3.25, 7]),
        ("a|y\n12.5|p\n3.25|q\n7|p\n", "|", ".", [12.5, 3.25, 7]),
        ('a,y\n"1,234",p\n"12,345",q\n7,p\n', ",", ".", [1234, 12345, 7]),
        ("a;y\n1,234;p\n2,345;q\n7;p\n", ";", ",", [1.234, 2.345, 7]),
        ("a;y\n1,234.5;p\n2,345.1;q\n7;p\n", ";", ".", [1234.5, 2345.1, 7]),
        ("a;y\n1.234,5;p\n2.345,1;q\n7;p\n", ";", ",", [1234.5, 2345.1, 7]),
        ("a;y\n0.123;p\n1.234;q\n7;p\n", ";", ".", [0.123, 1.234, 7]),
        ('a,y\n"12,5",p\n"3,7",q\n7,p\n', ",", ",", [12.5, 3.7, 7]),
        ("a;y\n12,5 kg;p\n3,25 kg;q\n7,0 kg;p\n", ";", ",", [12.5, 3.25, 7]),
    ],
)
def test_decimal_mark_is_decided_from_the_cells(text, delimiter, decimal, numbers):
    table = read(text.encode(), label="y")
    assert (table.format.delimiter, table.format.decimal) == (delimiter, decimal)
    assert table.columns[0].numbers.tolist() == numbers


def test_semicolons_win_although_the_header_has_commas_too():
    text = "weight, kg;height, cm;y\n" + "1,5;2,5;a\n2,5;3,5;b\n" * 3
    table = read(text.encode(), label="y")
    assert table.feature_names == ("weight, kg", "height, cm")


def test_the_delimiter_is_found_even_if_only_a_piece_of_the_header_is_seen(monkeypatch):
    monkeypatch.setattr("cellval.table.parsing.SAMPLE", 1 << 12)
    names = ["size, in m; measured", *(f"column {j}" for j in range(500)), "y"]
    lines = ["\t".join(names)]
    for i in range(4):
        lines.append("\t".join([*(str(i * j % 5) for j in range(501)), "ab"[i % 2]]))
    table = read("\n".join(lines).encode(), label="y")
    assert table.format.delimiter == "\t"


def test_dates_with_points_do_not_vote_on_the_decimal_mark():
    text = "d;x;y\n01.02.2024;1,5;a\n02.02.2024;2,5;b\n03.02.2024;3,5;a\n"
    assert read(text.encode(), label="y").format.decimal == ","


def test_space_before_a_quote_is_not_part_of_the_cell():
    table = read(b'a, b, y\n1, "x, y", p\n2, "z", q\n3, "w", p\n', label="y")
    assert table.cells["b"].tolist() == ["x, y", "z", "w"]


# Cells are the text of the file


@pytest.mark.parametrize("seed", range(12))
def test_cells_equal_the_text_of_the_file_exactly(seed):
    rng = random.Random(seed)
    pieces = ["a", " ", "7", "é", '"', ",", ";", "\n", "0.50", "NA", "-", "x|y", "'"]
    delimiter = rng.choice(",;\t|")
    rows = [
        [f"{i}"]
        + ["".join(rng.choices(pieces, k=rng.randint(0, 5))) for _ in range(3)]
        + [rng.choice(["yes", "no"])]
        for i in range(40)
    ]
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, delimiter=delimiter, quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(["n", "one", "two", "three", "y"])
    writer.writerows(rows)
    kinds = {"n": "number"}
    table = read(buffer.getvalue().encode(), label="y", kinds=kinds)
    assert table.format.delimiter == delimiter
    assert table.cells.values.tolist() == rows
    assert isinstance(table.cells.index, pd.RangeIndex)


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_line_ends_do_not_matter(ending):
    table = read(GOOD.replace("\n", ending).encode(), label="sex")
    assert table.cells["sex"].tolist() == ["M", "F", "M"]


def test_chunked_reading_gives_the_same_cells(monkeypatch):
    text = "a,y\n" + "".join(f"{i % 9},{i % 2}\n" for i in range(50))
    whole = read(text.encode(), label="y")
    monkeypatch.setattr("cellval.table.parsing.CHUNK_ROWS", 7)
    assert read(text.encode(), label="y").cells.equals(whole.cells)


def test_blank_lines_are_skipped_and_not_counted():
    table = read(b"\n\nx,y\n1,a\n\n   \n2,b\n\n3,a\n\n", label="y")
    assert table.cells["x"].tolist() == ["1", "2", "3"]
    assert table.row_numbers.tolist() == [1, 2, 3]


# Size


def wide(n_columns):
    names = ",".join(f"c{j}" for j in range(n_columns))
    rows = [",".join(str((i * j) % 7 + i) for j in range(n_columns)) for i in range(6)]
    rows = [f"{row},{'ab'[i % 2]}" for i, row in enumerate(rows)]
    return "\n".join([names + ",y", *rows]).encode()


def test_a_thousand_columns_are_read_and_ten_thousand_refused():
    table = read(wide(1000), label="y")
    assert len(table.columns) == 1000
    message = message_of(wide(10_000), label="y")
    assert "10,001 columns" in message
    assert "2,000" in message and "raise the limit" in message
    assert read(wide(2500), label="y", max_columns=3000).n_rows == 6


# Broken files


def test_a_header_without_rows_gets_a_sentence():
    message = message_of(b"age,sex\n\n", label="sex")
    assert "no rows" in message and "'age', 'sex'" in message


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a,b,y\n1,2,p\n1,2,3,q\n4,5,p\n6,q\n", ["row 2 (line 3)", "4 fields", "2 of"]),
        ("a,b,y\n1,2,p\n\n5,6,q\n7\n", ["row 3 (line 5)", "1 field,", "1 of 3 rows"]),
        ('a,b,y\n"1\n0",2,p\n5,6\n', ["row 2 (line 4)", "2 fields", "1 of 2"]),
    ],
)
def test_ragged_rows_name_the_first_one_its_fields_and_how_many(text, parts):
    message = message_of(text.encode(), label="y")
    assert "the header has 3" in message and "comma" in message
    for part in parts:
        assert part in message


def test_row_names_without_a_header_are_recognised():
    message = message_of(b"x,y\nr1,1,a\nr2,2,b\n", label="y")
    assert "2 of 2 rows" in message and "row names" in message


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('x,y\n1,a\n2,"b\n3,a\n4,b\n', "row 2 (line 3)"),
        ('x,y\n1,a\n\n"2\n2",b\n3,"a\n4,b', "row 3 (line 6)"),
        ('x,"y\n1,a\n2,b\n', "the header (line 1)"),
    ],
)
def test_an_unclosed_quote_names_the_row_where_it_opens(text, place):
    message = message_of(text.encode(), label="y")
    assert place in message and "never closed" in message


def test_an_unclosed_quote_in_a_long_file_is_found_where_it_opens():
    text = 'x,y\n1,a\n2,"b\n' + "3,a\n" * 60_000
    message = message_of(text.encode(), label="y")
    assert "row 2 (line 3)" in message and "never closed" in message


def test_a_quote_closed_by_a_later_row_is_found():
    message = message_of(b'x,y\n1,a\n2,"b\n3,"a"\n4,b\n', label="y")
    assert "row 2 (line 3)" in message and "quotes" in message


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_nul_byte_in_fine_text_names_the_row(encoding):
    text = "x,y\n1,a\n\n2,b\0\n3,a\n" + "4,b\n" * 50
    message = message_of(text.encode(encoding), label="y")
    assert "NUL" in message and "row 2 (line 4)" in message


# Column names


def test_duplicate_column_names_are_made_unique_and_said():
    table = read(b"a,a,a (2),a,y\n1,2,3,4,p\n2,3,4,6,q\n5,6,6,9,p\n", label="y")
    assert list(table.cells.columns) == ["a", "a (3)", "a (2)", "a (4)", "y"]
    said = next(note for note in table.notes if "more than once" in note)
    assert "column 2 is called 'a (3)'" in said and "'a (4)'" in said


def test_empty_column_names_are_filled_and_said():
    table = read(b"a,b,,y\n1,2,4,p\n2,3,9,q\n5,6,2,p\n", label="y")
    assert list(table.cells.columns) == ["a", "b", "column 3", "y"]
    assert any("'column 3'" in note for note in table.notes)


@pytest.mark.parametrize(
    "text",
    [
        "a,y,\n1,p,\n2,q,\n3,p,\n",
        "a,y\n1,p,\n2,q,\n3,p,\n",
        "a,y,\n1,p\n2,q\n3,p\n",
        "a,y,,,\n1,p,,,\n2,q,,,\n3,p,,,\n",
        "a,y\n1,p\n2,q,,\n3,p\n",
    ],
)
def test_a_delimiter_at_the_end_of_every_line_adds_no_column(text):
    table = read(text.encode(), label="y")
    assert list(table.cells.columns) == ["a", "y"]
    assert any("left out" in note for note in table.notes)


def test_a_last_column_without_a_name_is_kept_if_any_row_fills_it():
    table = read(b"a,y,\n1,p,\n2,q,7\n3,p\n", label="y")
    assert table.cells["column 3"].tolist() == ["", "7", ""]


def test_a_header_of_numbers_is_pointed_out():
    table = read(b"1.5,2\n1,0\n2,1\n3,0\n", label="2")
    assert any("look like numbers" in note for note in table.notes)
    table = read(GOOD.encode(), label="sex")
    assert not any("look like numbers" in note for note in table.notes)


def test_one_column_only_names_the_delimiters():
    message = message_of(b"a b y\n1 2 p\n2 3 q\n")
    assert "'a b y'" in message and "semicolon" in message


def test_long_column_names_do_not_flood_a_message():
    names = ",".join(f"{j}{'x' * 5000}" for j in range(30))
    for raw in (names, f"{names}\n{',' * 29}", f"{names}\n" + f"{'1,' * 29}1\n" * 3):
        assert len(message_of(raw.encode())) < 2000


@pytest.mark.parametrize("seed", range(40))
def test_damaged_files_give_a_table_or_an_input_error(seed):
    rng = random.Random(seed)
    raw = bytearray(("id;x;when;y\n" + "7;1,5;2024-01-31;a\n8;2;n;b\n" * 20).encode())
    for _ in range(rng.randint(1, 12)):
        position = rng.randrange(len(raw))
        raw[position] = rng.choice([0, 10, 13, 34, 44, 59, 9, 255, 0x80, 45, 101])
    if rng.random() < 0.5:
        del raw[rng.randrange(len(raw)) :]
    try:
        assert read(bytes(raw)).n_rows >= 2
    except InputError as error:
        assert str(error).endswith((".", "?"))


# Large files


PLAIN = {
    "plain": "x,y\n1,a\n2,b\n",
    "blank lines": "\n\nx,y\n1,a\n\n\n2,b\n\n",
    "blanks": "x,y\n   \n1,a\n 2 ,b\n",
    "windows": "x;y\r\n1,5;a\r\n\r\n2;b",
    "mixed ends": "x\ty\r\n1\ta\n2\tb\r\n",
    "mark": "\ufeffx,y\n1,é\n2,b\n",
    "nothing": "x,y\n,\nNA,null\n",
    "unnamed": "x,y,,\n1,a,,\n2,b,,\n",
    "unnamed and short": "x,y,\n1,a\n2,b,\n",
    "trailing": "x,y\n1,a,\n2,b,,\n",
    "apostrophes": "x,y\n'1,a\n2',b\n",
    "backslash": "x,y\n1\\,a\n2,b\\n\n",
    "lone return": "x,y\r1,a\r2,b\r",
    "controls": "x,y\n1\x1c,a\x85\n2\u2028,b\x0c\n",
    "quotes": 'x,y\n1,"a,b"\n2,b\n',
}


@pytest.mark.parametrize("kind", PLAIN)
def test_the_fast_way_reads_what_the_careful_one_does(kind, monkeypatch):
    raw = PLAIN[kind].encode()
    careful = text_cells(raw, "data.csv")
    monkeypatch.setattr(parsing, "PLAIN_FROM", 0)
    cells, written, notes = text_cells(raw, "data.csv")
    assert cells.equals(careful[0]) and list(cells.columns) == list(careful[0].columns)
    assert (written, notes) == careful[1:]


def test_plain_files_take_the_fast_way_and_broken_ones_their_sentence(monkeypatch):
    monkeypatch.setattr(parsing, "PLAIN_FROM", 0)
    careful = parsing._cells
    monkeypatch.setattr(parsing, "_cells", lambda *a: pytest.fail("was careful"))
    for kind in ("plain", "blank lines", "windows", "mark", "nothing", "unnamed"):
        text_cells(PLAIN[kind].encode(), "data.csv")
    monkeypatch.setattr(parsing, "_cells", careful)
    for raw, words in (
        (b"x,y\n1,a\n2\n", "row 2 (line 3) has 1 field"),
        (b"x,y\n1,a\n2,b,c\n", "row 2 (line 3) has 3 fields"),
        (b"x,y\n", "no rows below it"),
        (b"x,y\n1,\0\n", "NUL"),
    ):
        with pytest.raises(InputError) as caught:
            text_cells(raw, "data.csv")
        assert words in str(caught.value)
    monkeypatch.setenv("CELLVAL_MAX_ROWS", "1")
    with pytest.raises(InputError, match="2 rows; the limit is 1"):
        text_cells(b"x,y\n1,a\n2,b\n", "data.csv")
    monkeypatch.setenv("CELLVAL_MAX_ROWS", "9")
    monkeypatch.setenv("CELLVAL_MAX_CELL_LENGTH", "3")
    with pytest.raises(InputError, match="longer than 3"):
        text_cells(b"x,y\n1234,a\n2,b\n", "data.csv")
