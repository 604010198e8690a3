"""Texts can be read on light and dark pages; those of tables are drawn on a canvas."""

from pathlib import Path

from browser.steps import TITLES, click_cell, done, goto, open_sample, start

DARK = """() => {
  const app = document.querySelector("[data-testid=stApp]");
  return parseInt(getComputedStyle(app).backgroundColor.match(/\\d+/)[0]) < 128;
}"""
FAINT = (Path(__file__).parent / "contrast.js").read_text()


def test_all_texts_stand_out_from_what_is_behind_them(page, server):
    found = {}

    def look(title):
        for scheme in ("dark", "light"):
            page.emulate_media(color_scheme=scheme)
            page.wait_for_timeout(1500)  # charts are drawn after the page
            found[title, scheme] = page.evaluate(FAINT)
            assert page.evaluate(DARK) == (scheme == "dark")

    open_sample(page, server, "Davis")
    look("Data")
    start(page)
    done(page)
    click_cell(page, 11, "weight", "166")
    for title in TITLES[1:]:
        goto(page, title)
        look(title)
    assert not {where: faint for where, faint in found.items() if faint}
