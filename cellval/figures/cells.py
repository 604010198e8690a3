"""Cells in figures: colours, points to click and to hover over, frames.

Traces are plain dicts: a figure made of trace objects checks and copies all twice.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from cellval.figures.palette import (
    HELD_OUT,
    MARK,
    OUTLINE,
    SUSPICION_COLOURS,
    colours_between,
)
from cellval.text import class_words, content, figure_name, figure_text
from cellval.values.result import CellValues
from cellval.values.settings import Settings
from cellval.views.value_view import ValueView

Cell = tuple[int, int]
Trace = dict[str, Any]
# Of the texts of `cell_data`.
NO_VALUE = "none: held out for testing, or without a label"
HOVER_CELL = "<b>%{customdata[2]}</b>: %{customdata[3]}<br>value %{customdata[4]}"
HOVER_ROW = "%{customdata[5]}%{customdata[6]}%{customdata[7]}"
STAYS: Trace = {  # a bar that can be clicked looks the same afterwards
    "selected": {"marker": {"opacity": 1}},
    "unselected": {"marker": {"opacity": 1}},
}


def scaled(values: np.ndarray, factor: float) -> np.ndarray:
    """Half the bytes to send; NaN is drawn as a gap."""
    return (values * factor).astype(np.float32)


def colours(
    limit: float, factor: float = 1.0, settings: Settings | None = None
) -> Trace:
    """The part of a heatmap's trace that gives values their colours, up to a limit on
    both sides of the middle, but no further than what is possible.
    """
    middle, lowest, highest = 0.0, -np.inf, np.inf
    if settings is not None:
        middle, (lowest, highest) = settings.middle, settings.possible
    limit = limit or 1e-12
    low, high = max(middle - limit, lowest), min(middle + limit, highest)
    start, end = (0.5 + (at - middle) / limit / 2 for at in (low, high))
    ends = {"zmin": low * factor, "zmid": middle * factor, "zmax": high * factor}
    return {"colorscale": colours_between(start, end), **ends}


# Suspicion as colours, by its decades: 6 is a millionth or less, which is dark. The
# same numbers as in the list: it is no share of cells, so that "1 in 100" is no name.
SUSPICION_TICKS = {2: "0.01", 4: "0.0001", 6: "0.000001"}
SUSPICION_RANGE: Trace = {
    "colorscale": SUSPICION_COLOURS,
    "zmin": 1,
    "zmax": 6,
}


def decades(suspicion: np.ndarray) -> np.ndarray:
    """How suspicious cells are, as heights of `SUSPICION_RANGE`."""
    least = 10.0 ** -SUSPICION_RANGE["zmax"]
    return (-np.log10(np.clip(suspicion, least, 1.0))).astype(np.float32)


def held_out(grid: np.ndarray, **more: Any) -> list[Trace]:
    """Cells without a value in a colour of their own; nothing where all have one."""
    missing = np.isnan(grid)
    if not missing.any():
        return []
    return [
        dict(
            type="heatmap",
            z=np.where(missing, np.float32(0), np.float32(np.nan)),
            colorscale=[(0.0, HELD_OUT), (1.0, HELD_OUT)],
            showscale=False,
            hoverinfo="skip",
            name="held out",
            **more,
        )
    ]


FEW_POINTS = 2_000
HELD_OUT_WORDS = (
    f'<span style="color:{HELD_OUT}">■</span> held out for testing, or without a label'
)


def points(
    x: np.ndarray, y: np.ndarray, known: np.ndarray, hover: str, mark: float = 0
) -> Trace:
    """Invisible points over a heatmap, which gives no clicks. They hold the hover text.

    The browser itself frames the clicked one, in two tones and `mark` pixels wide: no
    figure has to be sent. It can change size and colour only, so all have a rim. WebGL
    draws many points faster, but takes half a second to begin without a GPU.
    """
    rim, middle = MARK
    clicked = {"opacity": 1, "color": middle, "size": mark} if mark else {"opacity": 0}
    return dict(
        type="scatter" if len(x) <= FEW_POINTS else "scattergl",
        x=x,
        y=y,
        customdata=known,
        mode="markers",
        marker={"opacity": 0, "size": 6, "symbol": "square"}
        | {"line": {"color": rim, "width": 3}},
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


def id_words(values: CellValues, i: int) -> str:
    """What names a row beside its number, if anything does."""
    own, number = values.ids[i], str(values.row_numbers[i])
    return "" if own == number else f", id {figure_name(own, 60)}"


def _label_words(values: CellValues, i: int) -> str:
    label = figure_name(values.labels[i], 60)
    if not label:
        return ""
    return f", label {label}" if values.bands else f", {class_words(label)}"


def texts_at(values: CellValues, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """What cells hold; the texts of a whole table are many, and are not touched."""
    own_rows, down = np.unique(rows, return_inverse=True)
    own_columns, across = np.unique(columns, return_inverse=True)
    own = values.cells.iloc[own_rows, own_columns].to_numpy(object)
    return np.asarray(own[down, across])


def cell_data(
    view: ValueView, rows: np.ndarray, columns: np.ndarray, *more: Sequence[str]
) -> np.ndarray:
    """What points know: row and column, which find the cell again after a click; the
    texts of column, content, value, row, id and class; and those in `more`.
    """
    values, unit = view.values, view.unit
    texts = texts_at(values, rows, columns)
    own_columns = np.unique(columns).tolist()
    names = {j: figure_name(values.column_names[j], 120) for j in own_columns}
    whose = {
        i: (
            f"row {values.row_numbers[i]:,}",
            id_words(values, i),
            _label_words(values, i),
        )
        for i in np.unique(rows).tolist()
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
    cells: Iterable[Cell],
    width: float,
    *,
    tones: tuple[str, str] = OUTLINE,
    turn: bool = False,
    half: float = 0.5,
) -> tuple[Trace, Trace]:
    """Lines in two tones around cells, seen on every colour of light and dark pages."""
    places, (below, above) = list(cells), tones
    wide = frames(places, below, width + 2, turn=turn, half=half)
    narrow = frames(places, above, width, turn=turn, half=half)
    return wide, narrow | {"name": "outlined"}


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
