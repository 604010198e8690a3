"""A whole table at a glance as a plotly figure; no computing, no streamlit."""

from itertools import pairwise
from typing import Any

import numpy as np
import plotly.graph_objects as go

from cellval.figures.cells import line, point_data, points, scaled
from cellval.figures.layout import lay_out, named_axis
from cellval.figures.palette import LOW_COLOURS, SELECTED
from cellval.text import content, figure_text
from cellval.views.bands import Bands
from cellval.views.value_view import ValueView


def overview(
    view: ValueView,
    order: np.ndarray,
    pooled: Bands,
    window: tuple[int, int] | None,
    *,
    height: int = 700,
) -> go.Figure:
    """All rows in bands: each shows its lowest cell, so one bad cell stays visible.

    The window, by positions in the order, is framed; without one axes have names.
    """
    values, unit = view.values, view.unit
    low, high = pooled.limits
    n_bands, n_groups = pooled.lowest.shape
    names = [figure_text(name) for name in values.column_names]
    rows, columns = order[pooled.position], pooled.column
    texts = values.cells.to_numpy(object)[rows, columns].tolist()
    known = []
    for b, (first, last) in enumerate(pairwise(pooled.row_edges.tolist())):
        span = f"{first + 1:,} to {last:,}"
        for g in range(n_groups):
            i, j = int(rows[b, g]), int(columns[b, g])
            text = figure_text(content(texts[b][g]))
            value = unit.text(pooled.lowest[b, g])
            number = f"row {values.row_numbers[i]:,}"
            known.append([i, j, names[j], text, value, number, span])
    down, across = np.indices(pooled.lowest.shape).reshape(2, -1)
    traces = [
        dict(
            type="heatmap",
            z=scaled(pooled.lowest, unit.factor),
            colorscale=LOW_COLOURS,
            zmin=low * unit.factor,
            zmax=high * unit.factor,
            showscale=False,
            hoverinfo="skip",
        ),
        points(
            across,
            down,
            point_data(known),
            "lowest of %{customdata[6]}: <b>%{customdata[4]}</b><br>"
            "%{customdata[5]}, %{customdata[2]}: %{customdata[3]}<br>"
            "click to go there",
            {"opacity": 0},
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
        names = [figure_text(values.column_names[j], 18) for j in firsts]
        xaxis = named_axis(names, step=-(-n_groups // 30), tickangle=-90)
        xaxis |= {"side": "bottom", "automargin": True}
        shown = np.unique(np.linspace(0, n_bands - 1, 9).astype(int))
        numbers = values.row_numbers[order[pooled.row_edges[shown]]]
        yaxis |= {"visible": True, "automargin": True, "tickvals": shown.tolist()}
        yaxis |= {"ticktext": [f"row {number:,}" for number in numbers]}
        yaxis |= {"showgrid": False, "zeroline": False}
    return lay_out(
        go.Figure(traces),
        height,
        (4, 4, 8, 8),
        hoverdistance=-1,
        xaxis=xaxis,
        yaxis=yaxis,
    )
