"""Export: the repaired table, decisions, values and reports as files."""

import streamlit as st

from cellval.ui import session as state
from cellval.ui.export.files import cell_files, repaired_file, reports
from cellval.ui.guard import need_values
from cellval.ui.text import plain

st.title("Export")
values = need_values()
shown, table, run = state.table(), state.original(), state.job()
assert shown is not None and table is not None
if run is not None and run.active:
    st.info("The run is going on: files hold the values so far.")


@st.fragment
def files() -> None:
    st.subheader("Your file, repaired")
    repaired_file(table)
    st.subheader("Decisions and values")
    cell_files(table, shown, state.values() or values)
    st.subheader("To show to others")
    reports(table)


files()
if state.before_run() is not None:
    st.caption("Values, ranks and reports are those of the repaired table.")
st.caption(
    f"Rows are counted as in {plain(table.name)}: from 1, the header is not counted. "
    "Values are shares of accuracy: 0.0037 is 0.37 pp. Text that a spreadsheet would "
    "run as a formula gets a leading apostrophe, but not in the repaired CSV. Figures "
    "are saved from the menu that shows when the mouse is on them."
)
