from concurrent.futures import ThreadPoolExecutor

import naive
import numpy as np
import pandas as pd
import pytest
from cases import naive_games, random_table
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import cellval
from cellval.errors import InputError
from cellval.games import (
    ModelUtility,
    banzhaf,
    beta,
    exact_values,
    iter_rounds,
    leave_one_out,
    oob,
    shapley,
)
from cellval.games.flat import filled, flat_round
from cellval.games.oob import iter_oob
from cellval.table.table import Table

WEIGHTS = {
    "shapley": (shapley, naive.weight),
    "banzhaf": (banzhaf, naive.banzhaf_weight),
    "beta(4, 1)": (beta(4, 1), naive.beta_weight(4, 1)),
    "beta(1, 3)": (beta(1, 3), naive.beta_weight(1, 3)),
}


class Random:
    """A game with random utilities, nothing without rows or columns."""

    def __init__(self, seed, n, m, dummy_row=None, twins=()):
        self.table = np.random.default_rng(seed).normal(size=(2**n, 2**m))
        self.dummy_row, self.twins = dummy_row, twins

    def __call__(self, rows, columns):
        if len(rows) == 0 or len(columns) == 0:
            return 0.0
        rows = [r for r in rows if r != self.dummy_row]
        if not rows:
            return 0.0
        if self.twins and len(set(rows) & set(self.twins)) == 1:
            rows = [self.twins[0] if r in self.twins else r for r in rows]
        index = sum(1 << int(r) for r in rows), sum(1 << int(c) for c in columns)
        return float(self.table[index])


def last(estimates):
    *_, estimate = estimates
    return estimate


@pytest.mark.parametrize("rows", WEIGHTS)
@pytest.mark.parametrize("columns", WEIGHTS)
def test_exact_values_equal_the_definition(rows, columns):
    game = Random(1, 3, 3)
    (a, naive_a), (b, naive_b) = WEIGHTS[rows], WEIGHTS[columns]
    expected = naive.cell_values_of(game, 3, 3, naive_a, naive_b)
    got = exact_values(game, 3, 3, row_weights=a, column_weights=b)
    np.testing.assert_allclose(got, np.array(expected, float), atol=1e-12)


@pytest.mark.parametrize("name", WEIGHTS)
def test_weights_sum_to_one_over_coalitions(name):
    for n in (1, 2, 7):
        counts = [len(list(naive.combinations(range(n - 1), s))) for s in range(n)]
        assert np.dot(counts, WEIGHTS[name][0](n)) == pytest.approx(1.0)


@pytest.mark.parametrize("name", WEIGHTS)
def test_every_semivalue_keeps_the_axioms_it_claims(name):
    weights = {"row_weights": WEIGHTS[name][0], "column_weights": WEIGHTS[name][0]}
    a, b = Random(2, 4, 3), Random(3, 4, 3)
    one, two = (exact_values(g, 4, 3, **weights) for g in (a, b))
    both = exact_values(lambda r, c: 2 * a(r, c) + b(r, c), 4, 3, **weights)
    np.testing.assert_allclose(both, 2 * one + two, atol=1e-12)  # linearity
    dummy = exact_values(Random(4, 4, 3, dummy_row=1), 4, 3, **weights)
    np.testing.assert_allclose(dummy[1], 0.0, atol=1e-12)
    twins = exact_values(Random(5, 4, 3, twins=(0, 2)), 4, 3, **weights)
    np.testing.assert_allclose(twins[0], twins[2], atol=1e-12)  # symmetry
    efficient = np.isclose(one.sum(), a(np.arange(4), np.arange(3)))
    assert efficient == (name == "shapley")


@pytest.mark.parametrize("name", WEIGHTS)
def test_sampled_values_equal_the_exact_ones_within_their_errors(name):
    weights = {"row_weights": WEIGHTS[name][0], "column_weights": WEIGHTS[name][0]}
    game = Random(6, 4, 3)
    exact = exact_values(game, 4, 3, **weights)
    found = last(iter_rounds(game, 4, 3, rounds=600, **weights))
    away = np.abs(found.values - exact) / found.stderr
    assert away.max() < 4 and away.mean() < 1.5
    row_away = np.abs(found.values.sum(1) - exact.sum(1)) / found.row_stderr
    assert np.nan_to_num(row_away).max() < 4


