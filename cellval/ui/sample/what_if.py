"""What if: a row edited, its value then beside now, and edits kept as repairs."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from cellval.errors import InputError
from cellval.figures.waterfall import waterfall
from cellval.glossary import LABEL_CAUTION, ROW_HELP
from cellval.kept import kept
from cellval.stats import is_clear
from cellval.table.table import Table
from cellval.text import content, counted, short_names
from cellval.ui import tables
from cellval.ui.charts import chart
from cellval.ui.navigation import goto
from cellval.ui.parts import draw_said, say, then_page
from cellval.ui.session import Edits, Session, Shown
from cellval.ui.tables import heading
from cellval.ui.text import plain
from cellval.ui.widgets import error
from cellval.values.result import CellValues
from cellval.values.words import Unit
from cellval.views.many_changes import change_to
from cellval.views.row_detail import in_one_order, shared_limits
from cellval.whatif.questions import WhatIf, what_if

MOST_LINES = 9  # of the editor; more scroll
Texts = tuple[tuple[str, str], ...]  # by column
SECONDS = 0.3  # of computing for a what-if, on two free cores


def say_repairs(session: Session, row_number: int) -> None:
    """What was changed in this row already, and whether the values know."""
    made, known = (
        {name: change for (row, name), change in changes.items() if row == row_number}
        for changes in (dict(session.file.repairs), session.memo.changes)
    )
    if not made:
        return
    if "" in made:
        words = f"Row {row_number:,} will be dropped: other repairs of it do nothing."
    else:
        texts = [
            f"{plain(heading(name))} → **{plain(content(change.text, 24))}**"
            for name, change in made.items()
        ]
        there = "with" if made == known else "not yet with"
        words = f"Row {row_number:,} was repaired: {', '.join(texts)}. The values "
        words += f"shown here are {there} {'this' if len(made) == 1 else 'these'}."
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f":material/build: {words}", width="content")
        if st.button(
            "Open the Repair page",
            key="to repairs",
            type="tertiary",
            icon=":material/arrow_forward:",
            help="All changes are listed there, to be undone, or valued anew.",
        ):
            goto("repair")


def store(
    session: Session, row_number: int, texts: Mapping[str, str], reason: str
) -> None:
    """Keep changes as repairs; what the file holds anyway needs none."""
    held = session.original_row(row_number)
    session.file.repair_cells(
        {
            (row_number, name): None
            if new.strip() == held[name]
            else change_to(new if new.strip() else "", reason)
            for name, new in texts.items()
        }
    )


def is_stored(session: Session, row_number: int, texts: Mapping[str, str]) -> bool:
    """Does the repaired table hold these texts?"""
    made, now = session.file.repairs, session.original_row(row_number)
    now |= {
        name: c.text.strip() for (row, name), c in made.items() if row == row_number
    }
    return all(now[name] == new.strip() for name, new in texts.items())


def store_button(
    session: Session,
    row_number: int,
    texts: Mapping[str, str],
    reason: str,
    *,
    label: str,
    key: str,
    is_clear: bool = True,
) -> None:
    """Keep changes as repairs; another label is never the first thing to click."""
    original = session.original
    of_label = original.label if original else ""
    flips = texts.get(of_label, "").strip() not in (
        "",
        session.original_row(row_number)[of_label],
    )
    icon, dropped = ":material/build:", (row_number, "") in session.file.repairs
    # The sidebar, too: it says if that could not be kept.
    keep = partial(then_page, session, store, session, row_number, texts, reason)
    if flips:
        with st.popover(f"{label} …", icon=icon, key=f"{key} caution"):
            st.markdown(f":material/warning: {LABEL_CAUTION}")
            words = "The source says so: change it"
            st.button(words, key=key, disabled=dropped, on_click=keep)
    else:
        st.button(
            label,
            key=key,
            type="primary" if is_clear else "secondary",
            icon=icon,
            disabled=dropped,
            help=f"Writes {counted(len(texts), 'change')} into the repaired table. "
            "Your file stays as it is, and the change can be undone.",
            on_click=keep,
        )


def stored_line(
    session: Session, row_number: int, names: Iterable[str], words: str, key: str
) -> None:
    """That a change is among the repairs, and one click that takes it back."""
    made = [(row_number, name) for name in names]
    made = [cell for cell in made if cell in session.file.repairs]
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f":material/check: {words}", width="content")
        if made:
            st.button(
                "Undo",
                key=key,
                icon=":material/undo:",
                help="Takes this back: the row is as in your file again.",
                on_click=partial(then_page, session, session.file.undo, *made),
            )


def tested_on(session: Session) -> Table | None:
    """The test table of the run; held-out rows are known from its values."""
    test = session.run.options.test if session.run else None
    return test if isinstance(test, Table) else None


@st.fragment
def show_what_if(shown: Shown, position: int) -> None:
    """Edit the row; its value and waterfall then, beside those now."""
    session, table, values, _ = shown
    draw_said(session)
    row_number = int(table.row_numbers[position])
    tried = session.file.edits[row_number]
    st.markdown(
        "##### What if?",
        help="Try other texts in any cell, or another label: nothing is changed until "
        f"you keep it. {ROW_HELP}",
    )
    left, right = st.columns([3, 2])
    key = f"what if {table.fingerprint[:12]} {row_number} {tried.version}"
    with left:
        _editor(table, position, tried, key)
    changes = changes_of(table, position, tried)
    with right:
        _label_box(table, position, tried, f"{key} label")
        said = st.container()
    if not changes:
        said.caption(
            "Type into “new text”, or choose another label: the row's new value and "
            "waterfall show here beside the old ones. Empty counts as missing."
        )
        return
    try:
        asked = tuple(changes.items())
        answer = _answer(values, table, row_number, asked, tested_on(session))
    except InputError as fault:
        with said:
            error(fault)
            _reset_button(tried)
        return
    unit = shown.row_unit
    with said:
        st.markdown(_outcome(answer, unit))
        _keep_or_reset(shown, tried, changes, answer)
        st.caption(plain(answer.note))
    _side_by_side(answer, unit)


def changes_of(table: Table, position: int, tried: Edits) -> dict[str, str]:
    """Texts that are tried out in a row and differ from what it holds."""
    held = table.cells.iloc[position]
    return {
        name: new
        for name, new in tried.texts.items()
        if name in held and new.strip() != str(held[name]).strip()
    }


@kept(8)
def _answer(
    values: CellValues, table: Table, row: int, changes: Texts, test: Table | None
) -> WhatIf:
    return what_if(table, values, row, dict(changes), test=test, seconds=SECONDS)


def _editor(table: Table, position: int, tried: Edits, key: str) -> None:
    """One line per column; edits are collected by column, not by line."""
    if key not in st.session_state:  # opened now, or again
        tried.begun = dict(tried.texts)
    held = [str(table.cells[name].iat[position]) for name in table.feature_names]
    new = [
        tried.begun.get(name, now)
        for name, now in zip(table.feature_names, held, strict=True)
    ]
    st.data_editor(
        pd.DataFrame(
            {"column": short_names(table.feature_names, 32), "now": held, "new": new}
        ),
        key=key,
        hide_index=True,
        height="content" if len(held) <= MOST_LINES else 36 * (MOST_LINES + 1),
        disabled=["column", "now"],
        column_config={
            "column": tables.text(),
            "now": tables.text(help="What the row holds as it is shown here."),
            "new": tables.text(
                "new text", help="Double-click and type. Empty counts as missing."
            ),
        },
        on_change=lambda: take(table, tried, st.session_state[key]["edited_rows"]),
        alt="The cells of the row, to be edited",
    )


def take(table: Table, tried: Edits, edited: Mapping[int, Mapping[str, Any]]) -> None:
    """Remember edited lines; say so where a text cannot be read."""
    changed = {table.feature_names[int(line)] for line in edited}
    for name in set(tried.texts) & set(table.feature_names) - changed:
        del tried.texts[name]  # typed back to what the editor began with
        if name in tried.begun:
            tried.texts[name] = tried.begun[name]
    for line, change in edited.items():
        name, new = table.feature_names[int(line)], str(change.get("new") or "")
        if tried.texts.get(name) == new:
            continue
        tried.texts[name] = new
        try:
            read = table.read_texts(name, [new])
        except InputError:  # an infinite number: the answer below says so
            continue
        if new.strip() and read.missing[0]:
            say(
                f"{plain(content(new))} cannot be read as a {read.kind} for "
                f"{plain(heading(name))}: it counts as missing."
            )


def _label_box(table: Table, position: int, tried: Edits, key: str) -> None:
    now = table.groups[position]
    chosen = tried.begun.get(table.label, now)

    def take_label() -> None:
        tried.texts[table.label] = st.session_state[key]

    st.selectbox(
        f"Label: {plain(heading(table.label))}",
        table.classes,
        index=table.classes.index(chosen if chosen in table.classes else now),
        format_func=lambda name: content(name) + " (now)" * (name == now),
        key=key,
        on_change=take_label,
        help="The class of the row. Another one changes what it speaks for.",
    )


def _outcome(answer: WhatIf, unit: Unit) -> str:
    """Before, after and the difference in words (Markdown)."""
    gain, stderr = answer.gain, answer.gain_stderr
    if not np.isfinite(stderr):
        verdict = "how sure this is cannot be said"
    elif max(abs(gain), stderr) < 0.5 * 10.0**-unit.decimals / unit.factor:
        verdict = "none that would show"
    elif not is_clear(gain, stderr):
        verdict = "within two standard errors, so no clear difference"
    else:
        verdict = "clearly better" if gain > 0 else "clearly worse"
    signed = f"{'+' * (gain > 0)}{unit.number(gain)}"
    error = f" ± {unit.number(stderr)}" if np.isfinite(stderr) else ""
    return (
        f"The row's value would go from "
        f"**{unit.with_error(answer.before_total, answer.before_stderr)}** to "
        f"**{unit.with_error(answer.after_total, answer.after_stderr)}** of "
        f"{unit.score}. Difference: **{signed}{error} {unit.name}**, {verdict}."
    )


def _keep_or_reset(
    shown: Shown, tried: Edits, changes: Mapping[str, str], answer: WhatIf
) -> None:
    session, row_number, unit = shown.session, answer.row_number, shown.row_unit
    if is_stored(session, row_number, changes):
        n = "a repair" if len(changes) == 1 else f"{len(changes):,} repairs"
        stored_line(session, row_number, changes, f"Kept as {n}.", "undo edits")
        _reset_button(tried)
        return
    with st.container(horizontal=True):
        store_button(
            session,
            row_number,
            changes,
            "Tried out: the row's value would go from "
            f"{unit.text(answer.before_total)} to {unit.text(answer.after_total)}.",
            label="Keep as repair" if len(changes) == 1 else "Keep as repairs",
            key="keep edits",
        )
        _reset_button(tried)


def _reset_button(tried: Edits) -> None:
    st.button(
        "Reset",
        key="reset edits",
        icon=":material/restart_alt:",
        on_click=tried.reset,
        help="Empties the edits: the editor shows the row as it is. Repairs stay.",
    )


def _side_by_side(answer: WhatIf, unit: Unit) -> None:
    """Both waterfalls on one scale, their columns in one order."""
    before, after = in_one_order(answer.before, answer.after)
    sides = {
        "Now": (before, answer.before_total),
        "After the change": (after, answer.after_total),
    }
    limits = shared_limits(sides.values())
    for place, (title, (lines, total)) in zip(
        st.columns(2), sides.items(), strict=True
    ):
        with place:
            st.markdown(f"**{title}: {unit.text(total)}**", help=ROW_HELP)
            figure = waterfall(lines, total, unit, limits=limits)
            chart(figure, f"Waterfall of the row: {title}")
