"""Cells in figures: colours, points to click and to hover over, frames.

Traces are plain dicts: a figure made of trace objects checks and copies all twice.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from cellval.figures.palette import COLOURS, OUTLINE
from cellval.text import content, figure_text
from cellval.views.value_view import ValueView

Cell = tuple[int, int]
Trace = dict[str, Any]
# Of the texts of `cell_data`.
NO_VALUE = "none: held out for testing"
HOVER_CELL = "<b>%{customdata[2]}</b>: %{customdata[3]}<br>value %{customdata[4]}"
HOVER_ROW = "%{customdata[5]}, id %{customdata[6]}, class %{customdata[7]}"
STAYS: Trace = {  # a bar that can be clicked looks the same afterwards
    "selected": {"marker": {"opacity": 1}},
    "unselected": {"marker": {"opacity": 1}},
}


def scaled(values: np.ndarray, factor: float) -> np.ndarray:
    """Half the bytes to send; NaN is drawn as a gap."""
    return (values * factor).astype(np.float32)


def colours(limit: float, middle: float = 0.0) -> Trace:
    """The part of a heatmap's trace that gives values their colours."""
    limit = limit or 1e-12
    ends = {"zmin": middle - limit, "zmid": middle, "zmax": middle + limit}
    return {"colorscale": COLOURS, **ends}


def points(
    x: np.ndarray, y: np.ndarray, known: np.ndarray, hover: str, clicked: Trace
) -> Trace:
    """Invisible points over a heatmap, which gives no clicks. They hold the hover text.

    The browser itself shows the clicked one (its marker): no figure has to be sent.
    """
    return dict(
        type="scattergl",
        x=x,
        y=y,
        customdata=known,
        mode="markers",
        marker={"opacity": 0, "size": 6, "symbol": "square"},
        selected={"marker": clicked},
        unselected={"marker": {"opacity": 0}},
        hovertemplate=hover + "<extra></extra>",
        showlegend=False,
    )


def point_data(lines: list[list[Any]]) -> np.ndarray:
    """Custom data as an array: lists are checked item by item, which is slow."""
    array = np.empty((len(lines), len(lines[0]) if lines else 0), object)
    array[:] = lines
    return array


def cell_data(
    view: ValueView, rows: np.ndarray, columns: np.ndarray, *more: Sequence[str]
) -> np.ndarray:
    """What points know: row and column, which find the cell again after a click; the
    texts of column, content, value, row, id and class; and those in `more`.
    """
    values, unit = view.values, view.unit
    own_rows, down = np.unique(rows, return_inverse=True)
    own_columns, across = np.unique(columns, return_inverse=True)
    texts = values.cells.iloc[own_rows, own_columns].to_numpy(object)[down, across]
    names = {j: figure_text(values.column_names[j], 60) for j in own_columns.tolist()}
    whose = {
        i: (
            f"row {values.row_numbers[i]:,}",
            figure_text(values.ids[i]),
            figure_text(values.labels[i], 24),
        )
        for i in own_rows.tolist()
    }
    sizes, errors = values.values[rows, columns], values.stderr[rows, columns]
    arrays = (rows, columns, texts, sizes, errors)
    lines = []
    for i, j, text, size, error, *rest in zip(
        *(array.tolist() for array in arrays), *more, strict=True
    ):
        value = unit.with_error(size, error) if size == size else NO_VALUE
        cell = figure_text(content(text))
        lines.append([i, j, names[j], cell, value, *whose[i], *rest])
    return point_data(lines)


def placed(rows: np.ndarray, columns: np.ndarray, cells: Iterable[Cell]) -> list[Cell]:
    """Where cells are drawn among these rows and columns; others are left out."""
    down = {int(i): a for a, i in enumerate(rows)}
    across = {int(j): b for b, j in enumerate(columns)}
    return sorted({(down[i], across[j]) for i, j in cells if i in down and j in across})


def frames(
    cells: Iterable[Cell],
    colour: str,
    width: float,
    *,
    turn: bool = False,
    half: float = 0.5,
) -> Trace:
    """A line around every cell by its place, `half` a row high."""
    long: list[float | None] = []
    short: list[float | None] = []
    for i, j in cells:
        long += [j - 0.5, j + 0.5, j + 0.5, j - 0.5, j - 0.5, None]
        short += [i - half, i - half, i + half, i + half, i - half, None]
    return line(*(short, long) if turn else (long, short), colour, width)


def outlines(
    cells: Iterable[Cell], width: float, *, turn: bool = False
) -> tuple[Trace, Trace]:
    """Lines in two tones around cells, seen on every colour of light and dark pages."""
    places, (below, above) = list(cells), OUTLINE
    wide = frames(places, below, width + 2, turn=turn)
    return wide, frames(places, above, width, turn=turn) | {"name": "outlined"}


def line(
    x: Sequence[float | None], y: Sequence[float | None], colour: str, width: float
) -> Trace:
    """A line that says nothing."""
    return dict(
        type="scatter",
        x=x,
        y=y,
        mode="lines",
        line={"color": colour, "width": width},
        hoverinfo="skip",
        showlegend=False,
    )
