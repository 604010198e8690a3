"""All valuations of this process, found by their id."""

import time

import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import cellval
from cellval.jobs import registry
from cellval.table.table import Table
from cellval.values.options import RunOptions

WAIT = 60


@pytest.fixture(scope="module")
def davis():
    return cellval.read("sample_data/davis.csv", label="sex")


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
