"""Where one stands, and the best next click: a line on pages, steps in the sidebar."""

import streamlit as st

from cellval.ui.navigation import goto
from cellval.ui.session import Session, Shown
from cellval.ui.text import plain
from cellval.views.next_step import WorkDone, next_step, work_done


def where(session: Session) -> WorkDone | None:
    """How far the work on the table is; None before it is known what was found."""
    suspicion = session.suspicion
    if suspicion is None or (session.run is not None and session.run.active):
        return None
    file = session.file
    made = dict(file.decisions), dict(file.repairs)
    return work_done(suspicion, *made, is_measured=session.is_measured)


def lead_on(shown: Shown, page: str) -> None:
    """What was found in a sentence, and the button that leads on."""
    session, now = shown.session, where(shown.session)
    if now is None or session.suspicion is None:
        return
    made = dict(session.file.decisions), dict(session.file.repairs)
    step = next_step(session.suspicion, now, *made)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f":material/lightbulb: {plain(step.words)}", width="content")
        if step.cell is None and step.page == page:
            return
        if st.button(
            step.label,
            key="lead on",
            type="tertiary",
            icon=":material/arrow_forward:",
            help="What seems best next. You can go any other way.",
        ):
            if step.cell is not None:
                row, column = step.cell
                session.selection.choose_cell(shown.table.position(row), column)
                session.selection.by_link = True
            if step.page != page:
                goto(step.page)
            st.rerun()


def steps(session: Session) -> None:
    """The way from the file to the repaired one, and how far one is."""
    now = where(session)
    if now is None:
        return
    n, left = len(now.suspects), now.n_left
    lines = {
        f"Decide: {now.n_decided:,} of {n:,} suspects": left == 0,
        f"Repair: {now.n_repairs:,} changed": bool(now.n_repairs) and not now.n_open,
        "Measure: did it help?": now.is_measured and bool(now.n_repairs),
    }
    marks = {True: "check_circle", False: "radio_button_unchecked"}
    st.markdown(
        "  \n".join(
            f":material/{marks[is_done]}: {words}" for words, is_done in lines.items()
        ),
        help="How far you are: look at the suspects and decide on each, repair what is "
        "wrong, measure whether models got better, then export the file.",
    )
