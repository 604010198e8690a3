import numpy as np

from cellval.experiments import outliers
from cellval.experiments.data import read


def test_the_short_version_is_well_told(quick, well_told):
    made = quick("outliers")
    well_told("outliers", made)
    assert np.isfinite(made.points.select_dtypes("number").to_numpy()).all()


def test_numbers_are_means_over_seeds(quick, told):
    made = quick("outliers")
    own = made.points[np.isclose(made.points["inspected"], 0.05)]
    words = "outliers found in the first 5 % of cells, "
    for signal in ("2D-KNN", "Suspicion", "2D-LOO"):
        found = own.loc[own["signal"] == signal, "found"]
        assert np.isclose(told(made, words + signal), 100 * found.mean())


def test_a_case_knows_its_errors():
    frame = read("breast_cancer", None, sample=True)
    sizes = outliers.OutlierSizes(90, 60)
    case = outliers.make_case(frame, 0.02, 0, sizes)
    again = outliers.make_case(frame, 0.02, 0, sizes)
    assert case.table.fingerprint == again.table.fingerprint
    assert case.table.n_rows == 90 and case.test.n_rows == 60
    assert 5 < case.wrong.sum() <= round(0.02 * 90 * 9)
    other = outliers.make_case(frame, 0.02, 1, sizes)
    assert case.table.fingerprint != other.table.fingerprint
