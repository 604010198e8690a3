"""Flagged cells that are not repaired yet, and what to do with them together."""

import hashlib

import pandas as pd
import streamlit as st

from cellval.detect.suggestions import suggested_text
from cellval.repairs.work import Cell
from cellval.table.table import Table
from cellval.text import brief, counted
from cellval.ui import many, tables
from cellval.ui.navigation import goto
from cellval.ui.session import Session
from cellval.views.next_step import not_repaired
from cellval.views.suggested import suggested_for

FEW_LINES = 8  # a longer list scrolls
LONGEST = 80  # characters of a cell
NOT_CLEAR = "no clear suggestion"
SUGGESTION_HELP = (
    "What may have been meant, if one text is clearly the likeliest. Where none is, "
    "open the cell on the heatmap: there may be ideas, and you can type your own."
)


def flagged_list(session: Session, table: Table) -> None:
    """Every cell marked as wrong that still is as in the file."""
    file = session.file
    cells = not_repaired(table, dict(file.decisions), dict(file.repairs))
    if cells:
        _draw(session, table, cells)
    many.undo_last(file, "flagged undo", changes=False)


def _draw(session: Session, table: Table, cells: list[Cell]) -> None:
    with st.spinner("Looking for what should have been there ..."):
        best = suggested_for(session.suspicion, cells)
    n, likely = (
        counted(len(cells), "flagged cell"),
        f"{len(best):,}" if best else "None",
    )
    st.markdown(
        f"**{n} {'is' if len(cells) == 1 else 'are'} not repaired yet.** {likely} of "
        f"them {'have' if len(best) > 1 else 'has'} a likely suggestion."
    )
    texts = {name: table.cells[name].tolist() for name in {name for _, name in cells}}
    frame = pd.DataFrame(
        {
            "row": [row for row, _ in cells],
            "column": [name for _, name in cells],
            "content": [
                brief(texts[name][table.position(row)], LONGEST) for row, name in cells
            ],
            "suggestion": [
                suggested_text(best.get(cell)) or NOT_CLEAR for cell in cells
            ],
            "why": [best[cell].why if cell in best else "" for cell in cells],
        }
    )
    version = hashlib.sha1(repr(cells).encode()).hexdigest()[:12]
    drawn = tables.draw(
        frame,
        "Flagged cells that are not repaired",
        {
            "row": tables.row_number(),
            "column": tables.text(width="small"),
            "content": tables.text(help="The cell as it is in the file."),
            "suggestion": tables.text(help=SUGGESTION_HELP),
            "why": tables.text(width="large"),
        },
        few=FEW_LINES,
        key=session.widget_key("flagged", version),
        on_select="rerun",
        selection_mode="multi-row",
    )
    ticked = [cells[line] for line in drawn["selection"]["rows"] if line < len(cells)]
    which = f"All {len(cells):,} flagged cells (none is ticked)"
    if len(cells) == 1:
        which = "The flagged cell"
    if ticked:
        which = counted(len(ticked), "ticked line")
    _open_button(session, ticked)
    many.act(session, table, session.suspicion, ticked or cells, which, "flagged")


def _open_button(session: Session, ticked: list[Cell]) -> None:
    """The way from a line to its cell, where one sees what else it could be."""
    table = session.shown_table  # a repaired one has other positions, or not the row
    there = [cell for cell in ticked if table and cell[0] in table.row_numbers]
    if st.button(
        "Open the ticked cell on the heatmap",
        key="open flagged",
        icon=":material/grid_on:",
        disabled=len(ticked) != 1 or not there,
        help="Tick one line. There you see its row, and can type another text.",
    ):
        assert table is not None
        ((row, column),) = there
        session.selection.choose_cell(table.position(row), column)
        session.selection.from_elsewhere = True
        goto("heatmap")
