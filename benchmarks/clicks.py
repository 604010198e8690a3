"""Does the app answer while it runs? python -m benchmarks.clicks [--write]

Needs playwright and Chromium, and two quiet cores. A person opens Adult's 2,000 rows,
starts a run of several minutes and goes on working: cells, decisions, links to pages,
keys and edits, 200 clicks in all. Each is waited for until its answer is seen; one
without an answer after ten seconds counts as lost. Then the same with the run stopped.
With --write, into results/app.md.
"""

import random
import re
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

from playwright.sync_api import Error, expect, sync_playwright

from benchmarks.pages import printed

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests" / "browser")]
from conftest import Server, chromium_path  # noqa: E402 - the path comes first
from steps import CELL_ON_SCREEN, button, sidebar, start_slow  # noqa: E402

CLICKS = 200
PATIENCE = 10_000  # ms
DRAWN = """
() => {
  for (const plot of document.querySelectorAll(".js-plotly-plot"))
    for (const trace of plot._fullData || [])
      if (trace.type === "scattergl" && (trace.customdata || []).length > 100)
        return Array.from(trace.customdata).map(d => [d[0], d[2], d[5]]);
  return [];
}
"""
Act = tuple[str, Callable[[], None], Callable[[], None]]  # kind, click, answer


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
        return "link to a page", link.click, lambda: self.see(heading)

    def cell(self) -> Act:
        """A cell of the heatmap that is not the selected one."""
        self.page.wait_for_function(f"({DRAWN})().length > 0")
        row, column, name = self.random.choice(self.page.evaluate(DRAWN))
        at = self.page.wait_for_function(CELL_ON_SCREEN, arg=[row, column]).json_value()
        title = re.compile(f"^{re.escape(name.capitalize())} ·")
        content = re.compile(f"^{re.escape(column)}:")

        def answer() -> None:
            self.see(self.page.get_by_text(title).first)
            self.see(self.page.get_by_role("heading", name=content, level=5))

        return "cell of the heatmap", lambda: self.page.mouse.click(*at), answer

    def decide(self, name: str) -> Act:
        found = self.page.get_by_role("button", name=re.compile(f"^{name}"))
        return "button", found.click, lambda: self.see(self.undo_button())

    def undo(self) -> Act:
        gone = lambda: expect(self.undo_button()).to_have_count(0, timeout=PATIENCE)  # noqa: E731
        return "button", self.undo_button().click, gone

    def undo_button(self):
        return self.page.get_by_role("button", name=re.compile("Undo Z$|^undo Undo"))

    def key(self, key: str) -> Act:
        """To the next or previous suspect: the address names another cell then."""
        before = self.page.url

        def answer() -> None:
            self.page.wait_for_url(lambda url: url != before, timeout=PATIENCE)

        return "key", lambda: self.page.keyboard.press(key), answer

    def edit(self) -> Act:
        """Another label for the row, as a what-if."""
        label = self.page.get_by_role("combobox", name=re.compile("^Label"))
        expect(label).to_be_visible(timeout=PATIENCE)
        now = label.input_value().removesuffix(" (now)")
        other = "<=50K" if now.startswith(">") else ">50K"

        def click() -> None:
            label.click()
            label.fill(other)
            label.press("Enter")

        return "edit", click, lambda: self.see(self.after())

    def reset(self) -> Act:
        gone = lambda: expect(self.after()).to_have_count(0, timeout=PATIENCE)  # noqa: E731
        return "button", button(self.page, "Reset").click, gone

    def after(self):
        return self.page.get_by_text(re.compile("After the change"))

    def see(self, locator) -> None:
        expect(locator).to_be_visible(timeout=PATIENCE)


def work(page, pauses: random.Random) -> None:
    """Click and wait for answers; prints a line for each kind of click."""
    took: dict[str, list[float]] = defaultdict(list)
    acts = Person(page).acts()
    for _ in range(CLICKS):
        kind, click, answer = next(acts)
        page.wait_for_timeout(pauses.uniform(200, 1500))
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


if __name__ == "__main__":
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as made:
        chromium = playwright.chromium.launch(
            executable_path=chromium_path(),
            args=["--no-sandbox", "--disable-dev-shm-usage"],
        )
        server = Server(Path(made) / "log.txt")
        page = chromium.new_context(viewport={"width": 1280, "height": 900}).new_page()
        page.set_default_timeout(PATIENCE)
        with printed("app", "clicks"):
            start_slow(page, server)
            print("While a run goes on (Adult, 2,000 rows)")
            work(page, random.Random(1))
            assert button(page, "Stop the run").is_visible(), "the run was too short"
            button(page, "Stop the run").click()
            expect(sidebar(page).get_by_text("values so far are kept")).to_be_visible()
            print("The run stopped")
            work(page, random.Random(1))
        server.close()
        chromium.close()
