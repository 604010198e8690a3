import numpy as np
import pandas as pd
import pytest

from cellval.experiments.convergence import at_error, slope


def test_the_short_version_is_well_told(quick, well_told):
    made = quick("convergence")
    well_told("convergence", made)
    assert (made.points["error"] > 0).all()


def test_errors_fall_with_evaluations(quick):
    for _, own in quick("convergence").points.groupby(["game", "estimator"]):
        assert slope(own) < -0.1


def test_slopes_and_crossings_of_a_curve_of_errors():
    x = np.array([10.0, 100.0, 1000.0])
    curve = pd.DataFrame({"evaluations": x, "error": x**-0.5})
    assert slope(curve) == pytest.approx(-0.5)
    assert at_error(curve, 40**-0.5) == pytest.approx(40)
    assert at_error(curve, 1e5**-0.5) == pytest.approx(1e5)
