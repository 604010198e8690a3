"""Two rows side by side: pairs worth comparing, and where they differ."""

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from cellval.glossary import ROW_HELP
from cellval.ui import tables
from cellval.ui.sample.row import explain, row_picker
from cellval.ui.session import Session, Shown
from cellval.views.pairs import alike_rows_pairs, alike_values_pairs
from cellval.views.row_detail import shared_limits

MOST_LINES = 30


def propose_pairs(shown: Shown) -> None:
    session, table, values, _ = shown
    unit = shown.row_unit
    kinds = {
        "Same value, different reasons": (
            alike_values_pairs(values),
            "Nearly the same row value, from very different cells.",
        ),
        "Alike rows, different values": (
            alike_rows_pairs(values, table),
            "Nearly the same contents, but very different row values: often one "
            "label is wrong.",
        ),
    }
    for place, (title, (found, why)) in zip(st.columns(2), kinds.items(), strict=True):
        place.selectbox(
            title,
            found,
            index=None,
            key=f"pairs {title}",
            placeholder="choose a pair" if found else "no such pair",
            format_func=lambda pair: (
                f"rows {table.row_numbers[pair.first]:,} and "
                f"{table.row_numbers[pair.second]:,}: "
                f"{unit.number(values.row_values[pair.first])} and "
                f"{unit.text(values.row_values[pair.second])}"
            ),
            on_change=partial(_take_pair, session, f"pairs {title}"),
            disabled=not found,
            help=why,
        )


def _take_pair(session: Session, key: str) -> None:
    pair = st.session_state[key]
    if pair is not None:
        session.selection.position, session.selection.other_position = (
            pair.first,
            pair.second,
        )
        st.session_state[key] = None


def show_both(shown: Shown, a: int, b: int) -> None:
    """Two rows with their waterfalls on one scale, then cell by cell."""
    values = shown.values
    limits = shared_limits(
        (values.explain(int(values.row_numbers[i])), values.row_values[i])
        for i in (a, b)
    )
    for place, position, which in zip(st.columns(2), (a, b), "ab", strict=True):
        with place:
            row_picker(shown, position, which)
            explain(shown, position, f"compare {which}", limits)
    _difference(shown, a, b)


def _difference(shown: Shown, a: int, b: int) -> None:
    """Where two rows differ, largest difference first."""
    _, table, values, _ = shown
    unit, gap = shown.row_unit, values.values[a] - values.values[b]
    order = np.argsort(-np.abs(np.nan_to_num(gap)), kind="stable")[:MOST_LINES]
    names = [values.column_names[j] for j in order]
    first, second = (f"row {table.row_numbers[i]:,}" for i in (a, b))
    frame = pd.DataFrame(
        {
            "column": names,
            f"{first}: content": [table.cells[name].iat[a] for name in names],
            f"{second}: content": [table.cells[name].iat[b] for name in names],
            f"{first}: value": values.values[a, order] * unit.factor,
            f"{second}: value": values.values[b, order] * unit.factor,
            "difference": gap[order] * unit.factor,
        }
    )
    st.markdown(f"##### Cell by cell, in {unit.long}", help=ROW_HELP)
    words = f"In {unit.long}; below 0 hurts."
    number = tables.number(None, unit.decimals, help=words)
    numbers = {name: number for name in frame if frame[name].dtype == float}
    tables.draw(frame, "Differences", numbers)
