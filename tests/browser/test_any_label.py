"""Walks with a label of numbers, and with none, from upload to repaired file."""

import re

import pandas as pd

from browser.steps import (
    LONG,
    SAMPLES,
    _bytes,
    button,
    click_cell,
    done,
    download,
    expect,
    goto,
    no_faults,
    sidebar,
    start,
    still,
    stop_measuring,
    upload,
)

SWAP = re.compile("^166 .*Swapped with 'weight'")


def weights():
    """Davis' measurements alone; the swapped ones of row 12 are in it."""
    davis = pd.read_csv(SAMPLES / "davis.csv", dtype=str, keep_default_na=False)
    return _bytes(davis[["weight", "height", "repht", "repwt"]])


def open_file(page, server, name):
    page.goto(server.url)
    upload(page, {"name": name, "mimeType": "text/csv", "buffer": weights()})
    expect(page.get_by_role("heading", name=name)).to_be_visible()


def choose_label(page, name):
    still(page)
    field = page.get_by_role("combobox", name="Label (to be learned)")
    field.click()
    field.fill(name)  # one is left of the list, which moves while it opens
    expect(page.get_by_role("option")).to_have_count(1)
    field.press("Enter")
    still(page)
    expect(field).to_have_value(name)


def swapped_back(page, tmp_path):
    """The repaired file differs from what was uploaded in the two swapped cells."""
    goto(page, "Export")
    found = download(page, "Download the repaired CSV")
    found.save_as(tmp_path / "new.csv")
    before = weights().splitlines()
    after = (tmp_path / "new.csv").read_bytes().splitlines()
    changed = [i for i, (a, b) in enumerate(zip(before, after, strict=True)) if a != b]
    return changed == [12] and after[12] == before[12].replace(b"166,57", b"57,166")


def test_a_number_is_learnt_from_the_upload_to_the_repaired_file(
    page, server, tmp_path
):
    open_file(page, server, "weights.csv")
    choose_label(page, "repwt")
    page.get_by_role("radio", name="a number", exact=True).click()
    expect(page.get_by_text("the label is a number")).to_be_visible()
    expect(page.get_by_text("17 rows without a number as label")).to_be_visible()
    expect(page.locator(".js-plotly-plot").first).to_be_visible()  # its histogram
    start(page)
    done(page)
    click_cell(page, 11, "height", "57")
    expect(page.get_by_text(re.compile("closeness")).first).to_be_visible()
    page.get_by_role("button", name=SWAP).click()
    expect(button(page, "Undo both")).to_be_visible()

    goto(page, "Explain a row")
    expect(page.get_by_text(re.compile("· repwt: ")).first).to_be_visible()

    # regressors before and after
    goto(page, "Repair")
    button(page, "Measure before and after").click()
    expect(page.get_by_text("mean absolute error").first).to_be_visible(timeout=LONG)
    stop_measuring(page)
    no_faults(page)
    assert swapped_back(page, tmp_path)


def test_a_table_without_a_label_is_looked_at_and_repaired(page, server, tmp_path):
    open_file(page, server, "plain.csv")
    choose_label(page, "(no label)")
    expect(page.get_by_text("cells are compared, not valued").first).to_be_visible()
    button(page, "Look for odd cells").click()
    expect(page.get_by_role("heading", name="Heatmap", level=1)).to_be_visible()
    expect(sidebar(page).get_by_text("suspects").first).to_be_visible(timeout=LONG)
    click_cell(page, 11, "height", "57")
    page.get_by_role("button", name=SWAP).click()
    expect(button(page, "Undo both")).to_be_visible()

    # what needs values says so, and offers to pick a label
    for title in ("Explain a row", "Columns", "Sources", "Validate"):
        goto(page, title)
        expect(page.get_by_text("needs values, and these need a label")).to_be_visible()
        no_faults(page)
    assert swapped_back(page, tmp_path)
