"""What notebooks show of a table, values, findings, a check and a comparison.

Plain HTML of a few kilobytes, however large what is shown: no script, no server, no
network, and nothing of a cell that is not escaped.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import numpy as np

from cellval.detect.finding import Finding
from cellval.detect.findings import Findings
from cellval.export.check import Check
from cellval.export.listings import Listing, compared, template
from cellval.figures.palette import HELD_OUT, rgb_at
from cellval.repairs.comparison import Comparison
from cellval.table.table import Table
from cellval.text import brief, content, counted, cut, joined, short_names
from cellval.values.result import CellValues
from cellval.values.words import (
    colour_words,
    error_words,
    made_words,
    stderr_words,
)
from cellval.views.findings_list import lines
from cellval.views.value_view import ValueView, value_view

MOST_ROWS, MOST_COLUMNS = 20, 15  # of a grid
FIRST_ROWS = 8  # of a table
MOST_LINES = 20  # of a list
LOWEST = 5  # cells that are listed with their errors
MOST_NOTES = 5
TEXT, NAME, HOVER, LONGEST = 16, 18, 60, 300  # characters
SCALE = 9  # colours of it that are shown
LIGHT = 0.18  # a colour that is at least so bright has dark letters
WHY_NOT = "their rows were held out for testing, or have no label"
FAINT = "opacity:.55;font-style:italic"


@dataclass(frozen=True)
class Cell:
    """A cell of a grid."""

    text: str
    style: str = ""
    hover: str = ""


@dataclass(frozen=True)
class Grid:
    """Cells with names of rows and columns; below a column's name stands what it is."""

    corner: str
    columns: Sequence[tuple[str, str]]
    rows: Sequence[tuple[str, Sequence[Cell]]]


@singledispatch
def html_of(thing: Any) -> str:
    """A piece of HTML that shows what it is."""
    raise TypeError(f"notebooks show no {type(thing).__name__}")


def _rendered(title: str, subtitle: str = "", **parts: Any) -> str:
    empty: dict[str, Any] = {
        "grid": None,
        "scale": None,
        "sentences": [],
        "list": None,
        "after": [],
    }
    return template("notebook.html").render(
        empty | parts, title=title, subtitle=subtitle
    )


# --- a table --------------------------------------------------------------------------


@html_of.register
def _table(table: Table) -> str:
    title, *facts = repr(table).split("\n  ")
    names = [*map(str, table.cells.columns)]
    shown, n = names[:MOST_COLUMNS], min(table.n_rows, FIRST_ROWS)
    missing = {column.name: column.missing for column in table.columns}
    missing[table.label] = table.y < 0

    def cell(i: int, name: str) -> Cell:
        text = table.cells[name].iloc[i]
        gone = name in missing and bool(missing[name][i])
        return Cell(content(text, TEXT), FAINT * gone, _more(text))

    ids = short_names(table.ids[:n], NAME)
    rows = [(ids[i], [cell(i, name) for name in shown]) for i in range(n)]
    kinds = [_kind(table, name, missing.get(name)) for name in shown]
    heads = [*zip(short_names(shown, NAME), kinds, strict=True)]
    notes = [cut(note, LONGEST) for note in table.notes]
    first = f"the first {n:,} of {counted(table.n_rows, 'row')}"
    left = _shown(first * (n < table.n_rows), _columns(len(shown), len(names)))
    kinds_too = len(shown) < len(names)  # heads say it of those that are shown
    return _rendered(
        title.removesuffix(":"),
        grid=Grid("id" if table.id_column else "row", heads, rows),
        sentences=[*left, *(facts if kinds_too else facts[:1])],
        after=[*notes[:MOST_NOTES], *_more_notes(notes)],
    )


def _kind(table: Table, name: str, missing: np.ndarray | None) -> str:
    """What a column is, and how many of its cells are missing."""
    kind = f"label, {table.label_kind}"
    if name != table.label:
        column = next(one for one in table.columns if one.name == name)
        kind = column.kind if column.feature else f"{column.kind}, not used"
    n = 0 if missing is None else int(missing.sum())
    return f"{kind}; {n:,} missing" if n else kind


def _more(text: str) -> str:
    """What is shown where one hovers: a text that was cut."""
    return "" if len(text) <= TEXT else brief(text, HOVER)


def _shown(*parts: str) -> list[str]:
    """Which rows and columns are shown, where that is not all of them."""
    known = [*filter(None, parts)]
    return [f"Shown are {', and '.join(known)}."] if known else []


def _columns(n: int, of: int) -> str:
    return f"{n:,} of {counted(of, 'column')}" if n < of else ""


def _more_notes(notes: Sequence[str]) -> list[str]:
    more = len(notes) - MOST_NOTES
    return [f"And {counted(more, 'more note')}."] if more > 0 else []


# --- values ---------------------------------------------------------------------------


@html_of.register
def _values(values: CellValues) -> str:
    settings, view = values.settings, value_view(values)
    n, m = values.values.shape
    title = f"Values of {counted(n, 'row')} x {counted(m, 'column')}"
    if not view.is_valued or not np.isfinite(values.values).any():
        return _rendered(title, "no cell has a value: values need a label.")
    rows, columns = _worst(view)
    few = f"the {len(rows)} of {n:,} rows with the lowest cells, worst first"
    left = _shown(few * (len(rows) < n), _columns(len(columns), m))
    above = "; below 0 it hurts" * settings.additive
    middle, limit = settings.middle, view.limit
    lowest, highest = np.clip((middle - limit, middle + limit), *settings.possible)
    places = [_place(view, x) for x in np.linspace(lowest, highest, SCALE)]
    doubt = [stderr_words(settings, values.typical_stderr), error_words(settings)]
    return _rendered(
        title,
        f"what each adds, in {view.unit.long}. Lower is worse{above}.",
        grid=_heatmap(view, rows, columns),
        scale={
            "low": view.unit.text(lowest),
            "high": view.unit.text(highest),
            "colours": [_hex(at) for at in places],
        },
        sentences=[
            *left,
            f"Colours are values: {colour_words(settings)}. Hover over a cell for its "
            "value ± its standard error.",
            *_held_out(values.values[np.ix_(rows, columns)]),
            f"{made_words(settings, values.tested)}.",
            *(f"{words[0].upper()}{words[1:]}." for words in doubt if words),
            "The lowest:",
        ],
        list=_lowest(view),
    )


