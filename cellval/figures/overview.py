"""A whole table at a glance as a plotly figure; no computing, no streamlit."""

from itertools import pairwise

import numpy as np
import plotly.graph_objects as go

from cellval.figures.heatmap import point_data, scaled
from cellval.figures.palette import CLEAR, LOW_COLOURS, SELECTED
from cellval.text import content, figure_text
from cellval.views.bands import Bands
from cellval.views.value_view import ValueView


def overview(
    view: ValueView,
    order: np.ndarray,
    pooled: Bands,
    window: tuple[int, int],
    *,
    height: int = 700,
) -> go.Figure:
    """All rows in bands: each shows its lowest cell, so one bad cell stays visible."""
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
    size = n_bands / max(int(pooled.row_edges[-1]), 1)
    edges = [window[0] * size - 0.5, window[1] * size - 0.5]
    xs = [-0.5, n_groups - 0.5, n_groups - 0.5, -0.5, -0.5]
    figure = go.Figure(
        [
            dict(
                type="heatmap",
                z=scaled(pooled.lowest, unit.factor),
                colorscale=LOW_COLOURS,
                zmin=low * unit.factor,
                zmax=high * unit.factor,
                showscale=False,
                hoverinfo="skip",
            ),
            dict(
                type="scattergl",
                x=np.tile(np.arange(n_groups), n_bands),
                y=np.repeat(np.arange(n_bands), n_groups),
                customdata=point_data(known),
                mode="markers",
                marker={"opacity": 0, "size": 6, "symbol": "square"},
                selected={"marker": {"opacity": 0}},
                unselected={"marker": {"opacity": 0}},
                hovertemplate=(
                    "lowest of %{customdata[6]}: <b>%{customdata[4]}</b><br>"
                    "%{customdata[5]}, %{customdata[2]}: %{customdata[3]}<br>"
                    "click to go there<extra></extra>"
                ),
                showlegend=False,
            ),
            dict(
                type="scatter",
                x=xs,
                y=[edges[0], edges[0], edges[1], edges[1], edges[0]],
                mode="lines",
                line={"color": SELECTED, "width": 2},
                hoverinfo="skip",
                showlegend=False,
            ),
        ]
    )
    figure.update_layout(
        height=height,
        margin={"l": 4, "r": 4, "t": 8, "b": 8},
        paper_bgcolor=CLEAR,
        plot_bgcolor=CLEAR,
        hovermode="closest",
        hoverdistance=-1,
        xaxis={"visible": False, "range": [-0.5, n_groups - 0.5]},
        yaxis={"visible": False, "range": [n_bands - 0.5, -0.5]},
    )
    return figure
