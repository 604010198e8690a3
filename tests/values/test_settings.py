"""How values were made; files of version 0.1."""

import pytest
from cases import bits, random_table

import cellval

MIXED = ["number", "category", "decimal"]


def valued(table, **options):
    return cellval.value_cells(table, **options)


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
