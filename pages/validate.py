"""Validate: would errors in a table like this one be found?"""

import streamlit as st

from cellval.errors import InputError
from cellval.ui import session as state
from cellval.ui.guard import need_values
from cellval.ui.text import plain
from cellval.ui.validate.run import choose, start_button, watch

st.title("Validate")
state.need_frame()
table = state.original()
if table is None:
    need_values()  # says what to do first
assert table is not None
st.markdown(
    "Would it find errors in a table like mine? Errors of a kind you choose are "
    "planted into a copy of your table, and then looked for. **Your file is not "
    "changed.**"
)
choice = None
try:
    choice = choose(table)
except InputError as error:
    st.error(plain(str(error)), icon=":material/error:")
else:
    start_button(table, choice)
watch(table, choice)
