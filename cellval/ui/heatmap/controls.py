"""What a person chose to see of the heatmap: order, filters, outlines."""

from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from cellval.detect.suspicion import Suspicion
from cellval.text import short_name
from cellval.ui.heatmap.view import COLUMN, ORDER, move_to, show_cell
from cellval.ui.parts import say
from cellval.ui.session import Shown
from cellval.ui.text import plain
from cellval.ui.widgets import forget, lasting, one_of, segments, typed_rows
from cellval.values.words import spoken
from cellval.views.order import ORDERS, WITHOUT_VALUES, filtered, row_order
from cellval.views.rankings import OUTLINES, Outlines, outline_words, outlines

NOT_YET = "How surprising cells are is not known yet, so the value alone decides. "
OUTLINED = "heatmap outlined"
COLOURS = {"value": "value", "suspicion": "suspicion"}
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
    colour_by: str  # of `COLOURS`

    def coloured(self, shown: Shown) -> Suspicion | None:
        """What the colours are of: suspicion if it was chosen and is known."""
        return shown.after_answers if self.colour_by == "suspicion" else None

    def rows(self, shown: Shown, outlined: np.ndarray | None = None) -> np.ndarray:
        """Rows that pass the filters, in order; cells are outlined by flat position.

        Answers move no rows: a heatmap must not jump under who decides in it.
        """
        _, table, values, suspicion = shown
        ranks = None if suspicion is None else suspicion.ranks
        only = None
        if self.outlined_only and outlined is not None:
            only = outlined // len(values.column_names)
        order = row_order(table, values, self.by, self.column, ranks)
        return filtered(
            order, table, classes=self.classes, only=only, search=self.search
        )


def choose(shown: Shown) -> Look:
    session, table, values, _ = shown
    possible = ORDERS
    if not values.settings.is_valued:
        possible = {name: ORDERS[name] for name in WITHOUT_VALUES}
    order = one_of(session, ORDER, possible)
    by_column = st.session_state.get(order["key"]) == "column"
    widths = [4, *([3] * by_column), *([3] * bool(table.label)), 3, 2, 2]
    one, *more, four, five, six = st.columns(
        widths, vertical_alignment="bottom", gap="small"
    )
    from_the_top: dict[str, Any] = {"on_change": move_to, "args": (session, 0)}
    by = one.selectbox(
        "Order of the rows",
        **order,
        **from_the_top,
        help=spoken(
            "Similar rows: alike contents next to each other, class by class.",
            values.settings,
        ),
    )
    column = None
    if by == "column":
        column = more[0].selectbox(
            "Column to sort by",
            **one_of(session, COLUMN, values.column_names),
            **from_the_top,
            help="Rows with the lowest (worst) value in this column come first.",
        )
    classes: list[str] = []
    if table.label:
        classes = more[-1].multiselect(
            f"Only {plain(short_name(table.label, 16))}",
            table.classes,
            **lasting(session, "heatmap classes", []),
            placeholder=spoken("all classes", values.settings),
            help=spoken("Shows rows of these classes only.", values.settings),
        )
    search = four.text_input(
        "Search",
        **lasting(session, "heatmap search", ""),
        placeholder="text in a row",
        help="Shows rows whose number, id or any cell contains this text.",
    )
    typed = five.container()
    with six.popover("View", icon=":material/tune:", width="stretch"):
        view = _view_options(shown)
    look = Look(by, column, tuple(classes), search, *view, _colour_by(shown))
    typed.text_input(
        "Go to row",
        key=GO_TO,
        placeholder="number or id",
        on_change=_go_to,
        args=(shown, look),
        help="Moves the window there and selects the row's lowest cell.",
    )
    return look


def _colour_by(shown: Shown) -> str:
    """A switch on a line of its own, with its name before it."""
    if not shown.values.settings.is_valued:
        return "suspicion"
    line = st.container(horizontal=True, vertical_alignment="center", gap="small")
    line.markdown(
        "Colour by",
        width="content",
        help="Value: what a cell adds to the score. Suspicion: how surprising the cell "
        "is (four fifths) and how much it hurts (one fifth), the number that the "
        "inspection list is ordered by; only what stands out has a strong colour.",
    )
    by: str = line.segmented_control(
        "Colour by",
        **segments(shown.session, "heatmap colour", COLOURS),
        label_visibility="collapsed",
    )
    return by


