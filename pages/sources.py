"""Sources: what groups of rows and columns add, and their shares of the total."""

from dataclasses import replace

import streamlit as st

from cellval.errors import InputError
from cellval.ui import session as state
from cellval.ui.guard import need_values
from cellval.ui.sources.groups import (
    choose,
    choose_method,
    edit_own_groups,
    groups_of,
    say_groups,
)
from cellval.ui.sources.run import start_button, watch
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
choice = choose(table)
if choice.columns_by == "own groups":
    edit_own_groups(table)
try:
    groups = groups_of(table, choice)
    choice = replace(choice, **choose_method(*groups))
    say_groups(table, choice, *groups)
except InputError as error:
    st.error(plain(str(error)), icon=":material/error:")
else:
    start_button(table, choice)
watch(table, choice)
