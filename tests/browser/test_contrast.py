"""Texts can be read on light and dark pages; those of tables are drawn on a canvas."""

from pathlib import Path

import pytest

from browser.steps import TITLES, click_cell, goto, open_valued

FAINT = (Path(__file__).parent / "contrast.js").read_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_texts_stand_out_from_what_is_behind_them(new_person, server, scheme):
    page = new_person(color_scheme=scheme)
    open_valued(page, server)
    click_cell(page, 11, "weight", "166")
    found = {}
    for title in TITLES:
        goto(page, title)
        page.wait_for_timeout(1500)  # charts are drawn after the page
        found[title] = page.evaluate(FAINT)
    assert not {title: faint for title, faint in found.items() if faint}
