import pytest

from cellval.jobs import registry
from cellval.table.table import read

WAIT = 120  # seconds


@pytest.fixture
def app_runs_first(monkeypatch):
    """As on a server once app.py has run; AppTest forgets that before each run."""
    from streamlit.runtime.pages_manager import PagesManager

    made = PagesManager.__init__

    def init(self, *args, **kwargs):
        made(self, *args, **kwargs)
        PagesManager.uses_pages_directory = False

    monkeypatch.setattr(PagesManager, "__init__", init)


@pytest.fixture(scope="session")
def davis():
    """Row 12 has weight and height swapped."""
    return read("sample_data/davis.csv", label="sex")


@pytest.fixture
def no_runs_left():
    """Runs of a test end with it."""

    yield
    assert registry.stop_all(WAIT)
