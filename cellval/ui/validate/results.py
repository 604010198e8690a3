"""Validate: verdict, detection and removal curves, signals, missed errors, files."""

import math
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import streamlit as st

from cellval.figures.validation import detection, removal
from cellval.stats import SURE
from cellval.table.table import Table
from cellval.text import content, counted, percent
from cellval.ui import session as state
from cellval.ui.export.files import csv_button
from cellval.ui.text import plain
from cellval.ui.widgets import chart, kept, row_column
from cellval.validation.planting import KINDS
from cellval.views.inspection import inspected

if TYPE_CHECKING:  # scikit-learn takes two seconds to load
    from cellval.validation.result import Validation

MISSED = 10  # errors to list
BETTER = 0.8  # of the cells: so much less work is worth a sentence
CHANCE = 0.6  # AUC below which finding is little better than chance
ZOOM = 0.1  # of the cells
# What each order of inspection follows, by its name in the library.
MEANINGS = {
    "Suspicion": "surprise and value together: the inspection list",
    "Value within the class": "how much the cell hurts, among its class",
    "Value over all cells": "how much the cell hurts, among all cells",
    "Surprise": "how unusual the cell is, given rows like it",
    "Class-wise |z|": "simple rule: how far from the middle of its class",
    "Random": "no order at all",
}
AUC_HELP = (
    "Chance that a planted error is inspected before a cell without one: 0.5 is "
    "chance, 1 is perfect."
)


def show(table: Table, result: "Validation", *, live: bool = False) -> None:
    """All that is known; `live` while the run goes on."""
    st.header("What would be found", divider="gray")
    st.markdown(verdict(result))
    _detection(result, live)
    _signals(result)
    if result.removal or math.isfinite(result.accuracy_clean):
        _removal(result, live)
    if result.found:
        _missed(result)
    if not live:
        _files(table, result)


# --- detection ------------------------------------------------------------------------


def verdict(result: "Validation") -> str:
    """How much must be inspected, as sentences."""
    planted = (
        f"{counted(result.n_wrong, 'error')} ({plain(KINDS[result.kind])}) in "
        f"{result.n_cells:,} cells."
    )
    frame = result.frame().set_index("signal")
    if "Suspicion" not in frame.index:
        return f"{planted} The cells are not valued yet."
    half, most = frame.loc["Suspicion", ["cells_for_50", "cells_for_90"]]
    begin = "" if result.found else "So far, while values still sharpen: "
    texts = [
        f"{begin}**To find 90 % of errors like these you would inspect about "
        f"{_cells(most, result.n_cells)}**, the most suspicious first; in random order "
        f"90 % of them. Half of them are found within {_cells(half, result.n_cells)}."
    ]
    if frame.loc["Suspicion", "auc"] < CHANCE:
        texts.append(
            "That is no better, or little better, than chance: errors of this kind "
            "look like ordinary cells here."
        )
    others = frame.drop(index=["Suspicion", "Random"])["cells_for_90"]
    if result.found and len(others) and others.min() < BETTER * most:
        texts.append(
            f"*{plain(others.idxmin())}* would do with less: "
            f"{_cells(others.min(), result.n_cells)}."
        )
    return f"{' '.join(texts)} Planted: {planted}"


def _cells(share: float, n_cells: int) -> str:
    """A share of the cells, with two digits that matter."""
    k = share * n_cells
    digits = max(0, math.floor(math.log10(k)) - 1) if k >= 1 else 0
    size = f"{100 * share:.0f}" if share >= 0.1 else f"{100 * share:.1f}"
    return f"{round(round(k), -digits):,} of {n_cells:,} cells ({size} %)"


def _detection(result: "Validation", live: bool) -> None:
    words = ("all cells", f"the first {percent(ZOOM)}")
    shown = st.segmented_control(
        "Show",
        words,
        required=True,
        key=kept("validate zoom", words[0], words),
        persist_state="session",
        help="Where many errors are found among few cells, look at those closely.",
    )
    chart(
        detection(result, ZOOM if shown == words[1] else 1.0),
        state.widget_key("detection"),
        "Share of the planted errors found against share of the cells inspected, a "
        "line for each order of inspection",
        menu=not live,
    )


def signals_frame(result: "Validation") -> pd.DataFrame:
    """The library's table, with numbers of cells beside shares."""
    frame = result.frame()
    for level in ("50", "90"):
        share = frame[f"cells_for_{level}"]
        place = frame.columns.get_loc(f"cells_for_{level}")
        frame.insert(place, f"n_for_{level}", (share * result.n_cells).round())
    frame.insert(1, "meaning", frame["signal"].map(MEANINGS))
    return frame


def _signals(result: "Validation") -> None:
    frame = signals_frame(result)
    frame[["found_first", "cells_for_50", "cells_for_90"]] *= 100
    number = st.column_config.NumberColumn
    n = f"{result.n_wrong:,}"
    where = "of all cells, the worst by this order first"
    st.dataframe(
        frame,
        hide_index=True,
        height="content",
        column_config={
            "signal": st.column_config.TextColumn("order of inspection"),
            "meaning": st.column_config.TextColumn("what it follows", width=300),
            "auc": number("AUC", format="%.3f", help=AUC_HELP),
            "found_first": number(
                f"in the first {n} (%)",
                format="%.1f",
                help=f"Share of the errors among the first {n} cells: as many as there "
                "are errors, so that 100 % would be perfect.",
            ),
            "n_for_50": number(
                "half (cells)",
                format="localized",
                help="Cells to inspect until half of the errors are found.",
            ),
            "cells_for_50": number("half (%)", format="%.1f", help=f"In % {where}."),
            "n_for_90": number(
                "nine in ten (cells)",
                format="localized",
                help="Cells to inspect until nine in ten errors are found.",
            ),
            "cells_for_90": number(
                "nine in ten (%)", format="%.1f", help=f"In % {where}."
            ),
        },
        alt="How soon each order of inspection finds the planted errors",
    )


