"""Valuations of this process: few at a time, fair between people, forgotten after."""

import gc
import threading
import time
import weakref
from dataclasses import fields

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from cellval.errors import InputError
from cellval.jobs import queue
from cellval.jobs.background import ValuationJob
from cellval.jobs.fits import check_run
from cellval.progress import Snapshot
from cellval.table.table import Table
from cellval.valuation import value_cells
from cellval.values.options import RunOptions

WAIT = 900  # seconds; the first run on a machine compiles, and others may be busy


def vars_of(options):
    return {f.name: getattr(options, f.name) for f in fields(options)}


pytestmark = pytest.mark.usefixtures("no_runs_left")


def slow(rows, columns):
    time.sleep(0.02)
    return float(len(rows) * len(columns))


def test_a_long_round_can_be_stopped(davis):
    job = queue.start(davis, RunOptions(method="mc", model=slow))
    while job.progress.done == 0:
        time.sleep(0.05)
    assert job.progress.done < 0.5 and job.status == "running"
    job.stop()
    assert job.wait(WAIT), "the workers end within the round"
    assert job.values is None and job.status == "stopped"


@pytest.mark.parametrize("method", ["mc", "oob", "loo"])
def test_methods_run_in_the_background(method, davis):
    rounds = {} if method == "loo" else {"rounds": 20}
    job = queue.start(davis, RunOptions(method=method, **rounds))
    assert job.wait(WAIT) and job.status == "done", job.error
    assert job.progress.seen and job.values is not None and job.surprise is not None


def test_a_stopped_run_leaves_others_alone(davis):
    few = Table.from_frame(davis.cells.iloc[:30], label="sex")
    slow_model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=200))
    options = {"method": "mc", "model": slow_model, "test": davis}
    first = queue.start(few, RunOptions(**options, rounds=500))
    quick = {**options, "model": "tree"}
    second = queue.start(few, RunOptions(**quick, rounds=1))
    first.stop()
    assert second.wait(4 * WAIT) and second.status == "done", second.error
    assert first.wait(WAIT)


def endless(table, who):
    return queue.start(table, RunOptions(subsets="all"), who=who)


def test_one_runs_and_the_others_wait_in_turn_between_people(long_table, table):
    first = endless(long_table, "ann")
    more = [endless(long_table, "ann") for _ in range(3)]
    other = endless(long_table, "bob")
    assert first.status != "waiting"
    waiting = [*more, other]
    assert all(job.status == "waiting" and job.active for job in waiting)
    assert [queue.place(job) for job in (first, *more, other)] == [0, 2, 3, 4, 1]
    assert queue.own_running(more[0], "ann") is first
    assert queue.own_running(more[0], "bob") is None, "he only has a link to it"
    assert queue.own_running(other, "bob") is queue.own_running(first, "ann") is None
    more[0].stop()  # while it waits: at once
    assert more[0].is_over
    assert more[0].status == "stopped"
    assert [queue.place(job) for job in (*more, other)] == [0, 2, 3, 1]
    first.stop()
    assert first.wait(WAIT)
    assert other.status != "waiting"
    assert [queue.place(job) for job in (*more, other)] == [0, 1, 2, 0]
    for job in (more[1], more[2], other):
        job.stop()
    assert all(job.wait(WAIT) for job in waiting)
    assert queue.start(table, RunOptions(n_neighbors=1), who="bob").wait(WAIT)
    assert not queue.RUNS.turns or set(queue.RUNS.turns) == {"bob"}


def test_a_failed_run_does_not_hold_up_the_others(table):
    failed = queue.start(table, RunOptions(test=1.5))
    done = queue.start(table, RunOptions(n_neighbors=1))
    assert done.wait(WAIT)
    assert (failed.status, done.status) == ("failed", "done")


def test_several_at_once_where_the_machine_may(long_table, monkeypatch):
    monkeypatch.setattr(queue, "AT_ONCE", 2)
    jobs = [endless(long_table, "ann") for _ in range(3)]
    assert [queue.place(job) for job in jobs] == [0, 0, 1]


def test_nothing_holds_a_run_that_is_over(table):
    job = queue.start(table, RunOptions(n_neighbors=1))
    assert job.wait(WAIT)
    job._thread.join()  # which is about to end
    queue.RUNS.advance()
    gone = weakref.ref(job)
    del job
    gc.collect()
    assert gone() is None


# --- kept, restored and continued -----------------------------------------------------


class Kept:
    def __init__(self, known=None):
        self.known, self.seen, self.ended = known, [], None

    def steps(self, table, make):
        for step in make(self.known):
            self.seen.append(step)
            yield step

    def end(self, status, error=""):
        self.ended = (status, error)


