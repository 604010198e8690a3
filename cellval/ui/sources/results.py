"""Sources: blocks as a heatmap, shares of the total, tables, caveats and files."""

import numpy as np
import streamlit as st

from cellval.figures.blocks import heatmap, shares
from cellval.games.block_values import BlockValues
from cellval.methods import MODELS_OF
from cellval.table.table import Table
from cellval.text import counted
from cellval.ui import tables
from cellval.ui.charts import chart
from cellval.ui.export.files import csv_button
from cellval.ui.session import Session
from cellval.ui.sources.groups import BlocksChoice
from cellval.ui.text import plain
from cellval.ui.widgets import segments

FEW_LINES = 16  # more scroll
NOTHING = 1e-3  # accuracy above a guess that is not worth sharing
VALUE_HELP = (
    "What the group adds to the accuracy of the model, in percentage points (pp), on "
    "average over all orders in which groups may come together. Lower is worse; below "
    "0 the model does better without it."
)
STDERR_HELP = (
    "Standard error over rounds, in percentage points (pp): how far the value may be "
    "off by chance, because not all orders were tried. Exact values have none."
)
SHARE_HELP = (
    "The group's value in % of the total: the shares of all groups of rows sum to "
    "100 %, and so do those of all groups of columns."
)


def show(
    session: Session, table: Table, choice: BlocksChoice, blocks: BlockValues
) -> None:
    st.header("What each source adds", divider="gray")
    blocks = _counted_from(session, table, choice, blocks)
    total, guess, n_rows = blocks.total, blocks.baseline, int(blocks.n_rows.sum())
    score = "accuracy" if table.target is None else "closeness"
    words = (
        f"All blocks sum to **{100 * total:.1f} %**, the valued {score} of "
        f"{_model_words(table, choice)} with all sources and columns."
        if guess == 0
        else f"All blocks sum to **{100 * total:.1f} pp**: so far is "
        f"{_model_words(table, choice)} above a guess with all sources and columns "
        f"({100 * (total + guess):.1f} % against {100 * guess:.1f} % by "
        f"{_guess_words(table, choice)})."
    )
    if blocks.has_shares and len(blocks.row_groups) > 1:
        best = int(np.argmax(blocks.row_values))
        words += (
            f" The source that adds most is **{plain(blocks.row_groups[best])}**: "
            f"{100 * blocks.row_values[best] / total:.0f} % of it, with "
            f"{100 * blocks.n_rows[best] / n_rows:.0f} % of the rows."
        )
    st.markdown(
        words,
        help="Accuracy of KNN: the share of right votes among the nearest rows (soft "
        "vote)."
        if table.target is None
        else "Closeness: 100 % where predictions are right, 0 % where they are a width "
        "or more off.",
    )
    if choice.test == "hold-out":
        st.caption(
            f"Sources hold {counted(n_rows, 'row')}; the other "
            f"{table.n_rows - n_rows:,} are held out to test on."
        )
    for caveat in blocks.caveats():
        st.warning(plain(caveat), icon=":material/warning:")
    chart(heatmap(blocks, score), "Values of the blocks")
    if blocks.has_shares:
        chart(shares(blocks), "Shares of the total")
    _table(blocks, "rows", "Sources")
    if len(blocks.column_groups) > 1:
        _table(blocks, "columns", "Columns")
    _explain(blocks)
    unit = f"Values are shares of {score}: 0.0037 is 0.37 pp."
    a, b, _ = st.columns([1, 1, 2])
    csv_button(a, table, "Download the blocks", "blocks", blocks.to_frame(), unit)
    csv_button(b, table, "Download the shares", "shares", blocks.shares(), unit)


def _counted_from(
    session: Session, table: Table, choice: BlocksChoice, blocks: BlockValues
) -> BlockValues:
    """From 0, or from what a guess reaches, where the model reaches more."""
    if not blocks.total > blocks.guess + NOTHING:
        return blocks
    guess = f"a guess ({_guess_words(table, choice)}), {100 * blocks.guess:.1f} %"
    words = ("0 %", guess)
    chosen = st.segmented_control(
        "Values count from",
        **segments(session, "sources baseline", words),
        help="From 0 %, as on the other pages: then what a guess would reach is shared "
        "out, too, and every group gets the same part of it. From a guess (KNN: random "
        f"neighbours; other models: always {_common(table)}, as on the Repair page) "
        "only what is learned is shared out, and groups differ more.",
    )
    return blocks.above_guess() if chosen == words[1] else blocks


