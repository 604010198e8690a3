"""The list of projects: open, rename, copy, export, delete."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from cellval.errors import InputError
from cellval.project.archive import ENDING
from cellval.project.shelf import Entry
from cellval.text import counted, short_name, short_names
from cellval.ui import projects, tables
from cellval.ui.session import Session
from cellval.ui.text import plain

FEW = 8  # lines; more scroll


def draw(session: Session) -> None:
    """Nothing where there is none but the one that is open.

    In a container, as what comes and goes above an uploader must be.
    """
    with st.container():
        _draw(session)


def _draw(session: Session) -> None:
    entries = projects.entries_for(session)
    for words in projects.set_aside():
        st.warning(plain(words), icon=":material/healing:")
    if trouble := projects.shelf().why_not():
        st.error(
            f"Nothing that you do can be kept. {plain(trouble)}",
            icon=":material/error:",
        )
    if not entries:
        return
    now = session.file.project
    with st.expander(
        f"Your projects ({len(entries):,})",
        icon=":material/inventory_2:",
        expanded=session.file.source is None,
        key=session.widget_key("projects"),
    ):
        found = tables.draw(
            _frame(entries),
            "Projects with their files, when they were changed, and how far they are",
            {
                "name": tables.text(width=190),
                "file": tables.text(width=170),
                "changed": st.column_config.DatetimeColumn(
                    "changed", format="distance", width=130
                ),
                "how far": tables.text(width=240),
                "size": tables.number("size (MB)", 1, width=90),
            },
            few=FEW,
            # In another order another line would be ticked.
            key=session.widget_key("project list", *(entry.id for entry in entries)),
            on_select="rerun",
            selection_mode=["single-row", "single-cell"],
        )
        line = _line(found["selection"])
        entry = entries[line] if line is not None and line < len(entries) else None
        _buttons(session, entry, now.id if now else "")


def _line(selection: Mapping[str, Any]) -> int | None:
    """The line that was clicked, in any of its cells or in the box before it."""
    lines = [*selection["rows"], *(line for line, _ in selection["cells"])]
    return lines[0] if lines else None


def _frame(entries: list[Entry]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "name": short_names([entry.name for entry in entries], 25),
            "file": [short_name(entry.file, 23) for entry in entries],
            "changed": [
                pd.Timestamp(entry.changed, unit="s", tz="UTC") for entry in entries
            ],
            "how far": [how_far(entry) for entry in entries],
            "size": [entry.size / 2**20 for entry in entries],
        }
    )


def how_far(entry: Entry) -> str:
    """Valued so far, so many decisions and repairs."""
    words = "not valued yet"
    if entry.runs:
        run = entry.runs[-1]
        going = run.status == "running" and projects.running(entry.id)
        words = "valued" if run.status == "done" else f"{run.done:.0%} valued"
        words = "run failed" if run.status == "failed" else words
        words += ", goes on" if going else ""
    parts = [words]
    if entry.n_decisions:
        parts.append(counted(entry.n_decisions, "decision"))
    if entry.n_repairs:
        parts.append(counted(entry.n_repairs, "repair"))
    return ", ".join(parts)


def _buttons(session: Session, entry: Entry | None, now: str) -> None:
    """What can be done with the line that was clicked."""
    unwritten = projects.unwritten(entry.id) if entry else ""
    if entry is None:
        st.caption("Click a project to open, rename, copy, export or delete it.")
    else:
        st.markdown(f"**{plain(entry.name)}**, made of {plain(entry.file)}")
    with st.container(horizontal=True):
        st.button(
            "Open",
            key="open project",
            type="primary" if entry else "secondary",
            icon=":material/folder_open:",
            disabled=entry is None or entry.id == now,
            on_click=partial(_do, session, _open, entry),
        )
        with st.popover("Rename", icon=":material/edit:", disabled=entry is None):
            name = st.text_input(
                "Name",
                entry.name if entry else "",
                max_chars=80,
                key=f"project name {entry.id if entry else ''}",
            )
            st.button(
                "Rename it",
                key="rename project",
                on_click=partial(_do, session, _rename, entry, name),
            )
        st.button(
            "Copy",
            key="copy project",
            icon=":material/content_copy:",
            disabled=entry is None,
            on_click=partial(_do, session, _copy, entry),
        )
        st.download_button(
            "Export",
            partial(_packed, entry),
            f"{_stem(entry)}{ENDING}",
            "application/octet-stream",
            key="export project",
            icon=":material/download:",
            disabled=entry is None or bool(unwritten),
            on_click="ignore",
            help=plain(unwritten)
            or "One .cellval file with everything: open it here or elsewhere like any "
            "other file.",
        )
        with st.popover("Delete", icon=":material/delete:", disabled=entry is None):
            st.markdown(
                f"**{plain(entry.name if entry else '')}** with its file, runs, "
                "decisions and repairs. This cannot be undone."
            )
            st.button(
                "Delete it",
                key="delete project",
                on_click=partial(_do, session, _delete, entry),
            )


def _do(
    session: Session, act: Callable[..., None], entry: Entry | None, *more: str
) -> None:
    """A callback; what cannot be done is said."""
    session.refused = ""
    try:
        act(session, entry, *more)
    except InputError as fault:
        session.refused = str(fault)


def _open(session: Session, entry: Entry) -> None:
    projects.open_project(session, entry.id)


def _rename(session: Session, entry: Entry, name: str) -> None:
    projects.rename(entry.id, name)


def _copy(session: Session, entry: Entry) -> None:
    projects.copy(entry.id)


def _delete(session: Session, entry: Entry) -> None:
    projects.delete(session, entry.id)


def _packed(entry: Entry | None) -> bytes:
    return projects.shelf().packed(entry.id) if entry else b""


def _stem(entry: Entry | None) -> str:
    kept = (
        [c if c.isalnum() or c in "-_ " else "_" for c in entry.name] if entry else []
    )
    return "".join(kept).strip()[:60] or "project"
