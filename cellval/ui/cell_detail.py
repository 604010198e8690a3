"""The panel of the selected cell: what is known of it, decisions, repairs."""

from collections.abc import Callable
from functools import partial
from typing import Literal, NamedTuple

import streamlit as st

from cellval import glossary as words
from cellval.detect.suggestions import Suggestion
from cellval.detect.suspicion import CORNERS, FINDINGS
from cellval.errors import InputError
from cellval.figures.distribution import distribution
from cellval.repairs.repair import Repair
from cellval.repairs.work import Cell
from cellval.table.table import Table
from cellval.text import content, counted, one_in, share
from cellval.ui import tables
from cellval.ui.charts import chart
from cellval.ui.navigation import goto
from cellval.ui.parts import CELL, say, then_page
from cellval.ui.projects import say_where
from cellval.ui.session import FileWork, Session, Shown
from cellval.ui.tables import heading
from cellval.ui.text import plain
from cellval.ui.widgets import text_form
from cellval.values.settings import Settings
from cellval.values.words import spoken
from cellval.views.cell_detail import CellDetail, Oddity, cell_detail
from cellval.views.many_changes import accepted

COLOURS: dict[str, Literal["red", "orange", "green", "blue", "gray"]] = {  # of badges
    "suspect": "red",
    "error": "orange",  # as on the map
    "odd": "green",
    "hard": "blue",
    "fine": "gray",
}
NEAR_PIXELS = 82  # of what similar rows hold: the table fits a narrow panel
BUTTONS = {  # a label, a sentence and a key for each decision
    "error": ("Wrong", "This cell is wrong.", "W"),
    "fine": ("Fine", "This cell is right, however unusual.", "F"),
    "unsure": ("Unsure", "Come back to this cell later.", "U"),
}
KEYS = """
| key | what it does |
|---|---|
| **J**, **K** | next and previous suspect (or line of the list) |
| **W**, **F**, **U** | the cell is wrong, fine, unsure; again: take it back |
| **A** | accept the suggestion; only where there is a likely one (the filled button) |
| **Z** | undo what was decided on the cell |

Keys work when no text box is being typed in. The address of the page is a link to the
selected cell while the app runs.
"""


class Walk(NamedTuple):
    """Cells that the next and previous buttons go through, and how one is opened."""

    cells: list[Cell]  # row position and column
    one: str  # what each of them is
    go: Callable[[int, str], None]  # a callback
    where: str = ""  # they are, as words after their number


@st.fragment(key=CELL)
def draw_cell(shown: Shown, walk: Walk) -> None:
    """Everything about the selected cell, and what to do with it."""
    session, table, values, _ = shown
    position, column = session.selection.cell or (0, "")
    if position >= len(values.values) or column not in values.column_names:
        say_where(session)
        with st.container(border=True):
            st.markdown("##### :material/ads_click: No cell selected")
            st.caption(
                "Click a cell to see its content, what its value means, how usual it "
                "is in its column, and what similar rows hold there."
            )
            _step_buttons(walk, None)
        return
    cell = cell_detail(values, table, shown.after_answers, position, column)
    say_where(session, f"{cell.row_number}:{column}")
    with st.container(border=True, gap="xsmall"):
        _step_buttons(walk, (position, column))
        new = _made_of(session.file, cell)
        _whose(table, cell, new)
        if cell.oddity is not None:
            _oddity(cell.oddity, cell.n_cells, is_past=new is not None)
        if said := shown.said_of(position, column):
            st.caption(f":material/school: {plain(said)}")
        if cell.is_valued:
            _value(cell, values.settings)
        _decision_buttons(session, cell)
        repairs = st.container(gap="xsmall")
        if cell.is_valued and st.button(
            "Explain this row",
            key="cell explain",
            icon=":material/waterfall_chart:",
            width="stretch",
            help="Why the whole row has its value: what each of its cells adds.",
        ):
            session.selection.position = position
            goto("sample")
        _in_column(cell)
        _among_near(table, cell)
        with repairs:  # last: suggestions for a large table take a moment
            _repairs(session, table, cell)


def _step_buttons(walk: Walk, now: Cell | None) -> None:
    """To the next and the previous one of the cells to look at."""
    if not walk.cells:
        return
    at = walk.cells.index(now) if now in walk.cells else None
    n = len(walk.cells)
    steps = {
        "Previous": (None if at in (None, 0) else at - 1, "K"),
        "Next": (0 if at is None else None if at == n - 1 else at + 1, "J"),
    }
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        for name, (to, key) in steps.items():
            st.button(
                name,
                key=f"cell {name}",
                shortcut=key,
                disabled=to is None,
                on_click=walk.go,
                args=walk.cells[to or 0],
                help=f"The {name.lower()} {walk.one}{walk.where}.",
            )
        words = counted(n, walk.one)
        if at is not None:
            words = f"{walk.one.capitalize()} {at + 1:,} of {n:,}"
        st.caption(f"{words}{walk.where}", width="content")
        with st.popover("Keys", icon=":material/keyboard:", type="tertiary"):
            st.markdown(KEYS)


