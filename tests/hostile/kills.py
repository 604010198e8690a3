"""`python -m tests.hostile.kills [N]`: is anything lost when the server is killed?

N times (or 30) a person uploads, values, decides and repairs in a real browser, and at
a random moment the server is killed (-9, by its id) and started again; once more it is
killed when a page has just told of a repair. All that a page had told of must be there,
and nothing else but what was just being done; what was valued goes on to the values of
a run that nobody interrupted, bit for bit. Needs playwright and Chromium.
"""

import os
import random
import re
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from operator import ne
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pandas as pd
from playwright.sync_api import Browser, Error, Locator, Page, sync_playwright

import cellval
from cellval.project.shelf import Shelf
from cellval.text import content

sys.path[:0] = [str(Path(__file__).parents[1] / "browser")]
import steps  # noqa: E402
from conftest import Server, how_to_launch  # noqa: E402 - the path comes first
from steps import SAMPLES, button, sidebar, upload  # noqa: E402

PATIENCE = 15_000  # ms, for one answer of a page that may have no server any more
LONGEST = 80  # letters of a cell that the page shows above it
SMALL = 200  # rows: valued in a moment
LATEST = 30.0  # seconds after which the server is killed, at most
ROWS = (900, 150, 150)  # of tables: one is valued for some seconds, others soon
DECISIONS = {"Wrong": "error", "Fine": "fine", "Unsure": "unsure"}  # by their button


@dataclass
class Told:
    """What the page has told of a project."""

    link: str
    raw: bytes
    decisions: dict[tuple[int, str], str] = field(default_factory=dict)
    repairs: dict[tuple[int, str], str] = field(default_factory=dict)  # what is written
    pending: tuple[int, str] | None = None  # clicked, not yet answered
    is_valued: bool = False


class Person:
    """Works until the server dies under the hands."""

    def __init__(self, server: Server, rng: random.Random) -> None:
        self.server, self.random = server, rng
        self.told: list[Told] = []
        self.n_cut = 0  # runs that were killed behind a checkpoint

    @property
    def n_repaired(self) -> int:
        return sum(len(told.repairs) for told in self.told)

    def come(self, browser: Browser, patience: float) -> None:
        """With a browser that remembers nothing, and so many ms for each answer."""
        self.page, self.patience = browser.new_context().new_page(), patience
        self.page.set_default_timeout(patience)

    def see(self, locator: Locator, patience: float = 0) -> None:
        """Wait for it, as long as there is a server."""
        end = time.monotonic() + max(patience, self.patience) / 1000
        while not locator.is_visible():
            assert self.server.process.poll() is None, "the server is gone"
            assert time.monotonic() < end, f"not seen: {locator}"
            self.page.wait_for_timeout(50)

    def upload(self, *, anew: bool) -> None:
        """A new table; or one of the old ones, valued or not."""
        if not anew and self.told and self.random.random() < 0.4:
            self.now = self.random.choice(self.told)
            self.page.goto(f"{self.server.url}/?project={self.now.link}")
            self.see(sidebar(self.page).get_by_text(".csv"))
            return
        raw = table(self.random.choice(ROWS), self.random.randrange(10**6))
        self.page.goto(self.server.url)
        if self.page.get_by_text("Open another file").is_visible():
            self.page.get_by_text("Open another file").click()
        upload(self.page, {"name": "t.csv", "mimeType": "text/csv", "buffer": raw})
        self.see(button(self.page, "Value the cells"))
        self.page.wait_for_url(re.compile("project="))
        self.now = Told(query(self.page, "project"), raw)
        self.told.append(self.now)

    def value(self) -> None:
        bar = sidebar(self.page)
        done, fresh = bar.get_by_text("Done:"), bar.get_by_text("Not valued yet")
        # the other one, where the server was killed before there were values
        again = button(self.page, "Continue the run")
        again = again.or_(button(self.page, "Run it again"))
        self.see(done.or_(fresh).or_(again).first)
        if fresh.is_visible():
            button(self.page, "Value the cells").click()
        elif again.is_visible():
            again.click()
        self.see(done, 120_000)
        self.now.is_valued = True

    def to_cells(self) -> None:
        self.go_to("Inspection list")
        cells = self.page.get_by_role("radio", name="Cells", exact=True)
        self.see(cells)
        cells.click()
        self.see(self.page.get_by_label("Ranked by").first)  # only there
        panel = self.page.get_by_text(re.compile(r"^Row [\d,]+ ·|No cell selected$"))
        self.see(panel.last)

    def decide(self) -> None:
        """On the next suspect, or repair it, if nothing was decided on it."""
        self.page.wait_for_timeout(self.random.uniform(0, 300))
        before = self.page.url
        self.page.get_by_role("button", name=re.compile("^Next")).first.click()
        self.page.wait_for_url(partial(ne, before))
        number, _, column = query(self.page, "cell").partition(":")
        cell = int(number), column
        if cell in self.now.decisions:
            return
        # the address is told before the panel is drawn
        self.see(self.page.get_by_text(re.compile(f"^Row {int(number):,} ·")).first)
        if self.page.get_by_role("button", name=re.compile("Undo")).count():
            return  # of the cell before: look again
        self.now.pending = cell
        if self.random.random() < 0.5:
            self.now.repairs[cell] = self.repair()
            self.now.decisions[cell] = "error"
        else:
            self.now.decisions[cell] = self.mark()
        self.now.pending = None

    def mark(self) -> str:
        """What the cell at hand is said to be."""
        name = self.random.choice(list(DECISIONS))
        self.page.get_by_role("button", name=re.compile(f"^{name}")).click()
        self.see(self.page.get_by_role("button", name=re.compile("Undo")).first)
        return DECISIONS[name]

    def repair(self) -> str:
        """A suggestion for the cell at hand is taken, or it is blanked; what the page
        says is written now.
        """
        # those that change no other cell
        taken = self.page.get_by_role("button", name=re.compile("^(?!.* Makes ).* — "))
        if self.random.random() < 0.7 and taken.count():
            taken.first.click()
        else:
            button(self.page, "Blank it").click()
        said = self.page.get_by_role("heading", level=5).filter(has_text=" → ")
        self.see(said.first)
        return said.first.inner_text().rpartition(" → ")[2].strip()

    def go_to(self, title: str) -> None:
        self.page.get_by_test_id("stSidebarNavLink").filter(has_text=title).click()
        heading = self.page.get_by_role("heading", name=title, exact=True, level=1)
        self.see(heading)


