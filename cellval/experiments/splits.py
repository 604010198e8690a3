"""Blocks of Credit: is a block worth more where a model learns more from it alone?

The paper's figure 6: rows and columns are put in random orders and cut at random lines;
a source owns a block. Its 2D-Shapley value against the accuracy of a model that is
trained on this block and nothing else.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from cellval.experiments.data import read, table_of
from cellval.experiments.result import Number, Reproduction
from cellval.figures.lines import plain
from cellval.figures.palette import STYLES
from cellval.games.blocks import BlockGame
from cellval.games.groups import Groups
from cellval.games.models import utility_of
from cellval.methods import MODELS
from cellval.table.table import Table

PLAYED = ("knn", "logistic", "tree")
HELD_OUT = 0.4  # 12,000 of 30,000 rows, as in the paper
FEWEST = 0.02  # of the rows in a group, at least
KEPT = ["model", "split", "row_group", "column_group", "value"]
KEPT += ["rows", "columns", "cells", "accuracy"]
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x", "star")


@dataclass(frozen=True)
class SplitSizes:
    """How much is done."""

    source: str = "credit"
    n_rows: int | None = None  # all
    n_splits: int = 5
    n_groups: int = 4  # of rows, and of columns
    n_jobs: int | None = None  # several take long to start


QUICK = SplitSizes("census", 600, 2, 3, 1)


def random_groups(
    n: int, n_groups: int, random: np.random.Generator, fewest: int = 1
) -> Groups:
    """Members in a random order, cut at random lines."""
    spare = n - n_groups * fewest
    cuts = np.sort(random.integers(0, spare + 1, n_groups - 1))
    sizes = fewest + np.diff(cuts, prepend=0, append=spare)
    of = np.repeat(np.arange(n_groups), sizes)
    names = tuple(f"part {g + 1}" for g in range(n_groups))
    return Groups(names, random.permutation(of), "random lines")


def run(data: Path | None, quick: bool) -> Reproduction:
    sizes = QUICK if quick else SplitSizes()
    frame = read(sizes.source, data, sample=quick)[: sizes.n_rows]
    points = measured(table_of(frame), sizes)
    found = numbers_of(points, sizes, len(frame))
    return Reproduction("splits", found, points, figure_of(points))


def measured(table: Table, sizes: SplitSizes) -> pd.DataFrame:
    """One line per model, split and block: value, accuracy of the block alone, size."""
    parts, fewest = [], max(1, int(FEWEST * table.n_rows))
    for model in PLAYED:
        h = utility_of(table, model, test=HELD_OUT)
        for seed in range(sizes.n_splits):
            random = np.random.default_rng([seed, 6])
            rows = random_groups(table.n_rows, sizes.n_groups, random, fewest)
            columns = random_groups(len(table.features), sizes.n_groups, random)
            game = BlockGame.of(h, rows, columns)
            *_, last = game.play(n_jobs=sizes.n_jobs)
            members = game.rows.members(), game.columns.members()
            alone = [h(s, f) for s in members[0] for f in members[1]]
            named = {"model": MODELS[model], "split": seed + 1, "accuracy": alone}
            parts.append(last.result.to_frame().assign(**named)[KEPT])
    return pd.concat(parts, ignore_index=True)


def numbers_of(points: pd.DataFrame, sizes: SplitSizes, n_rows: int) -> list[Number]:
    n_test = round(HELD_OUT * n_rows)
    found = [
        Number("training rows", n_rows - n_test, "", "18,000"),
        Number("test rows", n_test, "", "12,000"),
        Number("random splits", sizes.n_splits),
        Number("groups of rows, and groups of columns", sizes.n_groups),
        Number("trained models a split", (2**sizes.n_groups - 1) ** 2),
    ]
    inside = correlations(points)
    for model, own in inside.groupby("model", sort=False):
        blocks = points[points["model"] == model]
        value, accuracy = blocks["value"], blocks["accuracy"]
        for kind, together in (
            ("pearson", value.corr(accuracy)),
            ("spearman", _ranked(value, accuracy)),
        ):
            words = f"{model}: {kind.title()} correlation of value and accuracy"
            paper = "'increases' (a figure)"
            found += [
                Number(f"{words}, mean of splits", own[kind].mean(), "", paper),
                Number(f"{words}, lowest", own[kind].min()),
                Number(f"{words}, highest", own[kind].max()),
                Number(f"{words}, all splits' blocks together", together),
            ]
        words = f"{model}: accuracy of a block alone"
        found.append(Number(f"{words}, lowest", 100 * accuracy.min(), "%"))
        found.append(Number(f"{words}, highest", 100 * accuracy.max(), "%"))
    rising = int((inside["spearman"] > 0).sum())
    words = "all models: Spearman correlation with accuracy"
    return [
        *found,
        Number("splits of all models where it is above 0", rising),
        Number(f"{words}, of value, mean", inside["spearman"].mean()),
        Number(f"{words}, of number of cells, mean", inside["spearman_of_size"].mean()),
    ]


def correlations(blocks: pd.DataFrame) -> pd.DataFrame:
    """One line per model and split: Pearson, Spearman, and Spearman of mere size."""
    return blocks.groupby(["model", "split"], sort=False).apply(
        lambda own: pd.Series(
            {
                "pearson": own["value"].corr(own["accuracy"]),
                "spearman": _ranked(own["value"], own["accuracy"]),
                "spearman_of_size": _ranked(own["cells"], own["accuracy"]),
            }
        ),
        include_groups=False,
    )


def _ranked(a: pd.Series, b: pd.Series) -> float:
    return float(a.rank().corr(b.rank()))


def figure_of(blocks: pd.DataFrame) -> go.Figure:
    means = correlations(blocks).groupby("model")["spearman"].mean()
    models = [MODELS[name] for name in PLAYED]
    figure = make_subplots(
        1,
        len(models),
        subplot_titles=[f"{m}: rank correlation {means[m]:.2f}" for m in models],
        horizontal_spacing=0.06,
    )
    for k, model in enumerate(models):
        for split, own in blocks[blocks["model"] == model].groupby("split"):
            line = own.sort_values("accuracy")
            colour, dash = STYLES[(split - 1) % len(STYLES)]
            figure.add_scatter(
                x=(100 * line["accuracy"]).round(2).tolist(),
                y=(100 * line["value"]).round(3).tolist(),
                name=f"split {split}",
                legendgroup=f"split {split}",
                showlegend=k == 0,
                mode="lines+markers",
                line={"color": colour, "dash": dash, "width": 1.2},
                marker={"size": 7, "symbol": SYMBOLS[(split - 1) % len(SYMBOLS)]},
                text=[
                    f"{rows:,} rows x {columns} columns"
                    for rows, columns in zip(line["rows"], line["columns"], strict=True)
                ],
                hovertemplate="%{x:.1f} % alone, worth %{y:.2f} %<br>%{text}",
                row=1,
                col=k + 1,
            )
    plain(figure, 420)
    figure.update_layout(hovermode="closest", legend={"y": 1.1}, margin={"t": 96})
    figure.update_xaxes(title_text="accuracy of the block alone, %")
    figure.update_yaxes(title_text="value of the block, % accuracy", col=1)
    return figure
