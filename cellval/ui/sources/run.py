"""Sources: how long it will take, the start, the run in the background, its end."""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from cellval.errors import InputError
from cellval.figures.blocks import heatmap
from cellval.jobs.background import Steps, start_steps
from cellval.table.table import Table
from cellval.text import counted
from cellval.ui import session as state
from cellval.ui.sources.groups import Choice, groups_of
from cellval.ui.sources.results import show
from cellval.ui.text import about_time, plain
from cellval.ui.widgets import chart, side_progress

if TYPE_CHECKING:  # scikit-learn takes two seconds to load
    from cellval.games.block_values import BlockValues
    from cellval.games.blocks import Expected

LONG = 120.0  # seconds from which a run is warned of


def utility(table: Table, choice: Choice, test: Table | None) -> Any:
    """The game; scikit-learn is loaded here, so not while a page is drawn."""
    from cellval.games.models import utility_of

    tested: Any = test if test is not None else choice.share or None
    return utility_of(table, choice.model, test=tested, n_neighbors=choice.n_neighbors)


def _run(table: Table, choice: Choice, test: Table | None) -> Iterator["BlockValues"]:
    from cellval.games.blocks import iter_blocks

    groups = groups_of(table, choice)
    h = utility(table, choice, test)
    return iter_blocks(h, *groups, method=choice.method, rounds=choice.rounds)


def _expect(table: Table, choice: Choice, test: Table | None) -> Iterator["Expected"]:
    from cellval.games.blocks import iter_expected

    groups = groups_of(table, choice)
    h = utility(table, choice, test)
    return iter_expected(h, *groups, method=choice.method, rounds=choice.rounds)


def _test_table(table: Table, choice: Choice) -> Table | None:
    second = state.test_source()
    if choice.test != "second CSV" or second is None:
        return None
    return state.read_test(second, table)


def start_button(table: Table, choice: Choice) -> None:
    """How long it will take, measured, and the start."""
    made_from, found = state.side("blocks")
    active = found is not None and found.active
    try:
        test = _test_table(table, choice)
    except InputError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return
    known = found is not None and made_from == choice and found.status == "done"
    if not active and not known:
        if state.side("blocks time")[0] != choice:
            measuring = start_steps(table, partial(_expect, table, choice, test))
            state.keep_side("blocks time", choice, measuring)
        _say_time()
    again = found is not None and made_from == choice
    if st.button(
        "Value the sources again" if again else "Value the sources",
        key="start sources",
        type="secondary" if again else "primary",
        icon=":material/play_arrow:",
        disabled=active,
    ):
        state.stop_side("blocks time")
        started = start_steps(table, partial(_run, table, choice, test))
        state.keep_side("blocks", choice, started)
        started.wait(state.SHORT_RUN)
        st.rerun()


def _say_time() -> None:
    """Until it is measured this looks again every second, and then no more."""
    _, found = state.side("blocks time")
    if found is not None and found.active:
        _watch_time()
    else:
        _time_line(found)


@st.fragment(run_every=1.0)
def _watch_time() -> None:
    _, found = state.side("blocks time")
    if found is None or not found.active:
        st.rerun()
    _time_line(found)


def _time_line(found: Steps | None) -> None:
    if found is not None and found.status == "failed":
        st.error(plain(found.error or "This failed."), icon=":material/error:")
        return
    expected = found.result if found is not None else None
    if expected is None:
        st.caption(":material/timer: Measuring how long this will take …")
        return
    seconds = expected.run_seconds
    words = f"This will take {about_time(seconds)} on this computer (measured)."
    if seconds > LONG:
        st.warning(
            f"{words} Fewer groups, or Monte Carlo with few rounds, take less. You can "
            "stop any time.",
            icon=":material/hourglass_top:",
        )
    else:
        st.caption(f":material/timer: {words}")


def watch(table: Table, choice: Choice) -> None:
    """The run of this file, wherever it is: going on, failed, stopped or done."""
    made_from, found = state.side("blocks")
    if found is None:
        return
    if found.active:
        _watch_run()
        return
    if found.status == "failed":
        st.error(plain(found.error or "This failed."), icon=":material/error:")
        return
    result = found.result
    if found.status == "stopped":
        st.caption(f":material/stop_circle: Stopped after {found.progress.done:.0%}.")
        if result is None or result.values is None:
            st.info(
                "An exact run has no values before its end. Start again, or choose "
                "Monte Carlo, which has estimates from the second round on.",
                icon=":material/info:",
            )
    if made_from != choice:
        st.warning(
            "The choice above was changed since this was computed. Value the sources "
            "again to see what it does.",
            icon=":material/update:",
        )
    if result is not None and result.values is not None:
        show(table, made_from, result)


@st.fragment(run_every=1.0)
def _watch_run() -> None:
    _, found = state.side("blocks")
    if found is None or not found.active:
        st.rerun()
    result = found.result
    words = "Valuing the sources: starting"
    if result is not None:
        n = counted(result.n_evaluations, "evaluation")
        words = f"Valuing the sources: {result.done:.0%}, {n}"
    keeps = "Estimates so far are kept; an exact run has none before its end."
    side_progress("blocks", found, words, keeps)
    if result is not None and result.values is not None:
        chart(
            heatmap(result),
            "partial blocks",
            "Values of the blocks so far",
            menu=False,
        )
