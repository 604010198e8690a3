"""Inspection list: the most suspicious cells, one decision each; or all on a map."""

import streamlit as st

from cellval.ui.cell_detail import draw_cell
from cellval.ui.guard import table_and_values
from cellval.ui.inspect import codes
from cellval.ui.inspect import list as cell_list
from cellval.ui.inspect import map as cell_map
from cellval.ui.session import get_session
from cellval.ui.widgets import lasting
from cellval.views.inspection_list import inspection, wanted_cells

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
how = (session, table, values, suspicion)
wanted, decisions = cell_list.choose(*how, is_list=view == "List")
if suspicion is None:
    cell_list.say_why_no_surprise(session)

if view == "List":
    made = {"decisions": session.file.decisions, "repairs": session.file.repairs}
    with st.spinner("Looking for what should have been there ..."):
        found = inspection(table, values, suspicion, wanted, **made)
    cell_list.progress(found.frame)
left, right = st.columns([7, 4], gap="small")
with left:
    if view == "List":
        cell_list.show(session, table, values, found, decisions)
    elif suspicion is not None:
        keep = wanted_cells(table, values, suspicion, wanted)
        cell_map.draw(session, values, suspicion, keep)
with right:
    draw_cell(session, table, values, suspicion, "list")