def be_patient(milliseconds: float) -> None:
    steps.LONG = milliseconds
    steps.expect.set_options(timeout=milliseconds)


def query(page: Page, name: str) -> str:
    return parse_qs(urlsplit(page.url).query).get(name, [""])[0]


def table(n_rows: int, seed: int) -> bytes:
    """Some rows of Adult, with a few cells that do not fit."""
    adult = pd.read_csv(SAMPLES / "adult_2000.csv", dtype=str, keep_default_na=False)
    columns = adult.columns if n_rows > SMALL else adult.columns[[0, 2, 4, 12, -1]]
    some = adult.sample(n_rows, random_state=seed)[columns]
    rng = np.random.default_rng(seed)
    for row in rng.choice(n_rows, 12, replace=False):
        some.iloc[row, some.columns.get_loc("age")] = str(rng.integers(400, 999))
    return some.to_csv(index=False).encode()


def check(told: Told, shelf: Shelf) -> int:
    """What is stored is what was told of, and perhaps what was just being done. How
    many of its runs go on from a checkpoint.
    """
    project, may = shelf.by_link(told.link)
    try:
        assert may == "edit"
        assert project.source.raw == told.raw, "the file"
        stored = project.work.decisions
        written = {
            cell: content(repair.text, LONGEST)
            for cell, repair in project.work.repairs.items()
        }
        if told.pending in stored and told.pending not in told.decisions:
            told.decisions[told.pending] = stored[told.pending]
            if told.pending in written:
                told.repairs[told.pending] = written[told.pending]
        told.pending = None
        assert stored == told.decisions, (stored, told.decisions)
        assert written == told.repairs, (written, told.repairs)
        statuses = [run.status for run in project.runs]
        assert not told.is_valued or "done" in statuses, statuses
        assert not project.aside and not project.trouble
        return sum(run.status == "running" and 0 < run.done < 1 for run in project.runs)
    finally:
        project.close()


def killed_while(act: Callable[[], None], server: Server, seconds: float) -> None:
    """Something is done until the server, so many seconds later, is gone."""
    killer = threading.Timer(seconds, os.kill, (server.process.pid, signal.SIGKILL))
    killer.start()
    with suppress(Error, AssertionError):
        act()
    killer.join()
    server.process.wait()


def work(person: Person) -> None:
    person.upload(anew=False)
    person.value()
    person.to_cells()
    while True:
        person.decide()


def repair_one(person: Person) -> None:
    """In a new table: in an old one there may be nothing left to decide on."""
    before = person.n_repaired
    person.upload(anew=True)
    person.value()
    person.to_cells()
    while person.n_repaired == before:
        person.decide()


def check_all(person: Person, shelf: Shelf, when: str) -> None:
    person.page.context.close()
    n_cut = sum(check(told, shelf) for told in person.told)
    person.n_cut += n_cut
    n_decided = sum(len(told.decisions) for told in person.told)
    print(
        f"{when}: {len(person.told)} projects, {n_decided} decisions and "
        f"{person.n_repaired} repairs, all there; {n_cut} runs behind a checkpoint",
        flush=True,
    )


def check_values(told: Told, shelf: Shelf) -> None:
    """Those of the latest run, which goes on if it was cut short."""
    project, _ = shelf.by_link(told.link)
    *_, last = project.runs or [None]
    if last is not None:
        table = project.table_of(last)
        is_whole = last.status == "done"
        values = project.values_of(last, table) if is_whole else project.value()
        whole = cellval.value_cells(table)
        assert np.array_equal(values.values, whole.values), "other values"
        print(f"{told.link[:16]}: {last.status}; the values of a whole run")
    project.close()


def main(n: int) -> None:
    rng = random.Random(0)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as made:
        chromium = playwright.chromium.launch(**how_to_launch())
        server = Server(Path(made) / "log.txt")
        shelf = Shelf(server.home)
        person, long = Person(server, rng), steps.LONG
        be_patient(PATIENCE)  # a page without a server may hold anything for ever
        for k in range(n):
            person.come(chromium, PATIENCE)
            seconds = rng.uniform(0.5, LATEST)
            killed_while(lambda: work(person), server, seconds)
            check_all(person, shelf, f"{k + 1:3}: after {seconds:4.1f} s")
            server.start()
        be_patient(long)
        person.come(chromium, long)
        repair_one(person)
        server.process.kill()
        server.process.wait()
        check_all(person, shelf, "after a repair")
        chromium.close()
        for told in person.told:
            check_values(told, shelf)
        assert person.n_cut, "no run was killed behind a checkpoint"
        assert "Traceback" not in server.log.read_text(), server.log.read_text()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 30)
