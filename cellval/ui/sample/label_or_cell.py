"""Label or cell: which single change would help a row most, and one click for it."""

import numpy as np
import pandas as pd
import streamlit as st

from cellval.errors import InputError
from cellval.glossary import ROW_HELP
from cellval.kept import kept
from cellval.stats import is_clear
from cellval.table.table import Table
from cellval.text import short_name
from cellval.ui import tables
from cellval.ui.sample.what_if import (
    Texts,
    is_stored,
    store_button,
    stored_line,
    tested_on,
)
from cellval.ui.session import Session, Shown
from cellval.ui.text import plain
from cellval.ui.widgets import lasting
from cellval.values.result import CellValues
from cellval.values.words import Unit
from cellval.views.row_detail import is_low, row_suggestions
from cellval.views.value_view import value_view
from cellval.whatif.questions import MOST_LABELS, LabelOrCell, label_or_cell

GAIN_HELP = (
    "How much the row's value would rise by this change alone. Below 0 the change "
    "makes it worse."
)
GAIN_ERROR_HELP = (
    "Standard error of the gain. A gain of more than two standard errors is clear."
)
Suggested = list[tuple[dict[str, str], str]]  # new texts by column, and why


def show_label_or_cell(shown: Shown, position: int) -> None:
    """Which single change would help the row most; at once where its value is low."""
    session, table, values, suspicion = shown
    row_number = int(table.row_numbers[position])
    st.markdown(
        "##### Label or cell?",
        help="A row of low value may have a wrong label or a wrong cell, or be a hard "
        "case. Each single change is tried: every other label, and what each "
        f"odd cell should have been. {ROW_HELP}",
    )
    flagged = any(
        row == row_number and decision == "error"
        for (row, _), decision in dict(session.file.decisions).items()
    )
    if not flagged and not is_low(values, shown.after_answers, position):
        st.caption(
            "This row's value is not low, and none of its cells is a suspect or "
            "flagged."
        )
        if not st.toggle(
            "Try other labels and suggestions",
            **lasting(session, "try labels", False),
            help="Shows what each single change would do to this row all the same.",
        ):
            return
    options = row_suggestions(table, suspicion, position)
    changes = tuple(tuple(texts.items()) for texts, _ in options)
    try:
        found = _compared(values, table, row_number, changes, tested_on(session))
    except InputError as fault:
        st.warning(plain(str(fault)), icon=":material/warning:")
        return
    left, right = st.columns([3, 2])
    with left:
        _changes_table(found, shown.row_unit)
    with right, st.container(border=True):
        st.markdown(plain(found.verdict))
        _apply_buttons(shown, found, options)
        for note in (_not_tried(shown, options), found.note):
            if note:
                st.caption(plain(note))


# Kept: a page is drawn again on every click.
@kept(8)
def _compared(
    values: CellValues,
    table: Table,
    row_number: int,
    changes: tuple[Texts, ...],
    test: Table | None,
) -> LabelOrCell:
    unit = value_view(values).row_unit
    cells = {texts[0][0]: dict(texts) for texts in changes}
    return label_or_cell(table, values, row_number, cells, test=test, unit=unit)


def _changes_table(found: LabelOrCell, unit: Unit) -> None:
    """The row as it is, then every change, the best one first."""
    lines = found.frame().sort_values("gain", ascending=False, kind="stable")
    frame = pd.DataFrame(
        {
            "change": ["as it is", *(short_name(text, 36) for text in lines["change"])],
            "value": np.append(found.now, lines["value"]) * unit.factor,
            "gain": np.append(np.nan, lines["gain"]) * unit.factor,
            "stderr": np.append(np.nan, lines["stderr"]) * unit.factor,
        }
    )
    name, digits, number = unit.name, unit.decimals, tables.number
    tables.draw(
        frame,
        "The row's value as it is and after each single change",
        {
            "change": tables.text(width=240),
            "value": number(f"row value ({name})", digits, help=ROW_HELP),
            "gain": number(f"gain ({name})", f"%+.{digits}f", help=GAIN_HELP),
            "stderr": number(f"± ({name})", digits, help=GAIN_ERROR_HELP),
        },
    )


def _apply_buttons(shown: Shown, found: LabelOrCell, options: Suggested) -> None:
    """For the cell that helps most, if one does; then for a label that helps more."""
    lines, unit = found.changes, shown.row_unit
    n_labels = len(lines) - len(options)
    labels, cells = lines.iloc[:n_labels], lines.iloc[n_labels:]
    is_label = max([0.0, *labels["gain"]]) > max([0.0, *cells["gain"]])
    if len(cells) and cells["gain"].max() > 0:
        at = int(cells["gain"].argmax())
        change, gain, stderr = cells.iloc[at][["change", "gain", "stderr"]]
        words = f"Rather {plain(change)}" if is_label else "Apply this repair"
        look = {"key": "apply best", "label": words}
        clear = is_clear(gain, stderr) and not is_label
        _apply(shown.session, found.row_number, *options[at], look, clear)
    if is_label:
        best = labels.iloc[int(labels["gain"].argmax())]
        texts = {shown.table.label: str(best["after"])}
        reason = (
            f"With this label the row's value would rise from {unit.text(found.now)} "
            f"to {unit.text(best['value'])}, more than by any other single change."
        )
        look = {"key": "apply label", "label": "Change the label"}
        _apply(shown.session, found.row_number, texts, reason, look, False)


def _apply(
    session: Session,
    row_number: int,
    texts: dict[str, str],
    reason: str,
    look: dict[str, str],
    clear: bool,
) -> None:
    if is_stored(session, row_number, texts):
        words = "This repair is applied."
        stored_line(session, row_number, texts, words, f"undo {look['key']}")
    else:
        store_button(session, row_number, texts, reason, **look, is_clear=clear)


def _not_tried(shown: Shown, options: Suggested) -> str:
    """What was not tried, and why."""
    words, run = [], shown.session.run
    goes_on = run is not None and run.active
    if shown.suspicion is None and goes_on:
        words.append("Only labels so far: cells are still being compared.")
    elif shown.suspicion is None:
        words.append("Only labels: cells could not be compared with each other.")
    elif not options:
        words.append("No cell of this row is odd, so only labels are tried.")
    if len(shown.table.classes) - 1 > MOST_LABELS:
        words.append(f"Of the other labels, the {MOST_LABELS} commonest.")
    if goes_on:
        words.append("The run goes on, so the value above may still differ from this.")
    return " ".join(words)
