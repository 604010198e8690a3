"""All that was decided, step by step: back, again, or one step out of the middle."""

from functools import partial

import pandas as pd
import streamlit as st

from cellval.repairs.work import Step
from cellval.text import brief, counted
from cellval.ui import tables
from cellval.ui.parts import say
from cellval.ui.session import FileWork, Session
from cellval.ui.text import plain

LATEST = 200  # steps that are listed
FEW_LINES = 8  # a longer list scrolls


def history(session: Session) -> None:
    """Undo and redo in order, and a list of steps of which one can be taken back."""
    file = session.file
    if not file.steps:
        return
    undone = len(file.steps) - file.n_done
    with st.expander("History", icon=":material/history:"):
        st.caption(f"{counted(file.n_done, 'step')} done, {undone:,} undone.")
        with st.container(horizontal=True):
            st.button(
                "Undo the latest step",
                icon=":material/undo:",
                disabled=not file.n_done,
                on_click=partial(_undo, session),
                help="Steps go back in the order in which they were done.",
            )
            st.button(
                f"Redo ({undone:,})" if undone else "Redo",
                icon=":material/redo:",
                disabled=not undone,
                on_click=partial(_redo, session),
                help="Does again what was undone last, until you do something new.",
            )
        if file.n_done:
            _steps(session, file)


def _undo(session: Session) -> None:
    file = session.file
    if file.n_done:  # else somebody was faster
        step = file.steps[file.n_done - 1]
        _tell(step, session.turn(step, file.undo_step, file.redo_step))


def _redo(session: Session) -> None:
    file = session.file
    if file.n_done < len(file.steps):
        step = file.steps[file.n_done]
        _tell(step, session.turn(step, file.redo_step, file.undo_step))


def _take_back(session: Session, step: Step) -> None:
    file = session.file
    if step in file.steps[: file.n_done]:  # else somebody was faster
        n = file.steps.index(step)
        _tell(step, session.turn(step, partial(file.take_back, n), file.redo_step))


def _tell(step: Step, fault: str) -> None:
    """Only what this page does not show: how the file is read."""
    if fault:
        say(f"This step stays as it is. {plain(fault)}")
    elif step.reading_after:
        say("The file is read in another way now: see the Data page.")


def _steps(session: Session, file: FileWork) -> None:
    first = max(0, file.n_done - LATEST)
    shown = [*range(file.n_done - 1, first - 1, -1)]
    frame = pd.DataFrame(
        {
            "step": [n + 1 for n in shown],
            "what": [brief(file.steps[n].words, 200) for n in shown],
            "cells": [len(file.steps[n].after) for n in shown],
        }
    )
    drawn = tables.draw(
        frame,
        "The steps so far, the latest first",
        {
            "step": tables.number("step", "%d", help="Counted from 1, the first."),
            "what": tables.text(width="large", help="What was done."),
            "cells": tables.number("cells", "%d", help="How many cells it changed."),
        },
        few=FEW_LINES,
        key=session.widget_key("history", f"{file.n_done} {len(file.steps)}"),
        on_select="rerun",
        selection_mode="single-row",
    )
    lines = drawn["selection"]["rows"]
    chosen = shown[lines[0]] if lines and lines[0] < len(shown) else None
    st.button(
        "Take the ticked step back",
        icon=":material/playlist_remove:",
        disabled=chosen is None,
        on_click=_take_back,
        args=(session, None if chosen is None else file.steps[chosen]),
        help="Later steps stay: cells that they changed keep what they have.",
    )
    if first:
        st.caption(f"The latest {LATEST:,} of {file.n_done:,} steps are listed.")
