"""Columns: what each column adds, and how its cells spread."""

import streamlit as st

from cellval.ui.columns.overview import choose_order, draw_bars, draw_table, say_sum
from cellval.ui.guard import table_and_values
from cellval.ui.session import get_session

st.title("Columns")
session = get_session()
table, values = table_and_values(session)
by = choose_order(session)
say_sum(values)
draw_bars(session, values, by)
draw_table(table, values, by)
