"""Accuracy as cells go, highest or lowest value first: do values mean anything?

The paper's sanity check of values. Cells of the training rows are refilled with the
mean of the others in their column, and a decision tree is trained on what is left.
Unlike in the paper, the rows that the tree is measured on are not those that gave the
values. Two more settings ask what that does to the curves, and what the mean does: a
constant that stands in one class only is something that a tree can learn.
"""

from collections.abc import Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

import cellval
from cellval.experiments.data import SOURCES, read, table_of
from cellval.experiments.removalwords import (
    CLASS,
    DRAWN,
    HIGHEST,
    LOWEST,
    MAIN,
    NAMES,
    RANDOM,
    SETTINGS,
    SHARED,
    Curves,
    Setting,
    lines,
    verdict,
)
from cellval.experiments.result import Result
from cellval.experiments.wording import listed, seeds_words
from cellval.figures.lines import LineOf, lines_figure
from cellval.table.table import Table
from cellval.validation.curves import Removal, order_of, removal_curve
from cellval.validation.signals import within_class

METHODS = {
    "2D-KNN": "knn",
    "2D-MC": "mc",
    "1D": "flat",
    "2D-LOO": "loo",
    "Random": "random",
}
BESIDE = ("2D-KNN", CLASS, "2D-MC", RANDOM)  # in the other settings


@dataclass(frozen=True)
class Size:
    """Rows to train on, to value on, and to measure on."""

    train: int
    value: int
    test: int


@dataclass(frozen=True)
class Plan:
    """Sizes. The paper trains on all rows and takes 500 random orders."""

    sizes: Mapping[str, Size] = field(
        default_factory=lambda: {
            "census": Size(200, 300, 2000),
            "credit": Size(200, 300, 2000),
            "breast_cancer": Size(242, 120, 321),
            "heart": Size(150, 75, 77),
            "wine": Size(80, 40, 58),
        }
    )
    seeds: int = 5
    # 2D-MC grows a tree for every cell and order, 1D by scikit-learn: fewer of them
    mc_seeds: int = 2
    flat_seeds: int = 1
    mc_rounds: int = 60
    flat_rounds: int = 2
    steps: int = 20
    trees: int = 3
    executor: Executor | None = None


QUICK = Plan(
    sizes={"wine": Size(30, 40, 108), "breast_cancer": Size(40, 60, 200)},
    seeds=1,
    mc_seeds=1,
    mc_rounds=2,
    flat_rounds=1,
    steps=5,
    trees=1,
)


def run(data: Path | None, quick: bool) -> Result:
    """The experiment; see `cellval.experiments`."""
    if quick:
        with ThreadPoolExecutor(1) as threads:  # processes would take long to start
            return _run(None, replace(QUICK, executor=threads), sample=True)
    return _run(data, Plan(), sample=False)


def _run(data: Path | None, plan: Plan, *, sample: bool) -> Result:
    curves = Curves(tuple(plan.sizes))
    for name, size in plan.sizes.items():
        frame = read(name, data, sample=sample)
        if name == "heart":  # every row is in the file three times or so
            frame = frame.drop_duplicates(ignore_index=True)
        for seed in range(plan.seeds):
            for key, curve in curves_of(frame, size, plan, seed).items():
                curves.known.setdefault((name, *key), []).append(curve)
    rows = [
        {
            "table": name,
            "protocol": setting.protocol,
            "refill": setting.refill,
            "method": method,
            "order": way,
            "seed": seed,
            "removed": x,
            "accuracy": y,
        }
        for (name, setting, method, way), own in curves.known.items()
        for seed, curve in enumerate(own)
        for x, y in zip(curve.removed, curve.accuracy, strict=True)
    ]
    text = f"{_setup(plan)} {verdict(curves)}"
    return Result("removal", pd.DataFrame(rows), _figure(curves), text, lines(curves))


