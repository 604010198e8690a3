"""The map of the inspection page: does it hurt, against: is it surprising?"""

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from cellval.detect.suspicion import Suspicion
from cellval.figures.corner_map import corner_plot
from cellval.kept import kept
from cellval.ui.cell_detail import Walk
from cellval.ui.charts import chart, drawn_key, marked_cell
from cellval.ui.heatmap.view import open_cell
from cellval.ui.parts import then_page
from cellval.ui.session import Shown
from cellval.views.corners import corner_counts, drawn_cells, not_drawn_words
from cellval.views.rankings import cells_at


def draw(shown: Shown, keep: np.ndarray) -> None:
    """The cells in the mask as points; a click selects one."""
    suspicion = shown.after_answers
    assert suspicion is not None
    cells = drawn_cells(suspicion, keep)
    if not shown.values.settings.is_valued:
        st.info(
            "The map shows what a cell does against how odd it is. Without a label no "
            "cell does anything: look at the list, or choose a label on the Data page."
        )
        return
    if cells.size == 0:
        st.info("No cell to draw: choose other columns or classes.")
        return
    key = drawn_key(shown.session.widget_key("map"), suspicion, keep)
    key, selected = marked_cell(shown, np.arange(len(keep)), key)
    counts = tuple(corner_counts(suspicion, keep).items())
    chart(
        _figure(suspicion, cells.tobytes(), counts, selected),
        "Does it hurt, and is it surprising",
        key=key,
        on_click=open_cell(shown, key),
    )
    st.caption(
        f"Every point is a cell; click one to open it. "
        f"{not_drawn_words(suspicion, keep, cells)} Cells beyond the frame are "
        "drawn at its edge. Dashed: 1 ordinary cell in 100 is as odd; 2 standard "
        "errors below 0."
    )


def walk(shown: Shown, keep: np.ndarray) -> Walk:
    """Through those of the cells in the mask that the rule picks."""
    cells: list[tuple[int, str]] = []
    suspicion = shown.after_answers
    if suspicion is not None:
        worst = suspicion.order[: suspicion.n_flagged]
        cells = cells_at(shown.values, worst[keep.ravel()[worst]])
    session = shown.session

    def go(position: int, column: str) -> None:
        """The map is drawn again, too: it marks the cell."""
        then_page(session, session.selection.choose_cell, position, column)

    return Walk(cells, "suspect", go)


@kept(2)
def _figure(
    suspicion: Suspicion,
    cells: bytes,
    counts: tuple[tuple[str, int], ...],
    selected: tuple[int, int] | None,
) -> go.Figure:
    """Drawn anew only if it changed: most clicks leave it as it is."""
    drawn = np.frombuffer(cells, np.int64)
    return corner_plot(suspicion, drawn, dict(counts), selected=selected)
