"""Accuracy as cells go, highest or lowest value first: do values mean anything?

The paper's sanity check of values. Cells of the training rows are refilled with the
mean of the others in their column, and a decision tree is trained on what is left.
Unlike in the paper, the rows that the tree is measured on are not those that gave the
values. Two more protocols ask what that does to the curves, and what the mean does: a
constant that stands in one class only is something that a tree can learn.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from cellval.experiments.data import TABLES, read, train_and_test
from cellval.experiments.detection import CLASS, FLAT, LOO, RANDOM, VALUE
from cellval.experiments.result import Number, Reproduction, over_seeds
from cellval.figures.lines import lines_figure
from cellval.table.table import Table
from cellval.validation.curves import Refill, Removal, order_of, removal_curve
from cellval.validation.signals import within_class
from cellval.valuation import value_cells

MC = "2D-MC"
VALUED_BY = {VALUE: "knn", MC: "mc", FLAT: "flat", LOO: "loo", RANDOM: "random"}
BESIDE = (VALUE, CLASS, MC, RANDOM)  # in the other protocols
LOWEST, HIGHEST = "lowest first", "highest first"
EARLY = 0.2  # of the cells: where gains of removing the lowest are read
CLAIMED = ("census", "credit", "breast_cancer")  # where the paper has gains
EXPECTED = {  # by the paper
    VALUE: "lowest above, highest below",
    MC: "lowest above, highest below",
    FLAT: "close to random",
    LOO: "random or worse",
}
CURVE = ["table", "measured_on", "refill", "method", "order", "seed"]


class Protocol(NamedTuple):
    """How an order of cells is judged."""

    measured_on: str  # the rows that gave the values, or others?
    refill: Refill  # what a removed cell becomes


MAIN = Protocol("other rows", "mean")
SHARED = Protocol("same rows", "mean")  # the paper's
DRAWN = Protocol("other rows", "draw")
PROTOCOLS = {
    MAIN: "other rows, mean refill",
    SHARED: "same rows, mean refill",
    DRAWN: "other rows, drawn refill",
}


class RowCounts(NamedTuple):
    """Rows to train on, to value on, and to measure on."""

    train: int
    value: int
    test: int


@dataclass(frozen=True)
class RemovalSizes:
    """How much is done. The paper trains on all rows and takes 500 random orders."""

    rows: Mapping[str, RowCounts] = field(
        default_factory=lambda: {
            "census": RowCounts(200, 300, 2000),
            "credit": RowCounts(200, 300, 2000),
            "breast_cancer": RowCounts(242, 120, 321),
            "heart": RowCounts(150, 75, 77),
            "wine": RowCounts(80, 40, 58),
        }
    )
    seeds: int = 5
    # 2D-MC grows a tree for every cell and order, 1D by scikit-learn: fewer of them
    mc_seeds: int = 2
    flat_seeds: int = 1
    # the paper's own number of orders where two cores can
    mc_rounds: Mapping[str, int] = field(
        default_factory=lambda: dict.fromkeys(("breast_cancer", "wine"), 500)
    )
    other_mc_rounds: int = 60
    flat_rounds: int = 2
    steps: int = 20
    trees: int = 3
    n_jobs: int | None = None  # several take long to start

    def orders(self, table: str) -> int:
        """Random orders of 2D-MC."""
        return self.mc_rounds.get(table, self.other_mc_rounds)


QUICK = RemovalSizes(
    rows={"wine": RowCounts(30, 40, 108), "breast_cancer": RowCounts(40, 60, 200)},
    seeds=1,
    mc_seeds=1,
    mc_rounds={"wine": 3},
    other_mc_rounds=2,
    flat_rounds=1,
    steps=5,
    trees=1,
    n_jobs=1,
)


def run(data: Path | None, quick: bool) -> Reproduction:
    sizes = QUICK if quick else RemovalSizes()
    points = measured(data, sizes, sample=quick)
    return Reproduction("removal", numbers_of(points, sizes), points, figure_of(points))


def measured(data: Path | None, sizes: RemovalSizes, *, sample: bool) -> pd.DataFrame:
    """A removal curve per table, protocol, method, order and seed."""
    parts = []
    for name, counts in sizes.rows.items():
        frame = read(name, data, sample=sample)
        if name == "heart":  # every row is in the file three times or so
            frame = frame.drop_duplicates(ignore_index=True)
        for seed in range(sizes.seeds):
            curves = curves_of(frame, counts, sizes, seed, sizes.orders(name))
            for (protocol, method, order), curve in curves.items():
                key = (name, *protocol, method, order, seed)
                named = dict(zip(CURVE, key, strict=True))
                drawn = {"removed": curve.removed, "accuracy": curve.accuracy}
                parts.append(pd.DataFrame(named | drawn))
    return pd.concat(parts, ignore_index=True)


def curves_of(
    frame: pd.DataFrame,
    counts: RowCounts,
    sizes: RemovalSizes,
    seed: int,
    mc_rounds: int,
) -> dict[tuple[Protocol, str, str], Removal]:
    """Removal curves by protocol, method and direction, on one draw of rows."""
    train, value, test = _tables(frame, counts, seed)
    curves = {}
    for name, scores in _scores(train, value, sizes, seed, mc_rounds).items():
        for protocol in PROTOCOLS if name in BESIDE else (MAIN,):
            for way in (LOWEST, HIGHEST):
                curves[protocol, name, way] = removal_curve(
                    train,
                    value if protocol == SHARED else test,
                    order_of(scores, highest_first=way == HIGHEST, seed=seed),
                    np.linspace(0, 1, sizes.steps + 1),
                    sizes.trees,
                    protocol.refill,
                )
    return curves


def _scores(
    train: Table, value: Table, sizes: RemovalSizes, seed: int, mc_rounds: int
) -> dict[str, np.ndarray]:
    """Of every method that has that seed, a score for each cell."""
    m = len(train.features)
    options: dict[str, dict[str, Any]] = {
        "knn": {"subsets": "auto" if m < 10 else 16 * m},
        "mc": {"rounds": mc_rounds},
        "flat": {"rounds": sizes.flat_rounds},
    }
    seeds = {"mc": sizes.mc_seeds, "flat": sizes.flat_seeds}
    scores = {}
    for name, method in VALUED_BY.items():
        if seed >= seeds.get(method, sizes.seeds):
            continue
        how = {"method": method, "random_state": seed, **options.get(method, {})}
        if method != "random":
            how["test"] = value
        values = value_cells(train, n_jobs=sizes.n_jobs, **how)
        scores[name] = values.values
        if method == "knn":
            scores[CLASS] = within_class(values)
    return scores


def _tables(
    frame: pd.DataFrame, counts: RowCounts, seed: int
) -> tuple[Table, Table, Table]:
    """Random rows to train on, to value on and to measure on."""
    rows = np.random.default_rng([seed, 4]).permutation(len(frame))
    ends = np.cumsum(counts)
    train, value = train_and_test(frame.iloc[rows[: ends[1]]], counts.train, frame)
    test = frame.iloc[rows[ends[1] : ends[2]]].reset_index(drop=True)
    return train, value, Table.from_frame(test, like=train)


def by_curve(points: pd.DataFrame) -> pd.DataFrame:
    """Of each curve, in %: the gain at `EARLY` and at its best point, mean accuracy of
    half and of all.
    """
    rows = []
    for key, own in points.groupby(CURVE, sort=False):
        curve = Removal(own["removed"].to_numpy(), own[["accuracy"]].to_numpy())
        start, early = np.interp((0.0, EARLY), curve.removed, curve.accuracy)
        best = curve.accuracy.max()
        found = (early - start, best - start, curve.mean(0.5), curve.mean(1.0))
        rows.append((*key, *(100 * x for x in found)))
    return pd.DataFrame(rows, columns=[*CURVE, "gain", "best", "half", "all"])


def above_random(curves: pd.DataFrame) -> pd.DataFrame:
    """Mean over tables of half and all of a curve, less a random order's.

    Methods that take long have fewer seeds; each is compared with its own.
    """
    same = [name for name in CURVE if name != "method"]
    luck = curves[curves["method"] == RANDOM].set_index(same)[["half", "all"]]
    less = curves.set_index([*same, "method"])[["half", "all"]].sub(luck)
    by_table = less.groupby([*CURVE[1:5], "table"]).mean()
    return by_table.groupby(CURVE[1:5]).mean()


def numbers_of(points: pd.DataFrame, sizes: RemovalSizes) -> list[Number]:
    found = [
        Number(f"training rows of {of.title}", counts.train, "", f"{of.n_train:,}")
        for of, counts in ((TABLES[name], n) for name, n in sizes.rows.items())
    ]
    found += [
        Number("seeds", sizes.seeds),
        Number("seeds of 2D-MC", sizes.mc_seeds),
        Number("seeds of 1D", sizes.flat_seeds),
        Number("random orders of 1D", sizes.flat_rounds, "", "500"),
    ]
    for name in sizes.rows:
        words = f"random orders of 2D-MC: {TABLES[name].title}"
        found.append(Number(words, sizes.orders(name), "", "500"))
    curves = by_curve(points)
    lowest = curves[(curves["method"] == VALUE) & (curves["order"] == LOWEST)]
    key = ["measured_on", "refill", "table", "seed"]
    gains = lowest.set_index(key).sort_index()["gain"]
    for protocol, words in PROTOCOLS.items():
        for name in sizes.rows:
            what = f"2D-KNN, lowest {100 * EARLY:.0f} % removed, {words}"
            claimed = protocol == SHARED and name in CLAIMED
            paper = "at least +2 points" if claimed else ""
            own = gains.loc[(*protocol, name)]
            title = TABLES[name].title
            found.append(over_seeds(f"{what}: {title}", own, "points", paper))
    for protocol, words in ((SHARED, "same rows add"), (DRAWN, "drawn refill adds")):
        more = gains.loc[protocol] - gains.loc[MAIN]
        words = f"{words} to that, mean of tables and seeds (± standard error)"
        found.append(Number(words, more.mean(), "points", plus_minus=more.sem()))
    # The paper may mean the best point; a random order has one, too, by luck.
    best = curves[curves["order"] == LOWEST].set_index([*key[:3], "method"])["best"]
    best = best.sort_index()
    for protocol, words in ((SHARED, PROTOCOLS[SHARED]), (MAIN, PROTOCOLS[MAIN])):
        for method in (VALUE, MC, RANDOM):
            for name in sizes.rows:
                what = f"{method}, best point, lowest first, {words}"
                claimed = protocol == SHARED and name in CLAIMED and method != RANDOM
                paper = "at least +2 points" if claimed else ""
                own = best.loc[[(*protocol, name, method)]]
                title = TABLES[name].title
                found.append(over_seeds(f"{what}: {title}", own, "points", paper))
    areas = above_random(curves)
    main = [(MAIN, m, o) for m in (*EXPECTED, CLASS) for o in (LOWEST, HIGHEST)]
    other = [(SHARED, VALUE, LOWEST), (DRAWN, VALUE, LOWEST)]
    for protocol, method, order in main + other:
        words = f"{method}, {order}, {PROTOCOLS[protocol]}: above random"
        paper = EXPECTED.get(method, "") if protocol == MAIN else ""
        for much in ("half", "all"):
            own = areas.loc[(*protocol, method, order), much]
            what = f"{words}, {much} of the cells"
            found.append(Number(what, own, "points", paper))
    return found


def figure_of(points: pd.DataFrame) -> go.Figure:
    """A row of panels for each direction, and for the lowest first in each protocol."""
    rows = {
        LOWEST: (*MAIN, LOWEST),
        HIGHEST: (*MAIN, HIGHEST),
        "lowest, same rows": (*SHARED, LOWEST),
        "lowest, drawn": (*DRAWN, LOWEST),
    }
    by = ["measured_on", "refill", "order", "table", "method", "removed"]
    means = points.groupby(by, sort=False, as_index=False)["accuracy"].mean()
    means[["x", "y"]] = 100 * means[["removed", "accuracy"]]
    panels = []
    for words, key in rows.items():
        own = means[(means[by[:3]] == list(key)).all(axis=1)]
        titles = [f"{TABLES[name].title}, {words}" for name in own["table"]]
        panels.append(own.assign(panel=titles, line=own["method"]))
    return lines_figure(
        pd.concat(panels),
        x="% of cells removed",
        y="accuracy in %",
        columns=points["table"].nunique(),
    )
