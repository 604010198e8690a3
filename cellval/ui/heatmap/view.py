"""The heatmap page's window, figures, and answers to clicks."""

from functools import lru_cache
from typing import Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from cellval.figures import heatmap, overview
from cellval.ui import session as state
from cellval.ui.widgets import clicked, kept
from cellval.values.result import CellValues
from cellval.views import value_view as views
from cellval.views.bands import bands
from cellval.views.order import window as window_in

DRAWN_WHOLE = 200  # rows; larger tables have an overview and a window
WINDOW = 60
MAX_COLUMNS = 60
OVERVIEW_PIXELS = 150  # charts are not drawn narrower


def window_of(order: np.ndarray) -> tuple[int, int]:
    """First and last position drawn."""
    n = len(order)
    if n <= DRAWN_WHOLE:
        return 0, n
    key = kept("heatmap start", 1)
    first, last = window_in(n, st.session_state[key] - 1, WINDOW)
    st.session_state[key] = first + 1
    return first, last


def window_slider(n: int) -> None:
    """Moves the window; small tables need none."""
    if n <= DRAWN_WHOLE:
        return
    st.slider(
        "First row of the window",
        1,
        n - WINDOW + 1,
        key=state.heatmap_key("start"),
        persist_state="session",
        help=f"The heatmap shows {WINDOW} of {n:,} rows, in the chosen order. Move the "
        "window here, or click into the overview.",
    )


def columns_of(values: CellValues) -> tuple[int, int]:
    """First and last column drawn: wide tables have a window, too."""
    m = len(values.column_names)
    if m <= MAX_COLUMNS:
        return 0, m
    key = kept("heatmap first column", 1)
    first, last = window_in(m, st.session_state[key] - 1, MAX_COLUMNS)
    st.session_state[key] = first + 1
    st.slider(
        "First column of the window",
        1,
        m - MAX_COLUMNS + 1,
        key=key,
        persist_state="session",
        help=f"The heatmap shows {MAX_COLUMNS} of {m:,} columns.",
    )
    return first, last


def places(wide: bool) -> tuple[Any, Any, Any]:
    """Where overview, cells and detail go."""
    overview = None
    rest: Any = st
    if wide:
        row = st.container(horizontal=True, gap="small", wrap=False)
        overview = row.container(width=OVERVIEW_PIXELS)
        rest = row.container(width="stretch")
    cells, detail = rest.columns([6, 4], gap="small")
    return overview, cells, detail


def cells_figure(
    values: CellValues,
    rows: np.ndarray,
    columns: tuple[int, int],
    marked: np.ndarray,
    selected: tuple[int, int] | None,
    transposed: bool,
) -> go.Figure:
    """The heatmap, drawn anew only if it changed: most clicks leave it as it is."""
    i, j = np.divmod(marked, len(values.column_names))
    drawn = np.isin(i, rows)
    return _cells(
        views.value_view(values),
        rows.tobytes(),
        columns,
        frozenset(zip(i[drawn].tolist(), j[drawn].tolist(), strict=True)),
        selected,
        transposed,
        st.context.theme.type == "dark",
    )


@lru_cache(maxsize=8)
def _cells(
    view: views.ValueView,
    rows: bytes,
    columns: tuple[int, int],
    marked: frozenset[tuple[int, int]],
    selected: tuple[int, int] | None,
    transposed: bool,
    dark: bool,
) -> go.Figure:
    return heatmap.heatmap(
        view,
        np.frombuffer(rows, np.int64),
        np.arange(*columns),
        outlined=marked,
        selected=selected,
        transposed=transposed,
        dark=dark,
    )


def overview_figure(
    values: CellValues, order: np.ndarray, window: tuple[int, int], height: int
) -> go.Figure:
    """The overview, drawn anew only if it changed: most clicks leave it as it is."""
    return _overview(views.value_view(values), order.tobytes(), window, height)


@lru_cache(maxsize=8)
def _overview(
    view: views.ValueView, rows: bytes, window: tuple[int, int], height: int
) -> go.Figure:
    order = np.frombuffer(rows, np.int64)
    pooled = bands(view.values.values, order)
    return overview.overview(view, order, pooled, window, height=height)


def selected_position(
    values: CellValues, rows: np.ndarray, key: str
) -> tuple[int, int] | None:
    """The selected cell, if the figure has to mark it.

    A cell clicked in this chart is marked by the browser: the same figure again is
    answered twice as fast. But a new figure takes the browser's mark away.
    """
    cell = state.selected_cell()
    if cell is None or cell[1] not in values.column_names or cell[0] not in rows:
        return None
    place = cell[0], values.column_names.index(cell[1])
    point, run = clicked(key), state.job()
    here = point is not None and (int(point["0"]), int(point["1"])) == place
    if here and not state.is_marked(key) and not (run and run.active):
        return None
    state.mark_in(key)
    return place


def open_cell(values: CellValues, key: str) -> None:
    """A click on a cell selects it; on a column's bar, it sorts the rows."""
    point = clicked(key)
    if point is None:
        return
    index, name = int(point["0"]), values.column_names[int(point["1"])]
    if index < 0:
        state.sort_heatmap_by(name)
    else:
        state.select_cell(index, name)


def jump(values: CellValues, order: np.ndarray, key: str) -> None:
    """A click into the overview goes to the lowest cell of the band."""
    point = clicked(key)
    if point is not None:
        show(values, order, int(point["0"]), int(point["1"]))


def show(values: CellValues, order: np.ndarray, index: int, j: int) -> None:
    """Select a cell and move the window so that it lies in the middle."""
    at = np.flatnonzero(order == index)
    if at.size:
        state.move_heatmap(max(0, int(at[0]) - WINDOW // 2))
    if len(values.column_names) > MAX_COLUMNS:
        first = max(1, j + 1 - MAX_COLUMNS // 2)
        st.session_state[state.widget_key("heatmap first column")] = first
    state.select_cell(index, values.column_names[j])
