"""The sidebar of every page: which data, how far the run is, what numbers mean."""

import streamlit as st

from cellval.jobs.background import Job
from cellval.text import spoken_time
from cellval.ui import session as state
from cellval.ui.text import changes_words, meaning, plain
from cellval.values.result import CellValues
from cellval.values.words import Unit

COMPILING = "Compiling (first time only, about 15 s)"


def draw(*, live: bool) -> None:
    """`live`: the page shows values, and is drawn again while they sharpen."""
    with st.sidebar:
        run, name = state.job(), state.data_name()
        if name is None:
            st.caption("No data yet.")
        else:
            st.markdown(f":material/table: **{plain(name)}**")
            if state.before_run() is not None:
                _show_repaired()
            if run is None:
                st.caption("Not valued yet.")
            elif run.active:
                _watch(live)
            else:
                _show_end(run)
        with st.expander("What do these numbers mean?", icon=":material/help:"):
            st.markdown(meaning(run.values if run else None))


def _show_repaired() -> None:
    """Which version of the file pages show, and the way back."""
    words = changes_words(state.run_changes())
    st.markdown(f":material/build: Repaired: {words}.")
    if not state.is_up_to_date():
        st.caption("Changes were made or undone since. Value it again: Repair page.")
    st.button(
        "Back to the file as it was",
        key="sidebar back",
        icon=":material/undo:",
        help="Pages show the run on your file again; changes are kept.",
        on_click=state.leave_repaired,
        width="stretch",
    )


@st.fragment(run_every=1.0)
def _watch(live: bool) -> None:
    run = state.job()
    if run is None or not run.active:
        st.rerun()
    # Asked before anything is drawn: drawing lets a click on another page go first,
    # which a rerun of this one would swallow.
    stale = live and state.page_is_stale()
    if run.status == "compiling":
        st.progress(0.0, text=COMPILING)
    else:
        _show_progress(run)
    st.button(
        "Stop the run",
        icon=":material/stop:",
        help="Keeps what there is.",
        key="stop",
        on_click=state.stop_run,
        width="stretch",
    )
    if stale:
        st.rerun()


def _show_progress(run: Job) -> None:
    progress, values = run.progress, run.values
    st.progress(min(1.0, progress.done), text=f"Valuing: {progress.done:.0%}")
    lines = [f"{progress.seen} so far"] if progress.seen else []
    if values is not None:
        lines.append(_error(values))
    if progress.seconds_left == progress.seconds_left:  # not NaN
        lines.append(f"about {spoken_time(progress.seconds_left)} left")
    st.caption("  \n".join(lines))


def _error(values: CellValues) -> str:
    stderr = values.typical_stderr
    return f"typical standard error {Unit.of(stderr).text(stderr)}"


def _show_end(run: Job) -> None:
    values = run.values
    if run.status == "failed":
        st.error(plain(run.error or "The run failed."))
        return
    if values is None:
        st.warning("Stopped before there were values.", icon=":material/stop_circle:")
        return
    design = str(values.settings["design"])
    approximation = str(values.settings["approximation"])
    exact = "exact" in design and not approximation
    if run.status == "stopped":
        st.warning(
            f"Stopped after {run.progress.done:.0%}. The values so far are kept.",
            icon=":material/stop_circle:",
        )
    elif exact:
        st.success("Done: the values are exact.", icon=":material/check_circle:")
    elif values.settings.get("by") in ("loo", "random"):  # nothing was sampled
        st.success("Done: all cells have a number.", icon=":material/check_circle:")
    else:
        st.success("Done: the values are estimates.", icon=":material/check_circle:")
    lines = [design]
    if approximation:
        lines.append(approximation)
    lines += [values.tested, _error(values), str(values.settings.get("errors", ""))]
    st.caption("  \n".join(plain(line) for line in lines if line))
