import numpy as np
import pandas as pd
import pytest

import cellval
from cellval.experiments import age
from cellval.experiments.data import read


def test_the_short_version_is_well_told(quick, well_told):
    well_told("age", quick("age"))


def test_1d_is_compared_with_2d_on_the_smaller_table(quick, told):
    made = quick("age")
    words = "40 rows, 560 cells: to inspect for 80 % of the ages, "
    ratio = told(made, f"{words}1D") / told(made, f"{words}2D-KNN")
    assert np.isclose(told(made, "40 rows: cells of 1D / cells of 2D-KNN"), ratio)
    own = made.points[(made.points["n_rows"] == 600) & (made.points["seed"] == 0)]
    assert "1D" not in set(own["signal"])


def test_ages_are_mistyped_and_nothing_else():
    frame = read("census", None, sample=True)
    planted = age.swap_ages(frame, 15, 0)
    was, now = frame["age"], planted.frame["age"]
    changed = (was != now).to_numpy()
    assert changed.sum() == planted.wrong.sum() == 15
    np.testing.assert_array_equal(changed, planted.wrong[:, 0])
    assert set(zip(was[changed], now[changed], strict=True)) <= set(age.SWAPS.items())
    pd.testing.assert_frame_equal(
        planted.frame.drop(columns="age"), frame.drop(columns="age")
    )
    with pytest.raises(cellval.InputError, match="15 ages are to be mistyped"):
        age.swap_ages(frame.head(20), 15, 0)


def test_a_subset_has_enough_ages_to_mistype_and_other_rows_to_test_on():
    frame = read("census", None, sample=True)
    frame["fnlwgt"] = np.arange(len(frame))
    some, others = age.subset(frame, 40, 15, 1)
    assert len(some) == 40 and some["age"].isin(list(age.SWAPS)).sum() >= 15
    assert not set(some["fnlwgt"]) & set(others["fnlwgt"])
