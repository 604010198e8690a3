"""The one watcher of what runs in the background, and when pages are drawn again."""

import time
from collections.abc import Callable
from typing import Any, TypeVar

import streamlit as st

from cellval.jobs.background import Job
from cellval.table.table import Table
from cellval.ui.session import Begin, Drawn, Result, Session, SideJob
from cellval.ui.text import plain

EVERY = 1.0  # seconds
SHORT_RUN = 0.5  # seconds: so long a new run is waited for, to draw its end at once
AnyJob = TypeVar("AnyJob", bound=Job[Any])


def follow(
    find: Callable[[], AnyJob | None],
    going: Callable[[AnyJob], None],
    over: Callable[[AnyJob], None],
) -> None:
    """Draw a job, if there is one: found anew every second until it is over."""
    job = find()
    if job is None:
        return
    if job.active:
        _watch(find, going)
    else:
        over(job)


@st.fragment(run_every=EVERY)
def _watch(find: Callable[[], AnyJob | None], going: Callable[[AnyJob], None]) -> None:
    job = find()
    if job is None or not job.active:
        st.rerun()
    going(job)


def start_button(
    side: SideJob[Result],
    table: Table,
    choice: Any,
    begin: Begin[Result],
    *,
    labels: tuple[str, str],  # for the first time, and again
    key: str,
    words: str | None = None,
) -> None:
    """Start a computation, or start it again with the same choice; not while it runs"""
    job = side.on(table)
    again = job is not None and side.made_from == choice
    if st.button(
        labels[again],
        key=key,
        type="secondary" if again else "primary",
        icon=":material/play_arrow:",
        disabled=job is not None and job.active,
        help=words,
    ):
        side.start(table, choice, begin).wait(SHORT_RUN)
        st.rerun()


def progress(
    job: Job[Any], words: str, keeps: str, *, label: str = "Stop", key: str
) -> None:
    """How far a computation is, and the button that stops it."""
    left = f", {job.progress.time_left}" if job.progress.time_left else ""
    st.progress(min(1.0, job.progress.done), text=f"{words}{left}")
    st.button(label, key=key, icon=":material/stop:", on_click=job.stop, help=keeps)


def ended(job: Job[Any], keeps: str = "") -> bool:
    """Say if it failed or was stopped, and what is kept; False if there is no more."""
    if job.status == "failed":
        st.error(plain(job.error or "This failed."), icon=":material/error:")
        return False
    if job.status == "stopped":
        words = f"Stopped after {job.progress.done:.0%}. {keeps}".rstrip()
        st.caption(f":material/stop_circle: {words}")
    return True


def note_drawn(session: Session, seconds: float) -> None:
    """Called when a page was drawn: what it showed decides when it is drawn again."""
    session.drawn = Drawn(session.values is not None, time.monotonic(), seconds)


def is_stale(session: Session) -> bool:
    """While a run goes on: are there values that the page should show by now?"""
    run, drawn = session.run, session.drawn
    if run is None or run.values is None:
        return False
    # The longer a run has gone on, the less a moment changes its values.
    pause = max(min(15.0, max(2.5, 0.15 * run.progress.seconds)), 4 * drawn.seconds)
    return not drawn.with_values or time.monotonic() - drawn.at > pause
