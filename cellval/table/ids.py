"""Ids and free texts: which occur twice, which are written unlike the others.

They say nothing about how alike rows are, so no distance and no value depends on them;
what is odd about them is said in sentences.
"""

import re

import numpy as np
import pandas as pd

from cellval.table.columns import Column, Texts
from cellval.text import counted, joined, shortened

UNIQUE = 0.9  # share of the texts that differ, where they are meant to
ALIKE = 0.95  # share of the texts written alike, where they are meant to
FIRST = 1_000  # texts that are looked at before all are
SHOWN = 3  # of each finding
_padded = re.compile(r"(?<!\d)0\d", re.ASCII)
# From strict to lax: 4 digits (if some begin with 0), 2 letters, any number of either.
_WAYS = (
    {"[0-9]": "9", "[A-Z]": "A", "[a-z]": "a"},
    {"[0-9]+": "9", "[A-Z]": "A", "[a-z]": "a"},
    {"[0-9]+": "9", "[A-Z]+": "A", "[a-z]+": "a"},
)


def id_notes(column: Column, texts: Texts, rows: np.ndarray) -> list[str]:
    """Sentences about a column of ids or texts; none about others.

    `rows` are the numbers of the rows.
    """
    if column.kind not in ("id", "text") or not texts.present:
        return []
    notes = [_repeats(column, texts, rows), _unlike(texts, rows)]
    return [f"'{texts.title}': {note}." for note in notes if note]


def _repeats(column: Column, texts: Texts, rows: np.ndarray) -> str:
    """Texts that occur more than once, where hardly any does."""
    k = len(texts.different)
    if not UNIQUE * texts.present <= k < texts.present:
        return ""
    where: dict[str, list[int]] = {}
    for i in np.flatnonzero(~column.missing).tolist():
        where.setdefault(texts.stripped[texts.index[i]], []).append(int(rows[i]))
    found = {text: rows for text, rows in where.items() if len(rows) > 1}
    shown = joined(
        (f"'{shortened(text)}' in rows {_and(rows)}" for text, rows in found.items()),
        SHOWN,
    )
    verb = "occurs" if len(found) == 1 else "occur"
    return f"{counted(len(found), column.kind)} {verb} more than once: {shown}"


def _and(rows: list[int]) -> str:
    first = [f"{row:,}" for row in rows[: SHOWN + 1]]
    more = len(rows) - len(first)
    last = f"{more:,} more" if more else first.pop()
    return f"{', '.join(first)} and {last}"


def _unlike(texts: Texts, rows: np.ndarray) -> str:
    """Texts of another pattern than nearly all, such as AB1234 beside AB-1235."""
    present = np.flatnonzero(~texts.missing)
    stripped = pd.Series([texts.stripped[i] for i in present.tolist()], dtype="str")
    some = stripped.head(FIRST)
    padded = any(map(_padded.search, some.tolist()))
    for way in _WAYS if padded else _WAYS[1:]:
        # One fifth of a few may be odd by chance, where only a twentieth of all is.
        if _shapes(some, way).value_counts(normalize=True).iloc[0] < ALIKE - 0.15:
            continue
        shapes = _shapes(stripped, way)
        counts = pd.Series(texts.counts[present]).groupby(shapes).sum()
        usual = counts.idxmax()
        # Without digits they are names, which may look as they like.
        if counts[usual] < ALIKE * texts.present or "9" not in usual:
            continue
        is_odd = np.zeros(len(texts.raw), bool)
        is_odd[present[(shapes != usual).to_numpy()]] = True
        odd = np.flatnonzero(is_odd[texts.index])
        if not odd.size:
            return ""
        example = shortened(stripped[shapes == usual].iloc[0])
        cells = (
            f"row {rows[i]:,} '{shortened(texts.raw[texts.index[i]])}'" for i in odd
        )
        verb = "is" if odd.size == 1 else "are"
        return (
            f"{counted(odd.size, 'cell')} {verb} written unlike the others (such as "
            f"'{example}'): {joined(cells, SHOWN)}"
        )
    return ""


def _shapes(texts: pd.Series, way: dict[str, str]) -> pd.Series:
    for pattern, letter in way.items():
        texts = texts.str.replace(pattern, letter, regex=True)
    return texts
