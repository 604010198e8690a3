"""Plotly figures of cells, rows and columns; no computing, no streamlit."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from cellval.figures.heatmap import CLEAR, GREY, HIGH, LOW, SELECTED, heatmap
from cellval.figures.overview import overview
from cellval.table.describe import Spread
from cellval.text import Unit, content, figure_text
from cellval.values.result import CellValues
from cellval.views.derived import Derived

__all__ = [
    "class_sizes",
    "column_bars",
    "distribution",
    "heatmap",
    "overview",
    "waterfall",
]

MAX_BARS = 12
MAX_COLUMNS = 60
BAR_PIXELS = 26


def _plain(figure: go.Figure, height: int) -> go.Figure:
    figure.update_layout(
        height=height,
        margin={"l": 8, "r": 8, "t": 28, "b": 40},
        paper_bgcolor=CLEAR,
        plot_bgcolor=CLEAR,
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
    )
    return figure


def distribution(
    spread: Spread, label: str, cell: str, *, height: int = 230
) -> go.Figure:
    """A column's cells overall and within one class, with one cell marked."""
    label, cell = figure_text(label, 24), figure_text(content(cell, 24))
    if spread.labels:
        return _categories(spread, label, height)
    middles = (spread.edges[:-1] + spread.edges[1:]) / 2
    width = spread.edges[1] - spread.edges[0]
    figure = go.Figure()
    for name, shares, colour in (
        ("all rows", spread.overall, GREY),
        (f"class {label}", spread.in_class, HIGH),
    ):
        figure.add_bar(
            x=middles.tolist(),
            y=shares.round(3).tolist(),
            width=width,
            name=name,
            marker={"color": colour, "opacity": 0.55, "line_width": 0},
            hovertemplate="about %{x:.4g}: %{y:.1f} % of " + name + "<extra></extra>",
        )
    if spread.at is not None:
        low, high = float(spread.edges[0]), float(spread.edges[-1])
        at = min(max(spread.at, low), high)
        figure.add_vline(x=at, line={"color": SELECTED, "width": 3})
        text = f"this cell: {cell}"
        if spread.outside:
            text = f"{text} →" if spread.at > high else f"← {text}"
        figure.add_annotation(
            x=at,
            y=1,
            yref="paper",
            text=text,
            showarrow=False,
            xanchor="right" if at > (low + high) / 2 else "left",
            xshift=-6 if at > (low + high) / 2 else 6,
            yanchor="top",
            font={"color": SELECTED},
        )
    figure.update_layout(barmode="overlay", yaxis_title="% of cells")
    figure.update_xaxes(showgrid=False)
    return _plain(figure, height)


def _categories(spread: Spread, label: str, height: int) -> go.Figure:
    names = [figure_text(name, 22) for name in spread.labels]
    if spread.at is not None:
        names[int(spread.at)] = f"<b>▸ {names[int(spread.at)]}</b>"
    places = list(range(len(names)))
    figure = go.Figure()
    for name, shares, colour in (
        ("all rows", spread.overall, GREY),
        (f"class {label}", spread.in_class, HIGH),
    ):
        figure.add_bar(
            y=places,
            x=shares.round(3).tolist(),
            orientation="h",
            name=name,
            marker={"color": colour, "opacity": 0.8},
            hovertemplate="%{x:.1f} % of " + name + "<extra></extra>",
        )
    figure.update_layout(
        barmode="group",
        xaxis_title="% of cells",
        yaxis={
            "tickmode": "array",
            "tickvals": places,
            "ticktext": names,
            "autorange": "reversed",
            "automargin": True,
        },
    )
    return _plain(figure, max(height, 90 + 30 * len(names)))


