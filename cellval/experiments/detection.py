"""Detection curves as points: one line for each share of the cells inspected."""

from typing import Any

import numpy as np
import pandas as pd

from cellval.figures.lines import LineOf
from cellval.validation.curves import Curve

VALUE = "2D-KNN"
CLASS = "2D-KNN within the class"
SUSPICION = "Suspicion"
FLAT = "1D"
LOO = "2D-LOO"
RANDOM = "Random"


def points_of(curve: Curve, grid: np.ndarray, **named: Any) -> pd.DataFrame:
    """The curve at shares inspected, with what names it in columns before."""
    return pd.DataFrame(
        {
            **named,
            "n_cells": curve.n_cells,
            "n_wrong": curve.n_wrong,
            "auc": curve.auc,
            "inspected": grid,
            "found": curve.found_at(grid),
        }
    )


def mean_lines(points: pd.DataFrame, name: str = "signal") -> list[LineOf]:
    """For a figure: means over seeds, a line for each name."""
    lines = []
    for title, own in points.groupby(name, sort=False):
        mean = own.groupby("inspected")["found"].mean()
        lines.append(LineOf(str(title), mean.index.to_numpy(), mean.to_numpy()))
    return lines
