import pytest

from cellval.jobs import registry

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


@pytest.fixture
def no_runs_left():
    """Runs of a test end with it."""

    yield
    for job in list(registry._jobs.values()):
        job.stop()
        assert job.wait(WAIT)
    registry._jobs.clear()
