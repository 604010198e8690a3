"""The ways to value cells, and the axioms that each claims."""

import numpy as np
import pytest
from small_games import Twins

import cellval
from cellval.games.game import make_game
from cellval.games.models import estimator_of
from cellval.methods import METHODS, MODELS, ROUNDS, method_of
from cellval.table.table import Table
from cellval.values.options import RunOptions

ROWS, COLUMNS = Twins.n_rows, Twins.n_columns


@pytest.fixture(scope="module")
def small():
    """5 x 4: few enough players for exact values."""
    return Twins.table()


@pytest.fixture(scope="module")
def davis():
    return cellval.read("sample_data/davis.csv", label="sex")


def by_function(method, table, h, **options):
    if method == "mc":
        options["rounds"] = 300
    return cellval.value_cells(table, method=method, model=h, **options)


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
    a, b = Twins(1), Twins(2)
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
    rounds = {"rounds": 50} if method == "oob" else {}
    values = cellval.value_cells(davis, method=method, **rounds)
    assert not values.settings.additive and not values.settings.sums_to_score
    assert abs(values.total - 0.9) > 0.1
    assert np.nanmin(values.values) < values.settings.middle < np.nanmax(values.values)


def test_knn_and_flat_sum_to_the_score(davis):
    knn = cellval.value_cells(davis, test=0.3)
    few = Table.from_frame(davis.cells.iloc[:30], label="sex")
    game = make_game(few, RunOptions(method="flat"))
    flat = cellval.value_cells(few, method="flat", rounds=2, n_jobs=1)
    everything = np.ones(game.shape, bool)
    assert flat.total == pytest.approx(game.h(everything))
    assert 0.5 < knn.total <= 1 and flat.settings.sums_to_score


def test_every_method_says_when_to_use_it_and_what_its_numbers_mean():
    assert next(iter(METHODS)) == "knn"  # the one to start with
    for method in METHODS.values():
        assert method.title and method.when.endswith(".") and method.means.endswith(".")
        assert method.additive != ("Not additive" in method.means) or (
            method is METHODS["random"]
        )
    assert len({method.title for method in METHODS.values()}) == len(METHODS)
    assert set(ROUNDS) < set(METHODS)


def test_an_unknown_method_is_told_the_known_ones():
    assert method_of("mc") is METHODS["mc"]
    with pytest.raises(cellval.InputError) as caught:
        method_of("shap")
    assert all(repr(name) in str(caught.value) for name in METHODS)


def test_models_by_name_are_known_to_the_zoo():
    for name in MODELS:
        if name != "knn":
            assert hasattr(estimator_of(name), "fit")
