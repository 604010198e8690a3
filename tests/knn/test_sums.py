"""Sums of a run: standard errors, what a prefix says, and how a run goes on."""

from dataclasses import replace
from itertools import pairwise

import naive
import numpy as np
import pytest
from cases import bits, close, make_table, naive_games, permuted, random_table

import cellval
from cellval.knn.problem import make_problem
from cellval.knn.sums import nothing, resumed, values_of
from cellval.values.options import RunOptions
from cellval.values.words import design_words

MIXED = ["number", "category", "decimal"]


@pytest.mark.parametrize("subsets", ["all", 60])
def test_a_stopped_run_with_other_weights_continues_to_the_same_bits(subsets, tmp_path):
    table = random_table(22, 80, MIXED * 2)
    options = {"subsets": subsets, "column_weights": "beta(4, 1)"}
    snapshots = cellval.iter_values(table, **options)
    for count, snapshot in enumerate(snapshots):
        if snapshot.has_result:
            values = snapshot.result
            close(values.row_values, values.values.sum(axis=1))
            if count >= 9:
                break
    snapshots.close()
    values.save(tmp_path / "part.npz")
    part = cellval.load(tmp_path / "part.npz")
    whole = cellval.value_cells(table, continue_from=part, **options)
    assert bits(whole) == bits(cellval.value_cells(table, **options))
    for other in ("shapley", "banzhaf", "beta(4, 2)"):
        options["column_weights"] = other
        with pytest.raises(cellval.InputError, match="different column_weights"):
            cellval.iter_values(table, continue_from=part, **options)


def test_any_prefix_of_the_run_keeps_the_row_identity():
    table = random_table(18, 30, ["number"] * 6, levels=6)
    whole = cellval.value_rows(table, n_neighbors=3)
    for snapshot in cellval.iter_values(table, n_neighbors=3, subsets=60):
        if snapshot.has_result:
            values = snapshot.result
            close(values.values.sum(axis=1), values.rows["value"])
            if values.state["pass_number"] > 0:
                close(values.rows["value"], whole)


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


def stopped_after(k, table, **options):
    """Values of a run that is stopped when it has done at least k of its items."""
    snapshots = cellval.iter_values(table, n_jobs=1, **options)
    for count, snapshot in enumerate(snapshots):
        if count >= k and snapshot.has_result:
            snapshots.close()
            assert snapshot.done < 1, "it was over before it could be stopped"
            return snapshot.result
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
    assert first.settings.passes == (1, 1)
    more = cellval.value_cells(table, subsets="auto", continue_from=first)
    assert more.settings.passes == (1, 1, 2)
    assert bits(more) == bits(cellval.value_cells(table, subsets=64))


def test_continuing_refuses_another_table_or_other_settings():
    table = random_table(31, 20, MIXED)
    part = stopped_after(2, table, subsets="all")
    with pytest.raises(cellval.InputError, match="different n_neighbors"):
        cellval.value_cells(table, n_neighbors=3, continue_from=part)
    with pytest.raises(cellval.InputError, match="table"):
        cellval.value_cells(random_table(32, 20, MIXED), continue_from=part)


