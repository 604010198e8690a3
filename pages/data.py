"""Data: open a CSV, say what its columns are, start a run."""

import streamlit as st

from cellval.errors import InputError
from cellval.ui import session as state
from cellval.ui.data import options
from cellval.ui.data.file import (
    choose_file,
    choose_kinds,
    choose_label_and_id,
    show_classes,
    show_notes,
    show_preview,
)
from cellval.ui.text import plain

state.need_frame()
st.title("Data")

source = state.source()
if source is None:
    st.markdown(
        "Open a table with one column to be learned, such as a diagnosis or an income "
        "class. **cellval** finds the cells that mislead a model, and you decide which "
        "are errors."
    )
    choose_file()
    st.stop()

# With the file in its key the fold closes when a file was chosen.
fold = state.widget_key("another file")
with st.expander("Open another file", icon=":material/folder_open:", key=fold):
    choose_file()

try:
    table = state.read_source()
except InputError as error:
    st.error(plain(str(error)), icon=":material/error:")
    st.stop()
assert table is not None

about, run = st.columns([5, 3], gap="large")
with about:
    n = len(table.features)
    st.subheader(plain(source.name))
    st.caption(
        f"{table.n_rows:,} rows, {n:,} column{'s' * (n != 1)} to value, "
        f"{len(table.classes):,} classes"
    )
    show_classes(table)
    show_preview(table)
    show_notes(table)
    st.markdown("**Columns**")
    choose_kinds(table)

with run.container(border=True):
    choose_label_and_id(table)
    method = options.choose_method()
    test = options.choose_test(table, method)
    chosen = options.choose_options(table, method)
    try:
        ready = test is not None
        if test is not None:
            chosen |= test
            options.say_time(table, chosen)
    except InputError as error:
        st.error(plain(str(error)))
        ready = False
    if st.button(
        "Value the cells",
        type="primary",
        icon=":material/play_arrow:",
        disabled=not ready,
        width="stretch",
    ):
        state.start_run(chosen)
        state.goto("heatmap")
