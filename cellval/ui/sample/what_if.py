"""What if: a row edited, its value then beside now, and edits kept as repairs."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from cellval.errors import InputError
from cellval.figures import waterfall as figures
from cellval.glossary import ROW_HELP
from cellval.repairs.repair import Repair
from cellval.stats import SURE
from cellval.table.table import Table
from cellval.text import content, counted
from cellval.ui import session as state
from cellval.ui.text import plain
from cellval.ui.widgets import chart, view_key
from cellval.values.result import CellValues
from cellval.values.words import Unit
from cellval.views import value_view as views
from cellval.whatif import questions as whatif

MOST_LINES = 9  # of the editor; more scroll
SECONDS = 0.3  # of computing for a what-if, on two free cores


def repairs_of(row: int) -> None:
    """What was changed in this row already, and whether the values know."""
    made, known = (
        {name: change for (number, name), change in changes.items() if number == row}
        for changes in (state.repairs(), state.run_changes())
    )
    if not made:
        return
    if "" in made:
        words = f"Row {row:,} will be dropped: other repairs of it do nothing."
    else:
        texts = [
            f"{plain(content(name, 24))} → **{plain(content(change.text, 24))}**"
            for name, change in made.items()
        ]
        there = "with" if made == known else "not yet with"
        words = f"Row {row:,} was repaired: {', '.join(texts)}. The values shown here "
        words += f"are {there} {'this' if len(made) == 1 else 'these'}."
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f":material/build: {words}", width="content")
        if st.button(
            "Open the Repair page",
            key="to repairs",
            type="tertiary",
            icon=":material/arrow_forward:",
            help="All changes are listed there, to be undone, or valued anew.",
        ):
            state.goto("repair")


def store(row: int, texts: Mapping[str, str], reason: str) -> None:
    """Keep changes as repairs; what the file holds anyway needs none."""
    table = state.original()
    assert table is not None
    at = table.position(row)
    for name, text in texts.items():
        if text.strip() == str(table.cells[name].iat[at]).strip():
            state.undo(row, name)
        elif text.strip():
            state.repair(row, name, Repair("replace", text, reason))
        else:
            state.repair(row, name, Repair("blank", reason=reason))


def is_stored(row: int, texts: Mapping[str, str]) -> bool:
    """Does the repaired table hold these texts?"""
    table, made = state.original(), state.repairs()
    assert table is not None
    held = table.cells.iloc[table.position(row)]
    return all(
        (made[row, name].text if (row, name) in made else str(held[name])).strip()
        == text.strip()
        for name, text in texts.items()
    )


def test_table() -> Table | None:
    """The test table of the run; held-out rows are known from its values."""
    run = state.job()
    test = run.options.get("test") if run else None
    return test if isinstance(test, Table) else None


def _signed(unit: Unit, value: float) -> str:
    return f"+{unit.number(value)}" if value > 0 else unit.number(value)


@st.fragment
def what_if(table: Table, values: CellValues, index: int) -> None:
    """Edit the row; its value and waterfall then, beside those now."""
    row = int(table.row_numbers[index])
    st.markdown(
        "##### What if?",
        help="Try other texts in any cell, or another label: nothing is changed until "
        f"you keep it. {ROW_HELP}",
    )
    left, right = st.columns([3, 2])
    with left:
        _editor(table, index)
    changes = edits_of(table, index)
    with right:
        _label_box(table, index)
        said = st.container()
    if not changes:
        said.caption(
            "Type into “new text”, or choose another label: the row's new value and "
            "waterfall show here beside the old ones. Empty counts as missing."
        )
        return
    unit = views.value_view(values).row_unit
    try:
        answer = _answer(table, values, index, tuple(changes.items()), test_table())
    except InputError as error:
        with said:
            st.error(plain(str(error)), icon=":material/error:")
            _reset_button(row)
        return
    with said:
        st.markdown(_outcome(answer, unit))
        _keep_or_reset(row, changes, answer, unit)
        st.caption(plain(answer.note))
    _side_by_side(answer, unit)


def edits_of(table: Table, index: int) -> dict[str, str]:
    """Texts that are tried out in this row and differ from what it holds."""
    tried = state.edits(int(table.row_numbers[index])).texts
    held = table.cells.iloc[index]
    return {
        name: text
        for name, text in tried.items()
        if name in held and text.strip() != str(held[name]).strip()
    }


@lru_cache(maxsize=8)
def _answer(
    table: Table,
    values: CellValues,
    index: int,
    changes: tuple[tuple[str, str], ...],
    test: Table | None,
) -> whatif.WhatIf:
    return whatif.what_if(
        table, values, index, dict(changes), test=test, seconds=SECONDS
    )


def _editor(table: Table, index: int) -> None:
    """One line per column; edits are collected by column, not by line."""
    row = int(table.row_numbers[index])
    tried = state.edits(row)
    key = view_key("what if", table.fingerprint[:12], row, tried.version)
    if key not in st.session_state:  # opened now, or again
        tried.begun = dict(tried.texts)
    held = [str(table.cells[name].iat[index]) for name in table.feature_names]
    new = [
        tried.begun.get(name, text)
        for name, text in zip(table.feature_names, held, strict=True)
    ]
    text = st.column_config.TextColumn
    st.data_editor(
        pd.DataFrame({"column": table.feature_names, "now": held, "new": new}),
        key=key,
        hide_index=True,
        height="content" if len(held) <= MOST_LINES else 36 * (MOST_LINES + 1),
        disabled=["column", "now"],
        column_config={
            "column": text("column"),
            "now": text("now", help="What the row holds as it is shown here."),
            "new": text(
                "new text",
                help="Double-click and type. Empty counts as missing.",
            ),
        },
        on_change=_take_edits,
        args=(table, index, key),
        alt="The cells of the row, to be edited",
    )


def _take_edits(table: Table, index: int, key: str) -> None:
    take(table, index, st.session_state[key]["edited_rows"])


def take(table: Table, index: int, edited: Mapping[int, Mapping[str, Any]]) -> None:
    """Remember edited lines; say so where a text cannot be read."""
    tried = state.edits(int(table.row_numbers[index]))
    changed = {table.feature_names[int(line)] for line in edited}
    for name in set(tried.texts) & set(table.feature_names) - changed:
        del tried.texts[name]  # typed back to what the editor began with
        if name in tried.begun:
            tried.texts[name] = tried.begun[name]
    for line, change in edited.items():
        name, text = table.feature_names[int(line)], str(change.get("new") or "")
        if tried.texts.get(name) == text:
            continue
        tried.texts[name] = text
        try:
            read = table.read_texts(name, [text])
        except InputError:  # an infinite number: the answer below says so
            continue
        if text.strip() and read.missing[0]:
            st.toast(
                f"{plain(content(text))} cannot be read as a {read.kind} for "
                f"{plain(content(name, 24))}: it counts as missing."
            )


def _label_box(table: Table, index: int) -> None:
    row = int(table.row_numbers[index])
    tried = state.edits(row)
    now = table.classes[int(table.y[index])]
    chosen = tried.begun.get(table.label, now)
    key = view_key("what if label", table.fingerprint[:12], row, tried.version)
    st.selectbox(
        f"Label: {plain(content(table.label, 24))}",
        table.classes,
        index=table.classes.index(chosen if chosen in table.classes else now),
        format_func=lambda name: content(name) + " (now)" * (name == now),
        key=key,
        on_change=_take_label,
        args=(table, row, key),
        help="The class of the row. Another one changes what it speaks for.",
    )


def _take_label(table: Table, row: int, key: str) -> None:
    state.edits(row).texts[table.label] = st.session_state[key]


def _outcome(answer: whatif.WhatIf, unit: Unit) -> str:
    """Before, after and the difference in words (Markdown)."""
    gain, stderr = answer.gain, answer.gain_stderr
    if not np.isfinite(stderr):
        verdict = "how sure this is cannot be said"
    elif max(abs(gain), stderr) < 0.5 * 10.0**-unit.decimals / unit.factor:
        verdict = "none that would show"
    elif abs(gain) <= SURE * stderr:
        verdict = "within two standard errors, so no clear difference"
    else:
        verdict = "clearly better" if gain > 0 else "clearly worse"
    error = f" ± {unit.number(stderr)}" if np.isfinite(stderr) else ""
    return (
        f"The row's value would go from "
        f"**{unit.with_error(answer.before_total, answer.before_stderr)}** to "
        f"**{unit.with_error(answer.after_total, answer.after_stderr)}** of accuracy. "
        f"Difference: **{_signed(unit, gain)}{error} {unit.name}**, {verdict}."
    )


def _keep_or_reset(
    row: int, changes: dict[str, str], answer: whatif.WhatIf, unit: Unit
) -> None:
    if is_stored(row, changes):
        n = "a repair" if len(changes) == 1 else f"{len(changes):,} repairs"
        st.markdown(f":material/check: Kept as {n}. Undo: Repair page.")
        _reset_button(row)
        return
    with st.container(horizontal=True):
        if st.button(
            "Keep as repair" if len(changes) == 1 else "Keep as repairs",
            key="keep edits",
            type="primary",
            icon=":material/build:",
            disabled=(row, "") in state.repairs(),
            help=f"Writes {counted(len(changes), 'edit')} into the repaired table. "
            "Your file stays as it is, and the Repair page undoes it.",
        ):
            reason = (
                "Tried out: the row's value would go from "
                f"{unit.text(answer.before_total)} to {unit.text(answer.after_total)}."
            )
            store(row, changes, reason)
            st.rerun()
        _reset_button(row)


def _reset_button(row: int) -> None:
    st.button(
        "Reset",
        key="reset edits",
        icon=":material/restart_alt:",
        on_click=state.reset_edits,
        args=(row,),
        help="Empties the edits: the editor shows the row as it is. Repairs stay.",
    )


def _side_by_side(answer: whatif.WhatIf, unit: Unit) -> None:
    """Both waterfalls on one scale."""
    sides = {
        "Now": (answer.before, answer.before_total),
        "After the change": (answer.after, answer.after_total),
    }
    limits = [
        figures.running_limits(figures.folded(lines)["value"].to_numpy(), total)
        for lines, total in sides.values()
    ]
    shared = min(low for low, _ in limits), max(high for _, high in limits)
    for place, (title, (lines, total)) in zip(
        st.columns(2), sides.items(), strict=True
    ):
        with place:
            st.markdown(f"**{title}: {unit.text(total)}**", help=ROW_HELP)
            chart(
                figures.waterfall(lines, total, unit, limits=shared),
                f"what if {title}",
                f"Waterfall of the row: {title}",
            )
