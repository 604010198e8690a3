"""The engine equals the definition, keeps the axioms, and runs alike everywhere."""

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from itertools import pairwise
from threading import Thread

import naive
import numpy as np
import pandas as pd
import pytest
from cases import make_table, naive_games, naive_values, random_table

import cellval
from cellval.knn.cell_values import make_sums, permutations, permutations_with_ends
from cellval.knn.engine import iter_values, make_problem
from cellval.knn.plan import ALL, Plan, make_plan
from cellval.table.encoding import encode
from cellval.values.result import CellValues

MIXED = ["number", "category", "decimal"]
GO = np.zeros(1, np.uint8)  # nothing stops


def close(a, b):
    np.testing.assert_allclose(a, b, rtol=0, atol=1e-9)


CASES = {
    "mixed kinds": (random_table(0, 5, MIXED), 2),
    "ties everywhere": (random_table(1, 5, ["number"] * 3, levels=2), 2),
    "missing cells": (random_table(2, 5, MIXED, missing=0.3), 3),
    "fewer rows than neighbours": (random_table(3, 4, MIXED), 10),
    "one neighbour": (random_table(4, 5, ["category", "number"]), 1),
    "three classes": (random_table(5, 5, ["number", "category"], n_classes=3), 2),
    "one column": (random_table(6, 6, ["number"]), 2),
    "one class": (random_table(7, 4, MIXED, n_classes=1), 2),
    "one row": (random_table(8, 1, MIXED), 2),
    "two rows": (random_table(9, 2, MIXED), 2),
    "equal rows": (
        make_table([("number", [1, 1, 1, 2]), ("number", [0] * 4)], [0, 0, 1, 1]),
        2,
    ),
    "constant column": (
        make_table([("number", [5] * 5), ("number", [1, 2, 3, 4, 5])], [0, 1, 0, 1, 1]),
        2,
    ),
    "all-missing column": (
        make_table([("number", [None] * 4), ("category", [0, 1, 0, 1])], [0, 1, 1, 1]),
        2,
    ),
}


@pytest.mark.parametrize("baseline", ["zero", "chance"])
@pytest.mark.parametrize("name", CASES)
def test_exact_values_are_the_definition(name, baseline):
    table, k = CASES[name]
    comp = cellval.value_cells(table, n_neighbors=k, subsets="all", baseline=baseline)
    close(comp.values, naive_values(table, k, baseline=baseline))


def test_exact_values_on_a_test_table_are_the_definition():
    table = random_table(10, 5, MIXED)
    test = random_table(11, 6, MIXED, missing=0.2, name="test")
    comp = cellval.value_cells(table, n_neighbors=2, test=test, subsets="all")
    close(comp.values, naive_values(table, 2, test))


def test_a_test_label_that_training_lacks_is_a_miss_everywhere():
    table = make_table([("number", [1, 2, 3, 4])], [0, 1, 0, 1])
    test = make_table([("number", [1, 2])], [2, 0], name="test")
    comp = cellval.value_cells(table, n_neighbors=1, test=test, subsets="all")
    close(comp.values, naive_values(table, 1, test))


def test_a_test_category_that_training_lacks_differs_from_all():
    table = make_table([("category", [0, 1, 0, 1])], [0, 1, 0, 1])
    test = make_table([("category", [5, 0])], [0, 0], name="test")
    comp = cellval.value_cells(table, n_neighbors=1, test=test, subsets="all")
    close(comp.values, naive_values(table, 1, test))


def test_balanced_scoring_gives_every_class_the_same_say():
    table = make_table(
        [("number", [1, 2, 3, 5, 8]), ("category", [0, 1, 1, 0, 1])], [0, 0, 0, 0, 1]
    )
    weights = [5 / (2 * 4)] * 4 + [5 / 2]
    comp = cellval.value_cells(table, n_neighbors=2, subsets="all", scoring="balanced")
    close(comp.values, naive_values(table, 2, weights=weights))


@pytest.mark.parametrize("baseline", ["zero", "chance"])
@pytest.mark.parametrize("near", [1, 2, 3])
def test_near_field_is_the_exact_value_of_the_coarser_utility(near, baseline):
    table = random_table(12, 6, ["number", "number"], levels=4)
    comp = cellval.value_cells(
        table, n_neighbors=2, subsets="all", near=near, baseline=baseline
    )
    close(comp.values, naive_values(table, 2, near=near, baseline=baseline))
    assert "near field" in comp.settings["approximation"]


