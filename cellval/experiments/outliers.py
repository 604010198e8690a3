"""Outliers in 2 % of the cells of Breast Cancer: what each order of inspection finds.

The paper's outlier localization: values that are rare within the row's class are
planted into the training rows, cells are valued on test rows, and inspected from the
lowest value on.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import cellval
from cellval.experiments.data import read, table_of
from cellval.experiments.result import Line, Result
from cellval.experiments.wording import orders_words, percent, seeds_words, spread
from cellval.figures.lines import LineOf, lines_figure
from cellval.table.table import Table
from cellval.validation.curves import Curve, detection_curve, share_needed
from cellval.validation.planting import plant
from cellval.validation.signals import chance, suspicion_of, within_class

SHARE = 0.02
KIND = "low density"
BENIGN = "2"  # in the file; 4 is malignant
GRID = np.linspace(0, 1, 201)  # shares inspected at which curves are kept

VALUE = "2D-KNN"
CLASS = "2D-KNN within the class"
ONLY = "2D-KNN, benign rows only"
REST = "2D-KNN, malignant rows only"
FLAT = "1D"
LOO = "2D-LOO"
RANDOM = "Random"
SUSPICION = "Suspicion"


@dataclass(frozen=True)
class Plan:
    """Sizes of the experiment; the paper's are 242 and 241 rows, 500 orders for 1D."""

    n_train: int = 242
    n_test: int = 241
    seeds: int = 10
    flat_seeds: int = 3  # 1D and leave-one-out train a tree for every cell
    flat_rounds: int = 10
    executor: Executor | None = None  # for both


QUICK = Plan(n_train=90, n_test=90, seeds=2, flat_seeds=1, flat_rounds=1)


@dataclass(frozen=True, eq=False)
class Case:
    """Training rows with errors, clean test rows, and which cells are wrong."""

    table: Table
    test: Table
    wrong: np.ndarray


def make_case(
    frame: pd.DataFrame, share: float, seed: int, n_train: int, n_test: int
) -> Case:
    """Draw training and test rows, and plant errors into the training rows."""
    rows = np.random.default_rng([seed, 3]).permutation(len(frame))
    train = frame.iloc[rows[:n_train]].reset_index(drop=True)
    test = frame.iloc[rows[n_train : n_train + n_test]]
    label = str(frame.columns[-1])
    planted = plant(train, label, KIND, share=share, random_state=seed)
    table = table_of(planted.frame, frame, "Breast Cancer")
    used = [train.columns.get_loc(name) for name in table.feature_names]
    return Case(table, Table.from_frame(test, like=table), planted.wrong[:, used])


def curves_of(case: Case, plan: Plan, seed: int) -> dict[str, Curve]:
    """The detection curve of every signal."""
    values = cellval.value_cells(case.table, test=case.test, random_state=seed)
    scores = {
        VALUE: values.values,
        CLASS: within_class(values),
        SUSPICION: suspicion_of(case.table, values, random_state=seed),
        RANDOM: chance(case.wrong.shape, seed),
    }
    if seed < plan.flat_seeds:
        for name, method in ((FLAT, "flat"), (LOO, "loo")):
            options: dict[str, Any] = (
                {"rounds": plan.flat_rounds} if method == "flat" else {}
            )
            scores[name] = cellval.value_cells(
                case.table,
                method=method,
                test=case.test,
                random_state=seed,
                executor=plan.executor,
                **options,
            ).values
    curves = {name: detection_curve(case.wrong, s) for name, s in scores.items()}
    benign = np.array([case.table.classes[k] == BENIGN for k in case.table.y])
    for name, rows in ((ONLY, benign), (REST, ~benign)):
        if case.wrong[rows].any():
            curves[name] = detection_curve(case.wrong[rows], values.values[rows])
    return curves


def run(data: Path | None, quick: bool) -> Result:
    """The experiment; see `cellval.experiments`."""
    frame = read("breast_cancer", data, sample=quick)
    if quick:
        with ThreadPoolExecutor(1) as threads:  # processes would take long to start
            return _run(frame, replace(QUICK, executor=threads))
    return _run(frame, Plan())


