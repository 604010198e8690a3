"""Does a cell hurt, against: is it surprising? Each corner of the plot has a name.

Both axes keep "lower is worse": the likely errors are at the bottom left.
"""

from typing import Any

import numpy as np
import plotly.graph_objects as go

from cellval.detect.suspicion import CORNERS, SURPRISING, Suspicion
from cellval.figures.heatmap import Cell, Trace, point_data
from cellval.figures.palette import CLEAR, GREY, HIGH, LOW, SELECTED
from cellval.stats import SURE
from cellval.text import content, figure_text, one_in
from cellval.values.result import CellValues
from cellval.views.value_view import value_view

MOST_DRAWN = 3000
# Of these at most so many are the most suspicious of the surprising cells, where there
# are too many; the rest is a fair sample of the two ordinary corners.
MOST_SURPRISING = 1500
LOWEST = 1e-6  # smaller surprise is drawn there
COLOURS = {"error": LOW, "odd": "#009e73", "hard": HIGH, "fine": GREY}
TICKS = {
    -6: "1 in a<br>million<br>or less",
    -5: "1 in<br>100,000",
    -4: "1 in<br>10,000",
    -3: "1 in<br>1,000",
    -2: "1 in<br>100",
    -1: "1 in<br>10",
    0: "all",
}
HEIGHT = 560
STRIP = 0.19  # of the height between the lowest and highest cell, for a corner's name
PAD = 0.12  # decades beside the outermost cells


def in_standard_errors(values: CellValues) -> np.ndarray:
    """Values in standard errors from 0; NaN where either is unknown."""
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = values.values / values.stderr
    return np.where((values.stderr == 0) & (values.values == 0), 0.0, scores)


def corner_counts(suspicion: Suspicion, keep: np.ndarray) -> dict[str, int]:
    """How many of the cells in the mask lie in each corner."""
    counts = np.bincount(suspicion.corner[keep], minlength=len(CORNERS))
    return dict(zip(CORNERS, counts.tolist(), strict=True))


