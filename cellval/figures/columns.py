"""What each column is worth, and how its cells spread."""

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from cellval.figures.cells import STAYS
from cellval.figures.layout import BAR_PIXELS, NO_POWERS, lay_out, named_axis
from cellval.figures.palette import GREY, LOW, sign_colours
from cellval.text import figure_text
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
        marker_color=sign_colours(sizes),
        **STAYS,
        customdata=[
            [int(j), name, view.column_text(j)]
            for j, name in zip(columns, names, strict=True)
        ],
        hovertemplate=(
            "<b>%{customdata[1]}</b><br>%{customdata[2]} of accuracy<br>"
            "click: heatmap sorted by this column<extra></extra>"
        ),
        row=1,
        col=1,
    )
    # A few numbers per column instead of all cells, and the lowest cell as a dot.
    spread = view.spread(columns)
    if spread is not None:
        lowest, *quantiles = spread * small.factor
        ends = ("lowerfence", "q1", "median", "q3", "upperfence")
        figure.add_box(
            y=places,
            **dict(zip(ends, quantiles, strict=True)),
            orientation="h",
            marker_color=GREY,
            line_width=1.5,
            hoverinfo="x",
            row=1,
            col=2,
        )
        figure.add_scatter(
            x=lowest.tolist(),
            y=places,
            mode="markers",
            marker={"color": LOW, "size": 7},
            customdata=[small.text(value) for value in spread[0].tolist()],
            hovertemplate="lowest cell %{customdata}<extra></extra>",
            row=1,
            col=2,
        )
    figure.update_yaxes(named_axis(names, down=True))
    figure.update_xaxes(zeroline=True, zerolinecolor=GREY, **NO_POWERS)
    figure.update_annotations(font_size=13)
    height = 100 + BAR_PIXELS * len(columns)
    return lay_out(figure, height, showlegend=False, bargap=0.3)
