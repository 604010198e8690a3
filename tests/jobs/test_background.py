"""Runs in the background: they end well, badly, early, and side by side."""

import os
import sys
import threading
import time

import numpy as np
import pytest
from cases import random_table

import cellval
from cellval.detect import suggestions
from cellval.jobs import background as jobs
from cellval.jobs import queue
from cellval.jobs.background import ValuationJob, start_job
from cellval.parallel import Computation, Piece, drive
from cellval.progress import Snapshot
from cellval.repairs.measure import iter_comparison
from cellval.values.options import RunOptions
from cellval.views.inspection_list import Wanted, inspection
from cellval.views.value_view import value_view

WAIT = 900  # seconds; the first run on a machine compiles, and others may be busy

pytestmark = pytest.mark.usefixtures("no_runs_left")


LONG = RunOptions(subsets="all")


def wait_until(condition, seconds=WAIT):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


def test_a_run_gives_the_values_of_the_library(table):
    job = queue.start(table, RunOptions(n_neighbors=3))
    assert job.wait(WAIT)
    assert job.status == "done"
    assert job.error is None
    assert job.progress.done == 1
    assert job.finished >= job.started
    expected = cellval.value_cells(table, n_neighbors=3)
    np.testing.assert_array_equal(job.values.values, expected.values)


def test_wrong_options_become_a_sentence(table):
    with pytest.raises(cellval.InputError, match="n_neighbors"):
        RunOptions(n_neighbors=0)
    job = queue.start(table, RunOptions(test=1.5))
    assert job.wait(WAIT)
    assert job.status == "failed"
    assert "test=1.5" in job.error and "between 0 and 1" in job.error
    assert job.values is None


def test_a_fault_of_ours_is_logged_and_told_without_details(table, monkeypatch, caplog):
    def broken(*args, **kwargs):
        raise KeyError("secret")

    monkeypatch.setattr(jobs, "iter_chosen", broken)
    job = queue.start(table, RunOptions())
    assert job.wait(WAIT)
    assert job.status == "failed"
    assert "KeyError" in job.error
    assert "secret" not in job.error
    assert "secret" in caplog.text


def test_values_sharpen_and_stop_keeps_them(long_table):
    job = queue.start(long_table, LONG)
    assert job.status == "compiling"
    assert job.values is None
    wait_until(lambda: job.values is not None)
    assert job.status == "running"
    first = job.values
    assert job.values is first, "within a second it is the same object"
    wait_until(lambda: job.values.n_test > first.n_test)
    job.stop()
    assert job.status == "stopped", "at once"
    kept = job.values
    assert kept.n_test >= first.n_test
    assert 0 < job.progress.done < 1
    assert job.wait(WAIT), "the thread ends after the items in work"
    assert job.values.n_test >= kept.n_test
    assert job.status == "stopped"


def test_pages_do_not_wait_for_what_was_computed_last(long_table, monkeypatch):
    prepared, go_on = jobs._prepare, threading.Event()

    def slow(*arguments):
        assert job.active or go_on.wait(WAIT)
        prepared(*arguments)

    monkeypatch.setattr(jobs, "_prepare", slow)
    monkeypatch.setattr(jobs, "VALUES_EVERY", WAIT)  # no other one is made
    job = queue.start(long_table, LONG)
    wait_until(lambda: job.values is not None)
    first = job.values
    wait_until(lambda: job._latest.result.n_test > first.n_test)
    job.stop()
    assert job.values is first and not job.is_over
    go_on.set()
    assert job.wait(WAIT)
    assert job.values.n_test > first.n_test
    assert {"order", "spread"} <= value_view(job.values).__dict__.keys()


def test_stop_before_the_first_values_leaves_none(long_table):
    job = queue.start(long_table, LONG)
    job.stop()
    assert job.status == "stopped"
    assert job.values is None
    assert job.wait(WAIT)
    assert job.values is None


def test_after_the_values_the_search_for_surprise_tells_when_it_ends(
    table, monkeypatch
):
    go_on = threading.Event()

    def slow(*args, **options):
        yield Snapshot(0.25, 10.0, 30.0)
        assert go_on.wait(WAIT)
        yield Snapshot(1.0, 40.0, 0.0)

    monkeypatch.setattr(jobs, "iter_surprise", slow)
    job = queue.start(table, RunOptions())
    wait_until(lambda: job.values is not None and job.values.n_test == table.n_rows)
    wait_until(lambda: job.progress.seconds_left == 30.0)
    assert job.status == "running"
    assert job.progress.done < 1
    assert job.progress.time_left == "about 30 s left"
    go_on.set()
    assert job.wait(WAIT)
    assert (job.status, job.progress.done) == ("done", 1)