def _made_of(file: FileWork, cell: CellDetail) -> str | None:
    """What a repair made of what is shown; None if it is as it was, or valued anew."""
    if (cell.row_number, "") in file.repairs:
        return "row dropped"
    repair = file.repairs.get((cell.row_number, cell.column))
    if repair is None or repair.text == cell.text:
        return None
    return content(repair.text, 80)


def _whose(table: Table, cell: CellDetail, new: str | None) -> None:
    became = "" if new is None else f" → {plain(new)}"
    st.markdown(f"##### {plain(cell.column)}: {plain(content(cell.text, 80))}{became}")
    whose = [f"Row {cell.row_number:,}"]
    if cell.row_id is not None:
        whose.append(f"{plain(table.id_column or '')} {plain(cell.row_id)}")
    if table.label:
        whose.append(f"{plain(table.label)}: {plain(content(cell.label))}")
    st.caption(" · ".join(whose))


def _value(cell: CellDetail, settings: Settings) -> None:
    if cell.sentence:
        st.markdown(plain(cell.sentence))
    st.markdown(
        f"**Value** {cell.unit.with_error(cell.value, cell.stderr)}",
        help=spoken(f"{words.VALUE_HELP} {words.STDERR_HELP}", settings),
    )
    st.markdown(
        f"**Rank by value** {cell.rank_over_all:,} of {cell.n_ranked:,}; "
        + spoken(f"{cell.rank:,} if each cell is ranked within its class", settings)
        if cell.rank
        else "**Rank by value** none",
        help=spoken(f"{words.RANK_HELP} {words.WITHIN_HELP}", settings),
    )


def _oddity(oddity: Oddity, n_cells: int, *, is_past: bool) -> None:
    """What was found; of a repaired cell `is_past`, and said after the repair."""
    more = CORNERS[oddity.corner].partition(": ")[2]
    if is_past:
        st.badge("Repaired", icon=":material/check:", color="green")
        st.caption("What follows was found before the repair.")
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        finding = "suspect" if oddity.is_suspect else oddity.corner
        st.badge(FINDINGS[finding], color=COLOURS[finding])
        st.markdown(
            f"rank {oddity.rank:,} of {n_cells:,} by suspicion",
            width="content",
            help=f"Suspicion {share(oddity.suspicion)}. {words.SUSPICION_HELP}",
        )
    if more:
        st.caption(f"{more.capitalize()}.")
    odds = one_in(oddity.surprise)
    verb = "look" if odds.endswith("in 100") else "looks"
    st.markdown(
        f"{odds[0].upper()}{odds[1:]} ordinary cells of this column {verb} this odd.",
        help=f"Surprise {share(oddity.surprise)}. {words.SURPRISE_HELP}",
    )
    if oddity.reason:
        st.caption(plain(oddity.reason))


def _decision_buttons(session: Session, cell: CellDetail) -> None:
    """Wrong, fine or unsure; the one that holds is filled."""
    file = session.file
    now = file.decisions.get((cell.row_number, cell.column))
    decide = partial(then_page, session, file.decide, cell.row_number, cell.column)
    with st.container(horizontal=True, gap="xsmall"):
        for decision, (label, sentence, key) in BUTTONS.items():
            new = None if now == decision else decision
            st.button(
                label,
                key=f"cell {decision}",
                shortcut=key,
                type="primary" if now == decision else "secondary",
                help=f"{sentence} Again: take back.",
                width="stretch",
                on_click=partial(decide, new),
            )
    changed = {(cell.row_number, cell.column), (cell.row_number, "")}
    if now and not changed & set(file.repairs):
        _undo_button(partial(decide, None))


def _in_column(cell: CellDetail) -> None:
    st.markdown("**In its column**", help="Shares of the cells that are not missing.")
    chart(
        distribution(cell.spread, cell.group, cell.text),
        "Distribution of the column, over all rows and within the class of this row",
        menu=False,
        still=True,
    )
    for sentence in cell.standing:
        st.caption(plain(sentence))


def _among_near(table: Table, cell: CellDetail) -> None:
    st.markdown(
        "**In the rows most like it**",
        help="By the distance that the KNN model uses. Distance 0 is equal; two random "
        "rows are about 1 apart.",
    )
    st.caption(
        "Nearest by all other columns, so that the cell in question has no say. On the "
        "Explain page it has one: the rows there may be others."
    )
    tables.draw(
        cell.near,
        "Rows most like this one, with what they hold in this column",
        {
            "row_number": tables.row_number(),
            "content": tables.text(heading(cell.column), width=NEAR_PIXELS),
            "label": tables.text(heading(table.label or "label"), width=60),
            "distance": tables.distance(width=66),
        },
        row_height=tables.line_height(cell.near["content"], NEAR_PIXELS),
    )


# --- repairs --------------------------------------------------------------------------


