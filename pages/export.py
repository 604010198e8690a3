"""Export: the repaired table, decisions, values and reports as files."""

import streamlit as st

from cellval.ui.export.files import as_python, cell_files, reports, show_repaired
from cellval.ui.live import live
from cellval.ui.navigation import need_table, need_values
from cellval.ui.session import get_session
from cellval.ui.text import plain
from cellval.values.words import score_name

session = get_session()
live(session, "export")
table, values = need_table(session), need_values(session)
with st.container():
    if session.run is not None and session.run.active:
        st.info("The run is going on: files hold the values so far.")


@st.fragment
def files() -> None:
    st.subheader("Your file, repaired")
    show_repaired(session, table)
    st.subheader("Decisions and values")
    cell_files(session, table, session.values or values)
    st.subheader("In Python")
    as_python(session, table)
    st.subheader("To show to others")
    reports(session, table)


files()
if session.memo.first is not None:
    st.caption("Values, ranks and reports are those of the repaired table.")
of_values = ""
if values.settings.is_valued:
    of_values = (
        f"Values are shares of {score_name(values.settings)}: 0.0037 is 0.37 "
        "percentage points (pp). "
    )
st.caption(
    f"Rows are counted as in {plain(table.name)}: from 1, the header is not counted. "
    f"{of_values}Text that a spreadsheet would run as a formula gets a leading "
    "apostrophe, but not in the repaired file. Figures are saved from the menu that "
    "shows when the mouse is on them."
)
