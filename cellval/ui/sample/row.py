"""One row explained: how it is chosen, its waterfall, its neighbours; two compared."""

import numpy as np
import pandas as pd
import streamlit as st

from cellval.figures import waterfall as figures
from cellval.glossary import ROW_HELP
from cellval.table.table import Table
from cellval.text import brief, content, percent
from cellval.ui import session as state
from cellval.ui.text import plain
from cellval.ui.widgets import chart, row_column
from cellval.values.result import CellValues
from cellval.values.words import certainty, points
from cellval.views import pairs, similar
from cellval.views import value_view as views
from cellval.views.order import find_rows

N_LOWEST = 50
N_NEAR = 10
N_IMPORTANT = 6


def name_of(table: Table, index: int) -> str:
    """How a row is called in lists."""
    number = f"row {table.row_numbers[index]:,}"
    if table.id_column is None:
        return number
    return f"{number} ({brief(table.ids[index], 24)})"


def lowest_rows(values: CellValues) -> list[int]:
    order = np.argsort(values.row_values, kind="stable")[:N_LOWEST]
    return [int(i) for i in order if np.isfinite(values.row_values[i])]


def row_picker(table: Table, values: CellValues, current: int, key: str) -> int:
    """Choose a row by number or id, or among the lowest; the row chosen."""
    unit = views.value_view(values).row_unit
    typed, low = st.columns(2)
    typed.text_input(
        "Row number or id",
        key=f"{key} typed",
        placeholder=name_of(table, current),
        on_change=_typed,
        args=(table, key),
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
        args=(key,),
        help=f"The {N_LOWEST} rows with the lowest values. {ROW_HELP}",
    )
    return current


def _typed(table: Table, key: str) -> None:
    text = st.session_state[f"{key} typed"]
    found = find_rows(table, text)
    if found:
        state.select_sample(key, found[0])
        st.session_state[f"{key} typed"] = ""
        if len(found) > 1:
            st.toast(f"{len(found):,} rows have this id; this is the first.")
    elif text.strip():
        st.toast("There is no row with this number or id.")


def _picked(key: str) -> None:
    index = st.session_state[f"{key} lowest"]
    if index is not None:
        state.select_sample(key, index)
        st.session_state[f"{key} lowest"] = None


def current(values: CellValues, key: str, default: int) -> int:
    """The row chosen under this key, if it is there."""
    index = state.selected_sample(key)
    return index if index is not None and index < len(values.ids) else default


def explain(
    table: Table,
    values: CellValues,
    index: int,
    key: str,
    limits: tuple[float, float] | None = None,
) -> None:
    """Waterfall and the sum in words."""
    view = views.value_view(values)
    total = float(values.row_values[index])
    title = name_of(table, index)
    label = f"{plain(table.label)}: {plain(values.labels[index])}"
    st.markdown(f"##### {plain(title[0].upper() + title[1:])} · {label}")
    if not np.isfinite(total):
        st.info(
            "This row was held out for testing, so it has no value. Choose another one."
        )
        return
    if not values.settings.additive:
        known = values.values[index][np.isfinite(values.values[index])]
        text = view.row_unit.text
        st.markdown(
            f"Its cells score {text(known.min())} to {text(known.max())}, on average "
            f"**{text(total)}**; all cells of the table {text(values.settings.middle)}. Lower "
            "is worse. The scores do not add up, so there is no waterfall."
        )
        return
    explained = values.explain(int(values.row_numbers[index]))
    st.markdown(sum_words(values, index), help=ROW_HELP)
    chart(
        figures.waterfall(explained, total, view.row_unit, limits=limits),
        f"{key} waterfall",
        "Waterfall from 0 to the value of the row",
    )