def _repairs(session: Session, table: Table, cell: CellDetail) -> None:
    """What the cell could be instead, one click each; or what it was made into."""
    file, row_number, column = session.file, cell.row_number, cell.column
    st.markdown(
        "**Repair**",
        help="Changes are listed on the Repair page and can all be undone. Your "
        "original file is never touched: the repaired one is a new file, on the Export "
        "page.",
    )
    if (row_number, "") in file.repairs:
        st.markdown(f":material/delete: Row {row_number:,} will be dropped.")
        _undo_button(partial(then_page, session, file.undo, (row_number, "")))
        return
    if (row_number, column) in file.repairs:
        _repaired(session, row_number, column)
        return
    for k, option in enumerate(cell.suggestions):
        st.button(
            _words(option),
            key=f"cell suggestion {row_number} {column} {k}",
            type="primary" if option.is_likely else "secondary",
            shortcut="A" if option.is_likely else None,
            on_click=partial(then_page, session, _accept, file, cell, option),
            width="stretch",
            help="Write this into the cell. It can be undone."
            + (
                ""
                if option.is_likely
                else " An idea, not more: look before you take it."
            ),
        )
    if cell.oddity is None:
        st.caption("Suggestions come as soon as cells were compared with each other.")
    _by_hand(session, table, cell)


def _words(option: Suggestion) -> str:
    """Text and why, as the label of a button."""
    also = "".join(
        f" Makes {plain(heading(name))} {plain(content(new, 24))}."
        for name, new in option.also
    )
    return f"**{plain(content(option.text, 40))}** — {plain(option.why)}{also}"


def _accept(file: FileWork, cell: CellDetail, option: Suggestion) -> None:
    file.repair_cells(accepted((cell.row_number, cell.column), option))


def _by_hand(session: Session, table: Table, cell: CellDetail) -> None:
    file = session.file
    key = f"cell own {cell.row_number} {cell.column}"
    repair = partial(then_page, session, file.repair, cell.row_number)
    text_form(
        "Type your own",
        "Change",
        partial(then_page, session, _type, file, table, cell, key),
        key=key,
        help="Write the text you typed into the cell.",
    )
    blank = Repair("blank", reason="Blanked by hand.")
    drop = Repair("drop", reason=f"Dropped by hand because of '{cell.column}'.")
    with st.container(horizontal=True, gap="xsmall"):
        st.button(
            "Blank it",
            key="cell blank",
            icon=":material/ink_eraser:",
            on_click=partial(repair, cell.column, blank),
            disabled=not cell.text,
            width="stretch",
            help="Empty the cell: it counts as missing.",
        )
        st.button(
            "Drop the row",
            key="cell drop",
            icon=":material/delete:",
            on_click=partial(repair, "", drop),
            width="stretch",
            help="Leave the whole row out of the repaired table.",
        )


def _type(file: FileWork, table: Table, cell: CellDetail, key: str) -> None:
    new = st.session_state[key]
    if not new.strip():
        say("Type the new text first, or use “Blank it”.")
    elif can_hold(table, cell.column, cell.text, new):
        by_hand = Repair("replace", new, "Typed by hand.")
        file.repair(cell.row_number, cell.column, by_hand)


def can_hold(table: Table, column: str, old: str, new: str) -> bool:
    """May a typed text take the place of another one? Says why not, or what of it."""
    if new == old:
        say("The cell holds this text already.")
        return False
    if column == table.label and table.class_column is not None:
        return True
    said = plain(content(new))
    try:
        read = table.read_texts(column, [new])
    except InputError:
        say(f"{said} is infinite: type another number.")
        return False
    if read.missing[0]:
        say(f"{said} cannot be read as a {read.kind}: the cell will count as missing.")
    return True


def _repaired(session: Session, row_number: int, column: str) -> None:
    held, repairs = session.original_row(row_number), dict(session.file.repairs)
    # Half a swap makes no sense: it is undone with its other cell.
    cells = [(row_number, column)] + [
        (of_row, name)
        for of_row, name in repairs
        if of_row == row_number
        and name not in ("", column)
        and repairs[row_number, name].text == held[column]
        and repairs[row_number, column].text == held[name]
    ]
    for _, name in cells:
        which = f"{plain(heading(name))}: " if len(cells) > 1 else ""
        st.markdown(
            f":material/check: {which}{plain(content(held[name]))} → "
            f"**{plain(content(repairs[row_number, name].text))}**"
        )
    if repairs[row_number, column].reason:
        st.caption(plain(repairs[row_number, column].reason))
    undo = partial(then_page, session, session.file.undo, *cells)
    _undo_button(undo, "Undo" if len(cells) == 1 else "Undo both")


def _undo_button(undo: Callable[[], None], label: str = "Undo") -> None:
    st.button(
        label,
        key="cell undo",
        shortcut="Z",
        icon=":material/undo:",
        on_click=undo,
        width="stretch",
        help="Take this back: the table is as in your file again.",
    )
