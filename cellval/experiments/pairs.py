"""Two samples of the same 1D value: are their cells alike, or do they differ?

The paper's reading of 1D values: a row's value is the sum of its cells, and the same
sum has more than one reason.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from cellval.experiments.data import read, train_and_test
from cellval.experiments.result import Number, Reproduction
from cellval.figures.lines import plain
from cellval.figures.palette import STYLES
from cellval.text import figure_names
from cellval.valuation import value_cells
from cellval.values.result import CellValues

N_TRAIN, N_TEST = 242, 241  # as in the paper
SAME, APART = 0.9, 0.1  # correlations: alike from there on, unrelated up to there


def alike_rows(values: CellValues) -> pd.DataFrame:
    """Pairs whose 1D values are within one standard error of each other, the most alike
    first by the correlation of their cells' values.

    Rows with the same contents are no pair: their cells are the same. Rows whose cells
    differ less than those of half of the rows are left out, because a correlation of
    next to nothing says nothing.
    """
    psi, total, error = values.values, values.row_values, values.row_stderr
    varied = psi.std(axis=1)
    rows = np.flatnonzero(varied >= np.median(varied))
    a, b = (rows[k] for k in np.triu_indices(rows.size, 1))
    near = np.abs(total[a] - total[b]) <= np.minimum(error[a], error[b])
    texts = values.cells.to_numpy()
    near &= (texts[a] != texts[b]).any(axis=1)
    a, b = a[near], b[near]
    unit = psi - psi.mean(axis=1, keepdims=True)
    norm = np.linalg.norm(unit, axis=1, keepdims=True)
    unit = np.divide(unit, norm, out=np.zeros_like(unit), where=norm > 0)
    labels = np.array(values.labels, object)
    pairs = pd.DataFrame(
        {
            "row_number": values.row_numbers[a],
            "other_row_number": values.row_numbers[b],
            "value": total[a],
            "other_value": total[b],
            "same_class": labels[a] == labels[b],
            "correlation": np.einsum("ij,ij->i", unit[a], unit[b]),
        }
    )
    return pairs.sort_values("correlation", ascending=False, ignore_index=True)


def run(data: Path | None, quick: bool) -> Reproduction:
    n_train, n_test = (90, 90) if quick else (N_TRAIN, N_TEST)
    frame = read("breast_cancer", data, sample=quick)
    rows = np.random.default_rng(0).permutation(len(frame))[: n_train + n_test]
    table, test = train_and_test(frame.iloc[rows], n_train, frame)
    values = value_cells(table, test=test)
    points = alike_rows(values)
    found = numbers_of(points, n_train)
    return Reproduction("pairs", found, points, figure_of(values, points))


def numbers_of(points: pd.DataFrame, n_train: int) -> list[Number]:
    found = [
        Number("training rows", n_train, "", "242"),
        Number("pairs whose 1D values are within one standard error", len(points)),
    ]
    ends = (("most", 0, "'close'"), ("least", -1, "'completely unrelated'"))
    for which, position, paper in ends:
        pair, words = points.iloc[position], f"the pair {which} alike"
        r = pair["correlation"]
        found += [
            Number(f"{words}: correlation of the cells", r, "", paper),
            Number(f"{words}: row number of one", pair["row_number"]),
            Number(f"{words}: row number of the other", pair["other_row_number"]),
            Number(f"{words}: 1D value of one", pair["value"]),
            Number(f"{words}: 1D value of the other", pair["other_value"]),
        ]
    r = points["correlation"]
    shares = {
        f"pairs that correlate with {SAME} or more": r >= SAME,
        f"pairs that correlate with {APART} or less": r <= APART,
        "pairs of the same class": points["same_class"],
    }
    return found + [Number(what, 100 * own.mean(), "%") for what, own in shares.items()]


def figure_of(values: CellValues, points: pd.DataFrame) -> go.Figure:
    """The cells of the pair most alike, and of the one least alike."""
    shown = {"Alike": points.iloc[0], "Not alike": points.iloc[-1]}
    figure = make_subplots(
        1,
        len(shown),
        subplot_titles=[
            f"{name}: correlation {pair['correlation']:.2f}"
            for name, pair in shown.items()
        ],
        shared_yaxes=True,
        horizontal_spacing=0.04,
    )
    names = figure_names(values.column_names, 28)
    for k, pair in enumerate(shown.values()):
        for which, (colour, _dash) in zip(("", "other_"), STYLES[:2], strict=True):
            number = pair[f"{which}row_number"]
            figure.add_bar(
                x=names,
                y=(1e4 * values.values[values.position(number)]).tolist(),
                name=f"row {number}: {1e4 * pair[f'{which}value']:.1f}",
                marker={"color": colour},
                hovertemplate="%{y:.2f}",
                legendgroup=str(k),
                row=1,
                col=k + 1,
            )
    plain(figure, 460)
    figure.update_yaxes(title_text="value of the cell, in 0.01 % accuracy", col=1)
    figure.update_xaxes(tickangle=-40)
    figure.update_layout(barmode="group", legend={"y": 1.12}, margin={"t": 96})
    return figure
