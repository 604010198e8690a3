"""Explain a sample: why a row has its value; two rows side by side."""

import numpy as np
import streamlit as st

from cellval.ui import session as state
from cellval.ui.sample import (
    label_or_cell as labelorcell,
)
from cellval.ui.sample import (
    what_if as whatif,
)
from cellval.ui.sample.row import (
    current,
    difference,
    explain,
    lowest_rows,
    neighbours,
    proposals,
    row_picker,
)
from cellval.ui.widgets import kept, table_and_values
from cellval.views.waterfall import folded, running_limits

st.title("Explain a sample")
table, values = table_and_values()
lowest = lowest_rows(values)
if not lowest:
    st.info("No row has a value yet.")
    st.stop()
mode = st.segmented_control(
    "What to look at",
    ("One sample", "Compare two"),
    required=True,
    key=kept("sample mode", "One sample"),
    persist_state="session",
    label_visibility="collapsed",
)
a = current(values, "a", lowest[0])
if mode == "One sample":
    row_picker(table, values, a, "a")
    left, right = st.columns([1, 1])
    with left:
        explain(table, values, a, "one")
    with right:
        neighbours(table, values, a)
    st.divider()
    if np.isfinite(values.row_values[a]):
        whatif.repairs_of(int(table.row_numbers[a]))
        labelorcell.label_or_cell(table, values, a)
        whatif.what_if(table, values, a)
    else:
        st.caption(
            "Changes cannot be tried on this row: it has no value that they could "
            "raise or lower."
        )
    st.stop()

b = current(values, "b", next((i for i in lowest if i != a), a))
proposals(table, values)
both = [values.explain(int(values.row_numbers[i])) for i in (a, b)]
limits = [
    running_limits(folded(lines)["value"].to_numpy(), values.row_values[i])
    for lines, i in zip(both, (a, b), strict=True)
]
shared = min(low for low, _ in limits), max(high for _, high in limits)
for place, key, index in zip(st.columns(2), ("a", "b"), (a, b), strict=True):
    with place:
        row_picker(table, values, index, key)
        explain(table, values, index, f"compare {key}", shared)
difference(table, values, a, b)
if state.selected_row() != a:
    state.select_row(a)
