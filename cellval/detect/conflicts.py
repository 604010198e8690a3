"""Findings: several sources tell of the same thing, and some tell it otherwise.

The departure of one flight, from thirty web pages, is no rule with a few exceptions: a
third of them may be wrong. But where rows that share a name agree by half and more on
what would hardly ever agree by chance, those who differ are worth a question.
"""

import numpy as np

from cellval.detect.finding import Finding, column_name, finding
from cellval.detect.rule import Rule
from cellval.detect.rules import MOST_GIVEN, Coded, Groups, dependencies, judged_columns
from cellval.kept import kept
from cellval.table.table import Table
from cellval.text import brief

AGREED = 0.5  # of the rows hold what most of their group hold, at least,
BY_CHANCE = 0.1  # and so many, at most, if the column were shuffled
GROUPS, ROWS = 10, 4.0  # groups, at least, and rows of each on average
DOUBTFUL = 0.45  # how sure: the majority is not always right


@kept(1)
def conflicts(table: Table) -> tuple[Finding, ...]:
    """One for each column in which rows of the same name differ, with the name that
    most of them agree by."""
    draw, coded = np.random.default_rng([1, table.n_rows]), judged_columns(table)
    measured = {c.name for c in table.columns if c.kind in ("number", "date")}
    names = [name for name, column in coded.items() if column.has_groups]
    given = [name for name in names if name not in measured][:MOST_GIVEN]
    settled = {rule.target for rule in dependencies(table)}
    found = []
    for b, held in coded.items():
        if b in settled or held.is_constant:
            continue
        shares = {a: _agreed(coded[a], held, draw) for a in given if a != b}
        best = max(shares, key=lambda a: shares[a], default="")
        if best and shares[best] >= AGREED:
            found += _conflict(table, best, b)
    return tuple(found)


def _agreed(a: Coded, b: Coded, draw: np.random.Generator) -> float:
    """Share of rows that hold what most of their group do; 0 if that tells nothing."""
    if b.n < GROUPS:
        return 0.0
    own = Groups.of(a, b, b.codes)
    groups = own.usual >= 0
    counted = groups[a.codes]
    n = int(counted.sum())
    if groups.sum() < GROUPS or n < ROWS * groups.sum():
        return 0.0
    shuffled = b.codes.copy()
    shuffled[counted] = draw.permutation(b.codes[counted])
    # Rows of one each always agree with themselves.
    chance = 1.0 - Groups.of(a, b, shuffled).breaks.sum() / n - groups.sum() / n
    return 1.0 - own.breaks.sum() / n if chance <= BY_CHANCE else 0.0


def _conflict(table: Table, given: str, target: str) -> list[Finding]:
    a, b = Coded.of(table.cells[given]), Coded.of(table.cells[target])
    groups = Groups.of(a, b, b.codes)
    clear = groups.common >= AGREED * groups.size
    rows = np.flatnonzero(groups.breaks & clear[a.codes])
    if not rows.size:
        return []
    usual = [b.texts[code] for code in groups.usual[a.codes[rows]]]
    who, what = column_name(given), column_name(target)
    numbers = zip(groups.common[a.codes[rows]], groups.size[a.codes[rows]], strict=True)
    return [
        finding(
            table,
            "rule",
            target,
            rows.tolist(),
            usual,
            about=(given, "conflict"),
            sure=DOUBTFUL,
            title=f"{what} differs between rows of the same {who}",
            evidence=(
                f"Rows with the same {who} mostly agree on {what}; in {rows.size:,} "
                "cells it is another one than most of them have."
            ),
            why=[
                f"{same:,} of {of:,} rows with the same {who} have '{brief(text, 30)}'."
                for text, (same, of) in zip(usual, numbers, strict=True)
            ],
            rule=Rule((given,), target),
        )
    ]
