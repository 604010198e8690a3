"""Clicks in charts, and which cell the pages show as selected."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import streamlit as st

from cellval.table.table import Table
from cellval.ui.session import Shown
from cellval.views.order import find_rows


def clicked(key: str) -> list[Any] | None:
    """The custom data of the point last clicked in a chart; None if deselected."""
    event = st.session_state.get(key)
    points = event["selection"]["points"] if event else []
    data = points[-1].get("customdata") if points else None
    return list(data.values()) if isinstance(data, Mapping) else data


def clicked_cell(key: str) -> tuple[int, int] | None:
    """Row position and column position of the cell last clicked in a chart."""
    data = clicked(key)
    return None if data is None else (int(data[0]), int(data[1]))


def marked_cell(shown: Shown, rows: np.ndarray, key: str) -> tuple[int, int] | None:
    """The selected cell, if the figure of the chart with this key has to mark it.

    A cell clicked in this chart is marked by the browser: the same figure again is
    answered twice as fast. But a new figure takes the browser's mark away.
    """
    names, selection = shown.values.column_names, shown.session.selection
    position, column = selection.cell or (-1, "")
    if column not in names or position not in rows:
        return None
    cell = position, names.index(column)
    run = shown.session.run
    is_new = run is not None and run.active
    if clicked_cell(key) == cell and selection.marked_in != key and not is_new:
        return None
    selection.marked_in = key
    return cell


def typed_rows(table: Table, key: str) -> list[int]:
    """Positions of the rows whose number or id was typed; says if there is none."""
    wanted = st.session_state[key]
    found = find_rows(table, wanted) if wanted.strip() else []
    if wanted.strip() and not found:
        st.toast("There is no row with this number or id.")
    return found
