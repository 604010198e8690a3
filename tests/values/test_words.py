"""Values and how they were made, as people read them."""

import numpy as np
import pytest
from cases import random_table

import cellval
from cellval.values.words import Unit, design_words, effect

MIXED = ["number", "category", "decimal"]


def valued(table, **options):
    return cellval.value_cells(table, **options)


def test_settings_name_the_weights():
    table = random_table(25, 12, MIXED)
    shapley = valued(table)
    assert shapley.settings.column_weights == "shapley"
    assert "weights" not in design_words(shapley.settings)
    assert valued(table, column_weights="Shapley").values.tobytes() == (
        shapley.values.tobytes()
    )
    banzhaf = valued(table, column_weights="Banzhaf")
    assert banzhaf.settings.column_weights == "banzhaf"
    assert design_words(banzhaf.settings) == (
        "all 8 column subsets (exact), Banzhaf weights along columns"
    )
    beta = valued(table, subsets=3, column_weights="beta( 4.0,.5)")
    assert beta.settings.column_weights == "beta(4, 0.5)"
    assert "Beta(4, 0.5) weights along columns" in design_words(beta.settings)


@pytest.mark.parametrize(
    ("value", "stderr", "words"),
    [
        (
            -0.0005,
            0.0001,
            "lowers the accuracy of the KNN model by about 0.050 percent",
        ),
        (-0.0005, 0.0001, "clearly below zero"),
        (0.02, 0.001, "raises the accuracy of the KNN model by about 2.0 percent"),
        (-0.0005, 0.0004, "indistinguishable from zero"),
        (-0.0005, np.nan, "cannot be said yet"),
        (np.nan, np.nan, "held out"),
    ],
)
def test_a_value_is_said_in_words(value, stderr, words):
    assert words in effect(value, stderr)


@pytest.mark.parametrize(
    ("size", "value", "text"),
    [
        (0.2, 0.2149, "21.5 pp"),
        (0.004, -0.00374, "−0.374 pp"),
        (2e-5, -2.13e-5, "−21.3 ppm"),
        (0.004, -1e-9, "0.000 pp"),
        (0.0, 0.0, "0.00 pp"),
    ],
)
def test_numbers_are_written_with_their_unit(size, value, text):
    assert Unit.of(size).text(value) == text
