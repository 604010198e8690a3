"""All ways to value cells through one door, and the axioms that each claims."""

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import cellval
from cellval.errors import InputError
from cellval.games import exact_values
from cellval.games.game import make_game
from cellval.games.run import expected_seconds
from cellval.jobs import registry
from cellval.methods import METHODS
from cellval.table.table import Table

WAIT = 60

pytestmark = pytest.mark.usefixtures("no_runs_left")
ROWS, COLUMNS = 5, 4


@pytest.fixture(scope="module")
def small():
    """5 x 4: few enough players for exact values."""
    draw = np.random.default_rng(0)
    cells = {f"x{j}": draw.normal(size=ROWS).round(3) for j in range(COLUMNS)}
    frame = pd.DataFrame({**cells, "y": list("ababa")})
    return Table.from_frame(frame, label="y")


@pytest.fixture(scope="module")
def davis():
    return cellval.read("sample_data/davis.csv", label="sex")


class Game:
    """Random utilities; optionally row 0 and row 1 are alike, and column 0 is empty."""

    def __init__(self, seed):
        self.worth = np.random.default_rng(seed).normal(size=(2**ROWS, 2**COLUMNS))
        self.worth[0], self.worth[:, 0] = 0, 0

    def __call__(self, rows, columns):
        rows, columns = set(map(int, rows)), set(map(int, columns)) - {0}
        if 1 in rows and 0 not in rows:
            rows = rows - {1} | {0}
        s, f = (sum(1 << k for k in players) for players in (rows, columns))
        return float(self.worth[s, f])


def by_function(method, table, h, **options):
    return cellval.value_cells(table, method=method, model=h, rounds=300, **options)


# what each method with a utility of its own promises
CLAIMS = {
    "exact": ("efficiency", "null", "symmetry", "linearity"),
    "mc": ("efficiency", "null", "symmetry", "linearity"),
    "loo": ("null", "symmetry", "linearity"),
}


@pytest.mark.parametrize(
    ("method", "axiom"), [(m, a) for m, axioms in CLAIMS.items() for a in axioms]
)
def test_methods_keep_the_axioms_they_claim(method, axiom, small):
    a, b = Game(1), Game(2)
    values = by_function(method, small, a)
    if axiom == "efficiency":
        everything = a(range(ROWS), range(COLUMNS))
        assert values.total == pytest.approx(everything)
        assert METHODS[method].additive
    elif axiom == "null":
        np.testing.assert_allclose(values.values[:, 0], 0.0, atol=1e-12)
    elif axiom == "symmetry":
        away = np.abs(values.values[0] - values.values[1])
        error = np.hypot(values.stderr[0], values.stderr[1])
        assert (away <= 4 * error + 1e-12).all()
    else:
        other = by_function(method, small, b).values
        both = by_function(method, small, lambda r, c: 2 * a(r, c) - b(r, c)).values
        np.testing.assert_allclose(both, 2 * values.values - other, atol=1e-12)


@pytest.mark.parametrize("method", [m for m in METHODS if not METHODS[m].additive])
def test_methods_without_efficiency_do_not_claim_it(method, davis):
    values = (
        cellval.value_cells(davis, method=method, rounds=50)
        if (method == "oob")
        else cellval.value_cells(davis, method=method)
    )
    assert not values.settings.additive and not values.settings.sums_to_score
    assert abs(values.total - 0.9) > 0.1
    assert np.nanmin(values.values) < values.settings.middle < np.nanmax(values.values)


def test_knn_and_flat_sum_to_the_score(davis):
    knn = cellval.value_cells(davis, test=0.3)
    game = make_game(davis, method="flat")
    flat = cellval.value_cells(davis, method="flat", rounds=2)
    everything = np.ones(game.shape, bool)
    assert flat.total == pytest.approx(game.h(everything))
    assert 0.5 < knn.total <= 1 and flat.sums_to_score


@pytest.mark.parametrize("weights", ["banzhaf", "beta(4, 1)", "beta(1, 3)"])
def test_sampled_weights_equal_exact_ones_and_are_named(weights, small):
    chosen = {"row_weights": weights, "column_weights": weights}
    exact = by_function("exact", small, Game(3), **chosen)
    found = by_function("mc", small, Game(3), **chosen)
    away = np.abs(found.values - exact.values) / np.maximum(found.stderr, 1e-12)
    assert away[:, 1:].max() < 4.5
    assert weights in found.settings["design"] and not found.sums_to_score


def test_exact_by_the_door_equals_the_library_call(small):
    h = Game(4)
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


@pytest.mark.parametrize("method", list(METHODS))
def test_every_method_gives_cell_values_that_can_be_kept(method, davis, tmp_path):
    table = (
        davis
        if method != "exact"
        else Table.from_frame(
            pd.DataFrame({"x": [1, 2, 3, 4, 9, 8], "y": list("aabbab")}), label="y"
        )
    )
    rounds = {"knn": {}, "flat": {"rounds": 2}}.get(method, {"rounds": 12})
    values = cellval.value_cells(table, method=method, **rounds)
    assert values.values.shape == (table.n_rows, len(table.features))
    assert np.isfinite(values.values).any()
    assert values.settings["design"]
    values.save(tmp_path / "v.npz")
    again = cellval.load(tmp_path / "v.npz")
    np.testing.assert_array_equal(again.values, values.values)
    assert again.model == values.model and again.middle == values.settings.middle
    assert len(values.lowest(3)) == 3
    repeated = cellval.value_cells(table, method=method, **rounds)
    np.testing.assert_array_equal(repeated.values, values.values)


