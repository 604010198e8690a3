"""What a person does in the browser: open, click, go to a page, wait for a run."""

import os
import re
import time
from contextlib import suppress
from functools import wraps
from pathlib import Path

import pandas as pd
import pytest

import cellval
from cellval.ui.tables import LEAST_WRAPPED, LINE

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is missing")
expect = sync_api.expect
LONG = int(os.environ.get("CELLVAL_PATIENCE", 600_000))  # ms, however slow a machine is
expect.set_options(timeout=LONG)


def patient(method):
    """Wait while there are two of what should be one: a page that is drawn anew shows
    old and new side by side for a moment, which on a busy machine is long.
    """

    @wraps(method)
    def again(*args, **options):
        last = time.monotonic() + LONG / 1000
        while True:
            try:
                return method(*args, **options)
            except (AssertionError, sync_api.Error) as error:
                two = "strict mode violation" in str(error)
                if not two or time.monotonic() > last:
                    raise
            time.sleep(0.2)

    return again


STRICT = {
    sync_api.Locator: "click fill press is_visible inner_text",
    sync_api.LocatorAssertions: "to_be_visible to_be_enabled to_be_disabled "
    "to_be_checked to_be_in_viewport to_contain_text to_have_attribute to_have_value",
}
for of, names in STRICT.items():
    for name in names.split():
        setattr(of, name, patient(getattr(of, name)))

DRAWN = "() => !document.querySelector('[data-test-script-state=running]')"
# Which button the mouse went down on, and whether that one got the click.
HEARD = """
const pressed = event => event.target.closest?.("button") ?? null;
window.heard = {};
addEventListener("pointerdown", event => window.heard = {down: pressed(event)}, true);
addEventListener("click", event => window.heard.click ??= pressed(event), true);
"""
IS_LOST = "() => window.heard?.down && window.heard.click !== window.heard.down"


def drawn(page):
    """Wait until the page is, but not for ever: it may be drawn again and again."""
    with suppress(sync_api.Error):
        page.wait_for_function(DRAWN, timeout=20_000)


def unhurried(method):
    """Act when the page is drawn, which takes long on a busy machine."""

    @wraps(method)
    def later(locator, *args, **options):
        drawn(locator.page)
        return method(locator, *args, **options)

    return later


def insistent(click):
    """Click again what was replaced between press and release: then the browser gives
    the click to nobody. A person would.
    """

    @wraps(click)
    def again(locator, **options):
        click(locator, **options)
        for _ in range(3):
            with suppress(sync_api.Error):  # another page is there: it was heard
                if locator.page.evaluate(IS_LOST):
                    click(locator, **options | {"timeout": 5_000})

    return again


def take_time():
    """From now on, as walks need it; benchmarks of clicks are in a hurry."""
    locator = sync_api.Locator
    for name in ("click", "fill", "press"):
        setattr(locator, name, unhurried(getattr(locator, name)))
    locator.click = insistent(locator.click)


FAINT = (Path(__file__).parent / "contrast.js").read_text()
SAMPLES = Path(__file__).resolve().parents[2] / "sample_data"

TITLES = ("Data", "Heatmap", "Inspection list", "Explain a row", "Columns", "Repair")
TITLES += ("Sources", "Validate", "Export")

# Where a cell of the heatmap is on the screen, by what the figure knows of it.
CELL_ON_SCREEN = """
([row, column]) => {
  for (const plot of document.querySelectorAll(".js-plotly-plot")) {
    for (const trace of plot._fullData || []) {
      const known = trace.customdata || [];
      for (let i = 0; i < known.length; i++) {
        const cell = known[i];
        // bands of the overview know less of a cell
        if (Array.isArray(cell) && cell.length > 7 && String(cell[0]) === String(row)
            && cell.includes(column)) {
          const layout = plot._fullLayout;
          const x = layout[trace.xaxis.replace("x", "xaxis")];
          const y = layout[trace.yaxis.replace("y", "yaxis")];
          plot.scrollIntoView({block: "center"});
          const box = plot.getBoundingClientRect();
          return [box.left + x._offset + x.d2p(trace.x[i]),
                  box.top + y._offset + y.d2p(trace.y[i])];
        }
      }
    }
  }
  return null;
}
"""


def button(page, name):
    """By its label; a key that is named with it counts as well."""
    label = re.compile(f"^{re.escape(name)}( Shortcut .*)?$")
    return page.get_by_role("button", name=label)


def until(then, act, patience=30_000):
    """Act until something shows; again if nothing happens, as a person would.

    While a page is drawn, what is clicked may be replaced, or Streamlit merges a click
    with the timer of the sidebar's fragment, and then it is lost.
    """
    for last in (False, False, True):
        act()
        try:
            expect(then.first).to_be_visible(timeout=LONG if last else patience)
            return
        except AssertionError:
            if last:
                raise


def click_if_there(target):
    """Something that may go by itself before it is clicked."""
    if target.is_visible():
        with suppress(sync_api.Error):
            target.click(timeout=5000)


def stop_measuring(page):
    """On a fast machine it may have ended by itself."""
    again, stop = button(page, "Measure again"), button(page, "Stop measuring")
    until(again, lambda: click_if_there(stop))
    expect(again).to_be_enabled()