def drawn_cells(
    suspicion: Suspicion, keep: np.ndarray, most: int = MOST_DRAWN, seed: int = 0
) -> np.ndarray:
    """Flat positions of the cells to draw, the most suspicious last (on top).

    All that are not fine, and a sample of the fine ones. Where that is too much, the
    most suspicious of the surprising cells, and samples of the others.
    """
    assert suspicion.values is not None
    keep = keep & ~np.isnan(in_standard_errors(suspicion.values))
    order = suspicion.order[keep.ravel()[suspicion.order]]
    corner = suspicion.corner.ravel()[order]
    odd, hard, fine = order[corner <= 1], order[corner == 2], order[corner == 3]
    if odd.size + hard.size > most:
        odd = odd[: max(MOST_SURPRISING * most // MOST_DRAWN, most - hard.size)]
        half = (most - odd.size) // 2
        hard = _sample(hard, max(half, most - odd.size - fine.size), seed)
    fine = _sample(fine, most - odd.size - hard.size, seed)
    return np.concatenate([odd, hard, fine])[::-1]


def _sample(cells: np.ndarray, k: int, seed: int) -> np.ndarray:
    if cells.size <= k:
        return cells
    chosen = np.random.default_rng(seed).choice(cells.size, k, replace=False)
    return cells[np.sort(chosen)]


def not_drawn_words(suspicion: Suspicion, keep: np.ndarray, cells: np.ndarray) -> str:
    """How many cells are drawn and which are not, as sentences."""
    assert suspicion.values is not None
    n, total = cells.size, int(keep.sum())
    if n == total:
        return f"All {n:,} cells are drawn."
    known = keep & ~np.isnan(in_standard_errors(suspicion.values))
    left = known.copy()
    left.ravel()[cells] = False
    parts = [
        f"{count:,} {CORNERS[name].partition(':')[0]}"
        for name, count in corner_counts(suspicion, left).items()
        if count
    ]
    unknown = total - int(known.sum())
    if unknown:
        parts.append(f"{unknown:,} whose value or standard error is not known")
    more = " Of the ordinary cells a random sample is drawn." if left.any() else ""
    return f"{n:,} of {total:,} cells are drawn.{more} Not drawn: {', '.join(parts)}."


def corner_plot(
    suspicion: Suspicion,
    cells: np.ndarray,
    counts: dict[str, int],
    *,
    selected: Cell | None = None,
) -> go.Figure:
    """Value in standard errors against surprise, for these cells by flat position."""
    assert suspicion.values is not None
    scores = in_standard_errors(suspicion.values)
    low, high = _limits(scores.ravel()[cells])
    figure = go.Figure(
        [
            _points(suspicion, scores, cells, low, high),
            _ring(suspicion, scores, selected, low, high),
        ]
    )
    _lay_out(figure, low, high)
    _fields(figure, counts, low, high)
    return figure


def _limits(scores: np.ndarray) -> tuple[float, float]:
    """A few cells far away must not press the others into a line."""
    known = scores[np.isfinite(scores)]
    if known.size == 0:
        return -2 * SURE, 2 * SURE
    low, high = np.quantile(known, [0.005, 0.995]).tolist()
    return min(low, -3 * SURE), max(high, 2 * SURE)


def _place(
    suspicion: Suspicion, scores: np.ndarray, cells: Any, low: float, high: float
) -> tuple[np.ndarray, np.ndarray]:
    x = np.log10(np.maximum(suspicion.surprise.surprise.ravel()[cells], LOWEST))
    return x, np.clip(scores.ravel()[cells], low, high)


def _points(
    suspicion: Suspicion, scores: np.ndarray, cells: np.ndarray, low: float, high: float
) -> Trace:
    x, y = _place(suspicion, scores, cells, low, high)
    kinds = suspicion.corner.ravel()[cells]
    colours = np.array(list(COLOURS.values()), object)
    return dict(
        type="scattergl",
        x=x.astype(np.float32),
        y=y.astype(np.float32),
        customdata=_known(suspicion, cells),
        mode="markers",
        marker={
            "color": colours[kinds],
            "size": np.array([8, 7, 6, 5])[kinds],
            "opacity": 0.7,
            "line": {"width": 0},
        },
        selected={"marker": {"color": SELECTED, "size": 12, "opacity": 1}},
        unselected={"marker": {"opacity": 1}},
        hovertemplate=(
            "<b>%{customdata[2]}</b>: %{customdata[3]}<br>"
            "value %{customdata[4]} (%{customdata[5]} standard errors)<br>"
            "surprise: %{customdata[6]} ordinary cells look at least as odd<br>"
            "%{customdata[7]}<br>"
            "%{customdata[8]}, id %{customdata[9]}, class %{customdata[10]}"
            "<extra></extra>"
        ),
        showlegend=False,
    )


def _known(suspicion: Suspicion, cells: np.ndarray) -> np.ndarray:
    """What hovering shows; the first two find the cell again after a click."""
    values = suspicion.values
    assert values is not None
    unit, scores = value_view(values).unit, in_standard_errors(values)
    names = [figure_text(name, 60) for name in values.column_names]
    corners = list(CORNERS.values())
    lines = []
    for i, j in zip(*np.unravel_index(cells, scores.shape), strict=True):
        lines.append(
            [
                int(i),
                int(j),
                names[j],
                figure_text(content(values.cells.iat[i, j])),
                unit.with_error(values.values[i, j], values.stderr[i, j]),
                f"{scores[i, j]:+.1f}".replace("-", "−"),
                one_in(float(suspicion.surprise.surprise[i, j])),
                corners[int(suspicion.corner[i, j])],
                f"row {values.row_numbers[i]:,}",
                figure_text(values.ids[i]),
                figure_text(values.labels[i], 24),
            ]
        )
    return point_data(lines)


def _ring(
    suspicion: Suspicion, scores: np.ndarray, cell: Cell | None, low: float, high: float
) -> Trace:
    """Around the cell that is looked at, also if it is not among those drawn."""
    cells = [] if cell is None else [cell[0] * scores.shape[1] + cell[1]]
    x, y = _place(suspicion, scores, np.array(cells, int), low, high)
    return dict(
        type="scatter",
        x=x,
        y=y,
        mode="markers",
        marker={
            "size": 15,
            "symbol": "circle-open",
            "color": SELECTED,
            "line": {"width": 3},
        },
        hoverinfo="skip",
        showlegend=False,
    )


def _edges(low: float, high: float) -> tuple[float, float, float, float]:
    strip = STRIP * (high - low)
    return np.log10(LOWEST) - PAD, PAD, low - strip, high + strip


def _fields(figure: go.Figure, counts: dict[str, int], low: float, high: float) -> None:
    """The four corners: tinted, named in words, with the number of their cells."""
    left, right, bottom, top = _edges(low, high)
    middle = float(np.log10(SURPRISING))
    places = {
        "error": (left, middle, bottom, -SURE),
        "odd": (left, middle, -SURE, top),
        "hard": (middle, right, bottom, -SURE),
        "fine": (middle, right, -SURE, top),
    }
    for name, (x0, x1, y0, y1) in places.items():
        figure.add_shape(
            type="rect",
            **{"x0": x0, "x1": x1, "y0": y0, "y1": y1},
            fillcolor=COLOURS[name],
            opacity=0.07,
            line_width=0,
            layer="below",
        )
        low_one = name in ("error", "hard")
        cells = "1 cell" if counts[name] == 1 else f"{counts[name]:,} cells"
        words = CORNERS[name].replace(": ", ":<br>")
        figure.add_annotation(
            x=x0,
            y=y0 if low_one else y1,
            text=f"<b>{words}</b><br>{cells}",
            **{"showarrow": False, "align": "left", "xanchor": "left", "xshift": 6},
            yanchor="bottom" if low_one else "top",
            font_size=12,
        )
    line = {"color": GREY, "width": 1, "dash": "dash"}
    figure.add_shape(
        type="line", **{"x0": middle, "x1": middle, "y0": bottom, "y1": top}, line=line
    )
    figure.add_shape(
        type="line", **{"x0": left, "x1": right, "y0": -SURE, "y1": -SURE}, line=line
    )


def _lay_out(figure: go.Figure, low: float, high: float) -> None:
    left, right, bottom, top = _edges(low, high)
    step = next((s for s in (2, 5, 10, 20, 50) if (high - low) / s <= 9), 100)
    first, last = int(np.ceil(low / step)), int(np.floor(high / step))
    heights = {0, -int(SURE)} | {
        k * step for k in range(first, last + 1) if abs(k * step + SURE) > 0.35 * step
    }
    plain = {"showgrid": False, "zeroline": False, "tickmode": "array"}
    figure.update_layout(
        height=HEIGHT,
        margin={"l": 8, "r": 8, "t": 30, "b": 8},
        paper_bgcolor=CLEAR,
        plot_bgcolor=CLEAR,
        hovermode="closest",
        xaxis={
            **plain,
            "range": [left, right],
            "tickvals": list(TICKS),
            "ticktext": list(TICKS.values()),
            "tickangle": 0,
            "title": {
                "text": "<b>Is it surprising?</b> So many ordinary cells look at least "
                "as odd<br>← fewer: more surprising (lower is worse)"
            },
            "automargin": True,
        },
        yaxis={
            **plain,
            "range": [bottom, top],
            "tickvals": sorted(heights),
            "ticktext": [
                f"{y:+d}".replace("-", "−") if y else "0" for y in sorted(heights)
            ],
            "title": {
                "text": "<b>Does it hurt?</b> Value in standard errors<br>"
                "← below 0 it hurts (lower is worse)"
            },
            "automargin": True,
        },
    )
