"""Heatmap: every cell as a colour; a click opens its detail."""

import numpy as np
import streamlit as st

from cellval.ui import session as state
from cellval.ui.heatmap import controls as heatlook
from cellval.ui.heatmap.view import (
    DRAWN_WHOLE,
    cells_figure,
    columns_of,
    jump,
    open_cell,
    overview_figure,
    places,
    selected_position,
    window_of,
    window_slider,
)
from cellval.ui.widgets import cell_detail, chart, table_and_values, view_key

st.title("Heatmap")
table, values = table_and_values()
suspicion = state.suspicion()
look = heatlook.controls(table, values, suspicion)
outlined = heatlook.outlined(values, suspicion, look)
marked = heatlook.marked_cells(values, outlined)
order = heatlook.shown_rows(table, values, suspicion, look, marked)
if len(order) == 0:
    st.info(heatlook.nothing_fits(look, marked))
    st.stop()
first, last = window_of(order)
window = order[first:last]
in_window = np.isin(outlined.cells // len(values.column_names), window)
heatlook.outline_caption(
    look, outlined, in_window if len(order) > len(window) else None
)
left, right = columns_of(values)

overview, cells, detail = places(wide=len(order) > DRAWN_WHOLE)
key = view_key("cells", state.widget_key("view"), *look, first, last, left, right)
figure = cells_figure(
    values,
    window,
    (left, right),
    marked,
    selected_position(values, window, key),
    look.transposed,
)
with cells:
    chart(
        figure,
        key,
        "Heatmap of cell values",
        on_select=lambda: open_cell(values, key),
    )
    window_slider(len(order))
    heatlook.legend(look, suspicion, len(order), table.n_rows)
if overview is not None:
    with overview:
        small = overview_figure(values, order, (first, last), figure.layout.height)
        over = view_key("overview", state.widget_key("view"), *look)
        chart(
            small,
            over,
            "Overview of all rows",
            on_select=lambda: jump(values, order, over),
            menu=False,
        )
with detail:
    cell_detail(table, values, "heatmap")
