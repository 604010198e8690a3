"""A changed .xlsx file: only the changed cells differ, and Excel will open it."""

import datetime
import io
import re
import zipfile

import pytest

from cellval.errors import InputError
from cellval.table.formats import file_cells, rewritten

openpyxl = pytest.importorskip("openpyxl", reason="in the extra 'excel'")
pytest.importorskip("python_calamine", reason="in the extra 'excel'")

# As Excel writes it: shared texts and formulas, a chain of formulas, spans, formats.
MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
SHEET = f"""<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<worksheet {MAIN}><dimension ref="A1:F7"/><sheetData>
<row r="1" spans="1:6"><c r="A1" s="3" t="s"><v>5</v></c></row>
<row r="3" spans="1:6" ht="30"><c r="A3" t="s"><v>0</v></c><c r="B3" t="s"><v>1</v></c>
<c r="C3" t="s"><v>2</v></c><c r="D3" t="s"><v>3</v></c><c r="E3" t="s"><v>4</v></c>
<c r="F3" t="s"><v>6</v></c></row>
<row r="4" spans="1:6"><c r="A4"><v>1</v></c><c r="B4" s="1"><v>50.5</v></c>
<c r="C4" s="2"><v>43831</v></c><c r="D4"><f t="shared" ref="D4:D7" si="0">B4*2</f>
<v>101</v></c><c r="E4" t="s"><v>7</v></c><c r="F4" t="b"><v>1</v></c></row>
<row r="5"><c r="A5"><v>2</v></c><c r="B5" s="1" t="s"><v>8</v></c>
<c r="D5"><f t="shared" si="0"/><v>0</v></c><c r="E5" t="s"><v>9</v></c></row>
<row r="6"><c r="A6"><v>3</v></c><c r="B6" s="1"><v>60</v></c><c r="C6" t="s"><v>8</v>
</c><c r="D6"><f t="shared" si="0"/><v>120</v></c><c r="E6" t="s"><v>7</v></c>
<c r="F6" t="b"><v>0</v></c></row>
<row r="7"><c r="A7"><v>4</v></c><c r="B7" s="1"><v>70</v></c><c r="C7" s="2">
<v>43862</v></c><c r="D7"><f t="shared" si="0"/><v>140</v></c><c r="E7" t="s"><v>9</v>
</c></row>
</sheetData><mergeCells count="1"><mergeCell ref="A1:F1"/></mergeCells></worksheet>"""
TEXTS = ["id", "weight", "seen", "double", "sex", "A title", "ok", "M", "?", "F"]
EXCEL = {
    "[Content_Types].xml": f"""<Types xmlns="{PACKAGE}/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.\
relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>
<Override PartName="/xl/workbook.xml" ContentType="{TYPE}.sheet.main+xml"/>
<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{TYPE}.worksheet+xml"/>
<Override PartName="/xl/worksheets/sheet2.xml" ContentType="{TYPE}.worksheet+xml"/>
<Override PartName="/xl/styles.xml" ContentType="{TYPE}.styles+xml"/>
<Override PartName="/xl/sharedStrings.xml" ContentType="{TYPE}.sharedStrings+xml"/>
<Override PartName="/xl/calcChain.xml" ContentType="{TYPE}.calcChain+xml"/></Types>""",
    "_rels/.rels": f"""<Relationships xmlns="{PACKAGE}/relationships"><Relationship \
Id="rId1" Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>""",
    "xl/workbook.xml": f"""<workbook {MAIN} xmlns:r="{OFFICE}"><sheets><sheet \
name="Data" sheetId="1" r:id="rId1"/><sheet name="Sums &amp; more" sheetId="2" \
r:id="rId2"/></sheets><calcPr calcId="191029"/></workbook>""",
    "xl/_rels/workbook.xml.rels": f"""<Relationships xmlns="{PACKAGE}/relationships">
<Relationship Id="rId1" Type="{OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>
<Relationship Id="rId2" Type="{OFFICE}/worksheet" Target="/xl/worksheets/sheet2.xml"/>
<Relationship Id="rId3" Type="{OFFICE}/styles" Target="styles.xml"/>
<Relationship Id="rId4" Type="{OFFICE}/sharedStrings" Target="sharedStrings.xml"/>
<Relationship Id="rId5" Type="{OFFICE}/calcChain" Target="calcChain.xml"/>
</Relationships>""",
    "xl/worksheets/sheet1.xml": SHEET,
    "xl/worksheets/sheet2.xml": f"""<worksheet {MAIN}><sheetData><row r="1"><c r="A1">\
<f>SUM(Data!B4:B7)</f><v>180.5</v></c></row></sheetData></worksheet>""",
    "xl/styles.xml": f"""<styleSheet {MAIN}><numFmts count="1"><numFmt numFmtId="164" \
formatCode="0.00"/></numFmts><fonts count="2"><font><sz val="11"/></font><font><b/>\
</font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill>\
<patternFill patternType="gray125"/></fill></fills><borders count="1">\
<border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="4">\
<xf numFmtId="0" xfId="0"/><xf numFmtId="164" applyNumberFormat="1" xfId="0"/>\
<xf numFmtId="14" applyNumberFormat="1" xfId="0"/><xf fontId="1" xfId="0"/></cellXfs>\
<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>\
</styleSheet>""",
    "xl/sharedStrings.xml": f"<sst {MAIN}>"
    + "".join(f"<si><t>{text}</t></si>" for text in TEXTS)
    + "</sst>",
    "xl/calcChain.xml": f'<calcChain {MAIN}><c r="D4" i="1"/><c r="D5"/></calcChain>',
    "docProps/custom.xml": "<anything/>",
}