def _guess_words(table: Table, choice: BlocksChoice) -> str:
    """What is guessed: two guesses reach different accuracies."""
    return "random neighbours" if choice.model == "knn" else _common(table)


def _common(table: Table) -> str:
    return "the commonest class" if table.target is None else "the median"


def _model_words(table: Table, choice: BlocksChoice) -> str:
    if choice.model == "knn":
        return f"KNN with {counted(choice.n_neighbors, 'neighbour')}"
    return f"a model ({MODELS_OF[table.label_kind][choice.model].lower()})"


def _table(blocks: BlockValues, of: str, title: str) -> None:
    frame = blocks.shares()
    frame = frame[frame["groups_of"].isin([of, "total"])]
    frame[["value", "stderr"]] *= 100
    of_groups = frame[frame["groups_of"] == of]
    n_rows, n_cells = (_portion(of_groups[name].min()) for name in ("rows", "cells"))
    frame["per_rows"] = n_rows * frame["value"] / frame["rows"]
    frame["per_cells"] = n_cells * frame["value"] / frame["cells"]
    number = tables.number
    shown = {
        "group": tables.text(title.lower(), width="medium"),
        "value": number("value (pp)", 2, help=VALUE_HELP),
        "stderr": number("± std. error", 2, help=STDERR_HELP),
        "share_percent": number("share (%)", 1, help=SHARE_HELP),
        "share_stderr": number("± % ", 1, help=STDERR_HELP),
        "rows": number("rows", "localized"),
        "per_rows": number(
            f"{_per(n_rows, 'row')} (pp)",
            2 if n_rows > 1 else 3,
            help="The value by the group's rows: what rows of this source are worth, "
            "whatever its size. Small sources have it easier. As many rows as the "
            "smallest source has, rounded down to 1, 10, 100 or 1,000.",
        ),
        "columns": number("columns", "localized"),
        "cells": number("cells", "localized"),
        "per_cells": number(
            f"{_per(n_cells, 'cell')} (pp)",
            2 if n_cells > 1 else 3,
            help="The same by the group's cells.",
        ),
    }
    hidden = {"stderr", "share_stderr"} if blocks.exact else set()
    hidden |= {"columns"} if of == "rows" else {"rows", "per_rows"}
    names = [name for name in shown if name not in hidden]
    tables.draw(
        frame[names],
        f"{title} with their values and shares of the total",
        {name: shown[name] for name in names},
        few=FEW_LINES,
    )


def _portion(smallest: int) -> int:
    """For which number of rows or cells a value is said: no group has fewer."""
    return max(n for n in (1, 10, 100, 1000) if n <= max(1, smallest))


def _per(n: int, what: str) -> str:
    return f"per {what}" if n == 1 else f"per {n:,} {what}s"


def _explain(blocks: BlockValues) -> None:
    error = (
        "Values are exact: all unions of groups were tried, so there is no standard "
        "error. Other test rows would give somewhat other values."
        if blocks.exact
        else "Values are estimates from "
        f"{counted(blocks.n_evaluations, 'evaluation')}; ± is their standard error."
    )
    st.caption(
        "A group is one player: it comes with all of its rows, or not at all. Its "
        "value is not the sum of its cells' values on the other pages, because there "
        "every row is a player of its own: one row more or less hardly matters once "
        f"many are there, a whole group may. {error}"
    )
    with st.expander("Before someone is paid by these shares", icon=":material/help:"):
        st.markdown(
            "- **Copies share the credit.** Two sources with the same rows get half "
            "each of what one alone would get. Whoever splits one source into two "
            "changes what all others get.\n"
            "- **Size counts, with less and less effect.** The first thousand rows "
            "teach a model more than the tenth thousand; *per row* it therefore "
            "favours small sources.\n"
            "- **Everything depends on the test rows.** A source that looks like them "
            "is worth more. If test rows come from the sources themselves "
            "(leave-one-out, hold-out), large sources decide what counts.\n"
            "- **Below zero means harmful for this model and label**, not false: look "
            "at the source's rows on the heatmap before you refuse it.\n"
            "- **What a guess would reach is no one's merit.** Counted from 0 %, every "
            "group gets the same part of it, so that shares look alike. Let values "
            "count from a guess, where the model is better than one."
        )
