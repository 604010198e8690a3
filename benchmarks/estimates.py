"""Times that the app says, beside those that it takes.

python -m benchmarks.estimates [part ...] [--write]

Parts: samples, adult, games, large, measuring, validate; all if none is named. "said
before" is what the Data page says, "at 10 %" and so on what is foretold for the whole
run when so much of its time is over; in brackets, how many times the actual seconds
that is. Kernels are compiled before, as the app does while a file is chosen. On a busy
machine the actual seconds are longer than foretold: run it alone. CPU is the time that
cores were busy with it, divided by their number: about what a quiet machine would take.
"""

import os
import resource
import sys
import time

import numpy as np
import pandas as pd

import cellval
from benchmarks.data import SAMPLES
from benchmarks.pages import printed
from cellval.jobs.background import Job, ValuationJob, start_job
from cellval.jobs.expected import run_seconds, surprise_seconds, values_seconds
from cellval.jobs.warm_up import warm_up
from cellval.parallel import n_cores
from cellval.values.options import RunOptions

MARKS = (0.10, 0.25, 0.50)
SHORT = 3.0  # seconds; what is shorter is said as "a few seconds"
OOB, MC = {"method": "oob"}, {"method": "mc"}


def sample(name: str) -> cellval.Table:
    return cellval.read(SAMPLES / f"{name}.csv")


def planted(n: int, m: int = 10) -> cellval.Table:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    cells = rng.normal(size=(n, m)) + y[:, None] * np.linspace(0, 1, m)
    frame = pd.DataFrame(cells.round(3), columns=[f"x{j}" for j in range(m)])
    return cellval.Table.from_frame(frame.assign(y=np.where(y, "a", "b")), label="y")


def busy_seconds() -> float:
    who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    used = [resource.getrusage(each) for each in who]
    return sum(each.ru_utime + each.ru_stime for each in used)


def watched(name: str, before: float, job: Job) -> None:
    """Print what was said before and while it ran, beside how long it took."""
    began, busy, seen = time.monotonic(), busy_seconds(), []
    if job.finished is None and not job.wait(0):
        while not job.wait(0.02):
            now = time.monotonic() - began
            seen.append((now, now + job.progress.seconds_left))
    took = time.monotonic() - began
    quiet = (busy_seconds() - busy) / n_cores()
    said = [next((w for at, w in seen if at >= k * took), np.nan) for k in MARKS]
    columns = "".join(f"{_beside(s, took):>16}" for s in (before, *said))
    line = f"{name:34}{columns}{took:9.1f}{quiet:9.1f}{before / max(quiet, 0.01):13.2f}"
    print(line, "" if job.status == "done" else job.status, flush=True)


def _beside(said: float, took: float) -> str:
    if np.isnan(said):
        return "–"
    if max(said, took) < SHORT:
        return f"{said:.1f} (short)"
    off = "!" if not 0.5 <= said / took <= 2 else ""
    return f"{said:.1f} ({said / took:.2f}){off}"


def run(name: str, table: cellval.Table, **options: object) -> None:
    chosen = RunOptions(**options)
    before = run_seconds(table, chosen)
    job = ValuationJob(table, chosen, foretold=before)
    job.start()
    watched(name, before, job)


def samples() -> None:
    run("Davis", sample("davis"))
    run("Breast cancer", sample("breast_cancer"))
    run("Wine", sample("wine"))
    run("Ugly", sample("ugly"))


def adult() -> None:
    table = sample("adult_2000")
    run("Adult 2,000", table)
    run("Adult 2,000, near field", table, near=500)
    run("Adult 2,000, hold-out", table, test=0.3)
    run("Adult 2,000, budget 10 s", table, budget=10.0)
    run("Adult 2,000, balanced, K = 50", table, scoring="balanced", n_neighbors=50)
    run("Adult 2,000, until precise", table, subsets=14 * 2 * 32)


def large() -> None:
    table = planted(20_000)
    run("Planted 20,000 x 10, near field", table, subsets=1, near=500)
    run("Planted 20,000 x 10, budget 10 s", table, budget=10.0, near=500)
    run("Planted 20,000 x 10", table, subsets=1)


def games() -> None:
    davis, cancer = sample("davis"), sample("breast_cancer")
    run("Davis, 2D-OOB", davis, **OOB)
    run("Breast cancer, 2D-OOB", cancer, **OOB)
    run("Adult 2,000, 2D-OOB", sample("adult_2000"), **OOB)
    run("Davis, Monte Carlo, tree", davis, **MC)
    run("Breast cancer, Monte Carlo, tree", cancer, **MC, rounds=20)
    run("Davis, Monte Carlo, KNN", davis, **MC, model="knn")
    run("Wine, Monte Carlo, logistic", sample("wine"), **MC, model="logistic", rounds=4)
    run("Davis, leave-one-out", davis, method="loo")
    run("Davis, 1D-Shapley on cells", davis, method="flat", rounds=4)


def measuring() -> None:
    """The Repair page foretells nothing before it starts."""
    from cellval.repairs.measure import iter_comparison

    for name in ("davis", "adult_2000"):
        table = sample(name)
        column = next(c.name for c in table.features if c.numbers is not None)
        after = table.with_cells({(3, column): "1", (5, column): ""})
        job = start_job(table, lambda t=table, a=after: iter_comparison(t, a))
        watched(f"{name}, before and after", float("nan"), job)


def validate() -> None:
    """The page says how long looking takes; the tree comes after that."""
    from cellval.validation.run import iter_validation

    for name in ("breast_cancer", "adult_2000"):
        table = sample(name)
        m = len(table.features)
        options = RunOptions(subsets="auto" if m < 10 else 8 * m)
        before = values_seconds(table, options) + surprise_seconds(table) / n_cores()
        job = start_job(table, lambda t=table: iter_validation(t, removal=False))
        watched(f"{name}, planted errors", before, job)
        job = start_job(table, lambda t=table: iter_validation(t))
        watched(f"{name}, with a tree", float("nan"), job)


PARTS = (samples, adult, games, large, measuring, validate)


def main() -> None:
    warm_up().join()
    named = {part.__name__: part for part in PARTS}
    chosen = [word for word in sys.argv[1:] if word in named] or list(named)
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "?"
    print(f"seconds; {n_cores()} cores, load {load} at the beginning")
    heads = ("said before", *(f"at {100 * k:.0f} %" for k in MARKS))
    columns = "".join(f"{head:>16}" for head in heads)
    print(f"{'':34}{columns}{'actual':>9}{'CPU':>9}{'said / CPU':>13}")
    for name in chosen:
        named[name]()


if __name__ == "__main__":
    with printed("estimates", "estimates"):
        main()
