"""The cells of one column, overall and within a class; the sizes of classes."""

from collections.abc import Sequence

import plotly.graph_objects as go

from cellval.figures.layout import lay_out, named_axis
from cellval.figures.palette import GREY, HIGH, SELECTED
from cellval.table.describe import Spread
from cellval.text import content, figure_text, full

MOST_CLASSES = 12


def distribution(
    spread: Spread, label: str, cell: str, *, height: int = 230
) -> go.Figure:
    """A column's cells overall and within one class, with one cell marked."""
    bars = (
        ("all rows", spread.overall.round(3).tolist(), GREY),
        (f"class {figure_text(label, 24)}", spread.in_class.round(3).tolist(), HIGH),
    )
    figure = go.Figure()
    if spread.labels:
        names = [figure_text(name, 22) for name in spread.labels]
        if spread.at is not None:
            names[int(spread.at)] = f"<b>▸ {names[int(spread.at)]}</b>"
        for name, shares, colour in bars:
            figure.add_bar(
                y=list(range(len(names))),
                x=shares,
                orientation="h",
                name=name,
                marker={"color": colour, "opacity": 0.8},
                hovertemplate="%{x:.1f} % of " + name + "<extra></extra>",
            )
        return lay_out(
            figure,
            max(height, 90 + 30 * len(names)),
            barmode="group",
            xaxis_title="% of cells",
            yaxis=named_axis(names, down=True, showgrid=True),
        )
    middles = ((spread.edges[:-1] + spread.edges[1:]) / 2).tolist()
    for name, shares, colour in bars:
        figure.add_bar(
            x=middles,
            y=shares,
            customdata=[full(middle, 4) for middle in middles],
            width=spread.edges[1] - spread.edges[0],
            name=name,
            marker={"color": colour, "opacity": 0.55, "line_width": 0},
            hovertemplate="about %{customdata}: %{y:.1f} % of "
            + name
            + "<extra></extra>",
        )
    if spread.at is not None:
        low, high = float(spread.edges[0]), float(spread.edges[-1])
        at = min(max(spread.at, low), high)
        text = f"this cell: {figure_text(content(cell, 24))}"
        if spread.outside:
            text = f"{text} →" if spread.at > high else f"← {text}"
        left = at > (low + high) / 2  # of the line, where there is room
        figure.add_vline(
            x=at,
            line={"color": SELECTED, "width": 3},
            annotation={"text": text},
            annotation_position="top left" if left else "top right",
            annotation_xshift=-6 if left else 6,
        )
    figure.update_xaxes(showgrid=False)
    return lay_out(figure, height, barmode="overlay", yaxis_title="% of cells")


def class_sizes(label: str, classes: Sequence[str], counts: Sequence[int]) -> go.Figure:
    """How many rows each class has, as one bar cut into pieces."""
    figure = go.Figure()
    total = sum(counts)
    for name, count in zip(classes[:MOST_CLASSES], counts, strict=False):
        text = figure_text(name, 16)
        figure.add_bar(
            x=[count],
            y=[figure_text(label, 16)],
            orientation="h",
            text=f"{text}: {count:,}",
            textposition="inside",
            insidetextanchor="middle",
            marker_line={"width": 1, "color": "white"},
            marker_color=HIGH,
            hovertemplate=f"{text}: {count:,} of {total:,} rows<extra></extra>",
        )
    figure.update_xaxes(visible=False, range=[0, total])
    figure.update_yaxes(visible=False)
    return lay_out(figure, 46, (0, 0, 0, 0), barmode="stack", showlegend=False)