@pytest.mark.parametrize("method", ["mc", "loo", "flat", "exact"])
def test_workers_change_no_bit(method, davis):
    few = cellval.Table.from_frame(davis.cells.iloc[:12], label="sex")
    options = {"method": method, "rounds": 4, "test": davis}
    if method == "exact":
        few = cellval.Table.from_frame(davis.cells.iloc[:6], label="sex")
    one = cellval.value_cells(few, **options, n_jobs=1)
    two = cellval.value_cells(few, **options, n_jobs=2)
    np.testing.assert_array_equal(one.values, two.values)
    with ThreadPoolExecutor(3) as pool:
        own = cellval.value_cells(few, **options, executor=pool)
    np.testing.assert_array_equal(one.values, own.values)


def test_held_out_rows_have_no_value_and_are_stated(davis):
    values = cellval.value_cells(davis, method="loo", test=0.25)
    assert np.isnan(values.row_values).sum() == 50 == values.n_test
    assert "hold-out of 50 rows" in values.settings["test"]


def test_any_classifier_and_any_function_serve(davis):
    named = cellval.value_cells(davis, method="loo", model=GaussianNB())
    assert named.model == "GaussianNB()"
    own = cellval.value_cells(
        davis, method="loo", model=lambda r, c: float(len(r) * len(c))
    )
    np.testing.assert_allclose(own.values, 1.0)
    assert own.model == "your function"


def test_other_models_run_on_processes(davis):
    few = Table.from_frame(davis.cells.iloc[:8], label="sex")
    options = {"method": "mc", "model": LogisticRegression(), "test": davis}
    one = cellval.value_cells(few, **options, rounds=3, n_jobs=1)
    two = cellval.value_cells(few, **options, rounds=3, n_jobs=2)
    np.testing.assert_array_equal(one.values, two.values)


def test_snapshots_show_progress_and_time_left(davis):
    seen = list(cellval.iter_values(davis, method="mc", rounds=6))
    done = [snapshot.done for snapshot in seen]
    assert seen[0].compiling and not seen[0].has_values
    assert done == sorted(done) and done[-1] == 1
    assert seen[-1].seen == "6 of 6 rounds" and seen[-1].seconds_left == 0
    assert np.isnan(seen[0].values.values).all()


def test_a_target_and_a_budget_end_a_game_early(davis):
    loose = cellval.value_cells(davis, method="mc", rounds=5000, target_stderr=0.01)
    assert int(loose.settings["design"].split()[0].replace(",", "")) < 5000
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


def test_a_long_round_can_be_stopped(davis):
    job = registry.start(davis, method="mc", model=slow)
    while job.progress.done == 0:
        time.sleep(0.05)
    assert job.progress.done < 0.5 and job.status == "running"
    job.stop()
    assert job.wait(WAIT), "the workers end within the round"
    assert job.values is None and job.status == "stopped"


@pytest.mark.parametrize("method", ["mc", "oob", "loo"])
def test_methods_run_in_the_background(method, davis):
    job = registry.start(
        davis, method=method, **({} if method == "loo" else {"rounds": 20})
    )
    assert job.wait(WAIT) and job.status == "done", job.error
    assert job.progress.seen and job.values is not None and job.surprise is not None


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"method": "shap"}, "'knn', 'oob'"),
        ({"method": "mc", "subsets": "all"}, "subsets is no option of method='mc'"),
        ({"method": "knn", "rounds": 5}, "rounds is no option of method='knn'"),
        ({"method": "exact"}, "2\\^144 times.*16 rows and columns"),
        ({"method": "mc", "model": "svm"}, "'knn', 'tree', 'logistic'"),
        ({"method": "flat", "model": "knn"}, "cannot fill absent cells"),
        ({"method": "loo", "truncation": 0.1}, "only method='mc'"),
        ({"method": "loo", "row_weights": "banzhaf"}, "has no weights"),
        ({"method": "mc", "rounds": 0}, "1 or more"),
        ({"method": "mc", "row_weights": "owen"}, "banzhaf"),
        ({"method": "mc", "test": 1.5}, "between 0 and 1"),
        ({"method": "mc", "model": DecisionTreeClassifier}, "with brackets"),
        ({"method": "mc", "model": Ridge()}, "does not predict classes"),
        ({"method": "oob", "test": 0.3}, "test is no option"),
        ({"method": "flat", "model": len}, "measures by itself"),
        ({"method": "mc", "model": len, "scoring": "balanced"}, "measures by itself"),
    ],
)
def test_what_is_not_possible_is_said(options, words, davis):
    with pytest.raises(InputError, match=words):
        cellval.value_cells(davis, **options)


