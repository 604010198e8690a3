"""`python -m tests.hostile.crowd [SECONDS] [PEOPLE]`: many people on one server.

Eight (or PEOPLE) browsers upload, value, decide, undo, reload, go from page to page and
now and then to another table, which they value, for five minutes (or SECONDS), each
with tables whose names nobody else has. Each does each of it at least once. No page
may show an error or anybody else's names, no click may stay without its answer, what
was decided must be there after a reload, and when all are gone the server's memory must
be back at the level it had after the first of them (looked at if they stay a minute at
least). Needs playwright and Chromium; the browser tests have a short form of it.
"""

import asyncio
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path

import pandas as pd
from playwright.async_api import (
    Browser,
    ConsoleMessage,
    Page,
    async_playwright,
    expect,
)

sys.path[:0] = [str(Path(__file__).parents[1] / "browser")]
from conftest import Server, how_to_launch  # noqa: E402 - the path comes first
from steps import LONG as PATIENCE  # noqa: E402
from steps import SAMPLES  # noqa: E402

FORGOTTEN = 200.0  # seconds after which a server forgets who has gone
LEVEL = 1.3  # times the memory after one person, at most
LONG = 60.0  # seconds from which on memory is looked at
PAGES = ("Heatmap", "Inspection list", "Explain a row", "Columns", "Repair", "Export")


