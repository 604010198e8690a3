"""Walks through every page and odd files, in a real browser."""

import re

import pytest
from cases import WRONG_FILES

from browser.steps import (
    LONG,
    SAMPLES,
    TITLES,
    button,
    click_cell,
    done,
    download,
    expect,
    faint_texts,
    goto,
    no_faults,
    open_sample,
    read,
    start,
    upload,
)


def test_every_page_draws_in_every_state_of_a_session(page, server):
    page.goto(server.url)
    for title in TITLES[1:]:
        goto(page, title)
        expect(page.get_by_text("No data yet. Open the Data page")).to_be_visible()
    button(page, "Open the Data page").click()
    button(page, "Davis").click()
    # a heatmap answers clicks as soon as it shows; lines of the map move while it is
    # computed: the panel is about what was hit
    start(page)
    click_cell(page, 11, "weight")
    expect(page.get_by_text(re.compile(r"^weight: \d+")).first).to_be_visible()
    expect(page).to_have_url(re.compile("weight"))
    done(page)
    for title in TITLES:
        goto(page, title)
        expect(page.get_by_test_id("stApp")).to_have_attribute(
            "data-test-script-state", "notRunning"
        )
        expect(page).to_have_title(f"{title} · cellval")
        assert not faint_texts(page), title
        no_faults(page)


def test_ugly_files_are_read_told_and_shown_as_text(page, server):
    page.goto(server.url)
    upload(page, SAMPLES / "ugly.csv")
    expect(page.get_by_text("Mitte September")).to_be_visible()
    expect(page.get_by_text("2 rows without a label")).to_be_visible()
    start(page)
    done(page)
    no_faults(page)
    goto(page, "Data")
    page.get_by_text("Open another file").click()
    raw = (
        b"<b>x</b>,[l](http://example.com),y\n"
        b"<script>alert(1)</script>,:red[a],n\n=1+1,**b**,m\n" + b"c,d,n\ne,f,m\n" * 5
    )
    upload(page, {"name": "*evil*.csv", "mimeType": "text/csv", "buffer": raw})
    expect(page.get_by_role("heading", name="*evil*.csv")).to_be_visible()
    assert page.get_by_role("link", name="l", exact=True).count() == 0
    # Streamlit's own button would save formulas that run
    goto(page, "Data")
    page.locator("[data-testid=stDataFrame]:visible").first.hover()
    expect(page.get_by_role("button", name="Fullscreen").first).to_be_visible()
    expect(page.get_by_role("button", name="Download as CSV")).to_have_count(0)
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
            own = re.compile(rf"{re.escape(name)}\b")  # book.xls is not book.xlsx
            said = page.get_by_test_id("stAlert").filter(has_text=own)
            upload(page, {"name": name, **kind}, said)
            expect(said).to_contain_text(sentence)
            expect(said).to_be_in_viewport()
            expect(button(page, "Value the cells")).to_have_count(int(opened))
        upload(page, SAMPLES / "davis.csv" if not opened else SAMPLES / "wine.csv")
        expect(button(page, "Value the cells")).to_be_enabled()
        expect(page.get_by_test_id("stAlert")).to_have_count(0)
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
