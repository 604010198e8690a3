"""psi equals the definition: any weights, all subsets or sampled orders; its axioms."""

from itertools import permutations as all_orders
from itertools import product
from math import comb

import naive
import numpy as np
import pandas as pd
import pytest
from cases import (
    close,
    make_table,
    naive_games,
    naive_values,
    permuted,
    plain_row_values,
    random_table,
)
from cell_cases import CASES, MIXED

import cellval
from cellval.knn import row_values as rows_
from cellval.knn.cell_values import (
    Queries,
    Rows,
    make_sums,
    permutations,
    permutations_near,
    permutations_with_ends,
)
from cellval.knn.plan import Plan
from cellval.knn.problem import make_problem
from cellval.values.options import RunOptions
from cellval.values.words import approximation_words

GO = np.zeros(1, np.uint8)  # nothing stops


def nobody_far(dtype):
    """As the engine says it to sums of a dtype: for others, kernels are compiled."""
    return None if dtype is np.float64 else 0


WEIGHTS = {
    "banzhaf": naive.banzhaf_weight,
    "beta(4, 1)": naive.beta_weight(4, 1),
    "beta(1, 16)": naive.beta_weight(1, 16),
}


def near_to(a, b):
    """Of standard errors: a root makes 1e-8 of a rounding of 1e-16."""
    np.testing.assert_allclose(a, b, rtol=0, atol=1e-7)


def of_games(games, shape, name):
    """(n_tests, n, m): psi of every test point, from the values of rows alone."""
    per_point = np.zeros((len(games), *shape))
    columns, w = range(shape[1]), WEIGHTS[name]
    for t, game in enumerate(games):
        known = {f: naive.phi(game, f) for f in naive.subsets(columns)}
        for i, j in product(game.rows, columns):
            per_point[t, i, j] = sum(
                w(len(f), shape[1]) * (known[tuple(sorted((*f, j)))][i] - known[f][i])
                for f in naive.subsets([c for c in columns if c != j])
            )
    return per_point


def shape_of(table):
    return table.n_rows, len(table.features)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("baseline", ["zero", "chance"])
def test_the_oracle_is_the_2d_game(baseline, weights):
    table, k = CASES["mixed kinds"]
    for game in naive_games(table, k, baseline=baseline):

        def h(rows, columns, game=game):
            return game.h(tuple(game.rows[i] for i in rows), columns)

        ref = naive.cell_values_of(h, 4, 3, column_weight=WEIGHTS[weights])
        comp = of_games([game], (5, 3), weights)[0][game.rows]
        close(comp, [[float(value) for value in cells] for cells in ref])


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("baseline", ["zero", "chance"])
@pytest.mark.parametrize("name", CASES)
def test_exact_values_with_other_weights_are_the_definition(name, baseline, weights):
    table, k = CASES[name]
    comp = cellval.value_cells(
        table, n_neighbors=k, subsets="all", baseline=baseline, column_weights=weights
    )
    games = naive_games(table, k, baseline=baseline)
    ref = of_games(games, shape_of(table), weights)
    close(comp.values, ref.mean(axis=0))
    close(comp.row_values, ref.mean(axis=0).sum(axis=1))
    if len(games) > 1:
        root = np.sqrt(len(games))
        near_to(comp.stderr, ref.std(axis=0, ddof=1) / root)
        near_to(comp.row_stderr, ref.sum(axis=2).std(axis=0, ddof=1) / root)
        near_to(comp.column_stderr, ref.sum(axis=1).std(axis=0, ddof=1) / root)


@pytest.mark.uncompiled
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("baseline", ["zero", "chance"])
def test_other_weights_on_a_test_table_are_the_definition(baseline, weights):
    table = random_table(10, 5, MIXED)
    test = random_table(11, 6, MIXED, missing=0.2, name="test")
    options = {"n_neighbors": 2, "baseline": baseline, "column_weights": weights}
    comp = cellval.value_cells(table, test=test, subsets="all", **options)
    games = naive_games(table, 2, test, baseline=baseline)
    close(comp.values, of_games(games, (5, 3), weights).mean(axis=0))


