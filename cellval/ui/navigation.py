"""The pages, the ways to them, and what they need before they can be drawn."""

from typing import NamedTuple, NoReturn

import streamlit as st
from streamlit.errors import StreamlitAPIException

from cellval.jobs import queue
from cellval.jobs.background import ValuationJob
from cellval.methods import about
from cellval.table.table import Table
from cellval.text import counted
from cellval.ui.session import Session, Shown
from cellval.ui.text import plain
from cellval.ui.watch import COMPILING
from cellval.ui.widgets import error
from cellval.values.result import CellValues


class PageEnds(Exception):
    """A page has no more to show.

    Not by `st.stop`: whoever takes that for the end of a page takes a browser that asks
    for another drawing for it, too. What was not drawn yet then counts as gone, and
    clicks on it are lost.
    """


class Page(NamedTuple):
    """A file in pages/, by its name without the ending."""

    title: str
    icon: str


PAGES = {  # in the order of the menu
    "data": Page("Data", "upload_file"),
    "heatmap": Page("Heatmap", "grid_on"),
    "inspect": Page("Inspection list", "checklist"),
    "sample": Page("Explain a row", "waterfall_chart"),
    "columns": Page("Columns", "bar_chart"),
    "sources": Page("Sources", "groups"),
    "validate": Page("Validate", "science"),
    "repair": Page("Repair", "build"),
    "export": Page("Export", "download"),
}


def file_of(name: str) -> str:
    return f"pages/{name}.py"


def goto(name: str) -> None:
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


# --- needs: where one is not met, the page says what to do, and ends ------------------


def need_table(session: Session) -> Table:
    """The table as it is in the file; where there is none the page ends with a hint"""
    need_frame(session)
    table = session.original
    if table is None:
        if session.lost:
            error(session.lost)
        _hint("No data yet. Open the Data page and choose a file or a sample.")
    return table


def need_values(session: Session) -> CellValues:
    """Values of the run so far; where there are none the page ends with a hint."""
    need_table(session)
    run, values = session.run, session.values
    if values is not None:
        return values
    if run is None:
        _hint("The cells are not valued yet. Start a run on the Data page.")
    elif run.status == "failed":
        st.error(plain(run.error or "The run failed."), icon=":material/error:")
        _hint("Change the data or the options on the Data page and start again.")
    elif run.status == "stopped":
        _hint("The run was stopped before there were values. Start it again.")
    elif run.status == "waiting":
        before = counted(queue.place(run), "run")
        _wait(
            f"Waiting: {before} before this one. This page shows the first values by "
            "itself."
        )
    elif run.status == "compiling":
        _wait(f"{COMPILING}. This page shows the first values by itself.")
    elif run.options.method == "knn":
        _wait("The first values come in a few seconds. This page shows them by itself.")
    _wait(
        "The first values come after the first round; the sidebar says how far the run "
        "is. This page shows them by itself."
    )


def need_shown(session: Session, *, say_partial: bool = True) -> Shown:
    """What pages show, with a word on values that are partial or no parts of a score"""
    need_values(session)
    run, shown = session.run, session.shown()
    assert run is not None and shown is not None
    if run.active and say_partial:
        st.caption(partial_words(run))
    if not shown.values.settings.additive:
        method = about(shown.values.settings.method)
        st.info(f"**{method.title}.** {method.means}", icon=":material/info:")
    return shown


def need_label(session: Session, table: Table) -> None:
    """Where there is none, the page says so, offers to choose one, and ends."""
    if not table.label:
        _hint(
            "This page needs values, and these need a label: a column that a model "
            "would predict. Choose one on the Data page."
        )


def need_valued(session: Session) -> Shown:
    """What pages show that speak of values alone."""
    need_label(session, need_table(session))
    return need_shown(session)


def partial_words(run: ValuationJob) -> str:
    return (
        f":material/hourglass_top: Partial results after {plain(run.progress.seen)}. "
        "Values still move and sharpen while the run goes on."
    )


def _wait(words: str) -> NoReturn:
    st.info(words, icon=":material/hourglass_top:")
    raise PageEnds


def _hint(words: str) -> NoReturn:
    with st.container(border=True, horizontal_alignment="center"):
        st.space("small")
        st.markdown(f":material/table: {words}", width="content")
        if st.button("Open the Data page", type="primary", key="to data"):
            goto("data")
        st.space("small")
    raise PageEnds
