"""Two samples of the same 1D value: are their cells alike, or do they differ?

The paper's reading of 1D values: a row's value is the sum of its cells, and the same
sum has more than one reason.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

import cellval
from cellval.experiments.data import read, table_of
from cellval.experiments.result import Line, Result
from cellval.experiments.wording import percent
from cellval.figures.lines import STYLES, plain
from cellval.table.table import Table
from cellval.text import figure_text
from cellval.values.result import CellValues

N_TRAIN, N_TEST = 242, 241  # as in the paper
SAME = 0.9  # correlation from which cells count as alike


@dataclass(frozen=True, eq=False)
class Pairs:
    """All pairs of rows with alike 1D values.

    Attributes
    ----------
    first, second : ndarray of int
        Positions of the rows.
    correlation : ndarray of float
        Of their cells' values.
    """

    first: np.ndarray
    second: np.ndarray
    correlation: np.ndarray

    def at(self, k: int) -> tuple[int, int]:
        return int(self.first[k]), int(self.second[k])


def alike_rows(values: CellValues) -> Pairs:
    """Pairs whose 1D values are within one standard error of each other.

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
    return Pairs(a, b, np.einsum("ij,ij->i", unit[a], unit[b]))


def run(data: Path | None, quick: bool) -> Result:
    """The experiment; see `cellval.experiments`."""
    n_train, n_test = (90, 90) if quick else (N_TRAIN, N_TEST)
    frame = read("breast_cancer", data, sample=quick)
    rows = np.random.default_rng(0).permutation(len(frame))
    table = table_of(frame.iloc[rows[:n_train]].reset_index(drop=True), frame)
    test = frame.iloc[rows[n_train : n_train + n_test]]
    values = cellval.value_cells(table, test=Table.from_frame(test, like=table))
    pairs = alike_rows(values)
    alike = pairs.at(int(np.argmax(pairs.correlation)))
    apart = pairs.at(int(np.argmin(pairs.correlation)))
    high, low = float(pairs.correlation.max()), float(pairs.correlation.min())
    figure = _figure(values, {"Alike": (alike, high), "Not alike": (apart, low)})
    out = pd.DataFrame(
        {
            "row": values.row_numbers[pairs.first],
            "other_row": values.row_numbers[pairs.second],
            "value": values.row_values[pairs.first],
            "other_value": values.row_values[pairs.second],
            "same_class": table.y[pairs.first] == table.y[pairs.second],
            "correlation": pairs.correlation,
        }
    ).sort_values("correlation", ascending=False, ignore_index=True)
    lines = [
        Line("correlation of the cells, the pair most alike", "'close'", f"{high:.2f}"),
        Line(
            "correlation of the cells, the pair least alike",
            "'completely unrelated'",
            f"{low:.2f}",
        ),
    ]
    text = _paragraph(values, pairs, (alike, high), (apart, low))
    return Result("pairs", out, figure, text, lines)


def _figure(
    values: CellValues, pairs: dict[str, tuple[tuple[int, int], float]]
) -> go.Figure:
    titles = [f"{title}: correlation {r:.2f}" for title, (_, r) in pairs.items()]
    figure = make_subplots(
        1, len(pairs), subplot_titles=titles, shared_yaxes=True, horizontal_spacing=0.04
    )
    names = [figure_text(name, 28) for name in values.column_names]
    for k, (rows, _) in enumerate(pairs.values()):
        for row, (colour, _dash) in zip(rows, STYLES[:2], strict=True):
            total = values.row_values[row]
            figure.add_bar(
                x=names,
                y=(1e4 * values.values[row]).tolist(),
                name=f"row {values.row_numbers[row]}: {1e4 * total:.1f}",
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


def _paragraph(
    values: CellValues,
    pairs: Pairs,
    alike: tuple[tuple[int, int], float],
    apart: tuple[tuple[int, int], float],
) -> str:
    def told(pair: tuple[tuple[int, int], float]) -> str:
        (a, b), r = pair
        one, two = values.row_values[[a, b]]
        return (
            f"rows {values.row_numbers[a]} and {values.row_numbers[b]} (1D values "
            f"{one:.2g} and {two:.2g}, classes {values.labels[a]} and "
            f"{values.labels[b]}) with a correlation of {r:.2f}"
        )

    n = pairs.correlation.size
    many = float(np.mean(pairs.correlation >= SAME))
    none = float(np.mean(pairs.correlation <= 0.1))
    agrees = (
        "So the paper's observation holds: the same 1D value has different reasons"
        if apart[1] <= 0.1 and alike[1] >= SAME
        else "So the paper's contrast shows only in part"
    )
    opposite = ", which is not just unrelated but opposite" if apart[1] < -0.3 else ""
    return (
        f"Breast Cancer, {values.values.shape[0]} training rows. The paper shows one "
        "pair of samples with like 1D values and like cells, and one whose cells are "
        "'completely unrelated', without numbers. Of all "
        f"{n:,} pairs whose 1D values lie within one standard error of each other (no "
        f"copies, and cells that vary), the cells most alike are those of "
        f"{told(alike)}, the least alike those of {told(apart)}{opposite}. "
        f"{percent(many)} of these pairs correlate with {SAME} or more, "
        f"{percent(none)} with 0.1 or less. {agrees}."
    )
