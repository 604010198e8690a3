"""Validate: would errors in a table like this one be found?"""

import streamlit as st

from cellval.errors import InputError
from cellval.ui.live import live
from cellval.ui.navigation import need_label, need_table
from cellval.ui.session import get_session
from cellval.ui.validate.run import choose, start, watch
from cellval.ui.widgets import error

session = get_session()


def draw() -> None:
    table = need_table(session).labelled  # models learn from no others
    need_label(session, table)
    st.markdown(
        "Would it find errors in a table like mine? Errors of a kind you choose are "
        "planted into a copy of your table, and then looked for. **Your file is not "
        "changed.**"
    )
    choice = None
    try:
        choice = choose(session, table)
    except InputError as fault:
        error(fault)
    else:
        start(session, table, choice)
    watch(session, table, choice)


live(session, "validate", draw)
