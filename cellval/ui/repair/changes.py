"""The list of changes so far, and decisions from a file."""

import hashlib
from functools import partial
from typing import Any

import streamlit as st

from cellval.errors import InputError
from cellval.repairs.decisions import read_decisions
from cellval.repairs.repair import Repairs, changes_frame, repaired
from cellval.repairs.work import Cell
from cellval.table.table import Table
from cellval.text import counted
from cellval.ui import many, tables
from cellval.ui.session import Session
from cellval.ui.text import changes_words, plain
from cellval.ui.widgets import error, lasting

FEW_LINES = 12  # a longer list of changes scrolls


def changes_list(session: Session, table: Table) -> None:
    """Every change so far, to be undone singly or all."""
    made = dict(session.file.repairs)
    if not made:
        flagged = "error" in session.file.decisions.values()
        st.info(
            "Nothing is changed. Change the flagged cells below together, or open one "
            "on the heatmap and choose what should stand there."
            if flagged
            else "Nothing is changed. Click a cell on the heatmap or in the inspection "
            "list and choose what should stand there, or upload decisions below.",
            icon=":material/build:",
        )
        return
    try:
        frame = changes_frame(table, made)
    except InputError as fault:
        error(fault)
        _undo_all(session)
        return
    words = changes_words(made)
    st.markdown(
        f"**{words[0].upper()}{words[1:]}.** Your original file is never "
        "touched: the repaired one is a new file, on the Export page."
    )
    listed = _groups(session, made)
    if not listed:
        _undo_all(session)
        return
    # A dropped row has words for a column.
    places = zip(frame["row"].tolist(), frame["column"].tolist(), strict=True)
    cells = [(row, name if (row, name) in made else "") for row, name in places]
    frame = frame[[cell in listed for cell in cells]].reset_index(drop=True)
    cells = [cell for cell in cells if cell in listed]
    version = hashlib.sha1(repr(sorted(listed.items())).encode()).hexdigest()[:12]
    drawn = tables.draw(
        frame.drop(columns=["id"] * (table.id_column is None)),
        "The changes so far",
        _columns(table),
        few=FEW_LINES,
        key=session.widget_key("changes", version),
        on_select="rerun",
        selection_mode="multi-row",
    )
    ticked = [cells[line] for line in drawn["selection"]["rows"] if line < len(cells)]
    n = counted(len(ticked), "ticked line") if ticked else "ticked lines"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            f"Undo {n}",
            key="undo ticked",
            icon=":material/undo:",
            disabled=not ticked,
            on_click=partial(session.file.undo, *ticked),
            help="Tick lines in the list to take them back.",
        )
        _undo_all(session)


def _groups(session: Session, made: Repairs) -> Repairs:
    """A line for each change of many cells; the changes that are listed singly."""
    file = session.file
    grouped: set[Cell] = set()
    for k, group in enumerate(file.groups):
        cells = [cell for cell in file.standing_cells(group) if cell in made]
        if cells:
            many.group_line(file, group, f"undo group {k}")
            grouped.update(cells)
    if grouped and not st.toggle(
        "List each of their cells, too",
        **lasting(session, "list grouped changes", False),
        help="To undo some of them singly.",
    ):
        return {cell: new for cell, new in made.items() if cell not in grouped}
    return made


def _columns(table: Table) -> dict[str, Any]:
    text = tables.text
    return {
        "row": tables.number(
            "row", "%d", width=60, help="As counted in the file: from 1."
        ),
        "id": text(tables.heading(table.id_column or "id"), width="small"),
        "column": text(width="small"),
        "before": text(width="medium", help="The cell as it is in the file."),
        "after": text(width="medium", help="Empty: the cell is blanked."),
        "reason": text(width="large"),
    }


def _undo_all(session: Session) -> None:
    cells = list(session.file.repairs)

    def undo() -> None:
        session.file.undo(*cells)
        session.upload = None

    with st.popover("Undo all", icon=":material/restart_alt:"):
        n = counted(len(cells), "change")
        st.markdown(f"Take back {n}? The list will be empty.")
        st.button("Yes, undo all", key="undo all", type="primary", on_click=undo)


def upload_decisions(session: Session, table: Table) -> None:
    """Decisions and repairs from a CSV file, exported here or written by hand."""
    key = session.widget_key("decisions file")
    with st.expander("Upload decisions", icon=":material/upload_file:"):
        file = st.file_uploader(
            "A CSV file of decisions",
            key=key,
            on_change=partial(_read, session, table, key),
            help="“Flagged cells” from the Export page, or your own with the columns "
            "row, column and after. Repairs in it replace those on the same cells.",
        )
    # Not in the expander, which closes when the list above it grows.
    if file is not None and session.upload is not None:
        was_taken, sentence = session.upload
        (st.success if was_taken else st.error)(plain(sentence))


def _read(session: Session, table: Table, key: str) -> None:
    file = st.session_state.get(key)
    session.upload = None
    if file is None:
        return
    work = session.file
    try:
        decided, changed = read_decisions(file, table)
        repaired(table, {**work.repairs, **changed})
    except InputError as fault:
        session.upload = (False, str(fault))
        return
    work.take(decided, changed)
    session.upload = (
        True,
        f"{file.name}: {counted(len(decided), 'decision')} and "
        f"{counted(len(changed), 'repair')} were read.",
    )
