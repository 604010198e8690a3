"""Columns: bars with the spread of their cells, and all of them as a table."""

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from cellval.figures.columns import MAX_COLUMNS, column_bars
from cellval.glossary import COLUMN_HELP, VALUED_ACCURACY_HELP
from cellval.ui import tables
from cellval.ui.charts import chart, drawn_key
from cellval.ui.heatmap.view import sort_by
from cellval.ui.navigation import goto
from cellval.ui.session import Shown
from cellval.ui.text import plain
from cellval.ui.widgets import segments
from cellval.values.result import CellValues
from cellval.values.words import reached_words
from cellval.views.column_facts import ColumnFacts, column_facts
from cellval.views.order import COLUMN_ORDERS, column_order
from cellval.views.value_view import value_view

FEW_LINES = 16  # a longer table scrolls


def draw(shown: Shown) -> None:
    """All columns in the order that a person chooses."""
    by = st.segmented_control(
        "Order",
        **segments(shown.session, "columns order", COLUMN_ORDERS),
        help=COLUMN_HELP,
    )
    order = column_order(shown.values, by)
    _say_sum(shown.values)
    facts = column_facts(shown.values, shown.table, shown.after_answers)
    _bars(shown, order, facts, shown.session.widget_key("columns chart", by))
    _table(shown, order, facts)


def _say_sum(values: CellValues) -> None:
    """What the columns are together, and what a click does."""
    sums = ""
    if values.settings.sums_to_score:
        sums = (
            f"The {len(values.column_names):,} columns sum, before rounding, to "
            f"**{100 * values.total:.1f} %**, the "
            f"{plain(reached_words(values.settings))}. "
        )
    st.markdown(
        f"{sums}Click a bar to see the heatmap sorted by that column.",
        help=f"{COLUMN_HELP} {VALUED_ACCURACY_HELP if sums else ''}".strip(),
    )


def _bars(shown: Shown, order: np.ndarray, facts: ColumnFacts, key: str) -> None:
    """A click on a bar goes to the heatmap."""
    session, names = shown.session, shown.values.column_names

    def sort(point: list[Any]) -> None:
        sort_by(session, names[int(point[0])])
        goto("heatmap")

    chart(
        column_bars(value_view(shown.values), order[:MAX_COLUMNS], facts),
        "Column values with standard errors, and the spread of their cell values",
        key=drawn_key(key, shown.values, shown.after_answers),
        on_click=sort,
    )
    st.caption(
        "Boxes hold the middle half of a column's cells, whiskers nine in ten, the dot "
        "is its lowest cell."
        + f" Drawn are the first {MAX_COLUMNS} columns; all are in the table below."
        * (len(order) > MAX_COLUMNS)
    )


def _table(shown: Shown, order: np.ndarray, facts: ColumnFacts) -> None:
    values, view = shown.values, value_view(shown.values)
    unit, kinds = view.column_unit, {c.name: c.kind for c in shown.table.features}
    names = [values.column_names[j] for j in order]
    tables.draw(
        pd.DataFrame(
            {
                "column": names,
                "kind": [kinds.get(name, "") for name in names],
                "value": values.column_values[order] * unit.factor,
                "stderr": values.column_stderr[order] * unit.factor,
                "harmful": view.harmful_by_column[order],
                "suspects": None if facts.suspects is None else facts.suspects[order],
                "missing": 100 * facts.missing[order],
            }
        ),
        "Columns with their values",
        {
            "value": tables.number(
                f"value ({unit.name})", unit.decimals, help=COLUMN_HELP
            ),
            "stderr": tables.number("± std. error", unit.decimals),
            "harmful": tables.number(
                "cells that hurt",
                "localized",
                help="Cells whose value is below 0 by more than two standard errors.",
            ),
            "suspects": tables.number(
                "suspects",
                "localized",
                help="Cells that the rule picks: the first ones of the inspection "
                "list. Not known before all cells were looked at.",
            ),
            "missing": tables.number(
                "missing (%)",
                1,
                help="Share of the cells that are empty or cannot be read.",
            ),
        },
        few=FEW_LINES,
    )
