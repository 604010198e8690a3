"""Columns that name rows, in which a few names occur more than once.

Numbers and short codes differ in most rows by themselves, and some agree by chance. A
column names rows if it is an id, or holds codes of one pattern; and if its repeats are
far fewer, or far more, than chance would give to so many names of that look.
"""

import re

import numpy as np

from cellval.detect.finding import Finding, column_name, finding
from cellval.detect.rule import Rule
from cellval.detect.rules import Coded
from cellval.kept import kept
from cellval.table.columns import Column
from cellval.table.table import Table
from cellval.text import content, counted

FEWEST = 20  # rows with a name, at least
REPEATED = 0.02  # of them, at most, repeat an earlier one; one may in any table
CODES = 0.95  # of the texts of a column of codes have the same pattern
MOST_LOGS = 100.0  # more names than anybody has
LONGEST = 60  # characters: longer texts are no codes
BY_CHANCE = 4.0  # times as many repeats as chance gives, or as few: that is chance
SURE = 0.4  # one of two cells is wrong at most, and some names are given twice
SURE_TWICE = 0.3  # the same where whole rows are repeated: the cells may be right
_blanks = re.compile(r"\s")
_runs = re.compile(r"([0-9]+)|([A-Z]+)|([a-z]+)")


@kept(1)
def keys(table: Table) -> tuple[Finding, ...]:
    """One finding for each such column, and one where whole rows are repeated."""
    found: list[Finding] = []
    for column in table.columns:
        if column.kind in ("id", "text"):
            found += _repeats(table, column)
    return tuple(found)


def _repeats(table: Table, column: Column) -> list[Finding]:
    coded = Coded.of(table.cells[column.name])
    sizes = coded.sizes
    n, k = int(sizes.sum()), int((sizes > 0).sum())
    names = [text for text, size in zip(coded.texts, sizes, strict=True) if size]
    if n < FEWEST or not 0 < n - k <= max(1, REPEATED * n):
        return []
    if column.kind == "text" and not _are_codes(names):
        return []
    chance = _by_chance(n, names)
    if chance / BY_CHANCE <= n - k <= chance * BY_CHANCE:
        return []
    rows = np.flatnonzero(sizes[coded.codes] > 1)
    cells = table.cells.iloc[rows]
    whole = cells.duplicated(keep=False).to_numpy()
    # Rows that are the same as all others of their name.
    differ = np.unique(
        coded.codes[rows][~cells.duplicated().to_numpy()], return_counts=True
    )
    torn = np.isin(coded.codes[rows], differ[0][differ[1] > 1])
    found = []
    for is_whole, which in ((False, rows[torn]), (True, rows[~torn & whole])):
        if which.size:
            found.append(_finding(table, column, coded, which, is_whole, (n, k)))
    return found


def _finding(
    table: Table,
    column: Column,
    coded: Coded,
    rows: np.ndarray,
    is_whole: bool,
    counts: tuple[int, int],
) -> Finding:
    order = np.argsort(coded.codes[rows], kind="stable")  # those of a name together
    rows = rows[order]
    codes = coded.codes[rows]
    n_names = np.unique(codes).size
    name, (n, k) = column_name(column.name), counts
    title = f"{name}: {counted(n_names, 'value')} more than once"
    if is_whole:
        title = f"{name}: {counted(n_names, 'whole row')} more than once"
    why = []
    for i, code in zip(rows.tolist(), codes.tolist(), strict=True):
        others = [f"{table.row_numbers[j]:,}" for j in rows[codes == code] if j != i]
        same = f"{content(coded.texts[code], 30)} also stands in row "
        more = f" and {len(others) - 3:,} more" * (len(others) > 3)
        is_same = ", which is the same in every cell" * is_whole
        why.append(f"{same}{', '.join(others[:3])}{more}{is_same}.")
    return finding(
        table,
        "duplicate" if is_whole else "key",
        column.name,
        rows,
        about=("whole rows" if is_whole else "names",),
        sure=SURE_TWICE if is_whole else SURE,
        title=title,
        evidence=f"{name} holds {k:,} different values in {counted(n, 'row')}.",
        why=why,
        rule=None if is_whole else Rule((), column.name, kind="unique"),
    )


def _are_codes(names: list[str]) -> bool:
    """Are nearly all of one pattern, with digits and without blanks?"""
    patterns: dict[str, int] = {}
    for text in names:
        if len(text) <= LONGEST and not _blanks.search(text):
            pattern = _runs.sub(_run, text)
            patterns[pattern] = patterns.get(pattern, 0) + 1
    usual = max(patterns, key=lambda pattern: patterns[pattern], default="")
    return "0" in usual and patterns[usual] >= CODES * len(names)


def _run(match: re.Match[str]) -> str:
    """Numbers grow, so that only letters are counted."""
    kind = match.lastindex or 0
    return "0" if kind == 1 else ("", "", "A", "a")[kind] * len(match[0])


def _by_chance(n: int, names: list[str]) -> float:
    """Repeats to expect of so many names, drawn from all that look like them."""
    numbers = [int(text) for text in names if text.isascii() and text.isdigit()]
    if len(numbers) == len(names):
        size = float(max(numbers) - min(numbers) + 1)
    else:
        length = min(LONGEST, max(map(len, names)))
        places = [{text[at : at + 1] for text in names} for at in range(length)]
        logs = float(np.sum(np.log([len(place) for place in places])))
        size = float(np.exp(min(logs, MOST_LOGS)))
    return min(float(n), n * n / 2 / size)
