"""Repair: changes made so far, whether models got better, the repaired table."""

import streamlit as st

from cellval.ui.components import table_and_values

st.title("Repair")
table, values = table_and_values()
