"""A table before and after a repair, as one."""

import numpy as np
import pytest
from cases import clean_frame, random_table

from cellval import InputError, Table
from cellval.repairs.versions import versions_of


def table_of(frame):
    return Table.from_frame(frame, label="y")


@pytest.fixture(scope="module")
def clean():
    return table_of(clean_frame())


def test_rows_carry_the_cells_of_their_version(clean):
    after = clean.with_cells(
        {(4, "x"): "7.5", (5, "tone"): "a new one", (6, "y"): "maybe", (7, "z"): "?"},
        drop=[1],
    )
    versions = versions_of(clean, after)
    x, z, tone = versions.X.T
    assert versions.old.tolist()[:4] == [1, 4, 5, 6]
    new = dict(zip(versions.rows.row_numbers[versions.new], versions.new, strict=True))
    assert x[new[5]] == 7.5
    assert x[4] == clean.features[0].numbers[4]
    assert versions.rows.features[2].categories[int(tone[new[6]])] == "a new one"
    assert versions.rows.classes[versions.rows.y[new[7]]] == "maybe"
    assert versions.rows.classes[versions.rows.y[6]] == clean.classes[clean.y[6]]
    assert np.isnan(z[new[8]])


def test_only_touched_rows_are_there_twice(clean):
    after = clean.with_cells({(4, "x"): "7.5"}, drop=[1, 2])
    versions = versions_of(clean, after)
    assert versions.old.tolist() == [1, 2, 4]
    assert versions.rows.n_rows == clean.n_rows + 1
    assert versions.new.tolist() == [clean.n_rows]
    assert np.array_equal(
        np.sort(np.concatenate([versions.untouched, versions.old])),
        np.arange(clean.n_rows),
    )
    assert versions.is_category.tolist() == [False, False, True]


def test_tables_that_do_not_belong_together_are_refused(clean):
    with pytest.raises(InputError, match="no repaired version"):
        versions_of(clean, random_table(0, 20, ["number"]))
    with pytest.raises(InputError, match="Nothing was changed"):
        versions_of(clean, clean)