def sampled_oracle(table, k, n_pairs, ends, near=0, baseline="zero", seed=0):
    """Mean over test points of the naive values on the plan's own orders."""
    m = len(table.features)
    problem = make_problem(
        table, n_neighbors=k, subsets=1, near=near or None, random_state=seed
    )
    games = naive_games(table, k, near=near, baseline=baseline)
    plan = Plan(table.n_rows, m, table.n_rows, n_pairs, seed)
    total = np.zeros((table.n_rows, m))
    weights = 0
    by_pass = []
    for pass_number, pairs in enumerate(plan.passes()):
        values = np.zeros((table.n_rows, m))
        for item in plan.items():
            if item.pass_number != pass_number:
                continue
            orders = plan.orders(item)
            for t, position in enumerate(range(item.first, item.last)):
                both = [o for pair in orders[t].tolist() for o in (pair, pair[::-1])]
                game = games[problem.tests.own[position]]
                f = naive.cell_values_by_orders
                if ends and pairs >= 4:
                    f = naive.cell_values_with_ends
                for i, cells in f(game, [tuple(o) for o in both]).items():
                    values[i] += np.array([float(c) for c in cells])
        by_pass.append(values / table.n_rows)
        total += pairs * by_pass[-1]
        weights += pairs
    return total / weights


@pytest.mark.parametrize("baseline", ["zero", "chance"])
@pytest.mark.parametrize(("near", "n_pairs"), [(0, 1), (0, 2), (3, 1), (3, 2)])
def test_sampled_values_are_the_mean_over_the_drawn_orders(near, n_pairs, baseline):
    table = random_table(13, 7, ["number", "category", "decimal", "number", "category"])
    comp = cellval.value_cells(
        table,
        n_neighbors=2,
        subsets=n_pairs * 10,
        near=near or None,
        baseline=baseline,
    )
    assert comp.settings["passes"] == [1] * n_pairs
    close(comp.values, sampled_oracle(table, 2, n_pairs, False, near, baseline))


@pytest.mark.parametrize("near", [0, 3])
def test_exact_ends_replace_first_and_last_positions(near):
    table = random_table(14, 6, ["number", "category", "decimal", "number", "category"])
    kinds = len(table.features)
    problem = make_problem(table, n_neighbors=2, subsets=1, near=near or None)
    orders = np.array(
        [
            [np.random.default_rng([t, p]).permutation(kinds) for p in range(2)]
            for t in range(6)
        ]
    )
    sums = make_sums(6, kinds)
    permutations_with_ends(
        problem.rows, problem.tests, orders, near, False, problem.steps, GO, sums
    )
    ref = np.zeros((6, kinds))
    games = naive_games(table, 2, near=near)
    for t in range(6):
        both = [tuple(o) for pair in orders[t].tolist() for o in (pair, pair[::-1])]
        for i, cells in naive.cell_values_with_ends(
            games[problem.tests.own[t]], both
        ).items():
            ref[i] += np.array([float(c) for c in cells])
    close(sums.cells.T, ref)


def test_auto_takes_all_subsets_where_that_is_cheapest_and_says_so():
    small = cellval.value_cells(random_table(15, 20, MIXED))
    assert "all 8 column subsets (exact)" in small.settings["design"]
    assert make_plan(241, 9, 242).n_pairs == ALL
    assert make_plan(32561, 14, 32561).n_pairs == 1
    sampled = cellval.value_cells(random_table(15, 20, MIXED * 2), subsets=12)
    assert "fresh for every test point" in sampled.settings["design"]


def test_sampled_values_come_close_to_the_exact_ones_within_their_errors():
    table = random_table(16, 40, ["number", "category"] * 4, levels=5)
    exact = cellval.value_cells(table, subsets="all", n_neighbors=5)
    some = cellval.value_cells(table, subsets=128, n_neighbors=5)
    assert some.settings["passes"] == [1, 1, 2, 4]
    error = np.abs(some.values - exact.values)
    assert np.corrcoef(some.values.ravel(), exact.values.ravel())[0, 1] > 0.9
    assert np.mean(error <= 3 * some.stderr) > 0.95