def test_a_run_tells_its_keeper_every_step_and_the_end(table):
    keeper = Kept()
    job = queue.start(table, RunOptions(n_neighbors=1), keeper=keeper)
    assert job.wait(WAIT)
    assert keeper.seen[-1].result.values is not None
    assert "state" in vars(keeper.seen[-1].result)
    assert keeper.ended == ("done", "")
    failed = queue.start(table, RunOptions(test=1.5), keeper=keeper)
    assert failed.wait(WAIT)
    assert keeper.ended == ("failed", failed.error)


def test_a_run_is_done_when_it_is_kept(table):
    """What a page says is done is there after a crash."""
    keeper, seen = Kept(), []
    keeper.end = lambda status, error="": seen.append((status, job.status))
    job = ValuationJob(table, RunOptions(n_neighbors=1), keeper=keeper)
    job.start()
    assert job.wait(WAIT)
    assert seen == [("done", "running")] and job.status == "done"


def test_what_is_measured_waits_for_its_turn_but_not_for_runs(long_table, davis):
    go_on = threading.Event()

    def steps():
        while not go_on.wait(0.01):
            yield Snapshot()

    run = endless(long_table, "ann")
    first, second = (
        queue.start_beside(davis, steps, who=who) for who in ("ann", "bob")
    )
    assert run.active and first.status != "waiting"
    assert (second.status, queue.place(second), queue.place(first)) == ("waiting", 1, 0)
    go_on.set()
    assert first.wait(WAIT) and second.wait(WAIT)
    assert second.status == "done"


def once():
    yield Snapshot()


def test_a_lane_goes_on_after_a_job_that_cannot_begin(davis, monkeypatch):
    def none(self):
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as crowded:
        crowded.setattr(threading.Thread, "start", none)
        job = queue.start_beside(davis, once)
    assert (job.status, job.is_over) == ("failed", True)
    assert queue.start_beside(davis, once).wait(WAIT)


def test_what_was_stopped_holds_up_no_other_measurement(davis):
    go_on = threading.Event()

    def stubborn():
        yield Snapshot()
        assert go_on.wait(WAIT)

    first = queue.start_beside(davis, stubborn, who="ann")
    first.stop()
    again = queue.start_beside(davis, once, who="ann")
    assert again.wait(WAIT)
    go_on.set()
    assert first.wait(WAIT)


def test_a_run_goes_on_from_what_another_had(table):
    options = RunOptions(n_neighbors=3, subsets=4, random_state=5)
    whole, keeper = value_cells(table, **vars_of(options)), Kept()
    assert queue.start(table, options, keeper=keeper).wait(WAIT)
    part = next(s for s in keeper.seen if s.has_result and 0 < s.done < 1)
    job = queue.start(table, options, keeper=Kept(part.result))
    assert job.wait(WAIT)
    assert np.array_equal(job.values.values, whole.values)
    assert np.array_equal(job.values.stderr, whole.stderr)


@pytest.mark.parametrize(("done", "status"), [(1.0, "done"), (0.4, "stopped")])
def test_the_end_of_a_run_is_shown_again(table, done, status):
    values = value_cells(table, n_neighbors=3)
    over = Snapshot(done, 2.0, 0.0, "so many", make=lambda: values)
    job = ValuationJob(table, RunOptions(n_neighbors=3), over=over)
    job.start()
    assert job.wait(WAIT)
    assert (job.status, job.progress.done) == (status, done)
    assert np.array_equal(job.values.values, values.values)
    assert job.suspicion is not None


def test_how_many_run_at_once_is_a_whole_number(monkeypatch):
    monkeypatch.setenv(queue.VARIABLE, " 3 ")
    assert queue.at_once() == 3
    monkeypatch.delenv(queue.VARIABLE)
    assert queue.at_once() == 1
    for said in ("many", "0", "-1", "1.5"):
        monkeypatch.setenv(queue.VARIABLE, said)
        with pytest.warns(UserWarning, match="one run at a time"):
            assert queue.at_once() == 1


def test_a_run_that_is_stopped_while_it_waits_is_kept_as_stopped(davis):
    keeper = Kept()
    first = queue.start(davis, RunOptions(method="mc", model=slow))
    job = queue.start(davis, RunOptions(), keeper=keeper)
    assert job.status == "waiting"
    job.stop()
    job.stop()
    assert keeper.ended[0] == "stopped"
    first.stop()
    assert first.wait(WAIT)


def test_so_many_runs_wait_and_no_more(davis, monkeypatch):
    first = queue.start(davis, RunOptions(method="mc", model=slow))
    monkeypatch.setenv("CELLVAL_MAX_WAITING", "2")
    second = queue.start(davis, RunOptions())
    check_run(davis, RunOptions())
    third = queue.start(davis, RunOptions())
    with pytest.raises(InputError, match=r"limit is 2.*CELLVAL_MAX_WAITING"):
        check_run(davis, RunOptions())
    second.stop()
    check_run(davis, RunOptions())
    third.stop()
    first.stop()
    assert first.wait(WAIT)
