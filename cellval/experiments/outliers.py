"""Outliers in 2 % of the cells of Breast Cancer: what each order of inspection finds.

The paper's outlier localization: values that are rare within the row's class are
planted into the training rows, cells are valued on test rows, and inspected from the
lowest value on.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from cellval.experiments import detection
from cellval.experiments.data import read
from cellval.experiments.detection import FLAT, LOO, VALUE
from cellval.experiments.result import Number, Reproduction, over_seeds
from cellval.figures.lines import lines_figure
from cellval.table.table import Table
from cellval.validation.curves import Curve, detection_curve, share_needed
from cellval.validation.planting import plant
from cellval.valuation import value_cells

SHARE = 0.02
FIRST = 0.05  # of the cells: where the paper counts what is found
KIND = "low density"
BENIGN = "2"  # in the file; 4 is malignant
GRID = np.linspace(0, 1, 201)  # shares inspected at which curves are kept
ONLY = "2D-KNN, benign rows only"
REST = "2D-KNN, malignant rows only"


@dataclass(frozen=True)
class OutlierSizes:
    """How much is done; the paper has 242 and 241 rows, and 500 orders for 1D."""

    n_train: int = 242
    n_test: int = 241
    seeds: int = 10
    flat_seeds: int = 3  # 1D and leave-one-out train a tree for every cell
    flat_rounds: int = 10
    n_jobs: int | None = None  # for both: several take long to start


QUICK = OutlierSizes(90, 90, seeds=2, flat_seeds=1, flat_rounds=1, n_jobs=1)


@dataclass(frozen=True, eq=False)
class Case:
    """Training rows with errors, clean test rows, and which cells are wrong."""

    table: Table
    test: Table
    wrong: np.ndarray


def make_case(
    frame: pd.DataFrame, share: float, seed: int, sizes: OutlierSizes
) -> Case:
    """Draw training and test rows, and plant errors into the training rows."""
    rows = np.random.default_rng([seed, 3]).permutation(len(frame))
    train = frame.iloc[rows[: sizes.n_train]].reset_index(drop=True)
    test = frame.iloc[rows[sizes.n_train :][: sizes.n_test]]
    label = str(frame.columns[-1])
    planted = plant(train, label, KIND, share=share, random_state=seed)
    table, wrong = detection.with_errors(planted, frame, "Breast Cancer")
    return Case(table, Table.from_frame(test, like=table), wrong)


def curves_of(case: Case, sizes: OutlierSizes, seed: int) -> dict[str, Curve]:
    """The detection curve of every signal."""
    values = value_cells(case.table, test=case.test, random_state=seed)
    scores = detection.scores_of(case.table, values, seed)
    if seed < sizes.flat_seeds:
        for name, method, rounds in (
            (FLAT, "flat", sizes.flat_rounds),
            (LOO, "loo", None),
        ):
            scores[name] = value_cells(
                case.table,
                method=method,
                rounds=rounds,
                test=case.test,
                random_state=seed,
                n_jobs=sizes.n_jobs,
            ).values
    curves = {name: detection_curve(case.wrong, s) for name, s in scores.items()}
    benign = np.array([case.table.classes[k] == BENIGN for k in case.table.y])
    for name, rows in ((ONLY, benign), (REST, ~benign)):
        if case.wrong[rows].any():
            curves[name] = detection_curve(case.wrong[rows], values.values[rows])
    return curves


def run(data: Path | None, quick: bool) -> Reproduction:
    sizes = QUICK if quick else OutlierSizes()
    points = measured(read("breast_cancer", data, sample=quick), sizes)
    return Reproduction(
        "outliers", numbers_of(points, sizes), points, figure_of(points)
    )


def measured(frame: pd.DataFrame, sizes: OutlierSizes) -> pd.DataFrame:
    """A detection curve per signal and seed."""
    parts = []
    for seed in range(sizes.seeds):
        case = make_case(frame, SHARE, seed, sizes)
        for signal, curve in curves_of(case, sizes, seed).items():
            named = {"signal": signal, "seed": seed}
            named["needed_for_90"] = share_needed(curve, 0.9)
            named["needed_for_all"] = share_needed(curve, 1.0)
            parts.append(detection.points_of(curve, GRID, **named))
    return pd.concat(parts, ignore_index=True)


def numbers_of(points: pd.DataFrame, sizes: OutlierSizes) -> list[Number]:
    first = points[np.isclose(points["inspected"], FIRST)].set_index("signal")
    planted, words = first.loc[[VALUE], "n_wrong"], f"{100 * SHARE:.0f} % of the cells"
    found = [
        Number("training rows", sizes.n_train, "", "242"),
        Number("test rows", sizes.n_test, "", "241"),
        over_seeds(f"outliers in {words}", planted, "", "50"),
        Number("seeds", sizes.seeds),
        Number("seeds of 1D and 2D-LOO", sizes.flat_seeds),
        Number("random orders of 1D", sizes.flat_rounds, "", "500"),
    ]
    for signal, own in first.groupby(level=0, sort=False):
        words = f"outliers found in the first {100 * FIRST:.0f} % of cells, {signal}"
        paper = "90 %" if signal in (VALUE, ONLY) else ""
        found.append(over_seeds(words, 100 * own["found"], "%", paper))
    most = 100 * first.loc[[VALUE], "needed_for_90"]
    every = 100 * first.loc[[FLAT], "needed_for_all"]
    words = "cells to inspect for"
    return [
        *found,
        over_seeds(f"{words} 90 % of the outliers, {VALUE}", most, "%"),
        over_seeds(f"{words} all outliers, {FLAT}", every, "%", "over 90 %"),
    ]


def figure_of(points: pd.DataFrame) -> go.Figure:
    return lines_figure(
        detection.mean_lines(points[points["signal"] != REST]),
        x="% of cells inspected, lowest first",
        y="% of outliers found",
    )
