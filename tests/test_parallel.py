"""The one driver of long computations."""

import pytest
from cases import bits, random_table

import cellval

MIXED = ["number", "category", "decimal"]


@pytest.mark.parametrize("n_jobs", [0, -2, 2.5, "2"])
def test_impossible_numbers_of_jobs_are_refused(n_jobs):
    with pytest.raises(cellval.InputError, match="n_jobs"):
        cellval.value_cells(random_table(69, 10, MIXED), n_jobs=n_jobs)


def test_all_cores_can_be_asked_for_as_in_scikit_learn():
    table = random_table(69, 10, MIXED)
    assert bits(cellval.value_cells(table, n_jobs=-1)) == bits(
        cellval.value_cells(table, n_jobs=1)
    )