def class_sizes(label: str, classes: Sequence[str], counts: Sequence[int]) -> go.Figure:
    """How many rows each class has, as one bar cut into pieces."""
    figure = go.Figure()
    total = sum(counts)
    for name, count in zip(classes[:MAX_BARS], counts, strict=False):
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
    figure.update_layout(barmode="stack", showlegend=False)
    figure.update_xaxes(visible=False, range=[0, total])
    figure.update_yaxes(visible=False)
    _plain(figure, 46)
    return figure.update_layout(margin={"l": 0, "r": 0, "t": 0, "b": 0})


def folded(explained: pd.DataFrame, max_bars: int = MAX_BARS) -> pd.DataFrame:
    """The largest contributions, and the others as one line; the sum stays."""
    if len(explained) <= max_bars:
        return explained
    shown, rest = explained.iloc[: max_bars - 1], explained.iloc[max_bars - 1 :]
    error = float(np.sqrt(np.sum(rest["stderr"] ** 2)))
    line = {
        "column": f"{len(rest):,} other columns",
        "cell": None,
        "value": rest["value"].sum(),
        "stderr": error,
    }
    return pd.concat([shown, pd.DataFrame([line])], ignore_index=True)


def waterfall(
    explained: pd.DataFrame,
    total: float,
    unit: Unit,
    *,
    limits: tuple[float, float] | None = None,
    max_bars: int = MAX_BARS,
) -> go.Figure:
    """From 0 to the row's value, largest contribution first.

    Parameters
    ----------
    explained : DataFrame
        From `CellValues.explain`.
    total : float
        The row's value.
    limits : (float, float), optional
        Of the axis, as shares of accuracy, so that two rows can be compared.
    """
    lines = folded(explained, max_bars)
    names = [
        figure_text(name, 22)
        if pd.isna(cell)
        else f"{figure_text(name, 22)} = <b>{figure_text(content(cell, 18))}</b>"
        for name, cell in zip(lines["column"], lines["cell"], strict=True)
    ]
    sizes = (lines["value"] * unit.factor).tolist()
    texts = [unit.number(value) for value in lines["value"]]
    errors = [
        unit.with_error(value, stderr)
        for value, stderr in zip(lines["value"], lines["stderr"], strict=True)
    ]
    places = list(range(len(lines) + 1))
    figure = go.Figure(
        go.Waterfall(
            orientation="h",
            measure=["relative"] * len(lines) + ["total"],
            y=places,
            x=[*sizes, total * unit.factor],
            text=[*texts, unit.number(total)],
            textposition="outside",
            cliponaxis=False,
            customdata=[*errors, unit.text(total)],
            hovertemplate="%{customdata}<extra></extra>",
            decreasing={"marker": {"color": LOW}},
            increasing={"marker": {"color": HIGH}},
            totals={"marker": {"color": GREY}},
            connector={"line": {"color": GREY, "width": 1}},
        )
    )
    low, high = limits or running_limits(lines["value"].to_numpy(), total)
    room = 0.16 * (high - low)
    figure.update_layout(
        xaxis={
            "title": f"{unit.name} of accuracy; below 0 hurts",
            "range": [(low - room) * unit.factor, (high + room) * unit.factor],
            "zeroline": True,
            "zerolinecolor": GREY,
        },
        yaxis={
            "tickmode": "array",
            "tickvals": places,
            "ticktext": [*names, "<b>row value</b>"],
            "autorange": "reversed",
            "automargin": True,
        },
    )
    return _plain(figure, 110 + BAR_PIXELS * (len(lines) + 1))


def running_limits(values: np.ndarray, total: float) -> tuple[float, float]:
    """Smallest and largest point that a waterfall of these values passes."""
    path = np.concatenate([[0.0, total], np.cumsum(values)])
    low, high = float(np.nanmin(path)), float(np.nanmax(path))
    return (low, high) if low < high else (low - 1e-9, high + 1e-9)


def column_bars(about: Derived, columns: np.ndarray) -> go.Figure:
    """1D values with standard errors, and the spread of each column's cell values."""
    values = about.values
    big, small = about.column_unit, about.unit
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
    return _plain(figure, 100 + BAR_PIXELS * len(columns))


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
