"""More and more outliers in Breast Cancer: does their number hide them?

The paper's ablation: 1, 2, 5, 10 and 15 % of the cells, and how many are found among
the first 200 cells.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

import cellval
from cellval.experiments.data import read
from cellval.experiments.outliers import QUICK, SUSPICION, VALUE, Plan, make_case
from cellval.experiments.result import Line, Result
from cellval.experiments.wording import percent, seeds_words, spread
from cellval.figures.lines import LineOf, lines_figure
from cellval.validation.curves import Curve, detection_curve
from cellval.validation.signals import suspicion_of

SHARES = (0.01, 0.02, 0.05, 0.10, 0.15)
FIRST = 200  # cells that the paper speaks of
GRID = np.linspace(0, 1, 201)

Found = Mapping[tuple[float, str], Sequence[Curve]]


def run(data: Path | None, quick: bool) -> Result:
    """The experiment; see `cellval.experiments`."""
    plan = QUICK if quick else Plan()
    frame = read("breast_cancer", data, sample=quick)
    found: dict[tuple[float, str], list[Curve]] = {}
    for share in SHARES:
        for seed in range(plan.seeds):
            case = make_case(frame, share, seed, plan.n_train, plan.n_test)
            values = cellval.value_cells(case.table, test=case.test)
            scores = {
                VALUE: values.values,
                SUSPICION: suspicion_of(case.table, values, random_state=seed),
            }
            for name, own in scores.items():
                curve = detection_curve(case.wrong, own)
                found.setdefault((share, name), []).append(curve)
    n_cells = found[SHARES[0], VALUE][0].n_cells
    panels = {
        name: [
            LineOf(
                f"{share:.0%} of the cells",
                GRID * n_cells,
                np.mean([curve.found_at(GRID) for curve in found[share, name]], axis=0),
            )
            for share in SHARES
        ]
        for name in (VALUE, SUSPICION)
    }
    figure = lines_figure(
        panels,
        x=f"cells inspected, of {n_cells:,}",
        y="% of outliers found",
        percent=False,
    )
    rows = [
        {
            "share": share,
            "signal": name,
            "seed": seed,
            "n_wrong": curve.n_wrong,
            "auc": curve.auc,
            "found_in_200": _first(curve),
            "possible_in_200": min(1.0, FIRST / curve.n_wrong),
            "inspected": x,
            "found": float(curve.found_at(x)),
        }
        for (share, name), curves in found.items()
        for seed, curve in enumerate(curves)
        for x in GRID
    ]
    lines = [
        Line(
            f"found in the first {FIRST} cells with {share:.0%} outliers, {VALUE} / "
            f"{SUSPICION}",
            "'very high' / not in the paper",
            " / ".join(
                spread(map(_first, found[share, n])) for n in (VALUE, SUSPICION)
            ),
        )
        for share in SHARES
    ]
    paragraph = _paragraph(plan, found, n_cells)
    return Result("budgets", pd.DataFrame(rows), figure, paragraph, lines)


def _first(curve: Curve) -> float:
    return float(curve.found_at(min(1.0, FIRST / curve.n_cells)))


def _paragraph(plan: Plan, found: Found, n_cells: int) -> str:
    def mean(share: float, name: str) -> float:
        return float(np.mean([_first(curve) for curve in found[share, name]]))

    def area(share: float, name: str) -> float:
        return float(np.mean([curve.auc for curve in found[share, name]]))

    least, most = SHARES[0], SHARES[-1]
    n_most = np.mean([curve.n_wrong for curve in found[most, VALUE]])
    possible = min(1.0, FIRST / float(n_most))
    each = ", ".join(f"{mean(s, VALUE):.0%} at {s:.0%}" for s in SHARES)
    falls = area(least, VALUE) - area(most, VALUE)
    if falls > 0.01:
        trend = "So the order gets worse with more outliers, as the paper says"
    elif falls < -0.01:
        trend = "So the order does not get worse with more outliers, unlike the paper's"
    else:
        trend = "So the order hardly depends on their number; the paper's gets worse"
    ahead = [s for s in SHARES if mean(s, SUSPICION) > mean(s, VALUE)]
    beats = (
        "more than the value at every share"
        if len(ahead) == len(SHARES)
        else f"more than the value at {len(ahead)} of {len(SHARES)} shares"
    )
    return (
        f"Breast Cancer, {plan.n_train} training rows, {seeds_words(plan.seeds)}. The "
        f"paper calls detection 'very high within the first {FIRST} inspected cells' "
        "at every share of outliers and prints no numbers. By 2D-KNN value we find "
        f"there {each} ({FIRST} of {n_cells:,} cells are "
        f"{percent(FIRST / n_cells)}; of the {n_most:.0f} outliers at "
        f"{most:.0%}, {FIRST} cells can hold at most {percent(possible)}). "
        "Freed of that limit, the chance that an outlier comes before a right cell "
        f"goes from {area(least, VALUE):.2f} at {least:.0%} to "
        f"{area(most, VALUE):.2f} at {most:.0%}. {trend} ('the less uncommon these "
        f"outliers are'). Suspicion finds {mean(least, SUSPICION):.0%} at {least:.0%} "
        f"and {mean(most, SUSPICION):.0%} at {most:.0%}: {beats}."
    )
