"""Codes that seem to stand for "missing": all cells of one code decided at once."""

from contextlib import nullcontext
from functools import partial

import streamlit as st

from cellval.detect.placeholders import Placeholder
from cellval.repairs.repair import Repair
from cellval.text import brief
from cellval.ui.session import Cell, FileWork, Shown
from cellval.ui.text import plain

MOST_LINES = 3  # more go into a box that opens
QUESTION = ":material/question_mark:"


def lines(shown: Shown) -> None:
    """A line for each code, with what to do about its cells."""
    codes = shown.suspicion.surprise.placeholders if shown.suspicion else ()
    title, icon = f'{len(codes)} codes that may stand for "missing"', QUESTION
    with st.expander(title, icon=icon) if len(codes) > MOST_LINES else nullcontext():
        for code in codes:
            _line(shown, code)


def _line(shown: Shown, code: Placeholder) -> None:
    file, table = shown.session.file, shown.table
    rows = table.row_numbers[code.rows].tolist()
    own = Repair("blank", reason=f'{code.text} may stand for "missing".')
    cells = [(row, code.column) for row in rows]
    # Cells that were repaired otherwise stay so.
    left = [cell for cell in cells if file.repairs.get(cell, own) == own]
    blanked = bool(left) and all(cell in file.repairs for cell in left)
    fine = bool(left) and all(file.decisions.get(cell) == "fine" for cell in left)
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
            disabled=not left,
            on_click=partial(_decide, file, left, "" if blanked else "error", own),
            help="Marks these cells as errors and empties them in the repaired file; "
            "cells that you repaired otherwise stay so. Again: take back.",
        )
        st.button(
            "They are fine",
            key=f"codes fine {code.column} {code.text}",
            type="primary" if fine else "secondary",
            disabled=not left,
            on_click=partial(_decide, file, left, "" if fine else "fine", own),
            help="The number means what it says: marks these cells as fine. Again: "
            "take back.",
        )


def _decide(file: FileWork, cells: list[Cell], decision: str, own: Repair) -> None:
    """All are errors (and blanked), fine, or not decided on."""
    for cell in cells:
        if decision == "error":
            file.repair(*cell, own)
        else:
            file.undo(cell)
            file.decide(*cell, decision or None)
