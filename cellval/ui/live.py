"""The one place where pages are drawn again by themselves while something runs.

Page and sidebar are two fragments, and only one of them has a timer: the sidebar, or
the page if that follows a computation of its own. So what a person uses is not drawn
again behind their back, and a click hardly waits for the timer. If newer values may be
shown, or one part changed what the other one shows, the app is drawn again.

While a person goes to another page, the timer can ask for a part of the old one: the
browser has emptied the page then, and takes only what stands first in it or in the
sidebar. Two timers would now and then swallow a click on a link.

Streamlit knows a fragment by its place and drops clicks on one that a newer drawing has
put elsewhere. So whatever may come and go above a fragment is in a container.
"""

import time
from collections.abc import Callable
from contextlib import suppress

import streamlit as st

from cellval.ui import sidebar
from cellval.ui.guide import where
from cellval.ui.navigation import PAGES, PageEnds, goto, need_frame
from cellval.ui.parts import PAGE, SIDE, draw_said, n_parts, page_asked_for
from cellval.ui.session import Session

# Seconds between two looks: for the first values, then, and when a run is old.
FIRST, EVERY, LATER, OLD = 1.0, 2.0, 5.0, 20.0
SIDE_EVERY = 0.05  # share of a run after which a sidebar without a timer is drawn
Facts = tuple[object, ...]


def live(session: Session, name: str, draw: Callable[[], None] | None = None) -> None:
    """The sidebar, a page's title, and the page; or, without `draw`, what comes before
    a page that does not change while something runs. Called first of all on a page.
    """
    need_frame(session)
    session.renew()
    session.drawn = None
    every, asked_for = _pace(session), page_asked_for()
    follows = session.goes_on_beside

    def begin() -> Facts:
        if page_asked_for() != asked_for:
            goto(name)  # the timer was late: the browser is brought back to this page
        now = _facts(session)
        if session.drawn is None:
            session.drawn = now
        draw_said(session)
        return now

    def page() -> None:
        if not follows:
            session.touch()  # a click of a person, not the timer
        began = begin()
        st.title(PAGES[name].title)
        with suppress(PageEnds):
            if draw is not None:
                draw()
        # After the whole app if this is its end: it may have started something.
        if n_parts() == 1 or (draw and n_parts() == 0):
            _agree(session, every, began)

    def side() -> None:
        session.shown()  # newer values, if nobody uses those that are shown
        began = begin()
        sidebar.draw(session)
        if n_parts() == 1:  # or the other would lose its click
            _agree(session, every, began)

    with st.sidebar:
        st.fragment(side, key=SIDE, run_every=None if follows else every)()
    st.fragment(page, key=PAGE, run_every=every if follows else None)()


def _agree(session: Session, every: float | None, began: Facts) -> None:
    """Draw the app again if sidebar and page do not show the same, or if another timer
    is needed, or none. Last of all: before a button was drawn, its click would be lost.

    Also if what was so when the drawing began is so no more: a computation that a click
    started and that ended meanwhile leaves all as it was before the click.
    """
    now = _pace(session)
    is_other = now != every and (None in (now, every) or not session.in_use)
    if is_other or not session.drawn == began == _facts(session):
        st.rerun()


def _facts(session: Session) -> Facts:
    """What sidebar and page say together."""
    run, beside, at = session.run, session.goes_on_beside, 0
    status = None if run is None else run.status
    if run is not None and beside:  # the sidebar has no timer
        at = int(run.progress.done / SIDE_EVERY)
    made = session.held, session.memo.changes
    return run, status, at, beside, *made, where(session)


def _pace(session: Session) -> float | None:
    """Seconds until one looks again; None if nothing changes by itself."""
    if not session.goes_on:
        return None
    run = session.run
    if run is None or not run.active:
        return EVERY
    if session.held is None and not session.goes_on_beside:
        return FIRST
    return LATER if time.time() - run.started > OLD else EVERY
