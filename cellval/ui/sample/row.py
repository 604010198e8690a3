"""One row explained: how it is chosen, its waterfall, its neighbours."""

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from cellval.figures.waterfall import waterfall
from cellval.glossary import ROW_HELP
from cellval.table.table import Table
from cellval.text import brief, content, percent, short_name
from cellval.ui import tables
from cellval.ui.charts import chart
from cellval.ui.parts import say
from cellval.ui.session import Session, Shown
from cellval.ui.tables import heading
from cellval.ui.text import plain, spelled
from cellval.ui.widgets import typed_rows
from cellval.values.words import certainty, points
from cellval.views.row_detail import (
    N_LOWEST,
    lowest_rows,
    neighbours,
    row_sum,
    rows_beside,
)


def name_of(table: Table, position: int) -> str:
    number = f"row {table.row_numbers[position]:,}"
    if table.id_column is None:
        return number
    return f"{number} ({brief(table.ids[position], 24)})"


def current(shown: Shown, chosen: int | None, default: int) -> int:
    """The chosen row, if it is there."""
    return chosen if chosen is not None and chosen < len(shown.values.ids) else default


def row_picker(shown: Shown, position: int, which: str = "a") -> None:
    """Choose a row (a), or the one compared with it (b): by number, id or value."""
    session, table, values, _ = shown
    typed, low, steps = st.columns([4, 4, 5], vertical_alignment="bottom")
    with steps:
        _step_buttons(shown, position, which)
    st.session_state[f"{which} typed"] = str(table.row_numbers[position])
    typed.text_input(
        "Row number or id",
        key=f"{which} typed",
        on_change=partial(_typed, session, table, which),
        help="Rows count from 1, without the header.",
    )
    low.selectbox(
        "Lowest rows",
        lowest_rows(values),
        index=None,
        format_func=lambda i: (
            f"{name_of(table, i)}: {shown.row_unit.text(float(values.row_values[i]))}"
        ),
        key=f"{which} lowest",
        placeholder="choose one of the worst rows",
        on_change=partial(_picked, session, which),
        help=f"The {N_LOWEST} rows with the lowest values. {ROW_HELP}",
    )


def _step_buttons(shown: Shown, position: int, which: str) -> None:
    """To the rows before and after it by value, the worst first."""
    to = zip(
        ("Previous row", "Next row"),
        rows_beside(shown.values, position),
        "KJ",
        strict=True,
    )
    with st.container(horizontal=True, gap="xsmall"):
        for name, row, key in to:
            st.button(
                name,
                key=f"{which} {name}",
                shortcut=key if which == "a" else None,
                disabled=row is None,
                on_click=_take,
                args=(shown.session, row, which),
                help="By the rows' values, the lowest (worst) first.",
            )


def _take(session: Session, position: int, which: str) -> None:
    if which == "a":
        session.selection.position = position
    else:
        session.selection.other_position = position


def _typed(session: Session, table: Table, which: str) -> None:
    if found := typed_rows(table, f"{which} typed"):
        _take(session, found[0], which)
        if len(found) > 1:
            say(f"{len(found):,} rows have this id; this is the first.")


def _picked(session: Session, which: str) -> None:
    key = f"{which} lowest"
    if st.session_state[key] is not None:
        _take(session, st.session_state[key], which)
        st.session_state[key] = None


def explain(
    shown: Shown, position: int, key: str, limits: tuple[float, float] | None = None
) -> None:
    """Waterfall and the sum in words."""
    _, table, values, _ = shown
    unit, total = shown.row_unit, float(values.row_values[position])
    title = name_of(table, position)
    label = f"{plain(heading(table.label))}: {plain(content(values.labels[position]))}"
    st.markdown(f"##### {plain(title[0].upper() + title[1:])} · {label}")
    if not np.isfinite(total):
        why = "was held out for testing" if values.groups[position] else "has no label"
        st.info(f"This row {why}, so it has no value. Choose another one.")
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
    st.markdown(sum_words(shown, position), help=ROW_HELP)
    chart(
        waterfall(lines, total, unit, limits=limits),
        "Waterfall from 0 to the value of the row",
        key=f"{key} waterfall",
    )


def sum_words(shown: Shown, position: int) -> str:
    """The identity behind the waterfall, with its numbers (Markdown)."""
    unit, row = shown.row_unit, row_sum(shown.values, position)
    both = ((row.up, row.n_up, "help"), (row.down, row.n_down, "hurt"))
    parts = [
        f"{unit.number(x)} from {n:,} that {do}{'s' * (n == 1)}"
        for x, n, do in both
        if n
    ]
    cells = f"{row.n_cells:,} cells sum" if row.n_cells > 1 else "1 cell sums"
    return spelled(
        f"Its {cells} to the row's value: {' and '.join(parts) or '0'} make "
        f"**{unit.with_error(row.total, row.stderr)}** of {unit.score}. The row "
        f"{'adds' if row.total >= 0 else 'costs'} about {points(abs(row.total))}: "
        f"{certainty(row.total, row.stderr)}; rank {row.rank:,} of {row.n_rows:,} rows "
        "(1 is worst)."
    )


def show_neighbours(shown: Shown, position: int) -> None:
    """The rows most like it: alike labels raise its value, others lower it."""
    table = shown.table
    if table.y[position] < 0:  # it has no value that others could drive
        return
    near = neighbours(table, shown.values, position)
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
        f"{plain(table.groups[position])}; of all rows, "
        f"{percent(near.share)} have it. {verdict}."
    )
    st.caption(
        "Nearest by all columns. The panel of a cell leaves the cell's own column out: "
        "the rows there may be others."
    )
    rows = [position, *near.rows.tolist()]
    frame = {
        "row_number": table.row_numbers[rows],
        "label": ["this row", *("same" if s else "other" for s in near.same)],
        "class": [table.groups[i] for i in rows],
        "distance": [0.0, *near.distances],
    }
    config = {
        "row_number": tables.row_number(),
        "label": tables.text(
            "label is", help="Same: raises the row's value. Other: lowers it."
        ),
        "class": tables.text(heading(table.label)),
        "distance": tables.distance(),
    }
    shorter = tables.headings(near.columns)
    for k, (name, head) in enumerate(zip(near.columns, shorter, strict=True)):
        frame[f"c{k}"] = table.cells[name].iloc[rows].to_numpy(object)
        words = "One of the columns that matter most for this row."
        whole = f"{plain(short_name(name, 200))}: " * (head != name)
        config[f"c{k}"] = tables.text(head, help=whole + words)
    tables.draw(pd.DataFrame(frame), "Rows most like this one", config)
