"""What a person chose to see of the heatmap: order, filters, outlines."""

from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from cellval.detect.suspicion import Suspicion
from cellval.table.table import Table
from cellval.text import brief
from cellval.ui.heatmap.view import COLUMN, ORDER, move_to, show_cell
from cellval.ui.selection import flagged_cells
from cellval.ui.session import Session
from cellval.ui.widgets import lasting
from cellval.values.result import CellValues
from cellval.views.order import ORDERS, filtered, find_rows, row_order
from cellval.views.rankings import OUTLINES, Outlines, outline_words, outlines

NOT_YET = "How surprising cells are is not known yet, so the value alone decides. "
OUTLINED = "heatmap outlined"
GO_TO = "heatmap goto"


class Look(NamedTuple):
    """What a person chose to see."""

    by: str
    column: str | None
    classes: tuple[str, ...]
    search: str
    outlined_only: bool
    transposed: bool
    outline_by: str
    n_outlined: int | None  # None: as many as the rule says

    def rows(
        self,
        table: Table,
        values: CellValues,
        suspicion: Suspicion | None,
        outlined: np.ndarray | None = None,
    ) -> np.ndarray:
        """Rows that pass the filters, in order; cells are outlined by flat position."""
        ranks = None if suspicion is None else suspicion.ranks
        only = None
        if self.outlined_only and outlined is not None:
            only = outlined // len(values.column_names)
        return filtered(
            row_order(table, values, self.by, self.column, ranks),
            table,
            classes=self.classes,
            only=only,
            search=self.search,
        )


def choose(
    session: Session, table: Table, values: CellValues, suspicion: Suspicion | None
) -> Look:
    """The widgets above the heatmap."""
    order = lasting(session, ORDER, "file", ORDERS)
    by_column = st.session_state[order["key"]] == "column"
    widths = [4, *([3] * by_column), 3, 3, 2, 2]
    one, *more, three, four, five, six = st.columns(
        widths, vertical_alignment="bottom", gap="small"
    )
    from_the_top: dict[str, Any] = {"on_change": move_to, "args": (session, 0)}
    by = one.selectbox(
        "Order of the rows",
        list(ORDERS),
        format_func=lambda key: ORDERS[key],
        **order,
        **from_the_top,
        help="Similar rows: alike contents next to each other, class by class.",
    )
    column = None
    if by == "column":
        names = values.column_names
        column = more[0].selectbox(
            "Column to sort by",
            names,
            **lasting(session, COLUMN, names[0], names),
            **from_the_top,
            help="Rows with the lowest (worst) value in this column come first.",
        )
    classes = three.multiselect(
        f"Only {brief(table.label, 16)}",
        table.classes,
        **lasting(session, "heatmap classes", []),
        placeholder="all classes",
        help="Shows rows of these classes only.",
    )
    search = four.text_input(
        "Search",
        **lasting(session, "heatmap search", ""),
        placeholder="text in a row",
        help="Shows rows whose number, id or any cell contains this text.",
    )
    typed = five.container()
    with six.popover("View", icon=":material/tune:", width="stretch"):
        view = _view_options(session, values, suspicion)
    look = Look(by, column, tuple(classes), search, *view)
    typed.text_input(
        "Go to row",
        key=GO_TO,
        placeholder="number or id",
        on_change=_go_to,
        args=(session, table, values, suspicion, look),
        help="Moves the window there and selects the row's lowest cell.",
    )
    return look


def _view_options(
    session: Session, values: CellValues, suspicion: Suspicion | None
) -> tuple[bool, bool, str, int | None]:
    outlined_only = st.toggle(
        "Only rows with outlined cells",
        **lasting(session, "heatmap flagged", False),
        help="Rows in which a cell is outlined, by the choice below or flagged by you.",
    )
    transposed = st.toggle(
        "Transpose",
        **lasting(session, "heatmap transposed", False),
        help="Rows across and columns down, as in the paper.",
    )
    by = st.selectbox(
        "Outline by",
        list(OUTLINES),
        format_func=lambda key: OUTLINES[key],
        **lasting(session, "heatmap outline by", "suspicion", OUTLINES),
        on_change=_follow_the_rule,
        args=(session,),
        help="Suspicion: surprising cells first, more so if they hurt. Value only: the "
        "lowest cells within their class that are below 0 by more than two standard "
        "errors. Surprise only: unusual cells, whether they hurt or not.",
    )
    usual = outlines(values, suspicion, by)
    n = st.number_input(
        "How many",
        min_value=0,
        max_value=values.values.size,
        value=None,
        step=5,
        **lasting(session, OUTLINED, None, range(values.values.size + 1)),
        placeholder=f"{len(usual.cells):,} by the rule",
        help=f"Cells to outline; empty: as many as the rule says. {_rule(usual.by)} "
        "Cells you flagged always are outlined.",
    )
    return outlined_only, transposed, by, None if n is None else int(n)


def _rule(by: str) -> str:
    if by == "value":
        return "By value that is at most 0.5 % of the cells, or 5."
    return (
        "It flags as many cells as it can while it expects one false alarm in ten of "
        "them: few or none in a table without oddities."
    )


def _follow_the_rule(session: Session) -> None:
    st.session_state[session.widget_key(OUTLINED)] = None


def with_flagged(session: Session, values: CellValues, shown: Outlines) -> np.ndarray:
    """Flat positions of the outlined cells and of those that a person flagged."""
    m = len(values.column_names)
    own = [i * m + j for i, j in flagged_cells(session, values)]
    return np.union1d(shown.cells, np.array(own, np.int64))


def nothing_fits(look: Look, outlined: np.ndarray) -> str:
    """Why no row is shown."""
    if look.outlined_only and outlined.size == 0:
        return (
            'No cell is outlined. Choose how many under View, or switch off "Only rows '
            'with outlined cells" there.'
        )
    return "No row fits these filters. Choose other classes or another search."


def outline_caption(
    look: Look, shown: Outlines, values: CellValues, window: np.ndarray, n_rows: int
) -> None:
    """Which cells are outlined, why these, and whether they are in the window."""
    not_yet = NOT_YET if shown.by != look.outline_by else ""
    unseen = ""
    in_window = np.isin(shown.cells // len(values.column_names), window)
    if n_rows > len(window) and shown.cells.size and not in_window.any():
        unseen = (
            f' None of them is in the rows below: choose "{ORDERS["suspicion"]}" '
            "as the order of the rows to see them."
        )
    st.caption(
        f"{not_yet}{outline_words(shown)} Cells you flagged are outlined, too.{unseen}"
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


def _go_to(
    session: Session,
    table: Table,
    values: CellValues,
    suspicion: Suspicion | None,
    look: Look,
) -> None:
    wanted = st.session_state[GO_TO]
    found = find_rows(table, wanted)
    if not wanted.strip():
        return
    if not found:
        st.toast("There is no row with this number or id.")
        return
    order = look.rows(table, values, suspicion)
    if found[0] not in order:
        st.toast("This row is hidden by the filters.")
    row = values.values[found[0]]
    j = int(np.nanargmin(row)) if np.isfinite(row).any() else 0
    show_cell(session, values, order, found[0], j)
