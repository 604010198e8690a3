"""The heatmap as a plotly figure; no computing, no streamlit."""

from collections.abc import Set
from typing import Any

import numpy as np
import plotly.graph_objects as go

from cellval.figures.palette import CLEAR, COLOURS, HIGH, LOW, OUTLINE, SELECTED
from cellval.text import content, figure_text
from cellval.views.value_view import ValueView

PLOT_HEIGHT = 480  # pixels for the cells: one screen
BAR_HEIGHT, GAP, TOP = 48, 8, 60

Cell = tuple[int, int]
# Plain dicts: a figure made of trace objects checks and copies everything twice.
Trace = dict[str, Any]


def heatmap(
    view: ValueView,
    rows: np.ndarray,
    columns: np.ndarray,
    *,
    outlined: Set[Cell] = frozenset(),
    selected: Cell | None = None,
    transposed: bool = False,
    dark: bool = False,
) -> go.Figure:
    """Cells as colours, outlined where suspected; bars of columns, a strip of rows.

    Parameters
    ----------
    about : ValueView
        Of the values to draw.
    rows, columns : ndarray of int
        Which rows and columns, in this order.
    outlined : set of (row, column)
        Cells to outline; others than those drawn are ignored.
    selected : (row, column), optional
        The cell that is looked at.
    transposed : bool
        Rows across and columns down, as in the paper.
    dark : bool
        The page is dark: outlines are light.
    """
    values = view.values
    grid = values.values[np.ix_(rows, columns)]
    names = [figure_text(values.column_names[j], 18) for j in columns]
    ids = [figure_text(values.ids[i], 16) for i in rows]
    size = _cell_size(len(columns) if transposed else len(rows))
    figure = go.Figure(
        [
            _colours(view, grid, transposed, len(rows) <= 80),
            _overlay(view, rows, columns, transposed, size),
            _column_bars(view, columns, names, transposed),
            _row_strip(view, rows, transposed),
            _outline(rows, columns, outlined, transposed, size, dark),
            _selected(rows, columns, selected, transposed, size),
        ]
    )
    down, across = (names, ids) if transposed else (ids, names)
    _lay_out(figure, down, across, size, transposed)
    figure.add_annotation(
        text=f"value: {view.unit.name} of accuracy; below 0 hurts"
        if view.values.settings.additive
        else f"score: {view.unit.name}; lower is worse",
        **{"xref": "paper", "x": 0, "yref": "paper", "y": 1, "showarrow": False},
        **{"xanchor": "left", "yanchor": "top", "yshift": figure.layout.margin.t},
        font_size=12,
    )
    return figure


def _cell_size(n: int) -> float:
    return min(26.0, PLOT_HEIGHT / max(n, 1)) if n <= 120 else 3.0


def _colours(view: ValueView, grid: np.ndarray, turn: bool, gaps: bool) -> Trace:
    unit = view.unit
    limit = (view.limit or 1e-12) * unit.factor
    middle = view.values.settings.middle * unit.factor
    return dict(
        type="heatmap",
        z=scaled(grid.T if turn else grid, unit.factor),
        colorscale=COLOURS,
        zmin=middle - limit,
        zmid=middle,
        zmax=middle + limit,
        xgap=1 if gaps else 0,
        ygap=1 if gaps else 0,
        hoverinfo="skip",
        colorbar={
            "orientation": "h",
            "thickness": 10,
            "len": 0.5,
            "x": 0,
            "xanchor": "left",
            "ypad": 18,
            "y": 1,
            "yref": "container",
            "yanchor": "top",
            "tickfont": {"size": 11},
            "nticks": 5,
            "tickangle": 0,
        },
    )


def scaled(values: np.ndarray, factor: float) -> np.ndarray:
    """Half the bytes to send; NaN is drawn as a gap."""
    return (values * factor).astype(np.float32)


def point_data(lines: list[list[Any]]) -> np.ndarray:
    """Custom data as an array: lists are checked item by item, which is slow."""
    array = np.empty((len(lines), len(lines[0]) if lines else 0), object)
    array[:] = lines
    return array


def _overlay(
    view: ValueView, rows: np.ndarray, columns: np.ndarray, turn: bool, size: float
) -> Trace:
    """Invisible points: heatmaps give no clicks. They hold the hover text, too.

    The browser itself shows the one that was clicked: no figure has to be sent for it.
    """
    values, unit = view.values, view.unit
    n = int(np.count_nonzero(view.ranks))
    names = [figure_text(values.column_names[j], 60) for j in columns]
    drawn = np.ix_(rows, columns)
    texts = values.cells.iloc[rows, columns].to_numpy(object).tolist()
    sizes, errors = values.values[drawn].tolist(), values.stderr[drawn].tolist()
    ranks = view.ranks[drawn].tolist()
    known = []
    for a, i in enumerate(rows.tolist()):
        whose = (
            f"row {values.row_numbers[i]:,}",
            figure_text(values.ids[i]),
            figure_text(values.labels[i], 24),
        )
        for b, j in enumerate(columns.tolist()):
            value, rank = "none: held out for testing", "–"
            if ranks[a][b]:
                value = unit.with_error(sizes[a][b], errors[a][b])
                rank = f"{ranks[a][b]:,} of {n:,}"
            text = figure_text(content(texts[a][b]))
            known.append([i, j, names[b], text, value, rank, *whose])
    down = np.repeat(np.arange(len(rows)), len(columns))
    across = np.tile(np.arange(len(columns)), len(rows))
    return dict(
        type="scattergl",
        x=down if turn else across,
        y=across if turn else down,
        customdata=point_data(known),
        mode="markers",
        marker={"opacity": 0, "size": 6, "symbol": "square"},
        selected={
            "marker": {"opacity": 1, "color": SELECTED, "size": max(7, size / 2)}
        },
        unselected={"marker": {"opacity": 0}},
        hovertemplate=(
            "<b>%{customdata[2]}</b>: %{customdata[3]}<br>"
            "value %{customdata[4]}<br>"
            "rank %{customdata[5]} (within its class; 1 is worst)<br>"
            "%{customdata[6]}, id %{customdata[7]}, class %{customdata[8]}"
            "<extra></extra>"
        ),
        showlegend=False,
    )