def sum_words(values: CellValues, index: int) -> str:
    """The identity behind the waterfall, with its numbers (Markdown)."""
    unit = views.value_view(values).row_unit
    cells = values.values[index]
    total, stderr = float(values.row_values[index]), float(values.row_stderr[index])
    up, down = float(cells[cells > 0].sum()), float(cells[cells < 0].sum())
    n_up, n_down = int((cells > 0).sum()), int((cells < 0).sum())
    rank = int((values.row_values < total).sum()) + 1
    n = int(np.isfinite(values.row_values).sum())
    verb = "adds" if total >= 0 else "costs"
    parts = [f"{unit.number(up)} from {n_up:,} that help"] * bool(n_up)
    parts += [f"{unit.number(down)} from {n_down:,} that hurt"] * bool(n_down)
    cells_sum = f"{len(cells):,} cells sum" if len(cells) > 1 else "1 cell sums"
    return (
        f"Its {cells_sum} to the row's value: {' and '.join(parts) or '0'} make "
        f"**{unit.with_error(total, stderr)}** of accuracy. The row {verb} about "
        f"{points(abs(total))}: {certainty(total, stderr)}; rank {rank:,} of {n:,} "
        "rows (1 is worst)."
    )


def neighbours(table: Table, values: CellValues, index: int) -> None:
    """The rows most like it: alike labels raise its value, others lower it."""
    near, apart = similar.nearest(table, index, N_NEAR)
    same = table.y[near] == table.y[index]
    st.markdown(
        "##### Neighbours that drive it",
        help="A row is worth much if the rows around it have its label: it helps to "
        "predict them. Among rows of another label it misleads. Distance 0 is equal; "
        "two random rows are about 1 apart.",
    )
    n, share = int(same.sum()), float(np.mean(table.y == table.y[index]))
    if 2 * n > len(near):
        verdict = "It speaks for the rows around it, which raises its value"
    else:
        verdict = "Most rows around it have another label, which lowers its value"
    label = plain(table.classes[int(table.y[index])])
    st.markdown(
        f"{n} of the {len(near)} rows most like it have the same label, {label}; of "
        f"all rows, {percent(share)} have it. {verdict}."
    )
    important = np.argsort(-np.abs(np.nan_to_num(values.values[index])), kind="stable")
    names = [values.column_names[j] for j in important[:N_IMPORTANT]]
    rows = [index, *near.tolist()]
    shown = {
        "row": table.row_numbers[rows],
        "label": ["this row", *("same" if s else "other" for s in same)],
        "class": [table.classes[k] for k in table.y[rows]],
        "distance": [0.0, *apart],
    }
    config = {
        "row": row_column(),
        "label": st.column_config.TextColumn(
            "label is", help="Same: raises the row's value. Other: lowers it."
        ),
        "class": st.column_config.TextColumn(content(table.label, 24)),
        "distance": st.column_config.NumberColumn(
            format="%.2f", help="0: equal; about 1: as two random rows."
        ),
    }
    for place, name in enumerate(names):
        shown[f"c{place}"] = table.cells[name].iloc[rows].to_numpy(object)
        config[f"c{place}"] = st.column_config.TextColumn(
            content(name, 24), help="One of the columns that matter most for this row."
        )
    st.dataframe(
        pd.DataFrame(shown),
        hide_index=True,
        height="content",
        column_config=config,
        alt="Rows most like this one",
    )


def proposals(table: Table, values: CellValues) -> None:
    """Pairs worth comparing, both ways."""
    unit = views.value_view(values).row_unit
    kinds = {
        "Same value, different reasons": (
            pairs.alike_values_pairs(values),
            "Nearly the same row value, from very different cells.",
        ),
        "Alike rows, different values": (
            pairs.alike_rows_pairs(values, table),
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
            on_change=_take_pair,
            args=(f"pairs {title}",),
            disabled=not found,
            help=why,
        )


def _take_pair(key: str) -> None:
    pair = st.session_state[key]
    if pair is not None:
        state.select_sample("a", pair.first)
        state.select_sample("b", pair.second)
        st.session_state[key] = None


def difference(table: Table, values: CellValues, a: int, b: int) -> None:
    """Where two rows differ, largest difference first."""
    unit = views.value_view(values).row_unit
    gap = values.values[a] - values.values[b]
    order = np.argsort(-np.abs(np.nan_to_num(gap)), kind="stable")[:30]
    names = [values.column_names[j] for j in order]
    first, second = (f"row {table.row_numbers[i]:,}" for i in (a, b))
    number = st.column_config.NumberColumn(
        format=f"%.{unit.decimals}f", help=f"In {unit.long}; below 0 hurts."
    )
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
    config = {name: number for name in frame.columns if frame[name].dtype == float}
    st.dataframe(
        frame,
        hide_index=True,
        height="content",
        column_config=config,
        alt="Differences",
    )
