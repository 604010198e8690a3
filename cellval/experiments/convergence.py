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
from plotly.subplots import make_subplots

import cellval
from cellval.experiments.algorithm2 import Arrays, arrays_of, one_permutation
from cellval.experiments.data import SOURCES, read, table_of
from cellval.experiments.result import Line, Result
from cellval.experiments.runtime import error_of
from cellval.experiments.wording import percent
from cellval.figures.lines import GRID, STYLES, plain
from cellval.figures.palette import GREY
from cellval.games.exact import AllSubsets, values_of
from cellval.games.models import utility_of
from cellval.games.montecarlo import Rounds
from cellval.games.watched import Utility
from cellval.knn.plan import evaluations
from cellval.methods import MODELS
from cellval.parallel import drive
from cellval.table.table import Table

K = 10
MC, FRESH = "2D-MC", "fresh orders (cellval)"
SHARED, ARGSORT = "shared orders (Algorithm 2)", "the same, ties by argsort"
PAPER = 500  # permutations after which the paper's values 'converge'


@dataclass(frozen=True)
class Plan:
    """How much is done."""

    rows: int = 8  # of the small game
    columns: int = 6
    test: int = 200
    rounds: int = 1024
    tables: tuple[tuple[str, int, int], ...] = (
        ("breast_cancer", 242, 241),
        ("wine", 106, 72),
    )
    permutations: int = PAPER
    seeds: int = 8
    checked: tuple[int, int, int] = (200, 300, 30)  # rows, test points, draws


QUICK = Plan(5, 4, 60, 256, (("wine", 40, 30),), 50, 2, (60, 100, 6))


def run(data: Path | None, quick: bool) -> Result:
    """The experiment; see `cellval.experiments`."""
    plan = QUICK if quick else Plan()
    frame = read("breast_cancer", data, sample=quick)
    games, covered = zip(
        *(small_game(frame, plan, model) for model in ("tree", "knn")),
        strict=True,
    )
    parts = [*games]
    for name, n_train, n_test in plan.tables:
        own = read(name, data, sample=quick)
        parts.append(knn_curves(own, SOURCES[name].title, n_train, n_test, plan))
    curves = pd.concat(parts, ignore_index=True)
    share_mc = float(np.mean(covered))
    census = read("census", data, sample=quick)
    share_knn = knn_coverage(census, *plan.checked)
    slopes = curves.groupby(["game", "estimator"], sort=False).apply(
        slope, include_groups=False
    )
    lines = _lines(curves, slopes, share_mc, share_knn)
    text = _paragraph(curves, slopes, plan, share_mc, share_knn)
    out = curves.merge(slopes.rename("slope").reset_index())
    return Result("convergence", out, _figure(curves), text, lines)


def small_game(
    frame: pd.DataFrame, plan: Plan, model: str
) -> tuple[pd.DataFrame, float]:
    """Errors of 2D-MC on a few rows and columns, and the share within two errors.

    All utilities are found once, for the exact values; rounds look them up.
    """
    label = frame.columns[-1]
    kept = [*frame.columns[: plan.columns], label]
    chosen = frame[kept].sample(plan.rows + plan.test, random_state=3)
    table = table_of(chosen[: plan.rows].reset_index(drop=True), frame[kept])
    test = Table.from_frame(chosen[plan.rows :].reset_index(drop=True), like=table)
    h = utility_of(table, model, test=test, n_neighbors=3)
    *_, last = drive(AllSubsets(h, plan.rows, plan.columns))
    utilities = last.result
    exact, known = values_of(utilities), _looked_up(utilities)
    wanted = [2**k for k in range(2, int(np.log2(plan.rounds)) + 1)]
    rows, within = [], []
    for seed in range(plan.seeds):
        rounds = Rounds(known, plan.rows, plan.columns, plan.rounds, random_state=seed)
        for step in drive(rounds):
            if step.preparing or step.result.n_draws not in wanted:
                continue
            found = step.result
            error = error_of(found.values, exact)
            rows.append((found.n_draws, found.n_evaluations, error))
            if found.n_draws >= 64:
                apart = np.abs(found.values - exact)
                within.append(np.mean(apart <= 2 * found.stderr + 1e-12))
    curve = pd.DataFrame(rows, columns=["steps", "evaluations", "error"])
    title = f"small game, {MODELS[model]}"
    return _averaged(curve, title, MC), float(np.mean(within))


