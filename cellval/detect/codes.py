"""Findings: a number or a word in a column that may stand for "missing"."""

from collections.abc import Iterator

import numpy as np

from cellval.detect.finding import Finding, column_name, finding, in_cells
from cellval.detect.placeholders import CODES, Placeholder, missing_codes
from cellval.detect.series import in_step
from cellval.kept import kept
from cellval.table.columns import MISSING_MARKERS
from cellval.table.table import Table, texts_of
from cellval.text import brief

NUMBER, WORD = 0.9, 0.4  # how sure: -999 far from all others, "unknown"
# Zero may be a state as well: of a machine that stands still, of a person without
# income. The more cells have it, the less does it look like a code.
ZERO, MUCH_ZERO, MUCH = 0.8, 0.3, 0.2
SPIKE = 0.4  # a number that nobody uses as a code
BLANKS, OTHERS = 0.01, 2  # share of blank cells of so many other columns, at least
MARKER = 0.7  # N/A in one column, where all others leave such cells blank


@kept(1)
def codes(table: Table) -> tuple[Finding, ...]:
    """Numbers and words for "missing", one question for each in a column."""
    own = [_code(table, code) for code in missing_codes(table)]
    return (*own, *_markers(table))


def sure_of(table: Table, code: Placeholder) -> float:
    if np.isnan(code.number):
        return WORD
    if code.number not in CODES:
        return SPIKE
    if code.number != 0:
        return NUMBER
    much = code.n_cells > MUCH * table.n_rows
    return MUCH_ZERO if much or _follows(table, code) else ZERO


def _follows(table: Table, code: Placeholder) -> bool:
    """Do rows before and after lead to it, as to the state of a machine?"""
    steady = in_step(table)[code.rows, table.feature_names.index(code.column)]
    return bool(steady.mean() > 0.5)


def _code(table: Table, code: Placeholder) -> Finding:
    lies = (
        "says that there is nothing"
        if np.isnan(code.number)
        else "lies apart from all other numbers of the column"
    )
    return finding(
        table,
        "code",
        code.column,
        code.rows,
        [""] * code.n_cells,
        about=(code.text,),
        sure=sure_of(table, code),
        title=f"{column_name(code.column)}: {brief(code.text, 20)}",
        evidence=(
            f"{brief(code.text, 20)} {lies} and is {in_cells(code.n_cells)}: it may "
            'stand for "missing".'
        ),
    )


def _markers(table: Table) -> Iterator[Finding]:
    """A text such as N/A in one column, where others leave such cells blank."""
    held: dict[str, list[tuple[str, np.ndarray]]] = {}
    blank: set[str] = set()
    for column in table.columns:
        texts = texts_of(table)[column.name]
        gone = np.flatnonzero(texts.missing)
        found = [text.strip() for text in texts.some(gone)]
        empty = gone[[not text for text in found]]
        if texts.counts[empty].sum() >= BLANKS * table.n_rows:
            blank.add(column.name)
        for k, text in zip(gone.tolist(), found, strict=True):
            if text.casefold() in MISSING_MARKERS:
                rows = np.flatnonzero(texts.index == k)
                held.setdefault(text, []).append((column.name, rows))
    if len(held) != 1:  # it is how this file says that
        return
    ((text, places),) = held.items()
    if len(places) > 1 or len(blank - {places[0][0]}) < OTHERS:
        return
    name, rows = places[0]
    yield finding(
        table,
        "code",
        name,
        rows,
        [""] * rows.size,
        about=(text,),
        sure=MARKER,
        title=f"{column_name(name)}: {text}",
        evidence=(
            f"{text} counts as missing and is {in_cells(rows.size)}; other columns "
            "leave such cells blank."
        ),
    )
