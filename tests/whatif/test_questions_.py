"""x"""

import pytest
from cases import random_table

import cellval

MIXED = ["number", "category", "decimal"]


def valued(table, **options):
    return cellval.value_cells(table, **options)


def test_what_if_speaks_of_shapley_values_only():
    from cellval.whatif.questions import what_if

    table = random_table(28, 12, MIXED)
    values = valued(table, column_weights="banzhaf")
    with pytest.raises(cellval.InputError, match="made with Banzhaf weights"):
        what_if(table, values, 1, {"c0": "1"})
