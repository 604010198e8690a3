"""The panel of the selected cell: what is known of it, decisions, repairs."""

import streamlit as st

from cellval.detect.suggestions import Suggestion
from cellval.detect.suspicion import Suspicion
from cellval.errors import InputError
from cellval.figures.distribution import distribution
from cellval.glossary import (
    RANK_HELP,
    STDERR_HELP,
    SURPRISE_HELP,
    SUSPICION_HELP,
    VALUE_HELP,
    WITHIN_HELP,
)
from cellval.repairs.decisions import DECISIONS
from cellval.repairs.repair import Repair
from cellval.table.table import Table
from cellval.text import content, share
from cellval.ui.navigation import goto
from cellval.ui.session import Cell, FileWork, Session
from cellval.ui.text import plain
from cellval.ui.widgets import (
    DISTANCE_HELP,
    chart,
    data_table,
    heading,
    number_column,
    row_column,
    text_column,
)
from cellval.values.result import CellValues
from cellval.views.cell_detail import CellDetail, Oddity, cell_detail

DECISION_WORDS = {"error": "Flag", "fine": "Fine", "unsure": "Unsure"}
DECISION_HELP = {
    "error": "This cell is wrong: mark it as an error. Again: take back.",
    "fine": "This cell is right, however unusual. Again: take back.",
    "unsure": "Come back to this cell later. Again: take back.",
}
TYPED, BLANKED = "Typed by hand.", "Blanked by hand."


def draw_cell(
    session: Session,
    table: Table,
    values: CellValues,
    suspicion: Suspicion | None,
    prefix: str,
) -> None:
    """Everything about the selected cell, and what to do with it."""
    position, column = session.selection.cell or (0, "")
    if position >= len(values.values) or column not in values.column_names:
        with st.container(border=True):
            st.markdown("##### :material/ads_click: No cell selected")
            st.caption(
                "Click a cell to see its content, what its value means, how usual it "
                "is in its column, and what similar rows hold there."
            )
        return
    cell = cell_detail(values, table, suspicion, position, column)
    with st.container(border=True, gap="xsmall"):
        _content_and_value(table, cell)
        if cell.oddity is not None:
            _oddity(cell.oddity, cell.n_cells)
        _decision_buttons(session.file, cell, prefix)
        repairs = st.container(gap="xsmall")
        if st.button(
            "Explain this row",
            key=f"{prefix} explain",
            icon=":material/waterfall_chart:",
            width="stretch",
            help="Why the whole row has its value: what each of its cells adds.",
        ):
            session.selection.row = position
            goto("sample")
        _in_column(cell, prefix)
        _among_near(table, cell)
        with repairs:  # last: suggestions for a large table take a moment
            _repairs(session, table, cell, prefix)


def _content_and_value(table: Table, cell: CellDetail) -> None:
    st.markdown(f"##### {plain(cell.column)}: {plain(content(cell.text, 80))}")
    whose = [f"Row {cell.row_number:,}"]
    if cell.row_id is not None:
        whose.append(f"{plain(table.id_column or '')} {plain(cell.row_id)}")
    whose.append(f"{plain(table.label)}: {plain(cell.label)}")
    st.caption(" · ".join(whose))
    if cell.sentence:
        st.markdown(plain(cell.sentence))
    st.markdown(
        f"**Value** {cell.unit.with_error(cell.value, cell.stderr)}",
        help=f"{VALUE_HELP} {STDERR_HELP}",
    )
    st.markdown(
        f"**Rank** {cell.rank:,} of {cell.n_ranked:,} within its class, "
        f"{cell.rank_over_all:,} over all cells"
        if cell.rank
        else "**Rank** none",
        help=f"{RANK_HELP} {WITHIN_HELP}",
    )


def _oddity(oddity: Oddity, n_cells: int) -> None:
    """How odd the cell is, and what that and its value together mean."""
    st.markdown(
        f"**Suspicion** {share(oddity.suspicion)} · rank {oddity.rank:,} of "
        f"{n_cells:,} cells",
        help=SUSPICION_HELP,
    )
    st.markdown(
        f"**Surprise** {share(oddity.surprise)} · {plain(oddity.corner)}",
        help=SURPRISE_HELP,
    )
    if oddity.reason:
        st.caption(plain(oddity.reason))


def _decision_buttons(file: FileWork, cell: CellDetail, prefix: str) -> None:
    """Error, fine or unsure; the one that holds is filled."""
    now = file.decisions.get((cell.row_number, cell.column))
    with st.container(horizontal=True, gap="xsmall"):
        for decision in DECISIONS:
            new = None if now == decision else decision
            st.button(
                DECISION_WORDS[decision],
                key=f"{prefix} {decision}",
                type="primary" if now == decision else "secondary",
                help=DECISION_HELP[decision],
                width="stretch",
                on_click=file.decide,
                args=(cell.row_number, cell.column, new),
            )


def _in_column(cell: CellDetail, prefix: str) -> None:
    st.markdown("**In its column**", help="Shares of the cells that are not missing.")
    chart(
        distribution(cell.spread, cell.label, cell.text),
        f"{prefix} distribution",
        "Distribution of the column, over all rows and within the class of this row",
    )
    for sentence in cell.standing:
        st.caption(plain(sentence))


def _among_near(table: Table, cell: CellDetail) -> None:
    st.markdown(
        "**In the rows most like it**",
        help="The rows nearest to this one in all other columns, by the distance that "
        "the KNN model uses. Distance 0 is equal; two random rows are about 1 apart.",
    )
    data_table(
        cell.near,
        "Rows most like this one, with what they hold in this column",
        {
            "row_number": row_column(),
            "content": text_column(heading(cell.column)),
            "label": text_column(heading(table.label)),
            "distance": number_column(help=DISTANCE_HELP),
        },
    )


