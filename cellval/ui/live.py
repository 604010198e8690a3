"""The one place where pages are drawn again by themselves while something runs.

Sidebar and page are one fragment with one timer: clicks and timers wait for each other
in one queue, and nothing reruns the app behind a person's back. Two timers, or a rerun
of the whole app by one of them, would now and then swallow a click on a link.
"""

import time
from collections.abc import Callable
from contextlib import suppress

import streamlit as st
from streamlit.errors import StreamlitInvalidLayoutContextError
from streamlit.runtime.scriptrunner import StopException

from cellval.ui import sidebar
from cellval.ui.navigation import PAGES, goto, need_frame
from cellval.ui.parts import PAGE, page_asked_for
from cellval.ui.session import Session

# Seconds between two looks, and how old a run is when one looks less often: a click
# that comes just then waits until the page is drawn.
EVERY, LATER, OLD = 2.0, 5.0, 20.0


def live(session: Session, name: str, draw: Callable[[], None] = lambda: None) -> None:
    """The sidebar, a page's title, and the page or the part of it that changes while
    something runs.

    Called first of all on a page. While a person goes to another one, the timer can ask
    for a part of the old one: the browser has emptied the page then, and takes only its
    first part.
    """
    need_frame(session)
    session.renew()
    every, asked_for = _pace(session), page_asked_for()
    part = st.fragment(_part, key=PAGE, run_every=every)
    part(session, name, draw, every, asked_for)


def _pace(session: Session) -> float | None:
    """Seconds until one looks again; None if nothing changes by itself."""
    if not session.goes_on:
        return None
    run = session.run
    is_old = run is not None and run.active and time.time() - run.started > OLD
    return LATER if is_old else EVERY


def _part(
    session: Session,
    name: str,
    draw: Callable[[], None],
    every: float | None,
    asked_for: str,
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
    now = _pace(session)
    if now != every and (None in (now, every) or not session.in_use):
        # Another timer, or none. Last of all: before a button was drawn, its click
        # would be lost.
        st.rerun()
