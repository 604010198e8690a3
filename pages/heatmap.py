"""Heatmap: every cell as a colour; a click opens its detail."""

import streamlit as st

from cellval.ui.cell_detail import draw_cell
from cellval.ui.guard import need_shown
from cellval.ui.heatmap import controls, view
from cellval.ui.selection import marked_cell
from cellval.ui.session import get_session
from cellval.ui.widgets import chart, view_key
from cellval.views.rankings import outlines
from cellval.views.value_view import value_view

st.title("Heatmap")
session = get_session()
shown = need_shown(session)
values = shown.values
look = controls.choose(shown)
found = outlines(values, shown.suspicion, look.outline_by, look.n_outlined)
outlined = controls.with_flagged(shown, found.cells)
order = look.rows(shown, outlined)
if len(order) == 0:
    st.info(controls.nothing_fits(look, outlined))
    st.stop()
rows = view.row_window(session, len(order))
window = order[rows.first : rows.last]
controls.outline_caption(shown, look, found, window, len(order))
columns = view.column_window(session, len(values.column_names))

strip, cells, detail = view.places(wide=not rows.is_whole)
of_file = session.widget_key("view")
key = view_key("cells", of_file, *look, *(rows.first, rows.last), columns.first)
figure = view.cells_figure(
    value_view(values),
    window.tobytes(),
    (columns.first, columns.last),
    outlined.tobytes(),
    marked_cell(shown, window, key),
    look.transposed,
    st.context.theme.type == "dark",
)
with cells:
    chart(
        figure,
        key,
        "Heatmap of cell values",
        on_select=lambda: view.open_cell(shown, key),
    )
    rows.slider(
        "row",
        f"The heatmap shows {rows.size} of {rows.n:,} rows, in the chosen order. Move "
        "the window here, or click into the overview.",
    )
    controls.legend(shown, look, len(order))
if strip is not None:
    with strip:
        small = view.overview_figure(
            value_view(values),
            order.tobytes(),
            (rows.first, rows.last),
            figure.layout.height,
        )
        over = view_key("overview", of_file, *look)
        chart(
            small,
            over,
            "Overview of all rows",
            on_select=lambda: view.jump(shown, order, over),
            menu=False,
        )
with detail:
    draw_cell(shown, "heatmap")
