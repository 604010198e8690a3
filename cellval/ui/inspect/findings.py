"""The list of findings: filters, one line a question, progress, one undo."""

import hashlib
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from cellval import glossary as words
from cellval.detect.finding import Finding
from cellval.detect.learning import Taught
from cellval.repairs.work import Step
from cellval.text import counted
from cellval.ui import many, tables
from cellval.ui.inspect.filters import classes_filter, columns_filter
from cellval.ui.parts import FINDINGS, then_finding, then_page
from cellval.ui.session import Session, Shown
from cellval.ui.widgets import lasting, one_of, segments
from cellval.views.answers import finding_with
from cellval.views.findings_list import (
    LINES,
    ORDERS,
    STATES,
    Asked,
    Place,
    found_columns,
    kinds_of,
    lines,
    opened,
    place_of,
    progress,
)

ON_REQUEST = ("sure", "expected_errors")  # the table's own menu of columns shows them
MOST_LINES = 3  # of a wrapped text: the panel has all of it
HIGH = 640  # pixels; a longer list scrolls
OPENED = "▶"  # before the line of the open question


VIEW = "list view"  # name of the widget that says what is looked at
VIEWS = {
    "Findings": "Questions, one answer each for all cells that are odd alike.",
    "Cells": "The most suspicious cells, or those of lowest value, one by one.",
    "Map": "All cells: does it hurt, against: is it surprising?",
}


def choose_view(session: Session) -> str:
    """What to look at; a link to a cell opens the list of cells."""
    if session.selection.from_elsewhere and session.selection.cell is not None:
        session.selection.from_elsewhere = False
        look_at(session, "Cells")
    view: str = st.segmented_control(
        "What to look at",
        **segments(session, VIEW, tuple(VIEWS)),
        label_visibility="collapsed",
        help=" ".join(f"{name}: {said}" for name, said in VIEWS.items()),
    )
    return view


def look_at(session: Session, view: str) -> None:
    """Called before the page is drawn: it opens with this view."""
    st.session_state[session.widget_key(VIEW)] = view


def say_why_none(session: Session) -> None:
    """What is missing on the page while surprise is not known."""
    st.info(
        "Questions come as soon as cells were compared with each other. Their values "
        "so far are under Cells."
        if session.run is not None and session.run.active
        else "There are no questions: the run ended before cells were compared with "
        "each other, or comparing them failed (the server's log says why). Values are "
        "under Cells."
    )


def choose(shown: Shown, taught: Taught) -> Asked:
    """The widgets above the list, which combine, and how far a person is."""
    session, table = shown.session, shown.table
    found = taught.findings + taught.answered
    again: dict[str, Any] = {"on_change": _from_the_first, "args": (session,)}
    counts = {"open": len(taught.findings), "answered": len(taught.answered)}
    titles = {
        name: f"{STATES[name].capitalize()} ({n:,})" for name, n in counts.items()
    }
    places = list(st.columns([3] * 5, vertical_alignment="bottom"))
    search = places.pop(0).text_input(
        "Search",
        **lasting(session, "findings search", ""),
        **again,
        placeholder="any words",
        help="Findings with all these words in their title, evidence or cells.",
    )
    kinds_there = kinds_of(found)
    kinds = places.pop(0).multiselect(
        "Kinds",
        list(kinds_there),
        format_func=lambda kind: kinds_there.get(kind, kind),
        **lasting(session, "findings kinds", []),
        **again,
        placeholder="all kinds",
        help="Findings of these kinds only.",
    )
    columns = columns_filter(
        places.pop(0),
        session,
        "findings",
        found_columns(table, found),
        help="Findings with a cell in one of these columns.",
        **again,
    )
    classes: list[str] = []
    if table.label:
        classes = classes_filter(
            places.pop(0),
            session,
            "findings",
            table,
            shown.values.settings,
            "Findings with a cell in a row of these classes.",
            **again,
        )
    by = places.pop(0).selectbox(
        "Order",
        **one_of(session, "findings order", ORDERS),
        **again,
        help=words.TEACHING_HELP,
    )
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        state = st.segmented_control(
            "Open or answered",
            **segments(session, "findings state", titles),
            **again,
            label_visibility="collapsed",
            help=words.STATES_HELP,
        )
        st.markdown(progress(taught), width="content", help=words.PROGRESS_HELP)
    return Asked(
        state, by, tuple(kinds), tuple(columns), tuple(classes), (search or "").strip()
    )


def _from_the_first(session: Session) -> None:
    """Another list opens its first finding."""
    session.touch()
    session.selection.finding = None


