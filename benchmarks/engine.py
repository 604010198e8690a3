"""Speed of the engine: python -m benchmarks.engine [part ...] [--data DIR] [--write]

Parts: exact, kernel, rows, scaling, start. Ratios are measured in one run on one core.
With --write, into results/speed.md.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import cellval
from benchmarks.data import SAMPLES, adult, breast_cancer
from benchmarks.pages import printed
from cellval.experiments.algorithm2 import Arrays, one_permutation
from cellval.knn.cell_values import Queries, Rows, make_sums, whole_rows
from cellval.knn.distance import add_column
from cellval.knn.engine import run_item
from cellval.knn.plan import evaluations
from cellval.knn.problem import make_problem
from cellval.knn.row_values import make_steps
from cellval.values.options import RunOptions

GO = np.zeros(1, np.uint8)  # nothing stops
PARTS = ("exact", "kernel", "rows", "scaling", "start")


def seconds(call, repeat=3):
    """Fastest of some runs; the first one compiles and does not count."""
    call()
    times = []
    for _ in range(repeat):
        started = time.perf_counter()
        call()
        times.append(time.perf_counter() - started)
    return min(times)


def exact():
    print("\nBreast Cancer, 241 x 9 train, 242 test, K = 10, one core")
    rows, labels, tests, test_labels = breast_cancer()
    names = [f"c{j}" for j in range(9)]

    def table(cells, y):
        import pandas as pd

        frame = pd.DataFrame(cells, columns=names).assign(y=y)
        return cellval.Table.from_frame(frame, label="y")

    train, test = table(rows, labels), table(tests, test_labels)
    ours = seconds(
        lambda: cellval.value_cells(train, test=test, subsets="all", n_jobs=1), 5
    )
    rng = np.random.default_rng(0)
    arrays = Arrays(rows, labels, tests, test_labels)
    print(f"{'':52}{'seconds':>10}{'times':>8}")
    print(f"{'engine, exact values (512 subsets), everything':52}{ours:10.3f}{1:8.0f}")
    for at_once, words in [
        (False, "a loop over test points"),
        (True, "vectorised over them"),
    ]:
        one = seconds(
            lambda at_once=at_once: one_permutation(
                arrays, 10, rng.permutation(9), at_once=at_once
            )
        )
        line = f"plain numpy, 1,000 permutations, {words}"
        print(f"{line:52}{1000 * one:10.1f}{1000 * one / ours:8.0f}")


def batch(problem, n_tests):
    """The first test points of a problem, with one pair of orders each."""
    tests = Queries(*(array[:n_tests] for array in problem.tests))
    rng = np.random.default_rng(0)
    m = problem.plan.n_columns
    orders = rng.permuted(np.broadcast_to(np.arange(m), (n_tests, 1, m)), axis=-1)
    return problem.rows, tests, orders


def streaming_floor(rows: Rows) -> float:
    """Nanoseconds to add one column to the distances, per row."""
    dist = np.zeros(rows.y.size, np.float32)
    columns = range(rows.weight.size)

    def add():
        for j in columns:
            add_column(
                rows.cells[j],
                rows.cells[j, 0],
                rows.weight[j],
                rows.is_category[j],
                None,
                dist,
            )

    return 1e9 * seconds(add, 20) / len(columns) / rows.y.size


def kernel():
    print("\nKernel, one core, ns per (row, subset, test point), everything included")
    print(f"{'':14}{'rows':>8}{'full sort':>12}{'near=500':>12}{'streaming floor':>18}")
    table, name = adult()
    for n in (2000, 4000, 8000, 16000, table.n_rows):
        part = cellval.Table.from_frame(
            table.cells.iloc[:n],
            label=table.label,
            kinds={c.name: c.kind for c in table.columns},
        )
        problem = make_problem(part, RunOptions(subsets=1))
        n_tests = max(8, int(1.5e6 / n))
        cost = []
        for near in (None, 500):
            rows, tests, orders = batch(problem, n_tests)
            item = (rows, tests, orders, near, False, problem.steps, GO)
            took = seconds(lambda item=item: run_item(*item))
            work = n * n_tests * evaluations(problem.plan.n_columns, 1)
            cost.append(1e9 * took / work)
        floor = streaming_floor(problem.rows)
        print(f"{name:14}{n:8}{cost[0]:12.1f}{cost[1]:12.1f}{floor:18.2f}")


def normal_rows(rng, n, m):
    """Rows of normal numbers in two classes."""
    return Rows(
        rng.normal(size=(m, n)).astype(np.float32),
        np.full(m, 0.5, np.float32),
        np.zeros(m, bool),
        rng.integers(0, 2, n).astype(np.int32),
        np.empty(0, np.int64),
    )


def rows():
    print("\n1D KNN-Shapley, m = 14, one core, everything included")
    print(f"{'rows':>10}{'test points':>14}{'seconds':>10}{'ms a test point':>18}")
    m = 14
    for n, n_tests in ((5000, 500), (100_000, 40), (1_000_000, 10)):
        rng = np.random.default_rng(0)
        made = normal_rows(rng, n, m)
        tests = Queries(
            rng.normal(size=(n_tests, m)).astype(np.float32),
            rng.integers(0, 2, n_tests).astype(np.int32),
            np.full(n_tests, -1),
            np.ones(n_tests, np.int64),
            np.ones(n_tests),
        )
        given = made, tests, 0, make_steps(n, 10), make_sums(n, 1)
        took = seconds(lambda given=given: whole_rows(*given), 5)
        print(f"{n:10,}{n_tests:14}{took:10.3f}{1e3 * took / n_tests:18.2f}")


def scaling():
    print("\nDoubling (one core, one pair of orders per test point): time ratio")
    rng = np.random.default_rng(0)

    def took(n, n_tests, m):
        made = normal_rows(rng, n, m)
        tests = Queries(
            np.ascontiguousarray(made.cells[:, :n_tests].T),
            made.y[:n_tests],
            np.arange(n_tests),
            np.ones(n_tests, np.int64),
            np.ones(n_tests),
        )
        orders = rng.permuted(np.broadcast_to(np.arange(m), (n_tests, 1, m)), axis=-1)
        steps = make_steps(n, 10)
        return seconds(lambda: run_item(made, tests, orders, None, False, steps, GO), 5)

    base = took(4000, 60, 14)
    for name, changed in [
        ("rows n", (8000, 60, 14)),
        ("test points T", (4000, 120, 14)),
        ("columns m", (4000, 60, 28)),
    ]:
        print(f"{name:16}{took(*changed) / base:6.2f}")


FIRST = """
import sys, time, cellval
is_first = True
for step in cellval.iter_values(cellval.read(sys.argv[1], label="sex")):
    if step.has_result and is_first:
        print(time.time())
        is_first = False
