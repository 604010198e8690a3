"""Inspection list: the most suspicious cells, one decision each; or all on a map."""

import streamlit as st

from cellval.ui import codes
from cellval.ui.cell_detail import draw_cell
from cellval.ui.guide import lead_on
from cellval.ui.inspect import list as cell_list
from cellval.ui.inspect import map as cell_map
from cellval.ui.live import live
from cellval.ui.navigation import need_shown
from cellval.ui.session import get_session
from cellval.ui.widgets import one_of
from cellval.views.inspection_list import inspection, wanted_cells

session = get_session()


def draw() -> None:
    shown = need_shown(session, say_partial=False)
    lead_on(shown, "inspect")
    codes.ask(session, shown.table)
    view = st.segmented_control(
        "What to look at",
        **one_of(session, "list view", ("List", "Map")),
        required=True,
        label_visibility="collapsed",
    )
    wanted, decisions = cell_list.choose(shown, is_list=view == "List")
    if shown.suspicion is None:
        cell_list.say_why_no_surprise(session)

    if view == "List":
        made = {"decisions": session.file.decisions, "repairs": session.file.repairs}
        with st.spinner("Looking for what should have been there ..."):
            found = inspection(*shown[1:], wanted, **made)
        cell_list.progress(found.frame)
        walk = cell_list.walk(session, found.frame)
    else:
        keep = wanted_cells(*shown[1:], wanted)
        walk = cell_map.walk(shown, keep)
    left, right = st.columns([2, 1], gap="small")
    with left:
        if view == "List":
            cell_list.show(shown, found, wanted, decisions)
        elif shown.suspicion is not None:
            cell_map.draw(shown, keep)
    with right:
        draw_cell(shown, walk)


live(session, "inspect", draw)
