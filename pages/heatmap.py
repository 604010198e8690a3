"""Heatmap: every cell as a colour; a click opens its detail."""

import numpy as np
import streamlit as st

from cellval.ui import codes
from cellval.ui.cell_detail import draw_cell
from cellval.ui.charts import chart, drawn_key, marked_cell
from cellval.ui.guide import lead_on
from cellval.ui.heatmap import controls, view
from cellval.ui.live import live
from cellval.ui.navigation import need_shown
from cellval.ui.session import get_session
from cellval.ui.widgets import Window
from cellval.views.rankings import outlines
from cellval.views.value_view import value_view

session = get_session()


def draw() -> None:
    shown = need_shown(session, say_partial=False)
    values = shown.values
    lead_on(shown, "heatmap")
    codes.ask(session, shown.table)
    look = controls.choose(shown)
    found = outlines(values, shown.after_answers, look.outline_by, look.n_outlined)
    outlined = controls.with_flagged(shown, found.cells)
    order = look.rows(shown, outlined)
    if len(order) == 0:
        st.info(controls.nothing_fits(look, outlined))
        return
    view.open_at_worst(shown, order, found.cells)
    view.follow_link(shown, order)
    rows = Window.of(session, view.FIRST_ROW, len(order), view.WINDOW, whole=view.WHOLE)
    window = order[rows.first : rows.last]
    controls.outline_caption(shown, look, found, window, len(order))
    n_columns = len(values.column_names)
    columns = Window.of(session, view.FIRST_COLUMN, n_columns, view.MAX_COLUMNS)
    columns.slider(
        "column", f"The heatmap shows {view.MAX_COLUMNS} of {n_columns:,} columns."
    )

    strip, cells, detail = view.places(wide=not rows.is_whole)
    colours = look.coloured(shown)
    key = session.widget_key("cells", columns.first, look.transposed)
    key = drawn_key(key, values, colours, window, outlined)
    key, marked = marked_cell(shown, window, key)
    figure = view.cells_figure(
        value_view(values),
        colours,
        window.tobytes(),
        (columns.first, columns.last),
        outlined.tobytes(),
        marked,
        look.transposed,
    )
    with cells:
        chart(
            figure,
            "Heatmap of cell values",
            key=key,
            on_click=view.open_cell(shown, key),
        )
        rows.slider(
            "row",
            f"The heatmap shows {view.WINDOW} of {rows.n:,} rows, in the chosen order. "
            "Move the window here, or click into the overview.",
        )
        controls.legend(shown, look, len(order))
        drawn = window, np.arange(columns.first, columns.last)
        view.as_text(shown, *drawn, found.cells, outlined)
    if strip is not None:
        with strip:
            seen, height = (rows.first, rows.last), figure.layout.height
            small = view.overview_figure(
                value_view(values), colours, order.tobytes(), seen, height
            )
            over = session.widget_key("overview", *seen, height)
            chart(
                small,
                "Overview of all rows",
                key=drawn_key(over, values, colours, order),
                on_click=view.jump(shown),
                menu=False,
            )
    with detail:
        draw_cell(shown, view.walk(shown, order, found))


live(session, "heatmap", draw)
