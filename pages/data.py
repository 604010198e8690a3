"""Data: open a file, say what its columns are, start a run."""

from contextlib import suppress

import streamlit as st

from cellval.errors import InputError
from cellval.jobs.fits import check_run
from cellval.text import counted
from cellval.ui import codes
from cellval.ui.data import file, projects, welcome
from cellval.ui.data.options import choose_options, say_place, say_time
from cellval.ui.live import live
from cellval.ui.navigation import PageEnds, goto
from cellval.ui.repair.history import history
from cellval.ui.runs import start_run
from cellval.ui.session import get_session
from cellval.ui.text import plain
from cellval.ui.widgets import error, was_clicked
from cellval.values.options import RunOptions

session = get_session()
live(session, "data")

source = session.file.source
if source is None:
    st.markdown(
        "Open a table with one column to be learned, such as a diagnosis or a price. "
        "**cellval** finds the cells that mislead a model, and you decide which are "
        "errors. A table without such a column is looked at for odd cells."
    )
    file.say_refused(session)
    projects.draw(session)
    if welcome.draw():
        file.take_sample(session, welcome.SAMPLE)
        with suppress(InputError):
            if session.read_file() is not None:
                start_run(session, RunOptions())
                goto("heatmap")
        st.rerun()  # the page says why not
    file.choose_file(session)
    raise PageEnds

file.say_refused(session)  # above the fold, where it is seen
# With the file in its key the fold closes when a file was chosen.
fold = session.widget_key("another file")
with st.expander("Open another file", icon=":material/folder_open:", key=fold):
    file.choose_file(session)
projects.draw(session)

try:
    table = session.read_file()
except InputError as fault:
    error(fault)
    raise PageEnds from None
assert table is not None

codes.ask(session, table)
read, run = st.columns([5, 3], gap="small")
with read:
    st.subheader(plain(source.name))
    st.caption(
        f"{table.n_rows:,} rows, {counted(len(table.features), 'column')} to value, "
        f"{file.label_words(table)}"
    )
    file.show_label(table)
    file.show_preview(table)
    file.show_notes(session, table)
    st.markdown("**Columns**")
    file.choose_kinds(session, table)
    history(session)

with run.container(border=True):
    file.choose_sheet(session, table)
    file.choose_label_and_id(session, table)
    options = None
    try:
        options = choose_options(session, table) if table.label else RunOptions()
        if options is not None:
            check_run(table, options)
            say_time(table, options)
            say_place(options)
    except InputError as fault:
        st.error(plain(str(fault)))
        options = None
    clicked = was_clicked(
        "Value the cells" if table.label else "Look for odd cells",
        key="start a run",
        type="primary",
        icon=":material/play_arrow:",
        disabled=options is None,
        width="stretch",
    )
    if clicked and options is not None:
        try:
            start_run(session, options)
        except InputError as fault:  # such as memory that somebody took meanwhile
            st.error(plain(str(fault)))
        else:
            goto("heatmap")
