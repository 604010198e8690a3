import numpy as np
import pytest

import cellval
from cellval.experiments import pairs


def test_the_short_version_is_well_told(quick, well_told):
    well_told("pairs", quick("pairs"))


def test_the_pairs_told_are_the_ends_of_all(quick, told):
    made = quick("pairs")
    r = made.points["correlation"]
    words = "alike: correlation of the cells"
    assert told(made, f"the pair most {words}") == r.max()
    assert told(made, f"the pair least {words}") == r.min()


def test_pairs_have_alike_sums_and_no_copies():
    table = cellval.read("sample_data/wine.csv", label="cultivar")
    values = cellval.value_cells(table, subsets=26)
    found = pairs.alike_rows(values)
    a, b = (found[f"{which}row_number"].to_numpy() - 1 for which in ("", "other_"))
    gaps = np.abs(values.row_values[a] - values.row_values[b])
    assert len(found) > 100
    assert (gaps <= np.minimum(values.row_stderr[a], values.row_stderr[b])).all()
    expected = np.corrcoef(values.values[a[-1]], values.values[b[-1]])[0, 1]
    most, *_, least = found["correlation"]
    assert least == pytest.approx(expected)
    assert least < 0 < 0.8 < most
