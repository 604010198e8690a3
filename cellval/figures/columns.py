"""What each column is worth, and how its cells spread."""

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from cellval.figures.layout import BAR_PIXELS, plain_layout
from cellval.figures.palette import GREY, HIGH, LOW
from cellval.text import figure_text
from cellval.values.result import CellValues
from cellval.values.words import Unit
from cellval.views.value_view import ValueView

MAX_COLUMNS = 60


def column_bars(view: ValueView, columns: np.ndarray) -> go.Figure:
    """1D values with standard errors, and the spread of each column's cell values."""
    values = view.values
    big, small = view.column_unit, view.unit
    names = [figure_text(values.column_names[j], 26) for j in columns]
    places = list(range(len(columns)))
    sizes = values.column_values[columns] * big.factor
    figure = make_subplots(
        cols=2,
        shared_yaxes=True,
        horizontal_spacing=0.03,
        subplot_titles=(
            f"Column value ± standard error, {big.name} of accuracy",
            f"Spread of its cell values, {small.name} of accuracy",
        ),
    )
    figure.add_bar(
        y=places,
        x=sizes.tolist(),
        orientation="h",
        error_x={
            "array": (values.column_stderr[columns] * big.factor).tolist(),
            "color": GREY,
            "thickness": 1.5,
        },
        marker_color=[LOW if size < 0 else HIGH for size in sizes],
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 1}},
        customdata=[
            [
                int(j),
                name,
                big.with_error(values.column_values[j], values.column_stderr[j]),
            ]
            for j, name in zip(columns, names, strict=True)
        ],
        hovertemplate=(
            "<b>%{customdata[1]}</b><br>%{customdata[2]} of accuracy<br>"
            "click: heatmap sorted by this column<extra></extra>"
        ),
        row=1,
        col=1,
    )
    _boxes(figure, values, columns, places, small)
    figure.update_yaxes(
        tickmode="array",
        tickvals=places,
        ticktext=names,
        range=[len(places) - 0.5, -0.5],
        automargin=True,
        showgrid=False,
    )
    figure.update_xaxes(zeroline=True, zerolinecolor=GREY)
    figure.update_layout(showlegend=False, bargap=0.3, hovermode="closest")
    figure.update_annotations(font_size=13)
    return plain_layout(figure, 100 + BAR_PIXELS * len(columns))


def _boxes(
    figure: go.Figure,
    values: CellValues,
    columns: np.ndarray,
    places: list[int],
    unit: Unit,
) -> None:
    """Five numbers per column instead of all cells, and the lowest cell as a dot."""
    cells = values.values[:, columns]
    cells = cells[np.isfinite(cells).all(axis=1)]
    if len(cells) == 0:
        return
    q = np.quantile(cells, [0.05, 0.25, 0.5, 0.75, 0.95], axis=0) * unit.factor
    figure.add_trace(
        go.Box(
            y=places,
            lowerfence=q[0],
            q1=q[1],
            median=q[2],
            q3=q[3],
            upperfence=q[4],
            orientation="h",
            marker_color=GREY,
            line_width=1.5,
            hoverinfo="x",
        ),
        row=1,
        col=2,
    )
    figure.add_scatter(
        x=(cells.min(axis=0) * unit.factor).tolist(),
        y=places,
        mode="markers",
        marker={"color": LOW, "size": 7},
        hovertemplate="lowest cell %{x:.4g} " + unit.name + "<extra></extra>",
        row=1,
        col=2,
    )
