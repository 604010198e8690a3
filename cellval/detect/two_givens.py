"""Two columns that settle a third one together, which neither does alone.

A state and a measure say what the state's average is; a size and a colour say what an
article costs. Groups of two columns are small, and small groups agree by chance: beside
all that a dependency on one column must pass, such a rule breaks far less often than
with the third column shuffled among the rows that share either of the two.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from cellval.detect.finding import Finding, column_name, finding
from cellval.detect.rule import Rule
from cellval.detect.rules import (
    BROKEN,
    GROUP,
    GROUPS,
    MOST_JUDGED,
    OF_CHANCE,
    ROWS,
    SURE,
    Coded,
    Dependency,
    Groups,
    dependencies,
    dependency_of,
    judge,
    judged_columns,
)
from cellval.kept import kept
from cellval.table.table import Table
from cellval.text import content, counted

TRIED = 2_000  # rows, of whole groups, in which all rules are tried at first
MOST_GIVEN = 30  # columns that may settle others
MOST_TARGETS = 60  # columns that may be settled
MOST_BROKEN = 1.3  # times as many exceptions as a rule may have, in these rows
MOST_TABLE = 20_000  # entries of a table of counts, or else it is sorted
MOST_RULES = 100  # that are looked at again
SURE_AT = ((0.02, 0.85), (0.05, 0.7), (1.0, 0.45))  # by the share of exceptions
UNCLEAR = 0.45  # sure, at most, where most groups are small
OPEN = 0.2  # the same where any of the three cells may be wrong
CLEAR_GROUP = 5  # rows of a group that agree


@kept(1)
def two_givens(table: Table) -> tuple[Finding, ...]:
    """One finding for each rule that a few cells break.

    There is another one for the rows in which one of the two may be wrong as well.
    """
    taken: set[tuple[int, str]] = set()
    found = []
    for rule in sorted(_rules(table), key=lambda rule: -rule.of.n_rows):
        cells = [(i, rule.of.target) for i in rule.of.rows.tolist()]
        new = np.array([cell not in taken for cell in cells], bool)
        taken.update(cells)
        for is_open in (False, True):
            which = np.flatnonzero(new & (rule.is_open == is_open))
            if which.size:
                found.append(_finding(table, rule, which.tolist(), is_open))
    return tuple(found)


@dataclass(frozen=True, eq=False)
class _Rule:
    pair: tuple[str, str]
    of: Dependency
    is_open: np.ndarray  # bool, of each of its rows: one of the two may be wrong


def _rules(table: Table) -> Iterator[_Rule]:
    n = min(table.n_rows, MOST_JUDGED)
    if n < SURE**2:
        return
    draw, few = np.random.default_rng([3, table.n_rows]), judged_columns(table)
    given = [name for name, column in few.items() if _may_give(column, n)]
    targets = [name for name, column in few.items() if not column.is_constant]
    single = {(rule.given, rule.target) for rule in dependencies(table)}
    tried = 0
    for a, b in combinations(given[:MOST_GIVEN], 2):
        both = _combined(few[a], few[b])
        if not _has_groups(both):
            continue
        for t in _promising(both, few, targets[:MOST_TARGETS], (a, b), draw):
            if (a, t) in single or (b, t) in single or tried >= MOST_RULES:
                continue
            tried += 1
            counts = judge(both, few[t], draw)
            if counts is None or not _needs_both(few[a], few[b], both, few[t], draw):
                continue
            whole = [Coded.of(table.cells[name]) for name in (a, b, t)]
            together = _combined(whole[0], whole[1])
            rule = dependency_of(a, t, together, whole[2], counts)
            yield _Rule(
                (a, b),
                rule,
                _is_open((whole[0], whole[1]), whole[2], together, rule.rows),
            )


def _may_give(column: Coded, n: int) -> bool:
    """Not all the same, nor so different that two of them would name rows."""
    values = int((column.sizes > 0).sum())
    return column.has_groups and 2 <= values <= n / ROWS


def _combined(a: Coded, b: Coded) -> Coded:
    """Two columns as one; blank where one of them is."""
    codes = a.codes * b.n + b.codes
    blank = (a.codes == a.n - 1) | (b.codes == b.n - 1)
    different, index = np.unique(codes[~blank], return_inverse=True)
    own = np.full(codes.size, different.size)
    own[~blank] = index
    return Coded(own, ("",) * (different.size + 1))


def _has_groups(both: Coded) -> bool:
    sizes = both.sizes
    groups = sizes[sizes >= GROUP]
    return groups.size >= GROUPS and int(groups.sum()) >= max(
        ROWS * groups.size, SURE**2
    )


def _promising(
    both: Coded,
    few: dict[str, Coded],
    targets: list[str],
    pair: tuple[str, str],
    draw: np.random.Generator,
) -> Iterator[str]:
    """Columns that the two settle in most rows of some groups."""
    groups = np.flatnonzero(both.sizes >= GROUP)
    order = draw.permutation(groups)
    order = order[: np.searchsorted(np.cumsum(both.sizes[order]), TRIED) + 1]
    place = np.full(both.n, -1)
    place[order] = np.arange(order.size)
    rows = np.flatnonzero(place[both.codes] >= 0)
    codes, n = place[both.codes[rows]], rows.size
    for t in targets:
        if t not in pair and n - _common(
            codes, order.size, few[t].codes[rows], few[t].n
        ) <= (MOST_BROKEN * BROKEN * n):
            yield t


def _common(codes: np.ndarray, n: int, held: np.ndarray, n_held: int) -> int:
    """Rows that hold what most rows of their group hold."""
    joint = codes * n_held + held
    if n * n_held <= MOST_TABLE:
        table = np.bincount(joint, minlength=n * n_held)
        return int(table.reshape(n, n_held).max(axis=1).sum())
    _, first, counts = np.unique(joint, return_index=True, return_counts=True)
    most = np.zeros(n, np.int64)
    np.maximum.at(most, codes[first], counts)
    return int(most.sum())


def _needs_both(
    a: Coded, b: Coded, both: Coded, t: Coded, draw: np.random.Generator
) -> bool:
    """Far fewer exceptions than if rows that share one of the two were shuffled."""
    broken = int(Groups.of(both, t, t.codes).breaks.sum())
    known = np.flatnonzero(both.codes < both.n - 1)
    for one in (a, b):
        order = known[np.argsort(one.codes[known], kind="stable")]
        mixed = known[np.lexsort((draw.random(known.size), one.codes[known]))]
        shuffled = t.codes.copy()
        shuffled[order] = t.codes[mixed]
        chance = int(Groups.of(both, t, shuffled).breaks.sum())
        if broken > OF_CHANCE * chance or chance - broken < SURE * np.sqrt(chance):
            return False
    return True


def _is_open(
    pair: tuple[Coded, Coded], t: Coded, both: Coded, rows: np.ndarray
) -> np.ndarray:
    """Would another text in one of the two columns explain what the third one holds?"""
    usual = Groups.of(both, t, t.codes).usual[both.codes]
    held, explained = t.codes[rows], np.zeros(rows.size, bool)
    for one in pair:
        known = one.codes[usual >= 0] * t.n + usual[usual >= 0]
        explained |= np.isin(one.codes[rows] * t.n + held, known)
    return explained


def _finding(table: Table, found: _Rule, which: list[int], is_open: bool) -> Finding:
    pair, rule = found.pair, found.of
    a, b, t = (column_name(name) for name in (*pair, rule.target))
    why = []
    for k in which:
        i, (same, of) = int(rule.rows[k]), rule.agreed[k].tolist()
        own = [content(table.cells[name].iat[i].strip(), 30) for name in pair]
        why.append(
            f"Where {a} is {own[0]} and {b} is {own[1]}, {same:,} of {of:,} rows have "
            f"'{content(rule.usual[k], 30)}'."
        )
    share = rule.n_exceptions / rule.n_rows
    sure = next(sure for most, sure in SURE_AT if share <= most)
    if np.median(rule.agreed[which, 0]) < CLEAR_GROUP:
        sure = min(sure, UNCLEAR)
    if is_open:
        sure = min(sure, OPEN)
    right = rule.n_rows - rule.n_exceptions
    return finding(
        table,
        "rule",
        rule.target,
        rule.rows[which].tolist(),
        [rule.usual[k] for k in which],
        about=(*pair, *["open"] * is_open),
        sure=sure,
        title=f"{a} and {b} settle {t}" + ": one of these cells" * is_open,
        evidence=(
            f"{a} and {b} together say what {t} is in {right:,} of "
            f"{counted(rule.n_rows, 'row')}."
        ),
        why=why,
        rule=Rule(pair, rule.target),
        is_open=is_open,
    )
