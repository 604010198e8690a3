"""Ids and free texts: which occur twice, which are written unlike the others.

They say nothing about how alike rows are, so no distance and no value depends on them;
what is odd about them is said in sentences.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator

import numpy as np

from cellval.table.columns import Column, Texts
from cellval.text import counted, joined, shortened

UNIQUE = 0.9  # share of the texts that differ, where they are meant to
ALIKE = 0.95  # share of the texts written alike, where they are meant to
FIRST = 1_000  # texts in which a pattern is looked for
MOST = 0.7  # of these have it
SHOWN = 3  # of each finding
LONGEST = 60  # characters: longer texts have no pattern
_padded = re.compile(r"(?<!\d)0\d", re.ASCII)
_runs = re.compile(r"([0-9]+)|([A-Z]+)|([a-z]+)|(.)", re.DOTALL)


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
    k = texts.n_different
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
    some = [texts.stripped[i] for i in present[:FIRST].tolist()]
    for pattern in _usual_patterns(some):
        match = re.compile(pattern).fullmatch
        is_odd = np.array([match(text) is None for text in texts.stripped])
        odd = np.flatnonzero((is_odd & ~texts.missing)[texts.index])
        if odd.size <= (1 - ALIKE) * texts.present:
            break
    else:
        return ""
    if not odd.size:
        return ""
    example = next(filter(match, some))
    cells = (f"row {rows[i]:,} '{shortened(texts.raw[texts.index[i]])}'" for i in odd)
    verb = "is" if odd.size == 1 else "are"
    return (
        f"{counted(odd.size, 'cell')} {verb} written unlike the others (such as "
        f"'{shortened(example)}'): {joined(cells, SHOWN)}"
    )


def _usual_patterns(texts: list[str]) -> Iterator[str]:
    """Patterns that most texts have, from strict to lax: so many letters and digits,
    so many letters, any number of either.

    Numbers grow, so that digits count only where some begin with 0. Texts without
    digits are names, which may look as they like.
    """
    short = [text for text in texts if len(text) <= LONGEST]
    padded = any(map(_padded.search, short))
    for exact in ({1, 2, 3}, {2, 3}, set[int]()) if padded else ({2, 3}, set[int]()):
        patterns = Counter(_pattern(text, exact) for text in short)
        usual, n = max(patterns.items(), key=lambda item: item[1], default=("", 0))
        if n >= MOST * len(texts) and "[0-9]" in usual:
            yield usual


def _pattern(text: str, exact: Collection[int]) -> str:
    """A regular expression for texts like this one."""

    def piece(run: re.Match[str]) -> str:
        kind, many = run.lastindex or 0, "+"
        if kind in exact:
            many = f"{{{len(run[0])}}}"
        letters = ("", "[0-9]", "[A-Z]", "[a-z]")
        return re.escape(run[0]) if kind == len(letters) else letters[kind] + many

    return _runs.sub(piece, text)