def _run(frame: pd.DataFrame, plan: Plan) -> Result:
    curves: dict[str, list[Curve]] = defaultdict(list)
    for seed in range(plan.seeds):
        case = make_case(frame, SHARE, seed, plan.n_train, plan.n_test)
        for name, curve in curves_of(case, plan, seed).items():
            curves[name].append(curve)
    names = (VALUE, CLASS, ONLY, REST, SUSPICION, FLAT, LOO, RANDOM)
    curves = {name: curves[name] for name in names}
    lines = [LineOf(n, GRID, _mean(c)) for n, c in curves.items() if n != REST]
    figure = lines_figure(
        {"": lines}, x="% of cells inspected, lowest first", y="% of outliers found"
    )
    return Result(
        name="outliers",
        frame=_frame(curves),
        figure=figure,
        paragraph=_paragraph(plan, curves),
        lines=_lines(curves),
    )


def _mean(curves: Sequence[Curve]) -> np.ndarray:
    return np.mean([curve.found_at(GRID) for curve in curves], axis=0)


def _frame(curves: Mapping[str, Sequence[Curve]]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "signal": name,
                "seed": seed,
                "n_wrong": curve.n_wrong,
                "auc": curve.auc,
                "needed_for_90": share_needed(curve, 0.9),
                "needed_for_all": share_needed(curve, 1.0),
                "inspected": x,
                "found": float(curve.found_at(x)),
            }
            for name, own in curves.items()
            for seed, curve in enumerate(own)
            for x in GRID
        ]
    )


def _at(curves: Sequence[Curve], share: float) -> list[float]:
    return [float(curve.found_at(share)) for curve in curves]


def _needed(curves: Sequence[Curve], level: float) -> list[float]:
    return [share_needed(curve, level) for curve in curves]


def _lines(curves: Mapping[str, Sequence[Curve]]) -> list[Line]:
    paper = {VALUE: "90 %", ONLY: "90 %"}
    return [
        *(
            Line(
                f"outliers found in the first 5 % of cells, {name}",
                paper.get(name, "not printed"),
                spread(_at(own, 0.05)),
            )
            for name, own in curves.items()
        ),
        Line(
            "cells to inspect for all outliers, 1D",
            "over 90 %",
            spread(_needed(curves[FLAT], 1.0)),
        ),
    ]


def _paragraph(plan: Plan, curves: Mapping[str, Sequence[Curve]]) -> str:
    value, only = (float(np.mean(_at(curves[n], 0.05))) for n in (VALUE, ONLY))
    suspicion = float(np.mean(_at(curves[SUSPICION], 0.05)))
    flat_all = float(np.mean(_needed(curves[FLAT], 1.0)))
    planted = np.mean([curve.n_wrong for curve in curves[VALUE]])
    texts = [
        f"Breast Cancer, {plan.n_train} training and {plan.n_test} test rows, "
        f"{planted:.0f} outliers in 2 % of the cells (some drawn contents equal the "
        f"old ones and do not count), {seeds_words(plan.seeds)}.",
        "The paper reports 90 % of the outliers within the first 5 % of cells by "
        f"2D-KNN value. Over all cells we find {spread(_at(curves[VALUE], 0.05))} there"
        f" (90 % after {spread(_needed(curves[VALUE], 0.9))} of the cells), ranked "
        f"within the class {spread(_at(curves[CLASS], 0.05))}, and among the cells of "
        f"benign rows alone, which is what the paper's heat maps show, "
        f"{spread(_at(curves[ONLY], 0.05))}.",
    ]
    if value >= 0.85:
        texts.append("That agrees with the paper.")
    elif only >= 0.85:
        texts.append(
            "So the paper's number is met only if cells are ranked among benign rows; "
            "among malignant rows, whose cells vary more, it is "
            f"{spread(_at(curves[REST], 0.05))}."
        )
    else:
        texts.append(
            "Neither reaches the paper's number with these draws of rows and outliers."
        )
    best = "more than" if suspicion > value else "no more than"
    texts.append(
        f"Suspicion, which adds how unusual a cell is, finds "
        f"{spread(_at(curves[SUSPICION], 0.05))}, {best} the value alone."
    )
    agrees = "the paper, too: over 90 %" if flat_all > 0.9 else "the paper: over 90 %"
    texts.append(
        f"1D needs {percent(flat_all)} of the cells for all outliers ({agrees}) and "
        f"finds {spread(_at(curves[FLAT], 0.05))} in the first 5 %, leave-one-out "
        f"{spread(_at(curves[LOO], 0.05))}, chance "
        f"{spread(_at(curves[RANDOM], 0.05))}; 1D and leave-one-out train a tree for "
        f"every cell, so they have {seeds_words(plan.flat_seeds)}, and 1D "
        f"{orders_words(plan.flat_rounds)} where the paper has 500."
    )
    return " ".join(texts)
