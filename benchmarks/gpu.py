"""The GPU: python -m benchmarks.gpu [--data DIR] [--write] (needs a GPU and CuPy)

Adult in the near field beside the processor, all subsets of Breast Cancer, all rows in
order, and a part of a million rows, from which the whole is foretold. Kernel times are
those of the GPU's own clock; "everything" is `value_cells`.
"""

import sys
import time

import numpy as np
import pandas as pd

import cellval
from benchmarks.data import adult, breast_cancer
from benchmarks.pages import printed
from cellval.knn.backends import no_gpu
from cellval.knn.cell_values import Queries, Rows, subset_weights
from cellval.knn.cuda.gpu import Gpu, gpu_for
from cellval.knn.cuda.launch import send, value
from cellval.knn.plan import evaluations
from cellval.knn.problem import make_problem
from cellval.knn.row_values import make_steps
from cellval.values.options import RunOptions

NEAR, MILLION, TESTS = 500, 1_000_000, 1320


class Clock:
    """Milliseconds of every kernel that is launched meanwhile, by name."""

    def __enter__(self):
        import cupy

        self.cupy, self.kept, self.launch = cupy, [], Gpu.launch

        def launch(gpu, kernel, *rest):
            begin, end = cupy.cuda.Event(), cupy.cuda.Event()
            begin.record()
            self.launch(gpu, kernel, *rest)
            end.record()
            self.kept.append((kernel, begin, end))

        Gpu.launch = launch
        return self

    def __exit__(self, *fault):
        Gpu.launch = self.launch
        self.cupy.cuda.Device().synchronize()
        self.ms = {}
        for kernel, begin, end in self.kept:
            taken = self.cupy.cuda.get_elapsed_time(begin, end)
            self.ms[kernel] = self.ms.get(kernel, 0.0) + taken

    @property
    def words(self):
        each = ", ".join(f"{name} {ms:.1f}" for name, ms in self.ms.items())
        return f"{sum(self.ms.values()):9.1f} ms of kernels ({each})"


def timed(call):
    """Seconds of the second call; the first one compiles."""
    call()
    with Clock() as clock:
        started = time.perf_counter()
        result = call()
        taken = time.perf_counter() - started
    return result, taken, clock


def limits(ns):
    """Share of what the GPU can do at most, if each (row, subset, test point) only had
    a cell read from memory (4 bytes), a distance read and written in shared memory
    (8 bytes), and four operations (difference, its square, weight and sum).
    """
    import cupy

    about = cupy.cuda.runtime.getDeviceProperties(0)
    hertz = about["multiProcessorCount"] * about["clockRate"] * 1e3
    bandwidth = 2e3 * about["memoryClockRate"] * about["memoryBusWidth"] / 8
    shares = {
        "the arithmetic limit": 4 / (256 * hertz),
        "shared memory's": 8 / (128 * hertz),
        "memory's, if no cache held the table": 4 / bandwidth,
    }
    told = (f"{1e9 * least / ns:.0%} of {of}" for of, least in shares.items())
    return ", ".join(told)


def on_adult():
    table, name = adult()
    options = {"near": NEAR, "subsets": 2 * len(table.features)}
    comp, taken, clock = timed(
        lambda: cellval.value_cells(table, backend="cuda", **options)
    )
    n, m = table.n_rows, len(table.features)
    steps = n * evaluations(m, 1) * n
    print(f"\n{name}, {n:,} x {m}, every row in turn, near={NEAR}, one pair of orders")
    each = sum(clock.ms.values()) * 1e6 / steps
    print(f"  GPU {clock.words}; everything {taken:.2f} s")
    print(f"  {each:.4f} ns per (row, subset, test point): {limits(each)}")
    started = time.perf_counter()
    ref = cellval.value_cells(table, **options)
    print(f"  processor, all cores: {time.perf_counter() - started:.1f} s")
    gap = np.nanmax(np.abs(ref.values - comp.values))
    print(f"  largest difference {gap:.1e}, largest value {np.nanmax(ref.values):.1e}")
    again = cellval.value_cells(table, backend="cuda", **options)
    print(f"  the same bits again: {np.array_equal(comp.values, again.values)}")
    return make_problem(table, RunOptions(**options))


def exact():
    rows, labels, tests, test_labels = breast_cancer()
    names = [f"c{j}" for j in range(9)]
    train, test = (
        cellval.Table.from_frame(
            pd.DataFrame(cells, columns=names).assign(y=y), label="y"
        )
        for cells, y in ((rows, labels), (tests, test_labels))
    )
    _, taken, clock = timed(
        lambda: cellval.value_cells(train, test=test, subsets="all", backend="cuda")
    )
    print("\nBreast Cancer, 241 x 9 train, 242 test, all 512 subsets")
    print(f"  GPU {clock.words}; everything {1e3 * taken:.1f} ms")


def some_tests(rows, n):
    """The first rows in turn."""
    return Queries(
        np.ascontiguousarray(rows.cells.T[:n]),
        rows.y[:n],
        np.arange(n),
        np.ones(n, np.int64),
        np.ones(n),
    )


def parts(problem):
    """A batch of test points with the near field off, and a million rows."""
    rng = np.random.default_rng(0)
    rows, m = problem.rows, problem.plan.n_columns
    weights = subset_weights(m, rows.factors)

    def run(rows, steps, near, n_tests):
        orders = np.argsort(rng.random((n_tests, 1, m)), -1)
        tests = some_tests(rows, n_tests)
        there = send(
            gpu_for(rows.y.size),
            rows,
            steps,
            near=near,
            chance=False,
            weights=weights,
        )
        _, taken, clock = timed(lambda: value(there, tests, orders, ends=False))
        each = sum(clock.ms.values()) * 1e6
        each /= rows.y.size * evaluations(m, 1) * n_tests
        print(
            f"  GPU {clock.words}; with transfers {taken:.2f} s\n"
            f"  {each:.4f} ns per (row, subset, test point): {limits(each)}"
        )
        return taken

    n = rows.y.size
    print(f"\nThe same rows, all in order (full sort), 528 test points of {n:,}")
    run(rows, problem.steps, 0, 528)
    pick = rng.integers(0, n, MILLION)
    cells = rows.cells[:, pick].copy()
    for j in np.flatnonzero(~rows.is_category):
        noise = rng.normal(size=MILLION) * np.nanstd(cells[j]) * 0.05
        cells[j] += noise.astype(np.float32)
    many = Rows(cells, rows.weight, rows.is_category, rows.y[pick], np.empty(0, int))
    about = f"{MILLION:,} x {m} (Adult, jittered), near={NEAR}"
    print(f"\n{about}, {TESTS} test points")
    steps = make_steps(MILLION, 10)
    taken = run(many, steps, NEAR, TESTS)
    print(f"  every row in turn: {taken * MILLION / TESTS:.0f} s, foretold from these")
    print(f"\nValues of the same million rows alone (1D), {TESTS} test points")
    there = send(gpu_for(MILLION), many, steps, near=0, chance=False, weights=weights)
    _, taken, clock = timed(
        lambda: value(there, some_tests(many, TESTS), None, whole=True)
    )
    ms = 1e3 * taken / TESTS
    print(f"  GPU {clock.words}; {ms:.2f} ms a test point with transfers")


def main():
    if missing := no_gpu():
        sys.exit(f"This benchmark needs a GPU: {missing}")
    import cupy

    name = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    with printed("scale", "gpu"):
        print(name)
        problem = on_adult()
        exact()
        parts(problem)


if __name__ == "__main__":
    main()
