"""What a person chose to see of the heatmap: order, filters, outlines."""

from typing import NamedTuple

import numpy as np
import streamlit as st

from cellval.detect.suspicion import Suspicion
from cellval.table.table import Table
from cellval.text import brief
from cellval.ui import session as state
from cellval.ui.heatmap.view import show
from cellval.ui.widgets import flagged_cells, kept
from cellval.values.result import CellValues
from cellval.views import rankings
from cellval.views.order import ORDERS, filtered, find_rows, row_order

NOT_YET = "How surprising cells are is not known yet, so the value alone decides. "


class Look(NamedTuple):
    """What a person chose to see."""

    by: str
    column: str | None
    classes: tuple[str, ...]
    search: str
    flagged_only: bool
    transposed: bool
    outline_by: str
    n_outlined: int | None  # None: as many as the rule says


def _order() -> str:
    return st.session_state.get(state.heatmap_key("order"), "file")


def controls(table: Table, values: CellValues, suspicion: Suspicion | None) -> Look:
    """The widgets above the heatmap."""
    by_column = _order() == "column"
    widths = [4, *([3] * by_column), 3, 3, 2, 2]
    one, *more, three, four, five, six = st.columns(
        widths, vertical_alignment="bottom", gap="small"
    )
    with one:
        by = st.selectbox(
            "Order of the rows",
            list(ORDERS),
            format_func=lambda key: ORDERS[key],
            key=kept("heatmap order", "file", ORDERS),
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
            args=(table, values, suspicion),
            help="Moves the window there and selects the row's lowest cell.",
        )
    with six.popover("View", icon=":material/tune:", width="stretch"):
        options = _view_options(values, suspicion)
        return Look(by, column, tuple(classes), search, *options)


def _view_options(
    values: CellValues, suspicion: Suspicion | None
) -> tuple[bool, bool, str, int | None]:
    flagged_only = st.toggle(
        "Only rows with outlined cells",
        key=kept("heatmap flagged", False),
        persist_state="session",
        help="Rows in which a cell is outlined, by the choice below or flagged by you.",
    )
    transposed = st.toggle(
        "Transpose",
        key=kept("heatmap transposed", False),
        persist_state="session",
        help="Rows across and columns down, as in the paper.",
    )
    by = st.selectbox(
        "Outline by",
        list(rankings.OUTLINES),
        format_func=lambda key: rankings.OUTLINES[key],
        key=kept("heatmap outline by", "suspicion", rankings.OUTLINES),
        persist_state="session",
        on_change=_follow_the_rule,
        help="Suspicion: surprising cells first, more so if they hurt. Value only: the "
        "lowest cells within their class that are below 0 by more than two standard "
        "errors. Surprise only: unusual cells, whether they hurt or not.",
    )
    usual = rankings.outlines(values, suspicion, by)
    n = st.number_input(
        "How many",
        min_value=0,
        max_value=values.values.size,
        value=None,
        step=5,
        key=kept("heatmap outlined", None, range(values.values.size + 1)),
        persist_state="session",
        placeholder=f"{len(usual.cells):,} by the rule",
        help=f"Cells to outline; empty: as many as the rule says. {_rule(usual.by)} "
        "Cells you flagged always are outlined.",
    )
    return flagged_only, transposed, by, None if n is None else int(n)


def _rule(by: str) -> str:
    if by == "value":
        return "By value that is at most 0.5 % of the cells, or 5."
    return (
        "It flags as many cells as it can while it expects one false alarm in ten of "
        "them: few or none in a table without oddities."
    )


def _follow_the_rule() -> None:
    st.session_state[state.heatmap_key("outlined")] = None


def outlined(
    values: CellValues, suspicion: Suspicion | None, look: Look
) -> rankings.Outlines:
    """Which cells are outlined, apart from those that a person flagged."""
    return rankings.outlines(values, suspicion, look.outline_by, look.n_outlined)


def marked_cells(values: CellValues, shown: rankings.Outlines) -> np.ndarray:
    """Flat positions of the outlined cells and of those that a person flagged."""
    m = len(values.column_names)
    own = [i * m + j for i, j in flagged_cells(values)]
    return np.union1d(shown.cells, np.array(own, np.int64))


def shown_rows(
    table: Table,
    values: CellValues,
    suspicion: Suspicion | None,
    look: Look,
    cells: np.ndarray,
) -> np.ndarray:
    """Rows that pass the filters, in order; `cells` are marked, by flat position."""
    only = cells // len(values.column_names) if look.flagged_only else None
    ranks = None if suspicion is None else suspicion.ranks
    return filtered(
        row_order(table, values, look.by, look.column, ranks),
        table,
        classes=look.classes,
        only=only,
        search=look.search,
    )


def nothing_fits(look: Look, cells: np.ndarray) -> str:
    """Why no row is shown."""
    if look.flagged_only and cells.size == 0:
        return (
            'No cell is outlined. Choose how many under View, or switch off "Only rows '
            'with outlined cells" there.'
        )
    return "No row fits these filters. Choose other classes or another search."


def outline_caption(
    look: Look, shown: rankings.Outlines, in_window: np.ndarray | None
) -> None:
    """Which cells are outlined, and why these; `in_window` tells of rows not shown."""
    not_yet = NOT_YET if shown.by != look.outline_by else ""
    unseen = ""
    if in_window is not None and shown.cells.size and not in_window.any():
        unseen = (
            f' None of them is in the rows below: choose "{ORDERS["suspicion"]}" '
            "as the order of the rows to see them."
        )
    st.caption(
        f"{not_yet}{rankings.outline_words(shown)} Cells you flagged are outlined, "
        f"too.{unseen}"
    )


def legend(look: Look, suspicion: Suspicion | None, n_shown: int, n_rows: int) -> None:
    """Which rows are shown in which order, and what the bars mean."""
    rows = (
        f"{n_rows:,} rows" if n_shown == n_rows else f"{n_shown:,} of {n_rows:,} rows"
    )
    marks = "Bars on top: column values; strip beside: row values"
    if look.transposed:
        marks = "Bars beside: column values; strip on top: row values"
    by = "cell" if suspicion is None and look.by == "suspicion" else look.by
    st.caption(f"{rows}, {ORDERS[by]}. {marks}.")


def _go_to(table: Table, values: CellValues, suspicion: Suspicion | None) -> None:
    text = st.session_state["heatmap goto"]
    found = find_rows(table, text)
    if not text.strip():
        return
    if not found:
        st.toast("There is no row with this number or id.")
        return
    column = st.session_state.get(state.heatmap_key("column"))
    order = filtered(
        row_order(
            table,
            values,
            _order(),
            column,
            None if suspicion is None else suspicion.ranks,
        ),
        table,
        classes=tuple(st.session_state[state.heatmap_key("classes")]),
        search=st.session_state[state.heatmap_key("search")],
    )
    if found[0] not in order:
        st.toast("This row is hidden by the filters.")
    row = values.values[found[0]]
    j = int(np.nanargmin(row)) if np.isfinite(row).any() else 0
    show(values, order, found[0], j)
