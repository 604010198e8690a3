"""Waiting in the app, in a real browser: python -m benchmarks.app [million] [--write]

Needs playwright and Chromium. Prints seconds from the click on "Value the cells" to a
heatmap that answers clicks (a fresh server, and warm), from another label to the new
waterfall on the samples, and for a table of Adult's size the time to the first partial
heatmap, to draw every page, bytes sent and the answer to a click; with --write, into
results/app.md. With `million`, the latter for the table of `benchmarks.million`, only
printed. With --screenshots, takes the pictures of the README and the docs instead; with
`--screenshots tutorial`, those of the tutorial alone.
"""

import re
import statistics
import sys
import tempfile
import time
from pathlib import Path

import pandas as pd
from playwright.sync_api import expect, sync_playwright

import cellval
from benchmarks import million
from benchmarks.pages import printed
from benchmarks.tutorial import BY_HAND

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests" / "browser")]
from conftest import Server, how_to_launch  # noqa: E402 - the path comes first
from steps import (  # noqa: E402
    LONG,
    SAMPLES,
    TITLES,
    aim_at_cell,
    button,
    click_cell,
    done,
    goto,
    look_at,
    open_sample,
    start,
    still,
    upload,
)

FILES = {
    "Davis": "davis.csv",
    "Breast cancer": "breast_cancer.csv",
    "Wine": "wine.csv",
    "Ugly": "ugly.csv",
    "Adult": "adult_2000.csv",
}
CLICKS = 40  # on cells of a large table
# As a person sees it: from the press to the frame that shows the answer. Playwright's
# own waiting looks every half second at last, and its calls take a while themselves.
ANSWERED = """
words => {
  window.answered = new Promise(done => {
    const told = () => Array.from(
      document.querySelectorAll("[data-testid=stCaptionContainer]")
    ).some(found => found.textContent.startsWith(words) && found.checkVisibility());
    addEventListener("mousedown", pressed => {
      const look = now => told()
        ? done((now - pressed.timeStamp) / 1000)
        : requestAnimationFrame(look);
      requestAnimationFrame(look);
    }, {capture: true, once: true});
  });
}
"""
PICTURES = ROOT / "tests" / "browser" / "screenshots"


def seconds_since(began: float) -> float:
    return time.monotonic() - began


def davis(page, server) -> float:
    open_sample(page, server, "Davis")
    page.wait_for_timeout(1500)  # a person looks at the data before going on
    began = time.monotonic()
    start(page)
    click_cell(page, 11, "weight", "166")
    return seconds_since(began)


def what_if(page, server, sample: str) -> list[float]:
    """Seconds from choosing another label to the new waterfall beside the old."""
    open_sample(page, server, sample)
    start(page)
    expect(page.locator(".js-plotly-plot .nsewdrag").first).to_be_visible(timeout=LONG)
    if sample == "Adult":
        button(page, "Stop the run").click()
    else:
        done(page)
    goto(page, "Explain a row")
    label = page.get_by_role("combobox", name=re.compile("^Label"))
    now = label.input_value().removesuffix(" (now)")
    table = cellval.read(SAMPLES / FILES[sample])
    other = next(name for name in table.classes if name != now)
    took = []
    for _ in range(3):
        page.wait_for_timeout(2500)
        label.click()
        label.fill(other)
        began = time.monotonic()
        label.press("Enter")
        expect(page.get_by_text(re.compile("After the change"))).to_be_visible()
        took.append(seconds_since(began))
        button(page, "Reset").click()
        expect(page.get_by_text(re.compile("After the change"))).to_have_count(0)
    return took


def adult_sized(folder: Path) -> Path:
    adult = pd.read_csv(SAMPLES / "adult_2000.csv", dtype=str, keep_default_na=False)
    large = adult.sample(32_561, replace=True, random_state=0)
    large["fnlwgt"] = [str(20_000 + 7 * i) for i in range(len(large))]
    large.to_csv(folder / "large.csv", index=False)
    return folder / "large.csv"


def measure(browser, folder: Path) -> None:
    server = Server(folder / "log.txt")
    page = new_page(browser)
    for name in ("fresh server and browser", "warm", "warm"):
        print(f"Davis, {name:25}{davis(page, server):6.1f} s")
    for name in FILES:
        took = ", ".join(f"{t:.1f}" for t in what_if(page, server, name))
        print(f"What if on {name:20} {took} s")
    large(browser, server, adult_sized(folder), 32_561, "age")
    server.close()