"""


def start():
    """Of the sources alone: what is compiled is kept beside them."""
    print(
        "\nDavis, seconds from the start of a process to its first values, or its end"
    )
    davis = str(SAMPLES / "davis.csv")
    first = ["-c", FIRST, davis]
    suspects = ["-m", "cellval", "suspects", davis, "--label", "sex", "--out", "list"]
    with tempfile.TemporaryDirectory() as place:
        shutil.copytree(
            SAMPLES.parent / "cellval",
            Path(place) / "cellval",
            ignore=shutil.ignore_patterns("__pycache__"),
        )

        def seconds_of(command):
            """What one has compiled is there for the next: it goes on to its end."""
            began = time.time()
            ended = subprocess.run(
                [sys.executable, *command],
                cwd=place,
                check=True,
                capture_output=True,
                env={**os.environ, "PYTHONPATH": place},
            )
            return (float(ended.stdout) if command is first else time.time()) - began

        for name, command, times in (
            ("first values, new machine", first, 1),
            ("first values, later", first, 3),
            ("cellval suspects, new", suspects, 1),
            ("cellval suspects, later", suspects, 5),
        ):
            took = [seconds_of(command) for _ in range(times)]
            print(f"{name:27}" + "".join(f"{t:7.2f}" for t in took))


if __name__ == "__main__":
    asked = [a for a in sys.argv[1:] if a in PARTS] or PARTS
    for part in asked:
        with printed("speed", f"engine {part}"):
            globals()[part]()
