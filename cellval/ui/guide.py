"""Where one stands, and the best next click: a line on pages, steps in the sidebar."""

import streamlit as st

from cellval.glossary import SUSPECT_HELP
from cellval.ui.inspect.findings import look_at
from cellval.ui.navigation import goto, partial_words
from cellval.ui.session import Session, Shown
from cellval.ui.text import plain
from cellval.views.next_step import WorkDone, next_step, work_done

WITHOUT_SUSPECTS = (
    ":material/info: Cells were valued, but not yet compared with each other, which "
    "finds the suspects."
)


def where(session: Session) -> WorkDone | None:
    """How far the work on the table is; None before it is known what was found."""
    suspicion = session.suspicion
    if suspicion is None or (session.run is not None and session.run.active):
        return None
    file, job = session.file, session.file.comparison.job
    made = dict(file.decisions), dict(file.repairs)
    measured = session.is_measured and job is not None and job.status == "done"
    ranked = session.after_answers(suspicion)
    return work_done(ranked, *made, is_measured=measured)


def lead_on(shown: Shown, page: str) -> None:
    """What was found in a sentence, and the button that leads on.

    The same line says that results are partial while the run goes on: at its end
    nothing below moves away from under the mouse.
    """
    session, now, run = shown.session, where(shown.session), shown.session.run
    words, step = "", None
    if run is not None and run.active:
        words = partial_words(run)
    elif now is not None and session.suspicion is not None:
        step = next_step(session.suspicion, now)
        words = f":material/lightbulb: {plain(step.words)}"
    else:
        words = WITHOUT_SUSPECTS
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        help_ = SUSPECT_HELP if "suspect" in words else None
        st.markdown(words, width="content", help=help_)
        if words == WITHOUT_SUSPECTS:
            return
        if st.button(
            step.label if step else "Look",
            key="lead on",
            type="tertiary",
            icon=":material/arrow_forward:",
            disabled=step is None or step.page == page,
            help="What seems best next. You can go any other way.",
        ):
            assert step is not None
            if step.page == "inspect":
                look_at(session, "Findings")
            goto(step.page)


def steps(session: Session) -> None:
    """The way from the file to the repaired one, and how far one is."""
    now = where(session)
    if now is None:
        return
    lines = {
        f"Decide: {now.n_decided:,} of {len(now.suspects):,} suspects": not now.left,
        f"Repair: {now.n_repairs:,} changed": bool(now.n_repairs) and not now.n_open,
        "Measure: did it help?": now.is_measured and bool(now.n_repairs),
    }
    if not session.has_label:
        del lines["Measure: did it help?"]
    marks = {True: "check_circle", False: "radio_button_unchecked"}
    st.markdown(
        "  \n".join(
            f":material/{marks[is_done]}: {words}" for words, is_done in lines.items()
        ),
        help="How far you are: look at the suspects and decide on each, repair what is "
        "wrong, measure whether models got better, then export the file. "
        f"{SUSPECT_HELP}",
    )
