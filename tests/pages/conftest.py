import time
from pathlib import Path

import helpers
import pytest
from streamlit.runtime.pages_manager import PagesManager

from cellval.jobs import background

HERE = Path(__file__).parent
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


@pytest.fixture(scope="session")
def davis():
    """A finished run."""
    return helpers.valued(helpers.davis_table())


@pytest.fixture
def endless(monkeypatch):
    """Runs that show one snapshot after the other until they are stopped."""
    iter_chosen = background.iter_chosen

    def iter_endless(table, options):
        snapshots = list(iter_chosen(table, options))
        yield snapshots[0]
        while True:
            yield snapshots[-2]
            time.sleep(0.01)

    monkeypatch.setattr(background, "iter_chosen", iter_endless)
