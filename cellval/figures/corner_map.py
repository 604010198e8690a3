"""Does a cell hurt, against: is it surprising? Each corner of the plot has a name.

Both axes keep "lower is worse": the likely errors are at the bottom left.
"""

from typing import Any

import numpy as np
import plotly.graph_objects as go

from cellval.detect.suspicion import CORNERS, SURPRISING, Suspicion
from cellval.figures.cells import HOVER_CELL, HOVER_ROW, Cell, Trace, cell_data
from cellval.figures.layout import lay_out
from cellval.figures.palette import CORNER_COLOURS, GREY, SELECTED, see_through
from cellval.stats import SURE
from cellval.text import counted, one_in
from cellval.views.corners import in_standard_errors, score_limits
from cellval.views.value_view import value_view

LOWEST = 1e-6  # smaller surprise is drawn there
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
STRIP = 0.3  # of the height between the lowest and highest cell, for a corner's name
# How much of the points of a corner is seen: where many lie on each other it is darker.
# It is part of the colour, since a click would change the opacity of all points.
SEEN = {"error": 0.95, "odd": 0.95, "hard": 0.6, "fine": 0.45}
PAD = 0.12  # decades beside the outermost cells
Edges = tuple[float, float, float, float]  # left, right, bottom, top


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
    low, high = score_limits(scores.ravel()[cells])
    x = np.log10(np.maximum(suspicion.surprise.surprise, LOWEST))
    y = np.clip(scores, low, high)
    at = np.unravel_index(cells, scores.shape)
    points = _points(suspicion, scores, at, x[at], y[at])
    # The cell that is looked at, as if it was clicked; if it is not among those drawn,
    # with a ring.
    ring: tuple[list[int], list[int]] = ([], [])
    if selected is not None:
        i, j = selected
        drawn = np.flatnonzero((at[0] == i) & (at[1] == j)).tolist()
        if drawn:
            points["selectedpoints"] = drawn
        else:
            ring = [i], [j]
    figure = go.Figure(
        [
            points,
            dict(
                type="scatter",
                x=x[ring],
                y=y[ring],
                mode="markers",
                marker={"symbol": "circle-open", "size": 15, "color": SELECTED}
                | {"line": {"width": 3}},
                hoverinfo="skip",
                showlegend=False,
            ),
        ]
    )
    strip = STRIP * (high - low)
    edges = np.log10(LOWEST) - PAD, PAD, low - strip, high + strip
    _lay_out(figure, low, high, edges)
    _fields(figure, counts, edges)
    return figure


def _points(
    suspicion: Suspicion, scores: np.ndarray, at: Any, x: np.ndarray, y: np.ndarray
) -> Trace:
    assert suspicion.values is not None
    kinds, words = suspicion.corner[at], list(CORNERS.values())
    colours = np.array(
        [see_through(CORNER_COLOURS[name], by) for name, by in SEEN.items()], object
    )
    known = cell_data(
        value_view(suspicion.values),
        *at,
        [f"{score:+.1f}".replace("-", "−") for score in scores[at].tolist()],
        [one_in(share) for share in suspicion.surprise.surprise[at].tolist()],
        [words[kind] for kind in kinds.tolist()],
    )
    return dict(
        type="scattergl",
        x=x.astype(np.float32),
        y=y.astype(np.float32),
        customdata=known,
        mode="markers",
        marker={
            "color": colours[kinds],
            "size": np.array([8, 7, 6, 5])[kinds],
            "opacity": 1,
            "line": {"width": 0},
        },
        selected={"marker": {"color": SELECTED, "size": 12, "opacity": 1}},
        unselected={"marker": {"opacity": 1}},
        hovertemplate=(
            f"{HOVER_CELL} (%{{customdata[8]}} standard errors)<br>"
            "surprise: %{customdata[9]} ordinary cells look at least as odd<br>"
            f"%{{customdata[10]}}<br>{HOVER_ROW}<extra></extra>"
        ),
        showlegend=False,
    )


def _fields(figure: go.Figure, counts: dict[str, int], edges: Edges) -> None:
    """The four corners: tinted, named in words, with the number of their cells."""
    left, right, bottom, top = edges
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
            fillcolor=CORNER_COLOURS[name],
            opacity=0.07,
            line_width=0,
            layer="below",
        )
        low_one = name in ("error", "hard")
        words = CORNERS[name].replace(": ", ":<br>").replace(" or ", " or<br>")
        figure.add_annotation(
            x=x0,
            y=y0 if low_one else y1,
            text=f"<b>{words}</b><br>{counted(counts[name], 'cell')}",
            **{"showarrow": False, "align": "left", "xanchor": "left", "xshift": 6},
            yanchor="bottom" if low_one else "top",
            font_size=12,
        )
    line = {"color": GREY, "width": 1, "dash": "dash"}
    figure.add_vline(x=middle, line=line)
    figure.add_hline(y=-SURE, line=line)


def _lay_out(figure: go.Figure, low: float, high: float, edges: Edges) -> None:
    step = next((s for s in (2, 5, 10, 20, 50) if (high - low) / s <= 9), 100)
    first, last = int(np.ceil(low / step)), int(np.floor(high / step))
    heights = {0, -int(SURE)} | {
        k * step for k in range(first, last + 1) if abs(k * step + SURE) > 0.35 * step
    }
    signed = {y: f"{y:+d}".replace("-", "−") if y else "0" for y in sorted(heights)}
    lay_out(
        figure,
        HEIGHT,
        (8, 8, 30, 8),
        xaxis=_axis(
            edges[:2],
            TICKS,
            "<b>Is it surprising?</b> So many ordinary cells look at least as odd<br>"
            "← fewer: more surprising (lower is worse)",
            tickangle=0,
        ),
        yaxis=_axis(
            edges[2:],
            signed,
            "<b>Does it hurt?</b> Value in standard errors<br>"
            "← below 0 it hurts (lower is worse)",
        ),
    )


def _axis(
    ends: tuple[float, ...], ticks: dict[int, str], title: str, **more: Any
) -> dict[str, Any]:
    return {
        **{"showgrid": False, "zeroline": False, "automargin": True},
        **{"tickmode": "array", "tickvals": [*ticks], "ticktext": [*ticks.values()]},
        **{"range": list(ends), "title": {"text": title}},
        **more,
    }
