"""The one place where pages are drawn again by themselves while something runs.

Sidebar and page are one fragment with one timer: clicks and timers wait for each other
in one queue, and nothing reruns the app behind a person's back. Two timers, or a rerun
of the whole app by one of them, would now and then swallow a click on a link.
"""

from collections.abc import Callable
from contextlib import suppress

import streamlit as st
from streamlit.errors import StreamlitInvalidLayoutContextError
from streamlit.runtime.scriptrunner import StopException

from cellval.ui import sidebar
from cellval.ui.navigation import PAGES, goto, need_frame
from cellval.ui.parts import PAGE, page_asked_for
from cellval.ui.session import Session

EVERY = 2.0  # seconds


def live(session: Session, name: str, draw: Callable[[], None] = lambda: None) -> None:
    """The sidebar, a page's title, and the page or the part of it that changes while
    something runs.

    Called first of all on a page. While a person goes to another one, the timer can ask
    for a part of the old one: the browser has emptied the page then, and takes only its
    first part.
    """
    need_frame(session)
    session.renew()
    going, asked_for = session.goes_on, page_asked_for()
    part = st.fragment(_part, key=PAGE, run_every=EVERY if going else None)
    part(session, name, draw, going, asked_for)


def _part(
    session: Session, name: str, draw: Callable[[], None], going: bool, asked_for: str
) -> None:
    if page_asked_for() != asked_for:
        goto(name)  # the timer was late: the browser is brought back to this page
    session.shown()  # or values would wait for ever on pages without any
    try:
        sidebar.draw(session)
    except StreamlitInvalidLayoutContextError:
        st.rerun()  # the app was interrupted before it had a sidebar
    st.title(PAGES[name].title)
    with suppress(StopException):  # the page had no more to show
        draw()
    if session.goes_on != going:
        # The timer begins or ends. Last of all: before a button was drawn, its click
        # would be lost.
        st.rerun()
