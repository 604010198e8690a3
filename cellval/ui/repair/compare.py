"""The repaired table beside the file as it was: numbers, cells, heatmaps."""

from typing import Any

import numpy as np
import streamlit as st

from cellval.figures.comparison import heatmaps
from cellval.glossary import (
    SUSPECT_HELP,
    SUSPICION_HELP,
    VALUE_HELP,
    VALUED_ACCURACY_HELP,
)
from cellval.repairs.repair import split
from cellval.ui import tables
from cellval.ui.charts import chart
from cellval.ui.runs import value_repaired
from cellval.ui.session import Session
from cellval.ui.sidebar import back_button
from cellval.ui.text import changes_words, plain
from cellval.ui.widgets import Window, action, lasting
from cellval.values.words import model_words, score_words
from cellval.views.matched_rows import MatchedRows, Version, cells_before_after
from cellval.views.value_view import value_view

WINDOW = 60  # rows, and columns, drawn at once
MOST_LINES = 200
FEW_LINES = 8  # more scroll


def value_again(session: Session) -> None:
    """Value the repaired table, and say which table pages show."""
    is_repaired = session.memo.first is not None
    if not is_repaired:
        st.caption("All pages show the file as it was.")
    else:
        st.markdown(
            ":material/build: All pages show the **repaired table** "
            f"({changes_words(session.memo.changes)})."
        )
        if not session.is_up_to_date:
            st.warning(
                "Changes were made or undone since. Value the table again to see what "
                "they do.",
                icon=":material/update:",
            )
    with st.container(horizontal=True):
        if not is_repaired or (session.file.repairs and not session.is_up_to_date):
            _run_button(session)
        if is_repaired:
            back_button(session, "back")


def _run_button(session: Session) -> None:
    action(
        "Value the repaired table" if session.memo.first is None else "Value again",
        lambda: value_repaired(session),
        key="value repaired",
        type="primary",
        icon=":material/play_arrow:",
        disabled=not session.file.repairs,
        help="Runs with the same options as before; a run that still goes on keeps "
        "what it has. Then all pages show the repaired table, and both versions are "
        "compared below.",
    )


def compare_runs(session: Session) -> None:
    """Numbers, repaired cells and heatmaps of the runs before and after."""
    first, second = session.memo.first, session.run
    assert first is not None and second is not None
    old, new = first.values, second.values
    if old is None or new is None:
        st.info("The comparison shows here as soon as there are values.")
        return
    if second.active:
        st.caption(":material/hourglass_top: The run goes on; values still sharpen.")
    before = Version(first.table, old, first.suspicion)
    after = Version(second.table, new, second.suspicion)
    _totals(before, after)
    _repaired_cells(session, before, after)
    _heatmaps(session, before, after)


def _totals(before: Version, after: Version) -> None:
    a, b = st.columns(2)
    settings = before.values.settings
    if settings.sums_to_score:
        old, new = before.values.total, after.values.total
        a.metric(
            f"Valued {score_words(settings)} of the {plain(model_words(settings))}",
            f"{100 * new:.1f} %",
            # Without a colour: how far chance reaches is not known here.
            **_change(
                f"{100 * (new - old):+.2f} percentage points (before: "
                f"{100 * old:.1f} %)"
            ),
            help=f"{VALUED_ACCURACY_HELP} Whether models got better, or it may be "
            "chance, is measured above.",
            border=True,
        )
    if before.suspicion is None or after.suspicion is None:
        return
    n_old, n_new = before.suspicion.n_flagged, after.suspicion.n_flagged
    b.metric(
        "Suspects",
        f"{n_new:,}",
        **_change(f"{n_new - n_old:+,} (before: {n_old:,})", n_old - n_new),
        help=SUSPECT_HELP,
        border=True,
    )


def _change(text: str, fewer: int = 0) -> dict[str, Any]:
    """Options of a metric: its change with a real minus sign, green for fewer.

    Streamlit knows only the hyphen and would draw a fall as a rise.
    """
    text = text.replace("-", "−")
    if fewer == 0:
        return {"delta": text, "delta_color": "off", "delta_arrow": "off"}
    return {
        "delta": text,
        "delta_color": "normal" if fewer > 0 else "inverse",
        "delta_arrow": "down" if fewer > 0 else "up",
    }


def _repaired_cells(session: Session, before: Version, after: Version) -> None:
    texts, _ = split(session.memo.changes)
    frame = cells_before_after(list(texts)[:MOST_LINES], before, after)
    if frame.empty:
        return
    unit = value_view(before.values).unit
    config = {"row_number": tables.row_number()}
    for word in ("before", "after"):
        frame[f"value {word}"] *= unit.factor
        config[f"value {word}"] = tables.number(
            f"value {word} ({unit.name})", unit.decimals, help=VALUE_HELP
        )
        config[f"rank {word}"] = tables.number(
            f"suspicion rank {word}", "localized", help=SUSPICION_HELP
        )
    tables.draw(frame, "Repaired cells before and after", config, few=FEW_LINES)
    if len(texts) > MOST_LINES:
        st.caption(f"The first {MOST_LINES:,} of {len(texts):,} repaired cells.")


def _heatmaps(session: Session, before: Version, after: Version) -> None:
    all_rows = st.toggle(
        "All rows",
        **lasting(session, "compare all", False),
        help="Also rows in which nothing was changed.",
    )
    rows = np.unique([row for row, _ in session.memo.changes]).astype(np.int64)
    rows = before.values.row_numbers if all_rows else rows
    windows = []
    names = before.values.column_names
    for what, n in (("row", len(rows)), ("column", len(names))):
        window = Window.of(session, f"compare {what}", n, WINDOW)
        window.slider(what, f"{WINDOW} of {n:,} {what}s are drawn.")
        windows.append((window.first, window.last))
    texts, drop = split(session.memo.changes)
    at = {name: j for j, name in enumerate(names)}
    cells = {(row, at[name]) for row, name in texts if name in at}
    chart(
        heatmaps(
            MatchedRows(before.values, after.values, rows[slice(*windows[0])]),
            np.arange(*windows[1]),
            cells | {(row, -1) for row in drop},
        ),
        "Heatmaps before and after",
    )
    st.caption(
        "Same rows in the same places, same colours for the same values. Outlined: "
        "cells that were repaired. Dropped rows are empty after the repair."
    )
