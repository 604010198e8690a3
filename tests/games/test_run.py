"""Values by games, step by step."""

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from small_games import Twins, by_function, exact_values

import cellval
from cellval.errors import InputError
from cellval.games import run
from cellval.games.run import expected_seconds
from cellval.table.table import Table
from cellval.values.options import RunOptions
from cellval.values.words import approximation_words, design_words

ROWS, COLUMNS = Twins.n_rows, Twins.n_columns


@pytest.fixture(scope="module")
def small():
    """5 x 4: few enough players for exact values."""
    return Twins.table()


@pytest.mark.parametrize("weights", ["banzhaf", "beta(4, 1)", "beta(1, 3)"])
def test_sampled_weights_equal_exact_ones_and_are_named(weights, small):
    chosen = {"row_weights": weights, "column_weights": weights}
    exact = by_function("exact", small, Twins(3), **chosen)
    found = by_function("mc", small, Twins(3), **chosen)
    away = np.abs(found.values - exact.values) / np.maximum(found.stderr, 1e-12)
    assert away[:, 1:].max() < 4.5
    assert design_words(found.settings).count(f"{weights.capitalize()} weights") == 2
    assert not found.settings.sums_to_score


def test_exact_by_the_door_equals_the_library_call(small):
    h = Twins(4)
    expected = exact_values(h, ROWS, COLUMNS)
    got = by_function("exact", small, h)
    np.testing.assert_allclose(got.values, expected)
    np.testing.assert_array_equal(got.stderr, 0.0)


def test_a_knn_model_by_exact_equals_the_engine(small):
    test = Table.from_frame(
        pd.DataFrame(
            {f"x{j}": [0.1, -0.4, 0.9] for j in range(COLUMNS)} | {"y": list("aba")}
        ),
        like=small,
    )
    engine = cellval.value_cells(small, test=test, n_neighbors=2, subsets="all")
    game = cellval.value_cells(
        small, method="exact", model="knn", test=test, n_neighbors=2
    )
    np.testing.assert_allclose(game.values, engine.values, atol=1e-6)


@pytest.mark.parametrize("method", ["mc", "loo", "flat", "exact"])
def test_workers_change_no_bit(method, davis):
    few = cellval.Table.from_frame(davis.cells.iloc[:12], label="sex")
    options = {"method": method, "test": davis}
    if method in ("mc", "flat"):
        options["rounds"] = 4
    if method == "exact":
        few = cellval.Table.from_frame(davis.cells.iloc[:6], label="sex")
    one = cellval.value_cells(few, **options, n_jobs=1)
    if method != "flat":  # processes take long to start, and are tried below
        two = cellval.value_cells(few, **options, n_jobs=2)
        np.testing.assert_array_equal(one.values, two.values)
    with ThreadPoolExecutor(3) as pool:
        own = cellval.value_cells(few, **options, executor=pool)
    np.testing.assert_array_equal(one.values, own.values)


def test_snapshots_show_progress_and_time_left(davis):
    seen = list(cellval.iter_values(davis, method="mc", rounds=6))
    done = [snapshot.done for snapshot in seen]
    assert seen[0].preparing and not seen[0].has_result
    assert done == sorted(done) and done[-1] == 1
    assert seen[-1].seen == "6 of 6 rounds" and seen[-1].seconds_left == 0


def test_a_target_and_a_budget_end_a_game_early(davis):
    loose = cellval.value_cells(davis, method="mc", rounds=5000, target_stderr=0.01)
    assert loose.settings.n_draws < 5000
    began = time.monotonic()
    short = cellval.value_cells(davis, method="mc", rounds=10**6, budget=2)
    assert np.isfinite(short.values).any()
    assert time.monotonic() - began < 60, "it ends long before a million rounds"


def slow(rows, columns):
    time.sleep(0.02)
    return float(len(rows) * len(columns))


def test_a_budget_below_one_round_says_so(davis):
    with pytest.raises(InputError, match=r"no values yet.*more time"):
        cellval.value_cells(davis, method="mc", model=slow, budget=1)


def test_few_rounds_claim_no_certainty(davis):
    train = Table.from_frame(davis.cells.iloc[::3], label="sex")
    options = {"method": "mc", "test": davis.cells.iloc[1::3]}
    values = cellval.value_cells(train, **options, rounds=10)
    truth = cellval.value_cells(train, **options, rounds=300, random_state=9)
    away = np.abs(values.values - truth.values) / values.stderr
    assert (values.stderr > 0).all()
    assert np.mean(away < 2) > 0.9, "without help from other cells about 0.6"


def test_truncation_of_a_function_is_named(small):
    values = by_function("mc", small, Twins(1), truncation=0.5)
    assert "truncated" in approximation_words(values.settings)


def test_absurd_numbers_are_taken(davis):
    few = Table.from_frame(davis.cells.iloc[:30], label="sex")
    odd = few.with_cells({(3, "weight"): "1e300", (5, "height"): "-1e300"})
    for model in ("tree", "logistic"):
        values = cellval.value_cells(odd, method="loo", model=model, n_jobs=1)
        assert np.isfinite(values.total)


@pytest.mark.parametrize("method", ["mc", "loo", "flat", "oob", "random"])
def test_expected_time_grows_with_the_work(method, davis):
    seconds = expected_seconds(davis, RunOptions(method=method))
    assert 0 <= seconds < 3600
    if method in ("mc", "flat", "oob"):
        long = expected_seconds(davis, RunOptions(method=method, rounds=100_000))
        assert long > 5 * seconds


def test_truncation_is_named(davis):
    values = cellval.value_cells(davis, method="mc", rounds=3, truncation=0.05)
    assert "truncated" in approximation_words(values.settings)


def test_of_monte_carlo_a_line_of_columns_is_timed(davis, monkeypatch):
    """Compiled trees see one column more at a time, cheaper than each set alone."""
    calls = []
    monkeypatch.setattr(run, "seconds_of", lambda call, **_: calls.append(call()) or 4)
    monkeypatch.setattr(run, "n_cores", lambda: 1)
    seconds = expected_seconds(davis, RunOptions(method="mc", rounds=10))
    assert len(calls[0]) == 4 + 1
    assert seconds == 10 * 140 * 4 * 4 / 4  # rounds, rows and columns; 4 a line of 4
