"""What was noticed about a table while it was read, as sentences."""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from cellval.table.columns import MISSING_MARKERS, Column
from cellval.text import counted, joined, listed, shortened

if TYPE_CHECKING:  # which makes its notes here
    from cellval.table.table import Table


def notes_on(table: "Table") -> list[str]:
    """What was guessed, left out, missing or repeated, a sentence each."""
    notes = [column.note for column in table.columns if column.note]
    if again := header_rows(table.cells).tolist():
        rows = joined([f"{table.row_numbers[i]:,}" for i in again], 3)
        notes.append(
            f"The names of the columns stand in row {rows} once more, as if files had "
            "been joined. Drop such rows in the panel of one of their cells."
        )
    unused: dict[str, list[str]] = {}
    for column in table.columns:
        if column.why_not:
            unused.setdefault(column.why_not, []).append(column.name)
        elif strays := unread(column):
            notes.append(_stray_note(column, strays, table.row_numbers))
    for why, names in unused.items():
        notes.append(f"Not used as a feature: {listed(names)} ({why}).")
    gaps = [int(c.missing.sum()) - len(unread(c)) for c in table.features]
    if n := sum(gaps):
        most = max(gaps)
        pairs = zip(table.features, gaps, strict=True)
        first = [listed([column.name]) for column, gap in pairs if gap == most]
        where = " and ".join(first) if len(first) == 2 else joined(first, 3)
        each = " each" if len(first) > 1 else ""
        other = " other" if any(unread(column) for column in table.features) else ""
        notes.append(
            f"{n:,}{other} feature cell{'s are' if n > 1 else ' is'} missing, "
            f"most in {where} ({most:,}{each})."
        )
        notes += _marker_notes(table)
    if n := table.n_duplicates:
        notes.append(
            f"{n:,} row{'s repeat' if n > 1 else ' repeats'} an earlier row in all "
            f"features{' and the label' * bool(table.label)}. Copies vouch for each "
            "other and can hide errors."
        )
    return notes


def header_rows(cells: pd.DataFrame) -> np.ndarray:
    """Positions of the rows that hold the names of the columns."""
    rows = np.arange(len(cells))
    for name in cells:
        if rows.size:
            rows = rows[(cells[name].iloc[rows] == name).to_numpy()]
    return rows


def _marker_notes(table: "Table") -> list[str]:
    """Texts that say that a cell is missing."""
    found: dict[str, dict[str, int]] = {}
    for column in table.features:
        blank = column.missing.copy()
        blank[[i for i, _ in unread(column)]] = False
        if blank.any():
            texts = table.cells[column.name][blank].str.strip()
            for text, n in texts[texts != ""].value_counts().items():
                found.setdefault(str(text), {})[column.name] = int(n)
    return [
        f"'{text}' was taken for missing in {counted(sum(counts.values()), 'cell')} of "
        f"{listed(counts, 5)}."
        for text, counts in found.items()
    ]


def unread(column: Column) -> tuple[tuple[int, str], ...]:
    """Its strays that do not say by themselves that the cell is missing."""
    return tuple(
        (i, text)
        for i, text in column.strays
        if text.strip().casefold() not in MISSING_MARKERS
    )


def _stray_note(
    column: Column, strays: tuple[tuple[int, str], ...], rows: np.ndarray
) -> str:
    n = len(strays)
    shown = joined([f"row {rows[i]:,} '{shortened(t)}'" for i, t in strays], 3)
    what = (f"cell is no {column.word}", f"cells are no {column.word}s")[n > 1]
    return (
        f"'{column.name}': {n:,} {what} and count{'s' * (n == 1)} as missing: {shown}."
    )
