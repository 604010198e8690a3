"""Did a repair help? Measuring real models before and after, watched on a page."""

from typing import TYPE_CHECKING

import streamlit as st

from cellval.errors import InputError
from cellval.figures.comparison import accuracies
from cellval.jobs.background import Scores
from cellval.text import counted, spoken_time
from cellval.ui import session as state
from cellval.ui.text import plain
from cellval.ui.widgets import chart

if TYPE_CHECKING:
    from cellval.repairs.comparison import Comparison

SPREAD_HELP = (
    "Standard deviation, in percentage points, of the accuracy over the repeats: each "
    "splits the rows into other folds."
)
INTERVAL_HELP = (
    "After minus before, in percentage points; above 0 is better. If the 95 % interval "
    "holds 0, the difference may be chance."
)


def measure() -> None:
    """Start measuring, watch it, and show what came of it."""
    found = state.scores()
    if not state.repairs() and found is None:
        st.caption("Change something first; then models can be compared.")
        return
    active = found is not None and found.active
    if st.button(
        "Measure again" if found else "Measure before and after",
        key="measure",
        type="secondary" if found else "primary",
        icon=":material/speed:",
        disabled=active or not state.repairs(),
        help="Trains three models with the table as it was and as it is now, and "
        "compares how well they predict rows that were not changed.",
    ):
        try:
            state.start_scores()
        except InputError as error:
            st.error(plain(str(error)), icon=":material/error:")
        else:
            st.rerun()
    if found is None:
        return
    if state.scores_are_stale():
        st.warning(
            "Changes were made or undone since this was measured. Measure again to "
            "see what they do.",
            icon=":material/update:",
        )
    if found.active:
        _watch()
    else:
        _show_end(found)


@st.fragment(run_every=1.0)
def _watch() -> None:
    found = state.scores()
    if found is None or not found.active:
        st.rerun()
    done, left = found.progress.done, found.progress.seconds_left
    time_left = f", about {spoken_time(left)} left" if left == left else ""
    words = f"Measuring: {done:.0%}{time_left}" if done else "Measuring: starting"
    st.progress(min(1.0, done), text=words)
    st.button(
        "Stop measuring",
        key="stop measuring",
        icon=":material/stop:",
        on_click=state.stop_scores,
        help="Keeps what there is.",
    )
    if found.result is not None and done > 0:
        _verdicts(found.result)  # a figure every second would slow the models down


def _show_end(found: Scores) -> None:
    if found.status == "failed":
        st.error(plain(found.error or "Measuring failed."), icon=":material/error:")
        return
    result = found.result
    if found.status == "stopped":
        st.caption(
            f":material/stop_circle: Stopped after {found.progress.done:.0%}. What was "
            "measured so far is kept."
        )
    if result is not None and result.done > 0:
        show_result(result)


def show_result(result: "Comparison") -> None:
    """Verdicts, figure and table of a comparison, and what was measured."""
    _verdicts(result)
    chart(
        accuracies(result),
        "accuracies",
        "Accuracy before and after",
        menu=False,
    )
    _table(result)
    dropped = f", {result.n_dropped:,} of them dropped" if result.n_dropped else ""
    _, repeats, folds = result.before.shape
    st.caption(
        f"Measured on the {counted(result.n_tested, 'row')} that were not touched. "
        f"Touched rows ({result.n_touched:,}{dropped}) only serve to learn from, once "
        f"as they were and once as they are now. {folds}-fold cross-validation, "
        f"{counted(repeats, 'repeat')}. {plain(result.reference)} {plain(result.note)}"
    )


def _verdicts(result: "Comparison") -> None:
    for model in result.models:
        st.markdown(f"**{model}.** {plain(result.verdict(model))}")


def _table(result: "Comparison") -> None:
    frame = result.frame()
    numbers = [
        "before",
        "before_spread",
        "after",
        "after_spread",
        "difference",
        "low",
        "high",
    ]
    shown = (100 * frame[numbers]).reset_index()
    number = st.column_config.NumberColumn
    points, percent = "%.2f", "%.1f"
    right = "Share of the untouched rows that the model predicts rightly, in %."
    st.dataframe(
        shown,
        hide_index=True,
        height="content",
        column_config={
            "model": st.column_config.TextColumn("model", width="medium"),
            "before": number("before (%)", format=percent, help=right),
            "before_spread": number("± pp", format=points, help=SPREAD_HELP),
            "after": number("after (%)", format=percent, help=right),
            "after_spread": number("± pp ", format=points, help=SPREAD_HELP),
            "difference": number("difference (pp)", format="%+.2f", help=INTERVAL_HELP),
            "low": number("from (pp)", format="%+.2f", help=INTERVAL_HELP),
            "high": number("to (pp)", format="%+.2f", help=INTERVAL_HELP),
        },
        placeholder="–",
        alt="Accuracy before and after, for each model",
    )