def mark(page, word):
    """The cell at hand as Wrong, Fine or Unsure: that button is filled then."""
    filled = page.get_by_test_id("stBaseButton-primary").filter(has_text=word)
    until(filled, button(page, word).click)


def goto(page, title):
    link = page.get_by_test_id("stSidebarNavLink").filter(has_text=title)
    heading = page.get_by_role("heading", name=title, exact=True, level=1)
    until(heading, link.click, 8_000)


def look_at(page, view):
    """Of the inspection list: Findings, Cells or Map."""
    page.get_by_role("radio", name=view, exact=True).click()


def press(page, key, then):
    """A key, once the page is drawn."""

    def act():
        still(page)
        page.wait_for_timeout(500)  # buttons listen a moment after they are seen
        page.keyboard.press(key)

    until(then, act)


def no_faults(page):
    expect(page.get_by_test_id("stException")).to_have_count(0)


def faint_texts(page):
    """Texts that hardly stand out from what is behind them; those of tables are drawn
    on a canvas.
    """
    page.wait_for_timeout(1500)  # charts are drawn after the page
    last = time.monotonic() + LONG / 10_000
    while (found := page.evaluate(FAINT)) and time.monotonic() < last:
        page.wait_for_timeout(500)  # what is drawn anew fades in
    return found


def open_sample(page, server, name):
    page.goto(server.url)
    button(page, name).click()
    expect(button(page, "Value the cells")).to_be_enabled()


def open_valued(page, server):
    """Davis with its values on the heatmap, from a project that the library made."""
    name, file = f"Davis {time.monotonic_ns()}", SAMPLES / "davis.csv"
    project = cellval.open_project(name, file, folder=server.home, label="sex")
    project.value()
    page.goto(f"{server.url}/heatmap?project={project.link('edit')}")
    project.close()
    done(page)


def start(page):
    button(page, "Value the cells").click()
    expect(page.get_by_role("heading", name="Heatmap", level=1)).to_be_visible()


def still(page):
    """A page that is being drawn may show a field twice, or replace it."""
    app = page.get_by_test_id("stApp")
    expect(app).to_have_attribute("data-test-script-state", "notRunning", timeout=LONG)


def upload(page, path_or_file, then=None):
    def act():
        still(page)
        page.locator("input[type=file]").first.set_input_files(path_or_file)

    act() if then is None else until(then, act)


def sidebar(page):
    return page.get_by_test_id("stSidebar")


def done(page):
    expect(sidebar(page).get_by_text("Done:")).to_be_visible(timeout=LONG)


def click_cell(page, row_index, column, holds=r".*"):
    """A cell of the heatmap; its panel begins with its column and what it holds.

    Again where another one was hit: the figure may be laid out anew meanwhile.
    """
    words = re.compile(f"^{re.escape(column)}: {holds}$")
    panel = page.locator("[data-heading-text]").filter(has_text=words)  # no hover
    until(panel, lambda: page.mouse.click(*aim_at_cell(page, row_index, column)))


def aim_at_cell(page, row_index, column):
    """Where the cell is; the figure may still be on its way, or be laid out anew."""
    expect(page.locator(".js-plotly-plot .nsewdrag").first).to_be_visible()
    before, now = None, [0, 0]
    while now != before:
        found = page.wait_for_function(CELL_ON_SCREEN, arg=[row_index, column])
        before, now = now, found.json_value()
        page.mouse.move(*now)
        page.wait_for_timeout(300)
    return now


def tick_line(page, table, line):
    """The box at the beginning of a line of a list, which is drawn on a canvas."""
    table.scroll_into_view_if_needed()
    box = table.bounding_box()
    page.mouse.click(box["x"] + 16, box["y"] + LINE + LEAST_WRAPPED * (line + 0.5))


def download(page, name, patience=30_000):
    """Again if nothing comes: a page that is drawn anew meanwhile has another file."""
    for last in (False, False, True):
        still(page)
        try:
            with page.expect_download(timeout=LONG if last else patience) as found:
                button(page, name).click()
            return found.value
        except sync_api.TimeoutError:
            if last:
                raise


def read(download, folder):
    path = folder / download.suggested_filename
    download.save_as(path)
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def slow_csv(order=0):
    """So many columns and rows that a run takes minutes; other orders, other tables."""
    adult = pd.read_csv(SAMPLES / "adult_2000.csv", dtype=str, keep_default_na=False)
    adult = adult.sample(frac=1, random_state=order) if order else adult
    return {"name": "slow.csv", "mimeType": "text/csv", "buffer": _bytes(adult)}


def _bytes(frame):
    return frame.to_csv(index=False).encode()


def start_slow(page, server, order=0):
    page.goto(server.url)
    upload(page, slow_csv(order))
    expect(button(page, "Value the cells")).to_be_enabled()
    page.get_by_text("Options", exact=True).click()
    page.get_by_text("Until precise", exact=True).click()
    # the estimate of the options before may still stand there for a moment
    estimate = page.get_by_text(re.compile("This will take about"))
    expect(estimate).to_have_count(1, timeout=LONG)
    start(page)
    # said with the first values, so that a stop from here on has some to keep
    expect(sidebar(page).get_by_text("typical standard error")).to_be_visible(
        timeout=LONG
    )
