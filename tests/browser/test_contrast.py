"""Texts can be read on dark pages; on light ones, a walk through all pages looks."""

from browser.steps import TITLES, click_cell, faint_texts, goto, open_valued


def test_all_texts_stand_out_from_what_is_behind_them_in_the_dark(new_person, server):
    page = new_person(color_scheme="dark")
    open_valued(page, server)
    click_cell(page, 11, "weight", "166")
    for title in TITLES:
        goto(page, title)
        assert not faint_texts(page), title
