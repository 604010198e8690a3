"""The inspection list: which cells, how they look, decisions on many at once."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from cellval import places, views
from cellval.table import Table
from cellval.ui import state
from cellval.ui.components import brief_name, kept, row_column
from cellval.values import CellValues
from cellval.wording import RANK_HELP, STDERR_HELP, VALUE_HELP, WITHIN_HELP, brief

MOST = 5000
UNDECIDED = "not decided"


class Wanted(NamedTuple):
    """Which cells a person wants in the list."""

    within_class: bool
    k: int
    columns: tuple[str, ...]
    classes: tuple[str, ...]
    decisions: tuple[str, ...]


def controls(table: Table, values: CellValues) -> Wanted:
    """The widgets above the list."""
    one, two, three, four, five = st.columns(
        [3, 2, 3, 3, 3], vertical_alignment="bottom"
    )
    with one:
        ranked = st.selectbox(
            "Ranked",
            ("within the class", "over all cells"),
            key=kept("list ranked", "within the class"),
            persist_state="session",
            help=WITHIN_HELP,
        )
    with two:
        k = st.number_input(
            "Lowest cells",
            min_value=1,
            max_value=min(MOST, values.values.size),
            step=10,
            key=kept("list k", min(50, values.values.size)),
            persist_state="session",
            help=f"How many of the lowest cells to inspect, up to {MOST:,}.",
        )
    with three:
        columns = st.multiselect(
            "Columns",
            values.column_names,
            key=kept("list columns", []),
            persist_state="session",
            placeholder="all columns",
            help="The lowest cells of these columns only.",
        )
    with four:
        classes = st.multiselect(
            f"Only {brief(table.label, 20)}",
            table.classes,
            key=kept("list classes", []),
            persist_state="session",
            placeholder="all classes",
            help="The lowest cells of rows of these classes only.",
        )
    with five:
        decisions = st.multiselect(
            "Decisions",
            (UNDECIDED, *state.DECISIONS),
            key=kept("list decisions", []),
            persist_state="session",
            placeholder="all decisions",
            help="Of the lowest cells, those with these decisions.",
        )
    return Wanted(
        ranked == "within the class",
        int(k),
        tuple(columns),
        tuple(classes),
        tuple(decisions),
    )


def lowest(table: Table, values: CellValues, wanted: Wanted) -> pd.DataFrame:
    """The k lowest cells of the chosen columns and classes, before decisions."""
    about = views.derived(values)
    ranks = about.ranks if wanted.within_class else about.ranks_over_all
    keep = ranks > 0
    if wanted.columns:
        keep &= np.isin(values.column_names, wanted.columns)[None, :]
    if wanted.classes:
        keep &= np.isin(values.labels, wanted.classes)[:, None]
    cells = np.flatnonzero(keep)
    key = ranks.ravel()[cells]
    if len(cells) > wanted.k:
        part = np.argpartition(key, wanted.k - 1)[: wanted.k]
        cells, key = cells[part], key[part]
    cells = cells[np.argsort(key)]
    row, column = np.unravel_index(cells, ranks.shape)
    names = np.array(values.column_names, object)[column]
    labels = [values.labels[i] for i in row]
    usual = places.usual_ranges(table)
    text = values.cells.to_numpy(object)
    decided = state.all_decisions()
    numbers = values.row_numbers[row]
    return pd.DataFrame(
        {
            "index": row,
            "rank": ranks[row, column],
            "row": numbers,
            "id": [values.ids[i] for i in row],
            "column": names,
            "content": [
                brief(text[i, j], 80) for i, j in zip(row, column, strict=True)
            ],
            "value": values.values[row, column],
            "stderr": values.stderr[row, column],
            "decision": [
                decided.get((int(number), name), "")
                for number, name in zip(numbers, names, strict=True)
            ],
            "class": labels,
            "usual": [usual[pair] for pair in zip(names, labels, strict=True)],
        }
    )


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
