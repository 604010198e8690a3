"""The heatmap page's windows, figures, and answers to clicks."""

import weakref
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from cellval.detect.suspicion import Suspicion
from cellval.figures.heatmap import heatmap
from cellval.figures.overview import overview
from cellval.kept import kept
from cellval.ui import tables
from cellval.ui.cell_detail import Walk
from cellval.ui.parts import then_cell, then_page
from cellval.ui.session import Session, Shown
from cellval.ui.widgets import lasting
from cellval.views.bands import bands
from cellval.views.cell_table import cell_table
from cellval.views.rankings import Outlines, cells_at
from cellval.views.value_view import ValueView, value_view

WHOLE = 200  # rows; larger tables have an overview and a window
WINDOW = 60  # rows
MAX_COLUMNS = 60  # wide tables have a window, too
TABLE_LINES = 10  # of the heatmap as texts; more scroll
OVERVIEW_PIXELS = 150  # charts are not drawn narrower

# Names of the widgets that are also set from elsewhere.
ORDER, COLUMN = "heatmap order", "heatmap column"
FIRST_ROW, FIRST_COLUMN = "heatmap start", "heatmap first column"


def move_to(session: Session, first: int) -> None:
    """Let the window begin at this position (from 0) in the order of the rows."""
    st.session_state[session.widget_key(FIRST_ROW)] = first + 1


def sort_by(session: Session, column: str) -> None:
    """Order the heatmap by a column's values, lowest first, from the top."""
    st.session_state[session.widget_key(ORDER)] = "column"
    st.session_state[session.widget_key(COLUMN)] = column
    move_to(session, 0)


def places(*, wide: bool) -> tuple[Any, Any, Any]:
    """Where overview, cells and detail go."""
    strip = None
    rest: Any = st
    if wide:
        row = st.container(horizontal=True, gap="small", wrap=False)
        strip = row.container(width=OVERVIEW_PIXELS)
        rest = row.container(width="stretch")
    cells, detail = rest.columns([6, 4], gap="small")
    return strip, cells, detail


# --- figures, drawn anew only if they changed: most clicks leave them as they are -----


@kept(4)
def cells_figure(
    view: ValueView,
    suspicion: Suspicion | None,
    rows: bytes,
    columns: tuple[int, int],
    outlined: bytes,
    selected: tuple[int, int] | None,
    transposed: bool,
) -> go.Figure:
    """The heatmap by value, or by suspicion; rows, outlined cells by flat position."""
    drawn = np.frombuffer(rows, np.int64)
    i, j = np.divmod(np.frombuffer(outlined, np.int64), len(view.values.column_names))
    seen = np.isin(i, drawn)
    return heatmap(
        view,
        drawn,
        np.arange(*columns),
        suspicion=suspicion,
        outlined=set(zip(i[seen].tolist(), j[seen].tolist(), strict=True)),
        selected=selected,
        transposed=transposed,
    )


@kept(4)
def overview_figure(
    view: ValueView,
    suspicion: Suspicion | None,
    rows: bytes,
    window: tuple[int, int],
    height: int,
) -> go.Figure:
    order, by_suspicion = np.frombuffer(rows, np.int64), suspicion is not None
    if suspicion is not None:
        pooled = bands(suspicion.scores, order)
    elif np.array_equal(order, np.arange(len(view.values.values))):
        pooled = view.overview
    else:
        pooled = bands(view.values.values, order)
    return overview(
        view, order, pooled, window, by_suspicion=by_suspicion, height=height
    )


def as_text(
    shown: Shown,
    rows: np.ndarray,
    columns: np.ndarray,
    suspects: np.ndarray,
    outlined: np.ndarray,
) -> None:
    """The same cells as a table of texts, if a person wants it."""
    if not st.toggle(
        "Also as a table",
        **lasting(shown.session, "heatmap as text", False),
        help="The rows and columns drawn above as texts, for screen readers and for "
        "copying.",
    ):
        return
    unit, names = value_view(shown.values).unit, shown.values.column_names
    labels = {f"c{j}": tables.text(tables.heading(names[j])) for j in columns.tolist()}
    tables.draw(
        cell_table(shown.values, rows, columns, suspects, outlined),
        "The cells of the heatmap as texts",
        {"row": tables.row_number(), "class": tables.text(), **labels},
        few=TABLE_LINES,
    )
    st.caption(f"In brackets: the value in {unit.of_score}; below 0 hurts.")


