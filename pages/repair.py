"""Repair: changes made so far, whether models got better, the repaired table."""

import streamlit as st

from cellval.ui import session as state
from cellval.ui.guard import need_values
from cellval.ui.repair import compare
from cellval.ui.repair import measure as measuring
from cellval.ui.repair.changes import changes_list, upload_decisions

st.title("Repair")
if state.original() is None or state.job() is None:
    need_values()  # says what to do first
state.need_frame()
table, run = state.original(), state.job()
assert table is not None and run is not None

changes_list(table)
upload_decisions(table)

st.header("Did it help?", divider="gray")
measuring.measure()

st.header("The repaired table", divider="gray")
compare.value_again()
first = state.before_run()
if first is not None:
    st.subheader("Before and after")
    compare.compare_runs(first, run)
