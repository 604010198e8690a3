"""Blocks of Credit: is a block worth more where a model learns more from it alone?

The paper's figure 6: rows and columns are put in random orders and cut at random lines;
a source owns a block. Its 2D-Shapley value against the accuracy of a model that is
trained on this block and nothing else.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from cellval.experiments.data import SOURCES, read, table_of
from cellval.experiments.result import Line, Result
from cellval.experiments.wording import listed
from cellval.figures.lines import STYLES, plain
from cellval.games.blocks import BlockGame
from cellval.games.groups import Groups, n_evaluations
from cellval.games.models import utility_of
from cellval.games.watched import Utility
from cellval.methods import MODELS

PLAYED = ("knn", "logistic", "tree")
HELD_OUT = 0.4  # 12,000 of 30,000 rows, as in the paper
FEWEST = 0.02  # of the rows in a group, at least
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x", "star")


@dataclass(frozen=True)
class Plan:
    """How much is done."""

    source: str = "credit"
    n_rows: int | None = None  # all
    n_splits: int = 5
    n_groups: int = 4  # of rows, and of columns


QUICK = Plan("census", 600, 2, 3)


def random_groups(
    n: int, n_groups: int, random: np.random.Generator, fewest: int = 1
) -> Groups:
    """Members in a random order, cut at random lines.

    Examples
    --------
    >>> groups = random_groups(10, 3, np.random.default_rng(0), 2)
    >>> len(groups), int(groups.sizes.sum()), int(groups.sizes.min()) >= 2
    (3, 10, True)
    """
    spare = n - n_groups * fewest
    cuts = np.sort(random.integers(0, spare + 1, n_groups - 1))
    sizes = fewest + np.diff(cuts, prepend=0, append=spare)
    of = np.repeat(np.arange(n_groups), sizes)
    names = tuple(f"part {g + 1}" for g in range(n_groups))
    return Groups(names, random.permutation(of), "random lines")


def block_frame(h: Utility, rows: Groups, columns: Groups) -> pd.DataFrame:
    """One line per block: its value, what the model does with it alone, its size."""
    players = getattr(h, "players", None)
    rows = rows if players is None else rows.among(players)
    *_, last = BlockGame.of(h, rows, columns).play()
    frame = last.result.to_frame()
    alone = [h(s, f) for s in rows.members() for f in columns.members()]
    kept = ["row_group", "column_group", "value", "rows", "columns", "cells"]
    return frame[kept].assign(accuracy=alone)


def run(data: Path | None, quick: bool) -> Result:
    """The experiment; see `cellval.experiments`."""
    plan = QUICK if quick else Plan()
    frame = read(plan.source, data, sample=quick)
    if plan.n_rows is not None:
        frame = frame.sample(plan.n_rows, random_state=0).reset_index(drop=True)
    table = table_of(frame)
    shape = table.n_rows, len(table.features)
    parts, n_each = [], 0
    for model in PLAYED:
        h = utility_of(table, model, test=HELD_OUT)
        for split, (rows, columns) in enumerate(_splits(plan, *shape), 1):
            own = block_frame(h, rows, columns)
            own.insert(0, "split", split)
            own.insert(0, "model", MODELS[model])
            parts.append(own)
            n_each = n_evaluations(rows, columns)
    blocks = pd.concat(parts, ignore_index=True)
    said = correlations(blocks)
    lines = [
        Line(
            f"correlation of value and accuracy, {model}: Pearson, Spearman",
            "'increases' (a figure)",
            f"{own['pearson'].mean():.2f}, {own['spearman'].mean():.2f} "
            f"(mean of {len(own)} splits)",
        )
        for model, own in said.groupby("model", sort=False)
    ]
    n = table.n_rows
    told = (
        f"{SOURCES[plan.source].title}, {n - round(HELD_OUT * n):,} training and "
        f"{round(HELD_OUT * n):,} test rows, {plan.n_splits} random splits into "
        f"{plan.n_groups} x {plan.n_groups} blocks, exact values ({n_each:,} trained "
        "models a split)."
    )
    text = _paragraph(blocks, said, told)
    out = blocks.merge(said, on=["model", "split"])
    return Result("splits", out, _figure(blocks, said), text, lines)


def _splits(plan: Plan, n_rows: int, n_columns: int) -> Iterator[tuple[Groups, Groups]]:
    for seed in range(plan.n_splits):
        random = np.random.default_rng([seed, 6])
        fewest = max(1, int(FEWEST * n_rows))
        yield (
            random_groups(n_rows, plan.n_groups, random, fewest),
            random_groups(n_columns, plan.n_groups, random),
        )


def correlations(blocks: pd.DataFrame) -> pd.DataFrame:
    """One line per model and split: Pearson, Spearman, and Spearman of mere size."""
    rows = []
    for (model, split), own in blocks.groupby(["model", "split"], sort=False):
        rows.append(
            {
                "model": model,
                "split": split,
                "pearson": own["value"].corr(own["accuracy"]),
                "spearman": _ranked(own["value"], own["accuracy"]),
                "spearman_of_size": _ranked(own["cells"], own["accuracy"]),
            }
        )
    return pd.DataFrame(rows)


def _ranked(a: pd.Series, b: pd.Series) -> float:
    return float(a.rank().corr(b.rank()))


def _figure(blocks: pd.DataFrame, said: pd.DataFrame) -> go.Figure:
    means = said.groupby("model")["spearman"].mean()
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


def _paragraph(blocks: pd.DataFrame, said: pd.DataFrame, told: str) -> str:
    each = []
    for model, own in said.groupby("model", sort=False):
        inside = blocks[blocks["model"] == model]
        each.append(
            f"{model} {own['pearson'].mean():.2f} ({own['pearson'].min():.2f} to "
            f"{own['pearson'].max():.2f}) and {own['spearman'].mean():.2f} "
            f"({own['spearman'].min():.2f} to {own['spearman'].max():.2f}), "
            f"{inside['value'].corr(inside['accuracy']):.2f} and "
            f"{_ranked(inside['value'], inside['accuracy']):.2f} over all splits' "
            "blocks together"
        )
    up = int((said["spearman"] > 0).sum())
    verdict = (
        "So a block's value does rise with what a model learns from it alone, as the "
        "paper's figure shows"
        if up == len(said)
        else f"It rises in {up} of {len(said)} splits, where the paper's figure shows "
        "all of them rising"
    )
    means = said.groupby("model", sort=False)["spearman"].mean()
    spread = blocks.groupby("model", sort=False)["accuracy"].agg(["min", "max"])
    widths = [
        f"{model} {100 * low:.0f} to {100 * high:.0f} %"
        for model, low, high in spread.itertuples()
    ]
    of_size, of_value = said["spearman_of_size"].mean(), said["spearman"].mean()
    size = (
        "A block's number of cells has a mean rank correlation of "
        f"{of_size:.2f} with its accuracy, its value {of_value:.2f}"
    )
    if of_size < of_value - 0.1:
        size += ", so value is more than size"
    return (
        f"{told} The paper has a figure without numbers: 'with the increasing model "
        "performance trained on the block, its corresponding 2D-Shapley block value "
        "also increases'. Pearson and Spearman correlations within a split, mean and "
        f"range: {'; '.join(each)}. {verdict}, but not in every step and not equally "
        f"for every model (mean rank correlation {means.min():.2f} to "
        f"{means.max():.2f}). Accuracies differ little: blocks alone have "
        f"{listed(widths)}. {size}."
    )
