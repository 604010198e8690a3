import numpy as np
import pytest
from cases import random_table, values_of

from cellval.detect.surprise import surprise
from cellval.detect.suspicion import make_suspicion
from cellval.jobs import registry
from cellval.table.table import read
from cellval.valuation import value_cells

WAIT = 600  # seconds: however slow the machine is


@pytest.fixture(scope="session")
def davis():
    """Row 12 has weight and height swapped."""
    return read("sample_data/davis.csv", label="sex")


@pytest.fixture(scope="session")
def ranked(davis):
    """Davis with its cells ranked by suspicion."""
    values = value_cells(davis, n_neighbors=5)
    return make_suspicion(davis, values, surprise(davis))


@pytest.fixture(scope="session")
def large():
    """So many cells that only a part is drawn; rows 0 to 9 have no value."""
    rng = np.random.default_rng(0)
    table = random_table(0, 3000, ["decimal"] * 4)
    cells = rng.normal(0.001, 0.002, (3000, 4))
    cells[:10] = np.nan
    return make_suspicion(table, values_of(table, cells), surprise(table))


@pytest.fixture
def no_runs_left():
    """Runs of a test end with it."""
    yield
    jobs = list(registry._jobs.values())
    registry._jobs.clear()
    for job in jobs:
        job.stop()
    assert all(job.wait(WAIT) for job in jobs)
