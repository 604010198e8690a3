"""What experiments with planted errors share: signals, and detection curves as points.

A point is the share of errors found when a share of all cells was inspected.
"""

from typing import Any

import numpy as np
import pandas as pd

from cellval.experiments.data import table_of
from cellval.table.table import Table
from cellval.validation.curves import Curve
from cellval.validation.planting import Planted
from cellval.validation.signals import chance, suspicion_of, within_class
from cellval.values.result import CellValues

VALUE = "2D-KNN"
CLASS = "2D-KNN within the class"
SUSPICION = "Suspicion"
FLAT = "1D"
LOO = "2D-LOO"
RANDOM = "Random"


def with_errors(
    planted: Planted, clean: pd.DataFrame, name: str
) -> tuple[Table, np.ndarray]:
    """The planted frame as a table, and which cells of its features are wrong."""
    table = table_of(planted.frame, clean, name)
    used = [clean.columns.get_loc(column) for column in table.feature_names]
    return table, planted.wrong[:, used]


def scores_of(table: Table, values: CellValues, seed: int) -> dict[str, np.ndarray]:
    """By signal, a score of every cell; lower is worse."""
    return {
        VALUE: values.values,
        CLASS: within_class(values),
        SUSPICION: suspicion_of(table, values, random_state=seed),
        RANDOM: chance(values.values.shape, seed),
    }


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


def mean_lines(
    points: pd.DataFrame, line: str = "signal", panel: str | None = None
) -> pd.DataFrame:
    """For `lines_figure`: means over seeds in %, by what names lines and panels."""
    named = points.assign(line=points[line], panel=points[panel] if panel else "")
    key = ["panel", "line", "inspected"]
    means = named.groupby(key, sort=False, as_index=False)["found"].mean()
    return means.assign(x=100 * means["inspected"], y=100 * means["found"])
