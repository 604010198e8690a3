from dataclasses import replace

import numpy as np
import pandas as pd

from cellval.experiments import removal
from cellval.experiments.data import read
from cellval.experiments.removal import HIGHEST, LOWEST, MAIN, PROTOCOLS


def test_the_short_version_is_well_told(quick, well_told):
    well_told("removal", quick("removal"))


def test_a_gain_is_what_removing_the_lowest_cells_does(quick, told):
    made = quick("removal")
    own = made.points.query("method == '2D-KNN' and order == 'lowest first'")
    own = own.query("table == 'wine' and refill == 'draw'").set_index("removed")
    gain = 100 * (own.loc[0.2, "accuracy"] - own.loc[0.0, "accuracy"])
    words = "2D-KNN, lowest 20 % removed, other rows, drawn refill: Wine"
    assert np.isclose(told(made, words), gain)


def made_up(levels, tables=("wine", "census"), seeds=2):
    """Points of curves that stay at these accuracies by method; 1D has one seed."""
    return pd.DataFrame(
        [
            (table, *MAIN, method, order, seed, removed, level + 0.1 * seed)
            for table in tables
            for method, level in levels.items()
            for order in (LOWEST, HIGHEST)
            for seed in range(1 if method == "1D" else seeds)
            for removed in (0.0, 0.2, 0.5, 1.0)
        ],
        columns=[*removal.CURVE, "removed", "accuracy"],
    )


def test_a_method_is_compared_with_a_random_order_of_the_same_seeds():
    points = made_up({"2D-KNN": 0.7, "1D": 0.65, "Random": 0.6})
    above = removal.above_random(removal.by_curve(points))
    for method, expected in (("2D-KNN", 10.0), ("1D", 5.0), ("Random", 0.0)):
        for order in (LOWEST, HIGHEST):
            np.testing.assert_allclose(above.loc[(*MAIN, method, order)], expected)


def test_means_of_half_a_curve_and_of_all_are_areas():
    points = made_up({"2D-KNN": 0.0}, tables=("wine",), seeds=1)
    points["accuracy"] = points["removed"]
    curves = removal.by_curve(points)
    np.testing.assert_allclose(
        curves[["gain", "best", "half", "all"]], [[20.0, 100.0, 25.0, 50.0]] * 2
    )


def test_only_the_rows_and_the_refill_tell_the_protocols_apart():
    frame = read("wine", None, sample=True)
    sizes = replace(removal.QUICK, mc_seeds=0, flat_seeds=0)
    counts = removal.RowCounts(30, 40, 108)
    found, again = (removal.curves_of(frame, counts, sizes, 0, 2) for _ in range(2))
    key = ("2D-KNN", LOWEST)
    main, same, drawn = (found[protocol, *key] for protocol in PROTOCOLS)
    assert main.hits.shape[1] == drawn.hits.shape[1] == 108
    assert same.hits.shape[1] == 40
    np.testing.assert_array_equal(main.hits[0], drawn.hits[0])  # nothing removed yet
    assert (main.hits != drawn.hits).any()
    for name, curve in found.items():
        np.testing.assert_array_equal(curve.hits, again[name].hits)
