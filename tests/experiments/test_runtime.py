import numpy as np
import pandas as pd

from cellval.experiments.runtime import ERROR, at_equal_error


def test_the_short_version_is_well_told(quick, well_told):
    made = quick("runtime")
    well_told("runtime", made)
    assert (made.points["error"] <= ERROR).all()
    assert (made.points[["seconds", "core_seconds"]] > 0).to_numpy().all()


def test_four_times_the_permutations_halve_the_error_of_algorithm_2():
    found = at_equal_error(
        pd.DataFrame(
            {
                "error": [0.1],
                "core_seconds": [2.0],
                "plain_seconds_each": [5.0],
                "plain_error": [0.2],
                "plain_error_ties": [0.4],
            }
        )
    ).iloc[0]
    np.testing.assert_allclose(found[["needed", "needed_ties"]].tolist(), [4, 16])
    np.testing.assert_allclose(found["plain_seconds"], 4 * 5.0)
    np.testing.assert_allclose(found["plain_seconds_ties"], 16 * 5.0)
    np.testing.assert_allclose(found[["times", "times_ties"]].tolist(), [10, 40])
