"""Parts of pages that are drawn alone: callbacks say which one they change."""

import gc
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from cellval.jobs.warm_up import is_warm
from cellval.ui.session import Session, get_session
from cellval.views.findings_list import Place

COLLECT_EVERY = 10.0  # seconds, at least
OF_COLLECTING = 50.0  # times as long as it takes
_collected = _took = 0.0

# Keys of fragments.
SIDE, PAGE, CELL, FINDING, FINDINGS = "side", "page", "cell", "finding", "findings"


def page_asked_for() -> str:
    """Which page the browser wants, by a hash."""
    context = get_script_run_ctx()
    return context.page_script_hash if context is not None else ""


def n_parts() -> int:
    """How many fragments are drawn now: two, if the timer and a click came together; 0
    if the whole app is.
    """
    context = get_script_run_ctx()
    return len((context and context.fragment_ids_this_run) or ())


def only(*keys: str) -> None:
    """Called by a callback: draw only these fragments instead of what would be drawn.

    But the whole app if that is what the browser asks for: a click on a link to another
    page can be merged with this one, and a part of the old page must not come instead.
    """
    context = get_script_run_ctx()
    if context is not None and context.fragment_ids_this_run:
        st.rerun(keys)


def forget_widgets() -> None:
    """Called when the whole app was drawn, if another file is open than before.

    Streamlit keeps what it knows of widgets that are drawn no more, and with their
    callbacks and options tables and values that nobody has open. It has no public way
    to let them go; if it changes, they stay as long as the browser does.
    """
    context = get_script_run_ctx()
    if context is None:
        return
    with suppress(AttributeError, TypeError):
        drawn = context.shared.widget_ids_this_run
        widgets = context.session_state._state._new_widget_state.widget_metadata
        for name in [name for name in widgets if name not in drawn]:
            del widgets[name]


def collect_seldom() -> None:
    """Called when older values are shown no more: they take much memory, and what drew
    them holds them until garbage is collected. That looks through all objects, so that
    it must not happen often, nor while code is compiled.
    """
    global _collected, _took
    now = time.monotonic()
    if is_warm() and now - _collected >= max(COLLECT_EVERY, OF_COLLECTING * _took):
        gc.collect()
        _collected = time.monotonic()
        _took = _collected - now


def say(words: str) -> None:
    """Called by a callback, which may not draw: a toast comes with the next part."""
    get_session().unsaid.append(words)


def draw_said(session: Session) -> None:
    """What callbacks said, at the start of a part."""
    while session.unsaid:
        st.toast(session.unsaid.pop(0))


def then_page(session: Session, act: Callable[..., object], *args: Any) -> None:
    """A callback: do it, and draw the whole page again, also from a part of it."""
    session.touch()
    act(*args)
    session.drawn = None  # by both parts again
    only(SIDE, PAGE)


def then_cell(session: Session, position: int, column: str) -> None:
    """Called by a callback: a cell was chosen, and only its panel is drawn again."""
    session.touch()
    session.selection.choose_cell(position, column)
    only(CELL)


def then_finding(session: Session, place: Place) -> None:
    """The same of a finding; the list marks its line."""
    session.touch()
    session.selection.finding = place
    only(FINDING, FINDINGS)