def show(shown: Shown, taught: Taught, found: list[Finding], asked: Asked) -> None:
    """The list, a page of lines at a time, below what the last answer did."""
    session = shown.session
    with st.container():
        put_off = _undo_later(session, taught)
        many.undo_last(
            session.file,
            "findings undo",
            shortcut=None if put_off else "Z",
            undo=partial(then_page, session, _undo, shown, taught),
        )
    if not found:
        st.info(_nothing(taught, asked))
        return
    n_pages, page = math.ceil(len(found) / LINES), 1
    with st.container():
        if n_pages > 1:
            name = f"findings page {hash(asked)}"
            page = st.pagination(n_pages, key=session.widget_key(name))
            page = min(page, n_pages)
    first = (page - 1) * LINES
    some = found[first : first + LINES]
    frame = lines(shown.table, some, session.file.decisions)
    open_one = partial(opened, taught, found)
    _draw(session, frame, some, open_one, asked.state)
    if n_pages > 1:
        last = min(first + LINES, len(found))
        st.caption(f"{first + 1:,} to {last:,} of {counted(len(found), 'question')}.")


def _undo_later(session: Session, taught: Taught) -> bool:
    """What was left for later, and a button that asks the latest of it now; was that
    the last thing that was done here?
    """
    open_ = {place_of(one) for one in taught.findings}
    places = [place for place in session.later if place in open_]
    if not places:
        return False
    is_last = session.later[places[-1]] == session.file.n_done
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        n = counted(len(places), "question")
        st.markdown(f":material/schedule: {n} left for later.", width="content")
        st.button(
            "Ask now",
            key="findings not later",
            icon=":material/undo:",
            shortcut="Z" if is_last else None,
            on_click=partial(then_page, session, _not_later, session, places[-1]),
            help="The one that you left for later last has its old place again, and "
            "opens.",
        )
    return is_last


def _not_later(session: Session, place: Place) -> None:
    session.later.pop(place, None)
    session.selection.finding = place


def _nothing(taught: Taught, asked: Asked) -> str:
    filters = asked.kinds, asked.columns, asked.classes, asked.search
    if any(filters):
        return "No finding fits these filters."
    if asked.state == "answered":
        return "No question is answered yet."
    if taught.answered:
        return "Every question is answered. Repair and Export come next."
    return (
        "There is nothing to ask: no cell of this table stands out. The cells of "
        "lowest value are under Cells."
    )


@st.fragment(key=FINDINGS)
def _draw(
    session: Session,
    frame: pd.DataFrame,
    found: list[Finding],
    open_one: Callable[[Place | None], Finding | None],
    state: str,
) -> None:
    """A click on a line opens its finding; the open one is marked."""
    now = open_one(session.selection.finding)
    frame = frame.assign(now=[OPENED if one is now else "" for one in found])
    columns = _columns()
    # Of open ones the panel says what was decided on single cells.
    idle = {"answer"} if state == "open" else {"how_sure"}
    seen = [name for name in columns if name not in {*ON_REQUEST, *idle}]
    wrapped = [
        tables.line_height(frame[name], columns[name]["width"], MOST_LINES)
        for name in ("kind", "column", "title", "action")
    ]
    what = hashlib.sha1(repr([place_of(one) for one in found]).encode()).hexdigest()
    key = session.widget_key("findings", what)
    st.dataframe(
        frame,
        key=key,
        hide_index=True,
        height=min(HIGH, 3 + tables.LINE + max(wrapped) * len(frame)),
        row_height=max(wrapped),
        on_select=lambda: _open(session, found, key),
        selection_mode="single-cell",
        column_config=columns,
        column_order=seen,
        alt="The findings, those that settle most errors first",
    )


def _columns() -> dict[str, Any]:
    """Up to the action they fit a screen of 1280 pixels."""
    number, text = tables.number, tables.text
    return {
        "now": text("", width=26, help="The question that is open beside."),
        "kind": text(width=82, help="What the question is about."),
        "title": text("question", width=144, help=words.FINDING_HELP),
        "n_cells": number(
            "cells", "localized", width=56, help="How many cells one answer settles."
        ),
        "how_sure": text("how sure", width=74, help=words.SURE_HELP),
        "action": text(
            "proposed", width=138, help="What its cells hold → what they should hold."
        ),
        "answer": text(width=86, help="What you decided on its cells."),
        "column": text(width=84, help="The columns of its cells."),
        "sure": number("chance of an error", 2, help=words.SURE_NUMBER_HELP),
        "expected_errors": number(
            "expected errors", 1, help=words.EXPECTED_ERRORS_HELP
        ),
    }


def _open(session: Session, found: list[Finding], key: str) -> None:
    session.touch()
    cells = st.session_state[key]["selection"]["cells"]
    if cells and cells[-1][0] < len(found):
        then_finding(session, place_of(found[cells[-1][0]]))


def _undo(shown: Shown, taught: Taught, group: Step) -> None:
    """As before the answer, and the finding that it was given to opens again."""
    session, every = shown.session, (*taught.answered, *taught.findings)
    one = finding_with(shown.table, every, group.cells)
    session.file.undo_together(group)
    if one is not None:
        session.selection.finding = place_of(one)