# --- removal --------------------------------------------------------------------------


def _removal(result: "Validation", live: bool) -> None:
    st.subheader("Does a model get better when the first cells are refilled?")
    if not result.removal:
        st.caption("A decision tree is measured once the errors were looked for.")
        return
    st.markdown(removal_words(result))
    chart(
        removal(result),
        state.widget_key("removal"),
        "Accuracy of a decision tree on rows held out clean, against share of the "
        "cells refilled, a line for each order",
        menu=not live,
    )
    st.caption(
        "Refilled: a number becomes the mean of its column, a category the most common "
        "one. ± is the standard error of the change over the held-out rows, the band "
        "twice that: lines within it may differ by chance. A tree may change as much "
        f"again when it learns from slightly other cells. {plain(result.note)}"
    )


def removal_words(result: "Validation") -> str:
    """What the errors cost the tree and what refilling gives back, with its noise."""
    own, share = result.removal["Suspicion"], result.n_wrong / result.n_cells
    n, dirty = own.hits.shape[1], float(own.accuracy[0])
    clean = result.accuracy_clean
    noise = math.sqrt(max(clean * (1 - clean), 1 / n) / n)
    texts = [
        f"A decision tree that learns from the table with errors predicts "
        f"{100 * dirty:.1f} % of {counted(n, 'row')} held out clean; from the clean "
        f"table {100 * clean:.1f} %."
    ]
    hurt = abs(clean - dirty) >= SURE * noise
    if not hurt:
        texts.append(
            f"That difference is within noise (about ± {100 * noise:.1f} points): "
            "these errors hardly hurt this model, so there is little to win back."
        )
    if own.removed[-1] < share:
        return " ".join(texts)
    rest = result.removal["Random"]
    texts.append(
        f"Refilling the {result.n_wrong:,} most suspicious cells changes it by "
        f"**{_points(*own.gain_at(share))} points**, as many random cells by "
        f"{_points(*rest.gain_at(share))}:"
    )
    k = int(np.argmin(np.abs(own.removed - share)))
    apart = own.hits[k] - rest.hits[k]
    lead, error = float(apart.mean()), float(apart.std(ddof=1) / math.sqrt(n))
    if not hurt:
        texts.append("where errors cost so little, this does not judge the order.")
    elif abs(lead) <= SURE * error:
        texts.append("the difference between the two may be chance.")
    else:
        texts.append(f"clearly {'better' if lead > 0 else 'worse'} than random cells.")
    return " ".join(texts)


def _points(change: float, error: float) -> str:
    return f"{100 * change:+.1f} ± {100 * error:.1f}".replace("-", "−")


# --- what was missed, and files -------------------------------------------------------


def _missed(result: "Validation") -> None:
    st.subheader("Found last")
    frame = result.planted().head(MISSED)
    last = frame["rank"].iloc[0] / result.n_cells
    st.markdown(
        "The planted errors that the inspection list would show last: such errors look "
        "like ordinary cells."
        if last > 0.2
        else "The planted errors that the inspection list would show last; even these "
        "are among the first cells.",
    )
    for name in ("before", "planted"):
        frame[name] = frame[name].map(content)
    frame["inspected"] = 100 * frame["rank"] / result.n_cells
    number = st.column_config.NumberColumn
    st.dataframe(
        frame,
        hide_index=True,
        height="content",
        column_config={
            "row": row_column(),
            "before": st.column_config.TextColumn("in your table"),
            "planted": st.column_config.TextColumn("planted instead"),
            "rank": number(
                "rank",
                format="localized",
                help="By suspicion: so many cells are inspected until this one.",
            ),
            "inspected": number(
                "of all cells (%)", format="%.1f", help="The rank in % of all cells."
            ),
        },
        alt="Planted errors that are found last, with what the cells held before",
    )


def curves_frame(result: "Validation") -> pd.DataFrame:
    """Both kinds of curves, a line per point."""
    cells = inspected(result.n_cells)
    shares = cells / result.n_cells
    parts = [
        pd.DataFrame(
            {
                "curve": "errors found",
                "order": name,
                "cells": cells,
                "share_of_cells": shares,
                "share": curve.found_at(shares),
            }
        )
        for name, curve in result.curves.items()
    ]
    parts += [
        pd.DataFrame(
            {
                "curve": "accuracy",
                "order": name,
                "cells": (own.removed * result.n_cells).round().astype(int),
                "share_of_cells": own.removed,
                "share": own.accuracy,
                "stderr_of_change": [own.gain_at(share)[1] for share in own.removed],
            }
        )
        for name, own in result.removal.items()
    ]
    return pd.concat(parts, ignore_index=True)


def _files(table: Table, result: "Validation") -> None:
    st.space("small")
    files: list[tuple[str, str, Callable[[], pd.DataFrame], str]] = [
        (
            "Download the numbers",
            "validation",
            partial(signals_frame, result),
            "A line for each order of inspection; shares from 0 to 1.",
        ),
        (
            "Download the curves",
            "validation-curves",
            partial(curves_frame, result),
            "The points of both figures; shares from 0 to 1.",
        ),
        (
            "Download the errors",
            "planted-errors",
            result.planted,
            "Every planted error: where, what it replaced, and its rank.",
        ),
    ]
    for place, file in zip(st.columns(3), files, strict=True):
        with place:
            csv_button(table, *file)
