"""Does the app answer while it runs? python -m benchmarks.clicks [--write]

Needs playwright and Chromium, and two quiet cores. A person opens Adult's 2,000 rows,
starts a run of several minutes and goes on working: cells, decisions, links to pages,
keys and edits, 200 clicks in all (a run that ends before is followed by another). Each
is waited for until its answer is seen; one without an answer after ten seconds counts
as lost. Then the same with the run stopped. With --write, into results/app.md.
"""

import random
import re
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Error, expect, sync_playwright

from benchmarks.pages import printed

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests" / "browser")]
from conftest import Server, how_to_launch  # noqa: E402 - the path comes first
from steps import CELL_ON_SCREEN, button, sidebar, start_slow  # noqa: E402

CLICKS = 200
PATIENCE = 10_000  # ms
OFTEN = 15  # ms
DRAWN = """
() => {
  const cells = [];
  for (const plot of document.querySelectorAll(".js-plotly-plot"))
    for (const trace of plot._fullData || [])
      if (trace.customdata?.[0]?.length > 8)
        cells.push(...Array.from(trace.customdata).map(d => [d[0], d[2], d[5]]));
  return cells;
}
"""
TOLD = """
([content, whose]) => {
  const starts = (tags, text) => Array.from(document.querySelectorAll(tags)).some(
    found => found.textContent.startsWith(text) && found.checkVisibility());
  return starts("h5", content) && starts("[data-testid=stCaptionContainer]", whose);
}
"""


class Act(NamedTuple):
    """Something a person does: a click that is waited for until its answer is seen."""

    kind: str
    click: Callable[[], None]
    answer: Callable[[], None]
    before: Callable[[], None] = lambda: None  # on the way to it


class Person:
    """Somebody who works with the pages; draws from one seed."""

    def __init__(self, page) -> None:
        self.page, self.random = page, random.Random(0)

    def acts(self) -> Iterator[Act]:
        """Rounds of all kinds of clicks, without end."""
        while True:
            yield self.link("Heatmap")
            for _ in range(5):
                yield self.cell()
            yield self.decide("Wrong")
            yield self.undo()
            for _ in range(3):
                yield self.key("j")
            yield self.key("k")
            yield self.link("Inspection list")
            yield self.cells_of_the_list()
            for _ in range(3):
                yield self.key("j")
            yield self.decide("Fine")
            yield self.undo()
            yield self.link("Explain a row")
            yield self.edit()
            yield self.reset()
            yield self.link("Columns")

    def link(self, title: str) -> Act:
        link = self.page.get_by_test_id("stSidebarNavLink").filter(has_text=title)
        heading = self.page.get_by_role("heading", name=title, exact=True, level=1)
        return Act("link to a page", link.click, lambda: self.see(heading))

    def cells_of_the_list(self) -> Act:
        listed = self.page.get_by_role("region", name="The cells to inspect").first
        choose = self.page.get_by_role("radio", name="Cells", exact=True)
        return Act("view of the list", choose.click, lambda: self.see(listed))

    def cell(self) -> Act:
        """A cell of the heatmap that is not the selected one."""
        self.page.wait_for_function(f"({DRAWN})().length > 0")
        cells = self.page.evaluate(DRAWN)
        row, column, name = self.random.choice(cells)
        while self.page.url.endswith(f"cell={int(row) + 1}%3A{column}"):
            row, column, name = self.random.choice(cells)
        wanted = [f"{column}:", f"{name.capitalize()} ·"]

        def press() -> None:
            self.aim(row, column)
            self.page.mouse.down()

        def answer() -> None:  # at a frame, and cheaply: the browser has enough to do
            self.page.wait_for_function(TOLD, arg=wanted)

        return Act("cell of the heatmap", self.page.mouse.up, answer, press)

    def aim(self, row: int, column: str) -> None:
        """As a hand does, which takes half a second and follows what moves."""
        for left in (60, 40, 25, 12, 5, 0):
            seen = self.page.wait_for_function(CELL_ON_SCREEN, arg=[row, column])
            x, y = seen.json_value()
            self.page.mouse.move(x - left, y - left / 2)
            self.page.wait_for_timeout(80)

    def decide(self, name: str) -> Act:
        found = self.page.get_by_role("button", name=re.compile(f"^{name}"))
        return Act("button", found.click, lambda: self.see(self.undo_button()))

    def undo(self) -> Act:
        gone = partial(self.not_see, self.undo_button())
        return Act("button", self.undo_button().click, gone)

    def undo_button(self):
        return self.page.get_by_role("button", name=re.compile("Undo"))

    def key(self, key: str) -> Act:
        """To the next or previous suspect: the address names another cell then."""
        before = self.page.url

        def answer() -> None:
            self.page.wait_for_url(lambda url: url != before, timeout=PATIENCE)

        return Act("key", lambda: self.page.keyboard.press(key), answer)

    def edit(self) -> Act:
        """Another label for the row, as a what-if."""
        label = self.page.get_by_role("combobox", name=re.compile("^Label:"))
        expect(label).to_be_visible(timeout=PATIENCE)
        now = label.input_value().removesuffix(" (now)")
        other = "<=50K" if now.startswith(">") else ">50K"

        def click() -> None:
            label.click()
            label.fill(other)
            label.press("Enter")

        return Act("edit", click, lambda: self.see(self.after()))

    def reset(self) -> Act:
        gone = partial(self.not_see, self.after())
        return Act("button", button(self.page, "Reset").click, gone)

    def after(self):
        return self.page.get_by_text(re.compile("After the change"))

    def see(self, locator) -> None:
        self.until(locator.is_visible)

    def not_see(self, locator) -> None:
        self.until(lambda: not locator.is_visible())

    def until(self, answered: Callable[[], bool]) -> None:
        """Looks often: Playwright's own waiting does every half second at last."""
        patience = time.monotonic() + PATIENCE / 1000
        while not answered():
            assert time.monotonic() < patience, "no answer"
            self.page.wait_for_timeout(OFTEN)


