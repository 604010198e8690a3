"""A run of the engine: workers, executors, budgets, many rows and columns."""

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from threading import Event, Thread

import numpy as np
import pandas as pd
import pytest
from cases import bits, close, random_table

import cellval
from cellval.knn import engine, plan
from cellval.knn.engine import (
    KnnRun,
    expected_seconds,
    expected_stderr,
    outlook,
    run_item,
)
from cellval.knn.plan import ALL, PAIRS_FOR_ENDS, evaluations
from cellval.knn.problem import make_problem
from cellval.knn.sorting import SMALL
from cellval.knn.sums import nothing
from cellval.plain_python import PlainPython
from cellval.values.options import RunOptions

MIXED = ["number", "category", "decimal"]
WAIT = 900  # seconds until a test gives up


def test_sampled_values_come_close_to_the_exact_ones_within_their_errors():
    table = random_table(16, 40, ["number", "category"] * 4, levels=5)
    exact = cellval.value_cells(table, subsets="all", n_neighbors=5)
    some = cellval.value_cells(table, subsets=128, n_neighbors=5)
    assert some.settings.passes == (1, 1, 2, 4)
    error = np.abs(some.values - exact.values)
    assert np.corrcoef(some.values.ravel(), exact.values.ravel())[0, 1] > 0.9
    assert np.mean(error <= 3 * some.stderr) > 0.95


@pytest.mark.parametrize("subsets", ["all", 60])
def test_results_are_the_same_bit_for_bit_for_any_number_of_workers(subsets):
    table = random_table(27, 80, ["number", "category", "decimal"] * 2)
    results = [
        bits(cellval.value_cells(table, subsets=subsets, n_jobs=k)) for k in (1, 2, 7)
    ]
    assert results[0] == results[1] == results[2]


def test_any_executor_gives_the_same_bits():
    table = random_table(28, 40, MIXED)
    ref = bits(cellval.value_cells(table, n_jobs=1))
    with ThreadPoolExecutor(3) as threads:
        assert bits(cellval.value_cells(table, executor=threads)) == ref
    with ProcessPoolExecutor(2) as processes:
        assert bits(cellval.value_cells(table, executor=processes)) == ref


@pytest.mark.parametrize("numbers", [False, True])
def test_plain_python_gives_the_same_bits(numbers):
    """So small tables begin with it where code is still to be compiled."""
    table = random_table(30, 13, MIXED, missing=0.2, levels=9, numbers=numbers)
    long = random_table(36, SMALL + 1, MIXED[:2], numbers=numbers)
    test = random_table(37, 2, MIXED[:2], numbers=numbers)
    copied = random_table(31, 18, ["category"] * 2, numbers=numbers)
    alone = PlainPython()
    cases = [(table, {}), (table, {"near": 3}), (table, {"baseline": "chance"})]
    cases += [(copied, {}), (table, {"subsets": 4}), (table, {"subsets": 4, "near": 3})]
    cases += [(table, {"column_weights": "banzhaf"})]
    cases += [(long, {"test": test}), (long, {"test": test, "near": 3})]
    try:
        for own, options in cases:
            problem = make_problem(own, RunOptions(n_neighbors=3, **options))
            piece = next(KnnRun(problem, nothing(problem)).pieces())
            there = alone.submit(piece.function, *piece.arguments)
            group, here = piece.function(*piece.arguments)
            assert there.result(WAIT)[0] == group
            for a, b in zip(there.result()[1], here, strict=True):
                assert a.tobytes() == b.tobytes(), options
    finally:
        alone.shutdown()


def test_values_that_plain_python_begins_are_the_same(monkeypatch):
    table = random_table(32, 40, MIXED)
    ref = bits(cellval.value_cells(table))
    go_on, prepare = Event(), KnnRun.prepare
    monkeypatch.setattr(engine, "is_compiled", lambda *_: False)
    monkeypatch.setattr(
        KnnRun, "prepare", lambda run: go_on.wait(WAIT) and prepare(run)
    )
    steps = cellval.iter_values(table, n_jobs=2)
    first = next(step for step in steps if step.has_result)
    assert first.preparing and 0 < first.done < 1
    seen = first.result.settings.n_seen
    assert first.seen == f"{seen} test points" and seen < 40
    go_on.set()
    *_, last = steps
    assert bits(last.result) == ref
    rest = cellval.value_cells(table, continue_from=first.result)
    assert bits(rest) == ref