def test_a_later_pass_never_makes_the_estimate_worse():
    table = random_table(60, 60, ["number"] * 10, levels=6)
    truth = cellval.value_cells(table, subsets="all", n_neighbors=5).values
    snapshots = cellval.iter_values(table, subsets=20 * 16, n_neighbors=5)
    found = [s.result for s in snapshots if s.has_result]
    errors = [
        np.sqrt(np.mean((values.values - truth) ** 2))
        for values in found
        if values.state["finest"]
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
    snapshots = cellval.iter_values(table, subsets=16 * 4)
    designs = [design_words(s.result.settings) for s in snapshots if s.has_result]
    assert designs[0].startswith("1 random order of")
    assert "4 of 64 test points" in designs[0]
    assert designs[-1].startswith("4 random orders of")
    assert any(d.startswith("1 to 2 random orders") for d in designs)


def test_a_stopped_default_run_continues_to_the_same_end(monkeypatch):
    monkeypatch.setattr("cellval.knn.plan.AUTO_WORK", 40 * 40 * 200.0)
    table = random_table(64, 40, ["number"] * 9, levels=9)
    ref = cellval.value_cells(table)
    assert len(ref.settings.passes) > 3
    part = stopped_after(20, table)
    assert bits(cellval.value_cells(table, continue_from=part)) == bits(ref)


def test_a_run_continues_with_the_very_settings_it_had():
    table = random_table(65, 40, MIXED)
    part = stopped_after(2, table, subsets=8)
    comp = cellval.value_cells(table, subsets=8, continue_from=part)
    assert bits(comp) == bits(cellval.value_cells(table, subsets=8))


def test_sums_of_a_run_are_kept_as_plain_arrays_that_make_it_whole_again():
    table = random_table(70, 30, ["number"] * 6, levels=6)
    options = RunOptions(subsets=24)
    problem = make_problem(table, options)
    values = stopped_after(20, table, subsets=24)
    merged = resumed(problem, values)
    assert (merged.n_items, merged.pass_number) == (0, int(values.state["pass_number"]))
    assert bits(values_of(problem, merged)) == bits(values)
    for name in values.state:
        broken = {**values.state, name: values.state[name][..., None]}
        if values.state[name].ndim > 0:
            with pytest.raises(cellval.InputError, match="lack what is needed"):
                resumed(problem, replace(values, state=broken))
    less = {k: v for k, v in values.state.items() if k != "row_means"}
    with pytest.raises(cellval.InputError, match="lack what is needed"):
        resumed(problem, replace(values, state=less))


def test_nothing_seen_says_nothing():
    problem = make_problem(random_table(71, 10, MIXED), RunOptions())
    empty = nothing(problem)
    assert empty.n_seen(problem) == 0
    assert not values_of(problem, empty).values.any()
    assert np.isnan(values_of(problem, empty).stderr).all()


def few_are_drawn(monkeypatch, n=12):
    """Tables are large from the first row on."""
    monkeypatch.setattr("cellval.knn.plan.AUTO_WORK", 1.0)
    monkeypatch.setattr("cellval.knn.plan.DRAWN_WORK", 1.0)
    monkeypatch.setattr("cellval.knn.plan.LEAST_DRAWN", n)


@pytest.mark.parametrize("near", [None, 5])
@pytest.mark.parametrize("kinds", [MIXED, MIXED * 2], ids=["exact", "sampled"])
def test_values_of_drawn_test_points_are_the_mean_over_those(kinds, near, monkeypatch):
    few_are_drawn(monkeypatch)
    table = random_table(70, 40, kinds, levels=9, missing=0.1)
    comp = cellval.value_cells(table, n_neighbors=3, near=near)
    settings, n = comp.settings, comp.n_test
    assert 12 <= n < 15 and (settings.n_seen, settings.n_tests) == (n, 40)
    assert f"{n} of 40 test points" in design_words(settings)
    problem = make_problem(table, RunOptions(n_neighbors=3, near=near))
    assert (problem.tests.times == 1).all()
    games, row_of = naive_games(table, 3, near=near or 0), problem.of_row.argsort()
    each = np.zeros((n, *comp.values.shape))
    for item in problem.plan.items():
        for k, t in enumerate(range(item.first, min(item.last, n))):
            game, m = games[row_of[problem.tests.own[t]]], len(kinds)
            if settings.is_exact:
                psi = naive.cell_values_by_columns(game, m)
            else:
                order = problem.plan.orders(item)[k, 0].tolist()
                psi = naive.cell_values_by_orders(game, [order, order[::-1]])
            for i, cells in psi.items():
                each[t, i] = np.array(cells, float)
    close(comp.values, each.mean(axis=0))
    variances = [x.var(axis=0, ddof=1) / n for x in (each, each.sum(axis=2))]
    if near:  # as if each row had seen one more near test point, an average one
        seen = n * near / 40
        variances = [np.maximum(x, x.mean(axis=0) / (1 + seen)) for x in variances]
    close(comp.stderr, np.sqrt(variances[0]))
    close(comp.row_stderr, np.sqrt(variances[1]))


def test_drawn_test_points_are_the_same_for_any_number_of_workers(monkeypatch):
    few_are_drawn(monkeypatch)
    table = random_table(71, 60, MIXED * 2)
    one, *others = (bits(cellval.value_cells(table, n_jobs=k)) for k in (1, 2, 5))
    assert others == [one, one]
    assert one != bits(cellval.value_cells(table, random_state=1))


def test_a_run_on_drawn_test_points_goes_on_to_more_of_them(monkeypatch, tmp_path):
    few_are_drawn(monkeypatch)
    table = random_table(72, 60, MIXED * 2)
    ref = cellval.value_cells(table)
    part = stopped_after(1, table)
    assert part.n_test < ref.n_test < 15
    assert bits(cellval.value_cells(table, continue_from=part)) == bits(ref)
    ref.save(tmp_path / "some.npz")
    ref = cellval.load(tmp_path / "some.npz")
    more = cellval.value_cells(table, continue_from=ref)
    assert 24 <= more.n_test < 30 and more.typical_stderr < ref.typical_stderr
    last = cellval.value_cells(
        table, continue_from=cellval.value_cells(table, continue_from=more)
    )
    assert last.n_test == 60 and not last.settings.n_tests
    # every test point, as one who asks for so many subsets gets it
    np.testing.assert_allclose(
        last.values, cellval.value_cells(table, subsets=1).values, atol=1e-15
    )


def test_a_number_of_subsets_or_a_budget_asks_for_every_test_point(monkeypatch):
    few_are_drawn(monkeypatch)
    table = random_table(73, 40, MIXED * 2)
    for options in ({"subsets": 12}, {"subsets": "all"}, {"budget": 1e5}):
        plan = make_problem(table, RunOptions(**options)).plan
        assert plan.n_visited == plan.n_tests == 40
