"""Columns: what each column adds, and how its cells spread."""

import numpy as np
import pandas as pd
import streamlit as st

from cellval.figures.columns import MAX_COLUMNS, column_bars
from cellval.glossary import COLUMN_HELP
from cellval.ui import session as state
from cellval.ui.widgets import chart, clicked, kept, table_and_values
from cellval.views import value_view as views

st.title("Columns")
table, values = table_and_values()
view = views.value_view(values)
unit = view.column_unit
by = st.segmented_control(
    "Order",
    ("lowest first", "highest first", "as in the file"),
    required=True,
    key=kept("columns order", "lowest first"),
    persist_state="session",
    help=COLUMN_HELP,
)
order = np.arange(len(values.column_names))
if by != "as in the file":
    sign = 1 if by == "lowest first" else -1
    order = np.argsort(sign * values.column_values, kind="stable")
scoring = str(values.settings.get("scoring", "accuracy"))
score = "accuracy" if scoring == "accuracy" else "balanced accuracy"
sums = (
    f"The {len(order):,} columns sum to **{100 * values.total:.1f} %**, the {score} "
    f"that the {values.model} reaches. "
)
st.markdown(
    f"{sums if values.settings.sums_to_score else ''}Click a bar to see the heatmap sorted by "
    "that column.",
    help=COLUMN_HELP,
)
key = f"columns chart {state.widget_key('v')} {by}"
chart(
    column_bars(view, order[:MAX_COLUMNS]),
    key,
    "Column values with standard errors, and the spread of their cell values",
    on_select="rerun",
)
if point := clicked(key):
    state.sort_heatmap_by(values.column_names[int(point["0"])])
    state.goto("heatmap")
st.caption(
    "Boxes hold the middle half of a column's cells, whiskers nine in ten, the dot is "
    "its lowest cell."
    + f" Drawn are the first {MAX_COLUMNS} columns; all are in the table below."
    * (len(order) > MAX_COLUMNS)
)
number = st.column_config.NumberColumn
kinds = {column.name: column.kind for column in table.features}
st.dataframe(
    pd.DataFrame(
        {
            "column": [values.column_names[j] for j in order],
            "kind": [kinds.get(values.column_names[j], "") for j in order],
            "value": values.column_values[order] * unit.factor,
            "stderr": values.column_stderr[order] * unit.factor,
            "harmful": [int(n) for n in view.harmful_by_column[order]],
        }
    ),
    hide_index=True,
    height="content" if len(order) <= 20 else 600,
    column_config={
        "value": number(
            f"value ({unit.name})", format=f"%.{unit.decimals}f", help=COLUMN_HELP
        ),
        "stderr": number("± std. error", format=f"%.{unit.decimals}f"),
        "harmful": number(
            "cells that hurt",
            format="localized",
            help="Cells whose value is below 0 by more than two standard errors.",
        ),
    },
    alt="Columns with their values",
)
