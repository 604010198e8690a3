"""What each column is worth, and how its cells spread."""

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from cellval.figures.cells import STAYS
from cellval.figures.layout import BAR_PIXELS, NO_POWERS, lay_out, named_axis
from cellval.figures.palette import GREY, LOW, sign_colours
from cellval.text import counted, figure_name, figure_names, percent
from cellval.views.column_facts import ColumnFacts
from cellval.views.value_view import ValueView

MAX_COLUMNS = 60


def column_bars(
    view: ValueView, columns: np.ndarray, facts: ColumnFacts | None = None
) -> go.Figure:
    """1D values with standard errors, and the spread of each column's cell values."""
    values = view.values
    big, small = view.column_unit, view.unit
    names = figure_names([values.column_names[j] for j in columns], 26)
    whole = [f"<b>{figure_name(values.column_names[j])}</b>" for j in columns]
    places = list(range(len(columns)))
    sizes = values.column_values[columns] * big.factor
    figure = make_subplots(
        cols=2,
        shared_yaxes=True,
        horizontal_spacing=0.03,
        subplot_titles=(
            f"Column value<br>± standard error,<br>{big.of_score}",
            f"Spread of its<br>cell values,<br>{small.of_score}",
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
            [j, name, f"{view.column_text(j)} of {big.score}{_known(facts, j)}"]
            for j, name in zip(columns.tolist(), whole, strict=True)
        ],
        hovertemplate=(
            "%{customdata[1]}<br>%{customdata[2]}<br>"
            "click: heatmap sorted by this column<extra></extra>"
        ),
        row=1,
        col=1,
    )
    # A few numbers per column instead of all cells, and the lowest cell as a dot.
    if view.spread is not None:
        spread = view.spread[:, columns]
        lowest, *quantiles = spread * small.factor
        ends = ("lowerfence", "q1", "median", "q3", "upperfence")
        figure.add_box(
            y=places,
            **dict(zip(ends, quantiles, strict=True)),
            orientation="h",
            marker_color=GREY,
            line_width=1.5,
            hovertext=whole,
            hoverinfo="x+text",
            row=1,
            col=2,
        )
        figure.add_scatter(
            x=lowest.tolist(),
            y=places,
            mode="markers",
            marker={"color": LOW, "size": 7},
            customdata=[
                [name, small.text(value)]
                for name, value in zip(whole, spread[0].tolist(), strict=True)
            ],
            hovertemplate=(
                "%{customdata[0]}<br>lowest cell %{customdata[1]}<extra></extra>"
            ),
            row=1,
            col=2,
        )
    figure.update_yaxes(named_axis(names, down=True))
    figure.update_xaxes(zeroline=True, zerolinecolor=GREY, **NO_POWERS)
    figure.update_annotations(font_size=13)
    margin = (8, 8, 62, 40)  # lines above: side by side, titles must be narrow
    height = 134 + BAR_PIXELS * len(columns)
    return lay_out(figure, height, margin, showlegend=False, bargap=0.3)


def _known(facts: ColumnFacts | None, j: int) -> str:
    """What else is known of a column."""
    if facts is None:
        return ""
    words = f"<br>{percent(facts.missing[j])} of its cells are missing"
    if facts.suspects is not None:
        words = f"<br>{counted(int(facts.suspects[j]), 'suspicious cell')}{words}"
    return words
