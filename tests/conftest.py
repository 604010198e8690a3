import os
import subprocess
import sys
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest
from cases import random_table, values_of

from cellval.detect.surprise import surprise
from cellval.detect.suspicion import make_suspicion
from cellval.jobs import queue
from cellval.table.table import read
from cellval.valuation import value_cells

WAIT = 900  # seconds; on a busy machine background work steps far back
WALKS = Path(__file__).parent / "browser"


def pytest_sessionstart(session):
    """Kernels are compiled once, before all workers and servers do so at a time."""
    is_worker = hasattr(session.config, "workerinput")
    has_workers = getattr(session.config.option, "numprocesses", None)
    if is_worker or not has_workers or os.environ.get("NUMBA_DISABLE_JIT"):
        return
    words = "from cellval.jobs import warm_up; warm_up._compile({!r})"
    compiling = [
        subprocess.Popen([sys.executable, "-c", words.format(kind)])
        for kind in ("category", "number")
    ]
    assert not any(process.wait() for process in compiling)


def pytest_collection_modifyitems(items):
    """Walks wait for pages most of the time: let there be others beside each."""
    files = [list(own) for _, own in groupby(items, lambda item: item.path)]
    walks = [own for own in files if WALKS in own[0].path.parents]
    others = [own for own in files if WALKS not in own[0].path.parents]
    for k, own in enumerate(reversed(walks)):  # the shortest last
        others.insert(k * len(others) // len(walks), own)
    items[:] = [item for own in others for item in own]


@pytest.fixture(autouse=True, scope="session")
def home_of_tests(tmp_path_factory):
    """Projects of tests go nowhere near those of whoever runs them."""
    os.environ["CELLVAL_HOME"] = str(tmp_path_factory.mktemp("home"))


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
    lanes = queue.RUNS, queue.BESIDE
    jobs = [job for lane in lanes for job in (*lane.waiting, *lane.running)]
    for job in jobs:
        job.stop()
    assert all(job.wait(WAIT) for job in jobs)
