"""A Dask cluster: python -m benchmarks.dask [--data DIR] [--share S] [--write]

Adult in the near field with one pair of orders, each row in turn, until a share of the
work is done: on threads of this process, and on workers of a cluster on this computer.
Also how much of the sums comes to the client.
"""

import argparse
import time
import warnings
from contextlib import closing, contextmanager, nullcontext

import cellval
from benchmarks.data import adult
from benchmarks.pages import printed
from cellval.knn import engine, plan

NEAR = 500
REPEAT = 2
PLACES = {
    "1 thread": (0, 1),
    "2 threads": (0, 2),
    "1 worker of 1 thread": (1, 1),
    "2 workers of 1 thread": (2, 1),
    "1 worker of 2 threads": (1, 2),
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


def options_of(table):
    return {"near": NEAR, "subsets": 2 * len(table.features)}


def seconds_until(share, table, **where):
    """From the first piece on until so much of the work is done, and the last step."""
    steps = cellval.iter_values(table, **options_of(table), **where)
    with closing(steps):
        for step in steps:
            if step.done >= share:
                break
    return step.seconds / step.done * share


def speed(table, share):
    print(f"{'':26}{'seconds':>9}{'against':>22}")
    best = {}
    for _ in range(REPEAT):  # one after the other, as the machine may change its speed
        for name, (n_workers, threads) in PLACES.items():
            there = cluster(n_workers, threads) if n_workers else nullcontext()
            with there as client:
                where = {"executor": client} if client else {"n_jobs": threads}
                seconds_until(0.01, table, **where)  # loads what is compiled
                taken = seconds_until(share, table, **where)
            best[name] = min(taken, best.get(name, taken))
    one, two = best["1 thread"], best["2 threads"]
    first = best["1 worker of 1 thread"]
    said = {
        "1 worker of 1 thread": f"{first / one - 1:+.1%} of 1 thread",
        "2 workers of 1 thread": f"{best['2 workers of 1 thread'] / two - 1:+.1%} of 2",
        "1 worker of 2 threads": f"{best['1 worker of 2 threads'] / two - 1:+.1%} of 2",
    }
    for name, taken in best.items():
        print(f"{name:26}{taken:9.1f}{said.get(name, ''):>22}")
    print(f"two threads are {one / two:.2f} times as fast as one")
    gain = first / best["2 workers of 1 thread"]
    print(f"two workers are {gain:.2f} times as fast as one")


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


def traffic(table, share):
    print("\nSums that come to the client from 2 workers")
    print(f"{'':26}{'items':>7}{'sums':>6}{'MB':>8}{'MB per item':>13}")
    groups, pace = plan.GROUPS, engine.PACE
    ways = {
        "item by item": (10**9, 0.0),
        "group by group": (groups, 0.0),
        "branch by branch": (groups, pace),
    }
    with cluster(2, 1) as client:
        for name, (plan.GROUPS, engine.PACE) in ways.items():
            with counted() as came:
                seconds_until(share, table, executor=client)
            size = came["bytes"] / 1e6
            of = f"{came['items']:7}{came['sums']:6}{size:8.0f}"
            print(f"{name:26}{of}{size / came['items']:13.2f}")
    plan.GROUPS, engine.PACE = groups, pace


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--share", type=float, default=0.2)
    share = parser.parse_known_args()[0].share
    table, name = adult()
    n, m = table.n_rows, len(table.features)
    print(f"{name}, {n:,} x {m}, near={NEAR}, one pair of orders, {share:.0%} of it")
    warnings.simplefilter("ignore")  # of clusters that are closed early
    began = time.monotonic()
    speed(table, share)
    traffic(table, share)
    print(f"\nall of it took {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    with printed("dask", "dask"):
        main()
