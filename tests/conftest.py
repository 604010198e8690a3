import pytest

from cellval.jobs import registry
from cellval.table.table import read

WAIT = 120  # seconds


@pytest.fixture(scope="session")
def davis():
    """Row 12 has weight and height swapped."""
    return read("sample_data/davis.csv", label="sex")


@pytest.fixture
def no_runs_left():
    """Runs of a test end with it."""
    yield
    jobs = list(registry._jobs.values())
    registry._jobs.clear()
    for job in jobs:
        job.stop()
    assert all(job.wait(WAIT) for job in jobs)
