"""Inspection list: the most suspicious cells, one decision each; or all on a map."""

import hashlib

import streamlit as st

from cellval.ui.cell_detail import draw_cell
from cellval.ui.guard import table_and_values
from cellval.ui.inspect import codes
from cellval.ui.inspect import list as cell_list
from cellval.ui.inspect import map as cell_map
from cellval.ui.inspect.lines import lines, wanted_cells
from cellval.ui.session import get_session
from cellval.ui.widgets import lasting, view_key

st.title("Inspection list")
session = get_session()
table, values = table_and_values(session)
suspicion = session.suspicion
view = st.segmented_control(
    "What to look at",
    ("List", "Map"),
    required=True,
    **lasting(session, "list view", "List"),
    label_visibility="collapsed",
)
codes.lines(session.file, table, suspicion)
wanted = cell_list.choose(session, table, values, suspicion, is_list=view == "List")
if suspicion is None:
    cell_list.say_why_no_surprise(session)

if view == "List":
    found = lines(session.file, table, values, suspicion, wanted)
    cell_list.progress(found.frame)
left, right = st.columns([7, 4], gap="small")
if view == "Map":
    if suspicion is not None:
        with left:
            keep = wanted_cells(table, values, suspicion, wanted)
            cell_map.draw(session, values, suspicion, keep)
else:
    shown = cell_list.with_decisions(found.frame, wanted)
    with left:
        if len(shown) == 0:
            st.info("No cell fits these filters.")
        else:
            cells = hashlib.sha1(shown[["position", "column"]].to_csv().encode())
            key = view_key("list", session.widget_key("v"), cells.hexdigest())
            chosen = cell_list.draw(session, shown, table, values, key)
            st.caption(
                "Click a line to open the cell; tick lines to decide on many at once."
            )
            cell_list.mark_buttons(session.file, shown.iloc[chosen])
        cell_list.flag_buttons(session.file, found)
with right:
    draw_cell(session, table, values, suspicion, "list")
