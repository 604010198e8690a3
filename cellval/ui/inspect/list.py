"""The inspection list: filters, how it looks, decisions on many cells at once."""

from typing import Any

import pandas as pd
import streamlit as st

from cellval.detect.suspicion import Suspicion
from cellval.glossary import (
    RANK_HELP,
    STDERR_HELP,
    SURPRISE_HELP,
    SUSPICION_HELP,
    VALUE_HELP,
    WITHIN_HELP,
)
from cellval.table.table import Table
from cellval.text import brief
from cellval.ui import session as state
from cellval.ui.inspect.lines import MOST, USUAL, Lines, Wanted, usual_number
from cellval.ui.widgets import brief_name, kept, row_column
from cellval.values.result import CellValues
from cellval.values.words import Unit
from cellval.views import rankings
from cellval.views import value_view as views

UNDECIDED = "not decided"
# What to do comes before numbers: narrow screens show the first columns only.
SHOWN = [
    *("rank", "row", "id", "column", "content", "suggestion", "suspicion"),
    *("decision", "repair", "reason", "surprise", "value", "stderr", "class", "usual"),
]


def controls(
    table: Table, values: CellValues, suspicion: Suspicion | None, is_list: bool
) -> Wanted:
    """The widgets above the list; the map has those that fit."""
    by: str = "suspicion"
    decisions: list[str] = []
    one, two, *rest = st.columns([3, 2, 3, 3, 3], vertical_alignment="bottom")
    three, four, five = rest if is_list else (one, two, rest[0])
    if is_list:
        with one:
            by = st.selectbox(
                "Ranked by",
                list(rankings.RANKINGS),
                format_func=lambda key: rankings.RANKINGS[key],
                key=kept("list ranked by", "suspicion", rankings.RANKINGS),
                persist_state="session",
                on_change=_usual_number,
                help="Suspicion: surprising cells first, more so if they hurt. Value: "
                f"what hurts most. {WITHIN_HELP}",
            )
    with three:
        columns = st.multiselect(
            "Columns",
            values.column_names,
            key=kept("list columns", []),
            persist_state="session",
            placeholder="all columns",
            help="Cells of these columns only.",
        )
    with four:
        classes = st.multiselect(
            f"Only {brief(table.label, 20)}",
            table.classes,
            key=kept("list classes", []),
            persist_state="session",
            placeholder="all classes",
            help="Cells of rows of these classes only.",
        )
    if is_list:
        with five:
            decisions = st.multiselect(
                "Decisions",
                (UNDECIDED, *state.DECISIONS),
                key=kept("list decisions", []),
                persist_state="session",
                placeholder="all decisions",
                help="Of the cells in the list, those with these decisions.",
            )
    codes = suspicion.surprise.placeholders if suspicion else ()
    left_out = bool(codes) and st.toggle(
        'Leave out codes for "missing"',
        key=kept("list without codes", True),
        persist_state="session",
        help="One code can fill the list with hundreds of lines. Decide on all its "
        "cells at once in the line above.",
    )
    chosen = (tuple(columns), tuple(classes), tuple(decisions), not left_out)
    wanted = Wanted(by, None, *chosen)
    if not is_list:
        return wanted
    with two:
        usual = usual_number(table, values, suspicion, wanted)
        return Wanted(by, _how_many(values, by, usual), *chosen)


def _how_many(values: CellValues, by: str, usual: int) -> int | None:
    most = min(MOST, values.values.size)
    k = st.number_input(
        "How many cells",
        min_value=1,
        max_value=most,
        value=None,
        step=10,
        key=kept("list how many", None, range(1, most + 1)),
        persist_state="session",
        placeholder=f"{usual:,} by default",
        help=f"The {rankings.WORST[by]} cells to inspect, up to {most:,}. Empty: "
        f"{USUAL}, or as many as the rule flags if these are more.",
    )
    return None if k is None else int(k)


def _usual_number() -> None:
    st.session_state[state.widget_key("list how many")] = None


