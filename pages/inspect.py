"""Inspection list: questions about cells; or the worst cells one by one, or a map."""

import streamlit as st

from cellval.ui import codes
from cellval.ui.cell_detail import draw_cell
from cellval.ui.guide import lead_on
from cellval.ui.inspect import findings as finding_list
from cellval.ui.inspect import list as cell_list
from cellval.ui.inspect import map as cell_map
from cellval.ui.inspect.finding import draw_finding
from cellval.ui.inspect.rules import draw_kept
from cellval.ui.live import live
from cellval.ui.navigation import need_shown
from cellval.ui.session import Shown, get_session
from cellval.views.findings_list import listed_findings
from cellval.views.inspection_list import inspection, wanted_cells

session = get_session()


def draw() -> None:
    shown = need_shown(session, say_partial=False)
    lead_on(shown, "inspect")
    view = finding_list.choose_view(session)
    if view == "Findings":
        draw_findings(shown)
    else:
        draw_cells(shown, is_list=view == "Cells")


def draw_findings(shown: Shown) -> None:
    if shown.suspicion is None:
        finding_list.say_why_none(session)
        return
    with st.spinner("Looking for questions ..."):
        taught = session.taught(shown.suspicion)
    asked = finding_list.choose(shown, taught)
    found = listed_findings(shown.table, taught, asked, session.later)
    left, right = st.columns([2, 1], gap="small")
    with left:
        finding_list.show(shown, taught, found, asked)
        draw_kept(shown)
    with right:
        draw_finding(shown, taught, found)


def draw_cells(shown: Shown, *, is_list: bool) -> None:
    codes.ask(session, shown.table)
    with st.container():
        wanted, decisions = cell_list.choose(shown, is_list=is_list)
        if shown.suspicion is None:
            cell_list.say_why_no_surprise(session)
    ranked = shown.table, shown.values, shown.after_answers
    if is_list:
        made = {"decisions": session.file.decisions, "repairs": session.file.repairs}
        with st.spinner("Looking for what should have been there ..."):
            found = inspection(*ranked, wanted, **made)
        cell_list.progress(found.frame)
        walk = cell_list.walk(session, found.frame)
    else:
        keep = wanted_cells(*ranked, wanted)
        walk = cell_map.walk(shown, keep)
    left, right = st.columns([2, 1], gap="small")
    with left:
        if is_list:
            cell_list.show(shown, found, wanted, decisions)
        elif shown.suspicion is not None:
            cell_map.draw(shown, keep)
    with right:
        draw_cell(shown, walk)


live(session, "inspect", draw)
