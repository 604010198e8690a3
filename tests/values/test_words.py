"""Values and how they were made, as people read them."""

from cases import random_table

import cellval
from cellval.values.words import design_words

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
