"""Rows that differ from another row in one cell only, where chance does not do that.

Rows agree in all columns but one for four reasons: by chance (few categories); because
the table is made so (one measurement after the other); because the column tells apart
what is alike (a beer in two sizes); or because they tell the same twice and one of them
wrongly. In the first two cases far more rows differ in two cells than in one, or very
many have such a partner or an exact copy; in the third it is always the same column.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from cellval.detect.finding import Finding, column_name, finding
from cellval.detect.misspelt import is_slip
from cellval.kept import kept
from cellval.table.table import Table, stripped_of
from cellval.text import counted

BY_CHANCE = 0.01  # pairs of rows that agree so by chance, at most, if columns were free
MOST = 0.05  # of the rows may have a partner or be a copy: more are how the table is
DEPENDENT = 3.0  # times as often as by chance, cells agree where rows do
OF_CHANCE = 0.5  # of the rows that differ in one cell only may be owed to chance
FEWEST = 3  # columns that agree
NEARLY_ALL = 0.9  # of the dates differ where they say when a row was made
SAME = 0.6  # of the odd rows, at most, differ in one column, or it tells rows apart
FEW = 3  # of them are too few to say so
GAPS = 0.05  # of a column is blank, at most, where a blank is an error
# How sure: of several rows the odd one, if errors are likely, and if not; either of two
# rows; a blank where copies have something.
ODD_ONE, PERHAPS, PAIR, GAP = 0.7, 0.4, 0.3, 0.7
MOST_COLUMNS = 40  # that are compared; it takes a look at each pair of them


@kept(1)
def near_duplicates(table: Table) -> list[Finding]:
    """For each column in which such rows differ, up to three.

    Blank cells, with what copies have; of three rows or more those that differ from
    most, with what most have; of two rows both, as no one knows which one is wrong.
    Rows that are the same in all cells have nothing wrong in a cell; a note of the
    table counts them.
    """
    columns = _columns(table)
    if not FEWEST < len(columns) <= MOST_COLUMNS:
        return []
    rows = _Rows.of(columns)
    every = [_Members.of(rows, c, column) for c, column in enumerate(columns)]
    n_odd = sum(members.n_odd for members in every)
    found = []
    for column, members in zip(columns, every, strict=True):
        if members.gaps:
            found.append(_gaps(table, column.name, members.gaps))
        spread = members.n_odd <= SAME * n_odd
        if not spread and members.n_odd > FEW and not members.are_slips(column):
            continue
        if members.odd:
            likely = spread or members.are_slips(column)
            found.append(_odd_ones(table, column.name, members.odd, likely))
        if members.pairs:
            found.append(_pairs(table, column.name, members.pairs))
    return found


@dataclass(frozen=True, eq=False)
class _Column:
    name: str
    codes: np.ndarray
    texts: pa.Array  # lists of many of them take long
    kind: str

    @cached_property
    def blank(self) -> int:
        """Code of the blank text; -1 if no cell is blank."""
        return int(pc.index(self.texts, "").as_py())

    @property
    def is_moment(self) -> bool:
        """Does it say when a row was made?"""
        many = len(self.texts) >= NEARLY_ALL * self.codes.size
        return self.kind == "date" and many


def _columns(table: Table) -> list[_Column]:
    """All but ids and constants; the label is one of them."""
    kinds = {column.name: column.kind for column in table.columns}
    columns = []
    for name in map(str, table.cells):
        kind = kinds.get(name, "label")
        if kind not in ("id", "constant"):
            texts = stripped_of(table, name)
            columns.append(_Column(name, texts.index, texts.arrow, kind))
    return columns


@dataclass(frozen=True, eq=False)
class _Rows:
    """Rows as one number each, a sum over columns, so that any can be left out."""

    hashes: np.ndarray  # uint64 (m, n)
    whole: np.ndarray  # uint64 (n,)
    counts: np.ndarray  # (m, n): rows that hold each cell's text
    codes: np.ndarray  # (m, n)
    is_first: np.ndarray  # bool (n,): no copy of an earlier row

    @classmethod
    def of(cls, columns: list[_Column]) -> "_Rows":
        draw = np.random.default_rng(0)
        hashes, counts = [], []
        for column in columns:
            k = len(column.texts)
            number = draw.integers(0, 2**64, k, dtype=np.uint64)
            hashes.append(number[column.codes])
            counts.append(np.bincount(column.codes, minlength=k)[column.codes])
        table = np.array(hashes)
        whole = table.sum(axis=0, dtype=np.uint64)
        codes = np.array([column.codes for column in columns])
        is_first = ~pd.Series(whole).duplicated().to_numpy()
        return cls(table, whole, np.array(counts), codes, is_first)

    @property
    def n(self) -> int:
        return self.whole.size

    @property
    def is_repetitive(self) -> bool:
        """Are copies how this table is?"""
        return bool((~self.is_first).sum() > MOST * self.n)

    def partners(self, *left_out: int) -> np.ndarray:
        """Which of the different rows are like another one but for some columns."""
        rest = self.whole[self.is_first]
        for c in left_out:
            rest = rest - self.hashes[c, self.is_first]
        return np.asarray(pd.Series(rest).duplicated(keep=False))

    @cached_property
    def alone(self) -> list[np.ndarray]:
        """For each column, which of the different rows differ from one in it only."""
        return [self.partners(c) for c in range(len(self.codes))]

    @cached_property
    def alike(self) -> np.ndarray:
        """Of each column, how often two rows hold the same, generously."""
        n = self.n
        by_chance = (self.counts / n).mean(axis=1)
        return np.asarray(np.minimum(DEPENDENT * by_chance, 1 - 1 / n))

    def is_telling(self, c: int) -> bool:
        """Do few rows differ in this column only, and more than chance explains?

        Of rows that differ in this column and another one, chance turns as many into
        rows that differ in this one only as that other column has cells alike.
        """
        one = self.alone[c]
        n = int(one.sum())
        if not 0 < n <= MOST * self.n:
            return False
        for other in range(len(self.codes)):
            if other != c:
                two = self.partners(c, other) & ~one & ~self.alone[other]
                odds = self.alike[other] / (1 - self.alike[other])
                if two.sum() * odds > OF_CHANCE * n:
                    return False
        return True

    def groups(self, c: int) -> list[np.ndarray]:
        """Rows that agree in all others, rarely by chance, and differ in this one."""
        rest = self.whole - self.hashes[c]
        rows = np.flatnonzero(pd.Series(rest).duplicated(keep=False))
        rows = rows[np.argsort(rest[rows], kind="stable")]
        starts = np.flatnonzero(np.diff(rest[rows])) + 1
        groups = np.split(rows, starts) if rows.size else []
        codes = self.codes[c]
        groups = [group for group in groups if (codes[group] != codes[group[0]]).any()]
        return [group for group in groups if self.by_chance(c, group) <= BY_CHANCE]

    def by_chance(self, c: int, group: np.ndarray) -> float:
        """Pairs of rows that would agree as these, if columns had nothing to do with
        each other; those of the group itself do not count.
        """
        others = self.counts[:, group[0]] - group.size + 1
        logs = np.log(np.delete(others, c) / self.n).sum()
        return float(np.exp(min(0.0, logs + 2 * np.log(self.n))))


@dataclass(frozen=True, eq=False)
class _Members:
    """Rows that differ from others in one column: what to ask about them.

    Each odd cell and each gap with a row that has what is right, and how many agree.
    """

    gaps: list[tuple[int, int, int]]
    odd: list[tuple[int, int, int]]
    pairs: list[np.ndarray]

    @property
    def n_odd(self) -> int:
        return len(self.odd) + len(self.pairs)

    def are_slips(self, column: _Column) -> bool:
        """Do most of them differ by a slip of the fingers?"""
        both = [(i, like) for i, like, _ in self.odd]
        both += [(int(a), int(b)) for a, b in self.pairs]
        codes = (column.codes[[*pair]] for pair in both)
        texts = (column.texts.take(pair).to_pylist() for pair in codes)
        return 2 * sum(is_slip(a, b) for a, b in texts) > len(both)

    @classmethod
    def of(cls, rows: _Rows, c: int, column: _Column) -> "_Members":
        found = cls([], [], [])
        n_blank = int((column.codes == column.blank).sum())
        asks_gaps = 0 < n_blank <= GAPS * rows.n
        asks_others = not rows.is_repetitive and rows.is_telling(c)
        if column.is_moment or not (asks_gaps or asks_others):
            return found
        for group in rows.groups(c):
            codes = rows.codes[c, group]
            is_blank = codes == column.blank
            present = codes[~is_blank]
            counts = np.bincount(present)
            usual, same = int(counts.argmax()), int(counts.max())
            like = int(group[codes == usual][0])
            if asks_gaps and 2 * same > present.size:
                found.gaps.extend((i, like, same) for i in group[is_blank].tolist())
            if is_blank.any() or not asks_others:
                continue
            if group.size == 2:
                found.pairs.append(group)
            elif 2 * same > group.size:
                odd = group[codes != usual].tolist()
                found.odd.extend((i, like, same) for i in odd)
        return found


def _gaps(table: Table, name: str, gaps: list[tuple[int, int, int]]) -> Finding:
    n = counted(len(gaps), "cell")
    return finding(
        table,
        "duplicate",
        name,
        [i for i, _, _ in gaps],
        _texts(table, name, [like for _, like, _ in gaps]),
        about=("gaps",),
        sure=GAP,
        title=f"{column_name(name)}: {n} blank where copies have something",
        evidence="Rows that are the same in all other columns have something here.",
        why=_why(table, gaps),
    )


def _odd_ones(
    table: Table, name: str, odd: list[tuple[int, int, int]], likely: bool
) -> Finding:
    n = counted(len(odd), "cell")
    return finding(
        table,
        "duplicate",
        name,
        [i for i, _, _ in odd],
        _texts(table, name, [like for _, like, _ in odd]),
        about=("odd ones",),
        sure=ODD_ONE if likely else PERHAPS,
        title=f"{column_name(name)}: {n} unlike all copies of the row",
        evidence="Several rows are the same in all other columns, and most agree here.",
        why=_why(table, odd),
    )


def _pairs(table: Table, name: str, pairs: list[np.ndarray]) -> Finding:
    numbers = table.row_numbers
    n = counted(len(pairs), "pair")
    return finding(
        table,
        "duplicate",
        name,
        [int(i) for pair in pairs for i in pair],
        about=("pairs",),
        sure=PAIR,
        title=f"{column_name(name)}: {n} of rows that differ in nothing else",
        evidence="Two rows are the same in all other columns; one may be wrong.",
        why=[
            f"Row {numbers[other]:,} is the same in all other columns."
            for pair in pairs
            for other in pair[::-1]
        ],
    )


def _texts(table: Table, name: str, rows: list[int]) -> list[str]:
    return [text.strip() for text in table.cells[name].iloc[rows].tolist()]


def _why(table: Table, cells: list[tuple[int, int, int]]) -> list[str]:
    numbers = table.row_numbers
    return [
        f"Row {numbers[like]:,} is the same in all other columns."
        if same == 1
        else f"{counted(same, 'row')} that are the same in all other columns, such as "
        f"row {numbers[like]:,}, agree here."
        for _, like, same in cells
    ]
