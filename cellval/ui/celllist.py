"""The inspection list: which cells, how they look, decisions on many at once."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from cellval import places, rankings, views
from cellval.repair import Repair
from cellval.suggestions import best_texts
from cellval.surprise import Surprise
from cellval.suspicion import Suspicion, reasons
from cellval.table import Table
from cellval.ui import state
from cellval.ui.components import brief_name, kept, row_column
from cellval.values import CellValues
from cellval.wording import RANK_HELP, STDERR_HELP, VALUE_HELP, WITHIN_HELP, brief

MOST = 5000
UNDECIDED = "not decided"


class Wanted(NamedTuple):
    """Which cells a person wants to see."""

    by: str  # key of RANKINGS
    k: int | None  # None: the usual number
    columns: tuple[str, ...]
    classes: tuple[str, ...]
    decisions: tuple[str, ...]
    with_codes: bool


class Lines(NamedTuple):
    """The lines of the list, before those of some decisions are taken."""

    frame: pd.DataFrame
    by: str  # key of RANKINGS that was used; see rankings.ranking
    n_rule: int | None  # so many of the lines the rule flags


def controls(
    table: Table, values: CellValues, about: Suspicion | None, is_list: bool
) -> Wanted:
    """The widgets above the list; the map has those that fit."""
    by, k, decisions = "suspicion", None, []
    places = st.columns([3, 2, 3, 3, 3], vertical_alignment="bottom")
    if is_list:
        with places.pop(0):
            by = st.selectbox(
                "Ranked by",
                list(rankings.RANKINGS),
                format_func=lambda key: rankings.RANKINGS[key],
                key=kept("list ranked by", "suspicion", rankings.RANKINGS),
                persist_state="session",
                on_change=_usual_number,
                help=f"Suspicion: surprising cells first, more so if they hurt. Value: "
                f"what hurts most. {WITHIN_HELP}",
            )
        with places.pop(0):
            k = _how_many(table, values, about, by)
    with places.pop(0):
        columns = st.multiselect(
            "Columns",
            values.column_names,
            key=kept("list columns", []),
            persist_state="session",
            placeholder="all columns",
            help="Cells of these columns only.",
        )
    with places.pop(0):
        classes = st.multiselect(
            f"Only {brief(table.label, 20)}",
            table.classes,
            key=kept("list classes", []),
            persist_state="session",
            placeholder="all classes",
            help="Cells of rows of these classes only.",
        )
    with places.pop(0):
        if is_list:
            decisions = st.multiselect(
                "Decisions",
                (UNDECIDED, *state.DECISIONS),
                key=kept("list decisions", []),
                persist_state="session",
                placeholder="all decisions",
                help="Of the cells in the list, those with these decisions.",
            )
        with_codes = not _leave_out_codes(about)
    return Wanted(
        by, k, tuple(columns), tuple(classes), tuple(decisions), with_codes
    )


def _how_many(
    table: Table, values: CellValues, about: Suspicion | None, by: str
) -> int | None:
    most = min(MOST, values.values.size)
    k = st.number_input(
        "How many cells",
        min_value=1,
        max_value=most,
        value=None,
        step=10,
        key=kept("list how many", None),
        persist_state="session",
        placeholder="as usual",
        help=f"The {rankings.WORST[by]} cells to inspect, up to {most:,}. Empty: "
        f"{USUAL}, or more if the rule flags more.",
    )
    return None if k is None else int(k)


def _usual_number() -> None:
    st.session_state[state.widget_key("list how many")] = None


def _leave_out_codes(about: Suspicion | None) -> bool:
    if about is None or not about.surprise.placeholders:
        return False
    return st.toggle(
        'Leave out codes for "missing"',
        key=kept("list without codes", True),
        persist_state="session",
        help="One code can fill the list with hundreds of lines. Decide on all its "
        "cells at once in the line above.",
    )


def wanted_cells(
    table: Table, values: CellValues, about: Suspicion | None, wanted: Wanted
) -> np.ndarray:
    """Which cells pass the filters; bool, (n_rows, n_columns)."""
    keep = np.ones(values.values.shape, bool)
    if wanted.columns:
        keep &= np.isin(values.column_names, wanted.columns)[None, :]
    if wanted.classes:
        keep &= np.isin(values.labels, wanted.classes)[:, None]
    if about is not None and not wanted.with_codes:
        keep &= ~rankings.holds_code(table, about)
    return keep


def lines(
    table: Table, values: CellValues, about: Suspicion | None, wanted: Wanted
) -> Lines:
    """The worst cells that pass the filters, before decisions."""
    ranked = rankings.ranking(values, about, wanted.by)
    keep = wanted_cells(table, values, about, wanted).ravel()
    at = np.flatnonzero(keep[ranked.order])
    n_rule = None if ranked.n_rule is None else int((at < ranked.n_rule).sum())
    at = at[: wanted.k or min(MOST, max(USUAL, n_rule or 0))]
    if n_rule is not None:
        n_rule = min(n_rule, at.size)
    frame = _frame(table, values, about, ranked.order[at], at + 1)
    return Lines(frame, ranked.by, n_rule)


def _frame(
    table: Table,
    values: CellValues,
    about: Suspicion | None,
    cells: np.ndarray,
    ranks: np.ndarray,
) -> pd.DataFrame:
    row, column = np.unravel_index(cells, values.values.shape)
    names = np.array(values.column_names, object)[column]
    numbers = values.row_numbers[row]
    known: dict[str, Any] = {
        "index": row,
        "rank": ranks,
        "row": numbers,
        "id": [values.ids[i] for i in row],
        "column": names,
        "content": _contents(values, row, column),
    }
    if about is not None:
        known["suspicion"] = about.suspicion[row, column]
        known["surprise"] = about.surprise.surprise[row, column].astype(float)
    known["value"] = values.values[row, column]
    known["stderr"] = values.stderr[row, column]
    if about is not None:
        known["reason"] = reasons(about, row, column)
        known["suggestion"] = _suggested(table, about, cells)
    where = list(zip(numbers.tolist(), names, strict=True))
    decided = state.all_decisions()
    known["decision"] = [decided.get(cell, "") for cell in where]
    repairs = state.repairs()
    known["repair"] = [_repair_text(repairs, *cell) for cell in where]
    known["class"] = [values.labels[i] for i in row]
    if about is None:
        usual = places.usual_ranges(table)
        pairs = zip(names, known["class"], strict=True)
        known["usual"] = [usual[pair] for pair in pairs]
    return pd.DataFrame(known)


def _contents(
    values: CellValues, row: np.ndarray, column: np.ndarray
) -> np.ndarray:
    """Column by column: the texts of a whole table are many."""
    texts = np.empty(row.size, object)
    for j in np.unique(column):
        own = column == j
        found = values.cells.iloc[row[own], j]
        texts[own] = [brief(text, 80) for text in found]
    return texts


@lru_cache(maxsize=4)
def _suggestions(table: Table, found: Surprise) -> dict[int, str]:
    """Suggestions that are known by flat position: each takes some milliseconds."""
    return {}


def _suggested(table: Table, about: Suspicion, cells: np.ndarray) -> list[str]:
    known = _suggestions(table, about.surprise)
    new = np.array([cell for cell in cells.tolist() if cell not in known], int)
    if new.size:
        row, column = np.unravel_index(new, about.suspicion.shape)
        with st.spinner("Looking for what should have been there ..."):
            texts = best_texts(table, about.surprise, row, column)
        known.update(zip(new.tolist(), texts, strict=True))
    return [known[cell] for cell in cells.tolist()]


def _repair_text(
    repairs: Mapping[tuple[int, str], Repair], row: int, column: str
) -> str:
    """What a cell will hold; empty if it stays as it is."""
    if (row, "") in repairs:
        return "(row dropped)"
    found = repairs.get((row, column))
    return "" if found is None else content(found.text, 80)


def with_decisions(frame: pd.DataFrame, wanted: Wanted) -> pd.DataFrame:
    """Lines whose decision is wanted; all if none is named."""
    if not wanted.decisions:
        return frame
    names = frame["decision"].replace("", UNDECIDED)
    return frame[names.isin(wanted.decisions)].reset_index(drop=True)


def draw(frame: pd.DataFrame, table: Table, values: CellValues, key: str) -> list[int]:
    """The list; a click anywhere opens the cell, boxes choose many. Chosen lines."""
    unit = views.derived(values).unit
    shown = frame.drop(columns=["index"] + ["id"] * (table.id_column is None))
    shown["value"] *= unit.factor
    shown["stderr"] *= unit.factor
    number: Any = st.column_config.NumberColumn
    text: Any = st.column_config.TextColumn
    event = st.dataframe(
        shown,
        key=key,
        hide_index=True,
        height=min(640, 38 + 35 * max(len(shown), 3)),
        on_select=lambda: _open(frame, key),
        selection_mode=["multi-row", "single-cell"],
        column_config={
            "rank": number("rank", format="localized", width=50, help=RANK_HELP),
            "row": row_column(),
            "id": text(brief_name(table.id_column or "id"), width="small"),
            "column": text("column", width=100),
            "content": text(
                "content", width=110, help="The cell as it is in the file."
            ),
            "value": number(
                f"value ({unit.name})",
                format=f"%.{unit.decimals}f",
                width=80,
                help=VALUE_HELP,
            ),
            "stderr": number(
                "± error", format=f"%.{unit.decimals}f", width=65, help=STDERR_HELP
            ),
            "class": text(brief_name(table.label), help="The label of the row."),
            "usual": text(
                "usual in class",
                help="Where nine in ten cells of this column lie in rows of this "
                "class, or the most common contents.",
            ),
            "decision": text("decision", width=75, help="Set it beside or below."),
        },
        alt="The lowest cells",
    )
    return [line for line in event["selection"]["rows"] if line < len(frame)]


def _open(frame: pd.DataFrame, key: str) -> None:
    selection = st.session_state[key]["selection"]
    lines = [line for line, _ in selection["cells"]] or selection["rows"][-1:]
    if lines and lines[-1] < len(frame):
        line = frame.iloc[lines[-1]]
        state.select_cell(int(line["index"]), str(line["column"]))


def decide(frame: pd.DataFrame, decision: str | None) -> None:
    """The same decision for all these lines."""
    for row, column in zip(frame["row"], frame["column"], strict=True):
        state.decide(int(row), str(column), decision)


def flag_lowest(frame: pd.DataFrame, k: int) -> None:
    """Flag the first k lines as errors; what was decided stays."""
    lines = frame.iloc[:k]
    new = lines[lines["decision"] == ""]
    decide(new, "error")
    st.toast(
        f"{len(new):,} cells flagged; {len(lines) - len(new):,} were decided before."
    )


def mark_buttons(chosen: pd.DataFrame) -> None:
    """Decide on the ticked lines."""
    n = len(chosen)
    words = {
        "error": "Mark as error",
        "fine": "Mark as fine",
        "unsure": "Mark as unsure",
        None: "Clear",
    }
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(
            f"{n:,} lines ticked" if n != 1 else "1 line ticked", width="content"
        )
        for decision, label in words.items():
            st.button(
                label,
                key=f"list mark {decision}",
                disabled=n == 0,
                on_click=decide,
                args=(chosen, decision),
                help="For all lines ticked in the list."
                if decision
                else "Take back the decisions on all ticked lines.",
            )


def progress(frame: pd.DataFrame) -> None:
    """How much of the list was looked at."""
    n, done = len(frame), int((frame["decision"] != "").sum())
    counts = frame["decision"].value_counts()
    parts = [f"{counts[d]:,} {d}" for d in state.DECISIONS if d in counts]
    more = f" ({', '.join(parts)})" if parts else ""
    st.progress(done / max(n, 1), text=f"{done:,} of {n:,} inspected{more}")
