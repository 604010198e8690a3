"""The sidebar of every page: which data, how far the run is, what numbers mean."""

from functools import partial
from typing import Any

import streamlit as st

from cellval.jobs import queue
from cellval.jobs.background import ValuationJob
from cellval.text import counted, short_name, whole_percent
from cellval.ui import login
from cellval.ui.guide import steps
from cellval.ui.projects import hold_unkept, keep_again
from cellval.ui.runs import continue_run, goes_on, leave_repaired
from cellval.ui.session import Session
from cellval.ui.text import changes_words, meaning, plain
from cellval.ui.watch import COMPILING, follow
from cellval.ui.widgets import action
from cellval.values.words import (
    approximation_words,
    design_words,
    end_words,
    error_words,
    made_words,
    stderr_words,
)

LINKS = {
    "view": "Whoever has this link can look on, and changes nothing:",
    "edit": "Whoever has this one can do all that you can:",
}
LONGEST = 40  # letters of a file's name


def draw(session: Session) -> None:
    file, table = session.file.source, session.shown_table
    login.show()
    if file is None and table is None:
        st.caption("No data yet.")
    else:
        name = table.name if table else file.name if file else ""
        st.markdown(
            f":material/table: **{plain(short_name(name, LONGEST))}**",
            help=plain(name) if len(name) > LONGEST else None,
        )
        _show_project(session)
        if session.memo.first is not None:
            _show_repaired(session)
        if session.run is None:
            st.caption("Not valued yet.")
        follow(session.run, partial(_going, session), partial(_show_end, session))
        steps(session)
    # Over the page: below the sidebar's end nobody would see it open.
    with st.popover("What do these numbers mean?", width="stretch"):
        st.markdown(meaning(session.values))


def _show_project(session: Session) -> None:
    """Is it kept? Who may see it, and the way to others."""
    if not session.may_edit:
        st.caption(
            ":material/visibility: You look on: what you change here is yours alone "
            "and is not kept."
        )
        return
    project = session.file.project
    if project is None:
        return
    hold_unkept(session.file)
    if project.trouble:
        st.error(
            f"Not kept: {plain(project.trouble)} Until then a restart loses what you "
            "do.",
            icon=":material/error:",
        )
        again = partial(keep_again, session.file)
        st.button("Try again", key="keep again", on_click=again)
    for words in project.aside:
        st.warning(plain(words), icon=":material/healing:")
    with st.popover("Share", icon=":material/share:", width="stretch"):
        address = (st.context.url or "").split("?")[0]
        for may, words in LINKS.items():
            st.caption(words)
            st.code(f"{address}?project={project.link(may)}", language=None)


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


def _going(session: Session, run: ValuationJob) -> None:
    if run.status == "waiting":
        before = counted(queue.place(run), "run")
        st.progress(0.0, text=f"Waiting: {before} before this one")
        other = queue.own_running(run, session.who)
        if other is not None:
            st.button(
                "Stop the run before it",
                key="stop other",
                icon=":material/skip_next:",
                help=f"Your run on {plain(other.table.name)} keeps what it has and "
                "can be continued later.",
                on_click=other.stop,
                width="stretch",
            )
    else:
        _show_progress(run)
    if session.may_stop(run):
        st.button(
            "Stop the run",
            icon=":material/stop:",
            help="Keeps what there is. You can go on later.",
            key="stop",
            on_click=run.stop,
            width="stretch",
        )


def _show_progress(run: ValuationJob) -> None:
    progress, values = run.progress, run.values
    words = f"Valuing: {whole_percent(progress.done)}"
    if run.status == "compiling":
        words = COMPILING
    elif progress.done >= 1:  # the search goes on, on a large table for minutes
        words = "Valued; looking for errors"
    st.progress(min(1.0, progress.done), text=words)
    is_seen = progress.seen and (values is not None or run.status != "compiling")
    lines = [f"{plain(progress.seen)} so far"] if is_seen else []
    if values is not None:
        lines.append(stderr_words(values.settings, values.typical_stderr))
    lines += [progress.time_left] if progress.time_left else []
    lines += [f"on {plain(run.place)}"] if run.place else []
    st.caption("  \n".join(lines))


def _show_end(session: Session, run: ValuationJob) -> None:
    if session.memo.why:
        st.error(plain(session.memo.why), icon=":material/error:")
    if session.may_edit:
        _offer_more(session, run)
    _show_values(session, run)


def _has_more(run: ValuationJob) -> bool:
    """Did it end after some test points because all of them were too much work?"""
    options, values = run.options, run.values
    if run.status != "done" or values is None or options.method != "knn":
        return False
    was_drawn = options.subsets == "auto" and not options.stops
    return was_drawn and values.settings.n_seen < values.settings.n_tests


def _offer_more(session: Session, run: ValuationJob) -> None:
    """The button that goes on, where there is something to go on with."""
    if _has_more(run):
        words = "Take more test points"
        tip = (
            "Goes on to about twice as many, drawn at random as well, and takes as "
            "long again. Standard errors become about a third smaller."
        )
    elif run.status == "failed":
        words, tip = "Try again", "Goes on from what is kept, if there is anything."
    elif run.status != "stopped":
        return
    elif goes_on(session, run):
        words = "Continue the run"
        tip = "Goes on where it stopped, to the same values as without a stop."
    else:
        words = "Run it again"
        tip = "From the beginning: nothing was kept that it could go on from."
    action(
        words,
        partial(continue_run, session),
        key="continue",
        icon=":material/play_arrow:",
        help=tip,
        width="stretch",
    )


def _show_values(session: Session, run: ValuationJob) -> None:
    values = run.values
    if run.status == "failed":
        st.error(plain(run.error or "The run failed."))
        return
    if values is None:
        words = "Stopped before there were values."
        words = words if run.is_settled else "Stopping ..."  # the first may come yet
        st.warning(words, icon=":material/stop_circle:")
        return
    settings = values.settings
    if run.status == "stopped":
        why = "Cut short" if session.memo.is_cut_short else "Stopped"
        words = f"{why} after {whole_percent(run.progress.done)}."
        project = session.file.project
        if project is None or not project.trouble:  # else it says so above
            kept = "are kept" if run.is_over else "are being kept"
            words += f" The values so far {kept}."
        words += " The latest are on their way." * (not run.is_settled)
        st.warning(words, icon=":material/stop_circle:")
    else:
        st.success(f"Done: {end_words(settings)}.", icon=":material/check_circle:")
    lines = [
        *(design_words(settings, plain=True), approximation_words(settings)),
        values.tested,
        *(stderr_words(settings, values.typical_stderr), error_words(settings)),
    ]
    made = plain(made_words(settings, values.tested))
    st.caption(
        "  \n".join(plain(line) for line in lines if line),
        help=f"As reports and papers say it: {made}.",
    )