def _worst(view: ValueView) -> tuple[np.ndarray, np.ndarray]:
    """Rows and columns that are shown: all, or those with the lowest cells."""
    values = view.values.values
    rows, columns = np.arange(len(values)), np.arange(values.shape[1])
    if rows.size > MOST_ROWS:
        rows = np.argsort(view.lowest_cell, kind="stable")[:MOST_ROWS]  # NaN comes last
    if columns.size > MOST_COLUMNS:
        lowest = np.fmin.reduce(values[rows], axis=0)
        columns = np.sort(np.argsort(lowest, kind="stable")[:MOST_COLUMNS])
    return rows, columns


def _heatmap(view: ValueView, rows: np.ndarray, columns: np.ndarray) -> Grid:
    values, unit = view.values, view.unit
    names = short_names([values.column_names[j] for j in columns], NAME)

    def cell(i: int, j: int) -> Cell:
        value, error = values.values[i, j], values.stderr[i, j]
        text = values.cells.iat[i, j]
        if not np.isfinite(value):
            return Cell(content(text, TEXT), _painted(HELD_OUT), "no value")
        colour, more = _hex(_place(view, value)), _more(text)
        said = f"{more}: " * bool(more) + unit.with_error(value, error)
        return Cell(content(text, TEXT), _painted(colour), said)

    ids = short_names([values.ids[i] for i in rows], NAME)
    numbers = [str(number) for number in values.row_numbers[rows]]
    return Grid(
        "row" if ids == numbers else "id",
        [*zip(names, map(view.column_text, columns.tolist()), strict=True)],
        [
            (name, [cell(i, j) for j in columns.tolist()])
            for name, i in zip(ids, rows.tolist(), strict=True)
        ],
    )


def _held_out(grid: np.ndarray) -> list[str]:
    return ["Grey cells have no value: " + WHY_NOT + "."] * bool(np.isnan(grid).any())


def _place(view: ValueView, value: float) -> float:
    """Where in the palette a value is, 0 to 1, as in all figures."""
    away = (value - view.values.settings.middle) / (view.limit or 1e-12)
    return float(np.clip(0.5 + away / 2, 0, 1))


def _hex(place: float) -> str:
    return "#" + bytes(rgb_at(place)).hex()


def _painted(colour: str) -> str:
    """A colour, and letters that are seen on it."""
    red, green, blue = (int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))
    bright = 0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2
    ink = "#000000" if bright >= LIGHT else "#ffffff"
    return f"background-color:{colour};color:{ink}"


def _lowest(view: ValueView) -> Listing:
    cells = [
        [
            f"{line.row_number:,}",
            brief(line.column, 40),
            content(line.cell, 40),
            view.unit.with_error(line.value, line.stderr),
        ]
        for line in view.values.lowest(LOWEST).itertuples()
    ]
    return Listing(("Row", "Column", "Content", "Value ± error"), "nttn", cells)


# --- findings and a check -------------------------------------------------------------


@html_of.register
def _findings(found: Findings) -> str:
    flagged = sum(one.is_flagged for one in found)
    said = f"{flagged:,} of them likely" if found else "nothing odd was found"
    return _rendered(
        counted(len(found), "finding"),
        f"{said}, those that settle most errors first." if found else f"{said}.",
        list=_listed(found.table, found),
        after=_first_only(len(found)),
    )


@html_of.register
def _check(found: Check) -> str:
    summary, *_ = str(found).split("\n")
    verdict = "Passed" if found.is_clean else "Not passed"
    return _rendered(
        verdict,
        summary,
        list=_listed(found.table, found.flagged),
        after=[
            *_first_only(found.n_flagged),
            *[f"Not checked: {cut(why, LONGEST)}" for why in found.unchecked][
                :MOST_NOTES
            ],
        ],
    )


def _first_only(n: int) -> list[str]:
    return [f"The first {MOST_LINES} of {n:,}."] if n > MOST_LINES else []


def _listed(table: Table, found: Sequence[Finding]) -> Listing:
    heads = ("Kind", "Columns", "Question", "Cells", "How sure", "Rows", "Suggested")
    first = found[:MOST_LINES]
    texts = [
        [
            line.kind,
            cut(line.column, 60),
            cut(line.title, 120),
            f"{line.n_cells:,}",
            line.how_sure,
            _rows(table, one),
            cut(line.action, 120),
        ]
        for one, line in zip(first, lines(table, first, {}).itertuples(), strict=True)
    ]
    return Listing(heads, "ttsntts", texts)


def _rows(table: Table, one: Finding) -> str:
    numbers = dict.fromkeys(table.row_numbers[one.rows].tolist())
    return joined([f"{number:,}" for number in numbers], 3)


# --- models before and after ----------------------------------------------------------


@html_of.register
def _comparison(comparison: Comparison) -> str:
    found = compared(comparison)
    return _rendered(
        found["title"],
        list=found["models"],
        after=[found["words"], found["reference"]],
    )
