"""Batches on a device: little memory, and test points in waves."""

import numpy as np
import pytest
from cases import random_table
from on_cpu import OnCpu

from cellval.knn.cell_values import subset_weights
from cellval.knn.cuda import launch
from cellval.knn.engine import run_item
from cellval.knn.problem import make_problem
from cellval.values.options import RunOptions

GO = np.zeros(1, np.uint8)
TABLE = random_table(41, 90, ["number", "category", "decimal"], levels=3, missing=0.1)


def sums(device, near, n_pairs, n_tests=6):
    """Of the processor's kernels, and of the device's."""
    problem = make_problem(TABLE, RunOptions(subsets=2, near=near, n_neighbors=4))
    tests = type(problem.tests)(*(array[:n_tests] for array in problem.tests))
    orders = problem.plan.orders(problem.plan.item(0, 0))[:1]
    orders = np.tile(orders, (n_tests, n_pairs, 1))
    fixed = problem.near or None, False, problem.steps, GO
    rows = problem.rows
    on_device = launch.send(
        device,
        rows,
        problem.steps,
        near=problem.near,
        chance=False,
        weights=subset_weights(rows.weight.size, rows.factors),
    )
    wanted = run_item(rows, tests, orders, *fixed)
    return wanted, launch.value(on_device, tests, orders, ends=False)


@pytest.mark.parametrize("near", [None, 10])
@pytest.mark.parametrize("shared", [1 << 20, 6_000])
def test_tables_larger_than_shared_memory_give_the_same(processor, near, shared):
    small = OnCpu(processor.folder, shared=shared)
    for wanted, comp in zip(*sums(small, near, 1), strict=True):
        np.testing.assert_allclose(comp, wanted, atol=1e-7)


@pytest.mark.parametrize("near", [10, 40])
def test_threads_may_put_more_rows_in_order(processor, near):
    more = OnCpu(processor.folder, per=4)
    for wanted, comp in zip(*sums(more, near, 2), strict=True):
        np.testing.assert_allclose(comp, wanted, atol=1e-7)
    assert more.used == {"near_pairs", "add_up_near"}


@pytest.mark.parametrize("near", [None, 10])
def test_waves_and_blocks_follow_from_the_memory_there_is(processor, near):
    little = OnCpu(processor.folder)
    little.memory = 20_000
    launched = []
    launch_one = little.launch

    def note(kernel, blocks, *rest):
        launched.append((kernel, blocks))
        launch_one(kernel, blocks, *rest)

    little.launch = note
    for wanted, comp in zip(*sums(little, near, 1, n_tests=20), strict=True):
        np.testing.assert_allclose(comp, wanted, atol=1e-7)
    waves = [kernel for kernel, _ in launched if kernel.startswith("add_up")]
    assert len(waves) > 2


def test_a_sample_holds_enough_near_rows_if_it_can(processor):
    problem = make_problem(TABLE, RunOptions(subsets=2, near=10))
    known = {"near": 10, "chance": False, "weights": np.ones(4)}
    rows = launch.send(processor, problem.rows, problem.steps, **known).fields
    assert rows["n_sample"] == rows["stride"] == 92  # 90, in fours
    known["near"] = 80
    rows = launch.send(processor, problem.rows, problem.steps, **known).fields
    assert rows["n_sample"] == 64
