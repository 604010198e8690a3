"""Sources: how long it will take, the start, the run in the background, its end."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import streamlit as st

from cellval.cluster import of_the_app
from cellval.errors import InputError
from cellval.figures.blocks import heatmap
from cellval.games.block_values import BlockValues
from cellval.jobs.background import Job
from cellval.jobs.fits import check_seconds
from cellval.progress import Snapshot
from cellval.project.results import told
from cellval.table.table import Table
from cellval.text import whole_percent
from cellval.ui.charts import chart
from cellval.ui.session import FileWork, Session, read_test
from cellval.ui.sources.groups import BlocksChoice, groups_of
from cellval.ui.sources.results import show
from cellval.ui.text import roughly
from cellval.ui.watch import ended, follow, progress, start_button
from cellval.ui.widgets import error
from cellval.values.memory import COMPARED, check_memory

if TYPE_CHECKING:  # scikit-learn takes two seconds to load
    from cellval.games.blocks import BlockGame

LONG = 120.0  # seconds from which a run is warned of


def _game(table: Table, choice: BlocksChoice, test: Table | None) -> "BlockGame":
    # scikit-learn is loaded here, so not while a page is drawn
    from cellval.games.blocks import BlockGame
    from cellval.games.models import utility_of

    tested: Any = test if test is not None else choice.share or None
    h = utility_of(table, choice.model, test=tested, n_neighbors=choice.n_neighbors)
    how: dict[str, Any] = {"method": choice.method, "rounds": choice.rounds}
    return BlockGame.of(h, *groups_of(table, choice), **how)


def start(session: Session, table: Table, choice: BlocksChoice) -> None:
    """How long it will take, measured, and the button that starts it."""
    file, test = session.file, None
    try:
        if choice.test == "second CSV" and session.test_source is not None:
            test = read_test(table, session.test_source)
    except InputError as fault:
        error(fault)
        return
    job = file.blocks.on(table)
    known = file.blocks.made_from == choice and job is not None and job.status == "done"

    def play() -> Iterator[Snapshot[BlockValues]]:
        file.blocks_seconds.stop()
        return _game(table, choice, test).play(executor=of_the_app())

    def check() -> None:
        check_memory(table, COMPARED)
        check_seconds(_measured(file, table, choice))

    labels = ("Value the sources", "Value the sources again")

    def keep(found: BlockValues) -> None:
        if file.project is not None:
            file.project.keep_result("blocks", told(choice), told(found))

    start_button(
        *(file.blocks, table, choice, play),
        labels=labels,
        key="start sources",
        check=check,
        keep=keep,
    )
    if not known and not (job is not None and job.active):
        _say_time(file, table, choice, test)  # below: nothing pushes the button away


def _measured(file: FileWork, table: Table, choice: BlocksChoice) -> float:
    """Seconds that it will take; NaN until they are measured."""
    job = file.blocks_seconds.on(table)
    if job is None or file.blocks_seconds.made_from != choice or job.result is None:
        return math.nan
    return job.result


def _say_time(
    file: FileWork, table: Table, choice: BlocksChoice, test: Table | None
) -> None:
    """Until it is measured this looks again every second, and then no more."""
    measured = file.blocks_seconds
    job = measured.on(table)
    gave_up = job is not None and job.status == "stopped" and job.result is None
    if job is None or gave_up or measured.made_from != choice:
        measured.start(table, choice, lambda: _game(table, choice, test).foretell())
    follow(measured.on(table), _time_line, _time_line)


def _time_line(job: Job[float]) -> None:
    if job.status == "failed":
        ended(job)
        return
    if job.result is None:
        st.caption(":material/timer: Measuring how long this will take …")
        return
    words = f"This will take {roughly(job.result)} on this computer (measured)."
    if job.result > LONG:
        st.warning(
            f"{words} Fewer groups, or Monte Carlo with few rounds, take less. You can "
            "stop any time.",
            icon=":material/hourglass_top:",
        )
    else:
        st.caption(f":material/timer: {words}")


def watch(session: Session, table: Table, choice: BlocksChoice) -> None:
    """The run of this file, wherever it is: going on, failed, stopped or done."""
    blocks = session.file.blocks

    def over(job: Job[BlockValues]) -> None:
        if not ended(job):
            return
        if job.status == "stopped" and job.result is None:
            st.info(
                "An exact run has no values before its end. Start again, or choose "
                "Monte Carlo, which has estimates from the second round on.",
                icon=":material/info:",
            )
        if blocks.made_from != choice:
            st.warning(
                "The choice above was changed since this was computed. Value the "
                "sources again to see what it does.",
                icon=":material/update:",
            )
        if job.result is not None:
            show(session, table, blocks.made_from, job.result)

    follow(blocks.on(table), _going, over)


def _going(job: Job[BlockValues]) -> None:
    words = "Valuing the sources: starting"
    if job.status == "running":
        done = whole_percent(job.progress.done)
        words = f"Valuing the sources: {done}, {job.progress.seen}"
    keeps = "Estimates so far are kept; an exact run has none before its end."
    progress(job, words, keeps, key="stop blocks")
    if job.result is not None:
        chart(heatmap(job.result), "Values of the blocks so far", menu=False)