def _view_options(shown: Shown) -> tuple[bool, bool, str, int | None]:
    session, values = shown.session, shown.values
    outlined_only = st.toggle(
        "Only rows with outlined cells",
        **lasting(session, "heatmap flagged", False),
        help="Rows with a suspect, by the choice below, or a cell you marked as wrong.",
    )
    transposed = st.toggle(
        "Transpose",
        **lasting(session, "heatmap transposed", False),
        help="Rows across and columns down, as in the paper.",
    )
    by = "suspicion"
    if values.settings.is_valued:
        by = st.selectbox(
            "Outline by",
            **one_of(session, "heatmap outline by", OUTLINES),
            on_change=forget,
            args=(session, OUTLINED),
            help=spoken(
                "Suspicion: surprising cells first, more so if they hurt. Value only: "
                "the lowest cells within their class that are below 0 by more than two "
                "standard errors. Surprise only: unusual cells, whether they hurt or "
                "not.",
                values.settings,
            ),
        )
    usual = outlines(values, shown.after_answers, by)
    n = st.number_input(
        "How many",
        min_value=0,
        max_value=values.values.size,
        step=5,
        **lasting(session, OUTLINED, None, range(values.values.size + 1)),
        placeholder=f"{len(usual.cells):,} by the rule",
        help=f"Cells to outline; empty: as many as the rule says. {_rule(usual.by)} "
        "Cells you marked as wrong always are outlined.",
    )
    return outlined_only, transposed, by, None if n is None else int(n)


def _rule(by: str) -> str:
    if by == "value":
        return "By value that is at most 0.5 % of the cells, or 5."
    return (
        "It picks as many suspects as it can while it expects one false alarm in ten "
        "of them: few or none in a table without oddities."
    )


def with_flagged(shown: Shown, cells: np.ndarray) -> np.ndarray:
    """Flat positions of these cells and of those that a person marked as wrong."""
    decided = dict(shown.session.file.decisions)  # others may decide meanwhile
    wanted = [cell for cell, decision in decided.items() if decision == "error"]
    columns = {name: j for j, name in enumerate(shown.values.column_names)}
    numbers = shown.values.row_numbers
    rows = np.searchsorted(numbers, [row for row, _ in wanted]).tolist()
    own = [
        i * len(columns) + columns[name]
        for i, (row, name) in zip(rows, wanted, strict=True)
        if name in columns and i < len(numbers) and numbers[i] == row
    ]
    return np.union1d(cells, np.array(own, np.int64))


def nothing_fits(look: Look, outlined: np.ndarray) -> str:
    if look.outlined_only and outlined.size == 0:
        return (
            'No cell is outlined. Choose how many under View, or switch off "Only rows '
            'with outlined cells" there.'
        )
    return "No row fits these filters. Choose other classes or another search."


def outline_caption(
    shown: Shown, look: Look, found: Outlines, window: np.ndarray, n_rows: int
) -> None:
    """Which cells are outlined, why these, and whether they are in the window."""
    waits = look.colour_by == "suspicion" and shown.suspicion is None
    not_yet = NOT_YET if waits or found.by != look.outline_by else ""
    not_yet += "Until then colours show values. " * waits
    unseen = ""
    in_window = np.isin(found.cells // len(shown.values.column_names), window)
    if n_rows > len(window) and found.cells.size and not in_window.any():
        unseen = (
            f' None of them is in the rows below: choose "{ORDERS["suspicion"]}" '
            "as the order of the rows to see them."
        )
    st.caption(
        f"{not_yet}{outline_words(found)} Cells you marked as wrong are outlined, too."
        f"{unseen}"
    )


def legend(shown: Shown, look: Look, n_shown: int) -> None:
    """Which rows are shown in which order, and what the bars mean."""
    n = shown.table.n_rows
    rows = f"{n:,} rows" if n_shown == n else f"{n_shown:,} of {n:,} rows"
    rows_by = "row values"
    if look.coloured(shown) is not None:
        rows_by = "the most suspicious cell of each row"
    marks = f"Bars on top: column values; strip beside: {rows_by}"
    if look.transposed:
        marks = f"Bars beside: column values; strip on top: {rows_by}"
    if not shown.values.settings.is_valued:
        marks = f"Strip: {rows_by}"
    by = "cell" if shown.suspicion is None and look.by == "suspicion" else look.by
    st.caption(f"{rows}, {ORDERS[by]}. {marks}.")


def _go_to(shown: Shown, look: Look) -> None:
    found = typed_rows(shown.table, GO_TO)
    if not found:
        return
    order = look.rows(shown)
    if found[0] not in order:
        say("This row is hidden by the filters.")
    row = shown.values.values[found[0]]
    j = int(np.nanargmin(row)) if np.isfinite(row).any() else 0
    show_cell(shown, order, found[0], j)