# --- repairs --------------------------------------------------------------------------


def _repairs(session: Session, table: Table, cell: CellDetail, prefix: str) -> None:
    """What the cell could be instead, one click each; or what it was made into."""
    file, row_number, column = session.file, cell.row_number, cell.column
    st.markdown(
        "**Repair**",
        help="Changes are listed on the Repair page and can all be undone. Your file "
        "stays as it is; the repaired one is on the Export page.",
    )
    if (row_number, "") in file.repairs:
        st.markdown(f":material/delete: Row {row_number:,} will be dropped.")
        _undo_button(file, [(row_number, "")], prefix)
        return
    if (row_number, column) in file.repairs:
        _repaired(session, row_number, column, prefix)
        return
    for k, option in enumerate(cell.suggestions):
        st.button(
            _words(option),
            key=f"{prefix} suggestion {row_number} {column} {k}",
            on_click=_accept,
            args=(file, cell, option),
            width="stretch",
            help="Write this into the cell. It can be undone.",
        )
    if cell.oddity is None:
        st.caption("Suggestions come as soon as cells were compared with each other.")
    _by_hand(file, table, cell, prefix)


def _words(option: Suggestion) -> str:
    """Text and why, as the label of a button."""
    also = "".join(
        f" Makes {plain(heading(name))} {plain(content(new, 24))}."
        for name, new in option.also
    )
    return f"**{plain(content(option.text, 40))}** — {plain(option.why)}{also}"


def _accept(file: FileWork, cell: CellDetail, option: Suggestion) -> None:
    file.repair(cell.row_number, cell.column, change_to(option.text, option.why))
    for name, new in option.also:
        # Of the other cell the same is true the other way round.
        why = option.why.replace(f"'{name}'", f"'{cell.column}'")
        file.repair(cell.row_number, name, change_to(new, why))


def change_to(new: str, reason: str) -> Repair:
    """A cell with another text; without text it is blanked."""
    return Repair("replace", new, reason) if new else Repair("blank", reason=reason)


def _by_hand(file: FileWork, table: Table, cell: CellDetail, prefix: str) -> None:
    key = f"{prefix} own {cell.row_number} {cell.column}"
    with (
        st.form(f"{key} form", border=False),
        st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall"),
    ):
        st.text_input(
            "Type your own",
            key=key,
            placeholder="type your own",
            label_visibility="collapsed",
        )
        st.form_submit_button(
            "Change",
            key=f"{key} change",
            on_click=_type,
            args=(file, table, cell, key),
            help="Write the text you typed into the cell.",
        )
    with st.container(horizontal=True, gap="xsmall"):
        st.button(
            "Blank it",
            key=f"{prefix} blank",
            icon=":material/ink_eraser:",
            on_click=file.repair,
            args=(cell.row_number, cell.column, Repair("blank", reason=BLANKED)),
            disabled=not cell.text,
            width="stretch",
            help="Empty the cell: it counts as missing.",
        )
        because = f"Dropped by hand because of '{cell.column}'."
        st.button(
            "Drop the row",
            key=f"{prefix} drop",
            icon=":material/delete:",
            on_click=file.repair,
            args=(cell.row_number, "", Repair("drop", reason=because)),
            width="stretch",
            help="Leave the whole row out of the repaired table.",
        )


def _type(file: FileWork, table: Table, cell: CellDetail, key: str) -> None:
    new = st.session_state[key]
    if not new.strip():
        st.toast("Type the new text first, or use “Blank it”.")
        return
    if new == cell.text:
        st.toast("The cell holds this text already.")
        return
    try:
        read = table.read_texts(cell.column, [new])
    except InputError:
        st.toast(f"{plain(content(new))} is infinite: type another number.")
        return
    if read.missing[0]:
        st.toast(
            f"{plain(content(new))} cannot be read as a {read.kind}: the cell will "
            "count as missing."
        )
    file.repair(cell.row_number, cell.column, Repair("replace", new, TYPED))


def _repaired(session: Session, row_number: int, column: str, prefix: str) -> None:
    table, repairs = session.original, dict(session.file.repairs)
    assert table is not None
    held = table.cells.iloc[table.position(row_number)]
    # Half a swap makes no sense: it is undone with its other cell.
    cells = [(row_number, column)] + [
        (of_row, name)
        for of_row, name in repairs
        if of_row == row_number
        and name not in ("", column)
        and repairs[row_number, name].text == str(held[column]).strip()
        and repairs[row_number, column].text == str(held[name]).strip()
    ]
    for _, name in cells:
        which = f"{plain(heading(name))}: " if len(cells) > 1 else ""
        st.markdown(
            f":material/check: {which}{plain(content(held[name]))} → "
            f"**{plain(content(repairs[row_number, name].text))}**"
        )
    if repairs[row_number, column].reason:
        st.caption(plain(repairs[row_number, column].reason))
    _undo_button(session.file, cells, prefix)


def _undo_button(file: FileWork, cells: list[Cell], prefix: str) -> None:
    st.button(
        "Undo" if len(cells) == 1 else "Undo both",
        key=f"{prefix} undo",
        icon=":material/undo:",
        on_click=undo_cells,
        args=(file, cells),
        width="stretch",
        help="Take this back: the table is as in your file again.",
    )


def undo_cells(file: FileWork, cells: list[Cell]) -> None:
    for cell in cells:
        file.undo(*cell)
