"""The repaired table beside the file as it was: numbers, cells, heatmaps."""

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from cellval.detect.suspicion import Suspicion
from cellval.errors import InputError
from cellval.figures.comparison import heatmaps
from cellval.glossary import SUSPICION_HELP, VALUE_HELP
from cellval.jobs.background import Job
from cellval.repairs.repair import split
from cellval.text import content
from cellval.ui import session as state
from cellval.ui.text import changes_words, plain
from cellval.ui.widgets import chart, kept, row_column
from cellval.values.result import CellValues
from cellval.views import matched_rows
from cellval.views import value_view as views
from cellval.views.order import window

WINDOW = 60  # rows, and columns, drawn at once
MOST_LINES = 200


def value_again() -> None:
    """Value the repaired table, and say which table pages show."""
    first = state.before_run()
    if first is None:
        st.caption("All pages show the file as it was.")
    else:
        st.markdown(
            ":material/build: All pages show the **repaired table** "
            f"({changes_words(state.run_changes())})."
        )
        if not state.is_up_to_date():
            st.warning(
                "Changes were made or undone since. Value the table again to see what "
                "they do.",
                icon=":material/update:",
            )
    with st.container(horizontal=True):
        if first is None or (state.repairs() and not state.is_up_to_date()):
            _run_button()
        if first is not None:
            st.button(
                "Back to the file as it was",
                key="back",
                icon=":material/undo:",
                on_click=state.leave_repaired,
                help="Pages show the run on your file again; changes are kept.",
            )


def _run_button() -> None:
    if st.button(
        "Value the repaired table" if state.before_run() is None else "Value again",
        key="value repaired",
        type="primary",
        icon=":material/play_arrow:",
        disabled=not state.repairs(),
        help="Runs with the same options as before; a run that still goes on keeps "
        "what it has. Then all pages show the repaired table, and both versions are "
        "compared below.",
    ):
        try:
            state.run_repaired()
        except InputError as error:
            st.error(plain(str(error)), icon=":material/error:")
        else:
            st.rerun()


def compare_runs(first: Job, second: Job) -> None:
    """Numbers, repaired cells and heatmaps of two runs."""
    before, after = first.values, second.values
    if before is None or after is None:
        st.info("The comparison shows here as soon as there are values.")
        return
    if second.active:
        st.caption(":material/hourglass_top: The run goes on; values still sharpen.")
    suspected = state.suspicion_of(first), state.suspicion_of(second)
    _totals(before, after, *suspected)
    changes = state.run_changes()
    rows = np.unique([row for row, _ in changes]).astype(np.int64)
    _repaired_cells(first, second, *suspected)
    all_rows = st.toggle(
        "All rows",
        key=kept("compare all", False),
        persist_state="session",
        help="Also rows in which nothing was changed.",
    )
    pair = matched_rows.paired(before, after, before.row_numbers if all_rows else rows)
    pair = pair.part(*_window("row", len(pair.rows)))
    columns = np.arange(*_window("column", len(before.column_names)))
    chart(
        heatmaps(pair, columns, _outlined(), dark=st.context.theme.type == "dark"),
        "compared heatmaps",
        "Heatmaps before and after",
    )
    st.caption(
        "Same rows in the same places, same colours for the same values. Outlined: "
        "cells that were repaired. Dropped rows are empty after the repair."
    )


def _outlined() -> set[tuple[int, int]]:
    table = state.original()
    assert table is not None
    texts, drop = split(state.run_changes())
    at = {name: j for j, name in enumerate(table.feature_names)}
    cells = {(row, at[name]) for row, name in texts if name in at}
    return cells | {(row, -1) for row in drop}


def _window(what: str, n: int) -> tuple[int, int]:
    """First and last position drawn; few need no slider."""
    if n <= WINDOW:
        return 0, n
    key = kept(f"compare {what}", 1)
    first, last = window(n, st.session_state[key] - 1, WINDOW)
    st.session_state[key] = first + 1
    st.slider(
        f"First {what} of the window",
        1,
        n - WINDOW + 1,
        key=key,
        persist_state="session",
        help=f"{WINDOW} of {n:,} {what}s are drawn.",
    )
    return first, last


def _totals(
    before: CellValues,
    after: CellValues,
    old: Suspicion | None,
    new: Suspicion | None,
) -> None:
    a, b = st.columns(2)
    if before.sums_to_score:
        change = after.total - before.total
        model = "KNN" if before.model == "KNN model" else before.model.capitalize()
        a.metric(
            f"{model} accuracy: total of all values",
            f"{100 * after.total:.1f} %",
            f"{100 * change:+.2f} pp (before: {100 * before.total:.1f} %)",
            delta_color="normal" if abs(change) >= 5e-5 else "off",
            help="The accuracy (of KNN: the share of the nearest rows' votes that are "
            "right) over all rows that were predicted. It counts the changed rows, "
            "too, so it is no proof: “Did it help?” above asks rows that were not "
            "touched.",
            border=True,
        )
    if old is None or new is None:
        return
    b.metric(
        "Suspicious cells",
        f"{new.n_flagged:,}",
        f"{new.n_flagged - old.n_flagged:+,} (before: {old.n_flagged:,})",
        delta_color="inverse" if new.n_flagged != old.n_flagged else "off",
        help="Cells flagged by the rule, which aims at one false alarm in ten.",
        border=True,
    )


def _repaired_cells(
    first: Job, second: Job, old: Suspicion | None, new: Suspicion | None
) -> None:
    """What became of each repaired cell."""
    texts, _ = split(state.run_changes())
    unit = views.value_view(first.values).unit if first.values else None
    assert unit is not None
    lines = []
    for row, name in list(texts)[:MOST_LINES]:
        if name not in first.table.feature_names:
            continue
        sides = [
            _place(run, about, row, name)
            for run, about in ((first, old), (second, new))
        ]
        line = {"row": row, "column": name}
        for word, (text, value, rank) in zip(("before", "after"), sides, strict=True):
            line |= {
                word: text,
                f"value {word}": value * unit.factor,
                f"rank {word}": rank,
            }
        lines.append(line)
    if not lines:
        return
    order = [
        "row",
        "column",
        *(
            f"{what}{word}"
            for what in ("", "value ", "rank ")
            for word in ("before", "after")
        ),
    ]
    number = st.column_config.NumberColumn
    size: dict[str, Any] = {"format": f"%.{unit.decimals}f", "help": VALUE_HELP}
    place: dict[str, Any] = {"format": "localized", "help": SUSPICION_HELP}
    st.dataframe(
        pd.DataFrame(lines)[order],
        hide_index=True,
        height="content" if len(lines) <= 8 else 38 + 35 * 8,
        column_config={
            "row": row_column(),
            "value before": number(f"value before ({unit.name})", **size),
            "value after": number(f"value after ({unit.name})", **size),
            "rank before": number("suspicion rank before", **place),
            "rank after": number("suspicion rank after", **place),
        },
        placeholder="–",
        alt="Repaired cells before and after",
    )
    if len(texts) > MOST_LINES:
        st.caption(f"The first {MOST_LINES:,} of {len(texts):,} repaired cells.")


def _place(
    run: Job, suspicion: Suspicion | None, row: int, name: str
) -> tuple[str, float, int | None]:
    """Content, value and suspicion rank of a cell in one of the runs."""
    table, values = run.table, run.values
    if row not in table.row_numbers or values is None:
        return "(dropped)", np.nan, None
    i, j = table.position(row), table.feature_names.index(name)
    rank = int(suspicion.ranks[i, j]) if suspicion is not None else None
    return content(table.cells[name].iat[i]), float(values.values[i, j]), rank
