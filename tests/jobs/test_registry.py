"""All valuations of this process, found by their id."""

import gc
import time
import weakref

import pytest
from cases import random_table
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from cellval.jobs import registry
from cellval.table.table import Table
from cellval.values.options import RunOptions

WAIT = 600  # the first run on a machine compiles

pytestmark = pytest.mark.usefixtures("no_runs_left")


def slow(rows, columns):
    time.sleep(0.02)
    return float(len(rows) * len(columns))


def test_a_long_round_can_be_stopped(davis):
    job = registry.start(davis, RunOptions(method="mc", model=slow))
    while job.progress.done == 0:
        time.sleep(0.05)
    assert job.progress.done < 0.5 and job.status == "running"
    job.stop()
    assert job.wait(WAIT), "the workers end within the round"
    assert job.values is None and job.status == "stopped"


@pytest.mark.parametrize("method", ["mc", "oob", "loo"])
def test_methods_run_in_the_background(method, davis):
    rounds = {} if method == "loo" else {"rounds": 20}
    job = registry.start(davis, RunOptions(method=method, **rounds))
    assert job.wait(WAIT) and job.status == "done", job.error
    assert job.progress.seen and job.values is not None and job.surprise is not None


def test_a_stopped_run_leaves_others_alone(davis):
    few = Table.from_frame(davis.cells.iloc[:30], label="sex")
    slow_model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=200))
    options = {"method": "mc", "model": slow_model, "test": davis}
    first = registry.start(few, RunOptions(**options, rounds=500))
    second = registry.start(few, RunOptions(**options, rounds=1))
    first.stop()
    assert second.wait(4 * WAIT) and second.status == "done", second.error
    assert first.wait(WAIT)


@pytest.fixture(scope="module")
def table():
    return random_table(0, 60, ["number", "number", "category"])


def test_a_run_is_found_by_its_id_only(table):
    job, other = (registry.start(table, RunOptions()) for _ in range(2))
    assert job.id != other.id
    assert registry.get(job.id) is job
    assert registry.get("no such id") is None
    assert registry.get(None) is None


def test_old_runs_are_forgotten(table, monkeypatch):
    monkeypatch.setattr(registry, "KEPT_JOBS", 3)
    made = []
    for _ in range(6):
        job = registry.start(table, RunOptions(n_neighbors=1))
        assert job.wait(WAIT)
        made.append(job)
    assert [registry.get(job.id) is not None for job in made] == 3 * [False] + 3 * [
        True
    ]
    gone = weakref.ref(made[0])
    del made, job
    gc.collect()
    assert gone() is None


def test_large_runs_are_forgotten_sooner_but_never_the_newest(table, monkeypatch):
    monkeypatch.setattr(registry, "KEPT_CELLS", 1)
    made = [registry.start(table, RunOptions(n_neighbors=1)) for _ in range(3)]
    assert all(job.wait(WAIT) for job in made)
    registry._forget_old()
    assert [job for job in made if registry.get(job.id)] == made[-1:]


@pytest.fixture(scope="module")
def long_table():
    """Takes minutes with all subsets, so that a test can look at a run in progress."""
    return random_table(1, 1200, ["decimal"] * 12)


def test_runs_that_are_active_are_never_forgotten(table, long_table, monkeypatch):
    monkeypatch.setattr(registry, "KEPT_JOBS", 1)
    monkeypatch.setattr(registry, "KEPT_CELLS", 1)
    running = registry.start(long_table, RunOptions(subsets="all"))
    for _ in range(3):
        assert registry.start(table, RunOptions(n_neighbors=1)).wait(WAIT)
    assert registry.get(running.id) is running
