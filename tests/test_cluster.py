"""Work on a real Dask cluster of two processes, one of which is killed midway."""

import os
import signal
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from cases import SAMPLES, bits, message_of, random_table

import cellval
from cellval import cluster
from cellval.cli.arguments import main
from cellval.cluster import Cluster, as_executor, connected
from cellval.jobs.background import ValuationJob
from cellval.knn import engine
from cellval.values.options import RunOptions
from cellval.values.words import design_words

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")

TABLE = random_table(1, 400, ["number", "category", "decimal"] * 3, levels=9)
OPTIONS = {"subsets": 40, "n_neighbors": 5}
WAIT = 900  # seconds, however slow a machine is


@pytest.fixture(scope="module")
def client():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with (
            # else a worker that takes long to start again is given up
            dask.config.set({"distributed.deploy.lost-worker-timeout": WAIT}),
            distributed.LocalCluster(
                n_workers=2,
                threads_per_worker=1,
                processes=True,
                dashboard_address=None,
            ) as local,
            distributed.Client(local) as client,
        ):
            yield client


@pytest.fixture(autouse=True)
def quiet():
    """A cluster warns of workers that are lost, and of what it closes late."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def pid():
    return os.getpid()


def test_values_are_the_same_bits_as_from_threads(client):
    local = cellval.value_cells(TABLE, **OPTIONS)
    assert bits(cellval.value_cells(TABLE, executor=client, **OPTIONS)) == bits(local)
    own = client.get_executor()
    assert bits(cellval.value_cells(TABLE, executor=own, **OPTIONS)) == bits(local)


@pytest.mark.parametrize("pace", [0.0, np.inf])
def test_sums_of_groups_are_added_up_there_unless_they_come_too_seldom(
    client, monkeypatch, pace
):
    monkeypatch.setattr(engine, "PACE", pace)
    pool = Cluster(client)
    together, n_parts = pool.put_together, []

    def note(function, *arguments, calls):
        n_parts.append(len(calls))
        return together(function, *arguments, calls=calls)

    monkeypatch.setattr(pool, "put_together", note)
    steps = list(cellval.iter_values(TABLE, executor=pool, **OPTIONS))
    # 3 passes of 4 segments of 4 items: the first branch comes item by item
    assert n_parts == ([4] * 11 if pace else [])
    assert len([step for step in steps if step.done > 0]) >= (15 if pace else 48)
    assert bits(steps[-1].result) == bits(cellval.value_cells(TABLE, **OPTIONS))


def part_of(n_steps, **where):
    """Values of a run that was closed after so many steps with more of it done."""
    done, steps = 0.0, cellval.iter_values(TABLE, **OPTIONS, **where)
    for step in steps:
        n_steps -= step.done > done
        done = step.done
        if not n_steps:
            steps.close()
            return step.result
    raise AssertionError("it was over before")


@pytest.mark.parametrize("n_steps", [2, 5, 7])
def test_a_run_goes_on_here_or_there_to_the_same_bits(client, n_steps):
    whole = bits(cellval.value_cells(TABLE, **OPTIONS))
    go_on = {"continue_from": part_of(n_steps, executor=client), **OPTIONS}
    assert bits(cellval.value_cells(TABLE, **go_on)) == whole
    go_on = {"continue_from": part_of(n_steps, n_jobs=1), **OPTIONS}
    assert bits(cellval.value_cells(TABLE, executor=client, **go_on)) == whole


GAMES = {
    "mc": {"rounds": 3, "model": "knn"},
    "exact": {"model": "knn"},
    "loo": {"model": "logistic"},
    "flat": {"rounds": 2, "model": "logistic"},
    "oob": {"rounds": 40},
}


@pytest.mark.parametrize("method", GAMES)
def test_games_run_there_as_well(client, method):
    n_rows = 9 if method == "exact" else 14
    table = random_table(2, n_rows, ["number", "decimal"])
    options = {"method": method, **GAMES[method]}
    there = cellval.value_cells(table, executor=client, **options)
    assert bits(there) == bits(cellval.value_cells(table, **options))


def test_blocks_run_there_as_well(client):
    options = {"row_groups": "c1", "model": "knn", "rounds": 3, "method": "mc"}
    here = cellval.value_blocks(TABLE, **options)
    there = cellval.value_blocks(TABLE, executor=client, **options)
    assert here.values.tobytes() == there.values.tobytes()
    assert here.stderr.tobytes() == there.stderr.tobytes()


def test_errors_are_planted_and_looked_for_there_as_well(client):
    table = cellval.read(SAMPLES / "davis.csv", label="sex")
    here = cellval.validate(table, kind="times ten")
    there = cellval.validate(table, kind="times ten", executor=client)
    assert here.ranks.tobytes() == there.ranks.tobytes()
    assert here.curves.keys() == there.curves.keys()
    for name, curve in here.curves.items():
        assert curve.found.tobytes() == there.curves[name].found.tobytes()
    assert here.removal and here.removal.keys() == there.removal.keys()
    for name, own in here.removal.items():
        assert own.hits.tobytes() == there.removal[name].hits.tobytes()


def test_models_are_compared_there_as_well(client):
    table = cellval.read(SAMPLES / "davis.csv", label="sex")
    fixed = cellval.repair(table, {(12, "weight"): "57", (12, "height"): "166"})
    options = {"folds": 2, "repeats": 2}
    here = cellval.compare_models(table, fixed, **options)
    there = cellval.compare_models(table, fixed, executor=client, **options)
    for name in ("before", "after"):
        assert getattr(here, name).tobytes() == getattr(there, name).tobytes()
    assert np.isfinite(here.after).all() and not here.failures


def test_a_worker_that_is_killed_is_replaced_and_its_items_are_done_again(
    client, monkeypatch
):
    monkeypatch.setattr(engine, "PACE", np.inf)
    local = cellval.value_cells(TABLE, **OPTIONS)
    steps = cellval.iter_values(TABLE, executor=client, **OPTIONS)
    killed = []
    for step in steps:
        if step.has_result and not killed:
            killed = list(client.run(pid).values())[:1]
            os.kill(killed[0], signal.SIGKILL)
    assert killed and bits(step.result) == bits(local)


def test_rows_are_sent_once_and_forgotten_after_others(client, monkeypatch):
    monkeypatch.setattr(cluster, "SENT", 2)
    sent = []
    scatter = client.scatter

    def note(what, **how):
        sent.append(what)
        return scatter(what, **how)

    monkeypatch.setattr(client, "scatter", note)
    pool = Cluster(client)
    large = [np.full(20_000, k, float) for k in range(3)]
    for _ in range(4):
        assert pool.submit(np.sum, large[1]).result() == 20_000
    assert len(sent) == 1
    assert pool.submit(max, 2, 3).result() == 3
    for array in large:
        pool.submit(np.sum, array).result()
    assert len(sent) == 3
    assert pool.submit(np.sum, large[1]).result() == 20_000
    assert len(sent) == 3  # the last two are kept
    pool.submit(np.sum, large[0]).result()
    assert len(sent) == 4


class Owner:
    """Of a method, with something large to it."""

    def __init__(self):
        self.inside = (np.ones(20_000),)
        self.myself = self  # looked at as far down as that, not for ever

    def times(self, factor):
        return factor * self.inside[0].sum()

    def __getstate__(self):
        PICKLED.append(1)
        return vars(self)


PICKLED = []


def test_what_a_method_belongs_to_is_sent_once_too(client):
    pool, owner = Cluster(client), Owner()
    found = [pool.submit(owner.times, k).result() for k in range(4)]
    assert found == [0, 20_000, 40_000, 60_000]
    assert len(PICKLED) == 1


def test_all_threads_are_counted_also_of_workers_that_come(client, monkeypatch):
    pool = Cluster(client)
    client.wait_for_workers(2, timeout=WAIT)
    assert pool.threads() == 2
    monkeypatch.setattr(client, "nthreads", lambda: {"a": 2, "b": 4, "c": 1})
    assert pool.threads() == 2  # looked a moment ago
    monkeypatch.setattr(cluster, "LOOKED", 0.0)
    assert pool.threads() == 7

    def gone():
        raise OSError("no answer")

    monkeypatch.setattr(client, "nthreads", gone)
    assert pool.threads() == 7  # as far as is known


def test_a_client_is_found_by_its_address(client):
    there = connected(client.scheduler.address)
    assert there.submit(max, 1, 2).result() == 2
    there.client.close()


def test_who_does_not_answer_is_named(monkeypatch):
    import sys

    told = message_of(connected, "nonsense://nowhere")
    assert "nonsense://nowhere" in told and "dask scheduler" in told
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert "cellval[dask]" in message_of(connected, "tcp://localhost:1")


def test_who_is_not_there_is_waited_for_a_few_seconds_only(capsys):
    davis, began = str(SAMPLES / "davis.csv"), time.monotonic()
    command = ["run", davis, "--label", "sex", "--dask", "tcp://localhost:1"]
    assert main(command) == 2
    told = capsys.readouterr().err
    assert "No Dask scheduler answers at tcp://localhost:1" in told
    assert "Traceback" not in told
    assert time.monotonic() - began < 60  # of which we wait for five


def test_a_cluster_that_ends_midway_is_told_of():
    how = {"n_workers": 1, "processes": False, "dashboard_address": None}
    with distributed.LocalCluster(**how) as local, distributed.Client(local) as there:
        steps = cellval.iter_values(TABLE, executor=there, **OPTIONS)
        next(step for step in steps if step.has_result)
        address = there.scheduler.address
        local.close()
        told = message_of(list, steps)
    assert f"scheduler at {address} does not answer any more" in told


def test_whose_fault_it_is_is_told(client):
    trouble = Cluster(client).trouble
    assert "memory" in trouble(distributed.KilledWorker("a", None, 3))
    wrong = RuntimeError("Error during deserialization of the task graph.")
    assert trouble(wrong) == ""
    wrong.__cause__ = ModuleNotFoundError("No module named 'cellval'")
    assert "same version of cellval" in trouble(wrong)
    assert trouble(ValueError("of the work itself")) == ""


def test_a_connection_is_kept_as_long_as_it_holds(client):
    address = client.scheduler.address
    first = cluster.connection(address)
    assert cluster.connection(address) is first
    first.client.close()
    second = cluster.connection(address)
    assert second is not first and second.submit(max, 1, 2).result() == 2
    second.client.close()


def test_results_say_on_which_cluster_they_were_made(client):
    client.wait_for_workers(2, timeout=WAIT)
    words = f"a cluster of 2 workers with 2 threads ({client.scheduler.address})"
    assert Cluster(client).words == words
    values = cellval.value_cells(TABLE, executor=client, **OPTIONS)
    assert values.settings.cluster == words
    assert design_words(values.settings).endswith(f", on {words}")
    table = random_table(2, 14, ["number", "decimal"])
    values = cellval.value_cells(table, method="random", executor=client)
    assert values.settings.cluster == words
    assert not cellval.value_cells(table, method="random").settings.cluster


def test_what_is_no_executor_is_refused():
    with ThreadPoolExecutor(1) as threads:
        assert as_executor(threads) is threads
    assert as_executor(None) is None
    assert "a Dask client" in message_of(cellval.value_cells, TABLE, executor=3)


def test_the_app_computes_where_the_environment_says(client, monkeypatch):
    monkeypatch.setenv("CELLVAL_DASK", client.scheduler.address)
    there = cluster.of_the_app()
    assert there is cluster.of_the_app()
    table = cellval.Table.from_frame(TABLE.cells, label="label")
    job = ValuationJob(table, RunOptions(**OPTIONS))
    job.start()
    assert job.wait(WAIT) and job.status == "done", job.error
    assert bits(job.values) == bits(cellval.value_cells(table, **OPTIONS))
    assert job.place == job.values.settings.cluster == there.words
    there.client.close()
    monkeypatch.setenv("CELLVAL_DASK", "nonsense://nowhere")
    job = ValuationJob(table, RunOptions(**OPTIONS))
    job.start()
    assert job.wait(WAIT) and job.status == "failed"
    assert "No Dask scheduler answers at nonsense://nowhere" in job.error
    monkeypatch.setenv("CELLVAL_DASK", "")
    assert cluster.of_the_app() is None


def test_the_command_line_computes_on_a_cluster(client, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    frame = TABLE.cells.rename(columns={"label": "y"})
    frame.to_csv("t.csv", index=False)
    command = ["run", "t.csv", "--label", "y", "--subsets", "40", "--out"]
    assert main([*command, "here"]) == 0
    assert main([*command, "there", "--dask", client.scheduler.address]) == 0
    cluster.connection(client.scheduler.address).client.close()
    here, there = (cellval.load(f"{name}/values.npz") for name in ("here", "there"))
    assert bits(here) == bits(there)
    assert main([*command, "no", "--dask", "nonsense://nowhere"]) == 2
    assert "No Dask scheduler answers" in capsys.readouterr().err
