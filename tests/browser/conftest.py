"""A real server and a real browser. Skipped, with the reason, where one is missing."""

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
# Streamlit's word on a click on a file that is made on demand, when the page was drawn
# anew just then. Walks click again (see `steps.download`), as a person would.
LATE = re.compile(
    r"^.* Error executing deferred callable .*\nTraceback.*\n(?:  .*\n)*"
    r".*MediaFileStorageError: Deferred file \w+ not found$",
    re.M,
)

VIEW = {"width": 1280, "height": 900}
# What moves takes a tenth of the time, and shows nothing that is looked for.
STILL = """
addEventListener("DOMContentLoaded", () => {
  const style = document.createElement("style");
  style.textContent =
    "*, ::before, ::after { animation: none !important; transition: none !important }";
  document.head.appendChild(style);
});
"""


def chromium_path():
    names = (os.environ.get("CHROMIUM"), "chromium-headless-shell")  # lightest first
    names += ("/usr/bin/chromium", "chromium", "chromium-browser", "google-chrome")
    return next(
        (found for name in names if name and (found := shutil.which(name))), None
    )


def how_to_launch():
    """Chromium, here and in what is run by hand."""
    arguments = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
    return {"executable_path": chromium_path(), "args": arguments}


def pytest_collection_modifyitems(items):
    reason = None
    try:
        import playwright.sync_api  # noqa: F401 - only whether it is there
    except ImportError:
        reason = "playwright is not installed"
    if chromium_path() is None:
        reason = "no chromium: install it or set CHROMIUM to its path"
    if reason and os.environ.get("CELLVAL_REQUIRE_BROWSER"):
        raise pytest.UsageError(f"the browser tests must run, but {reason}")
    for item in items:
        if HERE in item.path.parents:
            # asyncio and subprocess leave sockets to the garbage collector
            item.add_marker(pytest.mark.filterwarnings("default::ResourceWarning"))
            if reason:
                item.add_marker(pytest.mark.skip(reason=reason))


def free_port():
    with socket.socket() as sock:
        sock.bind(("localhost", 0))
        return sock.getsockname()[1]


class Server:
    """`streamlit run app.py` on a free port."""

    def __init__(self, log, runs_at_once=8, *, options=(), env=None, before=None):
        self.log = Path(log)
        self.home = self.log.with_name("home")
        self.port, self.runs_at_once = free_port(), runs_at_once
        self.url = f"http://localhost:{self.port}"
        self.options, self.env = options, env or {}
        if before is not None:
            before(self)
        self.start()

    def start(self):
        """Also again, at the same place with the same data."""
        command = [sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py")]
        command += ["--server.port", str(self.port), "--server.headless", "true"]
        command += ["--server.fileWatcherType", "none", *self.options]
        with self.log.open("ab") as out:
            self.process = subprocess.Popen(
                command,
                cwd=ROOT,
                env={
                    **os.environ,
                    "PYTHONPATH": str(ROOT),
                    "CELLVAL_HOME": str(self.home),
                    "CELLVAL_RUNS_AT_ONCE": str(self.runs_at_once),
                    **self.env,
                },
                stdout=out,
                stderr=subprocess.STDOUT,
            )
        self._wait()

    def _wait(self, seconds=600):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            assert self.process.poll() is None, self.log.read_text()
            try:
                with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=1):
                    return
            except (urllib.error.URLError, OSError):
                time.sleep(0.1)
        raise AssertionError(f"no server after {seconds} s: {self.log.read_text()}")

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    running = Server(tmp_path_factory.mktemp("server") / "log.txt")
    yield running
    running.close()
    assert "Traceback" not in LATE.sub("", running.log.read_text())


@pytest.fixture
def fresh_server(tmp_path):
    """A server that nobody has visited."""
    running = Server(tmp_path / "log.txt", runs_at_once=1)
    yield running
    running.close()


@pytest.fixture(scope="session")
def chromium():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**how_to_launch())
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def hosts():
    """Those that pages ask."""
    asked = set()
    yield asked
    assert asked <= {"localhost"}, "a page asks another host"


@pytest.fixture(scope="session")
def person(chromium, hosts):
    """Makes a person: a page in a browser context of its own."""
    from browser.steps import HEARD, LONG, take_time

    take_time()

    def note_host(request):
        if request.url.startswith(("http", "ws")):
            hosts.add(urllib.parse.urlsplit(request.url).hostname)

    def make(**options):
        context = chromium.new_context(viewport=VIEW, accept_downloads=True, **options)
        context.add_init_script(STILL)
        context.add_init_script(HEARD)
        context.on("request", note_host)
        page = context.new_page()
        page.set_default_timeout(LONG)
        return page

    return make


def leave(page):
    """A run that a failed test left behind would slow down all others."""
    from browser.steps import click_if_there

    click_if_there(page.get_by_role("button", name="Stop the run", exact=True))


@pytest.fixture
def new_person(person):
    """Makes persons who are there for one walk."""
    pages = []

    def make(**options):
        pages.append(person(**options))
        return pages[-1]

    yield make
    for page in pages:
        leave(page)
        page.context.close()


@pytest.fixture(scope="session")
def one_person(person):
    return person()


@pytest.fixture
def page(one_person):
    """One for all walks, which loads the app in half the time from the second on; it
    remembers nothing of the walk before.
    """
    one_person.set_viewport_size(VIEW)
    yield one_person
    leave(one_person)
    one_person.evaluate("localStorage.clear(); sessionStorage.clear()")
    one_person.context.clear_cookies()
