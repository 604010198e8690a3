"""Codes that seem to stand for "missing": all cells of one code decided at once."""

import streamlit as st

from cellval.detect.placeholders import Placeholder
from cellval.detect.suspicion import Suspicion
from cellval.repairs.repair import Repair
from cellval.table.table import Table
from cellval.text import brief
from cellval.ui import session as state
from cellval.ui.text import plain
from cellval.views import rankings

MOST_LINES = 3  # more go into a box that opens


def lines(table: Table, suspicion: Suspicion | None) -> None:
    """A line for each code, with what to do about its cells."""
    codes = suspicion.surprise.placeholders if suspicion else ()
    if len(codes) <= MOST_LINES:
        for code in codes:
            _line(table, code)
        return
    title = f'{len(codes)} codes that may stand for "missing"'
    with st.expander(title, icon=":material/question_mark:"):
        for code in codes:
            _line(table, code)


def _line(table: Table, code: Placeholder) -> None:
    rows = table.row_numbers[rankings.code_rows(table, code)].tolist()
    known, decisions = state.repairs(), state.all_decisions()
    own = Repair("blank", reason=f'{code.text} may stand for "missing".')
    # Cells that were repaired otherwise stay so.
    open_rows = [row for row in rows if known.get((row, code.column), own) == own]
    blanked = bool(open_rows) and all((r, code.column) in known for r in open_rows)
    fine = all(decisions.get((row, code.column)) == "fine" for row in open_rows)
    name, text = plain(brief(code.column, 40)), plain(brief(code.text, 20))
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(
            f"**{name}**: **{text}** stands in {len(rows):,} cells, apart from all "
            'other numbers. It may stand for "missing".'
            + (" They will be blank in the repaired file." if blanked else ""),
            width="content",
        )
        st.button(
            f"Blank all {len(rows):,}",
            key=f"codes blank {code.column} {code.text}",
            type="primary" if blanked else "secondary",
            disabled=not open_rows,
            on_click=_take_back if blanked else _blank,
            args=(open_rows, code.column, own),
            help="Marks these cells as errors and empties them in the repaired file; "
            "cells that you repaired otherwise stay so. Again: take back.",
        )
        st.button(
            "They are fine",
            key=f"codes fine {code.column} {code.text}",
            type="primary" if fine and open_rows else "secondary",
            disabled=not open_rows,
            on_click=_take_back if fine else _call_fine,
            args=(open_rows, code.column, own),
            help="The number means what it says: marks these cells as fine. Again: "
            "take back.",
        )


def _blank(rows: list[int], column: str, own: Repair) -> None:
    for row in rows:
        state.repair(row, column, own)


def _call_fine(rows: list[int], column: str, own: Repair) -> None:
    _take_back(rows, column, own)
    for row in rows:
        state.decide(row, column, "fine")


def _take_back(rows: list[int], column: str, own: Repair) -> None:
    for row in rows:
        state.undo(row, column)
        state.decide(row, column, None)
