"""`python -m tests.hostile.full_disk`: is anything lost when the disk is full?

The data folder is a small file system of its own (so it takes root, or `unshare -rm`
before the command). Again and again it is filled up to some bytes, or made read-only,
while a person uploads, values and decides; then the server is killed and started again.
The page must say that it does not keep what it cannot keep, go on, keep all when there
is room again, and nothing that was kept before may be lost. Needs playwright and
Chromium.
"""

import os
import random
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from operator import ne
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

from cellval.project.shelf import Shelf
from tests.hostile.kills import query, table

sys.path[:0] = [str(Path(__file__).parents[1] / "browser")]
from conftest import Server, how_to_launch  # noqa: E402 - the path comes first
from steps import button, done, sidebar, start, upload  # noqa: E402

MEGABYTES = 6
LEFT = (0, 4_096, 20_000, 60_000, 200_000)  # bytes that are left on a full disk
PATIENCE = 60_000  # ms
NOT_KEPT = "Not kept:"


def mount(folder: Path, *options: str) -> None:
    how = ",".join((f"size={MEGABYTES}m", *options))
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", how, "tmpfs", str(folder)], check=True
    )


def fill(folder: Path, left: int) -> Path:
    """A file that leaves so many bytes."""
    space = os.statvfs(folder)
    path = folder / "filler"
    path.write_bytes(b"\0" * max(0, space.f_bavail * space.f_frsize - left))
    return path


def read_only(folder: Path, is_so: bool) -> None:
    how = f"remount,{'ro' if is_so else 'rw'}"
    subprocess.run(["mount", "-o", how, str(folder)], check=True)


def decide(page: Page, known: set[tuple[int, str]]) -> tuple[int, str]:
    """On the next suspect that is not decided on."""
    cells = page.get_by_role("radio", name="Cells", exact=True)
    cells.click()
    expect(page.get_by_label("Ranked by").first).to_be_visible()  # only there
    panel = page.get_by_text(re.compile(r"^Row [\d,]+ ·|No cell selected$"))
    expect(panel.last).to_be_visible()
    while True:
        before = page.url
        following = page.get_by_role("button", name=re.compile("^Next"))
        expect(following).to_have_count(1)  # two stand there while a page is drawn
        following.click()
        page.wait_for_url(partial(ne, before))
        number, _, column = query(page, "cell").partition(":")
        cell = int(number), column
        if cell in known:
            continue
        row = page.get_by_text(re.compile(f"^Row {int(number):,} ·"))
        expect(row.first).to_be_visible()
        undo = page.get_by_role("button", name=re.compile("Undo"))
        expect(undo).to_have_count(0)
        page.get_by_role("button", name=re.compile("^Wrong")).click()
        expect(undo.first).to_be_visible()
        return cell


def restarted(
    server: Server, page: Page, link: str, *, before: Callable[[], None] | None = None
) -> None:
    os.kill(server.process.pid, signal.SIGKILL)
    server.process.wait()
    if before is not None:
        before()
    server.start()
    page.goto(f"{server.url}/inspect?project={link}")
    expect(sidebar(page).get_by_text("t.csv")).to_be_visible()


def stored(shelf: Shelf, link: str) -> set[tuple[int, str]]:
    project, _ = shelf.by_link(link)
    try:
        return set(project.work.decisions)
    finally:
        project.close()


def open_new(page: Page, server: Server, seed: int) -> None:
    page.goto(server.url)
    if page.get_by_text("Open another file").is_visible():
        page.get_by_text("Open another file").click()
    file = {"name": "t.csv", "mimeType": "text/csv", "buffer": table(200, seed)}
    upload(page, file)
    expect(button(page, "Value the cells")).to_be_enabled()


def keep_again(page: Page, shelf: Shelf) -> None:
    """There is room: what was in memory only is on disk, behind the same link."""
    trouble = sidebar(page).get_by_text(NOT_KEPT)
    if trouble.is_visible():
        button(page, "Try again").click()
        expect(trouble).to_have_count(0)
    project, _ = shelf.by_link(query(page, "project"))
    assert project.values is not None
    project.close()
    shelf.delete(project.id)  # room for the next one


def to_list(page: Page) -> None:
    links = page.get_by_test_id("stSidebarNavLink")
    links.filter(has_text="Inspection list").click()
    heading = page.get_by_role("heading", name="Inspection list", level=1)
    expect(heading).to_be_visible()


def main() -> None:
    rng = random.Random(0)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as made:
        chromium = playwright.chromium.launch(**how_to_launch())
        home = Path(made) / "home"
        home.mkdir()
        mount(home)
        server = Server(Path(made) / "log.txt")
        shelf = Shelf(home)
        page = chromium.new_page()
        page.set_default_timeout(PATIENCE)
        expect.set_options(timeout=PATIENCE)
        trouble = sidebar(page).get_by_text(NOT_KEPT)
        try:
            open_new(page, server, 0)
            link = query(page, "project")
            start(page)
            done(page)
            to_list(page)
            kept = {decide(page, set()) for _ in range(1)}
            for left in (*LEFT, "read-only"):
                if left == "read-only":  # which needs that nothing is open there
                    restarted(server, page, link, before=partial(read_only, home, True))
                    expect(trouble).to_be_visible()
                else:
                    fill(home, left)
                tried = set(kept)
                for _ in range(rng.randrange(2, 5)):
                    cell = decide(page, tried)
                    tried.add(cell)
                    if not trouble.is_visible():
                        kept.add(cell)  # the page says nothing else
                said = trouble.is_visible()
                other = chromium.new_page()  # somebody comes to a full disk
                other.set_default_timeout(PATIENCE)
                open_new(other, server, rng.randrange(10**6))
                start(other)
                done(other)
                assert kept <= stored(shelf, link), "lost"
                if left == "read-only":
                    read_only(home, False)
                else:
                    (home / "filler").unlink()
                keep_again(other, shelf)
                other.close()
                if said and rng.random() < 0.5:  # there is room again
                    button(page, "Try again").click()
                    expect(trouble).to_have_count(0)
                    kept = tried
                    assert stored(shelf, link) == kept, "not kept again"
                restarted(server, page, link)
                found = stored(shelf, link)
                assert kept <= found <= tried, (kept, found, tried)
                kept = found
                words = "said that it is not kept" if said else "all was kept"
                print(f"{left}: {words}; {len(found)} decisions there", flush=True)
        finally:
            server.close()
            chromium.close()
            subprocess.run(["umount", "-l", str(home)], check=False)
        log = server.log.read_text()
        assert "Traceback" not in log, log


if __name__ == "__main__":
    main()
