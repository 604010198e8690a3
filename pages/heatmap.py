"""Heatmap: every cell as a colour; a click opens its detail."""

import streamlit as st

from cellval.ui.cell_detail import draw_cell
from cellval.ui.guard import table_and_values
from cellval.ui.heatmap import controls, view
from cellval.ui.selection import marked_cell
from cellval.ui.session import get_session
from cellval.ui.widgets import chart, view_key
from cellval.views.rankings import outlines

st.title("Heatmap")
session = get_session()
table, values = table_and_values(session)
suspicion = session.suspicion
look = controls.choose(session, table, values, suspicion)
shown = outlines(values, suspicion, look.outline_by, look.n_outlined)
outlined = controls.with_flagged(session, values, shown)
order = look.rows(table, values, suspicion, outlined)
if len(order) == 0:
    st.info(controls.nothing_fits(look, outlined))
    st.stop()
rows = view.row_window(session, len(order))
window = order[rows.first : rows.last]
controls.outline_caption(look, shown, values, window, len(order))
columns = view.column_window(session, len(values.column_names))

strip, cells, detail = view.places(wide=not rows.is_whole)
of_file = session.widget_key("view")
key = view_key("cells", of_file, *look, *(rows.first, rows.last), columns.first)
figure = view.cells_figure(
    values,
    window,
    (columns.first, columns.last),
    outlined,
    marked_cell(session, values, window, key),
    look.transposed,
)
with cells:
    chart(
        figure,
        key,
        "Heatmap of cell values",
        on_select=lambda: view.open_cell(session, values, key),
    )
    rows.slider(
        "row",
        f"The heatmap shows {rows.size} of {rows.n:,} rows, in the chosen order. Move "
        "the window here, or click into the overview.",
    )
    controls.legend(look, suspicion, len(order), table.n_rows)
if strip is not None:
    with strip:
        small = view.overview_figure(values, order, rows, figure.layout.height)
        over = view_key("overview", of_file, *look)
        chart(
            small,
            over,
            "Overview of all rows",
            on_select=lambda: view.jump(session, values, order, over),
            menu=False,
        )
with detail:
    draw_cell(session, table, values, suspicion, "heatmap")