@pytest.mark.parametrize("weights", WEIGHTS)
def test_other_weights_on_a_hold_out_are_the_definition(weights):
    table = random_table(12, 8, MIXED)
    comp = cellval.value_cells(
        table, n_neighbors=2, test=0.4, subsets="all", column_weights=weights
    )
    held_out = np.isnan(comp.row_values)
    assert 0 < held_out.sum() < 8
    games = [g for g, out in zip(naive_games(table, 2), held_out, strict=True) if out]
    for game in games:
        game.rows = np.flatnonzero(~held_out).tolist()
    ref = of_games(games, (8, 3), weights).mean(axis=0)
    close(comp.values[~held_out], ref[~held_out])


@pytest.mark.uncompiled
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("near", [1, 3])
def test_near_field_with_other_weights_is_that_of_the_coarser_utility(near, weights):
    table = random_table(13, 6, ["number", "number"], levels=4)
    comp = cellval.value_cells(
        table, n_neighbors=2, subsets="all", near=near, column_weights=weights
    )
    games = naive_games(table, 2, near=near)
    close(comp.values, of_games(games, (6, 2), weights).mean(axis=0))


@pytest.mark.parametrize("weights", ["banzhaf", "beta(4, 1)", "beta(0.5, 2)"])
def test_a_constant_column_is_worth_nothing_under_chance(weights):
    cells = [int(v) for v in np.random.default_rng(0).integers(0, 4, 12)]
    columns = [("number", [5] * 12), ("number", cells), ("category", [0, 1, 2] * 4)]
    table = make_table([*columns, ("category", [2] * 12)], [0, 1, 1] * 4)
    for subsets in ("all", 8):
        comp = cellval.value_cells(
            table,
            n_neighbors=3,
            subsets=subsets,
            baseline="chance",
            column_weights=weights,
        )
        close(comp.values[:, [0, 3]], 0)
        assert np.abs(comp.values[:, 1]).max() > 1e-3


def test_beta_1_1_is_shapley():
    table = random_table(14, 20, MIXED * 2)
    for options in ({"subsets": "all"}, {"subsets": 48}, {"subsets": 12, "near": 6}):
        ref = cellval.value_cells(table, **options)
        comp = cellval.value_cells(table, column_weights="beta(1, 1)", **options)
        if "near" not in options and options["subsets"] == 48:
            # only Shapley's row values are known: exact ends spread what they miss
            assert np.corrcoef(comp.values.ravel(), ref.values.ravel())[0, 1] > 0.95
            continue
        close(comp.values, ref.values)
        near_to(comp.stderr, ref.stderr)
        close(comp.row_values, ref.row_values)
        near_to(comp.row_stderr, ref.row_stderr)


