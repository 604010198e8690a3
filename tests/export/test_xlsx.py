"""The XLSX file as openpyxl, and so a spreadsheet, reads it."""

import io
import sys

import numpy as np
import pytest
from cases import values_of

import cellval
from cellval.detect.surprise import surprise
from cellval.detect.suspicion import make_suspicion
from cellval.export import xlsx
from cellval.repairs.repair import Repair, repaired

openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is an optional extra")

RAW = """code,x,price,note,y
001,5,1.50,=1+1,a
002,-6,2.25,#N/A,b
003,7,,+49 30,a
004,900,4.00,,
005,8,1e3,"two
lines",b
006,9,6.10,bell\x07,b
"""


def suspicion_of(table, values=None):
    return make_suspicion(table, values, surprise(table))


def opened(suspicion, **options):
    book = openpyxl.load_workbook(io.BytesIO(xlsx.xlsx_bytes(suspicion, **options)))
    assert book.sheetnames == ["Table", "Suspects", "Changes", "Notes"]
    return book


def texts(sheet):
    return [[cell.value for cell in row] for row in sheet.iter_rows()]


def notes(book):
    return " ".join(row[0] for row in texts(book["Notes"]))


@pytest.fixture(scope="module")
def ugly():
    table = cellval.read(RAW.encode(), label="y", kinds={"code": "category"})
    return suspicion_of(table, values_of(table, np.ones((6, len(table.features)))))


@pytest.fixture(scope="module")
def davis():
    table = cellval.read("sample_data/davis.csv", label="sex")
    return suspicion_of(table, cellval.value_cells(table))


def test_the_sheet_is_like_the_file_row_for_row(ugly):
    sheet = opened(ugly)["Table"]
    rows = texts(sheet)
    assert rows[0] == ["code", "x", "price", "note", "y"]
    assert rows[1] == ["001", 5, 1.5, "'=1+1", "a"]
    assert rows[2] == ["002", -6, 2.25, "#N/A", "b"]
    assert rows[3] == ["003", 7, None, "'+49 30", "a"]
    assert rows[4][-1] is None and rows[4][0] == "004"  # it has no label
    assert rows[5] == ["005", 8, "1e3", "two\nlines", "b"]
    assert rows[6] == ["006", 9, 6.1, "bell\ufffd", "b"]
    assert sheet["C2"].number_format == "0.00"


def test_no_cell_of_any_sheet_is_a_formula_or_an_error(ugly):
    changes = {
        (1, "note"): Repair("replace", "=2+2", "@why"),
        (3, "x"): Repair("blank"),
    }
    book = opened(ugly, repairs=changes)
    kinds = {
        cell.data_type for sheet in book for row in sheet.iter_rows() for cell in row
    }
    assert kinds <= {"n", "s"}
    assert book["Table"]["D2"].value == "'=2+2"
    assert texts(book["Changes"])[1:] == [
        [1, "1", "note", "'=1+1", "'=2+2", "'@why"],
        [3, "3", "x", "7", None, None],
    ]
    assert book["Table"]["B4"].value is None


def test_flagged_cells_have_a_frame_and_a_comment(davis):
    book = opened(davis, decisions={(12, "height"): "error"})
    sheet = book["Table"]
    framed = {
        cell.coordinate
        for row in sheet.iter_rows()
        for cell in row
        if cell.border.left.style
    }
    assert framed == {"B13", "C13"}
    assert "like those of the other one" in sheet["C13"].comment.text
    assert "Suggestion: 166" in sheet["C13"].comment.text
    lines = texts(book["Suspects"])
    assert len(lines) == 21
    first = dict(zip(lines[0], lines[2], strict=True))
    assert (first["row"], first["column"], first["content"]) == (12, "height", "57")
    assert first["suggestion"] == "166"
    assert first["decision"] == "error"


