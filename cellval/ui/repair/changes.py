"""Repairing: what could stand in a cell, the list of changes, decisions from a file."""

import hashlib
from functools import lru_cache
from typing import Any

import streamlit as st

from cellval.detect.suggestions import Suggestion, suggest
from cellval.detect.surprise import Surprise
from cellval.errors import InputError
from cellval.repairs import decisions
from cellval.repairs.repair import Repair, changes_frame, repaired
from cellval.table.table import Table
from cellval.text import content, counted
from cellval.ui import session as state
from cellval.ui.text import changes_words, plain

TYPED, BLANKED = "Typed by hand.", "Blanked by hand."
FEW_LINES = 12  # a longer list of changes scrolls

# Kept per cell: pages ask again on every click, and a large table takes 0.3 s.
_suggestions = lru_cache(maxsize=64)(suggest)


# --- beside the heatmap and the list --------------------------------------------------


def repair_block(
    table: Table, found: Surprise | None, index: int, column: str, prefix: str
) -> None:
    """What the cell could be instead, one click each; or what it was made into."""
    row, made = int(table.row_numbers[index]), state.repairs()
    st.markdown(
        "**Repair**",
        help="Changes are listed on the Repair page and can all be undone. Your file "
        "stays as it is; the repaired one is on the Export page.",
    )
    if (row, "") in made:
        st.markdown(f":material/delete: Row {row:,} will be dropped.")
        _undo_button([(row, "")], prefix)
        return
    if (row, column) in made:
        _made(row, column, made[row, column], prefix)
        return
    options = _suggestions(table, found, index, column) if found is not None else ()
    for number, option in enumerate(options):
        st.button(
            _words(option),
            key=f"{prefix} suggestion {row} {column} {number}",
            on_click=_accept,
            args=(row, column, option),
            width="stretch",
            help="Write this into the cell. It can be undone.",
        )
    if found is None:
        st.caption("Suggestions come as soon as cells were compared with each other.")
    _by_hand(table, index, column, prefix)


def _words(option: Suggestion) -> str:
    """Text and why, as the label of a button."""
    also = "".join(
        f" Makes {plain(content(name, 24))} {plain(content(text, 24))}."
        for name, text in option.also
    )
    return f"**{plain(content(option.text, 40))}** — {plain(option.why)}{also}"


def _accept(row: int, column: str, option: Suggestion) -> None:
    state.repair(row, column, _change(option.text, option.why))
    for name, text in option.also:
        # Of the other cell the same is true the other way round.
        why = option.why.replace(f"'{name}'", f"'{column}'")
        state.repair(row, name, _change(text, why))


def _change(text: str, reason: str) -> Repair:
    return Repair("replace", text, reason) if text else Repair("blank", reason=reason)


def _by_hand(table: Table, index: int, column: str, prefix: str) -> None:
    row = int(table.row_numbers[index])
    key = f"{prefix} own {row} {column}"
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
            args=(table, index, column, key),
            help="Write the text you typed into the cell.",
        )
    with st.container(horizontal=True, gap="xsmall"):
        st.button(
            "Blank it",
            key=f"{prefix} blank",
            icon=":material/ink_eraser:",
            on_click=state.repair,
            args=(row, column, Repair("blank", reason=BLANKED)),
            disabled=not table.cells[column].iat[index],
            width="stretch",
            help="Empty the cell: it counts as missing.",
        )
        because = f"Dropped by hand because of '{column}'."
        st.button(
            "Drop the row",
            key=f"{prefix} drop",
            icon=":material/delete:",
            on_click=state.repair,
            args=(row, "", Repair("drop", reason=because)),
            width="stretch",
            help="Leave the whole row out of the repaired table.",
        )


def _type(table: Table, index: int, column: str, key: str) -> None:
    text = st.session_state[key]
    if not text.strip():
        st.toast("Type the new text first, or use “Blank it”.")
        return
    if text == table.cells[column].iat[index]:
        st.toast("The cell holds this text already.")
        return
    try:
        read = table.read_texts(column, [text])
    except InputError:
        st.toast(f"{plain(content(text))} is infinite: type another number.")
        return
    if read.missing[0]:
        st.toast(
            f"{plain(content(text))} cannot be read as a {read.kind}: the cell will "
            "count as missing."
        )
    state.repair(int(table.row_numbers[index]), column, Repair("replace", text, TYPED))


def _made(row: int, column: str, made: Repair, prefix: str) -> None:
    table = state.original()
    assert table is not None
    cells = [(row, column), *_swapped_with(table, row, column)]
    for _, name in cells:
        before = table.cells[name].iat[table.position(row)]
        after = state.repairs()[row, name].text
        which = f"{plain(content(name, 24))}: " if len(cells) > 1 else ""
        st.markdown(
            f":material/check: {which}{plain(content(before))} → "
            f"**{plain(content(after))}**"
        )
    if made.reason:
        st.caption(plain(made.reason))
    _undo_button(cells, prefix)


