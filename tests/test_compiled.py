"""How functions are compiled, and where that is kept."""

from cases import random_table

import cellval
from cellval.knn.cell_values import permutations


def test_every_kernel_is_compiled_once():
    table = random_table(67, 30, ["number"] * 6, levels=9)
    before = len(permutations.signatures)
    cellval.value_cells(table, subsets=12)
    cellval.value_cells(table, subsets=24)
    assert len(permutations.signatures) <= max(before, 1)
