"""Banzhaf and Beta weights along columns: the definition, sampling, what is refused."""

import subprocess
import sys
from itertools import permutations as all_orders
from itertools import product
from math import comb

import naive
import numpy as np
import pytest
from cases import make_table, naive_games, random_table

import cellval
from cellval import glossary
from cellval.knn.cell_values import (
    make_sums,
    permutations,
    permutations_near,
    permutations_with_ends,
)
from cellval.knn.engine import iter_values, make_problem
from cellval.knn.plan import Plan
from cellval.weights import named, relative

MIXED = ["number", "category", "decimal"]
GO = np.zeros(1, np.uint8)  # nothing stops
WEIGHTS = {
    "banzhaf": naive.banzhaf_weight,
    "beta(4, 1)": naive.beta_weight(4, 1),
    "beta(1, 16)": naive.beta_weight(1, 16),
}
CASES = {
    "mixed kinds": (random_table(0, 5, MIXED), 2),
    "ties everywhere": (random_table(1, 5, ["number"] * 3, levels=2), 2),
    "missing cells": (random_table(2, 5, MIXED, missing=0.3), 3),
    "fewer rows than neighbours": (random_table(3, 4, MIXED), 10),
    "three classes": (random_table(5, 5, ["number", "category"], n_classes=3), 2),
    "one column": (random_table(6, 6, ["number"]), 2),
    "one class": (random_table(7, 4, MIXED, n_classes=1), 2),
    "one row": (random_table(8, 1, MIXED), 2),
    "equal rows": (
        make_table([("number", [1, 1, 1, 2]), ("number", [0] * 4)], [0, 0, 1, 1]),
        2,
    ),
    "copies of rows": (
        make_table(
            [("number", [1, 1, 3, 4, 1]), ("category", [0, 0, 1, 1, 0])],
            [0, 0, 1, 1, 0],
        ),
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


def close(a, b):
    np.testing.assert_allclose(a, b, rtol=0, atol=1e-9)


def near_to(a, b):
    """Of standard errors: a root makes 1e-8 of a rounding of 1e-16."""
    np.testing.assert_allclose(a, b, rtol=0, atol=1e-7)


def valued(table, **options):
    return list(iter_values(table, **options))[-1].values


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


# ---- the definition


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
def test_exact_values_are_the_definition(name, baseline, weights):
    table, k = CASES[name]
    comp = valued(
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


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("baseline", ["zero", "chance"])
def test_exact_values_on_a_test_table_are_the_definition(baseline, weights):
    table = random_table(10, 5, MIXED)
    test = random_table(11, 6, MIXED, missing=0.2, name="test")
    options = {"n_neighbors": 2, "baseline": baseline, "column_weights": weights}
    comp = valued(table, test=test, subsets="all", **options)
    games = naive_games(table, 2, test, baseline=baseline)
    close(comp.values, of_games(games, (5, 3), weights).mean(axis=0))


@pytest.mark.parametrize("weights", WEIGHTS)
def test_exact_values_on_a_hold_out_are_the_definition(weights):
    table = random_table(12, 8, MIXED)
    comp = valued(table, n_neighbors=2, test=0.4, subsets="all", column_weights=weights)
    held_out = np.isnan(comp.row_values)
    assert 0 < held_out.sum() < 8
    games = [g for g, out in zip(naive_games(table, 2), held_out, strict=True) if out]
    for game in games:
        game.rows = np.flatnonzero(~held_out).tolist()
    ref = of_games(games, (8, 3), weights).mean(axis=0)
    close(comp.values[~held_out], ref[~held_out])


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("near", [1, 3])
def test_near_field_is_the_exact_value_of_the_coarser_utility(near, weights):
    table = random_table(13, 6, ["number", "number"], levels=4)
    comp = valued(
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
        comp = valued(
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
        ref = valued(table, **options)
        comp = valued(table, column_weights="beta(1, 1)", **options)
        if "near" not in options and options["subsets"] == 48:
            # only Shapley's row values are known: exact ends spread what they miss
            assert np.corrcoef(comp.values.ravel(), ref.values.ravel())[0, 1] > 0.95
            continue
        close(comp.values, ref.values)
        near_to(comp.stderr, ref.stderr)
        close(comp.row_values, ref.row_values)
        near_to(comp.row_stderr, ref.row_stderr)


# ---- sampling


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
def test_sampled_values_are_the_mean_over_the_drawn_orders(
    near, n_pairs, baseline, weights
):
    table = random_table(15, 6, ["number", "category", "decimal"] * 2 + ["number"])
    n, m = shape_of(table)
    options = {"n_neighbors": 2, "subsets": 2 * m * n_pairs, "near": near or None}
    problem = make_problem(table, **options)
    comp = valued(table, baseline=baseline, column_weights=weights, **options)
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
    exact = valued(table, subsets="all", **options)
    problem = make_problem(table, subsets=1, **options)
    orders = np.array([o for o in all_orders(range(4)) if o < o[::-1]])
    orders = np.broadcast_to(orders, (9, *orders.shape)).copy()
    sums = make_sums(9, 4, dtype)
    kernel(problem.rows, problem.tests, orders, near, True, problem.steps, GO, sums)
    atol = 1e-6 if dtype is np.float32 else 1e-12
    np.testing.assert_allclose(sums.cells.T / 9, exact.values, rtol=0, atol=atol)
    np.testing.assert_allclose(sums.rows / 9, exact.row_values, rtol=0, atol=atol)
    np.testing.assert_allclose(sums.columns / 9, exact.column_values, rtol=0, atol=atol)


@pytest.mark.parametrize("weights", ["banzhaf", "beta(4, 1)"])
@pytest.mark.parametrize("near", [None, 5])
def test_the_mean_over_many_seeds_is_the_exact_value(near, weights):
    table = random_table(17, 10, ["number", "category", "decimal", "number"])
    options = {"n_neighbors": 2, "near": near, "column_weights": weights, "n_jobs": 1}
    exact = valued(table, subsets="all", **options).values
    runs = np.array(
        [valued(table, subsets=1, random_state=s, **options).values for s in range(150)]
    )
    error = runs.mean(axis=0) - exact
    z = error / np.maximum(runs.std(axis=0, ddof=1) / np.sqrt(len(runs)), 1e-12)
    assert np.abs(z).max() < 4.5
    assert 0.5 < np.mean(z**2) < 1.7


@pytest.mark.parametrize("weights", ["banzhaf", "beta(4, 1)", "beta(1, 4)"])
def test_sampled_values_come_close_to_the_exact_ones_within_their_errors(weights):
    table = random_table(18, 40, ["number", "category"] * 4, levels=5)
    options = {"n_neighbors": 5, "column_weights": weights}
    exact = valued(table, subsets="all", **options)
    some = valued(table, subsets=128, **options)
    assert some.settings["passes"] == [1, 1, 2, 4]
    error = np.abs(some.values - exact.values)
    assert np.corrcoef(some.values.ravel(), exact.values.ravel())[0, 1] > 0.9
    assert np.mean(error <= 3 * some.stderr) > 0.95


@pytest.mark.parametrize("near", [None, 100])
def test_sums_hold_in_many_rows_too(near):
    table = random_table(19, 1600, ["decimal", "number", "category"] * 2, levels=9)
    test = random_table(20, 24, ["decimal", "number", "category"] * 2, name="test")
    comp = valued(table, test=test, subsets=12, near=near, column_weights="banzhaf")
    np.testing.assert_allclose(
        comp.row_values, comp.values.sum(axis=1), rtol=0, atol=1e-15
    )
    close(comp.total, comp.values.sum())
    assert (comp.row_stderr > 0).any()


# ---- running


def bits(values):
    arrays = (values.values, values.stderr, values.row_values, values.row_stderr)
    return [array.tobytes() for array in arrays]


@pytest.mark.parametrize("subsets", ["all", 60])
def test_workers_change_no_bit(subsets):
    table = random_table(21, 60, MIXED * 2)
    options = {"subsets": subsets, "column_weights": "banzhaf"}
    ref = bits(valued(table, n_jobs=1, **options))
    assert bits(valued(table, n_jobs=3, **options)) == ref


@pytest.mark.parametrize("subsets", ["all", 60])
def test_a_stopped_run_that_continues_equals_one_go(subsets, tmp_path):
    table = random_table(22, 80, MIXED * 2)
    options = {"subsets": subsets, "column_weights": "beta(4, 1)"}
    snapshots = iter_values(table, **options)
    for count, snapshot in enumerate(snapshots):
        close(snapshot.values.row_values, snapshot.values.values.sum(axis=1))
        if count == 9:
            break
    snapshots.close()
    snapshot.values.save(tmp_path / "part.npz")
    part = cellval.load(tmp_path / "part.npz")
    whole = valued(table, continue_from=part, **options)
    assert bits(whole) == bits(valued(table, **options))
    for other in ("shapley", "banzhaf", "beta(4, 2)"):
        options["column_weights"] = other
        with pytest.raises(cellval.InputError, match="different column_weights"):
            iter_values(table, continue_from=part, **options)


def without_the_setting(values):
    settings = {k: v for k, v in values.settings.items() if k != "column_weights"}
    return cellval.CellValues(**{**vars(values), "settings": settings})


def test_values_of_before_there_were_weights_are_shapley_s():
    table = random_table(23, 30, MIXED * 2)
    one, two = (valued(table, subsets=12, random_state=s) for s in range(2))
    old = without_the_setting(one)
    more = valued(table, subsets=24, continue_from=old)
    assert bits(more) == bits(valued(table, subsets=24))
    assert old.merge(two).total == one.merge(two).total
    with pytest.raises(cellval.InputError, match="column_weights"):
        valued(table, subsets=24, continue_from=old, column_weights="banzhaf")


def test_runs_with_other_weights_are_not_merged():
    table = random_table(24, 20, MIXED)
    options = {"subsets": 3, "column_weights": "banzhaf"}
    one, two = (valued(table, random_state=s, **options) for s in range(2))
    both = one.merge(two)
    close(both.row_values, both.values.sum(axis=1))
    with pytest.raises(cellval.InputError, match="differ in column_weights"):
        one.merge(valued(table, subsets=3, random_state=2))


def test_settings_name_the_weights():
    table = random_table(25, 12, MIXED)
    shapley = valued(table)
    assert shapley.settings["column_weights"] == "shapley"
    assert "weights" not in shapley.settings["design"]
    assert valued(table, column_weights="Shapley").values.tobytes() == (
        shapley.values.tobytes()
    )
    banzhaf = valued(table, column_weights="Banzhaf")
    assert banzhaf.settings["column_weights"] == "banzhaf"
    assert banzhaf.settings["design"] == (
        "all 8 column subsets (exact), Banzhaf weights along columns"
    )
    beta = valued(table, subsets=3, column_weights="beta( 4.0,.5)")
    assert beta.settings["column_weights"] == "beta(4, 0.5)"
    assert "Beta(4, 0.5) weights along columns" in beta.settings["design"]


def test_shapley_values_still_sum_to_the_rows_and_to_the_score():
    table = random_table(26, 30, MIXED * 2, n_classes=3)
    for subsets in ("all", 12, 60):
        comp = valued(table, n_neighbors=4, subsets=subsets)
        rows = cellval.value_rows(table, n_neighbors=4)
        np.testing.assert_allclose(comp.row_values, rows, rtol=0, atol=1e-14)
        np.testing.assert_allclose(comp.values.sum(axis=1), rows, rtol=0, atol=1e-14)
    other = valued(table, n_neighbors=4, subsets="all", column_weights="banzhaf")
    assert abs(other.total - comp.total) > 1e-3


@pytest.mark.parametrize(
    "text",
    [
        *("bazhaf", "", "beta", "beta(4)", "beta(1, 0)", "beta(-1, 2)", "beta(a, b)"),
        *("beta(1, 2, 3)", "beta(nan, 1)", "beta(inf, 1)", "beta(1e308, 1e308)"),
        *(None, 3),
    ],
)
def test_a_name_of_no_weights_is_refused_with_what_is_possible(text):
    table = random_table(27, 10, MIXED)
    with pytest.raises(cellval.InputError, match=r"column_weights.*'beta\(4, 1\)'"):
        iter_values(table, column_weights=text)


def test_what_if_speaks_of_shapley_values_only():
    from cellval.whatif.questions import what_if

    table = random_table(28, 12, MIXED)
    values = valued(table, column_weights="banzhaf")
    with pytest.raises(cellval.InputError, match="made with Banzhaf weights"):
        what_if(table, values, 1, {"c0": "1"})


# ---- the weights themselves


@pytest.mark.parametrize("n", [1, 2, 3, 300, 3000])
@pytest.mark.parametrize(
    "text", ["banzhaf", "beta(1, 1)", "beta(16, 1)", "beta(0.01, 30)", "beta(1e9, 1)"]
)
def test_factors_are_finite_and_average_to_one(text, n):
    factors = relative(named(text), n)
    assert np.isfinite(factors).all()
    assert (factors >= 0).all()
    assert factors.mean() == pytest.approx(1.0)


@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_weights_are_their_formulas(n):
    pairs = {"shapley": naive.weight, **WEIGHTS, "beta(3, 2)": naive.beta_weight(3, 2)}
    for text, w in pairs.items():
        ref = [float(w(s, n)) for s in range(n)]
        np.testing.assert_allclose(named(text)(n), ref, rtol=1e-12)
        ref = [float(n * comb(n - 1, s) * w(s, n)) for s in range(n)]
        comp = relative(named(text), n)
        np.testing.assert_allclose(comp, ref, rtol=1e-12)


def test_a_larger_a_stresses_small_coalitions():
    sizes = np.arange(20)
    names = ("beta(16, 1)", "beta(4, 1)", "beta(1, 1)", "beta(1, 4)", "beta(1, 16)")
    means = [np.mean(sizes * relative(named(t), 20)) for t in names]
    assert means == sorted(means)
    assert means[0] < 2
    assert means[-1] > 17


def test_every_family_says_what_it_gives_up():
    assert set(glossary.GIVES_UP) == {"shapley", "banzhaf", "beta"}
    for name in ("banzhaf", "beta"):
        assert "Gives up efficiency" in glossary.GIVES_UP[name]


def test_many_columns_are_valued():
    table = random_table(29, 12, ["number"] * 300, levels=5)
    for weights in ("banzhaf", "beta(16, 1)"):
        for near in (None, 6):
            comp = valued(table, subsets=1, near=near, column_weights=weights)
            assert np.isfinite(comp.values).all()
            assert np.abs(comp.values).max() > 1e-6


def test_shapley_runs_do_not_wait_for_scikit_learn():
    code = "import cellval, sys; assert 'sklearn' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
