"""Which subsets each test point sees, split into work items."""

import pytest
from cases import random_table

import cellval
from cellval.knn.plan import ALL, make_plan
from cellval.values.words import design_words

MIXED = ["number", "category", "decimal"]


def test_auto_takes_all_subsets_where_that_is_cheapest_and_says_so():
    small = cellval.value_cells(random_table(15, 20, MIXED))
    assert "all 8 column subsets (exact)" in design_words(small.settings)
    assert make_plan(241, 9, 242).n_pairs == ALL
    assert make_plan(32561, 14, 32561).n_pairs == 1
    sampled = cellval.value_cells(random_table(15, 20, MIXED * 2), subsets=12)
    assert "fresh for every test point" in design_words(sampled.settings)


# ---- running


def test_all_subsets_of_too_many_columns_are_refused():
    with pytest.raises(cellval.InputError, match="too many"):
        cellval.value_cells(random_table(45, 10, ["number"] * 21), subsets="all")
