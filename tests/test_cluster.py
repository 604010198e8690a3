"""Work on a real Dask cluster of two processes, one of which is killed midway."""

import os
import signal
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from cases import bits, message_of, random_table

import cellval
from cellval import cluster
from cellval.cli.arguments import main
from cellval.cluster import Cluster, as_executor, connected
from cellval.jobs.background import ValuationJob
from cellval.values.options import RunOptions

distributed = pytest.importorskip("distributed")

TABLE = random_table(1, 400, ["number", "category", "decimal"] * 3, levels=9)
OPTIONS = {"subsets": 40, "n_neighbors": 5}


@pytest.fixture(scope="module")
def client():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with (
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


def test_games_run_there_as_well(client):
    table = random_table(2, 14, ["number", "decimal"])
    options = {"method": "mc", "rounds": 3, "model": "knn"}
    there = cellval.value_cells(table, executor=client, **options)
    assert bits(there) == bits(cellval.value_cells(table, **options))


def test_a_worker_that_is_killed_is_replaced_and_its_items_are_done_again(client):
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


def test_all_threads_are_counted_also_of_workers_that_come(client, monkeypatch):
    pool = Cluster(client)
    client.wait_for_workers(2, timeout=60)
    assert pool.threads() == 2
    monkeypatch.setattr(client, "nthreads", lambda: {"a": 2, "b": 4, "c": 1})
    assert pool.threads() == 2  # looked a moment ago
    monkeypatch.setattr(cluster, "LOOKED", 0.0)
    assert pool.threads() == 7


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
    assert job.wait(120) and job.status == "done", job.error
    assert bits(job.values) == bits(cellval.value_cells(table, **OPTIONS))
    assert there._looked > 0  # it was asked how many threads it has
    there.client.close()
    monkeypatch.setenv("CELLVAL_DASK", "")
    assert cluster.of_the_app() is None


def test_the_command_line_computes_on_a_cluster(client, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    frame = TABLE.cells.rename(columns={"label": "y"})
    frame.to_csv("t.csv", index=False)
    command = ["run", "t.csv", "--label", "y", "--subsets", "40", "--out"]
    assert main([*command, "here"]) == 0
    assert main([*command, "there", "--dask", client.scheduler.address]) == 0
    here, there = (cellval.load(f"{name}/values.npz") for name in ("here", "there"))
    assert bits(here) == bits(there)
    assert main([*command, "no", "--dask", "nonsense://nowhere"]) == 2
    assert "No Dask scheduler answers" in capsys.readouterr().err