def test_one_evaluation_for_each_cell_and_round():
    asked = []

    def counting(rows, columns):
        if len(rows) and len(columns):
            asked.append((tuple(rows), tuple(columns)))
        return float(len(rows))

    found = last(iter_rounds(counting, 5, 4, rounds=3))
    assert len(asked) == found.n_evaluations == 3 * 5 * 4


def test_every_round_sums_to_the_utility_of_all():
    game = Random(7, 5, 3)
    found = last(iter_rounds(game, 5, 3, rounds=4))
    assert found.values.sum() == pytest.approx(game(range(5), range(3)))


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_workers_change_no_bit(n_jobs):
    game = Random(8, 5, 3)
    alone = last(iter_rounds(game, 5, 3, rounds=7))
    with ThreadPoolExecutor(n_jobs) as pool:
        options = {"executor": pool, "n_jobs": n_jobs}
        shared = last(iter_rounds(game, 5, 3, rounds=7, **options))
    np.testing.assert_array_equal(alone.values, shared.values)
    np.testing.assert_array_equal(alone.stderr, shared.stderr)


def test_a_target_ends_the_rounds_early():
    game = Random(9, 3, 2)
    found = last(iter_rounds(game, 3, 2, rounds=10_000, target_stderr=0.1))
    assert 10 <= found.n_rounds < 10_000 and found.stderr.mean() <= 0.1


def test_truncation_saves_evaluations_and_stays_close():
    def saturating(rows, columns):
        return min(1.0, 0.3 * len(rows)) * len(columns) / 4

    whole = last(iter_rounds(saturating, 30, 4, rounds=20))
    cut = last(iter_rounds(saturating, 30, 4, rounds=20, truncation=0.001))
    assert cut.n_evaluations < 0.4 * whole.n_evaluations
    np.testing.assert_allclose(cut.values, whole.values, atol=0.002)


def test_leave_one_out_equals_its_definition():
    game = Random(10, 4, 3)
    found = leave_one_out(game, 4, 3)
    rows, columns = list(range(4)), list(range(3))
    for i in rows:
        for j in columns:
            less, fewer = [r for r in rows if r != i], [c for c in columns if c != j]
            expected = game(rows, columns) + game(less, fewer)
            expected -= game(less, columns) + game(rows, fewer)
            assert found[i, j] == pytest.approx(expected)


def test_too_many_players_are_refused_in_words():
    with pytest.raises(InputError, match="at most 16 players"):
        exact_values(lambda rows, columns: 0.0, 10, 7)


@pytest.mark.parametrize("seed", range(3))
def test_a_knn_utility_gives_the_engines_values(seed):
    table = random_table(seed, 6, ["number", "category", "decimal"], missing=0.1)
    test = random_table(seed + 50, 4, ["number", "category", "decimal"], name="test")
    games = naive_games(table, 2, test)

    def h(rows, columns):
        return float(np.mean([float(g.h(tuple(rows), tuple(columns))) for g in games]))

    values = cellval.value_cells(table, n_neighbors=2, test=test, subsets="all")
    np.testing.assert_allclose(exact_values(h, 6, 3), values.values, atol=1e-9)


# --- cells as players, and trees ------------------------------------------------------


def test_flat_rounds_average_to_the_shapley_value_of_cells():
    weights = np.random.default_rng(0).normal(size=(2, 2))

    def h(there):
        return float((weights * there).sum() + 2.0 * there[0].all())

    rounds = [flat_round(h, 2, 2, (0, r)) for r in range(400)]
    expected = weights + np.array([[1.0, 1.0], [0.0, 0.0]])
    np.testing.assert_allclose(np.mean(rounds, axis=0), expected, atol=0.15)
    assert np.sum(rounds[0]) == pytest.approx(h(np.ones((2, 2), bool)))


def test_absent_cells_are_filled_with_the_mean_of_the_present():
    cells = np.array([[1.0, 2.0], [3.0, 4.0], [8.0, 6.0]])
    there = np.array([[True, False], [True, True], [False, True]])
    expected = [[1.0, 5.0], [3.0, 4.0], [2.0, 6.0]]
    np.testing.assert_array_equal(filled(cells, there), expected)


