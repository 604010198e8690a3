"""The one place where pages are drawn again by themselves while something runs.

Sidebar and page are two fragments, and only the first has a timer: what a person uses
is not drawn again behind their back, and a click hardly waits for the timer. If newer
values may be shown, or one part changed what the other one shows, the app is drawn
again. Where the page itself follows a computation, both are one fragment with one
timer: two timers would now and then swallow a click on a link.
"""

import time
from collections.abc import Callable
from contextlib import suppress

import streamlit as st
from streamlit.errors import StreamlitInvalidLayoutContextError
from streamlit.runtime.scriptrunner import StopException

from cellval.ui import sidebar
from cellval.ui.guide import where
from cellval.ui.navigation import PAGES, goto, need_frame
from cellval.ui.parts import PAGE, SIDE, is_drawn_alone, page_asked_for
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
    session.drawn = None

    def above() -> None:
        if page_asked_for() != asked_for:
            goto(name)  # the timer was late: the browser is brought back to this page
        session.shown()  # newer values, if nobody uses those that are shown
        session.drawn = session.drawn or _facts(session)
        try:
            sidebar.draw(session)
        except StreamlitInvalidLayoutContextError:
            st.rerun()  # the app was interrupted before it had a sidebar
        st.title(PAGES[name].title)

    def page() -> None:
        with suppress(StopException):  # the page had no more to show
            draw()

    def alone() -> None:
        above()
        _agree(session, every)

    def used() -> None:
        session.touch()
        page()
        _agree(session, every)

    def both() -> None:
        above()
        page()
        _agree(session, every)

    if session.goes_on_beside:
        session.parts = (PAGE,)
        st.fragment(both, key=PAGE, run_every=every)()
    else:
        session.parts = (SIDE, PAGE)
        st.fragment(alone, key=SIDE, run_every=every)()
        st.fragment(used, key=PAGE)()


def _agree(session: Session, every: float | None) -> None:
    """Draw the app again if sidebar and page do not show the same, or if another timer
    is needed, or none. Last of all: before a button was drawn, its click would be lost.
    """
    if not is_drawn_alone():  # what is drawn next would lose its click
        return
    now = _pace(session)
    is_other = now != every and (None in (now, every) or not session.in_use)
    if is_other or _facts(session) != session.drawn:
        st.rerun()


def _facts(session: Session) -> tuple[object, ...]:
    """What sidebar and page say together."""
    run, beside = session.run, session.goes_on_beside
    status = None if run is None else run.status
    return run, status, beside, session.held, session.memo.changes, where(session)


def _pace(session: Session) -> float | None:
    """Seconds until one looks again; None if nothing changes by itself."""
    if not session.goes_on:
        return None
    run = session.run
    is_old = run is not None and run.active and time.time() - run.started > OLD
    return LATER if is_old else EVERY
