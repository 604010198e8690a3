"""Explain a row: why a row has its value; two rows side by side."""

import numpy as np
import streamlit as st

from cellval.ui.live import live
from cellval.ui.navigation import need_valued
from cellval.ui.sample.compare import propose_pairs, show_both
from cellval.ui.sample.label_or_cell import show_label_or_cell
from cellval.ui.sample.row import current, explain, row_picker, show_neighbours
from cellval.ui.sample.what_if import say_repairs, show_what_if
from cellval.ui.session import get_session
from cellval.ui.widgets import segments
from cellval.views.row_detail import lowest_rows

session = get_session()


def draw() -> None:
    with st.container():
        shown = need_valued(session)
    lowest = lowest_rows(shown.values)
    if not lowest:
        st.info("No row has a value yet.")
        return
    mode = st.segmented_control(
        "What to look at",
        **segments(session, "sample mode", ("One row", "Compare two")),
        label_visibility="collapsed",
    )
    selection = session.selection
    a = current(shown, selection.position, lowest[0])
    if mode == "Compare two":
        b = current(
            shown, selection.other_position, next((i for i in lowest if i != a), a)
        )
        propose_pairs(shown)
        show_both(shown, a, b)
        selection.position = a
        return

    row_picker(shown, a)
    left, right = st.columns([1, 1])
    with left:
        explain(shown, a, "one")
    with right:
        show_neighbours(shown, a)
    st.divider()
    if np.isfinite(shown.values.row_values[a]):
        with st.container():
            say_repairs(session, int(shown.table.row_numbers[a]))
            show_label_or_cell(shown, a)
        show_what_if(shown, a)
    else:
        st.caption(
            "Changes cannot be tried on this row: it has no value that they could "
            "raise or lower."
        )


live(session, "sample", draw)
