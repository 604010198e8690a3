"""What a page shows while there is nothing to show: what to do next."""

import streamlit as st

from cellval.ui import session as state
from cellval.ui.sidebar import COMPILING
from cellval.ui.text import plain
from cellval.values.result import CellValues


def need_values() -> CellValues:
    """Values of the run so far; where there are none the page ends with a hint."""
    state.need_frame()
    run, values = state.job(), state.values()
    if values is not None:
        return values
    if state.table() is None:
        hint = "No data yet. Open the Data page and choose a CSV file or a sample."
    elif run is None:
        hint = "The cells are not valued yet. Start a run on the Data page."
    elif run.status == "failed":
        st.error(plain(run.error or "The run failed."), icon=":material/error:")
        hint = "Change the data or the options on the Data page and start again."
    elif run.status == "stopped":
        hint = "The run was stopped before there were values. Start it again."
    else:
        waiting = (
            "The first values come in a few seconds. This page shows them by itself."
        )
        if run.options.get("method", "knn") != "knn":
            waiting = (
                "The first values come after the first round; the sidebar says how far "
                "the run is. This page shows them by itself."
            )
        if run.status == "compiling":
            waiting = f"{COMPILING}. This page shows the first values by itself."
        st.info(waiting, icon=":material/hourglass_top:")
        st.stop()
    with st.container(border=True, horizontal_alignment="center"):
        st.space("small")
        st.markdown(f":material/table: {hint}", width="content")
        if st.button("Open the Data page", type="primary", key="to data"):
            state.goto("data")
        st.space("small")
    st.stop()
