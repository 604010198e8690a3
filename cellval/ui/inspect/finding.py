"""The panel of the open finding: evidence, before and after, and one answer for all."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from cellval import glossary as words
from cellval.detect.finding import KINDS, Finding
from cellval.detect.learning import Taught
from cellval.text import brief, counted, every, joined, whole_percent
from cellval.ui import tables
from cellval.ui.cell_detail import can_hold
from cellval.ui.inspect.rules import draw_rule
from cellval.ui.navigation import goto
from cellval.ui.parts import FINDING, say, then_finding, then_page
from cellval.ui.projects import say_where
from cellval.ui.session import Session, Shown
from cellval.ui.text import plain
from cellval.ui.widgets import text_form
from cellval.views import answers
from cellval.views.answers import WHOLE_ROWS, Answer, asked_cells, with_rows
from cellval.views.findings_list import (
    MOST_CELLS,
    answer_words,
    cell_lines,
    columns_of,
    opened,
    place_of,
    sure_words,
)

FEW_LINES = 8  # of cells; more scroll
MOST_NAMED = 3  # columns
# Pixels of before and of after, and of all beside a column's name: a panel has 270.
CONTENT, BESIDE_NAME = 96, 62
KEYS = """
| key | what it does |
|---|---|
| **J**, **K** | next and previous question |
| **W** | the cells are wrong: repair them as proposed, where it is known how |
| **F** | all of them are fine |
| **L** | later: asked again at the end, in this session |
| **Z** | undo the last answer, or the last *later* |

