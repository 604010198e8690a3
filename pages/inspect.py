"""Inspection list: the most suspicious cells, one decision each; or all on a map."""

import hashlib

import streamlit as st

from cellval.ui import session as state
from cellval.ui.inspect import (
    codes,
)
from cellval.ui.inspect import (
    lines as celllines,
)
from cellval.ui.inspect import map as cellmap
from cellval.ui.inspect.list import (
    controls,
    draw,
    flag_buttons,
    mark_buttons,
    progress,
    say_why_no_surprise,
    with_decisions,
)
from cellval.ui.widgets import cell_detail, kept, table_and_values, view_key

st.title("Inspection list")
table, values = table_and_values()
suspicion = state.suspicion()
view = st.segmented_control(
    "What to look at",
    ("List", "Map"),
    required=True,
    key=kept("list view", "List"),
    persist_state="session",
    label_visibility="collapsed",
)
codes.lines(table, suspicion)
wanted = controls(table, values, suspicion, view == "List")
if suspicion is None:
    say_why_no_surprise()

if view == "Map":
    points, detail = st.columns([7, 4], gap="small")
    with points:
        if suspicion is not None:
            keep = celllines.wanted_cells(table, values, suspicion, wanted)
            cellmap.draw(table, values, suspicion, keep)
    with detail:
        cell_detail(table, values, "list")
    st.stop()

found = celllines.lines(table, values, suspicion, wanted)
progress(found.frame)
shown = with_decisions(found.frame, wanted)
lines, detail = st.columns([7, 4], gap="small")
with lines:
    if len(shown) == 0:
        st.info("No cell fits these filters.")
    else:
        cells = shown[["index", "column"]].to_csv().encode()
        key = view_key("list", state.widget_key("v"), hashlib.sha1(cells).hexdigest())
        chosen = draw(shown, table, values, key)
        st.caption(
            "Click a line to open the cell; tick lines to decide on many at once."
        )
        mark_buttons(shown.iloc[chosen])
    flag_buttons(found)
with detail:
    cell_detail(table, values, "list")
