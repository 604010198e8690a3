"""One row explained: how it is chosen, its waterfall, its neighbours."""

import numpy as np
import pandas as pd
import streamlit as st

from cellval.figures.waterfall import waterfall
from cellval.glossary import ROW_HELP
from cellval.table.table import Table
from cellval.text import brief, percent
from cellval.ui.session import Session
from cellval.ui.text import plain
from cellval.ui.widgets import (
    DISTANCE_HELP,
    chart,
    data_table,
    heading,
    number_column,
    row_column,
    text_column,
)
from cellval.values.result import CellValues
from cellval.values.words import certainty, points
from cellval.views.order import find_rows
from cellval.views.row_detail import N_LOWEST, lowest_rows, neighbours, row_sum
from cellval.views.value_view import value_view


def name_of(table: Table, position: int) -> str:
    """How a row is called in lists."""
    number = f"row {table.row_numbers[position]:,}"
    if table.id_column is None:
        return number
    return f"{number} ({brief(table.ids[position], 24)})"


def current(
    session: Session, values: CellValues, default: int, *, other: bool = False
) -> int:
    """The selected row, or the one compared with it, if it is there."""
    chosen = session.selection.other_row if other else session.selection.row
    return chosen if chosen is not None and chosen < len(values.ids) else default


def row_picker(
    session: Session,
    table: Table,
    values: CellValues,
    position: int,
    *,
    other: bool = False,
) -> None:
    """Choose a row by number or id, or among the lowest."""
    unit, key = value_view(values).row_unit, "b" if other else "a"
    typed, low = st.columns(2)
    typed.text_input(
        "Row number or id",
        key=f"{key} typed",
        placeholder=name_of(table, position),
        on_change=_typed,
        args=(session, table, f"{key} typed", other),
        help="Rows count from 1, without the header.",
    )
    low.selectbox(
        "Lowest rows",
        lowest_rows(values),
        index=None,
        format_func=lambda i: (
            f"{name_of(table, i)}: {unit.text(float(values.row_values[i]))}"
        ),
        key=f"{key} lowest",
        placeholder="choose one of the worst rows",
        on_change=_picked,
        args=(session, f"{key} lowest", other),
        help=f"The {N_LOWEST} rows with the lowest values. {ROW_HELP}",
    )


def _take(session: Session, position: int, other: bool) -> None:
    if other:
        session.selection.other_row = position
    else:
        session.selection.row = position


def _typed(session: Session, table: Table, key: str, other: bool) -> None:
    wanted = st.session_state[key]
    found = find_rows(table, wanted)
    if found:
        _take(session, found[0], other)
        st.session_state[key] = ""
        if len(found) > 1:
            st.toast(f"{len(found):,} rows have this id; this is the first.")
    elif wanted.strip():
        st.toast("There is no row with this number or id.")


def _picked(session: Session, key: str, other: bool) -> None:
    if st.session_state[key] is not None:
        _take(session, st.session_state[key], other)
        st.session_state[key] = None


def explain(
    table: Table,
    values: CellValues,
    position: int,
    key: str,
    limits: tuple[float, float] | None = None,
) -> None:
    """Waterfall and the sum in words."""
    unit, total = value_view(values).row_unit, float(values.row_values[position])
    title = name_of(table, position)
    label = f"{plain(table.label)}: {plain(values.labels[position])}"
    st.markdown(f"##### {plain(title[0].upper() + title[1:])} · {label}")
    if not np.isfinite(total):
        st.info(
            "This row was held out for testing, so it has no value. Choose another one."
        )
        return
    if not values.settings.additive:
        cells = values.values[position]
        low, high = np.nanmin(cells), np.nanmax(cells)
        st.markdown(
            f"Its cells score {unit.text(low)} to {unit.text(high)}, on average "
            f"**{unit.text(total)}**; all cells of the table "
            f"{unit.text(values.settings.middle)}. Lower is worse. The scores do not "
            "add up, so there is no waterfall."
        )
        return
    lines = values.explain(int(values.row_numbers[position]))
    st.markdown(sum_words(values, position), help=ROW_HELP)
    chart(
        waterfall(lines, total, unit, limits=limits),
        f"{key} waterfall",
        "Waterfall from 0 to the value of the row",
    )


def sum_words(values: CellValues, position: int) -> str:
    """The identity behind the waterfall, with its numbers (Markdown)."""
    unit, row = value_view(values).row_unit, row_sum(values, position)
    parts = [f"{unit.number(row.up)} from {row.n_up:,} that help"] * bool(row.n_up)
    parts += [f"{unit.number(row.down)} from {row.n_down:,} that hurt"] * bool(
        row.n_down
    )
    cells = f"{row.n_cells:,} cells sum" if row.n_cells > 1 else "1 cell sums"
    return (
        f"Its {cells} to the row's value: {' and '.join(parts) or '0'} make "
        f"**{unit.with_error(row.total, row.stderr)}** of accuracy. The row "
        f"{'adds' if row.total >= 0 else 'costs'} about {points(abs(row.total))}: "
        f"{certainty(row.total, row.stderr)}; rank {row.rank:,} of {row.n_rows:,} rows "
        "(1 is worst)."
    )


def show_neighbours(table: Table, values: CellValues, position: int) -> None:
    """The rows most like it: alike labels raise its value, others lower it."""
    near = neighbours(table, values, position)
    st.markdown(
        "##### Neighbours that drive it",
        help="A row is worth much if the rows around it have its label: it helps to "
        "predict them. Among rows of another label it misleads. Distance 0 is equal; "
        "two random rows are about 1 apart.",
    )
    n, n_same = near.rows.size, int(near.same.sum())
    verdict = "Most rows around it have another label, which lowers its value"
    if 2 * n_same > n:
        verdict = "It speaks for the rows around it, which raises its value"
    st.markdown(
        f"{n_same} of the {n} rows most like it have the same label, "
        f"{plain(table.classes[table.y[position]])}; of all rows, "
        f"{percent(near.share)} have it. {verdict}."
    )
    rows = [position, *near.rows.tolist()]
    shown = {
        "row_number": table.row_numbers[rows],
        "label": ["this row", *("same" if s else "other" for s in near.same)],
        "class": [table.classes[k] for k in table.y[rows]],
        "distance": [0.0, *near.distances],
    }
    config = {
        "row_number": row_column(),
        "label": text_column(
            "label is", help="Same: raises the row's value. Other: lowers it."
        ),
        "class": text_column(heading(table.label)),
        "distance": number_column(help=DISTANCE_HELP),
    }
    for k, name in enumerate(near.columns):
        shown[f"c{k}"] = table.cells[name].iloc[rows].to_numpy(object)
        words = "One of the columns that matter most for this row."
        config[f"c{k}"] = text_column(heading(name), help=words)
    data_table(pd.DataFrame(shown), "Rows most like this one", config)
