"""Ages with swapped digits in Census: 17 for 71, 18 for 81, 19 for 91.

The paper's practical case: 15 cells of one column are mistyped, and all cells of the
table are inspected from the lowest value on.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from cellval.errors import InputError
from cellval.experiments import detection
from cellval.experiments.data import read
from cellval.experiments.detection import FLAT, VALUE
from cellval.experiments.result import Number, Reproduction, over_seeds
from cellval.figures.lines import lines_figure
from cellval.table.table import Table
from cellval.validation.curves import Curve, detection_curve, share_needed
from cellval.validation.planting import Planted
from cellval.valuation import value_cells

SWAPS = {17: 71, 18: 81, 19: 91, 71: 17, 81: 18, 91: 19}
LEVEL = 0.8  # of the errors: what the paper counts cells for
LARGE = 5000  # rows from which values are approximate
NEAR = 500  # and how
N_TESTS = 400  # rows that 1D is measured on
GRID = np.linspace(0, 1, 401)


@dataclass(frozen=True)
class AgeSizes:
    """How much is done. 1D trains a tree for every cell and order: on fewer rows."""

    most: int | None = None  # rows of the larger table: all
    few: int = 400  # of the smaller one
    seeds: int = 3  # of that
    flat_rounds: int = 4
    n_swaps: int = 15
    n_jobs: int | None = None  # for 1D: several take long to start


QUICK = AgeSizes(most=600, few=40, seeds=1, flat_rounds=1, n_swaps=8, n_jobs=1)


def swap_ages(frame: pd.DataFrame, n_swaps: int, seed: int) -> Planted:
    """Reverse the digits in some cells of the first column that hold such an age."""
    ages = frame["age"].to_numpy(float)
    positions = np.flatnonzero(np.isin(ages, list(SWAPS)))
    if positions.size < n_swaps:
        raise InputError(
            f"Only {positions.size} rows are 17, 18, 19, 71, 81 or 91 years old, but "
            f"{n_swaps} ages are to be mistyped."
        )
    draw = np.random.default_rng([seed, 5])
    chosen = draw.choice(positions, n_swaps, replace=False)
    new = ages.copy()
    new[chosen] = [SWAPS[int(age)] for age in ages[chosen]]
    planted = frame.copy()
    planted["age"] = new.astype(int)
    wrong = np.zeros((len(frame), frame.shape[1] - 1), bool)
    wrong[chosen, frame.columns.get_loc("age")] = True
    return Planted(planted, wrong)


def subset(
    frame: pd.DataFrame, n_rows: int, n_swaps: int, seed: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Random rows, among them as many of such an age as are to be swapped; others."""
    draw = np.random.default_rng([seed, 6])
    order = draw.permutation(len(frame))
    young_or_old = frame["age"].isin(list(SWAPS)).to_numpy()[order]
    some = order[young_or_old][:n_swaps]
    rest = order[~np.isin(order, some)]
    chosen = np.append(some, rest[: n_rows - n_swaps])
    others = rest[n_rows - n_swaps :][:N_TESTS]
    return frame.iloc[chosen].reset_index(drop=True), frame.iloc[others]


def curves_of(
    frame: pd.DataFrame, seed: int, sizes: AgeSizes, tests: pd.DataFrame | None = None
) -> dict[str, Curve]:
    """The detection curve of every signal on one table; 1D where there are tests."""
    planted = swap_ages(frame, sizes.n_swaps, seed)
    table, wrong = detection.with_errors(planted, frame, "Census")
    m, large = len(table.features), table.n_rows > LARGE
    values = value_cells(
        table,
        subsets=2 * m if large else 8 * m,  # one random order and its reverse, or four
        near=NEAR if large else None,
        random_state=seed,
    )
    scores = detection.scores_of(table, values, seed)
    if tests is not None:
        scores[FLAT] = value_cells(
            table,
            method="flat",
            rounds=sizes.flat_rounds,
            test=Table.from_frame(tests, like=table),
            random_state=seed,
            n_jobs=sizes.n_jobs,
        ).values
    return {name: detection_curve(wrong, own) for name, own in scores.items()}


def run(data: Path | None, quick: bool) -> Reproduction:
    sizes = QUICK if quick else AgeSizes()
    points = measured(read("census", data, sample=quick)[: sizes.most], sizes)
    return Reproduction("age", numbers_of(points, sizes), points, figure_of(points))


def measured(frame: pd.DataFrame, sizes: AgeSizes) -> pd.DataFrame:
    """A detection curve per table, signal and seed; the larger table comes first."""
    parts = []
    tables: list[tuple[pd.DataFrame, int, pd.DataFrame | None]] = [(frame, 0, None)]
    for seed in range(sizes.seeds):
        some, tests = subset(frame, sizes.few, sizes.n_swaps, seed)
        tables.append((some, seed, tests))
    for own, seed, tests in tables:
        for signal, curve in curves_of(own, seed, sizes, tests).items():
            named = {"n_rows": len(own), "signal": signal, "seed": seed}
            needed = round(curve.n_cells * share_needed(curve, LEVEL))
            parts.append(detection.points_of(curve, GRID, **named, cells_for_80=needed))
    return pd.concat(parts, ignore_index=True)


def numbers_of(points: pd.DataFrame, sizes: AgeSizes) -> list[Number]:
    found = [
        Number("ages with swapped digits", sizes.n_swaps, "", "15"),
        Number("random orders of 1D", sizes.flat_rounds, "", "500"),
        Number("seeds of the smaller table", sizes.seeds),
    ]
    paper = {VALUE: "fewer than 1,800", FLAT: "4 times as many as 2D"}
    curves = points.drop_duplicates(["n_rows", "signal", "seed"])
    means = {}
    for (n_rows, n_cells), own in curves.groupby(["n_rows", "n_cells"], sort=False):
        where = f"{n_rows:,} rows, {n_cells:,} cells"
        if n_rows > LARGE:
            found.append(Number(f"{where}: the option near", NEAR, "rows"))
        for signal, needed in own.groupby("signal", sort=False)["cells_for_80"]:
            words = f"{where}: to inspect for 80 % of the ages, {signal}"
            found.append(over_seeds(words, needed, "cells", paper.get(signal, "")))
            means[n_rows, signal] = float(needed.mean())
    few = curves["n_rows"].min()
    ratio = means[few, FLAT] / means[few, VALUE]
    found.append(Number(f"{few:,} rows: cells of 1D / cells of 2D-KNN", ratio, "", "4"))
    return found


def figure_of(points: pd.DataFrame) -> go.Figure:
    titled = points.assign(title=points["n_cells"].map("{:,} cells".format))
    return lines_figure(
        detection.mean_lines(titled, panel="title"),
        x="% of cells inspected, lowest first",
        y="% of swapped ages found",
    )
