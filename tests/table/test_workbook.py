"""Workbooks: sheets and header rows found, cells as text, bad files in a sentence."""

import datetime
import io
import re
import sys
import warnings
import zipfile

import pytest

from cellval.errors import InputError
from cellval.table.formats import file_cells, rewritten
from cellval.table.table import read

openpyxl = pytest.importorskip("openpyxl", reason="in the extra 'excel'")
pytest.importorskip("python_calamine", reason="in the extra 'excel'")

HEADER = ["id", "weight", "seen", "ok", "sex"]
ROWS = [
    [1, 50.5, datetime.date(2020, 1, 31), True, "M"],
    [2, 60, datetime.datetime(2020, 2, 1, 10, 30), False, "F"],
    [3, "n/a", None, True, "M"],
    [4, 0.1 + 0.7, datetime.date(1999, 12, 31), None, "F"],
]
TEXTS = [
    ["1", "50.5", "2020-01-31", "TRUE", "M"],
    ["2", "60", "2020-02-01 10:30:00", "FALSE", "F"],
    ["3", "n/a", "", "TRUE", "M"],
    ["4", "0.7999999999999999", "1999-12-31", "", "F"],
]


def saved(book):
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def workbook(above=(), left=0, sheets=("Data",), rows=ROWS):
    """The table on the last of some sheets, with other lines above it."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name in sheets:
        sheet = book.create_sheet(name)
        sheet["A1"] = "About this file"
    sheet.delete_rows(1)
    for k, line in enumerate([*above, HEADER, *rows], 1):
        for j, value in enumerate(line, left + 1):
            sheet.cell(k, j, value)
    return saved(book)


def spoilt(raw, path, change):
    """The archive with other contents of one file."""
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(raw)) as old,
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for one in old.namelist():
            new.writestr(one, change(old.read(one)) if one == path else old.read(one))
    return buffer.getvalue()


def message_of(raw, **where):
    with pytest.raises(InputError) as caught:
        read(raw, **where)
    message = str(caught.value)
    assert message.endswith(".") and len(message) < 600
    return message


# --- what is read ---------------------------------------------------------------------


def test_cells_are_texts_without_loss():
    cells, written, notes = file_cells(workbook(), "book.xlsx")
    assert list(cells.columns) == HEADER
    assert cells.to_numpy().tolist() == TEXTS
    assert (written.sheet, written.sheets, written.header_row) == ("Data", ("Data",), 1)
    assert notes == []


def test_titles_empty_rows_and_columns_above_and_beside_are_survived():
    above = [["Survey of 2020"], [], ["made on", datetime.date(2021, 1, 1)], []]
    raw = workbook(above, left=2)
    cells, written, notes = file_cells(raw, "book.xlsx")
    assert cells.to_numpy().tolist() == TEXTS and written.header_row == 5
    assert any("Row 5 of the sheet was taken for the column names" in n for n in notes)
    again, _, _ = file_cells(raw, "book.xlsx", header_row=5)
    assert again.equals(cells)
    other, _, _ = file_cells(raw, "book.xlsx", header_row=6)
    assert len(other) == 3 and other.columns[0] == "1"


def test_blank_rows_and_columns_between_are_no_rows_and_columns():
    book = openpyxl.Workbook()
    for line in (["x", None, "y"], [1, None, "a"], [], [None, None, "b"], []):
        book.active.append(line)
    book.active["C9"] = "c"
    cells, _, _ = file_cells(saved(book), "book.xlsx")
    assert cells.to_numpy().tolist() == [["1", "a"], ["", "b"], ["", "c"]]


def test_the_first_sheet_that_is_such_a_table_is_taken():
    raw = workbook(sheets=("About", "Empty", "Data"))
    table = read(raw, label="sex")
    assert table.format.sheet == "Data"
    assert table.format.sheets == ("About", "Empty", "Data")
    assert any("Sheet 'Data' was taken; there are also" in note for note in table.notes)
    assert not any("was taken; there" in n for n in read(raw, sheet="Data").notes)
    book = openpyxl.load_workbook(io.BytesIO(raw))
    for line in (["code", "means"], ["M", "male"], ["F", "female"]):
        book["About"].append(line)
    assert read(saved(book), label="sex").format.sheet == "Data"
    message = message_of(saved(book), label="age")
    assert "no column 'age'" in message and "This is about sheet 'About'" in message


def test_hidden_sheets_are_read_if_they_are_asked_for():
    book = openpyxl.load_workbook(io.BytesIO(workbook(sheets=("Old", "Data"))))
    for line in (["x", "sex"], [1, "M"], [2, "F"]):
        book["Old"].append(line)
    book["Old"].sheet_state = "hidden"
    assert read(saved(book), label="sex").format.sheet == "Data"
    assert read(saved(book), label="sex", sheet="Old").format.header_row == 2


def test_merged_cells_hold_their_text_once_and_it_is_said():
    book = openpyxl.load_workbook(io.BytesIO(workbook([["Title"], []])))
    book.active.merge_cells("A1:E1")
    book.active.merge_cells("E4:E5")
    cells, _, notes = file_cells(saved(book), "book.xlsx")
    assert cells["sex"].tolist() == ["M", "", "M", "F"]
    assert any("2 merged areas" in note for note in notes)


def test_formulas_are_read_as_their_results_and_said_where_there_are_none():
    rows = [[1, "=B9", None, None, "M"], [2, "=1+1", None, None, "F"], *ROWS[2:]]
    raw = workbook(rows=rows)
    cells, _, notes = file_cells(raw, "book.xlsx")
    assert cells["weight"].tolist()[:2] == ["", ""]
    assert any("2 formulas of the sheet have no result" in note for note in notes)
    path = "xl/worksheets/sheet1.xml"
    cached = spoilt(raw, path, lambda xml: xml.replace(b"</f><v />", b"</f><v>7</v>"))
    cached = spoilt(cached, path, lambda xml: xml.replace(b"</f><v/>", b"</f><v>7</v>"))
    cells, _, notes = file_cells(cached, "book.xlsx")
    assert cells["weight"].tolist()[:2] == ["7", "7"] and not notes


def test_a_sheet_and_a_row_that_are_not_there_get_a_sentence():
    raw = workbook(sheets=("About", "Data"))
    assert "no sheet 'data'. Its sheets are 'About', 'Data'" in message_of(
        raw, sheet="data"
    )
    for row, words in ((99, "is empty"), (0, "count from 1"), (5, "no rows below")):
        assert words in message_of(raw, sheet="Data", header_row=row)
    assert "without a table" in message_of(raw, sheet="About")
    assert "no workbook" in message_of(b"x,y\n1,a\n2,b\n", sheet="Data")
    assert "no workbook" in message_of(b"x,y\n1,a\n2,b\n", header_row=2)


def test_old_workbooks_are_read_and_come_back_as_csv():
    xlwt = pytest.importorskip("xlwt", reason="in the extra 'test'")
    pytest.importorskip("xlrd", reason="in the extra 'excel'")
    book = xlwt.Workbook()
    book.add_sheet("About").write(0, 0, "nothing")
    sheet = book.add_sheet("Data")
    dates = xlwt.easyxf(num_format_str="YYYY-MM-DD")
    for i, line in enumerate([["A title"], [], HEADER, *ROWS]):
        for j, value in enumerate(line):
            is_date = isinstance(value, datetime.date)
            sheet.write(i, j, value, *([dates] if is_date else []))
    raw = saved(book)
    cells, written, _ = file_cells(raw, "book.xls")
    assert cells.to_numpy().tolist() == TEXTS
    assert (written.kind, written.sheet, written.header_row) == ("xls", "Data", 3)
    assert not written.is_written
    new = rewritten(raw, {(1, "weight"): "51"}, [2]).decode().splitlines()
    assert new[:3] == [",".join(HEADER), "1,51,2020-01-31,TRUE,M", "3,n/a,,TRUE,M"]
    assert "cut off or damaged" in message_of(raw[: len(raw) // 2])


ODS = (
    '<?xml version="1.0" encoding="UTF-8"?><office:document-content xmlns:office='
    '"urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table='
    '"urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text='
    '"urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body>'
    "<office:spreadsheet>{}</office:spreadsheet></office:body></office:document-content>"
)
REPEAT = ' table:number-{}-repeated="{}"'


def ods(*rows, name="Data", extra=None):
    body = f'<table:table table:name="{name}">{"".join(rows)}</table:table>'
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        mime = "application/vnd.oasis.opendocument.spreadsheet"
        archive.writestr("mimetype", mime, zipfile.ZIP_STORED)
        archive.writestr("META-INF/manifest.xml", extra or "<x/>")
        archive.writestr("content.xml", ODS.format(body))
    return buffer.getvalue()


def ods_row(*cells, n=1):
    repeat = REPEAT.format("rows", n) if n > 1 else ""
    return f"<table:table-row{repeat}>{''.join(cells)}</table:table-row>"


def ods_cell(text, kind="string", n=1):
    repeat = REPEAT.format("columns", n) if n > 1 else ""
    if text is None:
        return f"<table:table-cell{repeat}/>"
    value = "" if kind == "string" else f" office:{'date-' * (kind == 'date')}value="
    value += f'"{text}"' if value else ""
    return (
        f'<table:table-cell{repeat} office:value-type="{kind}"{value}><text:p>{text}'
        "</text:p></table:table-cell>"
    )


def test_workbooks_of_libreoffice_are_read_with_their_repeated_rows():
    raw = ods(
        ods_row(ods_cell(None, n=16384), n=2),
        ods_row(ods_cell("x"), ods_cell("when"), ods_cell("y"), ods_cell(None, n=9000)),
        ods_row(
            ods_cell("1.5", "float"), ods_cell("2020-01-02", "date"), ods_cell("a")
        ),
        ods_row(ods_cell("2", "float"), ods_cell(None), ods_cell("b"), n=3),
        ods_row(ods_cell(None, n=16384), n=1_048_000),
    )
    cells, written, _ = file_cells(raw, "book.ods")
    assert cells.to_numpy().tolist() == [
        ["1.5", "2020-01-02", "a"],
        *3 * [["2", "", "b"]],
    ]
    assert (written.kind, written.header_row, written.is_written) == ("ods", 3, False)
    assert rewritten(raw, {}, [2, 3]) == b"x,when,y\n1.5,2020-01-02,a\n2,,b\n"


# --- bad files ------------------------------------------------------------------------


def test_a_workbook_that_is_cut_off_or_damaged_gets_a_sentence():
    raw = workbook()
    for end in (10, 300, len(raw) // 2, len(raw) - 30):
        assert "cut off or damaged" in message_of(raw[:end])
    for path in ("xl/workbook.xml", "xl/worksheets/sheet1.xml", "xl/styles.xml"):
        for change in (lambda xml: xml[:99], lambda xml: b"", lambda xml: b"\0" + xml):
            try:
                read(spoilt(raw, path, change), label="sex")
            except InputError as error:
                assert str(error).endswith(".")


def test_protected_workbooks_get_a_sentence():
    ole = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(1600)
    assert "password" in message_of(ole + "EncryptedPackage".encode("utf-16-le"))
    assert "no workbook" in message_of(ole + "WordDocument".encode("utf-16-le"))
    cells = ods_row(ods_cell("x"), ods_cell("y"))
    manifest = "<manifest:encryption-data/>"
    assert "password" in message_of(ods(cells, cells, extra=manifest))


def test_a_workbook_with_macros_is_read():
    content = "xl/vbaProject.bin"
    raw = workbook()
    with zipfile.ZipFile(buffer := io.BytesIO(raw), "a") as archive:
        archive.writestr(content, b"\1\2\3")
    new = rewritten(buffer.getvalue(), {(1, "weight"): "51"})
    assert read(new, label="sex").cells["weight"][0] == "51"
    with zipfile.ZipFile(io.BytesIO(new)) as archive:
        assert archive.read(content) == b"\1\2\3"


def test_hundreds_of_sheets_are_no_trouble():
    raw = workbook(sheets=[*(f"s{k}" for k in range(15)), "Data"])
    assert read(raw, label="sex").format.sheet == "Data"
    book = openpyxl.Workbook()
    for k in range(300):
        book.create_sheet(f"s{k}")["A1"] = k
    raw = saved(book)
    assert "without a table" in message_of(raw)
    for line in (["x", "y"], [1, "a"], [2, "b"]):
        book["s277"].append(line)
    assert read(saved(book), label="y").format.sheet == "s277"


def test_cells_far_apart_are_refused_before_all_between_are_made():
    book = openpyxl.load_workbook(io.BytesIO(workbook()))
    book.active["XFD1048576"] = "z"
    message = message_of(saved(book))
    assert "row 1,048,576 and column 16,384" in message
    book = openpyxl.load_workbook(io.BytesIO(workbook()))
    book.active["A1048576"] = "a long way"
    assert read(saved(book), label="sex").labelled.n_rows == 4
    filled = ods_row(ods_cell("1", "float", n=16384), n=1_048_576)
    assert "column 16,384" in message_of(ods(filled))
    said = "the limit is 100,000,000, twice that of a table"
    assert said in message_of(ods(filled))
    assert "CELLVAL_MAX_CELLS" in message_of(ods(filled))
    apart = [ods_row(ods_cell("x", n=500)), ods_row(ods_cell(None), n=1_000_000)]
    assert "row 1,000,002" in message_of(ods(*apart, apart[0]))
    names = spoilt(
        ods(filled),
        "content.xml",
        lambda xml: xml.replace(b"<table:table table", b"<table:table\ntable"),
    )
    assert "column 16,384" in message_of(names)
    odd = ods_row(ods_cell("x", n=500)).replace(" table:number", ' x=">" table:number')
    assert "row 1,000,002" in message_of(ods(odd, apart[1], odd))


def test_rows_and_cells_that_do_not_say_where_they_are_follow_each_other(monkeypatch):
    monkeypatch.setenv("CELLVAL_MAX_CELLS", "1000")

    def sheet(*rows):
        return spoilt(
            workbook(),
            "xl/worksheets/sheet1.xml",
            lambda xml: re.sub(rb"<row.*</row>", b"".join(rows), xml, flags=re.S),
        )

    def row(n, tag=b"row", cell=b'<c t="str"><v>x</v></c>'):
        return b"<%s>%s</row>" % (tag, cell * n)

    table = [row(3), *[row(3)] * 600]
    assert file_cells(sheet(*table[:300]), "t.xlsx")[0].shape == (299, 3)
    for rows, said in (
        ([*table, row(4)], "row 602 and column 4"),
        ([row(3), row(300), *table[:8]], "row 10 and column 300"),
        ([row(3), row(3, b'row r="900"')], "row 900 and column 3"),
        ([row(3), row(3, b"row r = '900'"), row(1)], "row 901 and column 3"),
        (
            [row(3), row(2), row(1, cell=b'<c r="B901" s="1"/><c s="1"/>')],
            "row 901 and column 3",
        ),
    ):
        assert said in message_of(sheet(*rows))


@pytest.mark.parametrize(
    "again", ["xl/worksheets/sheet1.xml", "xl/Worksheets/Sheet1.XML"]
)
def test_a_name_that_stands_twice_in_a_workbook_is_no_way_around(again):
    raw = io.BytesIO(workbook())
    with zipfile.ZipFile(raw, "a") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        archive.writestr(again, b"<x/>")
    assert "damaged" in message_of(raw.getvalue())


def test_bombs_are_not_unpacked(monkeypatch):
    monkeypatch.setenv("CELLVAL_MAX_UNPACKED_MB", "20")
    path = "xl/worksheets/sheet1.xml"
    raw = spoilt(workbook(), path, lambda xml: xml + b" " * 30_000_000)
    assert len(raw) < 60_000
    assert "the limit is 20 MB" in message_of(raw)
    size = (30_000_000).to_bytes(4, "little")
    other = spoilt(workbook(), path, lambda xml: xml.ljust(30_000_000))
    assert other.count(size) == 2
    lie = other.replace(size, (3_000).to_bytes(4, "little"))
    assert "damaged" in message_of(lie)


def test_a_text_that_is_repeated_without_end_is_not_unfolded(monkeypatch):
    monkeypatch.setenv("CELLVAL_MAX_UNPACKED_MB", "10")
    cell = b'<row><c t="s"><v>0</v></c><c t="s"><v>1</v></c></row>'
    raw = spoilt(
        workbook(),
        "xl/worksheets/sheet1.xml",
        lambda xml: re.sub(rb"<row.*</row>", cell * 500, xml, flags=re.S),
    )
    with zipfile.ZipFile(buffer := io.BytesIO(raw), "a") as archive:
        texts = f"<sst><si><t>{'x' * 30_000}</t></si><si><t>y</t></si></sst>"
        archive.writestr("xl/sharedStrings.xml", texts)
    assert "15 MB; the limit is 10" in message_of(buffer.getvalue())
    monkeypatch.setenv("CELLVAL_MAX_UNPACKED_MB", "20")
    cells, _, _ = file_cells(buffer.getvalue(), "book.xlsx")
    assert cells.shape == (499, 2) and len(cells.iloc[0, 0]) == 30_000


def test_entities_are_not_expanded():
    bomb = b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">]>'
    for path in ("xl/workbook.xml", "xl/worksheets/sheet1.xml"):
        raw = spoilt(workbook(), path, lambda xml: bomb + xml)
        assert "damaged" in message_of(raw)


def test_binary_workbooks_and_missing_libraries_get_a_sentence(monkeypatch):
    with zipfile.ZipFile(buffer := io.BytesIO(), "w") as archive:
        archive.writestr("xl/workbook.bin", b"\1")
    assert "save it as .xlsx" in message_of(buffer.getvalue())
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    assert 'pip install "cellval[excel]"' in message_of(workbook())
