"""The heatmap as a plotly figure; no computing, no streamlit."""

from collections.abc import Set

import numpy as np
import plotly.graph_objects as go

from cellval.figures.cells import (
    HOVER_CELL,
    HOVER_ROW,
    STAYS,
    Cell,
    Trace,
    cell_data,
    colours,
    frames,
    outlines,
    placed,
    points,
    scaled,
)
from cellval.figures.layout import (
    PLOT_HEIGHT,
    colour_bar,
    lay_out,
    named_axis,
    note_above,
)
from cellval.figures.palette import SELECTED, sign_colours
from cellval.text import figure_text
from cellval.views.value_view import ValueView

BAR_HEIGHT, GAP, TOP = 48, 8, 60


def heatmap(
    view: ValueView,
    rows: np.ndarray,
    columns: np.ndarray,
    *,
    outlined: Set[Cell] = frozenset(),
    selected: Cell | None = None,
    transposed: bool = False,
) -> go.Figure:
    """Cells as colours, outlined where suspected; bars of columns, a strip of rows.

    Rows and columns are drawn in the order given; outlined cells that are not among
    them are ignored. Transposed, rows go across and columns down, as in the paper.
    """
    values = view.values
    grid = values.values[np.ix_(rows, columns)]
    names = [figure_text(values.column_names[j], 18) for j in columns]
    ids = [figure_text(values.ids[i], 16) for i in rows]
    n = len(columns) if transposed else len(rows)
    size = min(26.0, PLOT_HEIGHT / max(n, 1)) if n <= 120 else 3.0
    thin = size <= 8
    framed = placed(rows, columns, outlined)
    clicked = placed(rows, columns, [selected] if selected else [])
    # Around a thin row, not over it: the colour must stay visible.
    half = 0.5 if transposed else max(0.5, 3.5 / size)
    figure = go.Figure(
        [
            _colours(view, grid, transposed, len(rows) <= 80),
            _overlay(view, rows, columns, transposed, size),
            _column_bars(view, columns, names, transposed),
            _row_strip(view, rows, transposed),
            *outlines(framed, 1 if thin else 2, turn=transposed),
            frames(clicked, SELECTED, 2 if thin else 3, turn=transposed, half=half),
        ]
    )
    down, across = (names, ids) if transposed else (ids, names)
    _lay_out(figure, down, across, size, transposed)
    note_above(
        figure,
        f"value: {view.unit.name} of accuracy; below 0 hurts"
        if values.settings.additive
        else f"score: {view.unit.name}; lower is worse",
    )
    return figure


def _colours(view: ValueView, grid: np.ndarray, turn: bool, gaps: bool) -> Trace:
    factor = view.unit.factor
    return dict(
        type="heatmap",
        z=scaled(grid.T if turn else grid, factor),
        **colours(view.limit * factor, view.values.settings.middle * factor),
        xgap=1 if gaps else 0,
        ygap=1 if gaps else 0,
        hoverinfo="skip",
        colorbar=colour_bar(0.5, ypad=18, y=1, yref="container", tickangle=0),
    )


def _overlay(
    view: ValueView, rows: np.ndarray, columns: np.ndarray, turn: bool, size: float
) -> Trace:
    n = int(np.count_nonzero(view.ranks))
    ranks = view.ranks[np.ix_(rows, columns)].ravel().tolist()
    down, across = np.indices((len(rows), len(columns))).reshape(2, -1)
    known = cell_data(
        view,
        rows[down],
        columns[across],
        [f"{rank:,} of {n:,}" if rank else "–" for rank in ranks],
    )
    return points(
        down if turn else across,
        across if turn else down,
        known,
        f"{HOVER_CELL}<br>rank %{{customdata[8]}} (within its class; 1 is worst)<br>"
        f"{HOVER_ROW}",
        {"opacity": 1, "color": SELECTED, "size": max(7, size / 2)},
    )


def _column_bars(
    view: ValueView, columns: np.ndarray, names: list[str], turn: bool
) -> Trace:
    sizes = (view.values.column_values[columns] * view.column_unit.factor).tolist()
    places = list(range(len(columns)))
    return dict(
        type="bar",
        x=sizes if turn else places,
        y=places if turn else sizes,
        orientation="h" if turn else "v",
        xaxis="x2" if turn else "x",
        yaxis="y" if turn else "y2",
        marker_color=sign_colours(sizes),
        **STAYS,
        customdata=[
            [-1, int(j), name, view.column_text(j)]
            for j, name in zip(columns, names, strict=True)
        ],
        hovertemplate=(
            "<b>%{customdata[2]}</b><br>column value %{customdata[3]} of accuracy<br>"
            "click to sort the rows by this column<extra></extra>"
        ),
        showlegend=False,
    )


def _row_strip(view: ValueView, rows: np.ndarray, turn: bool) -> Trace:
    values, unit = view.values, view.row_unit
    sizes = scaled(values.row_values[rows][:, None], unit.factor)
    shape = (1, -1) if turn else (-1, 1)
    texts = [
        f"<b>row {values.row_numbers[i]:,}</b>, id {figure_text(values.ids[i])}<br>"
        f"row value {unit.with_error(values.row_values[i], values.row_stderr[i])} "
        "of accuracy"
        for i in rows
    ]
    return dict(
        type="heatmap",
        z=sizes.reshape(shape),
        text=np.array(texts, object).reshape(shape),
        x=None if turn else [0],
        y=[0] if turn else None,
        xaxis="x" if turn else "x2",
        yaxis="y2" if turn else "y",
        **colours(view.row_limit * unit.factor, values.settings.middle * unit.factor),
        showscale=False,
        hovertemplate="%{text}<extra></extra>",
    )


def _lay_out(
    figure: go.Figure, down: list[str], across: list[str], size: float, turn: bool
) -> None:
    """Bars on top and the strip beside, or the other way round; sizes in pixels."""
    cells = size * len(down)
    top = BAR_HEIGHT if not turn else 16
    area = cells + GAP + top
    longest = max((len(name) for name in across), default=0)
    angle = 0 if len(across) <= 6 and longest * len(across) <= 60 else -90
    if angle and len(across) <= 6:
        angle = -30
    margin = TOP + {0: 22, -30: 16 + 4 * longest, -90: 12 + 6.4 * longest}[angle]
    split = 1 - (GAP + top) / area
    beside = [0.86, 1.0] if turn else [0.965, 1.0]
    every = max(1, round(14 / size))
    step = -(-len(across) // 30)  # names must not overlap
    plain = {"showgrid": False, "zeroline": False}
    lay_out(
        figure,
        area + margin + 24,
        (4, 34 if angle == -30 else 4, margin, 24),
        hoverdistance=-1,
        bargap=0.25,
        xaxis=named_axis(
            across,
            step=step,
            domain=[0, beside[0] - 0.012],
            tickangle=angle,
            anchor="free",
            position=1,
        ),
        yaxis=named_axis(down, step=every, down=True, domain=[0, split - GAP / area]),
        xaxis2={
            **plain,
            "domain": beside,
            "anchor": "y",
            "showticklabels": turn,
            "nticks": 3,
            "title": {"text": "" if turn else "row", "standoff": 2},
            "side": "bottom",
        },
        yaxis2={
            **plain,
            "domain": [split, 1],
            "anchor": "x",
            "showticklabels": not turn,
            "nticks": 2,
        },
    )
