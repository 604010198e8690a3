"""Many cells at once: marked, or changed after a look at before and after; one undo."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import streamlit as st

from cellval.detect.suspicion import Suspicion
from cellval.errors import InputError
from cellval.glossary import DECIDED
from cellval.repairs.repair import Repair
from cellval.repairs.work import Cell, Step
from cellval.table.table import Table
from cellval.text import brief, content, counted, short_name
from cellval.ui import tables
from cellval.ui.session import FileWork, Session
from cellval.ui.text import plain
from cellval.ui.widgets import error, forget
from cellval.views.many_changes import (
    ManyChanges,
    accepted,
    changes_preview,
    many_changes,
    reading_words,
)
from cellval.views.suggested import suggested_for

MOST_PREVIEWED = 50  # cells
FEW_LINES = 8  # a longer preview scrolls
PREVIEW_HELP = (
    "Shows before and after first. Nothing changes until you say so, and one click "
    "undoes it. Again: close."
)
NO_CELLS = "Tick lines first."
NO_SUGGESTION = "None of these cells has a likely suggestion."
CHANGES = {  # and words for what was done
    "Take the suggestions": "changed as suggested",
    "Blank them": "blanked",
    "Write one text": "made",
}


def act(
    session: Session,
    table: Table,
    suspicion: Suspicion | None,
    cells: Sequence[Cell],
    which: str,
    name: str,
    how_to_choose: str | None = None,
) -> None:
    """What can be done to all these cells together; nothing as long as there are none.

    `table` is the one before the repairs, `which` says which cells these are, as the
    beginning of a sentence, `how_to_choose` is a tooltip on that, and `name` tells this
    place from others.
    """
    st.markdown(f"**{which}**", help=how_to_choose)
    _mark_buttons(session.file, cells, which, name)
    how = _change_buttons(session, suspicion, cells, name)
    if how:
        with st.container(border=True, gap="small"):
            _preview(session, table, suspicion, cells, how, name)


def _mark_buttons(file: FileWork, cells: Sequence[Cell], which: str, name: str) -> None:
    n = f" {len(cells):,}" if cells else ""  # said before the click
    with st.container(horizontal=True, gap="xsmall"):
        now = {file.decisions.get(cell) for cell in cells}
        for decision, word in DECIDED.items():
            st.button(
                f"Mark{n} as {word}",
                key=f"{name} mark {decision}",
                disabled=now <= {decision},
                on_click=partial(mark, file, cells, decision),
                help=f"{which}: all of them at once." if cells else NO_CELLS,
            )
        st.button(
            f"Clear{n}",
            key=f"{name} mark None",
            disabled=now <= {None},
            on_click=partial(mark, file, cells, None),
            help=f"{which}: take back what was decided on them; repairs stay."
            if cells
            else NO_CELLS,
        )


def mark(file: FileWork, cells: Sequence[Cell], decision: str | None) -> None:
    n = counted(len(cells), "cell")
    words = f"{n} not decided on any more"
    if decision is not None:
        words = f"{n} marked as {DECIDED[decision]}"
    with file.together(words, cells):
        for cell in cells:
            file.decide(*cell, decision)


# --- changes --------------------------------------------------------------------------


def _change_buttons(
    session: Session, suspicion: Suspicion | None, cells: Sequence[Cell], name: str
) -> str | None:
    """Which change is looked at, of `CHANGES`; its button is filled, and closes it."""
    key = session.widget_key(f"{name} change")
    none_of = {how: "" if cells else NO_CELLS for how in CHANGES}
    if cells and not suggested_for(suspicion, cells):
        none_of["Take the suggestions"] = NO_SUGGESTION
    asked = st.session_state.get(key)
    now = asked if asked and not none_of[asked] else None
    with st.container(horizontal=True, gap="xsmall"):
        for how in CHANGES:
            st.button(
                how,
                key=f"{name} {how}",
                type="primary" if how == now else "secondary",
                disabled=bool(none_of[how]),
                on_click=partial(
                    st.session_state.__setitem__, key, None if how == now else how
                ),
                help=none_of[how] or PREVIEW_HELP,
            )
    return now


def _preview(
    session: Session,
    table: Table,
    suspicion: Suspicion | None,
    cells: Sequence[Cell],
    how: str,
    name: str,
) -> None:
    """Before and after, what is left alone, and the button that does it."""
    file, text = session.file, ""
    if how == "Write one text":
        text = st.text_input(
            "The text for all of them",
            key=session.widget_key(f"{name} text of many"),
            placeholder="type the text and press Enter",
        )
        if not text.strip():
            return
    key = session.widget_key(f"{name} overwrite many")
    overwrite = bool(st.session_state.get(key))
    try:
        with st.spinner("Looking for what should have been there ..."):
            plan = _plan(file, table, suspicion, cells, how, text, overwrite)
            warning = reading_words(table, text, plan.changes) if text else ""
    except InputError as fault:
        error(fault)
        return
    n = len(plan.changes)
    changed = counted(n, "cell") if n else "No cell"
    said = [f"**{changed} will change.**", *map(plain, plan.left_alone)]
    if n > MOST_PREVIEWED:
        said.append(f"The first {MOST_PREVIEWED} changes:")
    st.markdown(" ".join(said))
    if plan.n_repaired:
        are = "is" if plan.n_repaired == 1 else "are"
        st.checkbox(
            f"Overwrite {counted(plan.n_repaired, 'cell')} that {are} repaired already",
            key=key,
            help="If not ticked, they stay as you repaired them.",
        )
    if warning:
        st.warning(plain(warning), icon=":material/warning:")
    if n:
        tables.draw(
            changes_preview(table, plan.changes, file.repairs, MOST_PREVIEWED),
            "Before and after",
            {"row": tables.row_number(), "why": tables.text(width="large")},
            few=FEW_LINES,
        )
    st.button(
        f"Change {counted(n, 'cell')}",
        key=f"{name} do many",
        type="primary",
        icon=":material/done_all:",
        disabled=n == 0,
        on_click=partial(_do, session, plan, how, text, name),
        help="They are marked as wrong then, with this repair. One click undoes all of "
        "it.",
    )


def _plan(
    file: FileWork,
    table: Table,
    suspicion: Suspicion | None,
    cells: Sequence[Cell],
    how: str,
    text: str,
    overwrite: bool,
) -> ManyChanges:
    if how == "Take the suggestions":
        best = suggested_for(suspicion, cells)
        return many_changes(
            table,
            cells,
            file.repairs,
            lambda cell: accepted(cell, best.get(cell)),
            overwrite=overwrite,
        )
    new = Repair("replace", text, "Typed by hand.")
    if how == "Blank them":
        new = Repair("blank", reason="Blanked by hand.")
    return many_changes(
        table, cells, file.repairs, lambda cell: {cell: new}, overwrite=overwrite
    )


def _do(session: Session, plan: ManyChanges, how: str, text: str, name: str) -> None:
    file = session.file
    words = f"{counted(len(plan.changes), 'cell')} {CHANGES[how]}"
    if len(plan.changes) == 1:
        ((row, column),) = plan.changes
        words = f"Row {row:,}, {short_name(column)} {CHANGES[how]}"
    if text:
        words += f" “{content(text)}”"
    with file.together(words, plan.changes):
        for cell, new in plan.changes.items():
            file.repair(*cell, new)
    forget(session, f"{name} change")  # which closes the preview


# --- undo -----------------------------------------------------------------------------


def undo_last(file: FileWork, key: str, *, changes: bool = True, **button: Any) -> None:
    """What was last done to many cells, while anything is left of it.

    Not where `changes` are listed elsewhere and it was one. `button` is as in
    `group_line`.
    """
    groups = file.groups
    last = groups[-1] if groups else None
    if last is None:
        return
    if changes or not any(standing.repair for standing in last.after.values()):
        group_line(file, last, key, **button)


def group_line(
    file: FileWork,
    group: Step,
    key: str,
    *,
    undo: Callable[[Step], None] | None = None,
    shortcut: str | None = None,
) -> None:
    """What was done at once, and a button that takes it back, by another `undo` if
    more is to be done then.
    """
    n, left = len(group.after), len(file.standing_cells(group))
    were = "was" if n - left == 1 else "were"
    since = f" {n - left:,} of them {were} changed since." if left < n else ""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(
            f":material/done_all: {plain(brief(group.words, 120))}.{since}",
            width="content",
        )
        st.button(
            f"Undo all {left:,}" if left > 1 else "Undo",
            key=key,
            icon=":material/undo:",
            shortcut=shortcut,
            on_click=partial(undo or file.undo_together, group),
            help="All of it at once: the cells are as they were before. What you "
            "decided on some of them since then stays.",
        )
