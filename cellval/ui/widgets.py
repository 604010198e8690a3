"""Pieces that several pages share: a cell's detail, decisions, clicks, row choosing."""

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from cellval.detect.reasons import reasons
from cellval.detect.suspicion import Suspicion
from cellval.figures import distribution
from cellval.glossary import (
    RANK_HELP,
    STDERR_HELP,
    SURPRISE_HELP,
    SUSPICION_HELP,
    VALUE_HELP,
    WITHIN_HELP,
)
from cellval.jobs.background import Steps
from cellval.methods import METHODS
from cellval.table import describe as places
from cellval.table.table import Table
from cellval.text import content, percent, share, spoken_time
from cellval.ui import session as state
from cellval.ui.guard import need_values
from cellval.ui.repair.changes import repair_block
from cellval.ui.text import plain
from cellval.values.result import CellValues
from cellval.values.words import effect
from cellval.views import similar
from cellval.views import value_view as views

N_NEAR = 8
DECISION_WORDS = {"error": "Flag", "fine": "Fine", "unsure": "Unsure"}
DECISION_HELP = {
    "error": "This cell is wrong: mark it as an error. Again: take back.",
    "fine": "This cell is right, however unusual. Again: take back.",
    "unsure": "Come back to this cell later. Again: take back.",
}
# Wide pages are mostly margin otherwise.
TIGHT = "<style>.stMainBlockContainer {padding: 3rem 2.5rem 3rem 2.5rem}</style>"
CHART_CONFIG = {"displaylogo": False, "scrollZoom": False}


def table_and_values() -> tuple[Table, CellValues]:
    """What pages show; ends the page with a hint where there is nothing yet."""
    st.html(TIGHT)
    values = need_values()
    run, table = state.job(), state.table()
    assert table is not None
    if run is not None and run.active:
        st.caption(
            f":material/hourglass_top: Partial results after {run.progress.seen}. "
            "Values still move and sharpen while the run goes on."
        )
    if not values.settings.additive:
        method = METHODS[values.settings["by"]]
        st.info(f"**{method.title}.** {method.means}", icon=":material/info:")
    return table, values


def side_progress(name: str, steps: Steps, words: str, keeps: str) -> None:
    """How far a computation beside the run is, and the button that stops it."""
    left = steps.progress.seconds_left
    time_left = f", about {spoken_time(left)} left" if left == left else ""
    st.progress(min(1.0, steps.progress.done), text=f"{words}{time_left}")
    st.button(
        "Stop",
        key=f"stop {name}",
        icon=":material/stop:",
        on_click=state.stop_side,
        args=(name,),
        help=keeps,
    )


def clicked(key: str) -> dict[str, str] | None:
    """The custom data of the point last clicked in a chart; None if deselected."""
    event = st.session_state.get(key)
    points = event["selection"]["points"] if event else []
    if not points or "customdata" not in points[-1]:
        return None
    data = points[-1]["customdata"]
    if isinstance(data, Mapping):
        return {str(name): str(value) for name, value in data.items()}
    return {str(k): str(value) for k, value in enumerate(data)}


def chart(
    figure: Any, key: str, alt: str, on_select: Any = "ignore", *, menu: bool = True
) -> Any:
    """A figure that answers clicks on points, not lassos, and can be saved."""
    drawn = st.plotly_chart(
        figure,
        key=key,
        on_select=on_select,
        selection_mode="points",
        config={**CHART_CONFIG, "displayModeBar": "hover" if menu else False},
        alt=alt,
    )
    if menu:
        st.download_button(
            "Save as HTML",
            lambda: figure.to_html(include_plotlyjs=True).encode(),
            file_name=f"{alt}.html",
            mime="text/html",
            key=f"{key} html",
            on_click="ignore",
            type="tertiary",
            icon=":material/download:",
            help="The figure as a page that opens without a server. As a picture: the "
            "camera in the menu on the figure.",
        )
    return drawn


def cell_detail(table: Table, values: CellValues, prefix: str) -> None:
    """Everything about the selected cell, and what to do with it."""
    cell = state.selected_cell()
    if (
        cell is None
        or cell[0] >= len(values.values)
        or cell[1] not in values.column_names
    ):
        with st.container(border=True):
            st.markdown("##### :material/ads_click: No cell selected")
            st.caption(
                "Click a cell to see its content, what its value means, how usual it "
                "is in its column, and what similar rows hold there."
            )
        return
    index, name = cell
    j = values.column_names.index(name)
    view = views.value_view(values)
    row = int(values.row_numbers[index])
    text = table.cells[name].iat[index]
    value, stderr = float(values.values[index, j]), float(values.stderr[index, j])
    with st.container(border=True, gap="xsmall"):
        st.markdown(f"##### {plain(name)}: {plain(content(text, 80))}")
        st.caption(_whose(table, values, index))
        if values.settings.additive:
            st.markdown(plain(effect(value, stderr, model=values.model)))
        st.markdown(
            f"**Value** {view.unit.with_error(value, stderr)}",
            help=f"{VALUE_HELP} {STDERR_HELP}",
        )
        rank, over_all = view.ranks[index, j], view.rank_over_all(index, j)
        n = np.count_nonzero(view.ranks)
        st.markdown(
            f"**Rank** {rank:,} of {n:,} within its class, {over_all:,} over all cells"
            if rank
            else "**Rank** none",
            help=f"{RANK_HELP} {WITHIN_HELP}",
        )
        suspected = state.suspicion()
        if suspected is not None:
            _suspicion(suspected, index, j)
        decision_buttons(row, name, prefix)
        repairs = st.container(gap="xsmall")
        if st.button(
            "Explain this row",
            key=f"{prefix} explain",
            icon=":material/waterfall_chart:",
            width="stretch",
            help="Why the whole row has its value: what each of its cells adds.",
        ):
            state.select_row(index)
            state.goto("sample")
        _in_column(table, index, name, text, prefix)
        _among_near(table, index, name)
        with repairs:  # last: suggestions for a large table take a moment
            run = state.job()
            repair_block(table, run.surprise if run else None, index, name, prefix)