def _looked_up(utilities: np.ndarray) -> Utility:
    def h(rows: np.ndarray, columns: np.ndarray) -> float:
        return float(utilities[np.sum(1 << rows), np.sum(1 << columns)])

    return h


def knn_curves(
    frame: pd.DataFrame, title: str, n_train: int, n_test: int, plan: Plan
) -> pd.DataFrame:
    """Errors against all subsets; evaluations are column subsets per test point."""
    chosen = frame.sample(n_train + n_test, random_state=0)
    table = table_of(chosen[:n_train].reset_index(drop=True), frame)
    test = Table.from_frame(chosen[n_train:].reset_index(drop=True), like=table)
    m = len(table.features)
    options: dict[str, Any] = {"n_neighbors": K, "test": test}
    exact = cellval.value_cells(table, subsets="all", **options).values
    rows = []
    pairs = 1
    while 2 * m * pairs < min(2**m, 2 * m * plan.permutations):
        for seed in range(plan.seeds):
            values = cellval.value_cells(
                table, subsets=2 * m * pairs, random_state=seed, **options
            )
            seen = sum(evaluations(m, size) for size in values.settings.passes)
            rows.append((pairs, seen, error_of(values.values, exact)))
        pairs *= 2
    fresh = pd.DataFrame(rows, columns=["steps", "evaluations", "error"])
    parts = [_averaged(fresh, title, FRESH)]
    arrays = arrays_of(table, test)
    for name, ties in ((SHARED, True), (ARGSORT, False)):
        shared = shared_errors(arrays, exact, plan.permutations, ties)
        shared["evaluations"] = m * shared["steps"]
        parts.append(_averaged(shared, title, name))
    return pd.concat(parts).assign(all_subsets=2**m)