def with_decisions(frame: pd.DataFrame, wanted: Wanted) -> pd.DataFrame:
    """Lines whose decision is wanted; all if none is named."""
    if not wanted.decisions:
        return frame
    names = frame["decision"].replace("", UNDECIDED)
    return frame[names.isin(wanted.decisions)].reset_index(drop=True)


def draw(frame: pd.DataFrame, table: Table, values: CellValues, key: str) -> list[int]:
    """The list; a click anywhere opens the cell, boxes choose many. Chosen lines."""
    unit = views.value_view(values).unit
    hidden = {"id"} if table.id_column is None else set()
    if not frame["repair"].any():
        hidden.add("repair")
    shown = frame[[name for name in SHOWN if name in frame and name not in hidden]]
    shown = shown.copy()
    shown["value"] *= unit.factor
    shown["stderr"] *= unit.factor
    event = st.dataframe(
        shown,
        key=key,
        hide_index=True,
        height=min(640, 38 + 35 * max(len(shown), 3)),
        on_select=lambda: _open(frame, key),
        selection_mode=["multi-row", "single-cell"],
        column_config=_columns(table, unit),
        alt="The cells to inspect, worst first",
    )
    return [line for line in event["selection"]["rows"] if line < len(frame)]


def _columns(table: Table, unit: Unit) -> Any:
    number: Any = st.column_config.NumberColumn
    text: Any = st.column_config.TextColumn
    decimals = f"%.{unit.decimals}f"
    return {
        "rank": number("rank", format="localized", width=50, help=RANK_HELP),
        "row": row_column(),
        "id": text(brief_name(table.id_column or "id"), width="small"),
        "column": text("column", width=100),
        "content": text("content", width=100, help="The cell as it is in the file."),
        "suspicion": number("suspicion", format="%.2g", width=85, help=SUSPICION_HELP),
        "surprise": number("surprise", format="%.2g", width=85, help=SURPRISE_HELP),
        "value": number(
            f"value ({unit.name})", format=decimals, width=80, help=VALUE_HELP
        ),
        "stderr": number("± error", format=decimals, width=65, help=STDERR_HELP),
        "reason": text(
            "reason",
            width=300,
            help="What is odd about the cell, and whether it clearly hurts.",
        ),
        "suggestion": text(
            "suggestion",
            width=90,
            help="What may have been meant, for surprising cells; more beside.",
        ),
        "decision": text("decision", width=75, help="Set it beside or below."),
        "repair": text(
            "repair", width=90, help="What you decided to put into the cell."
        ),
        "class": text(
            brief_name(table.label), width="small", help="The label of the row."
        ),
        "usual": text(
            "usual in class",
            help="Where nine in ten cells of this column lie in rows of this class, or "
            "the most common contents.",
        ),
    }


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


def flag_buttons(found: Lines) -> None:
    """Flag the first lines, as many as a person says; by default the rule's number."""
    n, worst = len(found.frame), rankings.WORST[found.by]
    usual = min(10, n) if found.n_rule is None else found.n_rule
    with st.container(horizontal=True, vertical_alignment="bottom"):
        k = st.number_input(
            f"Flag the {worst}",
            min_value=0,
            max_value=n,
            value=usual,
            width=190,
            help="How many cells, from the top of the list with its column and class "
            "filters."
            + (
                ""
                if found.n_rule is None
                else " The number given is the rule's, which aims at one false alarm "
                "in ten. 0: nothing in the list stands out."
            ),
        )
        st.button(
            f"Flag the {worst} {k:,}" if k != 1 else f"Flag the {worst} one",
            icon=":material/flag:",
            key="flag lowest",
            disabled=k == 0,
            on_click=_flag,
            args=(found.frame, int(k)),
            help="Marks them as errors. Cells you already decided on stay as they are.",
        )


def _flag(frame: pd.DataFrame, k: int) -> None:
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


def say_why_no_surprise() -> None:
    """What is missing on the page while surprise is not known."""
    run = state.job()
    if run is not None and run.active:
        st.info(
            "How surprising cells are is not known yet. The list goes by value until "
            "it is; the map comes then."
        )
    else:
        st.info(
            "How surprising cells are is not known: the run ended before, or comparing "
            "them failed (the server's log says why). The list goes by value alone; "
            "there is no map."
        )