def test_a_model_that_needs_more_rows_says_the_commonest_class(davis):
    knn = KNeighborsClassifier(7)
    values = cellval.value_cells(davis, method="mc", model=knn, rounds=2, n_jobs=1)
    assert values.total > 0.8


def test_a_model_that_cannot_learn_at_all_is_named(davis):
    wrong = LogisticRegression(C=-1)
    with pytest.raises(InputError, match=r"C=-1.*cannot learn from this table"):
        cellval.value_cells(davis, method="loo", model=wrong, n_jobs=1)


def test_models_without_a_seed_get_one(davis):
    few = Table.from_frame(davis.cells.iloc[:9], label="sex")
    forest = make_pipeline(StandardScaler(), RandomForestClassifier(3))
    options = {"method": "mc", "model": forest, "test": davis, "rounds": 2}
    one, two = (cellval.value_cells(few, **options, n_jobs=1) for _ in range(2))
    np.testing.assert_array_equal(one.values, two.values)


def test_few_rounds_claim_no_certainty(davis):
    train = Table.from_frame(davis.cells.iloc[::2], label="sex")
    options = {"method": "mc", "test": davis.cells.iloc[1::2]}
    values = cellval.value_cells(train, **options, rounds=10)
    truth = cellval.value_cells(train, **options, rounds=600, random_state=9)
    away = np.abs(values.values - truth.values) / values.stderr
    assert (values.stderr > 0).all()
    assert np.mean(away < 2) > 0.9, "without help from other cells about 0.6"


def test_a_stopped_run_leaves_others_alone(davis):
    few = Table.from_frame(davis.cells.iloc[:30], label="sex")
    slow_model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=200))
    options = {"method": "mc", "model": slow_model, "test": davis}
    first = registry.start(few, **options, rounds=500)
    second = registry.start(few, **options, rounds=1)
    first.stop()
    assert second.wait(4 * WAIT) and second.status == "done", second.error
    assert first.wait(WAIT)


def test_a_balanced_guess_is_one_in_the_number_of_classes(davis):
    game = make_game(davis, method="mc", baseline="chance", scoring="balanced")
    assert game.h.empty == pytest.approx(0.5)


@pytest.mark.parametrize("worth", [float("nan"), None, "much"])
def test_a_function_must_return_numbers(worth, davis):
    with pytest.raises(InputError, match="Your function returned"):
        cellval.value_cells(davis, method="loo", model=lambda r, c: worth)


def test_truncation_of_a_function_is_named(small):
    values = by_function("mc", small, Game(1), truncation=0.5)
    assert "truncated" in values.settings["approximation"]


def test_test_rows_of_other_classes_are_refused(davis):
    other = davis.cells.assign(sex="X").iloc[:5].copy()
    other.iloc[0, 0] = "Y"
    with pytest.raises(InputError, match="no class of"):
        cellval.value_cells(davis, method="mc", test=other)


def test_absurd_numbers_are_taken(davis):
    odd = davis.with_cells({(3, "weight"): "1e300", (5, "height"): "-1e300"})
    for model in ("tree", "logistic"):
        values = cellval.value_cells(odd, method="loo", model=model, n_jobs=1)
        assert np.isfinite(values.total)


@pytest.mark.parametrize("method", ["mc", "loo", "flat", "oob", "random"])
def test_expected_time_grows_with_the_work(method, davis):
    seconds = expected_seconds(davis, method=method)
    assert 0 <= seconds < 3600
    if method in ("mc", "flat", "oob"):
        long = expected_seconds(davis, method=method, rounds=100_000)
        assert long > 5 * seconds


def test_truncation_is_named(davis):
    values = cellval.value_cells(davis, method="mc", rounds=3, truncation=0.05)
    assert "truncated" in values.settings["approximation"]


def test_merging_is_for_knn(davis):
    a = cellval.value_cells(davis, method="mc", rounds=3)
    b = cellval.value_cells(davis, method="mc", rounds=3, random_state=1)
    with pytest.raises(InputError, match="KNN"):
        a.merge(b)


def test_the_command_line_takes_methods(tmp_path, capsys):
    from cellval.cli.arguments import main

    out = str(tmp_path)
    assert (
        main(
            [
                "run",
                "sample_data/davis.csv",
                "--label",
                "sex",
                "--method",
                "oob",
                "--rounds",
                "60",
                "--out",
                out,
            ]
        )
        == 0
    )
    said = capsys.readouterr().out
    assert (
        "60 trees" in said
        and "Not additive" in said
        and "sum to" not in said.split("Not")[0]
    )
    assert (
        main(
            [
                "run",
                "sample_data/davis.csv",
                "--label",
                "sex",
                "--method",
                "mc",
                "--rounds",
                "3",
                "--model",
                "knn",
                "--out",
                out,
            ]
        )
        == 0
    )
    assert "accuracy of the KNN model" in capsys.readouterr().out
    assert (
        main(
            [
                "run",
                "sample_data/davis.csv",
                "--label",
                "sex",
                "--method",
                "loo",
                "--subsets",
                "all",
                "--out",
                out,
            ]
        )
        == 2
    )
    assert "--subsets is no option of --method 'loo'" in capsys.readouterr().err