# ---- identities and axioms


@pytest.mark.parametrize("near", [None, 10])
@pytest.mark.parametrize("subsets", ["all", 1, 40, 200])
@pytest.mark.parametrize("scoring", ["accuracy", "balanced"])
def test_cells_sum_to_the_row_values_and_to_the_score(subsets, scoring, near):
    table = random_table(17, 30, ["number", "category", "decimal"] * 2, n_classes=3)
    comp = cellval.value_cells(
        table, n_neighbors=4, subsets=subsets, scoring=scoring, near=near
    )
    close(comp.values.sum(axis=1), comp.rows["value"])
    close(comp.values.sum(axis=0), comp.columns["value"])
    weights = np.ones(30)
    if scoring == "balanced":
        counts = np.bincount(table.y)
        weights = 30 / (counts.size * counts[table.y])
    everyone = tuple(range(6))
    score = [
        float(game.h(tuple(game.rows), everyone))
        for game in naive_games(table, 4, near=near)
    ]
    close(comp.values.sum(), np.mean(weights * score))
    if near is None:
        close(
            comp.rows["value"],
            cellval.value_rows(table, n_neighbors=4, scoring=scoring),
        )


def test_any_prefix_of_the_run_keeps_the_row_identity():
    table = random_table(18, 30, ["number"] * 6, levels=6)
    whole = cellval.value_rows(table, n_neighbors=3)
    for snapshot in iter_values(table, n_neighbors=3, subsets=60):
        values = snapshot.values
        close(values.values.sum(axis=1), values.rows["value"])
        if snapshot.merged.pass_number:
            close(values.rows["value"], whole)


def test_chance_baseline_subtracts_the_guess_and_makes_constant_columns_worthless():
    table = make_table(
        [("number", [5] * 6), ("number", [1, 2, 3, 4, 5, 6])], [0, 1, 0, 1, 1, 1]
    )
    comp = cellval.value_cells(table, n_neighbors=2, subsets="all", baseline="chance")
    close(comp.values[:, 0], 0)
    zero = cellval.value_cells(table, n_neighbors=2, subsets="all")
    assert np.abs(zero.values[:, 0]).max() > 1e-3


def permuted(table, rows, columns):
    """The same table with rows and feature columns in another order."""
    cells = [
        (
            "number" if c.numbers is not None else "category",
            (c.numbers if c.numbers is not None else c.codes)[rows].tolist(),
        )
        for c in (table.columns[j] for j in columns)
    ]
    return make_table(cells, table.y[rows])


def test_order_of_rows_and_columns_changes_nothing_else():
    table = random_table(19, 12, ["number", "category", "number", "category"], levels=4)
    rng = np.random.default_rng(0)
    rows, columns = rng.permutation(12), rng.permutation(4)
    ref = cellval.value_cells(table, n_neighbors=3, subsets="all").values
    comp = cellval.value_cells(
        permuted(table, rows, columns), n_neighbors=3, subsets="all"
    )
    np.testing.assert_allclose(comp.values, ref[rows][:, columns], rtol=0, atol=1e-14)


@pytest.mark.parametrize("subsets", ["all", 20])
def test_equal_rows_get_equal_values_up_to_their_own_turn_as_test_point(subsets):
    columns = [
        ("number", [1, 1, 3, 4, 1, 9, 7]),
        ("category", [0, 0, 1, 1, 0, 2, 1]),
        ("number", [2, 2, 2, 5, 2, 6, 1]),
        ("category", [1, 1, 0, 1, 1, 0, 0]),
    ]
    table = make_table(columns, [0, 0, 1, 1, 0, 1, 0])
    test = random_table(20, 9, ["number", "category"] * 2, name="test")
    comp = cellval.value_cells(table, n_neighbors=2, subsets=subsets, test=test)
    assert (comp.values[0] == comp.values[1]).all()
    assert (comp.values[0] == comp.values[4]).all()
    if subsets == "all":
        comp = cellval.value_cells(table, n_neighbors=2, subsets="all")
        close(comp.values[0], comp.values[4])


