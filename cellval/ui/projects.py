"""Which project a session has open: by a file, by a link, or from the list."""

import os
import threading
import weakref
from functools import cache, partial

import streamlit as st

from cellval.errors import InputError
from cellval.project.archive import ENDING
from cellval.project.database import Damaged
from cellval.project.project import Project
from cellval.project.shelf import Entry, Shelf
from cellval.project.source import Setup, Source
from cellval.table.table import Table
from cellval.ui.login import user
from cellval.ui.runs import (
    copy_of,
    leave_run,
    note_values,
    restore_results,
    restore_runs,
)
from cellval.ui.session import FileWork, Session
from cellval.views.findings_list import NO_ROW

# Of the address: a link, the selected cell, and the finding that is open.
PROJECT, LINK, FINDING = "project", "cell", "finding"
LOCAL = (None, "", "localhost", "127.0.0.1", "::1")  # addresses nobody else can reach

# Those that somebody has open, or that something runs on: memory holds no others.
_open: "weakref.WeakValueDictionary[str, FileWork]" = weakref.WeakValueDictionary()
_turns: dict[str, threading.Lock] = {}  # to open one, by id
# Those of which something is in memory only, by id, also if nobody has them open.
_unkept: dict[str, FileWork] = {}


@cache
def shelf() -> Shelf:
    """The projects of this server."""
    return Shelf()


def is_shared() -> bool:
    """Do several people use this server? Then nobody sees what others have.

    ``CELLVAL_SHARED`` says so (1 or 0); else it is, if others can reach it.
    """
    said = os.environ.get("CELLVAL_SHARED", "")
    if said:
        return said != "0"
    return st.get_option("server.address") not in LOCAL


def owner_of(session: Session) -> str:
    """Whose projects a session makes: of the person who is logged in, or of whoever
    uses this computer; on a shared server without a login only of this session.
    """
    return user() or (f"session:{session.who}" if is_shared() else "")


def entries_for(session: Session) -> list[Entry]:
    """Their projects, the latest first."""
    return shelf().entries(owner_of(session))


def set_aside() -> list[str]:
    """Projects that the list lacks, a sentence each; not on a shared server: whose are
    they?
    """
    return [] if is_shared() else [*shelf().aside, *shelf().unread]


# --- opening --------------------------------------------------------------------------


def open_file(session: Session, source: Source, setup: Setup | None = None) -> None:
    """Take another file; what runs on the old one goes on.

    It is a new project, unless this session had the same file open before.

    One that cannot be read is refused with a sentence, and the old one stays.
    """
    old, session.refused = session.file.source, ""
    if old is not None and old.sha256 == source.sha256:
        keep_again(session.file)
        project = session.file.project
        if project is not None and project.is_gone:
            _begin_anew(session, project)
        return
    try:
        if source.name.casefold().endswith(ENDING):
            came = shelf().bring_in(source.raw, owner=owner_of(session))
            open_project(session, came.id)
            return
        if _is_there(session.opened.get(source.sha256)):
            open_project(session, session.opened[source.sha256])
            return
        setup, table = (setup or Setup()).found(source)
    except InputError as fault:
        stays = f" {old.name} stays open, with all you decided." if old else ""
        session.refused = f"{fault}{stays}"
        return
    file = FileWork(source=source)
    file.project = shelf().create(source, setup, owner=owner_of(session), work=file)
    _open[file.project.id] = file
    leave_run(session)
    session.take_file(file, setup, table)
    session.opened[source.sha256] = file.project.id
    session.link, session.may_edit = file.project.link("edit"), True


def keep_again(file: FileWork) -> None:
    """Write what could not be written."""
    if file.project is not None and file.project.trouble:
        shelf().keep(file.project)


def unwritten(project_id: str) -> str:
    """Why a copy of it would lack something; nothing if all of it is on disk."""
    file = _in_memory(project_id)
    if file is None or file.project is None or not file.project.is_behind:
        return ""
    return (
        "What was done last is not on disk yet, and would be missing. "
        f"{file.project.trouble}"
    )


def copy(project_id: str) -> None:
    """With all that was done; or InputError."""
    if (file := _in_memory(project_id)) is not None:
        keep_again(file)
    if why := unwritten(project_id):
        raise InputError(why)
    shelf().copy(project_id).close()


def _begin_anew(session: Session, gone: Project) -> None:
    """With all that was decided and valued in a project that somebody deleted."""
    old, source = session.file, session.file.source
    assert source is not None
    file = FileWork(source=source)
    how = {"name": gone.name, "owner": owner_of(session), "work": file}
    made = file.project = shelf().create(source, gone.setup, **how)
    made.take_over(old)
    for run in old.own_runs:
        note_values(made, run)
    _open[made.id] = file
    session.opened[source.sha256] = made.id
    open_project(session, made.id)


def hold_unkept(file: FileWork) -> None:
    """Called when it is said that something is not kept: who leaves a project then
    finds it as it was.
    """
    for project_id, one in list(_unkept.items()):
        if one.project is None or not one.project.trouble or one.project.is_gone:
            _unkept.pop(project_id, None)
    project = file.project
    if project is not None and project.trouble and not project.is_gone:
        _unkept[project.id] = file


