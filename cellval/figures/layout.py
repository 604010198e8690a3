"""The layout that all figures share: transparent, legend on top, little margin."""

import plotly.graph_objects as go

from cellval.figures.palette import CLEAR

MAX_BARS = 12
BAR_PIXELS = 26


def plain_layout(figure: go.Figure, height: int) -> go.Figure:
    figure.update_layout(
        height=height,
        margin={"l": 8, "r": 8, "t": 28, "b": 40},
        paper_bgcolor=CLEAR,
        plot_bgcolor=CLEAR,
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
    )
    return figure