def curves_of(
    frame: pd.DataFrame, size: Size, plan: Plan, seed: int
) -> dict[tuple[Setting, str, str], Removal]:
    """Removal curves by setting, method and direction, on one draw of rows."""
    train, value, test = _tables(frame, size, seed)
    curves = {}
    for name, scores in _scores(train, value, plan, seed).items():
        for setting in SETTINGS if name in BESIDE else (MAIN,):
            for way in (LOWEST, HIGHEST):
                curves[setting, name, way] = removal_curve(
                    train,
                    value if setting == SHARED else test,
                    order_of(scores, highest_first=way == HIGHEST, seed=seed),
                    shares=np.linspace(0, 1, plan.steps + 1),
                    trees=plan.trees,
                    refill=setting.refill,
                )
    return curves


def _scores(train: Table, value: Table, plan: Plan, seed: int) -> dict[str, np.ndarray]:
    """Of every method that has that seed, a score for each cell."""
    seeds = {"mc": plan.mc_seeds, "flat": plan.flat_seeds}
    scores = {}
    for name, method in METHODS.items():
        if seed >= seeds.get(method, plan.seeds):
            continue
        options = _options(method, plan, len(train.features))
        if method != "random":
            options["test"] = value
        values = cellval.value_cells(
            train,
            method=method,
            random_state=seed,
            executor=plan.executor,
            **options,
        )
        scores[name] = values.values
        if method == "knn":
            scores[CLASS] = within_class(values)
    return scores


def _options(method: str, plan: Plan, n_columns: int) -> dict[str, Any]:
    if method == "knn":
        return {"subsets": "auto" if n_columns < 10 else 16 * n_columns}
    rounds = {"mc": plan.mc_rounds, "flat": plan.flat_rounds}
    return {"rounds": rounds[method]} if method in rounds else {}


def _tables(frame: pd.DataFrame, size: Size, seed: int) -> tuple[Table, Table, Table]:
    """Random rows to train on, to value on and to measure on."""
    rows = np.random.default_rng([seed, 4]).permutation(len(frame))
    ends = np.cumsum([size.train, size.value, size.test])
    parts = [frame.iloc[own] for own in np.split(rows, ends)[:3]]
    train = table_of(parts[0].reset_index(drop=True), frame)
    rest = (
        Table.from_frame(own.reset_index(drop=True), like=train) for own in parts[1:]
    )
    return (train, *rest)  # type: ignore[return-value] # there are two


def _figure(curves: Curves) -> go.Figure:
    """A row of panels for each direction, and for the lowest first in each setting."""
    rows = {
        LOWEST: (MAIN, LOWEST),
        HIGHEST: (MAIN, HIGHEST),
        "lowest, same rows": (SHARED, LOWEST),
        "lowest, drawn": (DRAWN, LOWEST),
    }
    panels = {
        f"{SOURCES[name].title}, {words}": [
            _line(method, curves.known[name, setting, method, way])
            for method in (NAMES if setting == MAIN else BESIDE)
        ]
        for words, (setting, way) in rows.items()
        for name in curves.tables
    }
    return lines_figure(
        panels,
        x="% of cells removed",
        y="accuracy in %",
        columns=len(curves.tables),
    )


def _line(name: str, curves: list[Removal]) -> LineOf:
    mean = np.mean([curve.accuracy for curve in curves], axis=0)
    return LineOf(name, curves[0].removed, mean)


def _setup(plan: Plan) -> str:
    rows = listed(f"{SOURCES[n].title} {s.train}" for n, s in plan.sizes.items())
    return (
        "Trees are trained with removed cells refilled by their column's mean, and "
        f"measured on other rows than gave the values; {seeds_words(plan.seeds)}. Cut "
        f"from up to 32,561 rows and 500 orders: {rows} rows, 2D-MC {plan.mc_rounds} "
        f"orders ({seeds_words(plan.mc_seeds)}), 1D {plan.flat_rounds} "
        f"({seeds_words(plan.flat_seeds)})."
    )
