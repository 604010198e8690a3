"""The pages, in the order of the menu, and the ways to them."""

from typing import NamedTuple

import streamlit as st
from streamlit.errors import StreamlitAPIException

from cellval.ui.session import Session


class Page(NamedTuple):
    """A file in pages/, by its name without the ending."""

    title: str
    icon: str
    live: bool = True  # shows values, and is drawn again while they sharpen


PAGES = {
    "data": Page("Data", "upload_file", live=False),
    "heatmap": Page("Heatmap", "grid_on"),
    "inspect": Page("Inspection list", "checklist"),
    "sample": Page("Explain a sample", "waterfall_chart"),
    "columns": Page("Columns", "bar_chart"),
    "sources": Page("Sources", "groups", live=False),
    "validate": Page("Validate", "science", live=False),
    "repair": Page("Repair", "build"),
    "export": Page("Export", "download", live=False),
}


def file_of(name: str) -> str:
    return f"pages/{name}.py"


def goto(name: str) -> None:
    """Switch to a page by its name."""
    st.switch_page(file_of(name))


def need_frame(session: Session) -> None:
    """Called by every page: run app.py first, if it has not.

    Until app.py has called st.navigation, a fresh server takes each file in pages/ as
    an app of its own; a link to a page would show it without navigation and run.
    """
    if session.has_frame:
        return
    session.wanted_page = (st.context.url or "").rstrip("/").rpartition("/")[2]
    try:
        st.switch_page("app.py", query_params=st.query_params.to_dict())
    except StreamlitAPIException:
        return  # the page was started by itself


def note_frame(session: Session) -> None:
    """Called by app.py: goes on to the page that was asked for earlier, if any."""
    session.has_frame = True
    wanted, session.wanted_page = session.wanted_page, ""
    if wanted in PAGES and wanted != "data":
        st.switch_page(file_of(wanted), query_params=st.query_params.to_dict())