# --- clicks ---------------------------------------------------------------------------


def open_cell(shown: Shown, key: str) -> Callable[[list[Any]], None]:
    """What a click in a chart does: on a cell, it selects it; on a column's bar, it
    sorts the rows.
    """
    session, place = shown.session, _place(shown)

    def open_it(point: list[Any]) -> None:
        cell = place(point)
        if cell is None:
            return
        if cell[0] < 0:
            sort_by(session, cell[1])
        elif key == session.selection.chart:
            then_cell(session, *cell)
        else:  # in a figure that was just replaced: the new one is to mark the cell
            then_page(session, session.selection.choose_cell, *cell)

    return open_it


def jump(shown: Shown) -> Callable[[list[Any]], None]:
    """A click into the overview goes to the lowest cell of the band."""
    session, place = shown.session, _place(shown)

    def jump_there(point: list[Any]) -> None:
        cell = place(point)
        if cell is not None:
            session.selection.choose_cell(*cell)
            session.selection.from_elsewhere = True

    return jump_there


def _place(shown: Shown) -> Callable[[list[Any]], tuple[int, str] | None]:
    """Position and column of a point, as long as its table is shown.

    It holds neither table nor values: see `chart`.
    """
    session, table = shown.session, weakref.ref(shown.table)

    def place(point: list[Any]) -> tuple[int, str] | None:
        now = session.held
        if now is None or now.table is not table():
            return None
        return int(point[0]), now.values.column_names[int(point[1])]

    return place


def follow_link(shown: Shown, order: np.ndarray) -> None:
    """The window goes to a cell that was opened from elsewhere, once."""
    selection = shown.session.selection
    if selection.from_elsewhere and selection.cell is not None:
        position, column = selection.cell
        show_cell(shown, order, position, shown.values.column_names.index(column))
    selection.from_elsewhere = False


def walk(shown: Shown, order: np.ndarray, found: Outlines) -> Walk:
    """Through the outlined cells, the most suspicious first."""
    names = shown.values.column_names

    def go(position: int, column: str) -> None:
        act = partial(show_cell, shown, order, position, names.index(column))
        then_page(shown.session, act)

    by_rule = found.by == "suspicion" and not found.chosen
    one = "suspect" if by_rule else "outlined cell"
    return Walk(cells_at(shown.values, found.cells), one, go)


def open_at_worst(shown: Shown, order: np.ndarray, suspects: np.ndarray) -> None:
    """Once suspects are known, the window goes to the worst; not if a person moved it.

    Of a large table the first rows hold none, as a rule.
    """
    session, opened = shown.session, shown.session.widget_key("heatmap opened")
    if shown.suspicion is None or opened in st.session_state:
        return
    st.session_state[opened] = True
    first = st.session_state.get(session.widget_key(FIRST_ROW), 1)
    if first == 1 and session.selection.cell is None and suspects.size:
        _centre(session, order, int(suspects[0]) // len(shown.values.column_names))


def _centre(session: Session, order: np.ndarray, position: int) -> None:
    """Move the window so that this row lies in the middle."""
    at = np.flatnonzero(order == position)
    if at.size:
        move_to(session, max(0, int(at[0]) - WINDOW // 2))


def show_cell(shown: Shown, order: np.ndarray, position: int, j: int) -> None:
    """Select a cell and move the window there."""
    session, names = shown.session, shown.values.column_names
    _centre(session, order, position)
    if len(names) > MAX_COLUMNS:
        first = max(1, j + 1 - MAX_COLUMNS // 2)
        st.session_state[session.widget_key(FIRST_COLUMN)] = first
    session.selection.choose_cell(position, names[j])