def _is_there(project_id: str | None) -> bool:
    """Is it still open, or on disk?"""
    if project_id is None:
        return False
    return bool(_in_memory(project_id)) or (shelf().folder / project_id).is_dir()


def _in_memory(project_id: str) -> FileWork | None:
    """What somebody has open of a project that is still there."""
    file = _open.get(project_id)
    if file is None or file.project is None or file.project.is_gone:
        return None
    return file


def open_project(session: Session, project_id: str, *, edit: bool = True) -> None:
    """A project with its decisions and its latest run, or InputError.

    One after the other: who comes at the same moment shares what the first one opened.
    """
    with _turns.setdefault(project_id, threading.Lock()):
        _open_project(session, project_id, edit=edit)


def _open_project(session: Session, project_id: str, *, edit: bool) -> None:
    file = _in_memory(project_id)
    if file is None:
        file = FileWork()
        file.project = shelf().open(project_id, file)
        _open[project_id] = file
    project = file.project
    assert project is not None
    try:
        file.source = file.source or project.source
    except Damaged as fault:
        raise InputError(
            f"The project '{project.name}' cannot be opened: {fault}."
        ) from fault
    project.refresh()
    setup = project.setup
    table = _table(file, setup)
    leave_run(session)
    session.link, session.may_edit = project.link("edit" if edit else "view"), edit
    session.take_file(file if edit else copy_of(file), setup, table)
    for find in (session.find_test_source, partial(restore_runs, session, project)):
        try:
            find()
        except (Damaged, InputError) as fault:
            session.refused = (
                f"A run or the test file of this project is left out: {fault}. "
                "Everything else is there. Choose the file again, and value again."
            )
    restore_results(session, project)


def _table(file: FileWork, setup: Setup) -> Table:
    """Read once for all who have the project open and read it alike."""
    assert file.source is not None
    for run in file.own_runs:
        if run.memo.setup == setup and not run.memo.changes:
            return run.table
    return setup.read(file.source)


def close_project(session: Session) -> None:
    """Back to the list."""
    leave_run(session)
    session.take_file(FileWork(), Setup(), None)
    session.left, session.link, session.may_edit = session.link, "", True
    st.query_params.clear()


def delete(session: Session, project_id: str) -> None:
    """With its files; runs on it end."""
    file = _open.pop(project_id, None)
    if file is not None:
        file.stop_jobs()
        for run in file.own_runs:
            run.stop()
    if session.link.startswith(project_id):
        close_project(session)
    shelf().delete(project_id)


def rename(project_id: str, name: str) -> None:
    """The open project, where it is, or the one on disk."""
    file = _open.get(project_id)
    project = file.project if file is not None else None
    if project is None:
        project = shelf().open(project_id)
    project.name = name
    if not project.is_kept("name"):
        raise InputError(f"The new name is not kept. {project.trouble}")


def running(project_id: str) -> bool:
    """Does something run on it in this server?"""
    file = _open.get(project_id)
    return file is not None and any(run.active for run in file.own_runs)


# --- the address ----------------------------------------------------------------------


def sync_link(session: Session) -> None:
    """Called on every run of app.py: a link finds its project, a project its link.

    One that leads nowhere stays in the address, and is tried again with each drawing.
    """
    told = st.query_params.get(PROJECT, "")
    if not session.link:
        # An address may be late, and name what was just closed.
        session.asked = told if told and told != session.left else session.asked
        if session.asked:
            _follow(session, session.asked)
    asked_for = st.query_params
    say_where(session, asked_for.get(LINK, ""), asked_for.get(FINDING, ""))


def say_where(session: Session, cell: str = "", finding: str = "") -> None:
    """Make the address a link to what is shown.

    Also where Streamlit takes it for one: who goes to another page and clicks at once
    interrupts the run that emptied the address, and the next one is told the old one.
    """
    where = {PROJECT: session.link or session.asked, LINK: cell, FINDING: finding}
    st.query_params.from_dict({name: text for name, text in where.items() if text})


def _follow(session: Session, link: str) -> None:
    session.lost = ""
    try:
        project_id, may = _linked(link)
        open_project(session, project_id, edit=may == "edit")
    except InputError as fault:
        session.lost = str(fault)
        return
    finding = st.query_params.get(FINDING, "")
    if finding:
        session.selection.finding = (finding, NO_ROW)
    cell = st.query_params.get(LINK, "")
    if cell and session.shown_table is not None:
        _select(session, session.shown_table, cell)


def _linked(link: str) -> tuple[str, str]:
    """The project of a link, and what that allows: "view" or "edit"."""
    file = _in_memory(link[:16])
    project = file.project if file is not None else None  # maybe never on disk
    if project is None or not (may := project.allows(link)):
        project, may = shelf().by_link(link)
        project.close()
    return project.id, may


def _select(session: Session, table: Table, link: str) -> None:
    """The cell that a link names, if it is there."""
    number, _, column = link.partition(":")
    known = column in table.feature_names and number.isdecimal()
    if known and int(number) in table.row_numbers:
        session.selection.choose_cell(table.position(int(number)), column)
        session.selection.from_elsewhere = True
    else:
        st.toast("The cell of this link is not in the table.")