def test_colours_follow_the_values(davis):
    sheet = opened(davis)["Table"]
    values = davis.values.values
    low, high = (
        np.unravel_index(f(values), values.shape) for f in (np.argmin, np.argmax)
    )

    def rgb(cell):
        code = sheet.cell(cell[0] + 2, cell[1] + 2).fill.fgColor.rgb
        return int(code[2:4], 16), int(code[6:8], 16)

    assert rgb(low)[0] > rgb(low)[1]  # more red than blue
    assert rgb(high)[0] < rgb(high)[1]
    nearest_zero = np.unravel_index(np.argmin(np.abs(values)), values.shape)
    at = sheet.cell(nearest_zero[0] + 2, nearest_zero[1] + 2)
    assert at.fill.fill_type is None


def test_without_values_flagged_cells_alone_have_a_colour(davis):
    book = opened(make_suspicion(davis.table, None, davis.surprise))
    cells = [cell for row in book["Table"].iter_rows() for cell in row]
    assert {c.coordinate for c in cells if c.fill.fill_type} == {"B13", "C13"}
    assert "not computed" in notes(book)


@pytest.mark.parametrize("valued_again", [False, True])
def test_repairs_are_in_the_table_and_say_what_was(davis, valued_again):
    changes = {
        (12, "height"): Repair("replace", "166", "swapped"),
        (5, "sex"): Repair("replace", "M"),
        (3, ""): Repair("drop", "", "no such person"),
    }
    suspicion, original = davis, None
    if valued_again:
        after = repaired(davis.table, changes)
        suspicion, original = suspicion_of(after), davis.table
    book = opened(suspicion, repairs=changes, original=original)
    sheet = book["Table"]
    assert sheet.max_row == 201
    assert sheet["C13"].value == 166
    assert "Before: 57\nAfter: 166\nswapped" in sheet["C13"].comment.text
    assert sheet["A6"].value == "M"
    assert sheet["A4"].font.strike
    assert sheet["E4"].font.strike
    assert not sheet["A5"].font.strike
    assert "dropped" in sheet["A4"].comment.text
    assert [line[2] for line in texts(book["Changes"])[1:]] == [
        "height",
        "sex",
        "(whole row)",
    ]


def test_a_comment_and_a_frame_stay_with_their_cell(davis):
    """Cells of one look are one object that is written again and again."""
    changes = {(row, "repht"): Repair("replace", f"{row}") for row in (20, 30, 40)}
    sheet = opened(davis, repairs=changes)["Table"]
    written = {c.coordinate: c.comment for row in sheet.iter_rows() for c in row}
    assert {at for at, note in written.items() if note} == {
        *("B13", "C13"),
        *("E21", "E31", "E41"),
    }
    for row in (20, 30, 40):
        assert sheet.cell(row + 1, 5).value == row
        assert f"After: {row}" in written[f"E{row + 1}"].text


def test_what_does_not_fit_is_left_out_and_told(davis, monkeypatch):
    monkeypatch.setattr(xlsx, "MAX_ROWS", 101)
    monkeypatch.setattr(xlsx, "MAX_COLUMNS", 3)
    monkeypatch.setattr(xlsx, "MOST_COMMENTS", 1)
    monkeypatch.setattr(xlsx, "MAX_CHARACTERS", 200)
    book = opened(davis)
    sheet = book["Table"]
    assert (sheet.max_row, sheet.max_column) == (101, 3)
    comments = [cell.comment for row in sheet.iter_rows() for cell in row]
    assert len([c for c in comments if c]) == 1
    told = notes(book)
    assert "Only the first 100 rows of 200 fit" in told
    assert "Only the first 3 columns of 5 fit" in told
    assert "The 1 most suspicious of 2 suspects" in told


def test_long_texts_are_cut_to_what_a_cell_holds():
    lines = [
        f"{'w' * 40_000 if k == 1 else 'short'},{k},{'ab'[k % 2]}" for k in range(6)
    ]
    table = cellval.read(
        "\n".join(["t,x,y", *lines]).encode(), label="y", exclude=["t"]
    )
    book = opened(suspicion_of(table))
    assert len(book["Table"]["A3"].value) == 32_767
    assert "Texts cut to 32,767 characters: 1." in notes(book)


def test_without_openpyxl_a_sentence_says_what_to_do(davis, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(cellval.InputError, match=r'pip install "cellval\[excel\]"'):
        xlsx.xlsx_bytes(davis)