def test_2d_linearity_in_the_test_points():
    table = random_table(21, 10, MIXED)
    a, b = (random_table(s, 5, MIXED, name=f"t{s}") for s in (22, 23))
    cells = pd.concat([a.cells, b.cells], ignore_index=True)
    both = make_table(
        [
            (kind, [*first, *second])
            for kind, first, second in zip(
                ["number", "category", "number"],
                [
                    (c.numbers if c.numbers is not None else c.codes).tolist()
                    for c in a.columns
                ],
                [
                    (c.numbers if c.numbers is not None else c.codes).tolist()
                    for c in b.columns
                ],
                strict=True,
            )
        ],
        [*a.y, *b.y],
    )
    assert len(cells) == both.n_rows
    values = [
        cellval.value_cells(table, n_neighbors=2, subsets="all", test=t).values
        for t in (a, b, both)
    ]
    close((values[0] + values[1]) / 2, values[2])


def test_2d_dummy_a_column_that_never_matters_is_worth_its_constant():
    # column 1 repeats one cell: with the chance baseline it changes no distance
    table = make_table(
        [("number", [1, 2, 3, 4, 5]), ("category", [2] * 5)], [0, 1, 0, 1, 1]
    )
    comp = cellval.value_cells(table, n_neighbors=2, baseline="chance", subsets="all")
    close(comp.values[:, 1], 0)


# ---- standard errors


def test_standard_errors_are_those_of_the_mean_over_test_points():
    table = random_table(24, 9, ["number", "category"], levels=4)
    test = random_table(25, 7, ["number", "category"], levels=4, name="test")
    comp = cellval.value_cells(table, n_neighbors=2, test=test, subsets="all")
    per_point = []
    for game in naive_games(table, 2, test):
        cells = naive.cell_values_by_columns(game, 2)
        per_point.append([[float(c) for c in cells[i]] for i in range(9)])
    per_point = np.array(per_point)
    n = len(per_point)
    close(comp.stderr, per_point.std(axis=0, ddof=1) / np.sqrt(n))
    close(comp.rows["stderr"], per_point.sum(axis=2).std(axis=0, ddof=1) / np.sqrt(n))
    close(
        comp.columns["stderr"], per_point.sum(axis=1).std(axis=0, ddof=1) / np.sqrt(n)
    )


def test_equal_test_points_count_as_often_as_they_stand():
    columns = [("number", [1, 1, 3, 4, 1, 9]), ("category", [0, 0, 1, 1, 0, 2])]
    table = make_table(columns, [0, 0, 1, 1, 0, 1])
    comp = cellval.value_cells(table, n_neighbors=2, subsets="all")
    assert comp.n_test == 6
    per_point = np.zeros((6, 6, 2))
    for t, game in enumerate(naive_games(table, 2)):
        for i, cells in naive.cell_values_by_columns(game, 2).items():
            per_point[t, i] = [float(c) for c in cells]
    close(comp.values, per_point.mean(axis=0))
    close(comp.stderr, per_point.std(axis=0, ddof=1) / np.sqrt(6))
    close(
        comp.columns["stderr"], per_point.sum(axis=1).std(axis=0, ddof=1) / np.sqrt(6)
    )
    close(comp.rows["stderr"], per_point.sum(axis=2).std(axis=0, ddof=1) / np.sqrt(6))


def test_stated_errors_cover_the_spread_over_seeds():
    table = random_table(26, 60, ["number"] * 10, levels=6)
    truth = cellval.value_cells(table, subsets="all", n_neighbors=5).values
    runs = [
        cellval.value_cells(table, subsets=80, n_neighbors=5, random_state=s)
        for s in range(6)
    ]
    spread = np.mean([(run.values - truth) ** 2 for run in runs])
    stated = np.mean([run.stderr**2 for run in runs])
    assert spread < stated


# ---- running


def bits(values):
    return [
        values.values.tobytes(),
        values.stderr.tobytes(),
        values.row_stderr.tobytes(),
    ]


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


def stopped_after(k, table, **options):
    snapshots = iter_values(table, **options)
    for count, snapshot in enumerate(snapshots):
        if count == k:
            snapshots.close()
            return snapshot.values
    raise AssertionError("the run was over before it could be stopped")


