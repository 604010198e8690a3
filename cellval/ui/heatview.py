"""What the heatmap page shows: order, filters, window, and answers to clicks."""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from cellval import figures, views
from cellval.table import Table
from cellval.ui import state
from cellval.ui.components import clicked, flagged_cells, kept
from cellval.values import CellValues
from cellval.wording import brief

DRAWN_WHOLE = 200  # rows; larger tables have an overview and a window
WINDOW = 60
MAX_COLUMNS = 60
OVERVIEW_PIXELS = 150  # charts are not drawn narrower


class Look(NamedTuple):
    """What a person chose to see."""

    by: str
    column: str | None
    classes: tuple[str, ...]
    search: str
    flagged_only: bool
    transposed: bool
    n_outlined: int


def _order() -> str:
    return st.session_state.get(state.heatmap_key("order"), "file")


def controls(table: Table, values: CellValues) -> Look:
    """The widgets above the heatmap."""
    by_column = _order() == "column"
    widths = [4, *([3] * by_column), 3, 3, 2, 2]
    one, *more, three, four, five, six = st.columns(
        widths, vertical_alignment="bottom", gap="small"
    )
    with one:
        by = st.selectbox(
            "Order of the rows",
            list(views.ORDERS),
            format_func=lambda key: views.ORDERS[key],
            key=kept("heatmap order", "file", views.ORDERS),
            persist_state="session",
            on_change=state.move_heatmap,
            args=(0,),
            help="Similar rows: alike contents next to each other, class by class.",
        )
    column = None
    if by == "column":
        with more[0]:
            column = st.selectbox(
                "Column to sort by",
                values.column_names,
                key=kept("heatmap column", values.column_names[0], values.column_names),
                persist_state="session",
                on_change=state.move_heatmap,
                args=(0,),
                help="Rows with the lowest (worst) value in this column come first.",
            )
    with three:
        classes = st.multiselect(
            f"Only {brief(table.label, 16)}",
            table.classes,
            key=kept("heatmap classes", []),
            persist_state="session",
            placeholder="all classes",
            help="Shows rows of these classes only.",
        )
    with four:
        search = st.text_input(
            "Search",
            key=kept("heatmap search", ""),
            persist_state="session",
            placeholder="text in a row",
            help="Shows rows whose number, id or any cell contains this text.",
        )
    with five:
        st.text_input(
            "Go to row",
            key="heatmap goto",
            placeholder="number or id",
            on_change=_go_to,
            args=(table, values),
            help="Moves the window there and selects the row's lowest cell.",
        )
    with six.popover("View", icon=":material/tune:", width="stretch"):
        return Look(by, column, tuple(classes), search, *_view_options(values))


def _view_options(values: CellValues) -> tuple[bool, bool, int]:
    usual = views.derived(values).usual_suspects
    flagged_only = st.toggle(
        "Only rows with outlined cells",
        key=kept("heatmap flagged", False),
        persist_state="session",
        help="Rows in which a cell is suspected, or was flagged by you.",
    )
    transposed = st.toggle(
        "Transpose",
        key=kept("heatmap transposed", False),
        persist_state="session",
        help="Rows across and columns down, as in the paper.",
    )
    n_outlined = st.number_input(
        "Outline at most so many suspects",
        min_value=0,
        max_value=max(5000, usual),
        step=5,
        key=kept("heatmap outlined", usual),
        persist_state="session",
        help="Suspects are the lowest cells within their class whose value is below 0 "
        "by more than two standard errors. Unless you choose another number, at most "
        "0.5 % of the cells are outlined (at least 5). Cells you flagged always are.",
    )
    return flagged_only, transposed, int(n_outlined)


def outlined(values: CellValues, k: int) -> set[tuple[int, int]]:
    """Suspected cells and those a person flagged."""
    rows, columns = views.derived(values).suspects(k)
    suspected = set(zip(rows.tolist(), columns.tolist(), strict=True))
    return suspected | flagged_cells(values)


def shown_rows(
    table: Table, values: CellValues, look: Look, cells: set[tuple[int, int]]
) -> np.ndarray:
    """Rows that pass the filters, in order."""
    only = np.unique([i for i, _ in cells]) if look.flagged_only else None
    return views.filtered(
        views.row_order(table, values, look.by, look.column),
        table,
        classes=look.classes,
        only=only,
        search=look.search,
    )


def window_of(order: np.ndarray) -> tuple[int, int]:
    """First and last position drawn."""
    n = len(order)
    if n <= DRAWN_WHOLE:
        return 0, n
    key = kept("heatmap start", 1)
    first, last = views.window(n, st.session_state[key] - 1, WINDOW)
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
    first, last = views.window(m, st.session_state[key] - 1, MAX_COLUMNS)
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


def legend(values: CellValues, look: Look, n_shown: int, n_rows: int) -> None:
    """What the marks mean."""
    rows = (
        f"{n_rows:,} rows" if n_shown == n_rows else f"{n_shown:,} of {n_rows:,} rows"
    )
    n = min(look.n_outlined, len(views.derived(values).harmful))
    marks = "Bars on top: column values; strip beside: row values"
    if look.transposed:
        marks = "Bars beside: column values; strip on top: row values"
    st.caption(
        f"{rows}, {views.ORDERS[look.by]}. {marks}. Outlined: the {n:,} lowest cells "
        "within their class that are clearly below 0, and cells you flagged."
    )


def cells_figure(
    values: CellValues,
    rows: np.ndarray,
    columns: tuple[int, int],
    marked: set[tuple[int, int]],
    selected: tuple[int, int] | None,
    transposed: bool,
) -> go.Figure:
    """The heatmap, drawn anew only if it changed: most clicks leave it as it is."""
    drawn = set(rows.tolist())
    return _cells(
        views.derived(values),
        rows.tobytes(),
        columns,
        frozenset(cell for cell in marked if cell[0] in drawn),
        selected,
        transposed,
        st.context.theme.type == "dark",
    )


@lru_cache(maxsize=8)
def _cells(
    about: views.Derived,
    rows: bytes,
    columns: tuple[int, int],
    marked: frozenset[tuple[int, int]],
    selected: tuple[int, int] | None,
    transposed: bool,
    dark: bool,
) -> go.Figure:
    return figures.heatmap(
        about,
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
    return _overview(views.derived(values), order.tobytes(), window, height)


@lru_cache(maxsize=8)
def _overview(
    about: views.Derived, rows: bytes, window: tuple[int, int], height: int
) -> go.Figure:
    order = np.frombuffer(rows, np.int64)
    pooled = views.bands(about.values.values, order)
    return figures.overview(about, order, pooled, window, height=height)


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


def _go_to(table: Table, values: CellValues) -> None:
    text = st.session_state["heatmap goto"]
    found = views.find_rows(table, text)
    if not text.strip():
        return
    if not found:
        st.toast("There is no row with this number or id.")
        return
    column = st.session_state.get(state.heatmap_key("column"))
    order = views.filtered(
        views.row_order(table, values, _order(), column),
        table,
        classes=tuple(st.session_state[state.heatmap_key("classes")]),
        search=st.session_state[state.heatmap_key("search")],
    )
    if found[0] not in order:
        st.toast("This row is hidden by the filters.")
    row = values.values[found[0]]
    j = int(np.nanargmin(row)) if np.isfinite(row).any() else 0
    show(values, order, found[0], j)
