"""A Dask cluster: python -m benchmarks.dask [--data DIR] [--tests N] [--write]

Adult in the near field with one pair of orders for each of some test points: on threads
of this process, and on workers of a cluster on this computer. Beside the seconds stands
the processor's time of all processes together, which other programs do not lengthen.
Also how much of the sums comes to the client.
"""

import argparse
import time
import warnings
from contextlib import contextmanager, nullcontext

import cellval
from benchmarks.data import adult
from benchmarks.pages import printed
from cellval.knn import engine, plan

NEAR, TESTS, REPEAT = 500, 8000, 2
PLACES = {
    "1 thread": (0, 1),
    "2 threads": (0, 2),
    "1 worker of 1 thread": (1, 1),
    "2 workers of 1 thread": (2, 1),
    "1 worker of 2 threads": (1, 2),
}
BESIDE = {
    "1 worker of 1 thread": "1 thread",
    "2 workers of 1 thread": "2 threads",
    "1 worker of 2 threads": "2 threads",
}


@contextmanager
def cluster(n_workers, threads):
    from distributed import Client, LocalCluster

    how = {"n_workers": n_workers, "threads_per_worker": threads}
    with (
        LocalCluster(**how, processes=True, dashboard_address=None) as local,
        Client(local) as client,
    ):
        client.wait_for_workers(n_workers)
        yield client


def processor(client):
    """Seconds of it that this process and the workers took by now."""
    there = client.run(time.process_time).values() if client else ()
    return time.process_time() + sum(there)


def measured(table, options, n_workers, threads):
    """Seconds, and seconds of the processor, of a run where all is loaded."""
    with cluster(n_workers, threads) if n_workers else nullcontext() as client:
        where = {"executor": client} if client else {"n_jobs": threads}
        few = {**options, "test": options["test"].iloc[:64]}
        cellval.value_cells(table, **few, **where)
        before = processor(client)
        *_, last = cellval.iter_values(table, **options, **where)
        return last.seconds, processor(client) - before


def speed(table, options, repeat):
    best = {}
    for _ in range(repeat):  # in turn, as other programs come and go
        for name, place in PLACES.items():
            taken = measured(table, options, *place)
            known = best.get(name, taken)
            best[name] = tuple(map(min, taken, known))
    print(f"{'':24}{'seconds':>9}{'more':>8}{'processor':>12}{'more':>8}")
    for name, taken in best.items():
        more = ["", ""]
        if name in BESIDE:
            pairs = zip(taken, best[BESIDE[name]], strict=True)
            more = [f"{own / beside - 1:+.1%}" for own, beside in pairs]
        columns = f"{taken[0]:9.1f}{more[0]:>8}{taken[1]:12.1f}{more[1]:>8}"
        print(f"{name:24}{columns}")
    for one, two in (list(PLACES)[:2], list(PLACES)[2:4]):
        print(f"{two}: {best[one][0] / best[two][0]:.2f} times as fast as {one}")


@contextmanager
def counted():
    """Bytes of the sums that come to the client, how many, and of how many items."""
    add, came = engine.KnnRun.add, {"bytes": 0, "sums": 0, "items": 0}

    def noted(run, state, answer):
        came["bytes"] += sum(array.nbytes for array in answer[1])
        came["sums"] += 1
        came["items"] += answer[0].number + 1 - state.next_item
        return add(run, state, answer)

    engine.KnnRun.add = noted
    yield came
    engine.KnnRun.add = add


def traffic(table, options):
    print("\nSums that come to the client from 2 workers")
    print(f"{'':24}{'items':>7}{'sums':>6}{'MB':>8}{'MB per item':>13}")
    groups, pace = plan.GROUPS, engine.PACE
    ways = {
        "item by item": (10**9, 0.0),
        "group by group": (groups, 0.0),
        "branch by branch": (groups, pace),
    }
    with cluster(2, 1) as client:
        for name, (plan.GROUPS, engine.PACE) in ways.items():
            with counted() as came:
                cellval.value_cells(table, executor=client, **options)
            size = came["bytes"] / 1e6
            of = f"{came['items']:7}{came['sums']:6}{size:8.0f}"
            print(f"{name:24}{of}{size / came['items']:13.2f}")
    plan.GROUPS, engine.PACE = groups, pace


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tests", type=int, default=TESTS)
    parser.add_argument("--repeat", type=int, default=REPEAT)
    asked = parser.parse_known_args()[0]
    table, name = adult()
    n, m = table.n_rows, len(table.features)
    test = table.cells.iloc[:: n // asked.tests].iloc[: asked.tests]
    options = {"near": NEAR, "subsets": 2 * m, "test": test}
    # groups of as many items as they would have if every row were a test point
    plan.GROUPS = max(1, plan.GROUPS * asked.tests // n)
    about = f"{asked.tests:,} test points, near={NEAR}, one pair of orders"
    print(f"{name}, {n:,} x {m}, {about}")
    warnings.simplefilter("ignore")  # of clusters that are closed
    speed(table, options, asked.repeat)
    traffic(table, options)


if __name__ == "__main__":
    with printed("dask", "dask"):
        main()