@pytest.mark.parametrize("subsets", ["all", 60])
@pytest.mark.parametrize("k", [1, 5, 17])
def test_a_stopped_run_that_continues_equals_one_go(subsets, k, tmp_path):
    table = random_table(29, 80, ["number", "category", "decimal"] * 2)
    if subsets == "all" and k == 17:
        k = 12
    part = stopped_after(k, table, subsets=subsets)
    part.save(tmp_path / "part.npz")
    part = cellval.load(tmp_path / "part.npz")
    ref = cellval.value_cells(table, subsets=subsets)
    comp = cellval.value_cells(table, subsets=subsets, continue_from=part)
    assert bits(comp) == bits(ref)


def test_a_finished_sampled_run_goes_on_to_more_orders():
    table = random_table(30, 30, ["number"] * 8, levels=8)
    first = cellval.value_cells(table, subsets=32)
    assert first.settings["passes"] == [1, 1]
    more = cellval.value_cells(table, subsets="auto", continue_from=first)
    assert more.settings["passes"] == [1, 1, 2]
    assert bits(more) == bits(cellval.value_cells(table, subsets=64))


def test_continuing_refuses_another_table_or_other_settings():
    table = random_table(31, 20, MIXED)
    part = stopped_after(2, table, subsets="all")
    with pytest.raises(cellval.InputError, match="different n_neighbors"):
        cellval.value_cells(table, n_neighbors=3, continue_from=part)
    with pytest.raises(cellval.InputError, match="table"):
        cellval.value_cells(random_table(32, 20, MIXED), continue_from=part)


def test_merged_runs_are_averages_and_refuse_the_same_draws():
    table = random_table(33, 30, ["number"] * 6, levels=6)
    a, b = (cellval.value_cells(table, subsets=24, random_state=s) for s in (0, 1))
    both = a.merge(b)
    close(both.values, (a.values + b.values) / 2)
    close(both.values.sum(axis=1), both.rows["value"])
    with pytest.raises(cellval.InputError, match="same draws"):
        a.merge(a)
    with pytest.raises(cellval.InputError, match="cannot be continued"):
        cellval.value_cells(table, continue_from=both)


def test_merging_runs_on_two_test_tables_pools_their_test_points():
    table = random_table(34, 12, MIXED)
    tests = [random_table(s, 8, MIXED, name=f"t{s}") for s in (35, 36)]
    a, b = (cellval.value_cells(table, test=t, subsets="all") for t in tests)
    both = a.merge(b)
    assert both.n_test == 16
    close(both.values, (a.values + b.values) / 2)
    close(both.stderr, np.sqrt(a.stderr**2 + b.stderr**2) / 2)


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
    snapshots = iter_values(table, subsets="all")
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


def test_a_hold_out_values_the_other_rows_only():
    table = random_table(42, 40, MIXED)
    comp = cellval.value_cells(table, test=0.25)
    held = np.isnan(comp.values).any(axis=1)
    assert held.sum() == comp.n_test == 10
    assert "hold-out of 10 rows" in comp.settings["test"]
    assert (comp.lowest(None)["index"].isin(np.flatnonzero(~held))).all()
    close(np.nansum(comp.values), comp.total)


def test_a_thousand_columns_work():
    table = random_table(43, 12, ["number"] * 1000, levels=9)
    comp = cellval.value_cells(table)
    assert comp.values.shape == (12, 1000)
    close(comp.values.sum(axis=1), comp.rows["value"])


def test_a_data_frame_is_accepted_wherever_a_table_is():
    frame = pd.DataFrame({"x": [1, 2, 3, 4, 5, 6.5], "target": list("aabbab")})
    comp = cellval.value_cells(frame, n_neighbors=2, test=frame)
    assert isinstance(comp, CellValues)
    assert comp.column_names == ("x",)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_neighbors": 0}, "n_neighbors=0"),
        ({"n_neighbors": 2.5}, "n_neighbors=2.5"),
        ({"baseline": "one"}, "'zero' or 'chance'"),
        ({"scoring": "f1"}, "'accuracy' or 'balanced'"),
        ({"near": 0}, "near=0"),
        ({"budget": -1}, "budget=-1"),
        ({"target_stderr": 0}, "target_stderr=0"),
        ({"random_state": -1}, "random_state=-1"),
        ({"subsets": "some"}, "subsets='some'"),
        ({"subsets": 0}, "subsets=0"),
        ({"test": 1.5}, "between 0 and 1"),
        ({"test": 0.001}, "leaves no rows"),
        ({"test": "t.csv"}, "not understood"),
    ],
)
def test_impossible_settings_are_refused_with_a_sentence(options, words):
    with pytest.raises(cellval.InputError, match=words):
        cellval.value_cells(random_table(44, 10, MIXED), **options)


