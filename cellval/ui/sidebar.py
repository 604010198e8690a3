"""The sidebar of every page: which data, how far the run is, what numbers mean."""

from functools import partial
from typing import Any

import streamlit as st

from cellval.jobs.background import ValuationJob
from cellval.text import whole_percent
from cellval.ui.guide import steps
from cellval.ui.runs import leave_repaired
from cellval.ui.session import Session
from cellval.ui.text import changes_words, meaning, plain
from cellval.ui.watch import COMPILING, follow
from cellval.values.words import (
    approximation_words,
    design_words,
    end_words,
    error_words,
    stderr_words,
)


def draw(session: Session) -> None:
    file, table = session.file.source, session.shown_table
    with st.sidebar:
        if file is None and table is None:
            st.caption("No data yet.")
        else:
            name = table.name if table else file.name if file else ""
            st.markdown(f":material/table: **{plain(name)}**")
            if session.memo.first is not None:
                _show_repaired(session)
            if session.run is None:
                st.caption("Not valued yet.")
            follow(session.run, _going, _show_end)
            steps(session)
        with st.expander("What do these numbers mean?", icon=":material/help:"):
            st.markdown(meaning(session.values))


def _show_repaired(session: Session) -> None:
    """Which version of the file pages show, and the way back."""
    words = changes_words(session.memo.changes)
    st.markdown(f":material/build: Repaired: {words}.")
    if not session.is_up_to_date:
        st.caption("Changes were made or undone since. Value it again: Repair page.")
    back_button(session, "sidebar back", width="stretch")


def back_button(session: Session, key: str, **look: Any) -> None:
    st.button(
        "Back to the file as it was",
        key=key,
        icon=":material/undo:",
        help="Pages show the run on your file again; changes are kept.",
        on_click=partial(leave_repaired, session),
        **look,
    )


def _going(run: ValuationJob) -> None:
    if run.status == "compiling":
        st.progress(0.0, text=COMPILING)
    else:
        _show_progress(run)
    st.button(
        "Stop the run",
        icon=":material/stop:",
        help="Keeps what there is.",
        key="stop",
        on_click=run.stop,
        width="stretch",
    )


def _show_progress(run: ValuationJob) -> None:
    progress, values = run.progress, run.values
    st.progress(
        min(1.0, progress.done), text=f"Valuing: {whole_percent(progress.done)}"
    )
    lines = [f"{progress.seen} so far"] if progress.seen else []
    if values is not None:
        lines.append(stderr_words(values.settings, values.typical_stderr))
    lines += [progress.time_left] if progress.time_left else []
    st.caption("  \n".join(lines))


def _show_end(run: ValuationJob) -> None:
    values = run.values
    if run.status == "failed":
        st.error(plain(run.error or "The run failed."))
        return
    if values is None:
        st.warning("Stopped before there were values.", icon=":material/stop_circle:")
        return
    settings = values.settings
    if run.status == "stopped":
        st.warning(
            f"Stopped after {whole_percent(run.progress.done)}. The values so far are "
            "kept.",
            icon=":material/stop_circle:",
        )
    else:
        st.success(f"Done: {end_words(settings)}.", icon=":material/check_circle:")
    lines = [
        *(design_words(settings), approximation_words(settings)),
        values.tested,
        *(stderr_words(settings, values.typical_stderr), error_words(settings)),
    ]
    st.caption("  \n".join(plain(line) for line in lines if line))
