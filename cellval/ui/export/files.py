"""Files to take away: the repaired table, its change log, decisions, reports."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from cellval import glossary as words
from cellval.detect.suggestions import MOST_DETAILED, Suggestion
from cellval.errors import InputError
from cellval.export.frames import csv_bytes, decisions_frame, safe_frame, values_frame
from cellval.export.report import report_html
from cellval.export.xlsx import xlsx_bytes
from cellval.kept import kept
from cellval.project.source import Source, reading_of
from cellval.recipes.making import recipe_of
from cellval.recipes.recipe import no_yaml
from cellval.repairs.decisions import DECISIONS
from cellval.repairs.repair import (
    Repair,
    changes_frame,
    comes_as_csv,
    n_formulas,
    place_of,
    repaired_file,
    repaired_name,
    table_csv,
)
from cellval.repairs.work import Cell
from cellval.table.table import Table
from cellval.text import counted
from cellval.ui import tables
from cellval.ui.session import Session
from cellval.ui.text import changes_words, plain
from cellval.ui.widgets import download, error, was_clicked
from cellval.values.result import CellValues
from cellval.views.script import script
from cellval.views.suggested import suggested_for
from cellval.views.value_view import value_view

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
PREVIEWED = 200  # lines
QUICKLY_REPAIRED = 2_000_000  # cells of a file that needs no click of its own
Changes = tuple[tuple[Cell, Repair], ...]


def _card(place: Any, title: str, holds: str) -> Any:
    """What a file holds, above the button that it is fetched by."""
    card = place.container(border=True, height="stretch")
    card.markdown(f"**{title}**  \n{holds}")
    card.space("stretch")
    return card


def stem(table: Table) -> str:
    """Of the names of all files."""
    return repaired_name(table).rpartition("_repaired")[0]


# --- the repaired table ---------------------------------------------------------------


def show_repaired(session: Session, table: Table) -> None:
    """The drop-in file and its change log; or why there can be none."""
    changes = tuple(session.file.repairs.items())
    made, nothing = changes_words(dict(changes)), not changes
    make = partial(repaired_bytes, table, session.file.source, changes)
    is_quick = nothing or table.cells.size <= QUICKLY_REPAIRED
    try:
        with st.spinner("Checking the repaired file …", show_time=False):
            raw = make() if changes and is_quick else b""
            log = safe_frame(changes_frame(table, dict(changes)))
    except InputError as fault:
        error(f"The repaired file cannot be made. {fault}")
        return
    holds = (
        "Nothing is changed: click a cell on the heatmap and repair it."
        if nothing
        else f"A new file: yours with {made}, {_kept_words(table)} Your original file "
        "is never touched."
    )
    a, b, c = st.columns(3)
    what = _noun(table)
    with _card(a, f"Repaired {what}", holds):
        words, name = f"Download the repaired {what}", repaired_name(table)
        mime = "text/csv" if what == "CSV" else "application/octet-stream"
        if is_quick:
            download(words, name, raw, disabled=nothing, mime=mime)
        else:
            made_from = (session.file.source, changes)
            _make_first(session, f"repaired {what}", name, mime, made_from, make)
    log = log.drop(columns=["id"] * (table.id_column is None))
    *names, last = log
    holds = f"{counted(len(log), 'line')}: {', '.join(names)} and {last}."
    with _card(b, "Change log", holds):
        name = f"{stem(table)}-changes.csv"
        download("Download the change log", name, csv_bytes(log), disabled=nothing)
    undecided = nothing and not session.file.decisions
    holds = (
        "What you decided, by content and not by row number, as a text that you can "
        "read and edit: `cellval apply` repairs the next file with it, `cellval check` "
        "asks whether it keeps your rules."
    )
    lacks = no_yaml()
    with _card(c, "Recipe for the next file", lacks or holds):
        name, make = f"{stem(table)}-recipe.yaml", partial(_recipe, session, table)
        download(
            "Download the recipe",
            name,
            make,
            disabled=undecided or bool(lacks),
            mime="application/yaml",
        )
    n = _formulas(table, changes) if what == "CSV" and not nothing else 0
    if n:
        st.warning(
            f"{counted(n, 'cell')} of the repaired CSV would be run as a formula by a "
            "spreadsheet. The file keeps what you have in it as it is; in all other "
            "files here such cells get a leading apostrophe.",
            icon=":material/function:",
        )


def _recipe(session: Session, table: Table) -> bytes:
    reading = reading_of(session.memo.setup)
    return recipe_of(table, session.file, reading=reading).text.encode()


def _noun(table: Table) -> str:
    """What the repaired file is."""
    return "CSV" if table.format is None or comes_as_csv(table) else table.format.noun


def _kept_words(table: Table) -> str:
    """What of the file is as it was."""
    if comes_as_csv(table):
        ending = Path(table.name).suffix or "old"
        return (
            f"as a CSV of this sheet: {plain(ending)} files are read but cannot be "
            "written. Save yours as .xlsx and load that to get a workbook back."
        )
    noun = _noun(table)
    if noun == "workbook":
        return (
            "all other cells, formats, formulas and sheets as they were. Dropped rows "
            "are left empty, so that no other row moves."
        )
    if noun in ("CSV", "JSON lines"):
        return "all other cells byte for byte as they were."
    return "with the same schema, compression and metadata."


# Kept: they take a second for a large file, and pages ask again on every click.
@kept(2)
def _formulas(table: Table, changes: Changes) -> int:
    return n_formulas(table, dict(changes))


@kept(2)
def repaired_bytes(table: Table, file: Source | None, changes: Changes) -> bytes:
    """The original file after the repairs; of a table without one a new file."""
    if file is None:
        return table_csv(table, dict(changes))
    return repaired_file(file.raw, dict(changes), file.name, **place_of(table))


# --- decisions and values -------------------------------------------------------------


def cell_files(session: Session, table: Table, values: CellValues) -> None:
    """Decisions with repairs, the whole list, and the values."""
    choice = st.pills(
        "Decisions in the file of flagged cells",
        DECISIONS,
        format_func=words.DECIDED.__getitem__,
        selection_mode="multi",
        default=["error"],
        key="export decisions",
        help="Repaired cells are always in it.",
    )
    within = st.toggle(
        "Rank cells within their class",
        value=True,
        key="export within",
        help="A rare class has lower values as a whole; ranked within the class it "
        "does not fill the top of the list.",
    )
    shown = session.shown_table
    assert shown is not None
    cells = partial(
        decisions_frame,
        values,
        dict(session.file.decisions),
        repairs=dict(session.file.repairs),
        table=table,
        within_class=within,
        suggested=_suggested(session),
    )
    flagged = cells(only=choice or [])
    a, b, c = st.columns(3)
    with _card(
        a,
        "Flagged cells",
        f"{len(flagged):,} so far, with decisions, repairs and suggestions. Upload it "
        "again on the Repair page, or use it with `python -m cellval repair`.",
    ):
        name = f"{stem(table)}-decisions.csv"
        download("Download flagged cells", name, csv_bytes(flagged))
    with _card(
        b,
        "Whole list",
        f"All {values.values.size:,} cells, lowest first, with your decisions.",
    ):
        name = f"{stem(table)}-list.csv"
        download("Download the whole list", name, lambda: csv_bytes(cells()))
    with _card(
        c,
        "Values",
        "A table in the shape of your file, with values in place of the cells.",
    ):
        name, grid = f"{stem(table)}-values.csv", partial(values_frame, values, shown)
        download("Download the values", name, lambda: csv_bytes(grid()))
    if len(flagged):
        _preview(flagged.head(PREVIEWED), table, values)
    else:
        st.caption("Cells that you mark on the heatmap or in the list show here.")


def _preview(frame: pd.DataFrame, table: Table, values: CellValues) -> None:
    """The first lines of flagged cells as other pages write them."""
    unit = value_view(values).unit
    if table.id_column is None:
        frame = frame.drop(columns="id")
    numbers = frame[["value", "stderr"]].astype(float) * unit.factor
    rank = frame["rank"].replace(0, None).astype("Int64")  # 0: it has no value
    decision = frame["decision"].replace(words.DECIDED)
    value, digits = f"value ({unit.name})", unit.decimals
    tables.draw(
        frame.assign(**numbers, rank=rank, decision=decision),
        "Flagged cells",
        {
            "row": tables.row_number(),
            "label": tables.text(tables.heading(table.label)),
            "value": tables.number(value, digits, help=words.VALUE_HELP),
            "stderr": tables.number("± std. error", digits, help=words.STDERR_HELP),
            "rank": tables.number("rank", "localized", help=words.RANK_HELP),
        },
    )
    st.caption(
        "As on the other pages. The file itself, for other programs, holds values as "
        "shares and says `error` where it is “wrong” here."
    )


def _suggested(session: Session) -> dict[Cell, Suggestion]:
    """Likely suggestions for decided and flagged cells that are as in the file."""
    if session.suspicion is None:
        return {}
    suspicion = session.after_answers(session.suspicion)
    shown, changed = suspicion.table, session.memo.changes
    first = suspicion.order[: min(suspicion.n_flagged, MOST_DETAILED)]
    places = zip(*np.unravel_index(first, suspicion.scores.shape), strict=True)
    cells = [(int(shown.row_numbers[i]), shown.feature_names[j]) for i, j in places]
    cells = list(dict.fromkeys([*session.file.decisions, *cells]))
    return suggested_for(suspicion, [cell for cell in cells if cell not in changed])


# --- in Python ------------------------------------------------------------------------


def as_python(session: Session, table: Table) -> None:
    """A script that does all of it again; made when it is asked for."""
    make = partial(_script, session, table)
    a, b = st.columns((1, 2))
    with _card(a, "Script", "Reads, values and repairs the file as you did here."):
        name = f"{stem(table)}-repeat.py"
        download(
            "Download the script",
            name,
            lambda: make().encode(),
            mime="text/x-python",
        )
    with b.expander(
        "The script", icon=":material/code:", on_change="rerun", key="script"
    ) as fold:
        if not fold.open:
            return
        try:
            st.code(make(), height=400)
        except InputError as fault:
            error(fault)


def _script(session: Session, table: Table) -> str:
    file, run = session.file, session.memo.first or session.run
    test = session.test_source
    return script(
        table,
        recipe_of(table, file, reading=reading_of(session.memo.setup)),
        dict(file.repairs),
        run.options if run else None,
        test_file=test.name if test else "",
        of_repaired=session.is_up_to_date,
        measured=session.is_measured and file.comparison.on(table) is not None,
    )


# --- to show to others ----------------------------------------------------------------


def reports(session: Session, table: Table) -> None:
    """A page and a workbook for people without this app."""
    file = session.file
    if session.suspicion is None:
        st.caption("Reports can be made as soon as suspects were looked for.")
        return
    suspicion = session.after_answers(session.suspicion)
    measured = file.comparison.on(table) if session.is_measured else None
    comparison = None if measured is None else measured.result
    known: dict[str, Any] = {
        "repairs": dict(file.repairs),
        "decisions": dict(file.decisions),
    }
    made_from = (suspicion, comparison, *(tuple(x.items()) for x in known.values()))
    known |= {"original": table}
    page = {"comparison": comparison, "title": table.name, **known}
    a, b = st.columns(2)
    with _card(
        a,
        "Report",
        "One HTML page that opens without a server: heatmap, suspects with "
        "reasons, your changes, and whether models got better.",
    ):
        name = f"{stem(table)}-report.html"
        make = partial(report_html, suspicion, **page)
        _make_first(session, "report", name, "text/html", made_from, make)
    with _card(
        b,
        "Workbook",
        "The table as an XLSX file, cells coloured by their values, with suspects "
        "and changes.",
    ):
        name = f"{stem(table)}-report.xlsx"
        make = partial(xlsx_bytes, suspicion, **known)
        _make_first(session, "workbook", name, XLSX, made_from, make)


def _make_first(
    session: Session,
    word: str,
    name: str,
    mime: str,
    made_from: Any,
    make: Callable[[], bytes],
) -> None:
    """A file that takes long, or may fail: made by one click, fetched by the next."""
    spot = st.empty()
    known, raw = session.made.get(word, (None, None))
    raw = raw if known == made_from else None
    if raw is None:
        with spot:
            clicked = was_clicked(
                f"Make the {word}",
                key=f"make {word}",
                icon=":material/description:",
                width="stretch",
            )
        if clicked:
            try:
                with spot, st.spinner(f"Making the {word} …"):
                    raw = make()
                session.made[word] = (made_from, raw)
            except InputError as fault:
                error(fault, place=spot)
    if raw is not None:
        with spot:
            download(f"Download the {word}", name, raw, mime=mime, type="primary")


def csv_button(
    place: Any,
    table: Table,
    label: str,
    name: str,
    frame: pd.DataFrame | Callable[[], pd.DataFrame],
    words: str,
) -> None:
    """Download a frame as a CSV; a function makes it when it is asked for."""

    def made(frame: pd.DataFrame) -> bytes:
        return csv_bytes(safe_frame(frame))

    with place:
        download(
            label,
            f"{stem(table)}-{name}.csv",
            (lambda: made(frame())) if callable(frame) else made(frame),
            key=f"download {name}",
            help=f"CSV. {words}",
        )
