"""A whole table at a glance as a plotly figure; no computing, no streamlit."""

from itertools import pairwise
from typing import Any

import numpy as np
import plotly.graph_objects as go

from cellval.figures.cells import (
    SUSPICION_RANGE,
    decades,
    held_out,
    line,
    point_data,
    points,
    scaled,
    texts_at,
)
from cellval.figures.layout import colour_bar, lay_out, named_axis
from cellval.figures.palette import LOW_COLOURS, SELECTED
from cellval.text import content, figure_names, figure_text, share
from cellval.views.bands import Bands
from cellval.views.value_view import ValueView

LEGEND_PIXELS = 84  # at the top, where a title says what the colours mean


def overview(
    view: ValueView,
    order: np.ndarray,
    pooled: Bands,
    window: tuple[int, int] | None,
    *,
    by_suspicion: bool = False,
    height: int = 700,
) -> go.Figure:
    """All rows in bands: each shows its lowest cell, so one bad cell stays visible.

    Pooled are values or suspicion, of which the lowest is the worst, too. The window,
    by positions in the order, is framed, and colours are explained; without one axes
    have names.
    """
    values, unit = view.values, view.unit
    n_bands, n_groups = pooled.lowest.shape
    # Beside a window it is so narrow that a longer text would be cut off.
    names = figure_names(values.column_names, 18 if window else 60)
    rows, columns = order[pooled.position], pooled.column
    texts = texts_at(values, rows, columns)
    known = []
    for b, (first, last) in enumerate(pairwise(pooled.row_edges.tolist())):
        span = f"{first + 1:,} to {last:,}"
        for g in range(n_groups):
            i, j = int(rows[b, g]), int(columns[b, g])
            text = figure_text(content(texts[b, g], 12 if window else 40))
            worst = float(pooled.lowest[b, g])
            value = f"suspicion {share(worst)}" if by_suspicion else unit.text(worst)
            number = f"row {values.row_numbers[i]:,}"
            known.append([i, j, names[j], text, value, number, span])
    down, across = np.indices(pooled.lowest.shape).reshape(2, -1)
    if by_suspicion:
        coloured = {"z": decades(pooled.lowest), **SUSPICION_RANGE}
    else:
        low, high = (end * unit.factor for end in pooled.limits)
        coloured = {"z": scaled(pooled.lowest, unit.factor), "colorscale": LOW_COLOURS}
        coloured |= {"zmin": low, "zmax": high}
    worst_one = "most suspicious" if by_suspicion else "lowest"
    scale: dict[str, Any] = {"showscale": False}
    if window:
        low, high = coloured["zmin"], coloured["zmax"]
        ends = [low + at * (high - low) for at in (0.15, 0.85)]  # words need room
        words = ["usual", "worst"] if by_suspicion else ["lowest", "usual"]
        places = {"y": 1 - 36 / height, "yref": "container", "xpad": 0, "ypad": 0}
        scale = {"colorbar": colour_bar(1, **places)}
        scale["colorbar"] |= {"tickmode": "array", "tickvals": ends, "ticktext": words}
    traces = [
        dict(type="heatmap", **coloured, **scale, hoverinfo="skip"),
        *held_out(pooled.lowest),
        points(
            across,
            down,
            point_data(known),
            f"{worst_one} of %{{customdata[6]}}: <b>%{{customdata[4]}}</b><br>"
            "%{customdata[5]}, %{customdata[2]}: %{customdata[3]}<br>"
            "click to go there",
        ),
    ]
    xaxis: dict[str, Any] = {"visible": False, "range": [-0.5, n_groups - 0.5]}
    yaxis: dict[str, Any] = {"visible": False, "range": [n_bands - 0.5, -0.5]}
    if window:
        size = n_bands / max(int(pooled.row_edges[-1]), 1)
        top, bottom = (at * size - 0.5 for at in window)
        xs = [-0.5, n_groups - 0.5, n_groups - 0.5, -0.5, -0.5]
        traces.append(line(xs, [top, top, bottom, bottom, top], SELECTED, 2))
    else:
        firsts = pooled.column_edges[:-1]
        names = figure_names([values.column_names[j] for j in firsts], 18)
        xaxis = named_axis(names, step=-(-n_groups // 30), tickangle=-90)
        xaxis |= {"side": "bottom", "automargin": True}
        shown = np.unique(np.linspace(0, n_bands - 1, 9).astype(int))
        numbers = values.row_numbers[order[pooled.row_edges[shown]]]
        yaxis |= {"visible": True, "automargin": True, "tickvals": shown.tolist()}
        yaxis |= {"ticktext": [f"row {number:,}" for number in numbers]}
        yaxis |= {"showgrid": False, "zeroline": False}
    figure = lay_out(
        go.Figure(traces),
        height,
        (4, 4, LEGEND_PIXELS if window else 8, 8),
        menu=False,
        hoverdistance=-1,
        xaxis=xaxis,
        yaxis=yaxis,
    )
    if window:
        _title(figure, len(order), "worst" if by_suspicion else "lowest")
    return figure


def _title(figure: go.Figure, n: int, worst_one: str) -> None:
    """What the strip is, in lines that fit its width."""
    figure.add_annotation(
        text=f"<b>All {n:,} rows</b><br>{worst_one} cell of each band",
        **{"xref": "paper", "x": 0, "xanchor": "left", "showarrow": False},
        **{"yref": "paper", "y": 1, "yanchor": "top", "align": "left"},
        **{"yshift": LEGEND_PIXELS, "font_size": 11, "borderpad": 0},
    )
    figure.add_annotation(
        text=f'<span style="color:{SELECTED}">▭</span> the rows beside',
        **{"xref": "paper", "x": 0, "xanchor": "left", "showarrow": False},
        **{"yref": "paper", "y": 1, "yanchor": "bottom", "align": "left"},
        **{"font_size": 11, "borderpad": 0},
    )
