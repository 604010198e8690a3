"""What pages show of a computation in the background: its start, progress and end."""

from collections.abc import Callable
from typing import Any, TypeVar

import streamlit as st

from cellval.jobs import queue
from cellval.jobs.background import Job
from cellval.table.table import Table
from cellval.text import counted, whole_percent
from cellval.ui.session import Begin, Result, SideJob, get_session
from cellval.ui.text import plain
from cellval.ui.widgets import action

COMPILING = "Compiling (first time only, about 15 s)"
SHORT_RUN = 0.5  # seconds: so long a new run is waited for, to draw its end at once
AnyJob = TypeVar("AnyJob", bound=Job[Any])


def follow(
    job: AnyJob | None,
    going: Callable[[AnyJob], None],
    over: Callable[[AnyJob], None],
) -> None:
    """Draw a job, if there is one, as it is now."""
    if job is not None:
        (going if job.active else over)(job)


def start_button(
    side: SideJob[Result],
    table: Table,
    choice: Any,
    begin: Begin[Result],
    *,
    labels: tuple[str, str],  # for the first time, and again
    key: str,
    words: str | None = None,
    check: Callable[[], None],  # InputError where it does not fit
    keep: Callable[[Result], None] = lambda result: None,
) -> None:
    """Start a computation, or start it again with the same choice; not while it runs,
    nor where it does not fit, which is said.
    """
    job, who = side.on(table), get_session().who
    again = job is not None and side.made_from == choice and not job.active

    def start() -> None:
        check()
        side.start(table, choice, begin, keep, who=who).wait(SHORT_RUN)

    action(
        labels[again],
        start,
        key=key,
        type="secondary" if again else "primary",
        icon=":material/play_arrow:",
        disabled=job is not None and job.active,
        help=words,
    )


def progress(
    job: Job[Any], words: str, keeps: str, *, label: str = "Stop", key: str
) -> None:
    """How far a computation is, and the button that stops it."""
    if job.status == "waiting":
        before = counted(max(1, queue.place(job)), "computation")
        words = f"Waiting: {before} before this one"
    left = f", {job.progress.time_left}" if job.progress.time_left else ""
    st.progress(min(1.0, job.progress.done), text=f"{words}{left}")
    with st.container(horizontal=True):
        st.button(label, key=key, icon=":material/stop:", on_click=job.stop, help=keeps)
        if (other := queue.own_running(job, get_session().who)) is not None:
            st.button(
                "Stop the one before it",
                key=f"{key} other",
                icon=":material/skip_next:",
                help="Yours, too: it keeps what it has, and this one begins.",
                on_click=other.stop,
            )


def ended(job: Job[Any], keeps: str = "") -> bool:
    """Say if it failed or was stopped, and what is kept; False if there is no more."""
    if job.status == "failed":
        st.error(plain(job.error or "This failed."), icon=":material/error:")
        return False
    if job.status == "stopped":
        keeps = keeps if job.is_over else "Keeping what there is ..."
        words = f"Stopped after {whole_percent(job.progress.done)}. {keeps}".rstrip()
        st.caption(f":material/stop_circle: {words}")
    return True
