"""Inspection list: the lowest cells, one decision each."""

import hashlib

import streamlit as st

from cellval.ui import celllist, state
from cellval.ui.components import cell_detail, table_and_values, view_key

st.title("Inspection list")
table, values = table_and_values()
wanted = celllist.controls(table, values)
frame = celllist.lowest(table, values, wanted)
celllist.progress(frame)

shown = celllist.with_decisions(frame, wanted)
lines, detail = st.columns([7, 4], gap="small")
with lines:
    if len(shown) == 0:
        st.info("No cell fits these filters.")
    else:
        cells = shown[["index", "column"]].to_csv().encode()
        key = view_key("list", state.widget_key("v"), hashlib.sha1(cells).hexdigest())
        chosen = celllist.draw(shown, table, values, key)
        st.caption(
            "Click a line to open the cell; tick lines to decide on many at once."
        )
        celllist.mark_buttons(shown.iloc[chosen])
    with st.container(horizontal=True, vertical_alignment="bottom"):
        k = st.number_input(
            "Flag the lowest",
            min_value=1,
            max_value=max(1, len(frame)),
            value=min(10, max(1, len(frame))),
            width=160,
            help="How many cells, from the top of the list with its column and class "
            "filters.",
        )
        st.button(
            f"Flag the lowest {k:,}",
            icon=":material/flag:",
            key="flag lowest",
            on_click=celllist.flag_lowest,
            args=(frame, int(k)),
            help="Marks them as errors. Cells you already decided on stay as they are.",
        )
with detail:
    cell_detail(table, values, "list")
