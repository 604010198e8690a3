"""What a row, and each of its cells, is worth under each of its contents."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from cellval.knn.cell_values import Queries, Rows
from cellval.knn.distance import distances
from cellval.knn.one_row import cells_if_exact, cells_if_sampled, rows_if
from cellval.knn.plan import MOST_COLUMNS, random_orders
from cellval.knn.problem import distinct
from cellval.parallel import n_cores
from cellval.whatif.changed_row import ChangedRow, Run

# Evaluations (rows x test points x subsets of columns): fixed, because answers must not
# depend on how fast or busy the machine is. One takes about 8 ns on one core.
ROW_WORK = 1e8  # for values of the row, in all
CELL_WORK = 1.7e8  # for values of its cells, a second
ORDERING = 100  # what ordering no rows costs, in rows
RELATIVE = 0.5  # share of the work where only a difference is wanted
MOST_PAIRS = 64


@dataclass(frozen=True, eq=False)
class TestContributions:
    """What each test point that was looked at says about each content."""

    by_test: np.ndarray  # (n_contents, n_looked_at) or (n_contents, n_looked_at, m)
    times: np.ndarray  # (n_looked_at,): test points that each stands for
    is_sampled: np.ndarray  # bool (n_looked_at,): it stands for unseen ones, too
    n_tests: int  # there are
    note: str = ""

    def mean(self, q: int, against: int | None = None) -> tuple[Any, Any]:
        """Mean over all test points of a content (less another), and its stderr.

        Noise of the test set, and of looking at some test points only.
        """
        v = self.by_test[q] - (0.0 if against is None else self.by_test[against])
        n = self.n_tests
        mean = self.times @ v / n
        if n < 2:
            return mean, np.full_like(mean, np.nan)
        spread = np.maximum(self.times @ (v * v) - n * mean * mean, 0.0) / (n - 1)
        variance = spread / n
        some = v[self.is_sampled]
        if len(some) > 1:
            stands_for = self.times[self.is_sampled].sum()
            unseen = 1 - len(some) / stands_for
            variance += (
                (stands_for / n) ** 2 * some.var(axis=0, ddof=1) / len(some) * unseen
            )
        return mean, np.sqrt(variance)


def _some_tests(
    run: Run, row: ChangedRow, wanted: int
) -> tuple[np.ndarray, np.ndarray, str]:
    """Test points to look at, how many each stands for, and a note if not all.

    Those nearest to the row in any content are all looked at, because they say most
    about it; the others are a random sample.
    """
    n = row.test_y.size
    wanted = max(wanted, 20)
    if wanted >= n:
        return np.arange(n), np.ones(n), ""
    nearest = np.full(n, np.inf)
    for q, w in enumerate(row.world_of):
        world = row.worlds[w]
        tests = np.ascontiguousarray(world.test_cells.T)
        fixed = world.weight, run.encoded.is_category
        nearest = np.minimum(nearest, distances(tests, *fixed, row.contents[:, q]))
    order = np.argsort(nearest, kind="stable")
    near, far = order[: wanted // 2], order[wanted // 2 :]
    rng = np.random.default_rng([run.seed, 2**30])
    some = rng.choice(far, wanted - near.size, replace=False)
    times = np.repeat([1.0, far.size / some.size], [near.size, some.size])
    note = (
        f"Measured on {wanted:,} of {n:,} test points, the same before and after: the "
        f"{near.size:,} nearest to the row and a random sample of the others."
    )
    return np.concatenate([near, some]), times, note


def _by_world(
    run: Run, row: ChangedRow, contents: Sequence[int], which: np.ndarray
) -> Iterator[tuple[list[int], tuple[Rows, Queries]]]:
    """Kernel arrays of each world, and where its contents stand in the list.

    Rows are the others, then the contents, there 0 times.
    """
    for w in dict.fromkeys(row.world_of[q] for q in contents):
        world = row.worlds[w]
        at = [k for k, q in enumerate(contents) if row.world_of[q] == w]
        here = [contents[k] for k in at]
        rows = Rows(
            np.ascontiguousarray(np.hstack([world.cells, row.contents[:, here]])),
            world.weight,
            run.encoded.is_category,
            np.concatenate([row.y, row.labels[here]]),
            np.repeat([1, 0], [row.y.size, len(here)]),
        )
        tests = Queries(
            world.test_cells[which],
            row.test_y[which],
            row.own[which],
            np.ones(which.size, np.int64),
            np.ones(which.size),
        )
        yield at, (rows, tests)


def _computed(
    kernel: Callable[..., None],
    run: Run,
    rows: Rows,
    tests: Queries,
    *options: bool,
    orders: np.ndarray | None = None,
    per_cell: bool = True,
) -> np.ndarray:
    """(n_contents, n_tests[, m]): the kernel's output, on threads."""
    n = int(np.argmin(rows.copies))
    m, size = rows.cells.shape
    n_tests = tests.y.size
    out = np.empty((n_tests, size - n, m) if per_cell else (n_tests, size - n))
    settings = run.settings
    fixed = *options, settings.near or 0, settings.baseline == "chance", run.steps

    def part(first: int, last: int) -> None:
        some = Queries(*(array[first:last] for array in tests))
        mine = () if orders is None else (orders[first:last],)
        kernel(rows, n, some, *mine, *fixed, out[first:last])

    part(0, 0)  # compiled before threads would do it at once
    width = n_cores()
    bounds = np.linspace(0, n_tests, 4 * width + 1).astype(int)
    with ThreadPoolExecutor(width) as pool:
        list(pool.map(part, bounds[:-1], bounds[1:]))
    return np.moveaxis(out, 1, 0)


