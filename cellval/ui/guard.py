"""What a page needs before it can be drawn; else it says what to do, and ends."""

from typing import NoReturn

import streamlit as st

from cellval.methods import METHODS
from cellval.table.table import Table
from cellval.ui.navigation import goto, need_frame
from cellval.ui.session import Session, Shown
from cellval.ui.sidebar import COMPILING
from cellval.ui.text import plain
from cellval.values.result import CellValues


def need_table(session: Session) -> Table:
    """The table as it is in the file; where there is none the page ends with a hint"""
    need_frame(session)
    table = session.original
    if table is None:
        _hint("No data yet. Open the Data page and choose a CSV file or a sample.")
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
    elif run.status == "compiling":
        _wait(f"{COMPILING}. This page shows the first values by itself.")
    elif run.options.method == "knn":
        _wait("The first values come in a few seconds. This page shows them by itself.")
    _wait(
        "The first values come after the first round; the sidebar says how far the run "
        "is. This page shows them by itself."
    )


def need_shown(session: Session) -> Shown:
    """What pages show, with a word on values that are partial or no parts of a score"""
    values, run = need_values(session), session.run
    assert run is not None
    if run.active:
        st.caption(
            f":material/hourglass_top: Partial results after {run.progress.seen}. "
            "Values still move and sharpen while the run goes on."
        )
    if not values.settings.additive:
        method = METHODS[values.settings.method]
        st.info(f"**{method.title}.** {method.means}", icon=":material/info:")
    return Shown(session, run.table, values, session.suspicion)


def _wait(words: str) -> NoReturn:
    st.info(words, icon=":material/hourglass_top:")
    st.stop()


def _hint(words: str) -> NoReturn:
    with st.container(border=True, horizontal_alignment="center"):
        st.space("small")
        st.markdown(f":material/table: {words}", width="content")
        if st.button("Open the Data page", type="primary", key="to data"):
            goto("data")
        st.space("small")
    st.stop()
