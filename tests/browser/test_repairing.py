"""Walks from a suspicion to a repaired file, in a real browser."""

import re

import pytest
from cases import survey_workbook, visits_csv

from browser.steps import (
    LONG,
    SAMPLES,
    button,
    click_cell,
    click_if_there,
    done,
    download,
    expect,
    goto,
    look_at,
    mark,
    no_faults,
    open_sample,
    open_valued,
    press,
    read,
    start,
    still,
    stop_measuring,
    tick_line,
    until,
    upload,
)
from cellval.ui.inspect.list import ROOM

COVERED_BY_MENU = """
() => {
  const plot = document.querySelector(".js-plotly-plot");
  const menu = plot.querySelector(".modebar").getBoundingClientRect();
  const shown = [...plot.querySelectorAll(".colorbar, .annotation, .xtick text")];
  return shown.filter(part => {
    const box = part.getBoundingClientRect();
    return box.left < menu.right && box.right > menu.left
        && box.top < menu.bottom && box.bottom > menu.top;
  }).map(part => part.textContent);
}
"""


def test_from_a_sample_to_a_downloaded_flag(page, server, tmp_path):
    open_sample(page, server, "Davis")
    start(page)
    done(page)
    # By suspicion, in a narrow window: the menu of the figure covers nothing.
    by_suspicion = page.get_by_role("radio", name="suspicion", exact=True)
    until(page.get_by_text("0.000001"), by_suspicion.click)
    page.set_viewport_size({"width": 900, "height": 900})
    click_cell(page, 11, "weight", "166")
    expect(page.get_by_text("Row 12 ·").first).to_be_visible()
    assert page.evaluate(COVERED_BY_MENU) == []
    page.set_viewport_size({"width": 1280, "height": 900})
    by_value = page.get_by_role("radio", name="value", exact=True)
    until(page.get_by_text("below 0 hurts"), by_value.click)
    click_cell(page, 164, "height", "163")
    expect(page.get_by_text("Row 165 ·").first).to_be_visible()
    mark(page, "Wrong")

    goto(page, "Inspection list")
    look_at(page, "Cells")
    expect(page.get_by_test_id("stDataFrame").first).to_be_visible()
    expect(page.get_by_text(re.compile("1 of the .* decided on"))).to_be_visible()
    # At 1280 the list shows its reasons, and the rows alike are not cut.
    tables = page.get_by_test_id("stDataFrame")
    expect(tables).to_have_count(3)
    assert tables.first.bounding_box()["width"] >= ROOM
    alike = tables.last.locator(".dvn-scroller")
    assert alike.evaluate("area => area.scrollWidth <= area.clientWidth")

    goto(page, "Export")
    expect(page.get_by_text("1 so far")).to_be_visible()
    flagged = read(download(page, "Download flagged cells"), tmp_path)
    assert flagged[["row", "column", "content", "decision"]].values.tolist() == [
        ["165", "height", "163", "error"]
    ]
    assert float(flagged["stderr"][0]) > 0
    whole = read(download(page, "Download the whole list"), tmp_path)
    assert whole["rank"].tolist() == [str(rank) for rank in range(1, 801)]
    assert (whole["decision"] == "error").sum() == 1
    values = read(download(page, "Download the values"), tmp_path)
    assert list(values.columns) == ["sex", "weight", "height", "repwt", "repht"]
    assert len(values) == 200
    assert float(values["height"][164]) == pytest.approx(float(flagged["value"][0]))
    no_faults(page)


