"""Values and how they were made, as people read them."""

from dataclasses import replace

import numpy as np
import pytest
from cases import random_table

import cellval
from cellval.methods import MODELS
from cellval.values.settings import DESIGNS, Settings
from cellval.values.words import (
    Unit,
    certainty,
    design_words,
    effect,
    end_words,
    model_words,
    points,
    stderr_words,
)

MIXED = ["number", "category", "decimal"]


@pytest.mark.parametrize(
    ("value", "stderr", "words"),
    [
        (
            -0.0005,
            0.0001,
            "lowers the accuracy of the KNN model by about 0.050 pp",
        ),
        (-0.0005, 0.0001, "clearly below zero"),
        (0.02, 0.001, "raises the accuracy of the KNN model by about 2.0 pp"),
        (-0.0005, 0.0004, "indistinguishable from zero"),
        (-0.0005, np.nan, "cannot be said yet"),
        (np.nan, np.nan, "held out"),
    ],
)
def test_a_value_is_said_in_words(value, stderr, words):
    assert words in effect(value, stderr, Settings())


@pytest.mark.parametrize(
    ("size", "value", "text"),
    [
        (0.2, 0.2149, "21.5 pp"),
        (0.004, -0.00374, "−0.374 pp"),
        (2e-5, -2.13e-5, "−0.00213 pp"),
        (2e-9, -2.13e-9, "−0.0000002 pp"),
        (0.004, -1e-9, "0.000 pp"),
        (0.0, 0.0, "0.00 pp"),
        (0.2, np.nan, "–"),
    ],
)
def test_numbers_are_written_with_their_unit(size, value, text):
    assert Unit.of(size).text(value) == text


def test_an_error_that_is_not_known_is_not_written():
    unit = Unit.of(0.004)
    assert unit.with_error(0.002, 0.0003) == "0.200 ± 0.030 pp"
    assert unit.with_error(0.002, np.nan) == "0.200 pp"


def test_a_value_without_an_error_is_certain():
    assert certainty(-0.1, 0.0) == "clearly below zero"
    assert certainty(0.1, 0.0) == "clearly above zero"
    assert certainty(0.0, 0.0) == "indistinguishable from zero (0.0 standard errors)"
    assert certainty(-0.1, 0.01) == "clearly below zero (10.0 standard errors)"


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0.0123, "1.2 pp"),
        (-0.5, "−50 pp"),
        (0.0000123, "0.0012 pp"),
        (0.0, "0 pp"),
        (np.nan, "0 pp"),
    ],
)
def test_shares_of_accuracy_have_two_digits(share, words):
    assert points(share) == words


def test_a_stopped_pass_and_a_merged_run_are_told():
    pairs = Settings(design="pairs", n_draws=1, most_draws=1, n_seen=40, n_tests=1200)
    assert design_words(pairs).startswith("1 random order of the columns")
    assert design_words(pairs).endswith("test point, 40 of 1,200 test points")
    many = replace(pairs, n_draws=2, most_draws=4, n_seen=0, n_tests=0)
    assert design_words(many).startswith("2 to 4 random orders")
    merged = replace(many, sources=(("a", 0), ("a", 1)))
    assert design_words(merged).endswith(", merged")


@pytest.mark.parametrize("design", DESIGNS)
def test_every_design_has_words(design):
    settings = Settings(design=design, n_draws=1200, most_draws=1200)
    words = design_words(settings)
    assert words
    assert ("(exact)" in words) == settings.is_exact
    said = design_words(settings, plain=True)
    assert "exact" not in said
    assert ("combinations" in said) == settings.is_exact


def test_models_are_called_as_people_call_them():
    named = {name: model_words(Settings(model=name)) for name in MODELS}
    assert named == {
        "knn": "KNN model",
        "tree": "decision tree",
        "logistic": "logistic regression",
        "boosting": "gradient boosting",
    }
    assert model_words(Settings(model="function")) == "your function"
    assert model_words(Settings(model="GaussianNB()")) == "GaussianNB()"
    assert model_words(Settings(model="")) == ""


def test_settings_name_the_weights():
    table = random_table(25, 12, MIXED)
    shapley = cellval.value_cells(table)
    assert shapley.settings.column_weights == "shapley"
    assert "weights" not in design_words(shapley.settings)
    assert cellval.value_cells(table, column_weights="Shapley").values.tobytes() == (
        shapley.values.tobytes()
    )
    banzhaf = cellval.value_cells(table, column_weights="Banzhaf")
    assert banzhaf.settings.column_weights == "banzhaf"
    assert design_words(banzhaf.settings) == (
        "all 8 column subsets (exact), Banzhaf weights along columns"
    )
    beta = cellval.value_cells(table, subsets=3, column_weights="beta( 4.0,.5)")
    assert beta.settings.column_weights == "beta(4, 0.5)"
    assert "Beta(4, 0.5) weights along columns" in design_words(beta.settings)


def test_exact_values_say_what_their_standard_error_is_about():
    settings = cellval.value_cells(random_table(20, 12, MIXED)).settings
    assert end_words(settings) == "all combinations were counted"
    assert "other test rows" in stderr_words(settings, 0.001)
    assert stderr_words(settings, 0.0) == stderr_words(settings, float("nan")) == ""
