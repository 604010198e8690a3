"""Opening a file, and saying what its columns are."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from cellval.app_files import samples
from cellval.figures.distribution import class_sizes, label_histogram
from cellval.kept import kept
from cellval.project.source import Setup, Source
from cellval.table.columns import KINDS, Texts
from cellval.table.describe import small_spreads
from cellval.table.labels import FEW_NUMBERS, LABEL_KINDS, may_be_either
from cellval.table.table import Table
from cellval.table.workbook import WorkbookFormat
from cellval.text import short_name, short_names
from cellval.ui.charts import chart
from cellval.ui.projects import open_file
from cellval.ui.session import Session
from cellval.ui.tables import line_height, named_texts, text
from cellval.ui.text import plain
from cellval.ui.widgets import error

NO_ID = "(row numbers)"
NO_LABEL = "(no label)"
MOST_PREVIEWED = 50  # columns
IN_A_LINE = 4  # samples
IN_A_BOX, LONGEST = 34, 48  # letters of a column's name, in a box and in six lines


# Titles of the files in sample_data, and what is in them; their README tells more.
SAMPLES = {
    "davis.csv": (
        "Davis",
        "200 people, measured and reported weight and height. One real error: in one "
        "row weight and height are swapped, which makes the two suspects.",
    ),
    "breast_cancer.csv": (
        "Breast cancer",
        "699 biopsies, graded from 1 to 10. 16 cells are “?”, 236 rows repeat an "
        "earlier one, and one column is an id. No suspects.",
    ),
    "wine.csv": (
        "Wine",
        "178 wines from three cultivars. Nothing is wrong here, and there are no "
        "suspects: plant errors on the Validate page and see which are found.",
    ),
    "adult_2000.csv": (
        "Adult",
        "2,000 people of the 1994 US census. 264 cells are missing, and 99999 in 11 "
        "cells of capital_gain lies apart from all other gains.",
    ),
    "ugly.csv": (
        "Ugly",
        "185 lots of an apple wholesaler: decimal commas, 9 cells that cannot be read, "
        "5 repeated rows. 8 wrong cells are among the suspects; 2 wrong grades make "
        "the two lowest rows.",
    ),
    "diamonds.csv": (
        "Diamonds",
        "1,023 diamonds; the price, a number, is to be learned. Real errors: sizes of "
        "0 in 20 rows, and three ten times too large.",
    ),
    "heights.csv": (
        "Heights",
        "1,095 students were asked for their height in inches. There is no label: "
        "feet, centimetres and jokes are found by comparing cells.",
    ),
}
UNLABELLED = ("heights.csv",)


def choose_file(session: Session) -> None:
    """An uploader, and one card per sample."""
    key = session.widget_key("upload")
    has_excel = find_spec("openpyxl") is not None
    more = "" if has_excel else ' For Excel files: pip install "cellval[excel]".'
    # Of any type: a browser that refuses one says neither what it is nor what to do.
    st.file_uploader(
        f"Your file: CSV, {'Excel, ' * has_excel}Parquet, Arrow or JSON lines",
        key=key,
        on_change=partial(_uploaded, session, key),
        help="Also compressed (.gz, .zip, .zst). The file stays on the computer this "
        f"app runs on.{more}",
    )
    there = [name for name in SAMPLES if (samples() / name).exists()]
    if not there:
        return
    st.markdown("**Or try a sample**")
    for first in range(0, len(there), IN_A_LINE):
        some = there[first : first + IN_A_LINE]
        for column, name in zip(st.columns(IN_A_LINE), some, strict=False):
            title, story = SAMPLES[name]
            with column.container(border=True, height="stretch", gap="small"):
                take = partial(take_sample, session, name)
                st.button(title, key=f"sample:{name}", on_click=take, width="stretch")
                st.caption(story)


def _uploaded(session: Session, key: str) -> None:
    file = st.session_state.get(key)
    session.refused = ""
    if file is not None:
        open_file(session, Source.of(file.name, file.getvalue()))


def say_refused(session: Session) -> None:
    """Why a link or the last file was not taken, until another one is.

    In a container, so that the uploader below stays where it is: one that is put
    elsewhere while a file is on its way to it forgets that file.
    """
    with st.container():
        for why in filter(None, (session.lost, session.refused)):
            error(why)


def take_sample(session: Session, name: str) -> None:
    setup = Setup(has_label=name not in UNLABELLED)
    open_file(session, Source.of(name, (samples() / name).read_bytes()), setup)


def show_preview(table: Table, n: int = 6) -> None:
    shown = table.cells.iloc[:n, :MOST_PREVIEWED]
    shown = shown.set_index(pd.Index(table.row_numbers[:n], name="row"))
    st.dataframe(shown, height="content", column_config=named_texts(shown))
    if table.cells.shape[1] > MOST_PREVIEWED:
        more = table.cells.shape[1] - MOST_PREVIEWED
        st.caption(f"{more:,} more columns are not shown here.")


def label_words(table: Table) -> str:
    """What is learned, in a caption."""
    if not table.label:
        return "no label: cells are compared, not valued"
    if table.target is None:
        return f"{len(table.classes):,} classes"
    return "the label is a number"


def show_label(table: Table) -> None:
    """Sizes of the classes, or where the numbers lie; also makes the browser load its
    chart code early.
    """
    if not table.label:
        return
    numbers = table.labelled.target
    if numbers is not None:
        figure = label_histogram(numbers, short_name(table.label, IN_A_BOX))
        chart(figure, "Histogram of the label", menu=False)
        return
    counts = np.bincount(table.labelled.y, minlength=len(table.classes)).tolist()
    figure = class_sizes(table.classes, counts)
    chart(figure, "Number of rows of each class", menu=False)


def choose_sheet(session: Session, table: Table) -> None:
    """Of a workbook: which sheet, and the row with the column names."""
    found = table.format
    if not isinstance(found, WorkbookFormat):
        return
    file = session.file
    is_fixed = bool(file.decisions or file.repairs)
    why = "Your decisions are about this sheet; undo them to read another." * is_fixed
    a, b = st.columns([2, 1], vertical_alignment="bottom")
    a.selectbox(
        "Sheet",
        found.sheets,
        index=found.sheets.index(found.sheet),
        disabled=is_fixed,
        help=why or None,
        **_as_read(session, "sheet", with_sheet),
    )
    b.number_input(
        "Header row",
        min_value=1,
        value=found.header_row,
        disabled=is_fixed,
        help=why or "The row of the sheet with the column names.",
        **_as_read(session, "header row", partial(with_header_row, found.sheet)),
    )


def choose_label_and_id(session: Session, table: Table) -> None:
    """Two lists; a change is read at once."""
    names = [str(name) for name in table.cells.columns]
    short = dict(zip(names, short_names(names, IN_A_BOX), strict=True))
    st.selectbox(
        "Label (to be learned)",
        [*names, NO_LABEL],
        index=names.index(table.label) if table.label else len(names),
        format_func=lambda name: short.get(name, name),
        help="The column that a model would predict: classes, or a number such as a "
        "price. Without one, cells are compared with each other, but have no values.",
        **_as_read(session, "label", with_label),
    )
    _choose_label_kind(session, table)
    ids = [NO_ID, *(name for name in names if name != table.label)]
    st.selectbox(
        "Id (names the rows)",
        ids,
        index=ids.index(table.id_column) if table.id_column else 0,
        format_func=lambda name: short.get(name, name),
        **_as_read(session, "id", partial(with_id, before=table.id_column)),
    )


def _choose_label_kind(session: Session, table: Table) -> None:
    """Asked where the label holds numbers; a change is read at once."""
    if not table.label:
        return
    texts = Texts.of(table.cells[table.label])
    if table.target is None and not may_be_either(texts, table.decimal):
        return
    few = table.target is None or len(texts.different) <= FEW_NUMBERS
    st.segmented_control(
        "The label is",
        list(LABEL_KINDS),
        default=table.label_kind,
        required=True,
        format_func=LABEL_KINDS.__getitem__,
        **_as_read(session, "label kind", partial(with_label_kind, table.label)),
        help="Classes: 3 and 4 are as different as 3 and 300. A number: near ones "
        "nearly agree.",
    )
    if few:
        st.caption(
            f"{plain(short_name(table.label, IN_A_BOX))} holds "
            f"{len(texts.different):,} different numbers: do they name groups, or "
            "measure something?"
        )


def _as_read(
    session: Session, name: str, change: Callable[[Setup, Any], Setup]
) -> dict[str, Any]:
    """Key of a widget on how the file is read, and what reads it again."""
    key = session.widget_key(name, as_read=True)

    def read() -> None:
        session.try_setup(change(session.setup, st.session_state[key]))

    return {"key": key, "on_change": read}


def choose_kinds(session: Session, table: Table) -> None:
    """What each column is, to be edited; a change is read at once."""
    frame = columns_frame(table)
    texts = {"column": 90, "examples": 165}  # pixels; they wrap
    line = max(line_height(frame[name], texts[name]) for name in texts)
    st.data_editor(
        frame,
        **_as_read(session, "columns", partial(with_edits, table)),
        hide_index=True,
        disabled=["column", "cells", "missing", "strays", "examples", "why not"],
        height=min(38 + line * len(frame), 400),
        row_height=line,
        column_order=[name for name in frame if name != "why not" or any(frame[name])],
        column_config={
            "column": text(width=texts["column"]),
            "use": st.column_config.CheckboxColumn(width=58),
            "kind": st.column_config.SelectboxColumn(
                options=KINDS, required=True, width=80, help="Click to change"
            ),
            "cells": st.column_config.BarChartColumn(
                width=62,
                y_min=0,
                help="Numbers and dates from low to high, without far outliers; of "
                "categories the commonest, in % of the cells.",
            ),
            "missing": st.column_config.NumberColumn(width=60),
            "strays": st.column_config.NumberColumn(
                width=52, help="Cells that do not fit the kind"
            ),
            "examples": text(width=texts["examples"]),
            "why not": text("why not used", width="medium"),
        },
    )


def show_notes(session: Session, table: Table) -> None:
    """What was noticed while reading, and why the last change was not possible."""
    if session.fault:
        st.error(
            f"{plain(session.fault)} The change was taken back.", icon=":material/undo:"
        )
    if table.notes:
        st.markdown("**What cellval noticed**")
        st.markdown("\n".join(f"- {plain(note)}" for note in table.notes))


@kept(1)
def columns_frame(table: Table) -> pd.DataFrame:
    """One line per column but the label."""
    spreads = small_spreads(table)
    names = short_names([column.name for column in table.columns], LONGEST)
    lines = []
    for name, column in zip(names, table.columns, strict=True):
        cells = table.cells[column.name]
        examples = list(dict.fromkeys(text for text in cells.head(50) if text))[:4]
        lines.append(
            {
                "column": name,
                "use": column.feature,
                "kind": column.kind,
                "cells": spreads[column.name],
                "missing": int(column.missing.sum()) - len(column.strays),
                "strays": len(column.strays),
                "examples": " | ".join(examples)[:72],
                "why not": column.why_not,
            }
        )
    return pd.DataFrame(lines)


def with_sheet(setup: Setup, sheet: str) -> Setup:
    """What was said of the columns of another sheet does not hold."""
    return Setup(sheet=sheet)


def with_header_row(sheet: str, setup: Setup, row: int) -> Setup:
    """Other column names, so nothing that was said of them holds."""
    return Setup(sheet=sheet, header_row=int(row))


def with_label(setup: Setup, label: str) -> Setup:
    """The label is neither excluded nor an id, and its kind is found out."""
    if label == NO_LABEL:
        return replace(setup, label=None, has_label=False)
    return replace(
        setup,
        label=label,
        has_label=True,
        id_column=None if setup.id_column == label else setup.id_column,
        exclude=tuple(name for name in setup.exclude if name != label),
        kinds=tuple(pair for pair in setup.kinds if pair[0] != label),
    )


def with_label_kind(drawn: str, setup: Setup, kind: str) -> Setup:
    """What the label is: of another one than was drawn, if that was chosen since."""
    if not setup.has_label:
        return setup
    label = setup.label or drawn
    kinds = dict(setup.kinds) | {label: kind}
    return replace(setup, label=label, kinds=tuple(kinds.items()))


def with_id(setup: Setup, name: str, before: str | None) -> Setup:
    """Another id column, or none: the one before is then left out, not guessed."""
    if name == NO_ID:
        exclude = setup.exclude + ((before,) if before else ())
        return replace(setup, id_column=None, exclude=tuple(dict.fromkeys(exclude)))
    return replace(
        setup,
        id_column=name,
        exclude=tuple(other for other in setup.exclude if other != name),
        kinds=tuple(pair for pair in setup.kinds if pair[0] != name),
    )


def with_edits(table: Table, setup: Setup, edits: Mapping[str, Any]) -> Setup:
    """Setup after edits of `columns_frame`, by position."""
    exclude = dict.fromkeys(setup.exclude)
    kinds = dict(setup.kinds)
    id_column = setup.id_column
    for i, edit in edits["edited_rows"].items():
        column = table.columns[int(i)]
        name = column.name
        if "kind" in edit:
            kinds[name] = str(edit["kind"])
            exclude.pop(name, None)
        elif edit.get("use") is False:
            exclude[name] = None
        elif edit.get("use") is True and name in exclude:
            del exclude[name]
        elif edit.get("use") is True:
            # It was left out for its kind; as a category every column can be used.
            kinds[name] = "category"
        if id_column == name and (name in exclude or name in kinds):
            id_column = None
    pairs = tuple(kinds.items())
    return replace(setup, id_column=id_column, exclude=tuple(exclude), kinds=pairs)