def by_orders(game, orders, name, ends):
    """psi of one test point over the given orders, by how many columns come first."""
    m, w = len(orders[0]), WEIGHTS[name]
    factor = [m * comb(m - 1, s) * w(s, m) for s in range(m)]
    total = {i: [0] * m for i in game.rows}
    for order in orders:
        steps = [naive.phi(game, order[:p]) for p in range(m + 1)]
        for p in range(1, m - 1) if ends else range(m):
            for i in game.rows:
                gain = steps[p + 1][i] - steps[p][i]
                total[i][order[p]] += factor[p] * gain / len(orders)
    if ends:
        columns = range(m)
        nothing, whole = naive.phi(game, ()), naive.phi(game, tuple(columns))
        for j in columns:
            first = naive.phi(game, (j,))
            last = naive.phi(game, tuple(c for c in columns if c != j))
            for i in game.rows:
                total[i][j] += factor[0] * (first[i] - nothing[i]) / m
                total[i][j] += factor[-1] * (whole[i] - last[i]) / m
    return total


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("baseline", ["zero", "chance"])
@pytest.mark.parametrize(("near", "n_pairs"), [(0, 1), (3, 2), (0, 8)])
def test_sampled_values_with_other_weights_are_the_mean_over_the_orders(
    near, n_pairs, baseline, weights
):
    table = random_table(15, 6, ["number", "category", "decimal"] * 2 + ["number"])
    n, m = shape_of(table)
    options = {"n_neighbors": 2, "subsets": 2 * m * n_pairs, "near": near or None}
    problem = make_problem(table, RunOptions(**options))
    comp = cellval.value_cells(
        table, baseline=baseline, column_weights=weights, **options
    )
    games = naive_games(table, 2, near=near, baseline=baseline)
    plan = Plan(n, m, n, n_pairs, 0)
    total, finest = np.zeros((n, m)), np.zeros((n, n, m))
    for item in plan.items():
        own = problem.tests.own[item.first : item.last]
        for t, pairs in zip(own, plan.orders(item), strict=True):
            both = [tuple(o) for p in pairs.tolist() for o in (p, p[::-1])]
            psi = by_orders(games[t], both, weights, ends=item.n_pairs >= 4)
            for i, cells in psi.items():
                cells = np.array([float(c) for c in cells])
                total[i] += item.n_pairs * cells / n
                if item.n_pairs == max(plan.passes()):
                    finest[t, i] = cells
    close(comp.values, total / n_pairs)
    close(comp.row_values, comp.values.sum(axis=1))
    near_to(comp.stderr, finest.std(axis=0, ddof=1) / np.sqrt(n))
    near_to(comp.row_stderr, finest.sum(axis=2).std(axis=0, ddof=1) / np.sqrt(n))
    near_to(comp.column_stderr, finest.sum(axis=1).std(axis=0, ddof=1) / np.sqrt(n))


