import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import helpers
import numpy as np
import pytest
from streamlit.runtime.pages_manager import PagesManager

import cellval
from cellval.jobs import background
from cellval.knn import engine

HERE = Path(__file__).parent
SCANNER = "streamlit.components.v2.manifest_scanner"
# Streamlit's own; nothing we could do about them
WARNINGS = ("DeprecationWarning", "pytest.PytestUnraisableExceptionWarning")


def pytest_collection_modifyitems(items):
    for item in items:
        if HERE in item.path.parents:
            for warning in WARNINGS:
                item.add_marker(pytest.mark.filterwarnings(f"default::{warning}"))


@pytest.fixture(autouse=True)
def app_runs_first(monkeypatch, no_runs_left):
    """As on a server once app.py has run; AppTest forgets that before each run."""
    made = PagesManager.__init__

    def init(self, *args, **kwargs):
        made(self, *args, **kwargs)
        PagesManager.uses_pages_directory = False

    monkeypatch.setattr(PagesManager, "__init__", init)


@pytest.fixture(autouse=True)
def quick_estimates(monkeypatch):
    """What a run will take is tried with less work: no page test asks how well."""
    monkeypatch.setattr(engine, "TIMED", 2e4)
    monkeypatch.setattr(engine, "TRIED", 2e5)


@pytest.fixture(autouse=True)
def no_components(monkeypatch):
    """AppTest reads the metadata of all packages that are installed, every time."""
    with suppress(ImportError):  # earlier versions of Streamlit do not
        monkeypatch.setattr(f"{SCANNER}.scan_component_manifests", list)


@pytest.fixture(scope="session")
def davis():
    """A finished run."""
    return helpers.valued(helpers.davis_table())


@pytest.fixture(scope="session")
def wide():
    """Many rows, ids, text that looks like Markdown and HTML, held-out rows."""
    rng = np.random.default_rng(0)
    lines = ["key;**a**;<b>b</b>;c;y"]
    for k in range(600):
        y = k % 2
        a, b = rng.normal(y), rng.normal(y)
        a = 50.0 if k == 77 else a
        text, label = ("_x_", "yes") if y else ("# h", "no")
        lines.append(f"*k{k}*;{a:.2f};{b:.2f};{text};{label}")
    table = cellval.read("\n".join(lines).encode(), label="y", id_column="key")
    return helpers.valued(table, n_neighbors=3, test=0.2)


@pytest.fixture
def endless(monkeypatch):
    """Runs that show one snapshot after the other until they are stopped."""
    iter_chosen = background.iter_chosen

    def iter_endless(table, options, **how):
        first, *_, last = iter_chosen(table, options, **how)
        yield first
        while True:
            yield replace(last, done=0.5, seconds_left=60.0)
            time.sleep(0.01)

    monkeypatch.setattr(background, "iter_chosen", iter_endless)
    return monkeypatch
