"""How soon each estimator is near the exact values, and are its errors honest?

Small games of which all subsets are known (2D-Shapley-MC), and KNN on Breast Cancer and
Wine, where all subsets of columns are affordable: fresh orders of the columns for every
test point (the engine) against orders shared by all (the paper's Algorithm 2).
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from cellval.experiments.algorithm2 import Arrays, arrays_of, one_permutation
from cellval.experiments.data import TABLES, read, table_of, train_and_test
from cellval.experiments.result import Number, Reproduction
from cellval.experiments.runtime import error_of
from cellval.figures.lines import lines_figure
from cellval.figures.palette import GREY
from cellval.games.exact import AllSubsets, values_of
from cellval.games.models import utility_of
from cellval.games.montecarlo import Rounds
from cellval.knn.plan import evaluations
from cellval.methods import MODELS
from cellval.parallel import drive
from cellval.table.table import Table
from cellval.valuation import value_cells
from cellval.values.result import CellValues

K = 10
MC, FRESH = "2D-MC", "fresh orders (cellval)"
SHARED, ARGSORT = "shared orders (Algorithm 2)", "the same, ties by argsort"
PAPER_PERMUTATIONS = 500  # permutations after which the paper's values 'converge'


@dataclass(frozen=True)
class ConvergenceSizes:
    """How much is done."""

    rows: int = 8  # of the small game
    columns: int = 6
    test: int = 200
    rounds: int = 1024
    tables: tuple[tuple[str, int, int], ...] = (
        ("breast_cancer", 242, 241),
        ("wine", 106, 72),
    )
    permutations: int = PAPER_PERMUTATIONS
    seeds: int = 8
    checked: tuple[int, int, int] = (200, 300, 30)  # rows, test points, draws


QUICK = ConvergenceSizes(5, 4, 60, 256, (("wine", 40, 30),), 50, 2, (60, 100, 6))


def run(data: Path | None, quick: bool) -> Reproduction:
    sizes = QUICK if quick else ConvergenceSizes()
    frame = read("breast_cancer", data, sample=quick)
    small = (small_game(frame, sizes, model) for model in ("tree", "knn"))
    curves, shares = zip(*small, strict=True)
    parts = [*curves]
    for name, n_train, n_test in sizes.tables:
        own = read(name, data, sample=quick)
        parts.append(knn_curves(own, TABLES[name].title, n_train, n_test, sizes))
    points = pd.concat(parts, ignore_index=True)
    of_knn = knn_coverage(read("census", data, sample=quick), *sizes.checked)
    within = float(np.mean(shares)), of_knn
    found = numbers_of(points, within, sizes)
    return Reproduction("convergence", found, points, figure_of(points))


def small_game(
    frame: pd.DataFrame, sizes: ConvergenceSizes, model: str
) -> tuple[pd.DataFrame, float]:
    """Errors of 2D-MC on a few rows and columns, and the share within two errors.

    All utilities are found once, for the exact values; rounds look them up.
    """
    label = frame.columns[-1]
    kept = [*frame.columns[: sizes.columns], label]
    chosen = frame[kept].sample(sizes.rows + sizes.test, random_state=3)
    table, test = train_and_test(chosen, sizes.rows, frame[kept])
    h = utility_of(table, model, test=test, n_neighbors=3)
    *_, last = drive(AllSubsets(h, sizes.rows, sizes.columns))
    utilities = last.result
    exact = values_of(utilities)

    def known(rows: np.ndarray, columns: np.ndarray) -> float:
        return float(utilities[np.sum(1 << rows), np.sum(1 << columns)])

    wanted = [2**k for k in range(2, int(np.log2(sizes.rounds)) + 1)]
    rows, within = [], []
    for seed in range(sizes.seeds):
        shape, left = (sizes.rows, sizes.columns), [*wanted]
        for step in drive(Rounds(known, *shape, sizes.rounds, random_state=seed)):
            if not step.has_result or step.result.n_draws not in left:
                continue
            found = step.result
            left.remove(found.n_draws)  # the next round may be seen in parts
            error = error_of(found.values, exact)
            rows.append((found.n_draws, found.n_evaluations, error))
            if found.n_draws >= 64:
                apart = np.abs(found.values - exact)
                within.append(np.mean(apart <= 2 * found.stderr + 1e-12))
    curve = pd.DataFrame(rows, columns=["steps", "evaluations", "error"])
    return _averaged(curve, f"small game, {MODELS[model]}", MC), float(np.mean(within))


def knn_curves(
    frame: pd.DataFrame, title: str, n_train: int, n_test: int, sizes: ConvergenceSizes
) -> pd.DataFrame:
    """Errors against all subsets; evaluations are column subsets per test point."""
    chosen = frame.sample(n_train + n_test, random_state=0)
    table, test = train_and_test(chosen, n_train, frame)
    m = len(table.features)
    options: dict[str, Any] = {"n_neighbors": K, "test": test}
    exact = value_cells(table, subsets="all", **options).values
    rows, pairs = [], 1
    while 2 * m * pairs < min(2**m, 2 * m * sizes.permutations):
        for seed in range(sizes.seeds):
            values = value_cells(
                table, subsets=2 * m * pairs, random_state=seed, **options
            )
            seen = sum(evaluations(m, size) for size in values.settings.passes)
            rows.append((pairs, seen, error_of(values.values, exact)))
        pairs *= 2
    fresh = pd.DataFrame(rows, columns=["steps", "evaluations", "error"])
    parts = [_averaged(fresh, title, FRESH)]
    arrays = arrays_of(table, test)
    for name, ties in ((SHARED, True), (ARGSORT, False)):
        shared = shared_errors(arrays, exact, sizes.permutations, ties)
        shared["evaluations"] = m * shared["steps"]
        parts.append(_averaged(shared, title, name))
    return pd.concat(parts).assign(all_subsets=2**m)


def shared_errors(
    arrays: Arrays, exact: np.ndarray, n: int, ties: bool
) -> pd.DataFrame:
    """Errors after 1, 2, 5, ... permutations; each permutation is used once a size."""
    random = np.random.default_rng(5)
    lots = random if ties else None
    orders = (random.permutation(exact.shape[1]) for _ in range(n))
    single = np.array([one_permutation(arrays, K, o, ties=lots) for o in orders])
    rows = [
        (p, error_of(single[first : first + p].mean(axis=0), exact))
        for p in (1, 2, 5, 10, 20, 50, 100, 250, 500)
        for first in range(0, n - p + 1, p)
    ]
    return pd.DataFrame(rows, columns=["steps", "error"])


def knn_coverage(frame: pd.DataFrame, n: int, n_test: int, draws: int) -> float:
    """Share of cells within two standard errors of what all other rows say.

    The engine's standard errors speak of the test points, too; so each draw has its own
    test points, and the truth is their whole.
    """
    shuffled = frame.sample(min(len(frame), 40 * n_test + n), random_state=1)
    shuffled = shuffled.reset_index(drop=True)
    table = table_of(shuffled[:n], frame)
    rest = shuffled[n:].reset_index(drop=True)

    def values_on(points: pd.DataFrame, subsets: int, seed: int) -> CellValues:
        test = Table.from_frame(points.reset_index(drop=True), like=table)
        return value_cells(
            table, n_neighbors=K, test=test, subsets=subsets, random_state=seed
        )

    truth = values_on(rest, 200, 0).values
    shares = []
    for draw in range(draws):
        some = rest.sample(n_test, random_state=draw)
        found = values_on(some, 56, 1 + draw)
        # the truth is of a finite whole, of which the draw is a part
        error = found.stderr * np.sqrt(1 - n_test / len(rest))
        shares.append(np.mean(np.abs(found.values - truth) <= 2 * error))
    return float(np.mean(shares))


def _averaged(curve: pd.DataFrame, game: str, estimator: str) -> pd.DataFrame:
    """Root mean square of the errors at each step."""
    named = curve.assign(game=game, estimator=estimator, error=curve["error"] ** 2)
    mean = named.groupby(["game", "estimator", "steps"], as_index=False).mean()
    return mean.assign(error=np.sqrt(mean["error"]))


def slope(curve: pd.DataFrame) -> float:
    """Of the error over evaluations, both as logarithms; -0.5 for independent draws."""
    x, y = np.log(curve["evaluations"]), np.log(curve["error"])
    return float(np.polyfit(x, y, 1)[0])


def at_error(curve: pd.DataFrame, error: float) -> float:
    """Evaluations at which a curve reaches an error, by logarithms in between."""
    line = curve.sort_values("evaluations")
    x, y = np.log(line["evaluations"].to_numpy()), np.log(line["error"].to_numpy())
    lowest = np.minimum.accumulate(y)
    if np.log(error) < lowest[-1]:  # go on as from the last two
        step = (lowest[-1] - lowest[-2]) / (x[-1] - x[-2])
        return float(np.exp(x[-1] + (np.log(error) - lowest[-1]) / min(step, -0.1)))
    return float(np.exp(np.interp(-np.log(error), -lowest, x)))


def numbers_of(
    points: pd.DataFrame, within: tuple[float, float], sizes: ConvergenceSizes
) -> list[Number]:
    """`within` are the shares of cells within two standard errors, 2D-MC's and KNN's"""
    shape = f"small game, {sizes.rows} rows x {sizes.columns} columns"
    found = [Number(f"{shape}: utilities", 2 ** (sizes.rows + sizes.columns))]
    slopes = points.groupby(["game", "estimator"], sort=False).apply(
        slope, include_groups=False
    )
    for (game, estimator), own in slopes.items():
        words = f"{game}, {estimator}: slope of the error (independent draws: -0.50)"
        found.append(Number(words, own))
    paper = f"'converge within {PAPER_PERMUTATIONS} permutations'"
    of_knn = points[points["estimator"] != MC].set_index("estimator")
    for game, own in of_knn.groupby("game", sort=False):
        last = own.loc[SHARED].iloc[-1]
        theirs, error = float(last["evaluations"]), float(last["error"])
        needed = at_error(own.loc[[FRESH]], error)
        cost = f"{game}: column subsets per test point"
        found += [
            Number(f"{game}: {SHARED}", last["steps"], "permutations", paper),
            Number(f"{cost}, {SHARED}", theirs),
            Number(f"{game}: error they leave, in spreads of the values", error),
            Number(f"{game}: {ARGSORT}", own.loc[ARGSORT, "error"].iloc[-1]),
            Number(f"{cost}, for the same error with {FRESH}", needed),
            Number(f"{game}: times fewer", theirs / needed),
            Number(f"{cost}, for exact values", last["all_subsets"]),
        ]
    rows, tests, draws = sizes.checked
    how = f"{rows} rows of Census, {draws} draws of {tests} test points"
    words = "cells within two standard errors of the truth (95 % if normal)"
    return [
        *found,
        Number(f"{words}: 2D-MC, from 64 rounds on", 100 * within[0], "%"),
        Number(f"{words}: KNN, {how}", 100 * within[1], "%"),
    ]


def figure_of(curves: pd.DataFrame) -> go.Figure:
    small = curves["estimator"] == MC
    of_model = curves["game"].str.replace("small game", MC)
    drawn = curves.assign(
        panel=curves["game"].mask(small, f"small game, {MC}"),
        line=curves["estimator"].mask(small, of_model),
        x=curves["evaluations"],
        y=curves["error"],
    )
    figure = lines_figure(
        drawn,
        x="column subsets per test point",
        y="error / spread of the values",
        mode="lines+markers",
        hover="%{y:.3f}",
    )
    every = drawn.groupby("panel", sort=False)["all_subsets"].first()
    for k, n_subsets in enumerate(every[1:], 2):
        figure.add_vline(
            x=n_subsets,
            line={"color": GREY, "dash": "dot", "width": 1},
            annotation_text="all subsets: exact",
            row=1,
            col=k,
        )
    figure.update_layout(height=440, margin={"t": 110})
    figure.update_xaxes(title_text="utilities", col=1)
    figure.update_xaxes(type="log", dtick=1)
    figure.update_yaxes(type="log")
    return figure
