"""Validate: verdict, detection and removal curves, signals, missed errors, files."""

import math
from functools import partial
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from cellval.figures.validation import detection, inspected, removal
from cellval.table.table import Table
from cellval.text import content, counted, percent, short_names
from cellval.ui import tables
from cellval.ui.charts import chart
from cellval.ui.export.files import csv_button
from cellval.ui.session import Session
from cellval.ui.text import plain, spelled
from cellval.ui.widgets import segments
from cellval.validation.planting import KINDS

if TYPE_CHECKING:  # scikit-learn takes two seconds to load
    from cellval.validation.result import Validation

MISSED = 10  # errors to list
LATE = 0.2  # of the cells: errors found after so many look like ordinary cells
ZOOM = 0.1  # of the cells
# What each order of inspection follows, by its name in the library.
MEANINGS = {
    "Suspicion": "surprise and value: the inspection list",
    "Value within the class": "how much the cell hurts, among its class",
    "Value over all cells": "how much the cell hurts, among all cells",
    "Surprise": "how unusual the cell is among rows like it",
    "Class-wise |z|": "simple rule: how far from its class's middle",
    "Random": "no order at all",
}
FIRST_HELP = (
    "Of a planted error and a cell without one, how often the error is inspected "
    "first: 50 % is chance, 100 % is perfect. Statisticians call it the AUC."
)


def show(
    session: Session, table: Table, result: "Validation", *, live: bool = False
) -> None:
    """All that is known; `live` while the run goes on."""
    st.header("What would be found", divider="gray")
    st.markdown(verdict(result))
    _detection(session, result, live)
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
    n_cells, search = result.n_cells, result.search()
    n_rows, m = result.planted.wrong.shape
    planted = (
        f"{counted(result.n_wrong, 'error')} ({plain(KINDS[result.kind])}) in "
        f"{cells_words(n_rows, m, len(result.planted.held_out))}."
    )
    if search is None:
        return f"{planted} The cells are not valued yet."
    begin = "" if result.found else "So far, while values still sharpen: "
    texts = [
        f"{begin}**To find 90 % of errors like these you would inspect about "
        f"{_cells(search.for_most, n_cells)}**, the most suspicious first; in random "
        f"order 90 % of them. Half of them are found within "
        f"{_cells(search.for_half, n_cells)}."
    ]
    if search.is_chance:
        texts.append(
            "That is no better, or little better, than chance: errors of this kind "
            "look like ordinary cells here."
        )
    if search.better:
        texts.append(
            f"*{plain(search.better)}* would do with less: "
            f"{_cells(search.better_for_most, n_cells)}."
        )
    return f"{' '.join(texts)} Planted: {planted}"


def cells_words(n_rows: int, m: int, n_held_out: int) -> str:
    """Which cells are inspected, and why these are fewer than the table has."""
    are = "is" if n_held_out == 1 else "are"
    without = f"; {counted(n_held_out, 'other row')} {are} held out clean"
    return (
        f"{n_rows * m:,} cells: {counted(n_rows, 'row')} of {counted(m, 'column')}"
        f"{without if n_held_out else ''}"
    )


def _cells(share: float, n_cells: int) -> str:
    """A share of the cells, with two digits that matter."""
    k = share * n_cells
    digits = max(0, math.floor(math.log10(k)) - 1) if k >= 1 else 0
    size = f"{100 * share:.0f}" if share >= 0.1 else f"{100 * share:.1f}"
    return f"{round(round(k), -digits):,} of {n_cells:,} cells ({size} %)"


def _detection(session: Session, result: "Validation", live: bool) -> None:
    close, whole = words = (f"the first {percent(ZOOM)}", "all cells")
    search = result.search()
    # Where few errors are among the first cells, there is little to see of them.
    usual = whole if search is not None and search.for_half > ZOOM else close
    shown = st.segmented_control(
        "Show",
        **segments(session, f"validate zoom {usual}", words, usual),
        help="Where many errors are found among few cells, look at those closely.",
    )
    chart(
        detection(result, ZOOM if shown == close else 1.0),
        "Share of the planted errors found against share of the cells inspected, a "
        "line for each order of inspection",
        menu=not live,
    )


def signals_frame(result: "Validation") -> pd.DataFrame:
    """The library's table, with what each order follows."""
    frame = result.signals()
    frame.insert(1, "meaning", frame["signal"].map(MEANINGS))
    return frame


