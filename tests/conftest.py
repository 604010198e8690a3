import pytest

from cellval.jobs import registry

WAIT = 120  # seconds


@pytest.fixture
def no_runs_left():
    """Runs of a test end with it."""
    yield
    assert registry.stop_all(WAIT)