def shared_errors(
    arrays: Arrays, exact: np.ndarray, n: int, ties: bool
) -> pd.DataFrame:
    """Errors after 1, 2, 5, ... permutations; each permutation is used once a size."""
    random = np.random.default_rng(5)
    single = np.array(
        [
            one_permutation(
                arrays,
                K,
                random.permutation(exact.shape[1]),
                ties=random if ties else None,
            )
            for _ in range(n)
        ]
    )
    sizes = [p for p in (1, 2, 5, 10, 20, 50, 100, 250, 500) if p <= n]
    rows = [
        (p, error_of(single[first : first + p].mean(axis=0), exact))
        for p in sizes
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

    def values_on(points: pd.DataFrame, subsets: int, seed: int) -> cellval.CellValues:
        test = Table.from_frame(points.reset_index(drop=True), like=table)
        return cellval.value_cells(
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
    squares = curve.assign(error=curve["error"] ** 2).groupby("steps").mean()
    mean = squares.assign(error=np.sqrt(squares["error"])).reset_index()
    mean.insert(0, "estimator", estimator)
    mean.insert(0, "game", game)
    return mean


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


def _saved(curves: pd.DataFrame, game: str) -> tuple[float, float, float]:
    """Error of the last shared permutations; evaluations of theirs, and of fresh."""
    own = curves[curves["game"] == game].set_index("estimator")
    last = own.loc[SHARED].iloc[-1]
    needed = at_error(own.loc[[FRESH]], float(last["error"]))
    return float(last["error"]), float(last["evaluations"]), needed


def _knn_games(curves: pd.DataFrame) -> list[str]:
    return list(curves.loc[curves["estimator"] == FRESH, "game"].unique())


def _lines(
    curves: pd.DataFrame, slopes: pd.Series, share_mc: float, share_knn: float
) -> list[Line]:
    lines = []
    for game in _knn_games(curves):
        _, theirs, needed = _saved(curves, game)
        n = int(curves.loc[curves["estimator"] == SHARED, "steps"].max())
        lines.append(
            Line(
                f"{game}: column subsets per test point for the error of {n} shared "
                "permutations",
                f"{theirs:,.0f}",
                f"{needed:,.0f}",
            )
        )
    range_mc = slopes[slopes.index.get_level_values(1) == MC]
    lines += [
        Line(
            "slope of 2D-MC's error over evaluations",
            "not there",
            f"{range_mc.min():.2f} to {range_mc.max():.2f} (independent draws: -0.50)",
        ),
        Line(
            "cells within two standard errors of the truth (95 % if normal)",
            "not there",
            f"{percent(share_mc)} (2D-MC), {percent(share_knn)} (KNN)",
        ),
    ]
    return lines


def _figure(curves: pd.DataFrame) -> go.Figure:
    small = [g for g in curves["game"].unique() if g.startswith("small")]
    panels = [small, *([game] for game in _knn_games(curves))]
    titles = ["small game, 2D-MC", *_knn_games(curves)]
    figure = make_subplots(1, len(panels), subplot_titles=titles)
    names = [*(f"2D-MC, {g.split(', ')[1]}" for g in small), FRESH, SHARED, ARGSORT]
    look = dict(zip(names, STYLES, strict=False))
    shown: set[str] = set()
    for k, games in enumerate(panels, 1):
        own = curves[curves["game"].isin(games)]
        for (game, estimator), line in own.groupby(["game", "estimator"], sort=False):
            name = f"2D-MC, {game.split(', ')[1]}" if estimator == MC else estimator
            colour, dash = look[name]
            figure.add_scatter(
                x=line["evaluations"].round(1).tolist(),
                y=[float(f"{e:.4g}") for e in line["error"]],
                name=name,
                legendgroup=name,
                showlegend=name not in shown,
                mode="lines+markers",
                line={"color": colour, "dash": dash, "width": 2.2},
                hovertemplate="%{y:.3f}",
                row=1,
                col=k,
            )
            shown.add(name)
        if k > 1:
            figure.add_vline(
                x=float(own["all_subsets"].iloc[0]),
                line={"color": GREY, "dash": "dot", "width": 1},
                annotation_text="all subsets: exact",
                row=1,
                col=k,
            )
        what = "utilities" if k == 1 else "column subsets per test point"
        figure.update_xaxes(title_text=what, row=1, col=k)
    plain(figure, 440)
    figure.update_layout(legend={"y": 1.12}, margin={"t": 110})
    figure.update_xaxes(type="log", gridcolor=GRID, dtick=1)
    figure.update_yaxes(type="log")
    figure.update_yaxes(title_text="error / spread of the values", col=1)
    return figure


def _paragraph(
    curves: pd.DataFrame,
    slopes: pd.Series,
    plan: Plan,
    share_mc: float,
    share_knn: float,
) -> str:
    def fell(estimator: str) -> str:
        own = slopes[slopes.index.get_level_values(1) == estimator]
        low, high = f"{own.min():.2f}", f"{own.max():.2f}"
        return low if low == high else f"{low} to {high}"

    texts = [
        f"Errors are root mean squares, in standard deviations of the exact values. On "
        f"{plan.rows} rows x {plan.columns} columns of Breast Cancer, of which all "
        f"{2 ** (plan.rows + plan.columns):,} utilities are known, the error of "
        f"2D-Shapley-MC falls with the evaluations to the power {fell(MC)} (a decision "
        "tree, and KNN); independent draws have -0.50. The paper gives no rate and "
        f"says that values 'converge within {PAPER} permutations'."
    ]
    for game in _knn_games(curves):
        error, theirs, needed = _saved(curves, game)
        own = curves[curves["game"] == game].set_index("estimator")
        n = int(own.loc[SHARED, "steps"].max())
        n_all = int(own["all_subsets"].iloc[0])
        floor = float(own.loc[ARGSORT, "error"].iloc[-1])
        ties = (
            f"With ties as argsort leaves them it is still {floor:.2f} by then"
            if floor > 1.25 * error
            else "There are few ties, so their order matters little"
        )
        exact = (
            "exact values, of all subsets, cost fewer still"
            if n_all < needed
            else f"exact values need {n_all:,}"
        )
        texts.append(
            f"{game}, KNN: {n} orders of the columns shared by all test points "
            f"(Algorithm 2), {theirs:,.0f} subsets a test point, leave an error of "
            f"{error:.3f}; fresh orders for every test point reach it after about "
            f"{needed:,.0f}, {theirs / needed:.0f} times fewer ({exact}). {ties}."
        )
    texts.append(
        f"The slopes: fresh orders {fell(FRESH)}, shared ones {fell(SHARED)}, with "
        f"ties by argsort {fell(ARGSORT)}. Are standard errors honest? Of 2D-MC's "
        f"cells (from 64 rounds on) {percent(share_mc)}, of KNN's {percent(share_knn)} "
        "lie within two of them of the truth; 95 % would if errors were normal. KNN's "
        f"were looked at on Census, {plan.checked[0]} rows, {plan.checked[1]} test "
        f"points drawn {plan.checked[2]} times, against the values on all other rows."
    )
    return " ".join(texts)