def measure_million(browser, folder: Path) -> None:
    million.make(folder / "million.csv", million.ROWS)
    server = Server(folder / "log.txt")
    large(browser, server, folder / "million.csv", million.ROWS, "x0")
    server.close()


def new_page(browser):
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.set_default_timeout(LONG)
    return page


def large(browser, server, path: Path, n_rows: int, column: str) -> None:
    """A person who opens a large table and looks at all pages."""
    page = new_page(browser)
    sent: list[int] = []
    page.on(
        "websocket",
        lambda socket: socket.on("framereceived", lambda f: sent.append(len(f))),
    )
    page.goto(server.url)
    began = time.monotonic()
    upload(page, path)
    expect(page.get_by_text(f"{n_rows:,} rows").first).to_be_visible()
    print(f"{n_rows:,} rows, uploaded and read  {seconds_since(began):6.1f} s")
    began = time.monotonic()
    start(page)
    plot = page.locator(".js-plotly-plot .nsewdrag").first
    expect(plot).to_be_visible()
    print(f"first heatmap                   {seconds_since(began):6.1f} s")
    for state in ("running", "stopped"):
        if state == "stopped":
            button(page, "Stop the run").click()
            expect(page.get_by_text("The values so far are kept")).to_be_visible()
        for title in TITLES[1:]:
            goto(page, "Data")
            still(page)
            sent.clear()
            began = time.monotonic()
            goto(page, title)
            if title in ("Heatmap", "Explain a row", "Columns"):
                expect(page.get_by_test_id("stPlotlyChart").first).to_be_visible()
            else:
                still(page)
            took, megabytes = seconds_since(began), sum(sent) / 1e6
            print(f"  {title:20} {state:9}{took:6.1f} s{megabytes:8.2f} MB")
    goto(page, "Heatmap")
    expect(plot).to_be_visible()
    first = page.get_by_role("textbox", name="Go to row")
    first.fill("1")  # the window is where the worst suspect is
    first.press("Enter")
    took = []
    for k in range(CLICKS):
        page.wait_for_timeout(1000)
        row = 2 + 7 * k % 20  # another row each time
        aim_at_cell(page, row, column)
        page.evaluate(ANSWERED, f"Row {row + 1} ·")
        page.mouse.down()  # the mouse is there
        page.mouse.up()
        took.append(page.evaluate("window.answered"))
    print(
        f"  click to detail, {CLICKS} clicks: {statistics.median(took):.2f} s median, "
        f"{statistics.quantiles(took, n=20)[-1]:.2f} s at the 95th percentile"
    )


def screenshots(browser, folder: Path) -> None:
    PICTURES.mkdir(exist_ok=True)
    server = Server(folder / "log.txt")
    view = {"width": 1440, "height": 900}
    page = browser.new_context(viewport=view).new_page()
    page.set_default_timeout(60_000)
    if "tutorial" not in sys.argv:
        page_screenshots(page, server)
    tutorial_screenshots(page, server)
    server.close()


def tutorial_screenshots(page, server) -> None:
    """The walk of docs/tutorial.md, and the pages that no other walk shows."""
    page.set_viewport_size({"width": 1440, "height": 900})
    open_sample(page, server, "Diamonds")
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    screenshot(page, "diamonds_data.png")
    start(page)
    done(page)
    goto_row = page.get_by_role("textbox", name="Go to row")
    goto_row.fill("472")
    goto_row.press("Enter")
    click_cell(page, 471, "y", "58.9.*")
    screenshot(page, "diamonds_heatmap.png")
    goto(page, "Columns")
    expect(page.get_by_test_id("stPlotlyChart").first).to_be_visible()
    screenshot(page, "diamonds_columns.png")
    goto(page, "Inspection list")
    for column in ("z", "x", "y"):  # the codes, those with most cells first
        expect(page.get_by_role("heading", name=f"{column}: 0")).to_be_visible()
        if column == "z":
            screenshot(page, "diamonds_findings.png")
        button(page, "Wrong: repair so").click()
    goto(page, "Repair")
    page.get_by_text("Upload decisions").click()
    upload(page, {"name": "decisions.csv", "mimeType": "text/csv", "buffer": by_hand()})
    expect(page.get_by_text("5 repairs were read")).to_be_visible()
    button(page, "Measure before and after").click()
    expect(button(page, "Measure again")).to_be_enabled(timeout=LONG)
    tall_screenshot(page, 1500, "diamonds_repair.png")
    page.set_viewport_size({"width": 1440, "height": 900})
    goto(page, "Export")
    expect(page.get_by_text("To show to others")).to_be_visible()
    screenshot(page, "diamonds_export.png")