def _suspicion(suspicion: Suspicion, index: int, j: int) -> None:
    """How odd the cell is, and what that and its value together mean."""
    n = suspicion.scores.size
    st.markdown(
        f"**Suspicion** {share(suspicion.scores[index, j])} · rank "
        f"{suspicion.ranks[index, j]:,} of {n:,} cells",
        help=SUSPICION_HELP,
    )
    st.markdown(
        f"**Surprise** {share(suspicion.surprise.surprise[index, j])} · "
        f"{plain(suspicion.corner_of(index, j))}",
        help=SURPRISE_HELP,
    )
    why = reasons(suspicion, np.array([index]), np.array([j]))[0]
    if why.rstrip(".").casefold() != suspicion.corner_of(index, j):
        st.caption(plain(why))


def _whose(table: Table, values: CellValues, index: int) -> str:
    words = [f"Row {values.row_numbers[index]:,}"]
    if table.id_column is not None:
        words.append(f"{plain(table.id_column)} {plain(values.ids[index])}")
    words.append(f"{plain(table.label)}: {plain(values.labels[index])}")
    return " · ".join(words)


def decision_buttons(row: int, column: str, prefix: str) -> None:
    """Error, fine or unsure; the one that holds is filled."""
    now = state.get_decision(row, column)
    with st.container(horizontal=True, gap="xsmall"):
        for decision in state.DECISIONS:
            st.button(
                DECISION_WORDS[decision],
                key=f"{prefix} {decision}",
                type="primary" if now == decision else "secondary",
                help=DECISION_HELP[decision],
                width="stretch",
                on_click=state.decide,
                args=(row, column, None if now == decision else decision),
            )


def _in_column(table: Table, index: int, name: str, text: str, prefix: str) -> None:
    column = places.column_of(table, name)
    label = table.classes[int(table.y[index])]
    st.markdown("**In its column**", help="Shares of the cells that are not missing.")
    chart(
        distribution.distribution(places.spread(table, index, name), label, text),
        f"{prefix} distribution",
        "Distribution of the column, over all rows and within the class of this row",
    )
    if column.missing[index]:
        stray = content(text) != "(blank)" and column.kind in ("number", "date")
        words = (
            f"it cannot be read as a {column.kind} and counts as" if stray else "it is"
        )
        share = percent(float(column.missing[table.y == table.y[index]].mean()))
        st.caption(
            f"This cell has no place here: {words} missing, like {share} of this "
            f"column's cells in class {plain(label)}."
        )
        return
    for place in places.place(table, index, name):
        st.caption(f"{plain(place_words(place, column.codes is not None))}")


def place_words(place: places.Place, category: bool) -> str:
    """A cell's place among cells of its column, as a sentence."""
    if category:
        return (
            f"Among {place.who}: {percent(place.same)} hold the same; most common: "
            f"{place.usual}."
        )
    return (
        f"Among {place.who}: higher than {percent(place.below)}, lower than "
        f"{percent(place.above)} of the cells; nine in ten lie in {place.usual}."
    )


def _among_near(table: Table, index: int, name: str) -> None:
    near, apart = similar.nearest(table, index, N_NEAR, without=name)
    st.markdown(
        "**In the rows most like it**",
        help="The rows nearest to this one in all other columns, by the distance that "
        "the KNN model uses. Distance 0 is equal; two random rows are about 1 apart.",
    )
    frame = pd.DataFrame(
        {
            "row": table.row_numbers[near],
            "content": table.cells[name].iloc[near].to_numpy(object),
            "class": [table.classes[k] for k in table.y[near]],
            "distance": apart,
        }
    )
    st.dataframe(
        frame,
        hide_index=True,
        height="content",
        column_config={
            "row": row_column(),
            "content": st.column_config.TextColumn(brief_name(name)),
            "class": st.column_config.TextColumn(brief_name(table.label)),
            "distance": st.column_config.NumberColumn(
                format="%.2f", help="0: equal; about 1: as two random rows."
            ),
        },
        alt="Rows most like this one, with what they hold in this column",
    )


def brief_name(name: str) -> str:
    """A column's name as a heading."""
    return content(name, 24)


def row_column() -> Any:
    return st.column_config.NumberColumn(
        "row",
        format="%d",
        width=55,
        help="As counted in the file: from 1, no header.",
    )


def flagged_cells(values: CellValues) -> set[tuple[int, int]]:
    """Position of the cells that a person flagged as errors."""
    wanted = [cell for cell, what in state.all_decisions().items() if what == "error"]
    places = {name: j for j, name in enumerate(values.column_names)}
    rows = np.searchsorted(values.row_numbers, [row for row, _ in wanted])
    return {
        (int(i), places[name])
        for i, (row, name) in zip(rows, wanted, strict=True)
        if name in places and i < len(values.ids) and values.row_numbers[i] == row
    }


def view_key(*parts: Any) -> str:
    """A widget key that changes with what is shown, so that no selection is stale."""
    return " ".join(map(str, parts))


def kept(name: str, default: Any, allowed: Collection[Any] | None = None) -> str:
    """Key of a widget whose value outlives page switches, with a valid value in it."""
    key = state.widget_key(name)
    missing = key not in st.session_state
    if missing or (allowed is not None and st.session_state[key] not in allowed):
        st.session_state[key] = default
    return key
