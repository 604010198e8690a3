"""Values from a GPU: the definition, the processor's values, stopping and going on."""

import numpy as np
import pytest
from cases import bits, close, message_of, naive_values, random_table
from cell_cases import CASES, MIXED

import cellval
from cellval.knn.cuda import run as cuda_run
from cellval.knn.cuda.run import CudaRun, expected_seconds
from cellval.knn.problem import make_problem
from cellval.knn.sums import nothing
from cellval.values.options import RunOptions

pytestmark = pytest.mark.usefixtures("device")


# More rows than a block of 32 threads puts in order at once, 64; ties, and a group of
# ties larger than `near`; blanks, categories, repeated rows, numbers as labels.
MANY = {
    "mixed": random_table(31, 90, [*MIXED, "number"], 3, levels=9, missing=0.1),
    "ties": random_table(32, 90, ["number", "category"] * 2, levels=2),
    "all tied": random_table(33, 80, ["number", "category"] * 2, levels=1),
    "numbers": random_table(34, 70, [*MIXED, "category"], missing=0.1, numbers=True),
}


def both(table, **options):
    return [
        cellval.value_cells(table, backend=where, **options)
        for where in ("cpu", "cuda")
    ]


def alike(one, other):
    """Do two results agree within the rounding of float32?"""
    for name in ("values", "row_values", "column_values", "stderr", "column_stderr"):
        a, b = getattr(one, name), getattr(other, name)
        atol = 1e-6 * np.nanmax(np.abs(a), initial=0) + 1e-7
        np.testing.assert_allclose(b, a, rtol=1e-5, atol=atol, err_msg=name)
    assert one.n_test == other.n_test


@pytest.mark.parametrize("baseline", ["zero", "chance"])
@pytest.mark.parametrize("name", CASES)
def test_exact_values_are_the_definition(name, baseline):
    table, k = CASES[name]
    comp = cellval.value_cells(
        table, subsets="all", n_neighbors=k, baseline=baseline, backend="cuda"
    )
    assert comp.settings.backend == "cuda"
    close(comp.values, naive_values(table, k, baseline=baseline))


@pytest.mark.parametrize("name", [*CASES, *MANY])
def test_values_of_rows_alone_are_those_of_the_processor(name, device):
    table, k = CASES[name] if name in CASES else (MANY[name], 4)
    ref, comp = (
        cellval.value_rows(table, n_neighbors=k, backend=where)
        for where in ("cpu", "cuda")
    )
    np.testing.assert_allclose(comp, ref, rtol=1e-5, atol=1e-7)
    if "used" in vars(device):
        assert set(device.used) == {"dense_whole", "add_up_dense"}


@pytest.mark.parametrize("near", [1, 3])
def test_the_near_field_is_the_coarser_utility_with_any_weights(near):
    table = random_table(21, 7, MIXED, missing=0.2)
    comp = cellval.value_cells(
        table, subsets="all", n_neighbors=2, near=near, backend="cuda"
    )
    close(comp.values, naive_values(table, 2, near=near))


SAMPLED = {
    "a pair": {"subsets": 2},
    "a pair, near": {"subsets": 2, "near": 12},
    "near, chance": {"subsets": 2, "near": 20, "baseline": "chance"},
    "near, Banzhaf": {"subsets": 2, "near": 12, "column_weights": "banzhaf"},
    "two passes": {"subsets": 12, "near": 9, "random_state": 5},
}


@pytest.mark.parametrize("options", SAMPLED.values(), ids=SAMPLED)
@pytest.mark.parametrize("table", MANY.values(), ids=MANY)
def test_the_same_orders_give_the_values_of_the_processor(table, options, device):
    alike(*both(table, n_neighbors=4, test=0.15, **options))
    if "used" in vars(device):
        kernel = "near_pairs" if "near" in options else "dense_pairs"
        assert kernel in device.used


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"near": 6},
        {"near": 6, "column_weights": "beta(4, 1)", "baseline": "chance"},
    ],
)
def test_exact_ends_are_those_of_the_processor(options, device):
    kinds = [*MIXED, *MIXED, "number", "category"]
    table = random_table(35, 80, kinds, levels=4, missing=0.1)
    one, other = both(table, subsets=128, test=0.05, **options)
    assert one.settings.passes == other.settings.passes == (1, 1, 2, 4)
    alike(one, other)
    if "used" in vars(device):
        assert "dense_ends" in device.used


@pytest.mark.parametrize("near", [None, 7])
def test_every_row_in_turn_and_balanced_classes(near):
    table = random_table(36, 40, MIXED, n_classes=3, levels=5)
    alike(*both(table, subsets=2, near=near, scoring="balanced", n_neighbors=3))


def test_the_same_seed_gives_the_same_bits_whatever_blocks_there_are(device):
    table, options = MANY["ties"], {"subsets": 2, "near": 12, "test": 0.2}
    first = cellval.value_cells(table, backend="cuda", **options)
    if "used" in vars(device):
        device.blocks = 1
    again = cellval.value_cells(table, backend="cuda", **options)
    assert bits(first) == bits(again)


def test_a_stopped_run_goes_on_to_the_same_bits(monkeypatch):
    monkeypatch.setattr(cuda_run, "GROUP_WORK", 1)  # a group an item
    table = random_table(37, 30, MIXED)
    options = {"subsets": 12, "n_neighbors": 3, "backend": "cuda", "random_state": 2}
    whole = cellval.value_cells(table, **options)
    steps = cellval.iter_values(table, **options)
    for step in steps:
        if 0.4 < step.done < 0.9:
            break
    steps.close()
    part = step.result
    rest = cellval.value_cells(table, continue_from=part, **options)
    assert bits(rest) == bits(whole)
    told = message_of(
        cellval.value_cells, table, continue_from=part, subsets=12, n_neighbors=3
    )
    assert "random_state, backend" in told


def test_groups_of_items_give_what_items_give_one_by_one(monkeypatch):
    table = random_table(38, 30, MIXED)
    whole = cellval.value_cells(table, subsets=12, backend="cuda")
    monkeypatch.setattr(cuda_run, "GROUP_WORK", 1)
    alike(whole, cellval.value_cells(table, subsets=12, backend="cuda"))


def test_nothing_is_computed_for_a_run_that_was_stopped():
    problem = make_problem(MANY["mixed"], RunOptions(subsets=2, backend="cuda"))
    run = CudaRun(problem, nothing(problem))
    run.prepare()
    run.stop()
    piece = next(iter(run.pieces()))
    _, sums = piece.function(*piece.arguments)
    assert not np.any(sums.cells)


def test_a_run_is_foretold_from_a_part_of_it():
    problem = make_problem(MANY["mixed"], RunOptions(subsets=2, backend="cuda"))
    assert 0 < expected_seconds(problem) < 600


def test_a_gpu_belongs_to_no_executor():
    from concurrent.futures import ThreadPoolExecutor

    table = MANY["mixed"]
    with ThreadPoolExecutor(1) as threads:
        told = message_of(cellval.value_cells, table, backend="cuda", executor=threads)
        there = cellval.value_cells(table, backend="auto", executor=threads, subsets=2)
    assert "backend='cpu'" in told
    assert there.settings.backend == "cpu"


@pytest.mark.parametrize("fails", ["put", "zeros"])
def test_a_table_that_does_not_fit_into_the_gpu_is_told(device, monkeypatch, fails):
    def full(*given):
        raise MemoryError

    monkeypatch.setattr(device, fails, full)
    told = message_of(cellval.value_cells, MANY["mixed"], backend="cuda", subsets=2)
    assert "not enough memory for 90 rows and 4 columns" in told
