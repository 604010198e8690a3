"""Seconds for 1,000 to 100,000 cells of Census, beside the paper's and plain numpy's.

The paper's table of run times. Its times are from another machine, so Algorithm 2 is
run here, too, in plain numpy: same rows, same test points, same distances and K. Both
are asked for the same error against a long run of the engine. Algorithm 2 gets there by
more permutations: its error falls with the square root of their number, so

    time to equal error = time per permutation * (error after one / our error)^2

where the error after one is the root mean square over all that were measured.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from cellval.experiments.algorithm2 import Arrays, arrays_of, one_permutation
from cellval.experiments.data import read, train_and_test
from cellval.experiments.result import Number, Reproduction
from cellval.figures.lines import HEIGHT, lines_figure
from cellval.knn.plan import evaluations
from cellval.parallel import n_cores
from cellval.table.table import Table
from cellval.valuation import value_cells
from cellval.values.result import CellValues
from cellval.values.words import design_words

K = 10
PAPER_SECONDS = {  # cells: seconds of 2D-Shapley-KNN and of 2D-Shapley-MC
    1_000: (11, 280),
    5_000: (25, 1_661),
    10_000: (37, 3_127),
    20_000: (44, 9_258),
    50_000: (53, 17_786),
    100_000: (88, 26_209),
}
PERMUTATIONS = {1_000: 40, 5_000: 32, 10_000: 24, 20_000: 16, 50_000: 6, 100_000: 3}
QUICK = {500: 20, 1_000: 20}
ERROR = 1 / 3  # that is good enough, in standard deviations of the values
NEAR = 1000  # rows that are told apart in large tables; their error counts
MANY = 2 * NEAR  # rows from which on that pays
MOST_PAIRS = 64
REFERENCE = 2e9  # evaluations of the long run


def run(data: Path | None, quick: bool) -> Reproduction:
    frame = read("census", data, sample=quick)
    sizes = QUICK if quick else PERMUTATIONS
    _warm_up(frame)
    points = at_equal_error(pd.DataFrame([measured(frame, *s) for s in sizes.items()]))
    return Reproduction("runtime", numbers_of(points), points, figure_of(points))


def numbers_of(points: pd.DataFrame) -> list[Number]:
    found = [
        Number("K", K),
        Number("cores", points["cores"].iloc[0], "", "8 (Xeon E5-2620 v4)"),
        Number("largest error, in spreads of the values", points["error"].max()),
        Number("lowest correlation with a long run", points["correlation"].min()),
    ]
    for size in points.to_dict("records"):
        knn, mc = size["paper_knn"], size["paper_mc"]
        paper = "" if np.isnan(knn) else f"{knn:,.0f} s (2D-Shapley-MC: {mc:,.0f} s)"
        words = f"{size['cells']:,} cells"
        faster = f"{words}: times faster than plain Algorithm 2, core against core"
        found += [
            Number(f"{words}: 2D-Shapley-KNN", size["seconds"], "s", paper),
            Number(f"{faster}, ties by argsort", size["times_ties"]),
            Number(f"{faster}, ties at random", size["times"]),
        ]
        if size["near"]:
            found.append(Number(f"{words}: the option near", size["near"], "rows"))
    each, needed = "Algorithm 2, one order", "Algorithm 2, orders for the same error"
    return [
        *found,
        Number(f"{words}: 2D-Shapley-KNN, of one core", size["core_seconds"], "s"),
        Number(f"{words}: {each}, of one core", size["plain_seconds_each"], "s"),
        Number(f"{words}: {needed}, ties by argsort", size["needed_ties"]),
        Number(f"{words}: {needed}, ties at random", size["needed"]),
        Number(f"{words}: Algorithm 2, orders measured", size["permutations"]),
    ]


def measured(frame: pd.DataFrame, cells: int, permutations: int) -> dict[str, Any]:
    """Time and error of both at one size; half as many test points as rows.

    Errors are root mean squares in standard deviations of the values. `seconds` are by
    the clock and on all cores, the others those of one core; `plain_*` is Algorithm 2,
    one permutation. Its `*_ties` has rows at equal distances in the order that argsort
    leaves them in, else it is random.
    """
    m = frame.shape[1] - 1
    n = round(cells / m)
    tests = n // 2  # the paper's shares: 32,561 to 16,281
    chosen = frame.sample(min(len(frame), n + tests), random_state=0)
    table, test = train_and_test(chosen, n, frame)
    reference = _reference(table, test, m)
    exact = reference.values
    near = NEAR if n > MANY else None

    def ours(pairs: int) -> tuple[CellValues, float, float]:
        how: dict[str, Any] = {"n_neighbors": K, "test": test, "near": near}
        return timed(lambda: value_cells(table, subsets=2 * m * pairs, **how))

    pairs, error = 1, np.inf
    while error > ERROR and pairs < MOST_PAIRS:
        values, seconds, core = ours(pairs)
        error = error_of(values.values, exact)
        pairs *= 2
    arrays = arrays_of(table, test)
    plain_error, each = plain_run(arrays, permutations, exact, seed=1)
    half = max(2, permutations // 2)
    plain_error_ties, _ = plain_run(arrays, half, exact, seed=2, ties=False)
    _, again, core_again = ours(pairs // 2)  # once more, in case it was disturbed
    paper = PAPER_SECONDS.get(cells, (np.nan, np.nan))
    return {
        "cells": cells,
        "cores": n_cores(),
        "rows": n,
        "tests": test.n_rows,
        "design": design_words(values.settings),
        "near": near or 0,
        "seconds": min(seconds, again),
        "core_seconds": min(core, core_again),
        "error": error,
        "correlation": np.corrcoef(values.values.ravel(), exact.ravel())[0, 1],
        "reference": design_words(reference.settings),
        "permutations": permutations,
        "plain_seconds_each": each,
        "plain_error": plain_error,
        "permutations_ties": half,
        "plain_error_ties": plain_error_ties,
        "paper_knn": paper[0],
        "paper_mc": paper[1],
    }


def at_equal_error(points: pd.DataFrame) -> pd.DataFrame:
    """With what Algorithm 2 needs for our error: permutations, seconds, times ours.

    Where argsort orders ties that is at least so much, as that error has a floor.
    """
    found = points.copy()
    for ties in ("", "_ties"):
        needed = (points[f"plain_error{ties}"] / points["error"]) ** 2
        found[f"needed{ties}"] = needed
        found[f"plain_seconds{ties}"] = needed * points["plain_seconds_each"]
        found[f"times{ties}"] = found[f"plain_seconds{ties}"] / points["core_seconds"]
    return found


def timed(call: Callable[[], CellValues]) -> tuple[CellValues, float, float]:
    """Result, seconds by the clock, and seconds that cores spent on it.

    Those of cores are the same, whatever else the machine is doing.
    """
    clock, cores = time.perf_counter(), time.process_time()
    result = call()
    return result, time.perf_counter() - clock, time.process_time() - cores


def plain_run(
    arrays: Arrays, n: int, exact: np.ndarray, *, seed: int, ties: bool = True
) -> tuple[float, float]:
    """Error after one permutation, and its core seconds, from n of them."""
    random = np.random.default_rng(seed)
    squares, started = [], time.process_time()
    for _ in range(n):
        order = random.permutation(exact.shape[1])
        values = one_permutation(arrays, K, order, ties=random if ties else None)
        squares.append(error_of(values, exact) ** 2)
    each = (time.process_time() - started) / n
    return float(np.sqrt(np.mean(squares))), each


def error_of(values: np.ndarray, exact: np.ndarray) -> float:
    """Root mean square, in standard deviations of the exact values.

    Examples
    --------
    >>> error_of(np.array([1.0, 1.0]), np.array([1.0, 3.0])) == 2**0.5
    True
    """
    return float(np.sqrt(np.mean((values - exact) ** 2)) / exact.std())


def _reference(table: Table, test: Table, m: int) -> CellValues:
    """All subsets where that is affordable, else many orders with another seed."""
    each = table.n_rows * test.n_rows
    pairs = int(np.clip(REFERENCE / (each * 2 * m), 8, MOST_PAIRS))
    affordable = each * evaluations(m, 0) <= REFERENCE
    subsets: str | int = "all" if affordable else 2 * m * pairs
    return value_cells(table, n_neighbors=K, test=test, subsets=subsets, random_state=1)


def _warm_up(frame: pd.DataFrame) -> None:
    """Compile what will be timed."""
    table, test = train_and_test(frame[:70], 60, frame)
    for near in (None, 20):
        for subsets in (1, 200):
            value_cells(table, test=test, subsets=subsets, near=near)


def figure_of(points: pd.DataFrame) -> go.Figure:
    curves = {
        "2D-Shapley-MC, paper": "paper_mc",
        "2D-Shapley-KNN, paper": "paper_knn",
        "Algorithm 2 in numpy, one core": "plain_seconds_ties",
        "the same, ties at random": "plain_seconds",
        "cellval, one core": "core_seconds",
        f"cellval, {points['cores'].iloc[0]} cores": "seconds",
    }
    drawn = pd.concat(
        points.assign(panel="", line=name, x=points["cells"], y=points[column])
        for name, column in curves.items()
    )
    figure = lines_figure(
        drawn, x="cells", y="seconds", mode="lines+markers", hover="%{y:,.3g} s"
    )
    figure.update_layout(height=HEIGHT)
    figure.update_xaxes(type="log", tickvals=points["cells"])
    figure.update_yaxes(type="log", exponentformat="power")
    return figure