def test_all_subsets_of_too_many_columns_are_refused():
    with pytest.raises(cellval.InputError, match="too many"):
        cellval.value_cells(random_table(45, 10, ["number"] * 21), subsets="all")


def test_encoded_distances_of_random_pairs_are_alike_for_every_column():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "small": rng.normal(0, 0.01, 500).round(4),
            "large": rng.normal(5e6, 1e6, 500).round(),
            "category": rng.choice(list("aaaab"), 500),
            "target": rng.choice(["x", "y"], 500),
        }
    )
    encoded = encode(cellval.Table.from_frame(frame, label="target"))
    a, b = rng.integers(0, 500, (2, 20000))
    for cells, weight, is_category in zip(
        encoded.cells, encoded.weight, encoded.is_category, strict=True
    ):
        gap = cells[a] != cells[b] if is_category else (cells[a] - cells[b]) ** 2
        assert abs(np.mean(weight * gap) - 1) < 0.12


# ---- what a reviewer found


@pytest.mark.parametrize("unit", [1e-7, 1.0, 1e9, 1e300])
def test_the_size_of_numbers_does_not_matter(unit):
    x = np.array([1, 2, 3, 4, 5, 6, 7.5, 8.5, 9, 10])
    y = ["a"] * 5 + ["b"] * 5
    ref, comp = (
        cellval.value_cells(
            cellval.Table.from_frame(pd.DataFrame({"x": x * u, "y": y}), label="y"),
            n_neighbors=2,
        ).values
        for u in (1.0, unit)
    )
    np.testing.assert_allclose(comp, ref, atol=1e-12)


def test_small_steps_on_a_large_offset_are_not_rounded_away():
    x = 1e6 + np.arange(10) * 1e-4
    frame = pd.DataFrame({"x": x, "y": ["a"] * 5 + ["b"] * 5})
    encoded = encode(cellval.Table.from_frame(frame, label="y"))
    assert np.unique(encoded.cells[0]).size == 10


def test_an_absurd_test_cell_does_not_hide_the_other_columns():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"big": rng.normal(0, 1e6, 40).round(), "x": np.arange(40.0) / 4}
    ).assign(y=list("abbab") * 8)
    table = cellval.Table.from_frame(frame, label="y")
    absurd = frame.head(1).assign(big=1e30)
    test = cellval.Table.from_frame(absurd, like=table)
    comp = cellval.value_cells(table, test=test, n_neighbors=3)
    assert np.unique(comp.values[:, 1].round(9)).size > 3


def test_a_later_pass_never_makes_the_estimate_worse():
    table = random_table(60, 60, ["number"] * 10, levels=6)
    truth = cellval.value_cells(table, subsets="all", n_neighbors=5).values
    errors = [
        np.sqrt(np.mean((s.values.values - truth) ** 2))
        for s in iter_values(table, subsets=20 * 16, n_neighbors=5)
        if s.merged.finest
    ]
    assert all(b < 1.1 * a for a, b in pairwise(errors))
    assert errors[-1] < 0.5 * errors[0]


def test_errors_of_a_prefix_allow_for_test_points_that_come_in_copies():
    base = random_table(61, 40, ["number"] * 3, levels=9)
    rows = np.repeat(np.arange(40), 10)
    table = permuted(base, rows, range(3))
    truth = cellval.value_cells(table, subsets="all").values
    wrong, stated = [], []
    for seed in range(8):
        part = stopped_after(4, table, subsets="all", random_state=seed)
        assert part.n_test < 400
        wrong.append(np.mean((part.values - truth) ** 2))
        stated.append(np.mean(part.stderr**2))
    assert np.mean(wrong) < 2 * np.mean(stated)


