"""Clicks in charts, and which cell the pages show as selected."""

from collections.abc import Mapping

import numpy as np
import streamlit as st

from cellval.ui.session import Session
from cellval.values.result import CellValues


def clicked(key: str) -> dict[str, str] | None:
    """The custom data of the point last clicked in a chart; None if deselected."""
    event = st.session_state.get(key)
    points = event["selection"]["points"] if event else []
    if not points or "customdata" not in points[-1]:
        return None
    data = points[-1]["customdata"]
    pairs = data.items() if isinstance(data, Mapping) else enumerate(data)
    return {str(name): str(value) for name, value in pairs}


def clicked_cell(key: str) -> tuple[int, int] | None:
    """Row position and column position of the cell last clicked in a chart."""
    point = clicked(key)
    return None if point is None else (int(point["0"]), int(point["1"]))


def marked_cell(
    session: Session, values: CellValues, rows: np.ndarray, key: str
) -> tuple[int, int] | None:
    """The selected cell, if the figure of the chart with this key has to mark it.

    A cell clicked in this chart is marked by the browser: the same figure again is
    answered twice as fast. But a new figure takes the browser's mark away.
    """
    position, column = session.selection.cell or (-1, "")
    if column not in values.column_names or position not in rows:
        return None
    cell = position, values.column_names.index(column)
    is_new = session.run is not None and session.run.active
    marked_here = session.selection.marked_in == key
    if clicked_cell(key) == cell and not marked_here and not is_new:
        return None
    session.selection.marked_in = key
    return cell


def flagged_cells(session: Session, values: CellValues) -> set[tuple[int, int]]:
    """Positions of the cells that a person flagged as errors."""
    decided = dict(session.file.decisions)  # others may decide meanwhile
    wanted = [cell for cell, decision in decided.items() if decision == "error"]
    columns = {name: j for j, name in enumerate(values.column_names)}
    rows = np.searchsorted(values.row_numbers, [row for row, _ in wanted])
    return {
        (int(i), columns[name])
        for i, (row, name) in zip(rows, wanted, strict=True)
        if name in columns and i < len(values.ids) and values.row_numbers[i] == row
    }
