"""Sources: what groups of rows and columns add, and their shares of the total."""

from dataclasses import replace

import streamlit as st

from cellval.errors import InputError
from cellval.ui.live import live
from cellval.ui.navigation import need_label, need_table
from cellval.ui.session import get_session
from cellval.ui.sources import groups
from cellval.ui.sources.run import start, watch
from cellval.ui.widgets import error

session = get_session()


def draw() -> None:
    table = need_table(session).labelled  # models learn from no others
    need_label(session, table)
    st.markdown(
        "Who contributed what? Rows that belong together (a site, a supplier, a year) "
        "are one source, columns that belong together one group. Every **block** of "
        "both gets its value, and every source its share of what the model achieves."
    )
    choice = groups.choose(session, table)
    if choice.columns_by == groups.OWN:
        groups.edit_own_groups(session, table)
    try:
        both = groups.groups_of(table, choice)
        choice = replace(choice, **groups.choose_method(session, *both))
        groups.say_groups(table, choice, *both)
    except InputError as fault:
        error(fault)
    else:
        start(session, table, choice)
    watch(session, table, choice)


live(session, "sources", draw)
