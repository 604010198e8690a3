import numpy as np


def test_the_short_version_is_well_told(quick, well_told):
    well_told("budgets", quick("budgets"))


def test_numbers_are_means_over_seeds(quick, told):
    made = quick("budgets")
    own = made.points[(made.points["share"] == 0.05) & (made.points["seed"] >= 0)]
    found = own[own["signal"] == "2D-KNN"].groupby("seed")["found_in_200"].first()
    words = "5 % of the cells are outliers: found in the first 200 cells, 2D-KNN"
    assert np.isclose(told(made, words), 100 * found.mean())


def test_no_more_is_found_than_the_first_cells_can_hold(quick):
    points = quick("budgets").points
    assert (points["found_in_200"] <= points["possible_in_200"] + 1e-12).all()
