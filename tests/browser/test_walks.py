"""Walks through the whole app in a real browser."""

import re

import pandas as pd
import pytest
from cases import WRONG_FILES, survey_workbook, visits_csv

from browser.steps import (
    LONG,
    SAMPLES,
    TITLES,
    _bytes,
    button,
    click_cell,
    done,
    download,
    expect,
    goto,
    look_at,
    no_faults,
    open_sample,
    press,
    read,
    sidebar,
    start,
    start_slow,
    still,
    tick_line,
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
    page.get_by_role("radio", name="suspicion", exact=True).click()
    expect(page.get_by_text("0.000001").first).to_be_visible()
    page.set_viewport_size({"width": 900, "height": 900})
    click_cell(page, 11, "weight")
    expect(page.get_by_text("Row 12 ·").first).to_be_visible()
    assert page.evaluate(COVERED_BY_MENU) == []
    page.set_viewport_size({"width": 1280, "height": 900})
    page.get_by_role("radio", name="value", exact=True).click()
    expect(page.get_by_text("below 0 hurts").first).to_be_visible()
    click_cell(page, 164, "height")
    expect(page.get_by_text("height: 163", exact=True).first).to_be_visible()
    expect(page.get_by_text("Row 165 ·").first).to_be_visible()
    button(page, "Wrong").click()

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
    click_cell(page, 11, "height")
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
    open_sample(page, server, "Davis")
    start(page)
    done(page)
    expect(page.get_by_text(re.compile("^2 suspects are outlined"))).to_be_visible()

    # flag, suggest, accept, undo, accept
    click_cell(page, 11, "height")
    expect(page.get_by_text("height: 57", exact=True)).to_be_visible()
    button(page, "Wrong").click()
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
    button(page, "Stop measuring").click()
    expect(button(page, "Measure again")).to_be_enabled(timeout=LONG)

    # the repaired table is valued and compared
    button(page, "Value the repaired table").click()
    done(page)
    expect(page.get_by_role("heading", name="Before and after")).to_be_visible()
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
    open_sample(page, server, "Davis")
    start(page)
    done(page)
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
    expect(where).to_be_visible()
    assert int(where.inner_text().split()[3].replace(",", "")) <= n_first - 10

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
    open_sample(page, server, "Davis")
    start(page)
    done(page)
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
    button(page, "Keep as repair").click()
    expect(page.get_by_text("Kept as a repair")).to_be_visible()
    goto(page, "Repair")
    expect(page.get_by_text("1 cell changed")).to_be_visible()
    no_faults(page)


def test_every_page_draws_in_every_state_of_a_session(page, server):
    page.goto(server.url)
    for title in TITLES[1:]:
        goto(page, title)
        expect(page.get_by_text("No data yet. Open the Data page")).to_be_visible()
    button(page, "Open the Data page").click()
    button(page, "Davis").click()
    start(page)
    done(page)
    for title in TITLES:
        goto(page, title)
        expect(page.get_by_test_id("stApp")).to_have_attribute(
            "data-test-script-state", "notRunning"
        )
        expect(page).to_have_title(f"{title} · cellval")
        no_faults(page)


def test_a_heatmap_answers_clicks_as_soon_as_it_shows(page, server):
    open_sample(page, server, "Davis")
    start(page)
    click_cell(page, 11, "weight")
    # lines of the map move while it is computed: the panel is about what was hit
    expect(page.get_by_text(re.compile(r"^weight: \d+")).first).to_be_visible()
    expect(page).to_have_url(re.compile("weight"))


def test_an_ugly_file_is_read_and_its_faults_are_told(page, server):
    page.goto(server.url)
    upload(page, SAMPLES / "ugly.csv")
    expect(page.get_by_text("Mitte September")).to_be_visible()
    expect(page.get_by_text("2 rows without a label")).to_be_visible()
    start(page)
    done(page)
    no_faults(page)


def test_files_of_wrong_kinds_are_told_in_sentences(page, server):
    page.goto(server.url)
    for opened in (False, True):  # then beside a file that stays
        for name, (raw, sentence) in list(WRONG_FILES.items())[0 if opened else -3 :]:
            if opened:
                fold = page.get_by_text("Open another file")
                if not page.locator("input[type=file]").first.is_visible():
                    fold.click()
            kind = {"mimeType": "application/octet-stream", "buffer": raw}
            upload(page, {"name": name, **kind})
            said = page.get_by_test_id("stAlert").filter(has_text=name)
            expect(said).to_contain_text(sentence)
            expect(said).to_be_in_viewport()
            expect(button(page, "Value the cells")).to_have_count(int(opened))
        upload(page, SAMPLES / "davis.csv" if not opened else SAMPLES / "wine.csv")
        expect(button(page, "Value the cells")).to_be_enabled()
        expect(page.get_by_test_id("stAlert")).to_have_count(0)
    no_faults(page)


def test_a_file_of_hostile_texts_is_shown_as_text(page, server):
    raw = (
        b"<b>x</b>,[l](http://example.com),y\n"
        b"<script>alert(1)</script>,:red[a],n\n=1+1,**b**,m\n" + b"c,d,n\ne,f,m\n" * 5
    )
    page.goto(server.url)
    upload(page, {"name": "*evil*.csv", "mimeType": "text/csv", "buffer": raw})
    expect(page.get_by_role("heading", name="*evil*.csv")).to_be_visible()
    assert page.get_by_role("link", name="l", exact=True).count() == 0
    start(page)
    done(page)
    no_faults(page)


def test_stop_keeps_what_there_is_and_pages_do_not_end_a_run(page, server):
    start_slow(page, server)
    for title in ("Columns", "Inspection list", "Data", "Heatmap"):
        goto(page, title)
        expect(button(page, "Stop the run")).to_be_visible()
    expect(page.locator(".js-plotly-plot").first).to_be_visible()
    button(page, "Stop the run").click()
    expect(sidebar(page).get_by_text("The values so far are kept")).to_be_visible()
    expect(page.locator(".js-plotly-plot").first).to_be_visible()
    no_faults(page)


def test_a_reload_during_a_run_finds_it_again(page, server):
    start_slow(page, server)
    expect(page).to_have_url(re.compile(r"project="))
    link = page.url
    page.reload()
    expect(button(page, "Stop the run")).to_be_visible()
    expect(sidebar(page).get_by_text("slow.csv")).to_be_visible()
    goto(page, "Columns")
    expect(page).to_have_url(re.compile(link.rpartition("=")[2]))
    button(page, "Stop the run").click()
    expect(sidebar(page).get_by_text("The values so far are kept")).to_be_visible()


def test_two_people_see_only_their_own(new_person, server):
    one, two = new_person(), new_person()
    start_slow(one, server)
    two.goto(server.url)
    expect(sidebar(two).get_by_text("No data yet.")).to_be_visible()
    button(two, "Davis").click()
    expect(button(two, "Value the cells")).to_be_enabled()
    start(two)
    done(two)
    expect(sidebar(two).get_by_text("davis.csv")).to_be_visible()
    expect(sidebar(one).get_by_text("slow.csv")).to_be_visible()
    expect(button(one, "Stop the run")).to_be_visible()
    button(one, "Stop the run").click()
    expect(sidebar(one).get_by_text("The values so far are kept")).to_be_visible()


def test_runs_wait_in_turn_and_a_killed_server_loses_nothing(new_person, fresh_server):
    one, two = new_person(), new_person()
    start_slow(one, fresh_server)
    two.goto(fresh_server.url)
    button(two, "Davis").click()
    start(two)
    expect(sidebar(two).get_by_text("Waiting: 1 run before this one")).to_be_visible()
    # another file leaves the run on the old one alone
    goto(one, "Data")
    link = one.url
    one.get_by_text("Open another file").click()
    button(one, "Wine").click()
    expect(sidebar(one).get_by_text("Not valued yet")).to_be_visible()
    expect(sidebar(two).get_by_text("Waiting: 1 run before this one")).to_be_visible()
    one.goto(link)
    button(one, "Stop the run").click()
    done(two)
    goto(two, "Inspection list")
    # as when a page was left in the middle of its drawing: a click mends the address
    two.evaluate("history.replaceState({}, '', location.pathname)")
    two.get_by_role("button", name=re.compile("^Next")).click()
    expect(two).to_have_url(re.compile("project=.*finding="))
    two.get_by_role("button", name=re.compile("^Wrong")).click()
    undo = two.get_by_role("button", name=re.compile("Undo")).first
    expect(undo).to_be_visible()
    button(one, "Continue the run").click()
    expect(button(one, "Stop the run")).to_be_visible()
    places = {person: person.url for person in (one, two)}
    fresh_server.process.kill()
    fresh_server.process.wait()
    fresh_server.start()
    # Not reloaded: pages find the new server by themselves, and on their way to what
    # they showed the address is that of the first page for a moment.
    for person, url in places.items():
        person.goto(url)
    expect(sidebar(two).get_by_text("davis.csv")).to_be_visible(timeout=LONG)
    done(two)
    expect(undo).to_be_visible()
    expect(sidebar(one).get_by_text("Cut short after")).to_be_visible(timeout=LONG)
    button(one, "Continue the run").click()
    expect(button(one, "Stop the run")).to_be_visible()
    button(one, "Stop the run").click()
    expect(sidebar(one).get_by_text("The values so far are kept")).to_be_visible()


def test_a_table_of_the_size_of_adult_shows_partial_values_and_light_pages(
    page, server
):
    adult = pd.read_csv(SAMPLES / "adult_2000.csv", dtype=str, keep_default_na=False)
    large = adult.sample(32_561, replace=True, random_state=0)
    # Resampled rows would all have twins; a number of their own keeps them apart.
    large["fnlwgt"] = [str(20_000 + 7 * i) for i in range(len(large))]
    received = []

    def listen(socket):
        socket.on("framereceived", lambda frame: received.append(len(frame)))

    page.on("websocket", listen)
    page.goto(server.url)
    file = {"name": "large.csv", "mimeType": "text/csv", "buffer": _bytes(large)}
    upload(page, file)
    expect(page.get_by_text("32,561 rows")).to_be_visible()
    expect(page.get_by_text("Fast approximation")).to_be_visible()
    expect(page.get_by_role("switch", name="Fast approximation")).to_be_checked()
    start(page)
    expect(page.locator(".js-plotly-plot .nsewdrag").first).to_be_visible()
    button(page, "Stop the run").click()
    expect(sidebar(page).get_by_text("The values so far are kept")).to_be_visible()
    for title in TITLES[1:]:
        received.clear()
        goto(page, title)
        expect(page.get_by_test_id("stApp")).to_have_attribute(
            "data-test-script-state", "notRunning"
        )
        assert sum(received) < 2_000_000, title
        no_faults(page)


def test_a_link_to_a_page_works_as_the_very_first_visit(page, fresh_server):
    answer = page.goto(f"{fresh_server.url}/export")
    assert answer.headers["x-frame-options"] == "SAMEORIGIN"
    expect(page.get_by_role("heading", name="Export", level=1)).to_be_visible()
    for title in TITLES:
        expect(
            page.get_by_test_id("stSidebarNavLink").filter(has_text=title)
        ).to_be_visible()
    no_faults(page)


def test_sources_are_grouped_valued_and_taken_away(page, server, tmp_path):
    open_sample(page, server, "Davis")
    goto(page, "Sources")
    expect(page.get_by_text("(measured)")).to_be_visible(timeout=LONG)
    expect(page.get_by_text("4 groups of rows × 4 groups of columns")).to_be_visible()
    button(page, "Value the sources").click()
    adds = page.get_by_role("heading", name="What each source adds")
    expect(adds).to_be_visible(timeout=LONG)
    expect(page.locator(".js-plotly-plot .nsewdrag").first).to_be_visible()
    blocks = read(download(page, "Download the blocks"), tmp_path)
    shares = read(download(page, "Download the shares"), tmp_path)
    total = float(shares["value"].iloc[-1])
    assert len(blocks) == 16
    assert blocks["value"].astype(float).sum() == pytest.approx(total)
    # another grouping: what is shown is old until it is valued again
    page.get_by_text("all together", exact=True).click()
    expect(page.get_by_text("The choice above was changed")).to_be_visible()
    button(page, "Value the sources").click()
    expect(page.get_by_text("The choice above was changed")).to_have_count(0)
    expect(adds).to_be_visible(timeout=LONG)
    no_faults(page)


def test_errors_are_planted_and_looked_for(page, server, tmp_path):
    open_sample(page, server, "Davis")
    goto(page, "Validate")
    page.get_by_text("Times ten", exact=True).click()
    expect(page.get_by_text("About 11 errors")).to_be_visible()
    button(page, "Plant errors and look for them").click()
    found = page.get_by_text(re.compile("To find 90 % of errors like these"))
    expect(found).to_be_visible(timeout=LONG)
    expect(page.locator(".js-plotly-plot .nsewdrag").first).to_be_visible()
    expect(button(page, "Download the numbers")).to_be_visible(timeout=LONG)
    expect(page.locator(".js-plotly-plot .nsewdrag")).to_have_count(2)
    errors = read(download(page, "Download the errors"), tmp_path)
    assert list(errors) == ["row", "column", "before", "planted", "rank"]
    before, after = (errors[name].astype(float) for name in ("before", "planted"))
    assert after.tolist() == (10 * before).tolist()
    # another share: what is shown is old until errors are planted again
    page.get_by_text("5 %", exact=True).click()
    expect(page.get_by_text("The choice above, or the options")).to_be_visible()
    no_faults(page)


def test_another_method_is_chosen_and_its_scores_are_explained(page, server):
    open_sample(page, server, "Davis")
    page.get_by_role("combobox", name="Method").click()
    page.get_by_role("option", name=re.compile("2D-OOB")).click()
    expect(page.get_by_text("A second opinion in seconds")).to_be_visible()
    # the estimate of the method chosen before may still stand there for a moment
    estimate = page.get_by_text(re.compile("This will take"))
    expect(estimate).to_have_count(1, timeout=LONG)
    start(page)
    done(page)
    told = page.get_by_test_id("stAlertContentInfo").filter(has_text="Share of trees")
    expect(told).to_be_visible()
    expect(page.get_by_text("1,000 trees on bootstraps")).to_be_visible()
    goto(page, "Columns")
    expect(told).to_be_visible()
    no_faults(page)
