"""Columns that hold the same texts: home and away teams, from and to.

A text that only one of both columns holds, in a cell or two, is a question: most likely
a slip where the other column has nearly the same, else perhaps a text of its own. Where
texts become rarer and rarer, as names of small towns do, some stand in one column alone
by chance. So columns share a domain only if nearly all of their cells hold texts that
are common in both, and hardly any text is in between.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from cellval.detect.digits import numbers_in
from cellval.detect.finding import Finding, column_name, finding
from cellval.detect.misspelt import is_slip, letters_of, same_signs
from cellval.detect.rule import Rule
from cellval.detect.rules import Coded, judged_columns
from cellval.kept import kept
from cellval.table.table import Table
from cellval.text import content, counted

MOST_COLUMNS = 60  # that are looked at
TEXTS = (6, 500)  # that are common in both: fewer are the same by chance
COMMON = 5  # cells of each column, at least, hold a common text,
COVERED = 0.97  # and of the cells of each so many hold one
RARE = 2  # cells of a stranger, at most
IN_BETWEEN = 0.05  # of so many as are common, at most, are neither, nor strange
STRANGERS = 0.5  # of so many as are common, at most, are strangers
SLIP, STRANGER = 0.9, 0.35  # how sure: nearly a text of the other column, or not


@kept(1)
def shared_domains(table: Table) -> tuple[Finding, ...]:
    """For each pair with strangers a finding: of slips, and of others."""
    counts = _counts(table)
    pairs = [pair for pair in combinations(counts, 2) if _is_shared(counts, *pair)]
    named = {name for pair in pairs for name in pair}
    found: list[Finding] = []
    asked: set[tuple[str, str]] = set()
    for a, b in sorted(pairs, key=lambda pair: -_n_common(counts, *pair)):
        cells = []
        for own, other in ((a, b), (b, a)):
            # A text that a third column holds may be one of the domain.
            known = {text for name in named - {own} for text in counts[name]}
            left = [t for t in counts[own] if t not in known and (own, t) not in asked]
            asked.update((own, text) for text in left)
            words = [text for text, n in counts[other].items() if n >= COMMON]
            cells += _strangers(table, own, other, left, words)
        rule = Rule((a,), b, kind="domain")
        n = _n_common(counts, a, b)
        for is_slip_ in (True, False):
            part = [cell for cell in cells if (cell.meant is not None) == is_slip_]
            if part:
                found.append(_finding(table, rule, part, is_slip_, n))
    return tuple(found)


def _counts(table: Table) -> dict[str, Counter[str]]:
    """Columns of texts, and in how many cells each text stands."""
    numbers = {column.name for column in numbers_in(table)}
    found = {}
    for name, column in judged_columns(table).items():
        if name not in numbers and _n_often(column) >= TEXTS[0]:
            whole = Coded.of(table.cells[name])
            pairs = zip(whole.texts, whole.sizes.tolist(), strict=True)
            found[name] = Counter({text: n for text, n in pairs if n})
        if len(found) == MOST_COLUMNS:
            break
    return found


def _n_often(column: Coded) -> int:
    return int((column.sizes >= COMMON).sum())


def _is_shared(counts: dict[str, Counter[str]], a: str, b: str) -> bool:
    one, other = counts[a], counts[b]
    common = {text for text, n in one.items() if min(n, other[text]) >= COMMON}
    if not TEXTS[0] <= len(common) <= TEXTS[1]:
        return False
    if not any(any(c.isalpha() for c in text) for text in common):
        return False
    for own in (one, other):
        if sum(own[text] for text in common) < COVERED * own.total():
            return False
    rest = [text for text in {*one, *other} if text not in common]
    strange = [
        text
        for text in rest
        if min(one[text], other[text]) == 0 and one[text] + other[text] <= RARE
    ]
    between = len(rest) - len(strange)
    few = len(strange) <= STRANGERS * len(common)
    return few and between <= IN_BETWEEN * len(common)


def _n_common(counts: dict[str, Counter[str]], a: str, b: str) -> int:
    return len(counts[a].keys() & counts[b].keys())


def nearest(text: str, words: Iterable[str]) -> str | None:
    """The one word that a text is a slip for; None if there is none, or several."""
    own = letters_of(text)
    alike = [
        word
        for word in words
        if own and is_slip(own, letters_of(word)) and same_signs(text, word)
    ]
    return alike[0] if len(alike) == 1 else None


@dataclass(frozen=True)
class _Stranger:
    row: int
    name: str
    meant: str | None
    why: str


def _strangers(
    table: Table, own: str, other: str, texts: list[str], words: list[str]
) -> list[_Stranger]:
    cells = table.cells[own].str.strip()
    found = []
    for text in texts:
        meant = nearest(text, words)
        why = f"{column_name(other)} never is {content(text, 30)}"
        why += "." if meant is None else f", but often {content(meant, 30)}."
        rows = np.flatnonzero(cells == text).tolist()
        found += [_Stranger(i, own, meant, why) for i in rows]
    return found


def _finding(
    table: Table, rule: Rule, cells: list[_Stranger], are_slips: bool, n_common: int
) -> Finding:
    a, b = map(column_name, rule.columns)
    n = len({cell.row for cell in cells})
    return finding(
        table,
        "rule",
        rule.target,
        [cell.row for cell in cells],
        [cell.meant for cell in cells],
        columns=[cell.name for cell in cells],
        about=("domain", *rule.columns, *["slips"] * are_slips),
        sure=SLIP if are_slips else STRANGER,
        title=rule.words,
        evidence=f"{a} and {b} hold the same {counted(n_common, 'text')}; "
        f"{counted(n, 'row')} hold{'s' * (n == 1)} one that only one of them has.",
        why=[cell.why for cell in cells],
        rule=rule,
        is_open=True,
    )
