"""Repair: changes made so far, whether models got better, the repaired table."""

import streamlit as st

from cellval.ui.guide import lead_on
from cellval.ui.live import live
from cellval.ui.navigation import need_table, need_values
from cellval.ui.repair.changes import changes_list, upload_decisions
from cellval.ui.repair.compare import compare_runs, value_again
from cellval.ui.repair.flagged import flagged_list
from cellval.ui.repair.history import history
from cellval.ui.repair.measure import measure
from cellval.ui.session import get_session

session = get_session()


def draw() -> None:
    table = need_table(session)
    if session.run is None:
        need_values(session)  # says what to do first

    with st.container():  # the history stays open, whatever there is above
        if (shown := session.shown()) is not None:
            lead_on(shown, "repair")
        changes_list(session, table)
        flagged_list(session, table)
        upload_decisions(session, table)
    history(session)

    st.header("Did it help?", divider="gray")
    if table.label:
        measure(session, table)
    else:
        st.caption(
            "Whether models got better can be measured once the table has a label: "
            "choose one on the Data page."
        )

    st.header("The repaired table", divider="gray")
    value_again(session)
    if session.memo.first is not None:
        st.subheader("Before and after")
        compare_runs(session)


live(session, "repair", draw)