def _signals(result: "Validation") -> None:
    frame = signals_frame(result)
    frame[["auc", "found_first", "cells_for_50", "cells_for_90"]] *= 100
    number, n = tables.number, f"{result.n_wrong:,}"
    where = "of all cells, the worst by this order first"
    until = "Cells to inspect until {} errors are found.".format
    # Headings as narrow as they can be: all columns are seen on 1280 pixels.
    tables.draw(
        frame,
        "How soon each order of inspection finds the planted errors",
        {
            "signal": tables.text("order of inspection"),
            "meaning": tables.text("what it follows", width=262),
            "auc": number("error first (%)", 1, help=FIRST_HELP),
            "found_first": number(
                f"in first {n} (%)",
                1,
                help=f"Share of the errors among the first {n} cells: as many as there "
                "are errors, so that 100 % would be perfect.",
            ),
            "n_for_50": number("half (cells)", "localized", help=until("half of the")),
            "cells_for_50": number("half (%)", 1, help=f"In % {where}."),
            "n_for_90": number(
                "9 in 10 (cells)", "localized", help=until("nine in ten")
            ),
            "cells_for_90": number("9 in 10 (%)", 1, help=f"In % {where}."),
        },
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
    tree = result.refill_effect()
    assert tree is not None
    texts = [
        f"A decision tree that learns from the table with errors predicts "
        f"{100 * tree.with_errors:.1f} % of {counted(tree.n_tests, 'row')} held out "
        f"clean; from the clean table {100 * tree.clean:.1f} %."
    ]
    if not tree.hurts:
        texts.append(
            f"That difference is within noise, about ± {100 * tree.noise:.1f} pp: "
            "these errors hardly hurt this model, so there is little to win back."
        )
    if tree.gain is None or tree.random_gain is None:
        return spelled(" ".join(texts))
    texts.append(
        f"Refilling the {result.n_wrong:,} most suspicious cells changes it by "
        f"**{_points(*tree.gain)} pp**, as many random cells by "
        f"{_points(*tree.random_gain)} pp:"
    )
    if not tree.hurts:
        texts.append("where errors cost so little, this does not judge the order.")
    elif tree.lead == 0:
        texts.append("the difference between the two may be chance.")
    else:
        texts.append(
            f"clearly {'better' if tree.lead > 0 else 'worse'} than random cells."
        )
    return spelled(" ".join(texts))


def _points(change: float, error: float) -> str:
    return f"{100 * change:+.1f} ± {100 * error:.1f}".replace("-", "−")


# --- what was missed, and files -------------------------------------------------------


def _missed(result: "Validation") -> None:
    every = result.n_wrong <= MISSED
    st.subheader("When each was found" if every else "Found last")
    frame = result.errors().head(MISSED)
    frame["inspected"] = 100 * frame["rank"] / result.n_cells
    rank, until = frame[["rank", "inspected"]].iloc[0]
    st.markdown(
        (
            f"All {result.n_wrong:,} planted errors, the last one that the inspection "
            "list would show first"
            if every
            else f"The {MISSED} of {result.n_wrong:,} planted errors that the "
            "inspection list would show last"
        )
        + (
            ": errors found late look like ordinary cells."
            if until > 100 * LATE
            else f"; even the last is among the first {rank:,.0f} of "
            f"{result.n_cells:,} cells ({until:.1f} %)."
        )
    )
    for name in ("before", "planted"):
        frame[name] = frame[name].map(partial(content, length=24))
    frame["column"] = short_names(frame["column"].tolist())
    tables.draw(
        frame,
        "Planted errors that are found last, with what the cells held before",
        {
            "row_number": tables.row_number(),
            "before": tables.text("in your table", width=160),
            "planted": tables.text("planted instead", width=160),
            "rank": tables.number(
                "rank",
                "localized",
                help="By suspicion: so many cells are inspected until this one.",
            ),
            "inspected": tables.number(
                "of all cells (%)", 1, help="The rank in % of all cells."
            ),
        },
    )


def _files(table: Table, result: "Validation") -> None:
    st.space("small")
    a, b, c = st.columns(3)
    csv_button(
        a,
        table,
        "Download the numbers",
        "validation",
        signals_frame(result),
        "A line for each order of inspection; shares from 0 to 1.",
    )
    csv_button(
        b,
        table,
        "Download the curves",
        "validation-curves",
        result.points(inspected(result.n_cells)),
        "The points of both figures; shares from 0 to 1.",
    )
    csv_button(
        c,
        table,
        "Download the errors",
        "planted-errors",
        lambda: result.errors().rename(columns={"row_number": "row"}),
        "Every planted error: where, what it replaced, and its rank.",
    )