def work(page, follow: Callable[[], bool]) -> None:
    """Click and wait for answers; prints a line for each kind of click."""
    took: dict[str, list[float]] = defaultdict(list)
    person, pauses = Person(page), random.Random(1)
    acts = person.acts()
    for _ in range(CLICKS):
        if follow():  # begin a round anew
            acts = person.acts()
        kind, click, answer, before = next(acts)
        page.wait_for_timeout(pauses.uniform(200, 1500))
        before()
        began = time.monotonic()
        try:
            click()
            answer()
        except (AssertionError, Error) as fault:
            print(f"lost: {kind}: {str(fault).splitlines()[0]}", file=sys.stderr)
            took[kind].append(float("inf"))
        else:
            took[kind].append(time.monotonic() - began)
    took["all"] = [t for seconds in took.values() for t in seconds]
    for kind, seconds in took.items():
        lost = sum(t == float("inf") for t in seconds)
        p95 = sorted(seconds)[int(0.95 * len(seconds))]
        print(
            f"  {kind:20}{len(seconds):5} clicks{lost:4} lost, seconds to the answer: "
            f"{statistics.median(seconds):5.2f} median{p95:6.2f} at the 95th percentile"
        )


def measure(page, server: Server) -> None:
    """While runs go on, one after the other, and when the last is stopped."""
    orders = count()
    stop = button(page, "Stop the run")

    def start_if_none_runs() -> bool:
        if stop.is_visible():
            return False
        start_slow(page, server, next(orders))
        page.wait_for_timeout(5000)  # a person looks first
        return True

    print("While a run goes on (Adult, 2,000 rows)")
    work(page, start_if_none_runs)
    start_if_none_runs()
    stop.click()
    expect(sidebar(page).get_by_text("values so far are kept")).to_be_visible()
    print("The run stopped")
    work(page, lambda: False)


if __name__ == "__main__":
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as made:
        chromium = playwright.chromium.launch(**how_to_launch())
        server = Server(Path(made) / "log.txt")
        page = chromium.new_context(viewport={"width": 1280, "height": 900}).new_page()
        page.set_default_timeout(PATIENCE)
        with printed("app", "clicks"):
            measure(page, server)
        server.close()
        chromium.close()