def _column_bars(
    view: ValueView, columns: np.ndarray, names: list[str], turn: bool
) -> Trace:
    values, unit = view.values, view.column_unit
    sizes = (values.column_values[columns] * unit.factor).tolist()
    places = list(range(len(columns)))
    return dict(
        type="bar",
        x=sizes if turn else places,
        y=places if turn else sizes,
        orientation="h" if turn else "v",
        xaxis="x2" if turn else "x",
        yaxis="y" if turn else "y2",
        marker_color=[LOW if size < 0 else HIGH for size in sizes],
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 1}},
        customdata=[
            [
                -1,
                int(j),
                name,
                unit.with_error(values.column_values[j], values.column_stderr[j]),
            ]
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
    limit = (view.row_limit or 1e-12) * unit.factor
    middle = view.row_middle * unit.factor
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
        colorscale=COLOURS,
        zmin=middle - limit,
        zmid=middle,
        zmax=middle + limit,
        showscale=False,
        hovertemplate="%{text}<extra></extra>",
    )


def rectangles(
    cells: list[Cell], turn: bool = False, half: float = 0.5
) -> tuple[list[float | None], list[float | None]]:
    """x and y of one line around every (row, column) by position, `half` a row high."""
    long: list[float | None] = []
    short: list[float | None] = []
    for i, j in cells:
        long += [j - 0.5, j + 0.5, j + 0.5, j - 0.5, j - 0.5, None]
        short += [i - half, i - half, i + half, i + half, i - half, None]
    return (short, long) if turn else (long, short)


def _outline(
    rows: np.ndarray,
    columns: np.ndarray,
    cells: Set[Cell],
    turn: bool,
    size: float,
    dark: bool,
) -> Trace:
    down = {int(i): a for a, i in enumerate(rows)}
    across = {int(j): b for b, j in enumerate(columns)}
    drawn = [(down[i], across[j]) for i, j in cells if i in down and j in across]
    xs, ys = rectangles(sorted(drawn), turn)
    line = {"color": OUTLINE[dark], "width": 2 if size > 8 else 1}
    return dict(
        type="scatter",
        x=xs,
        y=ys,
        mode="lines",
        line=line,
        hoverinfo="skip",
        showlegend=False,
    )


def _selected(
    rows: np.ndarray,
    columns: np.ndarray,
    cell: Cell | None,
    turn: bool,
    size: float,
) -> Trace:
    down = np.flatnonzero(rows == (cell[0] if cell else -1))
    across = np.flatnonzero(columns == (cell[1] if cell else -1))
    drawn = [(int(a), int(b)) for a in down for b in across]
    # Around a thin row, not over it: the colour must stay visible.
    half = 0.5 if turn else max(0.5, 3.5 / size)
    xs, ys = rectangles(drawn, turn, half)
    line = {"color": SELECTED, "width": 3 if size > 8 else 2}
    return dict(
        type="scatter",
        x=xs,
        y=ys,
        mode="lines",
        line=line,
        hoverinfo="skip",
        showlegend=False,
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
    plain = {"showgrid": False, "zeroline": False, "fixedrange": False}
    figure.update_layout(
        height=round(area + margin + 24),
        margin={"l": 4, "r": 34 if angle == -30 else 4, "t": round(margin), "b": 24},
        paper_bgcolor=CLEAR,
        plot_bgcolor=CLEAR,
        hovermode="closest",
        hoverdistance=-1,
        bargap=0.25,
        xaxis={
            **plain,
            "domain": [0, beside[0] - 0.012],
            "range": [-0.5, len(across) - 0.5],
            "tickmode": "array",
            "tickvals": list(range(0, len(across), step)),
            "ticktext": across[::step],
            "tickangle": angle,
            "side": "top",
            "anchor": "free",
            "position": 1,
            "ticks": "",
        },
        yaxis={
            **plain,
            "domain": [0, split - GAP / area],
            "range": [len(down) - 0.5, -0.5],
            "tickmode": "array",
            "tickvals": list(range(0, len(down), every)),
            "ticktext": down[::every],
            "automargin": True,
            "ticks": "",
        },
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