def test_the_result_says_what_was_done_not_what_was_planned():
    table = random_table(62, 64, ["number"] * 8, levels=9)
    designs = [s.values.settings["design"] for s in iter_values(table, subsets=16 * 4)]
    assert designs[1].startswith("1 random order of")
    assert "4 of 64 test points" in designs[1]
    assert designs[-1].startswith("4 random orders of")
    assert any(d.startswith("1 to 2 random orders") for d in designs)


def test_a_test_table_without_a_common_class_is_refused():
    table = random_table(63, 10, MIXED)
    cells = [("number", [1]), ("category", [0]), ("number", [1])]
    test = make_table(cells, [2], classes=("x", "y", "z"))
    with pytest.raises(cellval.InputError, match="no class of"):
        cellval.value_cells(table, test=test)


def test_balanced_scoring_counts_every_class_of_the_test_table():
    table = make_table([("number", [1, 2, 8, 9])], [0, 0, 1, 1])
    test = make_table(
        [("number", [1, 2, 5])], [0, 0, 2], name="test", classes=("no", "yes", "other")
    )
    comp = cellval.value_cells(table, test=test, n_neighbors=1, scoring="balanced")
    close(comp.total, 0.5)  # one class always right, one never


def test_a_stopped_default_run_continues_to_the_same_end(monkeypatch):
    monkeypatch.setattr("cellval.knn.plan.AUTO_WORK", 40 * 40 * 200.0)
    table = random_table(64, 40, ["number"] * 9, levels=9)
    ref = cellval.value_cells(table)
    assert len(ref.settings["passes"]) > 3
    part = stopped_after(20, table)
    assert bits(cellval.value_cells(table, continue_from=part)) == bits(ref)


def test_a_run_continues_with_the_very_settings_it_had():
    table = random_table(65, 40, MIXED)
    part = stopped_after(2, table, subsets=8)
    comp = cellval.value_cells(table, subsets=8, continue_from=part)
    assert bits(comp) == bits(cellval.value_cells(table, subsets=8))


def test_merging_refuses_what_does_not_belong_together():
    table = random_table(66, 40, ["number"] * 5, levels=9)
    exact = cellval.value_cells(table, subsets="all")
    a, b, c = (cellval.value_cells(table, subsets=10, random_state=s) for s in range(3))
    with pytest.raises(cellval.InputError, match="exact or sampled"):
        exact.merge(a)
    both = a.merge(b)
    with pytest.raises(cellval.InputError, match="same draws"):
        both.merge(b)
    assert len(both.merge(c).settings["sources"]) == 3
    halves = [cellval.value_cells(table, test=0.3, random_state=s) for s in (0, 1)]
    with pytest.raises(cellval.InputError, match="test"):
        halves[0].merge(halves[1])


def test_every_kernel_is_compiled_once():
    table = random_table(67, 30, ["number"] * 6, levels=9)
    before = len(permutations.signatures)
    cellval.value_cells(table, subsets=12)
    cellval.value_cells(table, subsets=24)
    assert len(permutations.signatures) <= max(before, 1)


def test_a_budget_does_not_wait_for_a_long_item():
    table = random_table(68, 60, ["number"] * 18, levels=9)
    snapshots = iter_values(table, subsets="all", budget=0.05, n_jobs=1)
    last = list(snapshots)[-1]
    assert last.done == 1.0
    assert 0 < last.n_test < 60


def test_equal_columns_get_equal_values():
    cells = [int(v) for v in np.random.default_rng(0).integers(0, 5, 12)]
    columns = [("number", cells), ("category", [0, 1, 2] * 4), ("number", cells)]
    comp = cellval.value_cells(make_table(columns, [0, 1, 1] * 4), n_neighbors=3)
    close(comp.values[:, 0], comp.values[:, 2])


@pytest.mark.parametrize("n_jobs", [0, -2, 2.5, "2"])
def test_impossible_numbers_of_jobs_are_refused(n_jobs):
    with pytest.raises(cellval.InputError, match="n_jobs"):
        cellval.value_cells(random_table(69, 10, MIXED), n_jobs=n_jobs)


def test_all_cores_can_be_asked_for_as_in_scikit_learn():
    table = random_table(69, 10, MIXED)
    assert bits(cellval.value_cells(table, n_jobs=-1)) == bits(
        cellval.value_cells(table, n_jobs=1)
    )
