"""More and more outliers in Breast Cancer: does their number hide them?

The paper's ablation: 1, 2, 5, 10 and 15 % of the cells, and how many are found among
the first 200 cells.
"""

from pathlib import Path

import pandas as pd
import plotly.graph_objects as go

from cellval.experiments.data import read
from cellval.experiments.detection import SUSPICION, VALUE, mean_lines, points_of
from cellval.experiments.outliers import GRID, QUICK, OutlierSizes, make_case
from cellval.experiments.result import Number, Reproduction, over_seeds
from cellval.figures.lines import lines_figure
from cellval.validation.curves import detection_curve
from cellval.validation.signals import suspicion_of
from cellval.valuation import value_cells

SHARES = (0.01, 0.02, 0.05, 0.10, 0.15)
FIRST = 200  # cells that the paper speaks of


def run(data: Path | None, quick: bool) -> Reproduction:
    sizes = QUICK if quick else OutlierSizes()
    points = measured(read("breast_cancer", data, sample=quick), sizes)
    return Reproduction("budgets", numbers_of(points, sizes), points, figure_of(points))


def measured(frame: pd.DataFrame, sizes: OutlierSizes) -> pd.DataFrame:
    """A detection curve per share of outliers, signal and seed."""
    parts = []
    for share in SHARES:
        for seed in range(sizes.seeds):
            case = make_case(frame, share, seed, sizes)
            values = value_cells(case.table, test=case.test)
            scores = {
                VALUE: values.values,
                SUSPICION: suspicion_of(case.table, values, random_state=seed),
            }
            for signal, own in scores.items():
                curve = detection_curve(case.wrong, own)
                first = min(1.0, FIRST / curve.n_cells)
                named = {"share": share, "signal": signal, "seed": seed}
                named["found_in_200"] = float(curve.found_at(first))
                named["possible_in_200"] = min(1.0, FIRST / curve.n_wrong)
                parts.append(points_of(curve, GRID, **named))
    return pd.concat(parts, ignore_index=True)


def numbers_of(points: pd.DataFrame, sizes: OutlierSizes) -> list[Number]:
    n_cells = int(points["n_cells"].iloc[0])
    found = [
        Number("training rows", sizes.n_train, "", "242"),
        Number("cells", n_cells),
        Number(f"{FIRST} cells are", 100 * FIRST / n_cells, "% of all", str(FIRST)),
        Number("seeds", sizes.seeds),
    ]
    curves = points.drop_duplicates(["share", "signal", "seed"])
    for share, of_share in curves.groupby("share"):
        own = of_share.set_index("signal")
        where = f"{100 * share:.0f} % of the cells are outliers"
        found.append(over_seeds(f"{where}: how many", own.loc[[VALUE], "n_wrong"]))
        for signal, paper in ((VALUE, "'very high'"), (SUSPICION, "")):
            words = f"{where}: found in the first {FIRST} cells, {signal}"
            shares = 100 * own.loc[[signal], "found_in_200"]
            found.append(over_seeds(words, shares, "%", paper))
        most = 100 * own.loc[[VALUE], "possible_in_200"].mean()
        found += [
            Number(f"{where}: {FIRST} cells can hold at most", most, "%"),
            Number(f"{where}: ROC AUC of 2D-KNN", own.loc[[VALUE], "auc"].mean()),
        ]
    return found


def figure_of(points: pd.DataFrame) -> go.Figure:
    n_cells = int(points["n_cells"].iloc[0])
    titled = points.assign(title=points["share"].map("{:.0%} of the cells".format))
    lines = mean_lines(titled, "title", "signal")
    lines["x"] = n_cells * lines["inspected"]
    return lines_figure(
        lines, x=f"cells inspected, of {n_cells:,}", y="% of outliers found"
    )
