"""Starting, stopping and finding runs: on the file, and on its repaired table."""

import streamlit as st

from cellval.errors import InputError
from cellval.jobs import registry
from cellval.jobs.background import ValuationJob
from cellval.table.table import Table, read
from cellval.ui.session import FileWork, RunMemo, Selection, Session, Setup, Source
from cellval.ui.watch import SHORT_RUN
from cellval.values.options import RunOptions

LINK = "cell"  # of the address: row number and column of the selected cell


def open_file(session: Session, source: Source) -> None:
    """Take another file; a run on the old one ends, decisions on it are kept.

    One that cannot be read is refused with a sentence, and the old one stays.
    """
    old, session.refused = session.file.source, ""
    if old is not None and old.sha256 == source.sha256:
        return
    try:
        table = read(source.buffer())
    except InputError as fault:
        session.refused = str(fault)
        return
    session.file.stop_jobs()
    _leave_run(session)
    file = session.files.get(source.sha256) or FileWork(source=source)
    session.take_file(file, Setup(), table)


def start_run(session: Session, options: RunOptions) -> None:
    """Start on the chosen table; an old run of this session is stopped."""
    assert session.table is not None, "no table was chosen"
    session.refused = ""
    _leave_run(session)
    _start(session, session.table, options, session.memo)


def _start(session: Session, table: Table, options: RunOptions, memo: RunMemo) -> None:
    run = registry.start(table, options)
    run.memo = memo
    _show(session, run)
    run.wait(SHORT_RUN)


def _show(session: Session, run: ValuationJob) -> None:
    session.run = run
    st.query_params["run"] = run.id


def _leave_run(session: Session) -> None:
    if session.run is not None:
        session.run.stop()
    session.run = session.repaired_run = session.held = None
    session.selection = Selection()
    st.query_params.pop("run", None)


def value_repaired(session: Session) -> None:
    """Value the repaired table as the file was valued, and show it; or InputError."""
    run, after = session.run, session.repaired_table()
    assert run is not None, "no run"
    first, changes = session.memo.first or run, dict(session.file.repairs)
    for going_on in (run, first):
        going_on.stop()
    known = session.repaired_run
    if known and known.status == "done" and known.memo.changes == changes:
        _show(session, known)
    else:
        memo = session.memo._replace(first=first, changes=changes)
        _start(session, after, first.options, memo)
        session.repaired_run = session.run
    session.selection = session.selection.moved(run.table, after)


def leave_repaired(session: Session) -> None:
    """Show the run on the file as it was again."""
    first, run = session.memo.first, session.run
    if first is None or run is None:
        return
    run.stop()
    _show(session, first)
    session.selection = session.selection.moved(run.table, first.table)


def sync_link(session: Session) -> None:
    """Called on every run of app.py: a link finds its run, a run keeps its link."""
    asked = st.query_params.get("run")
    if session.run is None and asked:
        run = registry.get(asked)
        if run is None:
            st.query_params.pop("run", None)
            st.toast("The run of this link is no longer there. Please start again.")
            return
        memo: RunMemo = run.memo
        table = memo.first.table if memo.first else run.table
        session.take_file(memo.file, memo.setup, table)
        session.run = run
        _select(session, run.table, st.query_params.get(LINK, ""))
    if session.run is not None and asked != session.run.id:
        st.query_params["run"] = session.run.id


def _select(session: Session, table: Table, link: str) -> None:
    """The cell that a link names, if it is there."""
    number, _, column = link.partition(":")
    known = column in table.feature_names and number.isdecimal()
    if known and int(number) in table.row_numbers:
        session.selection.choose_cell(table.position(int(number)), column)
        session.selection.by_link = True
    elif link:
        st.toast("The cell of this link is not in the table.")