def packed(files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def unpacked(raw):
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


RAW = packed(EXCEL)
PATH = "xl/worksheets/sheet1.xml"


def opened(raw):
    return openpyxl.load_workbook(io.BytesIO(raw))["Data"]


def message_of(raw, changes, drop=()):
    with pytest.raises(InputError) as caught:
        rewritten(raw, changes, drop, "book.xlsx")
    return str(caught.value)


def test_a_workbook_of_excel_is_read():
    cells, written, _ = file_cells(RAW, "book.xlsx")
    assert written.header_row == 3
    assert cells.to_numpy().tolist() == [
        ["1", "50.5", "2020-01-01", "101", "M", "TRUE"],
        ["2", "?", "", "0", "F", ""],
        ["3", "60", "?", "120", "M", "FALSE"],
        ["4", "70", "2020-02-01", "140", "F", ""],
    ]


def test_without_changes_the_file_is_the_same():
    assert rewritten(RAW, {}) == RAW
    assert rewritten(RAW, {(1, "weight"): "50.5"}) == RAW


def test_only_the_changed_cells_differ():
    new = unpacked(rewritten(RAW, {(2, "weight"): "55.25", (4, "sex"): "a & <b>\n"}))
    sheet = SHEET.replace(
        '<c r="B5" s="1" t="s"><v>8</v></c>', '<c r="B5" s="1"><v>55.25</v></c>'
    ).replace(
        '<c r="E7" t="s"><v>9</v>\n</c>',
        '<c r="E7" t="inlineStr"><is><t xml:space="preserve">a &amp; &lt;b&gt;\n'
        "</t></is></c>",
    )
    book = EXCEL["xl/workbook.xml"].replace("<calcPr", '<calcPr fullCalcOnLoad="1"')
    assert new == EXCEL | {PATH: sheet, "xl/workbook.xml": book}


def test_cells_become_what_their_column_holds():
    changes = {
        (2, "weight"): "55.50",
        (2, "seen"): "2021-05-06",
        (3, "seen"): "2021-05-06 12:00",
        (2, "ok"): "true",
        (4, "ok"): "maybe",
        (1, "seen"): "soon",
        (1, "weight"): "",
    }
    sheet = opened(rewritten(RAW, changes))
    assert sheet["B5"].value == 55.5 and sheet["B5"].number_format == "0.00"
    assert sheet["C5"].value == datetime.datetime(2021, 5, 6)
    assert sheet["C6"].value == datetime.datetime(2021, 5, 6, 12)
    assert sheet["C5"].number_format == sheet["C7"].number_format == "mm-dd-yy"
    assert sheet["F5"].value is True and sheet["F7"].value == "maybe"
    assert sheet["C4"].value == "soon" and sheet["B4"].value is None
    assert sheet["B4"].number_format == "0.00"
    assert sheet.row_dimensions[3].height == 30 and sheet["A1"].font.b


def test_a_formula_becomes_a_value_and_others_that_shared_it_stay():
    result = rewritten(RAW, {(1, "double"): "7"})
    sheet = opened(result)
    assert [sheet[f"D{k}"].value for k in range(4, 8)] == [7, "=B5*2", "=B6*2", "=B7*2"]
    files = unpacked(result)
    assert "xl/calcChain.xml" not in files
    assert not any("calcChain" in text for text in files.values())
    cells, _, _ = file_cells(result, "book.xlsx")
    assert cells["double"].tolist() == ["7", "0", "120", "140"]
    # one that only uses it leaves the first alone
    sheet = opened(rewritten(RAW, {(2, "double"): "7"}))
    assert [sheet[f"D{k}"].value for k in (4, 5)] == ["=B4*2", 7]
    assert sheet["D6"].value in ("=", "=B6*2")  # as openpyxl reads shared ones


def test_a_formula_that_fills_several_cells_is_not_changed_in_part():
    array = SHEET.replace('t="shared" ref="D4:D7" si="0"', 't="array" ref="D4:D7"')
    raw = packed(EXCEL | {PATH: array})
    assert "fills several cells" in message_of(raw, {(1, "double"): "7"})


def test_dropped_rows_are_emptied_and_all_others_stay_where_they_are():
    result = rewritten(RAW, {(4, "weight"): "71", (2, "sex"): "gone"}, [2, 1])
    cells, _, _ = file_cells(result, "book.xlsx")
    assert cells["id"].tolist() == ["3", "4"] and cells["weight"][1] == "71"
    sheet = opened(result)
    assert all(cell.value is None for row in (4, 5) for cell in sheet[row])
    assert sheet["D7"].value == "=B7*2" and sheet["B4"].number_format == "0.00"
    assert "All 4 rows" in message_of(RAW, {}, [1, 2, 3, 4])


def test_texts_that_a_workbook_reads_otherwise_are_escaped_or_refused():
    for text in ("_x0041_", "a\rb", " blanks ", "=1+1", "a\tb\nc", "é漢👩"):
        new = rewritten(RAW, {(1, "sex"): text})
        assert file_cells(new, "t")[0]["sex"][0] == text
    assert "no workbook can hold" in message_of(RAW, {(1, "sex"): "a\x07"})
    assert opened(rewritten(RAW, {(1, "sex"): "=1+1"}))["E4"].data_type != "f"


def test_other_ways_to_write_the_same_sheet():
    prefixed = re.sub(r"<(/?)(\w)", r"<\1x:\2", SHEET[SHEET.index("<worksheet") :])
    prefixed = prefixed.replace("xmlns=", "xmlns:x=")
    bare = re.sub(r' r="[A-F]?\d"| spans="[\d:]+"', "", SHEET)
    bare = bare.replace("</row>\n<row ht", "</row>\n<row/>\n<row ht")
    bare = bare.replace('<c s="1" t="s"><v>8</v></c>\n', '<c s="1"/><c/>')
    bare = bare.replace("\n<c><f", "<c><f")
    for sheet in (prefixed, bare):
        raw = packed(EXCEL | {PATH: sheet})
        before, written, _ = file_cells(raw, "t")
        assert written.header_row == 3 and before["double"][3] == "140"
        new = rewritten(raw, {(2, "weight"): "55", (4, "ok"): "TRUE"}, [1])
        after, _, _ = file_cells(new, "t")
        assert after["weight"].tolist() == ["55", "60", "70"]
        assert after["ok"].tolist()[-1] == "TRUE"


def test_dates_since_1904_stay_what_they_are():
    since = '<workbookPr date1904="1"/><sheets>'
    book = EXCEL["xl/workbook.xml"].replace("<sheets>", since)
    raw = packed(EXCEL | {"xl/workbook.xml": book})
    assert file_cells(raw, "t")[0]["seen"][0] == "2024-01-02"
    new = rewritten(raw, {(2, "seen"): "2021-05-06"})
    assert file_cells(new, "t")[0]["seen"].tolist()[:2] == ["2024-01-02", "2021-05-06"]
