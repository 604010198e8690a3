"""Explain a sample: why a row has its value; two rows side by side."""

import numpy as np
import streamlit as st

from cellval.ui.guard import table_and_values
from cellval.ui.sample.compare import propose_pairs, show_both
from cellval.ui.sample.label_or_cell import show_label_or_cell
from cellval.ui.sample.row import current, explain, row_picker, show_neighbours
from cellval.ui.sample.what_if import say_repairs, show_what_if
from cellval.ui.session import get_session
from cellval.ui.widgets import lasting
from cellval.views.row_detail import lowest_rows

st.title("Explain a sample")
session = get_session()
table, values = table_and_values(session)
lowest = lowest_rows(values)
if not lowest:
    st.info("No row has a value yet.")
    st.stop()
mode = st.segmented_control(
    "What to look at",
    ("One sample", "Compare two"),
    required=True,
    **lasting(session, "sample mode", "One sample"),
    label_visibility="collapsed",
)
a = current(session, values, lowest[0])
if mode == "Compare two":
    b = current(session, values, next((i for i in lowest if i != a), a), other=True)
    propose_pairs(session, table, values)
    show_both(session, table, values, a, b)
    session.selection.row = a
    st.stop()

row_picker(session, table, values, a)
left, right = st.columns([1, 1])
with left:
    explain(table, values, a, "one")
with right:
    show_neighbours(table, values, a)
st.divider()
if np.isfinite(values.row_values[a]):
    say_repairs(session, int(table.row_numbers[a]))
    show_label_or_cell(session, table, values, a)
    show_what_if(session, table, values, a)
else:
    st.caption(
        "Changes cannot be tried on this row: it has no value that they could raise or "
        "lower."
    )