def test_out_of_bag_scores_equal_the_definition(monkeypatch):
    table = mixed(40, 6)
    seen = []

    class Spy(oob.Trees):
        def predict(self, rows, columns, asked):
            said = super().predict(rows, columns, asked)
            seen.append(said)
            return said

    monkeypatch.setattr(oob, "Trees", Spy)
    monkeypatch.setattr(oob, "AT_ONCE", 4)
    *_, scores = iter_oob(table, n_trees=10)
    hits = {}
    for b, said in enumerate(seen):
        draw = np.random.default_rng([0, b])
        columns = draw.permutation(3)[:1]
        rows = draw.integers(0, 40, 40)
        for i, guess in zip(np.setdiff1d(range(40), rows), said, strict=True):
            for j in columns:
                hits.setdefault((i, j), []).append(guess == table.y[i])
    for i in range(40):
        for j in range(3):
            expected = np.mean(hits[i, j]) if (i, j) in hits else np.nan
            assert scores.values[i, j] == pytest.approx(expected, nan_ok=True)
    assert scores.n_trees == 10 and scores.done == 1.0


def test_out_of_bag_scores_are_low_for_a_wrong_label():
    table = mixed(120, 7)
    flipped = table.with_cells({(5, "y"): "no" if table.y[5] else "yes"})
    *_, clean = iter_oob(table, n_trees=200)
    *_, dirty = iter_oob(flipped, n_trees=200)
    assert dirty.values[5, 0] < 0.5 < clean.values[5, 0]
    assert (clean.stderr[np.isfinite(clean.stderr)] > 0).all()


# --- models ---------------------------------------------------------------------------


def mixed(n, seed, name="table", like=None):
    draw = np.random.default_rng(seed)
    y = draw.integers(0, 2, n)
    frame = pd.DataFrame(
        {
            "x": np.where(draw.random(n) < 0.1, np.nan, y + 0.3 * draw.normal(size=n)),
            "word": np.where(draw.random(n) < 0.8, np.where(y, "up", "down"), "side"),
            "noise": draw.normal(size=n),
            "y": np.where(y, "yes", "no"),
        }
    )
    if like is not None:
        return Table.from_frame(frame, like=like, name=name)
    return Table.from_frame(frame, label="y", name=name)


@pytest.mark.parametrize(
    "estimator",
    [
        DecisionTreeClassifier(random_state=0),
        make_pipeline(StandardScaler(), LogisticRegression()),
    ],
)
def test_a_model_on_mixed_cells_learns_from_the_columns_that_say_something(estimator):
    table = mixed(80, 0)
    test = mixed(60, 1, "test", like=table)
    h = ModelUtility(estimator, table, test)
    everyone = np.arange(80)
    assert h(everyone, np.array([0, 1, 2])) > 0.85
    assert h(everyone, np.array([1])) > 0.7 > h(everyone, np.array([2]))
    assert h(np.array([], int), np.array([0])) == h(everyone, np.array([], int)) == 0


def test_rows_of_one_class_predict_that_class():
    table = mixed(30, 2)
    h = ModelUtility(LogisticRegression(), table, table)
    alike = np.flatnonzero(table.y == 1)[:4]
    assert h(alike, np.array([0])) == pytest.approx(np.mean(table.y == 1))


def test_repeats_average_the_noise_of_training():
    table = mixed(60, 3)
    test = mixed(60, 4, "test", like=table)
    tree = DecisionTreeClassifier(splitter="random", max_depth=2)
    rows, columns = np.arange(60), np.array([0, 1, 2])
    once = [
        ModelUtility(tree, table, test, repeats=2, random_state=s)(rows, columns)
        for s in range(12)
    ]
    often = [
        ModelUtility(tree, table, test, repeats=20, random_state=100 * s)(rows, columns)
        for s in range(12)
    ]
    assert np.std(often) < np.std(once)


def test_own_scoring_and_baseline():
    table = mixed(40, 5)
    h = ModelUtility(
        DecisionTreeClassifier(), table, table, scoring=lambda t, p: 7.0, empty=0.5
    )
    assert h(np.arange(40), np.array([0])) == 7.0
    assert h(np.arange(40), np.array([], int)) == 0.5
    with pytest.raises(InputError, match="scoring='auc'"):
        ModelUtility(DecisionTreeClassifier(), table, table, scoring="auc")
