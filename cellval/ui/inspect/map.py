"""The map of the inspection page: does it hurt, against: is it surprising?"""

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from cellval.detect.suspicion import Suspicion
from cellval.figures.corner_map import corner_plot
from cellval.kept import kept
from cellval.ui.heatmap.view import open_cell
from cellval.ui.selection import marked_cell
from cellval.ui.session import Session
from cellval.ui.widgets import chart, view_key
from cellval.values.result import CellValues
from cellval.views.corners import corner_counts, drawn_cells, not_drawn_words


def draw(
    session: Session, values: CellValues, suspicion: Suspicion, keep: np.ndarray
) -> None:
    """The cells in the mask as points; a click selects one."""
    cells = drawn_cells(suspicion, keep)
    if cells.size == 0:
        st.info("No cell to draw: choose other columns or classes.")
        return
    mask = np.packbits(keep).tobytes()
    key = view_key("map", session.widget_key("v"), hash(mask))
    selected = marked_cell(session, values, np.arange(len(keep)), key)
    chart(
        _figure(suspicion, cells.tobytes(), mask, selected),
        key,
        "Does it hurt, and is it surprising",
        on_select=lambda: open_cell(session, values, key),
    )
    st.caption(
        f"Every point is a cell; click one to open it. "
        f"{not_drawn_words(suspicion, keep, cells)} Cells beyond the frame are "
        "drawn at its edge. Dashed: 1 ordinary cell in 100 is as odd; 2 standard "
        "errors below 0."
    )


@kept(2)
def _figure(
    suspicion: Suspicion, cells: bytes, mask: bytes, selected: tuple[int, int] | None
) -> go.Figure:
    """Drawn anew only if it changed: most clicks leave it as it is."""
    shape = suspicion.scores.shape
    bits = np.unpackbits(np.frombuffer(mask, np.uint8), count=shape[0] * shape[1])
    counts = corner_counts(suspicion, bits.reshape(shape).astype(bool))
    drawn = np.frombuffer(cells, np.int64)
    return corner_plot(suspicion, drawn, counts, selected=selected)
