"""From 10 thousand to 100 million rows: python -m benchmarks.scale [--write]

What a default run on 20 columns takes in the near field (near=500, one pair of orders):
test points, seconds on the cores here, on 64 cores like these and on an H200, memory,
and the standard error to expect. The seconds of one test point on one core are measured
up to the MEASURED rows and extrapolated beyond; the GPU's are from what was measured on
one (`cellval.jobs.expected`); the standard errors are tried on fewer rows. Memory is
what a run may take at most. With --write, into results/scale.md.
"""

import numpy as np

from benchmarks.pages import printed
from cellval.jobs.expected import Estimate
from cellval.knn.cell_values import Queries, Rows
from cellval.knn.engine import LEAST_TRIED, TRIED, Outlook, run_item
from cellval.knn.plan import Plan, drawn, evaluations, random_orders
from cellval.knn.row_values import make_steps
from cellval.parallel import n_cores, seconds_of
from cellval.text import spoken_bytes, spoken_time
from cellval.values.memory import BYTES_A_CELL

ROWS = (10_000, 100_000, 1_000_000, 10_000_000, 100_000_000)
MEASURED = 1_000_000
COLUMNS, NEAR, NEIGHBORS, CLUSTER = 20, 500, 10, 64


def arguments(n: int, n_tests: int):
    """Of `run_item`: numbers of two classes, and the first rows as test points."""
    rng = np.random.default_rng([0, n])
    y = rng.integers(0, 2, n).astype(np.int32)
    cells = rng.normal(0.3 * y, 1, (COLUMNS, n)).astype(np.float32)
    none = np.empty(0, np.int64)
    weight = np.full(COLUMNS, 0.5, np.float32)
    rows = Rows(cells, weight, np.zeros(COLUMNS, bool), y, none)
    some = slice(0, n_tests)
    tests = Queries(
        np.ascontiguousarray(cells[:, some].T),
        y[some],
        np.arange(n_tests),
        np.ones(n_tests, np.int64),
        np.ones(n_tests),
    )
    orders = random_orders(rng, n_tests, 1, COLUMNS)
    stop = np.zeros(1, np.uint8)
    return rows, tests, orders, NEAR, False, make_steps(n, NEIGHBORS), stop


def seconds_a_test(n: int) -> float:
    """Of one core, undisturbed."""
    n_tests = max(1, int(2e7 / (n * evaluations(COLUMNS, 1))))
    given = arguments(n, n_tests)
    run_item(*given)  # compiled or loaded by that
    return seconds_of(lambda: run_item(*given)) / n_tests


def stderr(n: int, n_tests: int) -> float:
    """As `cellval.knn.engine.expected_stderr` foretells it."""
    share = n_tests / n
    few = int(min(n, np.sqrt(TRIED / (evaluations(COLUMNS, 1) * share))))
    tried = min(few, max(LEAST_TRIED, round(few * share)))
    sums = run_item(*arguments(few, tried))
    spread = np.maximum(sums.cells_squared - sums.cells**2 / tried, 0) / (tried - 1)
    if tried < few:  # see `cellval.knn.sums`
        least = spread.mean(axis=1, keepdims=True) / (1 + tried * NEAR / few)
        spread = np.maximum(spread, least)
    typical = np.sqrt(spread / tried).mean()
    return float(typical * np.sqrt(few / n * tried / n_tests))


def main() -> None:
    print(f"{COLUMNS} columns, near={NEAR}, one pair of orders, {n_cores()} cores here")
    print(
        f"{'rows':>13}{'test points':>13}{'a test':>12}{'here':>9}"
        f"{f'{CLUSTER} cores':>10}{'H200':>8}{'memory':>11}{'stderr':>13}"
    )
    each, last = 0.0, 1
    for n in ROWS:
        plan = drawn(Plan(n, COLUMNS, n, 1, 0))
        measured = n <= MEASURED
        each = seconds_a_test(n) if measured else each * n / last
        last = n
        subsets = evaluations(COLUMNS, 1)
        run = Outlook(n, COLUMNS, n, plan.n_visited, subsets, NEAR)
        here = each * plan.n_visited / n_cores()
        said = Estimate(run, np.nan, here, here, 0.0, n_cores())
        error = f"{100 * stderr(n, plan.n_visited):.2g} pp"
        memory = spoken_bytes(BYTES_A_CELL * n * COLUMNS)
        test = f"{1e3 * each:,.1f} ms"
        print(
            f"{n:13,}{plan.n_visited:13,}{test:>12}{spoken_time(here):>9}"
            f"{spoken_time(said.on_cores(CLUSTER)):>10}{spoken_time(said.on_h200):>8}"
            f"{memory:>11}{error:>13}  {'measured' if measured else 'extrapolated'}",
            flush=True,
        )
    print("\nA test point takes as long on one core; what is extrapolated is linear.")


if __name__ == "__main__":
    with printed("scale", "scale"):
        main()