def _swapped_with(table: Table, row: int, column: str) -> list[tuple[int, str]]:
    """The other cell of an accepted swap: half a swap makes no sense."""
    made, at = state.repairs(), table.position(row)

    def before(name: str) -> str:
        return str(table.cells[name].iat[at]).strip()

    return [
        (row, name)
        for number, name in made
        if number == row
        and name not in ("", column)
        and made[row, name].text == before(column)
        and made[row, column].text == before(name)
    ]


def _undo_button(cells: list[tuple[int, str]], prefix: str) -> None:
    st.button(
        "Undo" if len(cells) == 1 else "Undo both",
        key=f"{prefix} undo",
        icon=":material/undo:",
        on_click=undo_cells,
        args=(cells,),
        width="stretch",
        help="Take this back: the table is as in your file again.",
    )


def undo_cells(cells: list[tuple[int, str]]) -> None:
    for row, column in cells:
        state.undo(row, column)


# --- on the Repair page ---------------------------------------------------------------


def changes_list(table: Table) -> None:
    """Every change so far, to be undone singly or all."""
    made = state.repairs()
    if not made:
        st.info(
            "Nothing is changed. Click a cell on the heatmap or in the inspection "
            "list and choose what should stand there, or upload decisions below.",
            icon=":material/build:",
        )
        return
    try:
        frame = changes_frame(table, made)
    except InputError as error:
        st.error(plain(str(error)), icon=":material/error:")
        _undo_all()
        return
    st.markdown(f"**{_sentence(changes_words(made))}** Your file stays as it was.")
    # A dropped row has words for a column.
    places = zip(frame["row"].tolist(), frame["column"].tolist(), strict=True)
    cells = [(row, name if (row, name) in made else "") for row, name in places]
    version = hashlib.sha1(repr(sorted(made.items())).encode()).hexdigest()[:12]
    drawn = st.dataframe(
        frame.drop(columns=["id"] * (table.id_column is None)),
        key=f"changes {state.widget_key('list')} {version}",
        hide_index=True,
        height="content" if len(frame) <= FEW_LINES else 38 + 35 * FEW_LINES,
        on_select="rerun",
        selection_mode="multi-row",
        column_config=_changes_columns(table),
        alt="The changes so far",
    )
    ticked = [cells[line] for line in drawn["selection"]["rows"] if line < len(cells)]
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            f"Undo {counted(len(ticked), 'ticked line')}"
            if ticked
            else "Undo ticked lines",
            key="undo ticked",
            icon=":material/undo:",
            disabled=not ticked,
            on_click=undo_cells,
            args=(ticked,),
            help="Tick lines in the list to take them back.",
        )
        _undo_all()


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."


def _changes_columns(table: Table) -> dict[str, Any]:
    text = st.column_config.TextColumn
    return {
        "row": st.column_config.NumberColumn(
            "row", format="%d", width=60, help="As counted in the file: from 1."
        ),
        "id": text(content(table.id_column or "id", 24), width="small"),
        "column": text("column", width="small"),
        "before": text("before", width="medium", help="The cell as it is in the file."),
        "after": text("after", width="medium", help="Empty: the cell is blanked."),
        "reason": text("reason", width="large"),
    }


def _undo_all() -> None:
    n = len(state.repairs())
    with st.popover("Undo all", icon=":material/restart_alt:"):
        st.markdown(f"Take back {counted(n, 'change')}? The list will be empty.")
        st.button(
            "Yes, undo all",
            key="undo all",
            type="primary",
            on_click=state.undo_all,
        )


def upload_decisions(table: Table) -> None:
    """Decisions and repairs from a CSV file, exported here or written by hand."""
    key = state.widget_key("decisions file")
    with st.expander("Upload decisions", icon=":material/upload_file:"):
        file = st.file_uploader(
            "A CSV file of decisions",
            type=["csv"],
            key=key,
            on_change=_read,
            args=(key, table),
            help="“Flagged cells” from the Export page, or your own with the columns "
            "row, column and after. Repairs in it replace those on the same cells.",
        )
    outcome = state.upload_outcome()
    # Not in the expander, which closes when the list above it grows.
    if file is not None and outcome is not None:
        (st.success if outcome[0] else st.error)(plain(outcome[1]))


def _read(key: str, table: Table) -> None:
    file = st.session_state.get(key)
    if file is None:
        state.note_upload(None)
        return
    try:
        decided, changed = decisions.read_decisions(file, table)
        repaired(table, {**state.repairs(), **changed})
    except InputError as error:
        state.note_upload(False, str(error))
        return
    state.set_decisions(decided, changed)
    state.note_upload(
        True,
        f"{file.name}: {counted(len(decided), 'decision')} and "
        f"{counted(len(changed), 'repair')} were read.",
    )