@pytest.mark.parametrize("weights", [*WEIGHTS, "beta(0.5, 2)"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("kernel", "near"),
    [
        (permutations, None),
        (permutations_with_ends, None),
        (permutations_with_ends, 4),
        (permutations_near, 4),
    ],
)
def test_all_orders_together_give_the_exact_values(kernel, near, dtype, weights):
    table = random_table(16, 9, ["number", "category", "decimal", "number"])
    options = {"n_neighbors": 2, "near": near, "baseline": "chance"}
    options["column_weights"] = weights
    exact = cellval.value_cells(table, subsets="all", **options)
    problem = make_problem(table, RunOptions(subsets=1, **options))
    orders = np.array([o for o in all_orders(range(4)) if o < o[::-1]])
    orders = np.broadcast_to(orders, (9, *orders.shape)).copy()
    sums = make_sums(9, 4, dtype)
    near = near or nobody_far(dtype)
    kernel(problem.rows, problem.tests, orders, near, True, problem.steps, GO, sums)
    atol = 1e-6 if dtype is np.float32 else 1e-12
    np.testing.assert_allclose(sums.cells.T / 9, exact.values, rtol=0, atol=atol)
    np.testing.assert_allclose(sums.rows / 9, exact.row_values, rtol=0, atol=atol)
    np.testing.assert_allclose(sums.columns / 9, exact.column_values, rtol=0, atol=atol)


def test_shapley_values_still_sum_to_the_rows_and_to_the_score():
    table = random_table(26, 30, MIXED * 2, n_classes=3)
    for subsets in ("all", 12, 60):
        comp = cellval.value_cells(table, n_neighbors=4, subsets=subsets)
        rows = cellval.value_rows(table, n_neighbors=4)
        np.testing.assert_allclose(comp.row_values, rows, rtol=0, atol=1e-14)
        np.testing.assert_allclose(comp.values.sum(axis=1), rows, rtol=0, atol=1e-14)
    other = cellval.value_cells(
        table, n_neighbors=4, subsets="all", column_weights="banzhaf"
    )
    assert abs(other.total - comp.total) > 1e-3


@pytest.mark.uncompiled
@pytest.mark.parametrize("baseline", ["zero", "chance"])
@pytest.mark.parametrize("name", CASES)
def test_exact_values_are_the_definition(name, baseline):
    table, k = CASES[name]
    comp = cellval.value_cells(table, n_neighbors=k, subsets="all", baseline=baseline)
    close(comp.values, naive_values(table, k, baseline=baseline))


@pytest.mark.uncompiled
@pytest.mark.parametrize("numbers", [False, True])
def test_exact_values_on_a_test_table_are_the_definition(numbers):
    table = random_table(10, 5, MIXED, numbers=numbers)
    test = random_table(11, 6, MIXED, missing=0.2, name="test", numbers=numbers)
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


@pytest.mark.uncompiled
def test_balanced_scoring_gives_every_class_the_same_say():
    table = make_table(
        [("number", [1, 2, 3, 5, 8]), ("category", [0, 1, 1, 0, 1])], [0, 0, 0, 0, 1]
    )
    weights = [5 / (2 * 4)] * 4 + [5 / 2]
    comp = cellval.value_cells(table, n_neighbors=2, subsets="all", scoring="balanced")
    close(comp.values, naive_values(table, 2, weights=weights))


@pytest.mark.uncompiled
@pytest.mark.parametrize("baseline", ["zero", "chance"])
@pytest.mark.parametrize("near", [1, 2, 3])
@pytest.mark.parametrize("numbers", [False, True])
def test_near_field_is_the_exact_value_of_a_coarser_utility(near, baseline, numbers):
    table = random_table(12, 6, ["number", "number"], levels=4, numbers=numbers)
    comp = cellval.value_cells(
        table, n_neighbors=2, subsets="all", near=near, baseline=baseline
    )
    close(comp.values, naive_values(table, 2, near=near, baseline=baseline))
    assert "near field" in approximation_words(comp.settings)


def sampled_oracle(table, k, n_pairs, ends, near=0, baseline="zero", seed=0):
    """Mean over test points of the naive values on the plan's own orders."""
    m = len(table.features)
    options = {"n_neighbors": k, "subsets": 1, "near": near or None}
    problem = make_problem(table, RunOptions(random_state=seed, **options))
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


@pytest.mark.uncompiled
@pytest.mark.parametrize("baseline", ["zero", "chance"])
@pytest.mark.parametrize(("near", "n_pairs"), [(0, 1), (0, 2), (3, 1), (3, 2)])
@pytest.mark.parametrize("numbers", [False, True])
def test_sampled_values_are_means_over_the_orders(near, n_pairs, baseline, numbers):
    kinds = ["number", "category", "decimal", "number", "category"]
    table = random_table(13, 7, kinds, numbers=numbers)
    comp = cellval.value_cells(
        table,
        n_neighbors=2,
        subsets=n_pairs * 10,
        near=near or None,
        baseline=baseline,
    )
    assert comp.settings.passes == (1,) * n_pairs
    close(comp.values, sampled_oracle(table, 2, n_pairs, False, near, baseline))


@pytest.mark.uncompiled
@pytest.mark.parametrize("near", [0, 3])
@pytest.mark.parametrize("numbers", [False, True])
def test_exact_ends_replace_first_and_last_positions(near, numbers):
    mixed = [*MIXED, "number", "category"]
    table = random_table(14, 6, mixed, numbers=numbers)
    kinds = len(table.features)
    options = RunOptions(n_neighbors=2, subsets=1, near=near or None)
    problem = make_problem(table, options)
    orders = np.array(
        [
            [np.random.default_rng([t, p]).permutation(kinds) for p in range(2)]
            for t in range(6)
        ]
    )
    sums = make_sums(6, kinds)
    permutations_with_ends(
        problem.rows,
        problem.tests,
        orders,
        near or nobody_far(np.float64),
        False,
        problem.steps,
        GO,
        sums,
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


@pytest.mark.parametrize("near", [None, 10])
@pytest.mark.parametrize("subsets", ["all", 1, 40, 200])
@pytest.mark.parametrize("scoring", ["accuracy", "balanced", "closeness"])
def test_cells_sum_to_the_row_values_and_to_the_score(subsets, scoring, near):
    numbers = scoring == "closeness"
    table = random_table(17, 30, MIXED * 2, n_classes=3, numbers=numbers)
    scoring = "accuracy" if numbers else scoring
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


@pytest.mark.uncompiled
def test_chance_baseline_subtracts_the_guess_and_makes_constant_columns_worthless():
    table = make_table(
        [("number", [5] * 6), ("number", [1, 2, 3, 4, 5, 6])], [0, 1, 0, 1, 1, 1]
    )
    comp = cellval.value_cells(table, n_neighbors=2, subsets="all", baseline="chance")
    close(comp.values[:, 0], 0)
    zero = cellval.value_cells(table, n_neighbors=2, subsets="all")
    assert np.abs(zero.values[:, 0]).max() > 1e-3


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


def test_equal_columns_get_equal_values():
    cells = [int(v) for v in np.random.default_rng(0).integers(0, 5, 12)]
    columns = [("number", cells), ("category", [0, 1, 2] * 4), ("number", cells)]
    comp = cellval.value_cells(make_table(columns, [0, 1, 1] * 4), n_neighbors=3)
    close(comp.values[:, 0], comp.values[:, 2])


def large_batch(n=2500, m=5, n_tests=3, numbers=False):
    rng = np.random.default_rng(3)
    cells = rng.integers(0, 40, (m, n)).astype(np.float32)
    cells[1] = rng.integers(0, 3, n)
    cells[2, rng.random(n) < 0.1] = np.nan
    rows = Rows(
        cells,
        np.full(m, 0.25, np.float32),
        np.arange(m) == 1,
        rng.integers(0, 2, n).astype(np.int32),
        np.empty(0, np.int64),
    )
    if numbers:
        rows = rows._replace(y=rng.integers(0, 30, n) / 8)
    own = np.arange(n_tests, dtype=np.int64) * 7
    tests = Queries(
        np.ascontiguousarray(cells[:, own].T),
        rows.y[own],
        own,
        np.ones(n_tests, np.int64),
        np.ones(n_tests),
    )
    orders = np.stack([[rng.permutation(m)] for _ in range(n_tests)])
    return rows, tests, orders, rows_.make_steps(n, 10)


def distances(rows, tests, t, subset):
    dist = np.zeros(rows.y.size, np.float32)
    for j in subset:
        a, b = rows.cells[j], tests.cells[t, j]
        gap = (a != b) if rows.is_category[j] else (a - b) ** 2
        gap = rows.weight[j] * gap
        either = np.isnan(a) != np.isnan(b)
        both = np.isnan(a) & np.isnan(b)
        dist += np.where(either, 1, np.where(both, 0, gap)).astype(np.float32)
    return dist


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("near", [0, 100])
@pytest.mark.parametrize("numbers", [False, True])
def test_permutations_of_many_rows(near, dtype, numbers):
    rows, tests, orders, steps = large_batch(numbers=numbers)
    m, n = rows.cells.shape
    ref = np.zeros((m, n))
    for t in range(tests.y.size):
        match = rows.y == tests.y[t]
        if numbers:
            match = np.maximum(0, 1 - np.abs(rows.y - tests.y[t]))
        for order in (orders[t, 0], orders[t, 0, ::-1]):
            before = np.zeros(n)
            for p in range(m):
                dist = distances(rows, tests, t, order[: p + 1])
                after = plain_row_values(dist, match, 10, near, tests.own[t])
                ref[order[p]] += (after - before) / 2
                before = after
    sums = make_sums(n, m, dtype)
    kernel = permutations_near if near else permutations
    kernel(rows, tests, orders, near or nobody_far(dtype), False, steps, GO, sums)
    atol = 1e-8 if dtype is np.float32 else 1e-12
    np.testing.assert_allclose(sums.cells, ref, rtol=0, atol=atol)
    np.testing.assert_allclose(sums.rows, ref.sum(axis=0), rtol=0, atol=atol)
    np.testing.assert_allclose(sums.columns, ref.sum(axis=1), rtol=0, atol=1e-6)


@pytest.mark.uncompiled
@pytest.mark.parametrize(
    "name",
    ["mixed kinds", "ties everywhere", "copies of rows", "numbers, copies of rows"],
)
def test_values_of_rows_alone_are_those_of_all_columns_at_once(name):
    table, k = CASES[name]
    n, m = shape_of(table)
    ref = np.zeros(n)
    for game in naive_games(table, k):
        for i, value in naive.phi(game, tuple(range(m))).items():
            ref[i] += float(value) / n
    close(cellval.value_rows(table, n_neighbors=k), ref)