def test_what_was_foretold_counts_less_and_less(table):
    job = ValuationJob(table, RunOptions(), foretold=100.0)
    job._looking = Snapshot(1.0)

    def left(done, seconds, tells):
        return job._with_looking(Snapshot(done, seconds, tells)).seconds_left

    assert left(0.0, 10.0, float("nan")) == 90.0
    assert left(0.1, 20.0, 180.0) == pytest.approx(0.3 * 180 + 0.7 * 80)
    assert left(0.5, 50.0, 60.0) == 60.0
    assert left(0.1, 120.0, 500.0) == 500.0  # longer than foretold by now
    other = ValuationJob(table, RunOptions())
    other._looking = Snapshot(1.0)
    assert other._with_looking(Snapshot(0.1, 20.0, 180.0)).seconds_left == 180.0


def test_a_run_is_stopped_while_only_surprise_is_left(table, monkeypatch):
    def endless(*args, **options):
        while True:
            yield Snapshot(0.25, 10.0, 30.0)
            time.sleep(0.01)

    monkeypatch.setattr(jobs, "iter_surprise", endless)
    job = queue.start(table, RunOptions())
    wait_until(lambda: job.progress.seconds_left == 30.0)
    job.stop()
    assert job.wait(WAIT)
    assert job.status == "stopped"
    assert job.values is not None


def test_two_runs_at_once_both_finish():
    tables = [random_table(seed, 150, ["decimal"] * 6) for seed in (2, 3)]
    running = [queue.start(table, RunOptions()) for table in tables]
    assert all(job.wait(WAIT) for job in running)
    for job, table in zip(running, tables, strict=True):
        assert job.status == "done"
        expected = cellval.value_cells(table)
        np.testing.assert_array_equal(job.values.values, expected.values)


def test_a_finished_run_keeps_only_its_values(table):
    job = queue.start(table, RunOptions())
    assert job.wait(WAIT)
    assert not job._latest.has_result  # the sums of the run are gone
    assert not job.values.state
    assert job.result is job.values


@pytest.fixture(scope="module")
def repaired(davis):
    return davis.with_cells({(11, "weight"): "57", (11, "height"): "166"}, drop=[7])


def test_scores_in_the_background_are_those_of_the_library(davis, repaired):
    options = {"folds": 3, "repeats": 1, "random_state": 4}
    scores = start_job(davis, lambda: iter_comparison(davis, repaired, **options))
    assert scores.wait(WAIT)
    assert (scores.status, scores.active, scores.error) == ("done", False, None)
    assert (scores.progress.done, scores.progress.seconds_left) == (1, 0)
    *_, expected = iter_comparison(davis, repaired, **options)
    np.testing.assert_array_equal(scores.result.after, expected.result.after)
    assert scores not in (*queue.RUNS.running, *queue.BESIDE.running)


def test_stopped_scores_keep_what_there_is(davis, repaired):
    options = {"folds": 5, "repeats": 500}
    scores = start_job(davis, lambda: iter_comparison(davis, repaired, **options))
    assert scores.active
    wait_until(lambda: scores.progress.done > 0)
    assert scores.status == "running"
    scores.stop()
    kept = scores.result
    assert scores.status == "stopped"
    assert 0 < kept.measured < 1
    assert not np.isnan(kept.before[0, 0, 0])
    assert scores.wait(WAIT), "the thread ends after the model in work"
    assert scores.result is kept


def test_scores_that_cannot_be_become_a_sentence(davis):
    scores = start_job(davis, lambda: iter_comparison(davis, davis))
    assert scores.wait(WAIT)
    assert scores.status == "failed"
    assert scores.error.startswith("Nothing was changed")
    assert scores.result is None


@pytest.mark.skipif(sys.platform != "linux", reason="threads have no nice value")
def test_scores_give_way_to_pages(davis):
    seen = []

    class Spy(Computation):
        total = 1.0
        make = staticmethod(lambda state: None)

        def pieces(self):
            return [Piece(nice, ())]

        def add(self, state, answer):
            seen.extend((answer, nice()))

    def nice():
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    assert start_job(davis, lambda: drive(Spy())).wait(WAIT)
    assert seen[0] >= 10, "the worker steps back"
    assert seen[1] == nice(), "who holds Python's lock does not"


