"""Findings: one spelling of a category that nearly all others write otherwise."""

from collections.abc import Iterator

import numpy as np

from cellval.detect.finding import Finding, column_name, finding, in_cells
from cellval.detect.misspelt import (
    MOST_CATEGORIES,
    MOST_CELLS,
    differing,
    is_systematic,
    letters_of,
    misspelt,
    same_signs,
    spelt_otherwise,
)
from cellval.table.columns import Column
from cellval.table.table import Table
from cellval.text import brief

SLIP, REPEATED = 0.95, 0.8  # how sure: in one or two cells, in more
RARE_SLIP = 0.45  # the same where there are many words: Smyth is no slip for Smith
VOCABULARY = 50  # words, at most, or there are many
LONG = 12  # letters of a word that no other is like by chance
LOOKS = 0.9  # the same but for case, blanks or dots
TIMES = 3.0  # as common, at least, as another way to write the same: else who knows
SYSTEMATIC = 0.1  # words that differ alike are meant so
SHORT = 0.4  # words of two to four letters that differ in one
RARE, MAIN = 0.05, 0.5  # of the cells: such a short one, and what it stands for
SHORTEST = 2


def spellings(table: Table) -> list[Finding]:
    """Those of all columns of categories, and of the classes of the label."""
    label = [] if table.class_column is None else [table.class_column]
    columns = (*table.columns, *label)
    return [one for column in columns for one in _of_column(table, column)]


def _of_column(table: Table, column: Column) -> Iterator[Finding]:
    if column.codes is not None and 2 <= len(column.categories) <= MOST_CATEGORIES:
        yield from _slips(table, column)
    if otherwise := spelt_otherwise(table, column):
        texts = table.cells[column.name].str.strip()
        for text, usual in otherwise.items():
            rows = np.flatnonzero(texts == text)
            why = f"Written otherwise: nearly all others have '{brief(usual, 30)}'."
            yield _spelling(table, column, text, usual, rows, LOOKS, why)


def _slips(table: Table, column: Column) -> Iterator[Finding]:
    meant = misspelt(column)
    names, codes = column.categories, column.codes
    assert codes is not None
    counts = np.bincount(codes[codes >= 0], minlength=len(names))
    pairs = [(names[a], names[b]) for a, b in meant.items()]
    few_words = np.sum(counts > 0) - len(meant) <= VOCABULARY
    alike: dict[tuple[str, str], list[int]] = {}
    for slip, word in meant.items():
        text, usual = names[slip], names[word]
        if _digits_apart(text) != _digits_apart(usual):  # 1.5 is not 15
            continue
        if is_systematic(text, usual, pairs):
            alike.setdefault(differing(text, usual), []).append(slip)
            continue
        why = f"Looks like a slip for '{brief(usual, 40)}' {in_cells(counts[word])}."
        sure = SLIP if few_words else RARE_SLIP
        if counts[slip] > MOST_CELLS:
            sure = REPEATED if few_words and len(usual) >= LONG else SHORT
        if letters_of(text) == letters_of(usual):
            sure = LOOKS
        elif _is_another_word(text, usual) or text[:1] != usual[:1]:
            sure = SHORT
        rows = np.flatnonzero(codes == slip)
        yield _spelling(table, column, text, usual, rows, sure, why)
    for (own, other), slips in alike.items():
        rows = np.flatnonzero(np.isin(codes, slips))
        yield finding(
            table,
            "spelling",
            column.name,
            rows,
            [names[meant[int(codes[i])]] for i in rows],
            about=("alike", own, other),
            sure=SYSTEMATIC,
            title=f"{column_name(column.name)}: '{own}' for '{other}'",
            evidence=(
                f"{len(slips)} texts have '{own}' where others have '{other}': so many "
                "are hardly slips, or one that was copied."
            ),
        )
    yield from _looks(table, column, counts, set(meant))
    yield from _short(table, column, counts, set(meant))


def _is_another_word(text: str, usual: str) -> bool:
    """May a letter make the difference: group A, group B; typical, atypical?"""
    a, b = text.casefold().split(), usual.casefold().split()
    if len(a) != len(b):
        return False
    others = [(x, y) for x, y in zip(a, b, strict=True) if x != y]
    return any(
        max(len(x), len(y)) <= 2 or x in (f"a{y}", f"{y}s") or y in (f"a{x}", f"{x}s")
        for x, y in others
    )


def _looks(
    table: Table, column: Column, counts: np.ndarray, known: set[int]
) -> Iterator[Finding]:
    """Categories that differ in case, blanks or dots only, each written by many."""
    same: dict[str, list[int]] = {}
    for code in np.flatnonzero(counts).tolist():
        letters = letters_of(column.categories[code])
        if letters and code not in known:
            same.setdefault(letters, []).append(code)
    for group in same.values():
        first, *others = sorted(group, key=lambda code: (-counts[code], code))
        for code in others:
            text, usual = column.categories[code], column.categories[first]
            if _digits_apart(text) != _digits_apart(usual):
                continue
            if not same_signs(text, usual):
                continue
            often = counts[first] >= TIMES * counts[code]
            why = (
                f"The same as '{brief(usual, 40)}' {in_cells(counts[first])} but for "
                "case, blanks or punctuation."
            )
            rows = np.flatnonzero(column.codes == code)
            sure = LOOKS if often else SHORT
            yield _spelling(table, column, text, usual, rows, sure, why)


def _digits_apart(text: str) -> list[str]:
    """Its numbers, with what stands between their digits."""
    spaced = "".join(c if c.isalnum() or c in ".,-" else " " for c in text)
    return [word for word in spaced.split() if any(c.isdigit() for c in word)]


def _short(
    table: Table, column: Column, counts: np.ndarray, known: set[int]
) -> Iterator[Finding]:
    """A rare short text, one letter away from what most cells hold: xl for al."""
    n = int(counts.sum())
    main = int(np.argmax(counts))
    usual = column.categories[main]
    if counts[main] < MAIN * n or not SHORTEST <= len(usual) <= 4:
        return
    for code in np.flatnonzero((counts > 0) & (counts <= RARE * n)).tolist():
        text = column.categories[code]
        if code in known or len(text) != len(usual) or code == main:
            continue
        wrong = [(a, b) for a, b in zip(text, usual, strict=True) if a != b]
        if len(wrong) == 1 and all(c.isalpha() for c in wrong[0]):
            why = f"One letter differs from '{usual}' {in_cells(counts[main])}."
            rows = np.flatnonzero(column.codes == code)
            yield _spelling(table, column, text, usual, rows, SHORT, why)


def _spelling(
    table: Table,
    column: Column,
    text: str,
    usual: str,
    rows: np.ndarray,
    sure: float,
    why: str,
) -> Finding:
    return finding(
        table,
        "spelling",
        column.name,
        rows,
        [usual] * rows.size,
        about=(text,),
        sure=sure,
        title=f"{column_name(column.name)}: '{brief(text, 30)}'",
        evidence=why,
    )
