"""The one place where pages are drawn again by themselves while something runs.

Sidebar and page are one fragment with one timer: clicks and timers wait for each other
in one queue, and nothing reruns the app behind a person's back. Two timers, or a rerun
of the whole app by one of them, would now and then swallow a click on a link.
"""

from collections.abc import Callable
from typing import Any

import streamlit as st

from cellval.ui import presence, sidebar
from cellval.ui.session import Session

PAGE, CELL = "page", "cell"  # keys of fragments: callbacks say what they change
EVERY = 2.0  # seconds


def live(session: Session, draw: Callable[[], None] = lambda: None) -> None:
    """The sidebar, and a page or the part of it that changes while something runs."""
    going = session.goes_on
    part = st.fragment(_part, key=PAGE, run_every=EVERY if going else None)
    part(session, draw, going)
    if going:
        presence.watch(session)


def _part(session: Session, draw: Callable[[], None], going: bool) -> None:
    session.shown()  # or values would wait for ever on pages without any
    if going and not session.goes_on:
        st.rerun()  # once, before anything is drawn: the timer ends
    sidebar.draw(session)
    draw()
    if session.goes_on and not going:
        st.rerun()  # drawing has started something: it is watched from now on


def then_page(session: Session, act: Callable[..., object], *args: Any) -> None:
    """A callback: do it, and draw the whole page again, also from a part of it."""
    session.touch()
    act(*args)
    st.rerun(PAGE)


def then_cell(session: Session, position: int, column: str) -> None:
    """Called by a callback: a cell was chosen, and only its panel is drawn again."""
    session.touch()
    session.selection.choose_cell(position, column)
    st.rerun(CELL)
