import numpy as np
import pandas as pd

import cellval
from cellval.experiments.data import read
from cellval.experiments.detection import mean_lines, points_of, scores_of, with_errors
from cellval.validation.curves import detection_curve
from cellval.validation.planting import plant


def test_lines_are_means_over_seeds():
    wrong = np.array([True, False, False, False])
    grid = np.linspace(0, 1, 5)
    curves = [detection_curve(wrong, scores) for scores in ([1, 2, 3, 4], [2, 1, 3, 4])]
    points = pd.concat(
        points_of(curve, grid, signal="value", seed=seed)
        for seed, curve in enumerate(curves)
    )
    line = mean_lines(points)
    assert set(line["line"]) == {"value"}
    np.testing.assert_allclose(line["x"], 100 * grid)
    np.testing.assert_allclose(line["y"], [0, 50, 100, 100, 100])


def test_signals_score_every_cell_of_the_planted_table():
    clean = read("wine", None)
    planted = plant(clean, "cultivar", "times ten", share=0.02)
    table, wrong = with_errors(planted, clean, "Wine")
    values = cellval.value_cells(table, subsets=2 * len(table.features))
    scores = scores_of(table, values, 0)
    assert {own.shape for own in scores.values()} == {wrong.shape}
    assert wrong.sum() == planted.wrong.sum() > 0
    assert detection_curve(wrong, scores["Suspicion"]).auc > 0.9