def test_a_workbook_with_three_sheets_comes_back_repaired(page, server, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    pytest.importorskip("python_calamine")
    path = tmp_path / "survey.xlsx"
    path.write_bytes(survey_workbook())
    page.goto(server.url)
    page.locator("input[type=file]").first.set_input_files(str(path))
    expect(page.get_by_role("heading", name="survey.xlsx")).to_be_visible()
    expect(page.get_by_text("Sheet 'Survey' was taken")).to_be_visible()

    # another sheet and back; then the row of the column names
    def choose(sheet):
        still(page)
        box = page.get_by_role("combobox", name=re.compile("Sheet$"))
        expect(box).to_have_count(1)
        box.click()
        page.get_by_role("option", name=sheet, exact=True).click()

    choose("Sums")
    expect(page.get_by_text(re.compile("^4 rows, 1 column to value"))).to_be_visible()
    choose("Survey")
    expect(page.get_by_text(re.compile("^200 rows, 2 columns"))).to_be_visible()
    row = page.get_by_role("spinbutton", name="Header row")
    still(page)
    expect(row).to_have_count(1)
    expect(row).to_have_value("3")
    row.fill("4")
    row.press("Enter")
    expect(page.get_by_text(re.compile("^199 rows"))).to_be_visible()
    still(page)
    expect(row).to_have_count(1)  # the old one goes when the new one has come
    row.fill("3")
    row.press("Enter")
    expect(page.get_by_text(re.compile("^200 rows, 2 columns"))).to_be_visible()

    # repaired, it is the same workbook but for two cells
    start(page)
    done(page)
    click_cell(page, 11, "height", "57")
    page.get_by_role("button", name=re.compile("^166 .*Swapped with 'weight'")).click()
    expect(button(page, "Undo both")).to_be_visible()
    goto(page, "Export")
    found = download(page, "Download the repaired workbook")
    assert found.suggested_filename == "survey_repaired.xlsx"
    found.save_as(tmp_path / "new.xlsx")
    old, new = (openpyxl.load_workbook(p) for p in (path, tmp_path / "new.xlsx"))
    assert old.sheetnames == new.sheetnames
    changed = {
        cell.coordinate: new[sheet.title][cell.coordinate].value
        for sheet in old
        for line in sheet
        for cell in line
        if cell.value != new[sheet.title][cell.coordinate].value
    }
    assert changed == {"B15": 166, "C15": 57}
    no_faults(page)


def test_the_whole_loop_from_a_suspicion_to_a_table_without_it(page, server, tmp_path):
    open_valued(page, server)
    expect(page.get_by_text(re.compile("^2 suspects are outlined"))).to_be_visible()

    # flag, suggest, accept, undo, accept
    click_cell(page, 11, "height", "57")
    mark(page, "Wrong")
    swap = page.get_by_role("button", name=re.compile("^166 .*Swapped with 'weight'"))
    swap.click()
    button(page, "Undo both").click()
    expect(swap).to_be_visible()
    swap.click()
    expect(button(page, "Undo both")).to_be_visible()

    # the change is listed; models are measured before and after it
    goto(page, "Repair")
    expect(page.get_by_text("2 cells changed").first).to_be_visible()
    button(page, "Measure before and after").click()
    expect(
        page.get_by_text(re.compile("Within noise|No difference")).first
    ).to_be_visible(timeout=LONG)
    stop_measuring(page)

    # the repaired table is valued and compared
    compared = page.get_by_role("heading", name="Before and after")
    value_it = button(page, "Value the repaired table")
    until(compared, lambda: click_if_there(value_it))
    done(page)
    expect(button(page, "Back to the file as it was").first).to_be_visible()
    no_faults(page)

    # the export differs in the two cells only
    goto(page, "Export")
    found = download(page, "Download the repaired CSV")
    path = tmp_path / found.suggested_filename
    found.save_as(path)
    before = (SAMPLES / "davis.csv").read_bytes().splitlines(keepends=True)
    after = path.read_bytes().splitlines(keepends=True)
    changed = [i for i, (a, b) in enumerate(zip(before, after, strict=True)) if a != b]
    assert changed == [12]
    assert after[12] == before[12].replace(b"166,57", b"57,166")
    log = read(download(page, "Download the change log"), tmp_path)
    assert log[["row", "column", "before", "after"]].values.tolist() == [
        ["12", "height", "57", "166"],
        ["12", "weight", "166", "57"],
    ]

    # loaded again, nothing is suspicious any more
    goto(page, "Data")
    page.get_by_text("Open another file").click()
    upload(page, path)
    expect(page.get_by_role("heading", name=path.name)).to_be_visible()
    start(page)
    done(page)
    expect(page.get_by_text(re.compile("Nothing stands out"))).to_be_visible()
    no_faults(page)


def test_two_ticked_lines_are_changed_together_and_undone(page, server):
    open_valued(page, server)
    goto(page, "Inspection list")
    look_at(page, "Cells")
    take = button(page, "Take the suggestions")
    expect(take).to_be_disabled()
    before = page.get_by_test_id("stDataFrame").first
    expect(before).to_be_visible()
    for line in (0, 1):
        tick_line(page, before, line)
        expect(
            page.get_by_text(re.compile(f"^{line + 1} lines? ticked"))
        ).to_be_visible()
    # The ticked lines and the buttons are seen at once.
    for seen in (take, button(page, "Mark 2 as wrong")):
        expect(seen).to_be_in_viewport()
    take.click()
    expect(page.get_by_text("2 cells will change.")).to_be_visible()
    button(page, "Change 2 cells").click()
    expect(page.get_by_text("2 cells changed as suggested.")).to_be_visible()
    expect(page.get_by_text(re.compile("^2 of the .* decided on"))).to_be_visible()
    expect(page.get_by_text("2 cells will change.")).to_have_count(0)
    button(page, "Undo all 2").click()
    expect(page.get_by_text(re.compile("^0 of the .* decided on"))).to_be_visible()
    expect(page.get_by_text("2 cells changed as suggested.")).to_have_count(0)

    # What opens at the foot of the sidebar is seen, too.
    button(page, "What do these numbers mean?").click()
    expect(page.get_by_text("Below zero:")).to_be_in_viewport(ratio=1)
    expect(page.get_by_text("You decide.")).to_be_in_viewport(ratio=1)
    no_faults(page)


def answered(page):
    """How many questions are, as the page says."""
    words = page.get_by_text(re.compile(r"^[\d,]+ questions? answered, "))
    return int(words.first.inner_text().split()[0].replace(",", ""))


def other_count(page, n):
    """The sentence on progress, once it counts other than so many answers."""
    return page.get_by_text(re.compile(rf"^(?!{n:,} )[\d,]+ questions? answered"))


def test_ten_questions_are_answered_and_the_list_changes(page, server, tmp_path):
    page.goto(server.url)
    file = {"name": "visits.csv", "mimeType": "text/csv", "buffer": visits_csv()}
    upload(page, file)
    expect(page.get_by_role("heading", name="visits.csv")).to_be_visible()
    page.get_by_role("combobox", name="Label (to be learned)").click()
    page.get_by_role("option", name="(no label)", exact=True).click()
    button(page, "Look for odd cells").click()
    expect(page.get_by_role("heading", name="Heatmap", level=1)).to_be_visible()
    button(page, "Answer the questions").click()  # the sentence after a run leads on
    expect(page.get_by_role("heading", name="Inspection list", level=1)).to_be_visible()

    # by keys; each answer is counted, and the next question opens by itself
    where = page.get_by_text(re.compile(r"^Question [\d,]+ of [\d,]+ in the list$"))
    expect(where).to_be_visible()
    n_first = int(where.inner_text().split()[3].replace(",", ""))
    for k in range(10):
        url, before = page.url, answered(page)
        assert before >= k
        press(page, "f" if k % 4 == 3 else "w", other_count(page, before))
        expect(page).not_to_have_url(url)
    at_most = "|".join(f"{n:,}" for n in range(1, n_first - 9))
    expect(where).to_have_text(re.compile(rf" of ({at_most}) in "))  # once drawn

    # the last answer is taken back, and its question opens again
    before, url = answered(page), page.url
    press(page, "z", other_count(page, before))
    expect(page).not_to_have_url(url)
    n = answered(page)
    assert n < before

    # later comes last; a search finds what it is about
    press(page, "l", page.get_by_text(re.compile("^Question 1 of")))
    assert answered(page) == n
    press(page, "j", page.get_by_text(re.compile("^Question 2 of")))
    page.get_by_role("textbox", name="Search").fill("no such words")
    page.get_by_role("textbox", name="Search").press("Enter")
    expect(page.get_by_text("No finding fits these filters.")).to_be_visible()

    # what was answered is there cell by cell
    goto(page, "Export")
    flagged = read(download(page, "Download flagged cells"), tmp_path)
    assert len(flagged) >= 7 and set(flagged["decision"]) == {"error"}
    no_faults(page)


def test_a_row_is_edited_and_its_new_value_shows_beside_the_old(page, server):
    open_valued(page, server)
    goto(page, "Explain a row")
    row = page.get_by_role("textbox", name="Row number or id")
    row.fill("12")
    row.press("Enter")
    expect(page.get_by_role("heading", name=re.compile("Row 12 "))).to_be_visible()
    expect(
        page.get_by_role("heading", name=re.compile("Label or cell"))
    ).to_be_visible()
    expect(button(page, "Apply this repair")).to_be_visible()

    # another label
    label = page.get_by_role("combobox", name=re.compile("^Label"))
    label.click()
    label.fill("M")
    label.press("Enter")
    expect(page.get_by_text(re.compile("After the change"))).to_be_visible()
    expect(
        page.get_by_text(re.compile("The row's value would go from"))
    ).to_be_visible()
    button(page, "Reset").click()
    expect(page.get_by_text(re.compile("After the change"))).to_have_count(0)

    # another text: the second line of the editor is the height
    grid = page.get_by_role("region", name="The cells of the row, to be edited")
    for text in ("166", "167", "168"):  # a click may come while it is drawn
        expect(grid).to_be_visible()
        page.wait_for_timeout(1500)
        grid.scroll_into_view_if_needed()
        box = grid.bounding_box()
        page.mouse.click(box["x"] + box["width"] - 60, box["y"] + 35 + 35 * 1.5)
        page.keyboard.type(text, delay=80)  # faster than a person, and it is lost
        page.wait_for_timeout(500)
        page.keyboard.press("Enter")
        try:
            after = page.get_by_text(re.compile("After the change"))
            expect(after).to_be_visible(timeout=8_000)
            break
        except AssertionError:
            if text == "168":
                raise
    keep = button(page, "Keep as repair")
    until(page.get_by_text("Kept as a repair"), lambda: click_if_there(keep))
    goto(page, "Repair")
    expect(page.get_by_text("1 cell changed")).to_be_visible()
    no_faults(page)