def test_surprise_follows_the_seed_of_the_run(monkeypatch):
    seeds = []

    def spy(table, **options):
        seeds.append(options["random_state"])
        yield from ()

    monkeypatch.setattr(jobs, "iter_surprise", spy)
    table = cellval.read("sample_data/davis.csv", label="sex")
    for options in (RunOptions(), RunOptions(random_state=7)):
        assert queue.start(table, options).wait(WAIT)
    assert seeds == [0, 7]


def test_any_iterator_of_snapshots_is_drained(table):
    def steps():
        for k in range(3):
            yield Snapshot(k / 3, k, 3 - k, f"{k} of 3", make=lambda k=k: 10 * k)

    job = start_job(table, steps)
    assert job.wait(WAIT)
    assert (job.status, job.result, job.progress.done) == ("done", 20, 1.0)
    assert (job.progress.seen, job.progress.seconds_left) == ("2 of 3", 0.0)
    assert not job.progress.has_result  # progress holds no results


def test_a_stopped_iterator_is_closed(table):
    closed, go_on = threading.Event(), threading.Event()

    def steps():
        try:
            while True:
                yield Snapshot(0.5, make=lambda: "half")
                go_on.wait(WAIT)
        finally:
            closed.set()

    job = start_job(table, steps)
    wait_until(lambda: job.result is not None)
    job.stop()
    go_on.set()
    assert job.wait(WAIT) and closed.is_set()
    assert (job.status, job.result) == ("stopped", "half")
    job.stop()  # again does no harm
    assert job.status == "stopped"


def test_too_little_memory_is_told_as_such(table):
    def steps():
        raise MemoryError
        yield

    job = start_job(table, steps)
    assert job.wait(WAIT)
    assert job.error.startswith("The memory of this computer is not enough")


def test_values_are_shown_without_surprise_if_that_fails(table, monkeypatch, caplog):
    def broken(*arguments, **options):
        raise KeyError("secret")

    monkeypatch.setattr(jobs, "iter_surprise", broken)
    job = queue.start(table, RunOptions(n_neighbors=3))
    assert job.wait(WAIT) and job.status == "done"
    assert job.values is not None and job.surprise is None and job.suspicion is None
    assert "surprise of table failed" in caplog.text


def test_suspicion_follows_the_values_and_the_surprise(table):
    job = queue.start(table, RunOptions(n_neighbors=3))
    assert job.wait(WAIT)
    found = job.suspicion
    assert found.values is job.values and found.surprise is job.surprise
    assert job.suspicion is found  # made once


def test_questions_are_ready_when_a_run_ends(table, monkeypatch):
    asked = []
    monkeypatch.setattr(jobs, "all_findings", asked.append)
    job = queue.start(table, RunOptions(n_neighbors=3))
    assert job.wait(WAIT)
    assert len(asked) == 1 and asked[0] is job.suspicion  # that pages show


def test_suggestions_of_the_usual_list_are_ready_before_a_page_wants_them(
    davis, monkeypatch
):
    job = queue.start(davis, RunOptions())
    assert job.wait(WAIT)
    monkeypatch.setattr(suggestions, "suggest_many", None)
    listed = inspection(
        davis, job.values, job.suspicion, Wanted(), decisions={}, repairs={}
    )
    assert listed.frame["suggestion"].any()


def test_a_run_is_done_even_if_no_questions_can_be_found(table, monkeypatch, caplog):
    def fails(suspicion):
        raise RuntimeError("no questions")

    monkeypatch.setattr(jobs, "all_findings", fails)
    job = queue.start(table, RunOptions(n_neighbors=3))
    assert job.wait(WAIT) and job.status == "done" and job.values is not None
    assert "findings of" in caplog.text


def test_no_thread_outlives_a_run_that_is_stopped(long_table):
    job = queue.start(long_table, LONG)
    wait_until(lambda: job.values is not None)
    job.stop()
    assert job.wait(WAIT)

    def ours():
        names = [thread.name for thread in threading.enumerate()]
        return [name for name in names if name.startswith(("cellval", "surprise"))]

    wait_until(lambda: not ours())


def test_a_server_that_ends_logs_no_failure(table, caplog):
    def steps():
        raise RuntimeError("cannot schedule new futures after interpreter shutdown")
        yield

    assert start_job(table, steps).wait(WAIT)
    assert caplog.text == ""
