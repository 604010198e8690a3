"""Columns that settle another one: dependencies that hold but for a few cells.

Where one column says what another one holds (a hospital's number its city), the rare
rows that differ from all others of their group are questions to a person, and what the
others hold is the answer to suggest. Most dependencies that one can count are none:
columns agree by chance, or because one is *likely* given the other. A rule is kept only
if it breaks far less often than it would by chance, if it breaks as rarely in each
group as in all others (where groups are likely rather than settled, some are torn), and
if those who break it stand alone in their group.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
import pandas as pd

from cellval.detect.finding import Finding, column_name, finding
from cellval.detect.misspelt import MEANT, differing
from cellval.detect.rule import Rule
from cellval.kept import kept
from cellval.table.columns import Texts
from cellval.table.table import Table
from cellval.text import brief, content, counted

GROUP = 3  # rows that share what settles the other column, at least
BROKEN = 0.15  # of the rows, at most
OF_CHANCE = 0.3  # of the exceptions that a shuffled column would have, at most,
SURE = 5.0  # and so many standard deviations fewer
UNEVEN = 2.0  # variance of exceptions between groups, against that of mere chance
TORN = 1 / 3  # of the exceptions, at most: rows of groups without a clear majority
CLEAR = 0.6  # of a group holds the same, at least
ALONE = 0.1  # of a group, at most, holds what an exception holds, or it alone
GROUPS = 4  # at least: two classes that differ settle nothing,
ROWS = 5.0  # nor do groups that are smaller on average
LIKELY = 0.9  # how sure: so many of the exceptions were wrong in other people's tables
EITHER = 0.45  # of two cells that contradict each other about one is wrong
SYSTEMATIC = 0.2  # the same where they differ alike
MOST_JUDGED = 10_000  # rows from which rules are judged
MOST_GIVEN = 60  # columns that may settle others


@dataclass(frozen=True, eq=False)
class Dependency:
    """What one column holds settles what another one holds."""

    given: str
    target: str
    n_rows: int  # in groups, of the rows that were judged
    n_exceptions: int  # among these
    by_chance: int  # exceptions if the column were shuffled
    rows: np.ndarray  # positions of rows of the whole table that break it alone
    usual: tuple[str, ...]  # what their groups hold
    agreed: np.ndarray  # (n, 2): so many of so many rows of their groups

    def sentence(self, table: Table, k: int) -> str:
        """Why the k-th of its rows is asked about."""
        own = content(table.cells[self.given].iat[int(self.rows[k])].strip(), 30)
        same, of = self.agreed[k].tolist()
        return (
            f"Where {brief(self.given, 30)} is {own}, {same:,} of {of:,} rows have "
            f"'{brief(self.usual[k], 30)}'."
        )


@kept(1)
def judged_columns(table: Table) -> dict[str, "Coded"]:
    """All columns of the file; of a long one, of the rows by which rules are judged:
    texts of all rows are many, and few columns are in a rule.
    """
    n, cells = table.n_rows, table.cells
    if n > MOST_JUDGED:
        draw = np.random.default_rng([0, n])
        cells = cells.iloc[np.sort(draw.choice(n, MOST_JUDGED, replace=False))]
    return {str(name): Coded.of(cells[name]) for name in cells}


@kept(1)
def dependencies(table: Table) -> tuple[Dependency, ...]:
    """All that hold between two columns of the file, used as features or not."""
    draw, few = np.random.default_rng([0, table.n_rows]), judged_columns(table)
    whole = cache(lambda name: Coded.of(table.cells[name]))
    given = [name for name, column in few.items() if column.has_groups][:MOST_GIVEN]
    found = []
    for a in given:
        for b in few:
            if a == b or few[b].is_constant:
                continue
            counts = judge(few[a], few[b], draw)
            if counts is not None:
                found.append(dependency_of(a, b, whole(a), whole(b), counts))
    return tuple(found)


@kept(1)
def exceptions(table: Table) -> dict[tuple[int, str], tuple[Dependency, int]]:
    """Cells that break a rule, with the rule that most rows of a group speak for."""
    found: dict[tuple[int, str], tuple[Dependency, int]] = {}
    for rule in dependencies(table):
        for k, i in enumerate(rule.rows.tolist()):
            other = found.get((i, rule.target))
            same = rule.agreed[k, 0]
            if other is None or same > other[0].agreed[other[1], 0]:
                found[i, rule.target] = rule, k
    return found


@kept(1)
def broken_rules(table: Table) -> tuple[Finding, ...]:
    """A finding for each rule; a cell that breaks several is asked about once, with the
    rule that finds most.
    """
    found: list[Finding] = []
    either = _contradictions(table)
    for rules in _by_target(table).values():
        name = rules[0].target
        asked = {i for pair, rows in either.items() for i in rows if name in pair}
        while rules:
            left = [[k for k, i in enumerate(r.rows) if i not in asked] for r in rules]
            best = max(range(len(rules)), key=lambda at: len(left[at]))
            if not left[best]:
                break
            rule = rules.pop(best)
            asked.update(rule.rows.tolist())
            found += _broken(table, rule, left[best])
    found += [_either(table, *pair, rows) for pair, rows in either.items()]
    return tuple(found)


def _contradictions(table: Table) -> dict[tuple[str, str], list[int]]:
    """Rows in which each of two columns says that the other one is wrong."""
    broken = {(r.given, r.target): set(r.rows.tolist()) for r in dependencies(table)}
    found = {}
    for (a, b), rows in broken.items():
        both = sorted(rows & broken.get((b, a), set()))
        if both and a < b:
            found[a, b] = both
    return found


def _either(table: Table, a: str, b: str, rows: list[int]) -> Finding:
    one, other = column_name(a), column_name(b)
    return finding(
        table,
        "rule",
        a,
        [i for i in rows for _ in (a, b)],
        columns=[name for _ in rows for name in (a, b)],
        about=(b, "either"),
        sure=EITHER,
        title=f"{one} and {other} contradict each other",
        evidence=(
            f"{one} and {other} settle each other, but in {counted(len(rows), 'row')} "
            "they do not go together, so one of the two is wrong."
        ),
        rule=Rule((a,), b),
        is_open=True,
    )


def _is_word(text: str) -> bool:
    return any(letter.isalpha() for letter in text)


def _by_target(table: Table) -> dict[str, list[Dependency]]:
    rules: dict[str, list[Dependency]] = {}
    for rule in dependencies(table):
        rules.setdefault(rule.target, []).append(rule)
    return rules


def _broken(table: Table, rule: Dependency, which: list[int]) -> Iterator[Finding]:
    """Its exceptions; those of them that differ alike from what is usual are asked
    about by themselves: another state's codes are no slips.
    """
    held = [table.cells[rule.target].iat[int(rule.rows[k])].strip() for k in which]
    pairs = {(own, rule.usual[k]) for own, k in zip(held, which, strict=True) if own}
    n_alike = Counter(differing(*pair) for pair in pairs)
    alike: dict[tuple[str, str], list[int]] = {}
    for own, k in zip(held, which, strict=True):
        is_alike = _is_word(own) and n_alike[differing(own, rule.usual[k])] >= MEANT
        alike.setdefault(
            differing(own, rule.usual[k]) if is_alike else ("", ""), []
        ).append(k)
    given, target = column_name(rule.given), column_name(rule.target)
    n, of = rule.n_exceptions, rule.n_rows
    for change, own_ones in alike.items():
        evidence = (
            f"{given} settles {target}: {n:,} of {of:,} rows differ from the others "
            f"with the same {given}, where chance would make {rule.by_chance:,}."
        )
        if any(change):
            evidence += (
                f" These have '{brief(change[0], 20)}' where others have "
                f"'{brief(change[1], 20)}', so they may be meant so."
            )
        yield finding(
            table,
            "rule",
            rule.target,
            rule.rows[own_ones].tolist(),
            [rule.usual[k] for k in own_ones],
            about=(rule.given, *filter(None, change)),
            sure=SYSTEMATIC if any(change) else LIKELY,
            title=f"{target} differs from what {given} says",
            evidence=evidence,
            why=[rule.sentence(table, k) for k in own_ones],
            rule=Rule((rule.given,), rule.target),
        )


@dataclass(frozen=True, eq=False)
class Coded:
    """A column as numbers for its texts; what is missing has the last one."""

    codes: np.ndarray
    texts: tuple[str, ...]  # the last: blank

    @classmethod
    def of(cls, cells: pd.Series) -> "Coded":
        texts = Texts.of(cells)
        if texts.is_tidy and not texts.missing.any():
            return cls(texts.index.astype(np.int64), (*texts.raw, ""))
        place: dict[str, int] = {}
        for text, gone in zip(texts.stripped, texts.missing, strict=True):
            if not gone:
                place.setdefault(text, len(place))
        codes = [
            len(place) if gone else place[text]
            for text, gone in zip(texts.stripped, texts.missing, strict=True)
        ]
        return cls(np.array(codes, np.int64)[texts.index], (*place, ""))

    @property
    def n(self) -> int:
        return len(self.texts)

    @cached_property
    def sizes(self) -> np.ndarray:
        """Rows that hold each text; none for what is missing."""
        sizes = np.bincount(self.codes, minlength=self.n)
        sizes[-1] = 0
        return sizes

    @cached_property
    def has_blanks(self) -> bool:
        return int(self.sizes.sum()) < self.codes.size

    @property
    def has_groups(self) -> bool:
        sizes = self.sizes
        return int(sizes[sizes >= GROUP].sum()) >= SURE**2 and (sizes > 0).sum() > 1

    @property
    def is_constant(self) -> bool:
        return int((self.sizes > 0).sum()) < 2


@dataclass(frozen=True, eq=False)
class Groups:
    """Rows that share a text of one column, and what most of them hold in another."""

    size: np.ndarray  # of the group of each text
    usual: np.ndarray  # code that most of it hold; -1 for groups that do not count
    common: np.ndarray  # rows that hold it
    same: np.ndarray  # of each row: rows of its group that hold what it holds
    breaks: np.ndarray  # bool, of each row: another one than is usual

    @classmethod
    def of(cls, a: Coded, b: Coded, codes: np.ndarray) -> "Groups":
        pairs, which, counts = np.unique(
            a.codes * b.n + codes, return_inverse=True, return_counts=True
        )
        group, held = pairs // b.n, pairs % b.n
        order = np.lexsort((held, -counts, group))
        first = order[np.unique(group[order], return_index=True)[1]]
        size, usual = a.sizes, np.full(a.n, -1)
        common = np.zeros(a.n, np.int64)
        usual[group[first]], common[group[first]] = held[first], counts[first]
        # Where most are blank, those who hold something are no exceptions.
        usual[(size < GROUP) | (usual == b.n - 1)] = -1
        counted = usual[a.codes] >= 0
        breaks = counted & (codes != usual[a.codes])
        return cls(size, usual, common, counts[which.ravel()], breaks)

    def alone(self, a: Coded) -> np.ndarray:
        """Rows that break what is clear, and with whom hardly any other agrees."""
        size = self.size[a.codes]
        clear = self.common[a.codes] >= CLEAR * size
        return self.breaks & clear & (self.same <= np.maximum(1, ALONE * size))


def judge(a: Coded, b: Coded, draw: np.random.Generator) -> tuple[int, int, int] | None:
    """Rows, exceptions and those of chance, if it is a rule."""
    if not b.has_blanks:  # soon, as nearly all pairs of columns are no rule
        size = a.sizes[a.sizes >= GROUP]
        if _are_few(size.size, int(size.sum())):
            return None
    n_groups, n, broken = _counts(a, b)
    if _are_few(n_groups, n) or broken > BROKEN * n:
        return None
    found = Groups.of(a, b, b.codes)
    counted, groups = found.usual[a.codes] >= 0, np.flatnonzero(found.usual >= 0)
    shuffled = b.codes.copy()
    shuffled[counted] = draw.permutation(b.codes[counted])
    chance = int(Groups.of(a, b, shuffled).breaks.sum())
    if broken > OF_CHANCE * chance or chance - broken < SURE * np.sqrt(chance):
        return None
    if broken == 0:
        return n, broken, chance
    torn = broken - int(found.alone(a).sum())
    share, size = broken / n, found.size[groups]
    own = np.bincount(a.codes[found.breaks], minlength=a.n)[groups]
    expected = share * (1 - share) * size
    uneven = np.sum((own - share * size) ** 2 / expected) / max(1, groups.size - 1)
    if torn > TORN * broken or uneven > UNEVEN:
        return None
    return n, broken, chance


def _are_few(n_groups: int, n: int) -> bool:
    """Are so many rows in so many groups too few to say anything?"""
    return n_groups < GROUPS or n < ROWS * n_groups or n < SURE**2


def _counts(a: Coded, b: Coded) -> tuple[int, int, int]:
    """Groups that count, their rows, and those that break what is usual: as `Groups`
    has them, in a fifth of the time.
    """
    if not a.codes.size:
        return 0, 0, 0
    pairs = np.sort(a.codes * b.n + b.codes)
    first = np.flatnonzero(np.append(True, pairs[1:] != pairs[:-1]))
    counts = np.diff(np.append(first, pairs.size))
    of, held = np.divmod(pairs[first], b.n)
    group = np.flatnonzero(np.append(True, of[1:] != of[:-1]))
    size, common = np.add.reduceat(counts, group), np.maximum.reduceat(counts, group)
    present = np.maximum.reduceat(np.where(held == b.n - 1, 0, counts), group)
    counted = (size >= GROUP) & (of[group] < a.n - 1) & (present == common)
    n = int(size[counted].sum())
    return int(counted.sum()), n, n - int(common[counted].sum())


def dependency_of(
    given: str, target: str, a: Coded, b: Coded, counts: tuple[int, int, int]
) -> Dependency:
    groups = Groups.of(a, b, b.codes)
    rows = np.flatnonzero(groups.alone(a))
    of = a.codes[rows]
    return Dependency(
        given,
        target,
        *counts,
        rows,
        tuple(b.texts[code] for code in groups.usual[of]),
        np.column_stack([groups.common[of], groups.size[of]]),
    )
