"""Label or cell: which single change would help a row most, and one click for it."""

from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from cellval.detect.suggestions import suggest_many
from cellval.detect.surprise import Surprise
from cellval.detect.suspicion import SURPRISING, Suspicion
from cellval.errors import InputError
from cellval.glossary import ROW_HELP
from cellval.stats import SURE
from cellval.table.table import Table
from cellval.ui import session as state
from cellval.ui.sample.row import lowest_rows
from cellval.ui.sample.what_if import is_stored, store, test_table
from cellval.ui.text import plain
from cellval.ui.widgets import kept
from cellval.values.result import CellValues
from cellval.values.words import Unit
from cellval.views import value_view as views
from cellval.whatif import questions as whatif

MOST_CELLS = 5

GAIN_HELP = (
    "How much the row's value would rise by this change alone. Below 0 the change "
    "makes it worse."
)
GAIN_ERROR_HELP = (
    "Standard error of the gain. A gain of more than two standard errors is clear."
)


def label_or_cell(table: Table, values: CellValues, index: int) -> None:
    """Which single change would help the row most; at once where its value is low."""
    suspicion = state.suspicion()
    st.markdown(
        "##### Label or cell?",
        help="A row of low value may have a wrong label or a wrong cell, or be a hard "
        "case. Each single change is tried: every other label, and what each "
        f"suspicious cell should have been. {ROW_HELP}",
    )
    if not is_low(values, suspicion, index):
        st.caption("This row's value is not low, and none of its cells is flagged.")
        if not st.toggle(
            "Try other labels and suggestions",
            key=kept("try labels", False),
            persist_state="session",
            help="Shows what each single change would do to this row all the same.",
        ):
            return
    options = suggestions(table, suspicion, index)
    changes = tuple(tuple(texts.items()) for texts, _ in options)
    try:
        found = _compared(table, values, index, changes, test_table())
    except InputError as error:
        st.warning(plain(str(error)), icon=":material/warning:")
        return
    left, right = st.columns([3, 2])
    with left:
        _changes_table(found, views.value_view(values).row_unit)
    with right, st.container(border=True):
        st.markdown(plain(found.verdict))
        _apply_button(table, index, found, options, views.value_view(values).row_unit)
        for note in (_missing_words(table, suspicion, options, index), found.note):
            if note:
                st.caption(plain(note))


def is_low(values: CellValues, suspicion: Suspicion | None, index: int) -> bool:
    """Clearly below zero, among the lowest rows, or with a flagged cell."""
    if values.row_values[index] < -SURE * values.row_stderr[index]:
        return True
    if suspicion is not None and (suspicion.ranks[index] <= suspicion.n_flagged).any():
        return True
    row = int(values.row_numbers[index])
    decided = state.all_decisions().items()
    return index in lowest_rows(values) or any(
        number == row and what == "error" for (number, _), what in decided
    )


def suggestions(
    table: Table, suspicion: Suspicion | None, index: int
) -> list[tuple[dict[str, str], str]]:
    """For each suspicious cell of the row: what should stand there, and why.

    A swap changes two cells, and is one change.
    """
    if suspicion is None or index >= len(suspicion.scores):
        return []
    odd = np.flatnonzero(suspicion.surprise.surprise[index] < SURPRISING)
    odd = odd[np.argsort(suspicion.scores[index, odd], kind="stable")][:MOST_CELLS]
    cells = tuple((index, int(j)) for j in odd)
    found: dict[frozenset[tuple[str, str]], tuple[dict[str, str], str]] = {}
    for (_, j), options in zip(
        cells, _suggested(table, suspicion.surprise, cells), strict=True
    ):
        if options:
            best = options[0]
            texts = {table.feature_names[j]: best.text, **dict(best.also)}
            found.setdefault(frozenset(texts.items()), (texts, best.why))
    return list(found.values())


@lru_cache(maxsize=64)
def _suggested(
    table: Table, found: Surprise, cells: tuple[tuple[int, int], ...]
) -> Any:
    return suggest_many(table, found, cells)


# Kept: a page is drawn again on every click.
@lru_cache(maxsize=16)
def _compared(
    table: Table,
    values: CellValues,
    index: int,
    changes: tuple[tuple[tuple[str, str], ...], ...],
    test: Table | None,
) -> whatif.LabelOrCell:
    unit = views.value_view(values).row_unit
    cells = {texts[0][0]: dict(texts) for texts in changes}
    return whatif.label_or_cell(table, values, index, cells, test, unit=unit)


def _changes_table(found: whatif.LabelOrCell, unit: Unit) -> None:
    """The row as it is, then every change, the best one first."""
    lines = found.frame().sort_values("gain", ascending=False, kind="stable")
    frame = pd.DataFrame(
        {
            "change": ["as it is", *lines["change"]],
            "value": np.append(found.now, lines["value"]) * unit.factor,
            "gain": np.append(np.nan, lines["gain"]) * unit.factor,
            "stderr": np.append(np.nan, lines["stderr"]) * unit.factor,
        }
    )
    number, size = st.column_config.NumberColumn, f".{unit.decimals}f"
    st.dataframe(
        frame,
        hide_index=True,
        height="content",
        placeholder="–",
        column_config={
            "change": st.column_config.TextColumn("change", width="medium"),
            "value": number(
                f"row value ({unit.name})", format=f"%{size}", help=ROW_HELP
            ),
            "gain": number(f"gain ({unit.name})", format=f"%+{size}", help=GAIN_HELP),
            "stderr": number(
                f"± ({unit.name})", format=f"%{size}", help=GAIN_ERROR_HELP
            ),
        },
        alt="The row's value as it is and after each single change",
    )


def _apply_button(
    table: Table,
    index: int,
    found: whatif.LabelOrCell,
    options: list[tuple[dict[str, str], str]],
    unit: Unit,
) -> None:
    """For the change that helps most, if one does."""
    lines = found.changes
    if lines.empty or not lines["gain"].max() > 0:
        return
    at = int(lines["gain"].argmax())
    best, n_labels = lines.iloc[at], len(lines) - len(options)
    if at < n_labels:
        texts = {table.label: str(best["after"])}
        reason = (
            f"With this label the row's value would rise from {unit.text(found.now)} "
            f"to {unit.text(best['value'])}, more than by any other single change."
        )
    else:
        texts, reason = options[at - n_labels]
    if is_stored(found.row, texts):
        st.markdown(":material/check: This repair is applied. Undo: Repair page.")
        return
    is_clear = best["gain"] > SURE * best["stderr"]
    st.button(
        "Apply this repair",
        key="apply best",
        icon=":material/build:",
        type="primary" if is_clear else "secondary",
        disabled=(found.row, "") in state.repairs(),
        on_click=store,
        args=(found.row, texts, reason),
        help=f"Writes {plain(best['change'])} into the repaired table. Your file stays "
        "as it is, and the Repair page undoes it.",
    )


def _missing_words(
    table: Table,
    suspicion: Suspicion | None,
    options: list[tuple[dict[str, str], str]],
    index: int,
) -> str:
    """What was not tried, and why."""
    words = []
    run = state.job()
    if suspicion is None and run is not None and run.active:
        words.append("Only labels so far: cells are still being compared.")
    elif suspicion is None:
        words.append("Only labels: cells could not be compared with each other.")
    elif not options:
        words.append("No cell of this row is suspicious, so only labels are tried.")
    if len(table.classes) - 1 > whatif.MOST_LABELS:
        words.append(f"Of the other labels, the {whatif.MOST_LABELS} commonest.")
    if run is not None and run.active:
        words.append("The run goes on, so the value above may still differ from this.")
    return " ".join(words)