Keys work when no text box is being typed in. The address of the page is a link to the
open question.
"""


@st.fragment(key=FINDING)
def draw_finding(shown: Shown, taught: Taught, found: list[Finding]) -> None:
    """Everything about the open finding, and what to answer."""
    session = shown.session
    one = opened(taught, found, session.selection.finding)
    say_where(session, finding=one.key if one else "")
    with st.container(border=True, gap="xsmall"):
        if one is None:
            st.markdown("##### :material/help: No question is open")
            st.caption("Choose other filters, or look under Cells.")
            return
        at = _place_in(found, one)
        _step_buttons(session, found, at)
        asked = asked_cells(shown.table, one, session.file.decisions)
        _what(shown, one, asked)
        if taught.moved.get(one.key):
            st.caption(f":material/school: {plain(taught.moved[one.key])}")
        buttons = st.container(gap="xsmall")
        ticked, cell = _cells(shown, one, asked)
        with buttons:
            _answer_buttons(shown, found, one, at, ticked, asked)
        draw_rule(shown, one)
        _to_heatmap(shown, *cell)


def _place_in(found: list[Finding], one: Finding) -> int | None:
    """Where in the list it is; None if filters leave it out."""
    places = [place_of(other) for other in found]
    return places.index(place_of(one)) if place_of(one) in places else None


def _step_buttons(session: Session, found: list[Finding], at: int | None) -> None:
    n = len(found)
    steps = {
        "Previous": (None if at in (None, 0) else at - 1, "K"),
        "Next": (0 if at is None else None if at == n - 1 else at + 1, "J"),
    }
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        for name, (to, key) in steps.items():
            to = to if n else None
            st.button(
                name,
                key=f"finding {name}",
                shortcut=key,
                disabled=to is None,
                on_click=then_finding,
                args=(session, place_of(found[to]) if to is not None else None),
                help=f"The {name.lower()} question of the list.",
            )
        said = counted(n, "question")
        if at is not None:
            said = f"Question {at + 1:,} of {n:,}"
        st.caption(f"{said} in the list", width="content")
        with st.popover("Keys", icon=":material/keyboard:", type="tertiary"):
            st.markdown(KEYS)


def _what(shown: Shown, one: Finding, asked: np.ndarray) -> None:
    """What is asked, how sure it is, why, and what is proposed."""
    st.markdown(f"##### {plain(one.title)}")
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        st.badge(KINDS[one.kind], color="blue")
        st.badge(
            sure_words(one.sure).capitalize(),
            color="red" if one.is_flagged else "gray",
            help=f"{whole_percent(one.sure)} of these cells are expected to be wrong. "
            f"{words.SURE_HELP}",
        )
        names = joined((plain(brief(name)) for name in columns_of(one)), MOST_NAMED)
        st.markdown(f"{counted(one.n_cells, 'cell')} in {names}", width="content")
    st.markdown(plain(one.evidence))
    said = answer_words(shown.table, one, shown.session.file.decisions)
    if said:
        st.caption(f":material/check: Decided so far: {said}.")
    action = one.part(asked).action(shown.table)
    if action:
        st.markdown(f"**Proposed** {plain(action)}")
    else:
        st.caption("It is not known what should stand there: nothing is proposed.")


# --- answers --------------------------------------------------------------------------


def _answer_buttons(
    shown: Shown,
    found: list[Finding],
    one: Finding,
    at: int | None,
    ticked: list[int],
    asked: np.ndarray,
) -> None:
    """One answer for all, or for those that are ticked."""
    n, n_ticked = asked.size, int(with_rows(one, asked, ticked).sum())
    table, file = shown.table, shown.session.file
    answer = partial(then_page, shown.session, _answer, shown.session, found, at)
    wrong = partial(answers.all_wrong, table, one, file.decisions, file.repairs)
    fine = partial(answers.all_fine, table, one, file.decisions)
    only = partial(
        answers.only_these,
        *(table, one, file.decisions, file.repairs, ticked),
        shown=MOST_CELLS,
    )
    cells = "The cell" if n == 1 else every(n, "cell")
    stays = " Cells that you decided on by themselves stay so." * (n < one.n_cells)
    are = "is" if n == 1 else "are"
    becomes = ", and repaired as proposed where it is known how"
    if not one.has_action:
        becomes = ", to be repaired later"
    some = f"Only the {n_ticked:,} ticked" if ticked else "Only these"
    others = int(with_rows(one, asked, range(n)[:MOST_CELLS]).sum()) - n_ticked
    rows = " A tick stands for its whole row." if one.kind in WHOLE_ROWS else ""
    rest = " Those that are not shown stay open." if n > MOST_CELLS else ""
    options: dict[str, Any] = {"width": "stretch"}
    with st.container(horizontal=True, gap="xsmall"):
        st.button(
            "Wrong: repair so" if one.has_action else "Wrong",
            key="finding wrong",
            shortcut="W",
            type="primary",
            on_click=partial(answer, wrong),
            help=f"{cells} {are} marked as wrong{becomes}.{stays} It can be undone.",
            **options,
        )
        st.button(
            "All fine" if n > 1 else "Fine",
            key="finding fine",
            shortcut="F",
            on_click=partial(answer, fine),
            help=f"{cells} {are} right, however unusual.{stays} It can be undone.",
            **options,
        )
    with st.container(horizontal=True, gap="xsmall"):
        if one.n_cells > 1:
            st.button(
                some,
                key="finding only",
                disabled=not ticked,
                on_click=partial(answer, only),
                help=f"{counted(n_ticked, 'ticked cell')} wrong, as above; the "
                f"other {others:,} that are shown fine.{rest}{rows}"
                if ticked
                else f"Tick the wrong ones below: the others are fine then.{rows}",
                **options,
            )
        st.button(
            "Later",
            key="finding later",
            shortcut="L",
            on_click=partial(then_page, shown.session, _later, shown.session, one),
            disabled=at is None or len(found) == 1,
            help="Not now: asked again at the end of the list, in this session. "
            "Nothing is decided, and it can be undone.",
            **options,
        )
    if n == 1 and one.kind not in WHOLE_ROWS:
        _by_hand(shown, found, one.part(asked), at)


def _by_hand(shown: Shown, found: list[Finding], one: Finding, at: int | None) -> None:
    """What a single cell should hold, where a person knows it."""
    session = shown.session
    key = session.widget_key("finding own", *place_of(one))
    text_form(
        "What should stand there",
        "Write it",
        partial(then_page, session, _type, shown, found, one, at, key),
        key=key,
        help="The cell is wrong, and this text is written into it. It can be undone.",
    )


def _type(
    shown: Shown, found: list[Finding], one: Finding, at: int | None, key: str
) -> None:
    table, new = shown.table, st.session_state[key]
    (column,), (old,) = one.columns, one.before(table)
    if not new.strip():
        say("Type what should stand there first.")
    elif can_hold(table, column, old, new):
        make = partial(answers.as_typed, table, one, new)
        _answer(shown.session, found, at, make)


def _answer(
    session: Session,
    found: list[Finding],
    at: int | None,
    make: Callable[[], Answer],
) -> None:
    """Done and kept; then the next question opens."""
    answers.give(session.file, make())
    session.selection.finding = _following(found, at)


def _following(found: list[Finding], at: int | None) -> tuple[str, int] | None:
    """What opens next: from the top of the list its new top, as answers order it anew;
    from further down the line below.
    """
    if not at or at + 1 >= len(found):
        return None
    return place_of(found[at + 1])


def _later(session: Session, one: Finding) -> None:
    session.later.pop(place_of(one), None)
    session.later[place_of(one)] = session.file.n_done
    session.selection.finding = None


# --- cells ----------------------------------------------------------------------------


def _cells(
    shown: Shown, one: Finding, asked: np.ndarray
) -> tuple[list[int], tuple[int, str]]:
    """Before and after; the ticked lines, and the cell that was clicked last."""
    session, table = shown.session, shown.table
    frame = cell_lines(table, one, asked, session.file.decisions)
    several = len(columns_of(one)) > 1
    differ = frame["why"].nunique() > 1
    hidden = {"position"}
    hidden |= {"id"} if table.id_column is None else set()
    hidden |= set() if several else {"column"}
    hidden |= set() if differ else {"why"}
    hidden |= {name for name in ("after", "decision") if not frame[name].any()}
    width = BESIDE_NAME if several else CONTENT
    columns = _columns(table.id_column or "id", width)
    wrapped = ("before", "after", *["column"] * several)
    height = max(tables.line_height(frame[name], width, 3) for name in wrapped)
    key = session.widget_key("finding cells", *place_of(one), len(asked))
    event = st.dataframe(
        frame[[name for name in columns if name not in hidden]],
        key=key,
        hide_index=True,
        row_height=height,
        height=3 + tables.LINE + height * min(len(frame), FEW_LINES),
        on_select="rerun",
        selection_mode=["multi-row", "single-cell"]
        if one.n_cells > 1
        else "single-cell",
        column_config=columns,
        alt="The cells of the finding, before and after",
    )
    if len(asked) > len(frame):
        st.caption(f"{counted(len(asked) - len(frame), 'more cell')} like these.")
    rows = [line for line in event["selection"]["rows"] if line < len(frame)]
    clicked = [line for line, _ in event["selection"]["cells"] if line < len(frame)]
    line = frame.iloc[next(iter([*clicked, *reversed(rows)]), 0)]
    return rows, (int(line["position"]), str(line["column"]))


def _columns(id_column: str, width: int) -> dict[str, Any]:
    text = tables.text
    return {
        "row_number": tables.row_number(),
        "column": text(width=BESIDE_NAME),
        "before": text(width=width, help="The cell as it is in the file."),
        "after": text(width=width, help="What the repair would write into it."),
        "decision": text(width=62, help="What you decided on the cell."),
        "id": text(tables.heading(id_column), width=70),
        "why": text(width="large", help="Why this cell is asked about."),
    }


def _to_heatmap(shown: Shown, position: int, column: str) -> None:
    """To the cell that was clicked last, or the first one."""
    session, row = shown.session, int(shown.table.row_numbers[position])
    is_there = column in shown.values.column_names
    if st.button(
        f"See row {row:,} in the heatmap",
        key="finding heatmap",
        icon=":material/grid_on:",
        width="stretch",
        disabled=not is_there,
        help="With all that is known of this cell. Click another one of the table "
        "above to go there."
        if is_there
        else "This column has no values: the heatmap does not draw it.",
    ):
        session.selection.choose_cell(position, column)
        session.selection.from_elsewhere = True
        goto("heatmap")
