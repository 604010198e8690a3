"""Runs in the background: they end well, badly, early, and side by side."""

import gc
import os
import sys
import threading
import time
import weakref

import numpy as np
import pytest
from cases import random_table

import cellval
from cellval import valuation
from cellval.jobs import background as jobs
from cellval.jobs import registry, warm_up
from cellval.jobs.background import start_scores
from cellval.repairs import measure as remeasure
from cellval.repairs.measure import iter_scores

WAIT = 120  # the first run on a machine compiles


@pytest.fixture(scope="module")
def table():
    return random_table(0, 60, ["number", "number", "category"])


@pytest.fixture(scope="module")
def long_table():
    """Takes minutes with LONG, so that a test can look at a run in progress."""
    return random_table(1, 1200, ["decimal"] * 12)


LONG = {"subsets": "all"}


pytestmark = pytest.mark.usefixtures("no_runs_left")


def wait_until(condition, seconds=WAIT):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


def test_a_run_gives_the_values_of_the_library(table):
    job = registry.start(table, n_neighbors=3)
    assert job.wait(WAIT)
    assert job.status == "done"
    assert job.error is None
    assert job.progress.done == 1
    assert job.finished >= job.started
    expected = cellval.value_cells(table, n_neighbors=3)
    np.testing.assert_array_equal(job.values.values, expected.values)


def test_a_run_is_found_by_its_id_only(table):
    job, other = registry.start(table), registry.start(table)
    assert job.id != other.id
    assert registry.get(job.id) is job
    assert registry.get("no such id") is None
    assert registry.get(None) is None


def test_wrong_options_become_a_sentence(table):
    job = registry.start(table, n_neighbors=0)
    assert job.wait(WAIT)
    assert job.status == "failed"
    assert "n_neighbors" in job.error
    assert job.values is None


def test_a_fault_of_ours_is_logged_and_told_without_details(table, monkeypatch, caplog):
    def broken(*args, **kwargs):
        raise KeyError("secret")

    monkeypatch.setattr(jobs, "iter_values", broken)
    job = registry.start(table)
    assert job.wait(WAIT)
    assert job.status == "failed"
    assert "KeyError" in job.error
    assert "secret" not in job.error
    assert "secret" in caplog.text


def test_values_sharpen_and_stop_keeps_them(long_table):
    job = registry.start(long_table, **LONG)
    assert job.status == "compiling"
    assert job.values is None
    wait_until(lambda: job.values is not None)
    assert job.status == "running"
    first = job.values
    assert job.values is first, "within a second it is the same object"
    wait_until(lambda: job.values.n_test > first.n_test)
    began = time.monotonic()
    job.stop()
    assert time.monotonic() - began < 1
    assert job.status == "stopped"
    kept = job.values
    assert kept.n_test >= first.n_test
    assert 0 < job.progress.done < 1
    assert job.wait(30), "the thread ends after the items in work"
    assert job.values is kept
    assert job.status == "stopped"


def test_stop_before_the_first_values_leaves_none(long_table):
    job = registry.start(long_table, **LONG)
    job.stop()
    assert job.status == "stopped"
    assert job.values is None
    assert job.wait(WAIT)
    assert job.values is None


def test_two_runs_at_once_both_finish():
    tables = [random_table(seed, 150, ["decimal"] * 6) for seed in (2, 3)]
    running = [registry.start(table) for table in tables]
    assert all(job.wait(WAIT) for job in running)
    for job, table in zip(running, tables, strict=True):
        assert job.status == "done"
        expected = cellval.value_cells(table)
        np.testing.assert_array_equal(job.values.values, expected.values)


def test_a_finished_run_keeps_only_its_values(table):
    job = registry.start(table)
    assert job.wait(WAIT)
    assert job.snapshot is None
    assert not job.values.state


def test_old_runs_are_forgotten(table, monkeypatch):
    monkeypatch.setattr(registry, "KEPT_JOBS", 3)
    made = []
    for _ in range(6):
        job = registry.start(table, n_neighbors=1)
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
    made = [registry.start(table, n_neighbors=1) for _ in range(3)]
    assert all(job.wait(WAIT) for job in made)
    registry._forget_old()
    assert [job for job in made if registry.get(job.id)] == made[-1:]


@pytest.fixture(scope="module")
def davis():
    return cellval.read("sample_data/davis.csv", label="sex")


@pytest.fixture(scope="module")
def repaired(davis):
    return davis.with_cells({(11, "weight"): "57", (11, "height"): "166"}, drop=[7])


def test_scores_in_the_background_are_those_of_the_library(davis, repaired):
    options = {"folds": 3, "repeats": 1, "random_state": 4}
    scores = start_scores(davis, repaired, **options)
    assert scores.wait(WAIT)
    assert (scores.status, scores.active, scores.error) == ("done", False, None)
    assert (scores.progress.done, scores.progress.seconds_left) == (1, 0)
    *_, expected = iter_scores(davis, repaired, **options)
    np.testing.assert_array_equal(scores.result.after, expected.after)
    assert scores.id not in registry._jobs


def test_stopped_scores_keep_what_there_is(davis, repaired):
    scores = start_scores(davis, repaired, folds=5, repeats=500)
    assert scores.active
    wait_until(lambda: scores.progress.done > 0)
    assert scores.status == "running"
    scores.stop()
    kept = scores.result
    assert scores.status == "stopped"
    assert 0 < kept.done < 1
    assert not np.isnan(kept.before[0, 0, 0])
    assert scores.wait(WAIT), "the thread ends after the model in work"
    assert scores.result is kept


def test_scores_that_cannot_be_become_a_sentence(davis):
    scores = start_scores(davis, davis)
    assert scores.wait(WAIT)
    assert scores.status == "failed"
    assert scores.error.startswith("Nothing was changed")
    assert scores.result is None


@pytest.mark.skipif(sys.platform != "linux", reason="threads have no nice value")
def test_scores_give_way_to_pages(davis, repaired, monkeypatch):
    seen = []

    def spy(*args, **options):
        me = threading.get_native_id()
        seen.append(os.getpriority(os.PRIO_PROCESS, me))
        return iter(())

    monkeypatch.setattr(remeasure, "iter_scores", spy)
    assert start_scores(davis, repaired).wait(WAIT)
    assert seen[0] >= 10


def test_expected_time_grows_with_the_work(long_table):
    one = valuation.expected_seconds(long_table, subsets=1)
    assert 0 < one < valuation.expected_seconds(long_table, **LONG)
    assert valuation.expected_seconds(long_table, subsets=1, near=100) < one
    assert valuation.expected_seconds(long_table, budget=2.0) <= 2
    with pytest.raises(cellval.InputError):
        valuation.expected_seconds(long_table, n_neighbors=0)


def test_warm_up_happens_once_and_well(caplog):
    thread = warm_up.warm_up()
    assert warm_up.warm_up() is thread
    assert isinstance(thread, threading.Thread)
    thread.join(WAIT)
    assert not thread.is_alive()
    warm_up._compile_all()
    assert not caplog.text


def test_surprise_follows_the_seed_of_the_run(monkeypatch):
    seeds = []

    def spy(table, **options):
        seeds.append(options["random_state"])
        yield from ()

    monkeypatch.setattr(jobs, "iter_surprise", spy)
    table = cellval.read("sample_data/davis.csv", label="sex")
    for options in ({}, {"random_state": 7}):
        assert registry.start(table, **options).wait(60)
    assert seeds == [0, 7]