class Person:
    def __init__(self, page: Page, url: str, name: str, others: list[str]) -> None:
        self.page, self.url, self.name, self.others = page, url, name, others
        self.random = random.Random(name)
        self.done: Counter[str] = Counter()
        self.n_files, self.file = 0, ""  # at hand
        self.decided: set[str] = set()  # in it
        self.complaints: list[str] = []  # of the browser
        page.on("pageerror", lambda error: self.complaints.append(f"{error.stack}"))
        page.on("console", self.hear)

    async def work(self, until: float) -> None:
        often, seldom = [self.decide, self.look] * 4, [self.reload] * 2
        acts = [self.value_another, *often, *seldom]
        while time.monotonic() < until:
            await self.do(self.random.choice(acts))
        for act in acts:
            if not self.done[act.__name__]:
                await self.do(act)

    async def do(self, act: Callable[[], Awaitable[None]]) -> None:
        await act()
        await self.check()
        self.done[act.__name__] += 1
        await self.page.wait_for_timeout(self.random.uniform(200, 1500))

    async def open(self) -> None:
        await self.page.goto(self.url)
        await self.value()
        await self.check()

    async def value_another(self) -> None:
        """The one before is left as it is."""
        await self.go_to("Data")
        await self.page.get_by_text("Open another file").first.click()
        await self.value()

    async def value(self) -> None:
        self.n_files, self.decided = self.n_files + 1, set()
        self.file = f"{self.name}{self.n_files}.csv"
        raw = table(self.name, self.n_files)
        app = self.page.get_by_test_id("stApp")
        await expect(app).to_have_attribute("data-test-script-state", "notRunning")
        chooser = self.page.locator("input[type=file]").first
        file = {"name": self.file, "mimeType": "text/csv", "buffer": raw}
        await chooser.set_input_files(file)
        await expect(self.sidebar().get_by_text(self.file)).to_be_visible()
        await expect(self.sidebar().get_by_text("Not valued yet")).to_be_visible()
        start = self.page.get_by_role("button", name="Value the cells")
        await expect(start).to_be_enabled()
        await start.click()
        await expect(self.sidebar().get_by_text("Done:")).to_be_visible()

    def sidebar(self):
        return self.page.get_by_test_id("stSidebar")

    async def go_to(self, title: str) -> None:
        links = self.page.get_by_test_id("stSidebarNavLink")
        await links.filter(has_text=title).click()
        heading = self.page.get_by_role("heading", name=title, exact=True, level=1)
        await expect(heading).to_be_visible()

    async def look(self) -> None:
        await self.go_to(self.random.choice(PAGES))

    async def decide(self) -> None:
        """On the next suspect; half of them are taken back."""
        await self.go_to("Inspection list")
        cells = self.page.get_by_role("radio", name="Cells", exact=True)
        await cells.click()
        await expect(cells).to_be_checked()
        await expect(self.page.get_by_label("Ranked by").first).to_be_visible()
        # The address names the selected cell again before its panel is drawn.
        panel = self.page.get_by_text(re.compile(r"^Row [\d,]+ ·|No cell selected$"))
        await expect(panel.last).to_be_visible()
        before = self.page.url
        following = self.page.get_by_role("button", name=re.compile("^Next"))
        if not await following.is_enabled():
            return
        await following.click()
        await self.page.wait_for_url(lambda url: url != before)
        cell = self.page.url.partition("cell=")[2]
        row = f"^Row {int(cell.partition('%3A')[0]):,} ·"
        await expect(self.page.get_by_text(re.compile(row)).first).to_be_visible()
        undo = self.page.get_by_role("button", name=re.compile("^Undo")).first
        wrong = self.page.get_by_role("button", name=re.compile("^Wrong"))
        if cell in self.decided:
            return
        await wrong.click()
        await expect(undo).to_be_visible()
        self.decided.add(cell)
        if self.random.random() < 0.5:
            await undo.click()
            await expect(undo).to_be_hidden()
            self.decided.remove(cell)

    async def reload(self) -> None:
        """All that was decided is there again."""
        await self.page.reload()
        await expect(self.sidebar().get_by_text(self.file)).to_be_visible()
        await self.go_to("Repair")
        if n := len(self.decided):
            words = f"{n} flagged cell{'s' * (n != 1)}"
            await expect(self.page.get_by_text(words).first).to_be_visible()

    def hear(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.complaints.append(message.text)

    async def tell(self) -> None:
        """What they see, for whoever looks for a fault."""
        seen = await self.page.locator("body").aria_snapshot()
        print(f"{self.name} at {self.page.url}:\n{seen}\n", flush=True)
        print(*self.complaints[-5:], sep="\n", flush=True)

    async def check(self) -> None:
        await expect(self.page.get_by_test_id("stException")).to_have_count(0)
        text = await self.page.inner_text("body")
        assert self.name in text, f"{self.name} does not see their own file"
        seen = [other for other in self.others if other in text]
        assert not seen, f"{self.name} sees {seen}"


def table(name: str, n: int) -> bytes:
    """Some rows of Adult, others each time; columns and texts bear a person's name."""
    adult = pd.read_csv(SAMPLES / "adult_2000.csv", dtype=str, keep_default_na=False)
    adult = adult[[*adult.columns[:7], adult.columns[-1]]]  # so that turns come soon
    some = adult.sample(120, random_state=n * len(name) * ord(name[-1]))
    some["age"] = [str(900 + k) if k < 8 else age for k, age in enumerate(some["age"])]
    some["workclass"] = name + some["workclass"]
    return some.rename(columns={"education": f"education_{name}"}).to_csv().encode()


def memory(server: Server) -> float:
    """Of the server's process, in MB."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024


async def live(chromium: Browser, url: str, names: list[str], seconds: float) -> None:
    """All of them come, work for a while, and go."""
    people = []
    for name in names:
        page = await (await chromium.new_context()).new_page()
        page.set_default_timeout(PATIENCE)
        others = [other for other in names if other != name]
        people.append(Person(page, url, name, others))
    try:
        began = time.monotonic()
        await asyncio.gather(*(person.open() for person in people))
        print(f"{len(people)} valued after {time.monotonic() - began:.0f} s")
        until = time.monotonic() + seconds
        await asyncio.gather(*(person.work(until) for person in people))
    except BaseException:
        for person in people:
            await person.tell()
        raise
    for person in people:
        print(f"{person.name}: {dict(person.done)}, {len(person.decided)} decided")
        await person.page.context.close()


async def main(seconds: float, n: int) -> None:
    expect.set_options(timeout=PATIENCE)
    names = [f"person{chr(97 + k)}" for k in range(n)]
    if seconds >= LONG:  # or memory would grow by what is compiled meanwhile
        compiled = "from cellval.jobs.warm_up import warm_up; warm_up().join()"
        subprocess.run([sys.executable, "-c", compiled], check=True)
    with tempfile.TemporaryDirectory() as made:
        server = Server(Path(made) / "log.txt", runs_at_once=1)
        try:
            async with async_playwright() as playwright:
                chromium = await playwright.chromium.launch(**how_to_launch())
                if seconds >= LONG:
                    await live(chromium, server.url, ["first"], 20)
                level = memory(server)
                await live(chromium, server.url, names, seconds)
                most = memory(server)
                await chromium.close()
            if seconds >= LONG:
                is_back(server, level, most)
        finally:
            server.close()
        log = server.log.read_text()
        assert "Traceback" not in log, log


def is_back(server: Server, level: float, most: float) -> None:
    """Memory, after those who have gone are forgotten."""
    end = time.monotonic() + FORGOTTEN
    while (now := memory(server)) > LEVEL * level and time.monotonic() < end:
        time.sleep(5)
    print(f"memory: {level:.0f} MB after one, {most:.0f} MB with all, then {now:.0f}")
    assert now <= LEVEL * level, "memory is not given back"


if __name__ == "__main__":
    given = [float(word) for word in sys.argv[1:]]
    asyncio.run(main(*(given[0] if given else 300.0, int([*given, 8, 8][1]))))
