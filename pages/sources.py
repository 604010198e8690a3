"""Sources: what groups of rows and columns add, and their shares of the total."""

from dataclasses import replace

import streamlit as st

from cellval.table.table import InputError
from cellval.ui import session as state
from cellval.ui.guard import need_values
from cellval.ui.sources import groups as sources
from cellval.ui.sources import run as sourceruns
from cellval.ui.text import plain
from cellval.ui.widgets import TIGHT

st.title("Sources")
state.need_frame()
table = state.original()
if table is None:
    need_values()  # says what to do first
assert table is not None
st.html(TIGHT)
st.markdown(
    "Who contributed what? Rows that belong together (a site, a supplier, a year) are "
    "one source, columns that belong together one group. Every **block** of both gets "
    "its value, and every source its share of what the model achieves."
)
choice = sources.choose(table)
if choice.columns_by == "own groups":
    sources.edit_own_groups(table)
try:
    groups = sources.groups_of(table, choice)
    choice = replace(choice, **sources.choose_method(*groups))
    sources.say_groups(table, choice, *groups)
except InputError as error:
    st.error(plain(str(error)), icon=":material/error:")
else:
    sourceruns.start_button(table, choice)
sourceruns.watch(table, choice)