def whole_row(run: Run, row: ChangedRow) -> TestContributions:
    """Values of the row: one subset of columns, all of them."""
    contents = range(len(row.world_of))
    wanted = ROW_WORK / (len(row.worlds) * (row.y.size + 1))
    which, times, note = _some_tests(run, row, int(wanted))
    by_test = np.empty((len(contents), which.size))
    for at, arrays in _by_world(run, row, contents, which):
        by_test[at] = _computed(rows_if, run, *arrays, per_cell=False)
    by_test *= row.say[:, which]
    return TestContributions(by_test, times, times > 1, run.n_tests, note)


def _is_relative(row: ChangedRow) -> bool:
    """Can both contents be placed at once, and what is the same for both left out?"""
    return len(row.worlds) == 1 and np.array_equal(row.say[0], row.say[1])


def exact_cells(
    run: Run, row: ChangedRow, work: float, old_known: bool
) -> TestContributions | None:
    """Values of the row's cells from all subsets of columns; None if too much work.

    Of the new content alone if the old ones are known and nothing is gained by placing
    both at once. Equal rows, and equal test points, are taken once.
    """
    m = row.contents.shape[0]
    if m > MOST_COLUMNS:
        return None
    relative = _is_relative(row)
    contents = [1] if old_known and not relative else [0, 1]
    # equal in all worlds
    worlds = [row.worlds[w] for w in dict.fromkeys(row.world_of[q] for q in contents)]
    first, _, copies = distinct(np.vstack([w.cells for w in worlds]), row.y)
    which, times = first, copies
    if not run.leave_one_out:
        points = np.hstack([w.test_cells for w in worlds]).T
        which, _, times = distinct(points, row.test_y)
    per_subset = (first.size + ORDERING) * which.size * len(worlds)
    if 2.0**m * per_subset * (RELATIVE if relative else 1) > work:
        return None
    by_test = np.empty((len(contents), which.size, m))
    for at, (rows, tests) in _by_world(run, row, contents, which):
        kept = np.append(first, row.y.size + np.arange(len(at)))
        rows = rows._replace(
            cells=np.ascontiguousarray(rows.cells[:, kept]),
            y=rows.y[kept],
            copies=np.append(copies, np.zeros(len(at), np.int64)),
        )
        if run.leave_one_out:
            tests = tests._replace(own=np.arange(first.size))
        by_test[at] = _computed(cells_if_exact, run, rows, tests, relative)
    by_test *= row.say[contents][:, which, None]
    note = f"All {2**m:,} subsets of columns were evaluated anew (exact)."
    sampled = np.zeros(which.size, bool)
    return TestContributions(by_test, times.astype(float), sampled, run.n_tests, note)


def sampled_cells(run: Run, row: ChangedRow, work: float) -> TestContributions:
    """Values of the row's cells before and after on the same random orders."""
    m = row.contents.shape[0]
    relative = _is_relative(row)
    per_pair = (row.y.size + ORDERING) * (2 * m - 1) * len(row.worlds)
    visits = work / per_pair / (RELATIVE if relative else 1)
    n_pairs = int(np.clip(visits / max(row.test_y.size, 1), 1, MOST_PAIRS))
    which, times, note = _some_tests(run, row, int(visits / n_pairs))
    rng = np.random.default_rng([run.seed, 2**30 + 1])
    orders = random_orders(rng, which.size, n_pairs, m)
    by_test = np.empty((2, which.size, m))
    for at, arrays in _by_world(run, row, [0, 1], which):
        by_test[at] = _computed(cells_if_sampled, run, *arrays, relative, orders=orders)
    by_test *= row.say[:, which, None]
    number = "one random order" if n_pairs == 1 else f"{n_pairs} random orders"
    how = (
        "Approximate: to each cell's value before is added how it differs between two "
        f"short runs, before and after, on the same {number} of the columns and the "
        "reverse for each test point. The sum is the row's value, computed by itself."
    )
    return TestContributions(
        by_test, times, times > 1, run.n_tests, sentences(how, note)
    )


def sentences(*texts: str) -> str:
    """Those that say something, each once."""
    return " ".join(dict.fromkeys(text for text in texts if text))