def by_hand() -> bytes:
    """A decisions file of the repairs that a person types in the tutorial."""
    lines = [f"{row},{column},error,{text}" for (row, column), text in BY_HAND.items()]
    return "\n".join(["row,column,decision,after", *lines, ""]).encode()


def screenshot(page, name: str) -> None:
    """Of the screen once it is drawn, without the tip of the last button."""
    page.mouse.move(5, 5)
    still(page)
    page.wait_for_timeout(1500)
    page.screenshot(path=PICTURES / name)


def page_screenshots(page, server) -> None:
    open_sample(page, server, "Ugly")
    start(page)
    done(page)
    click_cell(page, 86, "acid_g_l", "12,1.*")
    page.mouse.move(5, 5)
    page.wait_for_timeout(1500)
    page.screenshot(path=PICTURES / "heatmap.png")
    button(page, "Explain this row").click()
    expect(page.get_by_test_id("stPlotlyChart").first).to_be_visible()
    page.wait_for_timeout(1500)
    page.screenshot(path=PICTURES / "sample.png")
    goto(page, "Inspection list")
    look_at(page, "Cells")
    expect(
        page.get_by_role("region", name="The cells to inspect").first
    ).to_be_visible()
    page.wait_for_timeout(1500)
    page.screenshot(path=PICTURES / "list.png")
    look_at(page, "Map")
    expect(page.get_by_test_id("stPlotlyChart").first).to_be_visible()
    page.wait_for_timeout(1500)
    page.screenshot(path=PICTURES / "map.png")
    repair_screenshot(page, server)
    open_sample(page, server, "Adult")
    goto(page, "Sources")
    button(page, "Value the sources").click()
    expect(page.get_by_text("What each source adds")).to_be_visible(timeout=LONG)
    tall_screenshot(page, 1600, "sources.png")
    open_sample(page, server, "Davis")
    goto(page, "Validate")
    button(page, "Plant errors and look for them").click()
    expect(button(page, "Download the numbers")).to_be_visible(timeout=LONG)
    tall_screenshot(page, 1500, "validate.png")


def tall_screenshot(page, height: int, name: str) -> None:
    """Of a page that is longer than a screen, without the tip of the last button."""
    page.set_viewport_size({"width": 1440, "height": height})
    page.get_by_role("heading", level=1).click()
    page.wait_for_timeout(2500)
    page.screenshot(path=PICTURES / name)


def repair_screenshot(page, server) -> None:
    """The most suspicious cells of the ugly file repaired and measured."""
    open_sample(page, server, "Ugly")
    start(page)
    done(page)
    wrong = {87: "5,69", 106: "72", 101: "196", 70: "15.09.2023"}
    for row, text in wrong.items():
        page.get_by_role("textbox", name="Go to row").fill(str(row))
        page.get_by_role("textbox", name="Go to row").press("Enter")
        page.get_by_role("button", name=re.compile(f"^{re.escape(text)} ")).click()
        expect(page.get_by_role("button", name=re.compile("^Undo"))).to_be_visible()
        page.wait_for_timeout(1500)
    goto(page, "Repair")
    button(page, "Measure before and after").click()
    expect(button(page, "Measure again")).to_be_enabled(timeout=LONG)
    page.mouse.move(5, 5)  # away from the button, which shows its help
    page.wait_for_timeout(1500)
    page.screenshot(path=PICTURES / "repair.png")


if __name__ == "__main__":
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as made:
        chromium = playwright.chromium.launch(**how_to_launch())
        if "--screenshots" in sys.argv:
            screenshots(chromium, Path(made))
        elif "million" in sys.argv:
            measure_million(chromium, Path(made))
        else:
            with printed("app", "app"):
                measure(chromium, Path(made))
        chromium.close()
