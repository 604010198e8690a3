"""A run of the KNN engine on a GPU: the same work items, many of them at a time."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from cellval.errors import InputError
from cellval.knn.cell_values import Sums, subset_weights
from cellval.knn.cuda import gpu
from cellval.knn.cuda.launch import OnDevice, send, value
from cellval.knn.engine import KnnRun, column_order, in_file_order, reordered
from cellval.knn.plan import ALL, Item, evaluations, with_ends
from cellval.knn.problem import Problem
from cellval.knn.sums import nothing
from cellval.parallel import Piece, seconds_of

GROUP_WORK = 1e11  # evaluations between two snapshots: about a second of a large GPU
TIMED = 528  # test points that are timed to foretell a run: a few for each processor
THREADS = 2  # while one waits for the GPU, the other one draws orders and adds up sums


@dataclass(eq=False)
class CudaRun(KnnRun):
    """The groups of work items of a problem that a run has not done yet."""

    _rows: OnDevice | None = field(default=None, init=False, repr=False)
    _one: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    def prepare(self) -> None:
        """Compile (or load) the kernels, and send the rows."""
        problem = self.problem
        rows = problem.rows
        self._columns = np.arange(rows.weight.size)
        if problem.plan.n_pairs == ALL:
            self._columns = column_order(rows)
        none = self._tests(replace(problem.plan.item(0, 0), first=0, last=0))
        rows, _ = reordered(rows, none, self._columns)
        with _enough_memory(problem):
            self._rows = send(
                gpu.gpu_for(rows.y.size),
                rows,
                problem.steps,
                near=problem.near,
                chance=problem.chance,
                weights=subset_weights(rows.weight.size, rows.factors),
            )

    def begins_uncompiled(self) -> bool:
        return False

    def _branch(self, pass_number: int, number: int) -> Item:
        return self.problem.plan.group(pass_number, number, GROUP_WORK)

    def _groups(self, branch: Item, first: int) -> Iterator[Piece]:
        yield self._piece(branch, first)

    def _piece(self, group: Item, first: int) -> Piece:
        return Piece(self._value, (group, first), self.problem.plan.work(group))

    def _value(self, group: Item, first: int) -> tuple[Item, Sums]:
        """Sums of the items from number `first` to the last one of a group."""
        assert self._rows is not None
        plan, tests = self.problem.plan, self._tests(group)
        tests = tests._replace(cells=tests.cells[:, self._columns])
        orders = self._orders(group, first)
        if self._stop[0]:
            return group, nothing(self.problem).sums
        ends = group.n_pairs != ALL and with_ends(plan.n_columns, group.n_pairs)
        with self._one, _enough_memory(self.problem):
            sums = Sums(*value(self._rows, tests, orders, ends=ends))
        return group, in_file_order(sums, self._columns)


def row_values(problem: Problem) -> np.ndarray:
    """1D KNN-Shapley value of every row of a problem, summed over its test points."""
    run = CudaRun(problem, nothing(problem))
    run.prepare()
    assert run._rows is not None
    tests = problem.tests._replace(cells=problem.tests.cells[:, run._columns])
    with _enough_memory(problem):
        return value(run._rows, tests, None, whole=True)[2]


@contextmanager
def _enough_memory(problem: Problem) -> Iterator[None]:
    """InputError where the GPU's memory does not do."""
    try:
        yield
    except MemoryError as error:  # CuPy's is one
        n, m = problem.plan.n_rows, problem.plan.n_columns
        raise InputError(
            f"The GPU has not enough memory for {n:,} rows and {m:,} columns. Use "
            "backend='cpu', a sample of the rows, or a larger GPU."
        ) from error


def expected_seconds(problem: Problem) -> float:
    """About how long a run would take on the GPU: some test points are timed."""
    run = CudaRun(problem, nothing(problem))
    run.prepare()
    plan, seconds = problem.plan, 0.0
    cost: dict[tuple[bool, bool], float] = {}
    for k, n_pairs in enumerate(plan.passes()):
        subsets = evaluations(plan.n_columns, n_pairs)
        kind = n_pairs == ALL, with_ends(plan.n_columns, n_pairs)
        if kind not in cost:
            step = plan.batch(n_pairs)
            group = plan.group(k, 0, plan.n_rows * subsets * min(TIMED, plan.n_tests))
            few = replace(group, last=min(group.last, max(step, TIMED // step * step)))
            few = replace(few, number=-(-few.last // step) - 1)
            run._value(few, 0)  # compiled or loaded by that
            taken = seconds_of(partial(run._value, few, 0))
            cost[kind] = taken / (subsets * (few.last - few.first))
        seconds += subsets * plan.n_visited * cost[kind]
    return seconds