def test_python_alone_does_no_more_than_takes_it_some_seconds(monkeypatch):
    """Nor what need not be compiled."""

    def begins(table, **options):
        problem = make_problem(table, RunOptions(**options))
        return KnnRun(problem, nothing(problem)).begins_uncompiled()

    small, large = random_table(33, 200, MIXED), random_table(33, 900, MIXED * 4)
    cellval.value_cells(small, budget=0.01)  # compiled or loaded now
    assert not begins(small)
    monkeypatch.setattr(engine, "is_compiled", lambda *_: False)
    assert begins(small)
    assert not begins(large)
    assert not begins(large, subsets=1000)
    long = random_table(34, SMALL + 1, ["category"] * 5, levels=9)
    few = random_table(35, 2, ["category"] * 5, levels=9)
    assert begins(long, test=few, subsets="all")
    assert not begins(long, test=few, subsets=4)  # sums of float32
    steps = cellval.iter_values(small, n_jobs=1)
    part = next(step for step in steps if step.done > 0.3).result
    rest = cellval.value_cells(small, continue_from=part)
    assert bits(rest) == bits(cellval.value_cells(small, n_jobs=1))


def test_items_are_added_up_in_groups_where_they_are_made(monkeypatch):
    table = random_table(29, 60, MIXED * 2)
    options = {"subsets": 40, "n_neighbors": 4}
    each = cellval.value_cells(table, **options)
    monkeypatch.setattr(plan, "GROUPS", 1)  # of the items of a segment
    steps = list(cellval.iter_values(table, n_jobs=1, **options))
    assert len({step.seen for step in steps}) < 16  # not after every item
    groups = steps[-1].result
    np.testing.assert_allclose(groups.values, each.values, rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(groups.stderr, each.stderr, rtol=1e-9)
    assert bits(cellval.value_cells(table, n_jobs=3, **options)) == bits(groups)
    part = next(step for step in steps if 0.2 < step.done < 0.9).result
    rest = cellval.value_cells(table, continue_from=part, **options)
    assert bits(rest) == bits(groups)


def test_a_group_that_is_stopped_says_nothing():
    problem = make_problem(random_table(30, 20, MIXED), RunOptions(subsets=4))
    run = engine.KnnRun(problem, nothing(problem))
    run.stop()
    piece = next(iter(run.pieces()))
    assert not np.any(piece.function(*piece.arguments)[1].cells)


def test_a_time_budget_stops_early_and_keeps_an_estimate():
    table = random_table(37, 400, ["number"] * 12, levels=9)
    comp = cellval.value_cells(table, subsets="all", budget=1e-3)
    assert 0 < comp.n_test < 400
    assert np.isfinite(comp.values).all()


def test_a_target_standard_error_stops_as_soon_as_it_is_reached():
    table = random_table(38, 200, ["number"] * 4, levels=9)
    rough = cellval.value_cells(table, target_stderr=1.0)
    assert 2 <= rough.n_test < 200
    fine = cellval.value_cells(table, target_stderr=1e-9)
    assert fine.n_test == 200


def test_closing_the_iterator_stops_the_workers():
    import threading

    table = random_table(39, 300, ["number"] * 10, levels=9)
    snapshots = cellval.iter_values(table, subsets="all")
    for _ in range(3):
        next(snapshots)
    snapshots.close()
    assert not [t for t in threading.enumerate() if t.name.startswith("cellval")]


def test_two_runs_at_once_in_one_process_do_not_disturb_each_other():
    tables = [random_table(s, 120, ["number"] * 8, levels=9) for s in (40, 41)]
    ref = [bits(cellval.value_cells(t)) for t in tables]
    comp: list = [None, None]

    def work(k):
        comp[k] = bits(cellval.value_cells(tables[k]))

    threads = [Thread(target=work, args=(k,)) for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert comp == ref


def test_a_thousand_columns_work():
    table = random_table(43, 12, ["number"] * 1000, levels=9)
    comp = cellval.value_cells(table, subsets=4000)
    assert comp.values.shape == (12, 1000)
    close(comp.values.sum(axis=1), comp.rows["value"])


def test_a_budget_does_not_wait_for_a_long_item():
    table = random_table(68, 60, ["number"] * 18, levels=9)
    snapshots = cellval.iter_values(table, subsets="all", budget=0.05, n_jobs=1)
    last = list(snapshots)[-1]
    assert last.done == 1.0
    assert 0 < last.result.n_test < 60


@pytest.mark.parametrize("weights", ["banzhaf", "beta(4, 1)"])
@pytest.mark.parametrize("near", [None, 5])
def test_the_mean_over_many_seeds_is_the_exact_value(near, weights):
    table = random_table(17, 10, ["number", "category", "decimal", "number"])
    options = {"n_neighbors": 2, "near": near, "column_weights": weights, "n_jobs": 1}
    exact = cellval.value_cells(table, subsets="all", **options).values
    runs = np.array(
        [
            cellval.value_cells(table, subsets=1, random_state=s, **options).values
            for s in range(150)
        ]
    )
    error = runs.mean(axis=0) - exact
    z = error / np.maximum(runs.std(axis=0, ddof=1) / np.sqrt(len(runs)), 1e-12)
    assert np.abs(z).max() < 4.5
    assert 0.5 < np.mean(z**2) < 1.7


@pytest.mark.parametrize("weights", ["banzhaf", "beta(4, 1)", "beta(1, 4)"])
def test_sampled_values_with_other_weights_come_close_to_the_exact_ones(weights):
    table = random_table(18, 40, ["number", "category"] * 4, levels=5)
    options = {"n_neighbors": 5, "column_weights": weights}
    exact = cellval.value_cells(table, subsets="all", **options)
    some = cellval.value_cells(table, subsets=128, **options)
    assert some.settings.passes == (1, 1, 2, 4)
    error = np.abs(some.values - exact.values)
    assert np.corrcoef(some.values.ravel(), exact.values.ravel())[0, 1] > 0.9
    assert np.mean(error <= 3 * some.stderr) > 0.95


@pytest.mark.parametrize("near", [None, 100])
def test_sums_hold_in_many_rows_too(near):
    table = random_table(19, 1600, ["decimal", "number", "category"] * 2, levels=9)
    test = random_table(20, 24, ["decimal", "number", "category"] * 2, name="test")
    comp = cellval.value_cells(
        table, test=test, subsets=12, near=near, column_weights="banzhaf"
    )
    np.testing.assert_allclose(
        comp.row_values, comp.values.sum(axis=1), rtol=0, atol=1e-15
    )
    close(comp.total, comp.values.sum())
    assert (comp.row_stderr > 0).any()


@pytest.mark.parametrize("subsets", ["all", 60])
def test_workers_change_no_bit_of_other_weights(subsets):
    table = random_table(21, 60, MIXED * 2)
    options = {"subsets": subsets, "column_weights": "banzhaf"}
    ref = bits(cellval.value_cells(table, n_jobs=1, **options))
    assert bits(cellval.value_cells(table, n_jobs=3, **options)) == ref


def test_many_columns_are_valued():
    table = random_table(29, 12, ["number"] * 300, levels=5)
    for weights in ("banzhaf", "beta(16, 1)"):
        for near in (None, 6):
            comp = cellval.value_cells(
                table, subsets=1, near=near, column_weights=weights
            )
            assert np.isfinite(comp.values).all()
            assert np.abs(comp.values).max() > 1e-6


@pytest.mark.parametrize("options", [{}, {"subsets": 10}, {"subsets": 200, "near": 20}])
def test_a_run_is_foretold_from_what_is_timed_of_it(options, monkeypatch):
    """If every evaluation takes a second, a run takes as many as it makes."""
    table, asked = random_table(0, 60, ["decimal"] * 5), RunOptions(**options)
    plan, evaluated = make_problem(table, asked).plan, []

    def seconds(call):
        sums = call()
        assert np.isfinite(sums.rows).all()
        return evaluated[-1]

    def noted(rows, tests, orders, *rest):
        n_pairs = ALL if orders is None else orders.shape[1]
        work = rows.y.size * evaluations(5, n_pairs) * len(tests.y)
        evaluated.append(float(work))
        return run_item(rows, tests, orders, *rest)

    monkeypatch.setattr(engine, "seconds_of", seconds)
    monkeypatch.setattr(engine, "run_item", noted)
    monkeypatch.setattr(engine, "n_cores", lambda: 2)
    assert expected_seconds(table, asked) == pytest.approx(plan.total_work() / 2)


def test_all_subsets_of_many_columns_are_foretold_without_trying_them(monkeypatch):
    table = random_table(0, 300, ["decimal"] * 18)
    timed = []
    monkeypatch.setattr(engine, "_seconds_each", lambda _, n: timed.append(n) or 1.0)
    expected_seconds(table, RunOptions(subsets="all"))
    assert timed == [PAIRS_FOR_ENDS]


def heavy_tables():
    """Eight rows with cells a million times as large as others."""
    rng = np.random.default_rng(0)
    for _ in range(40):
        x = rng.standard_cauchy((8, 6))
        x = np.sign(x) * np.abs(x) ** rng.choice([1, 3, 8])
        cells = {f"c{j}": [repr(float(v)) for v in x[:, j]] for j in range(6)}
        yield pd.DataFrame(cells | {"y": ["a", "b"] * 4}), rng.permutation(6)


def test_values_of_all_subsets_do_not_depend_on_the_order_of_the_columns():
    names = [f"c{j}" for j in range(6)]

    def table(frame, order):
        ordered = frame[[*order, "y"]]
        kinds = dict.fromkeys(names, "number")
        return cellval.Table.from_frame(ordered, label="y", kinds=kinds)

    for frame, order in heavy_tables():
        one, other = table(frame, names), table(frame, [names[j] for j in order])
        a, b = (cellval.value_cells(t, n_neighbors=3) for t in (one, other))
        whole = (cellval.value_rows(t, n_neighbors=3) for t in (one, other))
        for x, y in (
            (b.to_frame()[names].to_numpy(), a.values),
            (b.columns["stderr"][names].to_numpy(), a.column_stderr),
            (b.row_values, a.row_values),
            tuple(whole),
        ):
            np.testing.assert_allclose(x, y, rtol=0, atol=1e-12)


def test_columns_are_ordered_by_what_is_in_them(monkeypatch):
    monkeypatch.setattr(engine, "EXTREMELY_FAR", 0.0)
    table = random_table(3, 30, ["number", "category", "decimal"] * 2)
    rows = make_problem(table, RunOptions()).rows
    order = engine.column_order(rows)
    assert sorted(order) == list(range(6))
    turned = rows._replace(
        cells=rows.cells[::-1],
        weight=rows.weight[::-1],
        is_category=rows.is_category[::-1],
    )
    assert (5 - engine.column_order(turned)).tolist() == order.tolist()
    mixed = np.random.default_rng(0).permutation(rows.y.size)
    assert (
        engine.column_order(rows._replace(cells=rows.cells[:, mixed])) == order
    ).all()


def test_columns_of_ordinary_tables_stay_in_the_order_of_the_file():
    table = random_table(3, 30, ["number", "category", "decimal"] * 2)
    rows = make_problem(table, RunOptions()).rows
    assert engine.column_order(rows).tolist() == list(range(6))
    missing = rows._replace(cells=np.full_like(rows.cells, np.nan))
    assert engine.column_order(missing).tolist() == list(range(6))


@pytest.mark.parametrize(
    "options",
    [{}, {"near": 40}, {"test": 0.3}, {"subsets": 48}, {"column_weights": "banzhaf"}],
    ids=str,
)
def test_the_standard_error_is_foretold_from_fewer_rows(options, monkeypatch):
    monkeypatch.setattr(engine, "TRIED", 2e5)
    monkeypatch.setattr(engine, "FEWEST", 60)
    table = random_table(75, 500, ["decimal", "number"] * 3, levels=40)
    comp = expected_stderr(table, RunOptions(**{"subsets": 12} | options))
    ref = cellval.value_cells(table, **{"subsets": 12} | options).typical_stderr
    assert comp == pytest.approx(ref, rel=0.35)


def test_the_standard_error_of_drawn_test_points_is_foretold(monkeypatch):
    monkeypatch.setattr(plan, "AUTO_WORK", 1.0)
    monkeypatch.setattr(plan, "DRAWN_WORK", 1.0)
    table = random_table(76, 1200, ["decimal"] * 6, levels=300)
    seen = outlook(table, RunOptions())
    assert seen.n_visited < 200 < seen.n_tests == 1200
    assert seen.work == 1200 * 11 * seen.n_visited
    comp, ref = expected_stderr(table, RunOptions()), cellval.value_cells(table)
    assert ref.n_test == seen.n_visited
    assert comp == pytest.approx(ref.typical_stderr, rel=0.25)
