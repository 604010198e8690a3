"""`Groups`: rows or columns of a table as a few players."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from cellval.errors import InputError
from cellval.table.columns import Texts, numbers_of
from cellval.table.describe import number_text
from cellval.table.table import Table
from cellval.text import listed, shortened

MOST_PLAYERS = 16  # exact: groups of rows and columns together; 65,536 utilities
ROUNDS = 100
FEW_TEXTS = 12  # of a column whose texts are proposed as groups, not their ranges
METHODS = ("auto", "exact", "mc")
OTHERS, MISSING = "(others)", "(missing)"
KIND_NAMES = {
    "number": "numbers",
    "category": "categories",
    "text": "texts",
    "date": "dates",
    "id": "ids",
    "constant": "constants",
}


@dataclass(frozen=True, eq=False)
class Groups:
    """Who belongs together.

    Attributes
    ----------
    names : tuple of str
        All different.
    of : ndarray of int, shape (n_members,)
        Group of each row (or feature) of the table; -1 where it is not in the game.
    by : str
        How they were made, in words.

    Examples
    --------
    >>> import cellval, numpy as np
    >>> groups = cellval.Groups(("north", "south"), np.array([0, 1, 1, 0, 1]), "site")
    >>> len(groups), groups.sizes.tolist()
    (2, [2, 3])
    """

    names: tuple[str, ...]
    of: np.ndarray
    by: str = ""

    def __post_init__(self) -> None:
        if len(set(self.names)) < len(self.names):
            raise InputError("Two groups have the same name; give each its own.")

    def __len__(self) -> int:
        return len(self.names)

    @property
    def sizes(self) -> np.ndarray:
        """Members of each group."""
        return np.bincount(self.of[self.of >= 0], minlength=len(self.names))

    def members(self) -> list[np.ndarray]:
        """Positions of the members of each group."""
        return [np.flatnonzero(self.of == g) for g in range(len(self.names))]

    def among(self, players: np.ndarray) -> "Groups":
        """Without those who are no players; groups that have nobody left go."""
        of = np.where(players, self.of, -1)
        kept = np.flatnonzero(np.bincount(of[of >= 0], minlength=len(self.names)))
        new = np.full(len(self.names) + 1, -1)
        new[kept] = np.arange(kept.size)
        return Groups(tuple(self.names[g] for g in kept), new[of], self.by)


def of_labelled(rows: Groups, table: Table) -> Groups:
    """Groups of a table's rows as groups of those of `table.labelled`."""
    groups = rows.among(table.y >= 0)
    return replace(groups, of=groups.of[table.y >= 0])


def is_exact(rows: Groups, columns: Groups, method: str = "auto") -> bool:
    """Will all unions of groups be evaluated? InputError where that is too much."""
    if method not in METHODS:
        raise InputError(f"method={method!r} is not possible: use one of {METHODS}.")
    few = len(rows) + len(columns) <= MOST_PLAYERS
    if method == "exact" and not few:
        raise InputError(
            f"{len(rows)} groups of rows and {len(columns)} of columns are too many "
            f"for exact values: {MOST_PLAYERS} in all are possible. Make fewer groups, "
            "or let cellval draw some orders at random."
        )
    return few and method != "mc"


def n_evaluations(
    rows: Groups, columns: Groups, method: str = "auto", rounds: int = ROUNDS
) -> int:
    """Utilities that a run on these groups needs."""
    r, c = len(rows), len(columns)
    exact = is_exact(rows, columns, method)
    return (2**r - 1) * (2**c - 1) if exact else rounds * r * c


# --- rows -----------------------------------------------------------------------------


def rows_by_column(table: Table, column: str, n_most: int = 8) -> Groups:
    """Rows with the same text in a column; any column of the file, used or not.

    The `n_most` most common texts are groups, in the order of their numbers or else of
    their counts; the others form one together, and so do rows where it is missing.
    """
    texts = _texts(table, column)
    counts = Counter[str]()
    for k in np.flatnonzero(~texts.missing):
        counts[texts.stripped[k]] += int(texts.counts[k])
    _check_most(n_most)
    common = sorted(counts, key=lambda text: (-counts[text], text))
    # a group of one kind of others needs no other name
    kept = common if len(common) <= n_most + 1 else common[:n_most]
    if all(map(_is_number, kept)):
        kept = sorted(kept, key=lambda text: (float(text), text))
    others, missing = _unused(OTHERS, kept), _unused(MISSING, kept)
    own = [
        missing if gone else text if text in kept else others
        for text, gone in zip(texts.stripped, texts.missing, strict=True)
    ]
    groups = _named(own, [*kept, others, missing], f"'{shortened(column)}'")
    return _more_than_one(replace(groups, of=groups.of[texts.index]), column)


def proposed_rows(table: Table) -> str | None:
    """A column with few texts that may name sources: first of those without use."""
    for column in sorted(table.columns, key=lambda column: column.feature):
        named = column.categories if column.codes is not None else ()
        if not column.feature and not named and column.kind != "id":
            named = tuple(Texts.of(table.cells[column.name]).different)
        if 2 <= len(named) <= FEW_TEXTS:
            return column.name
    return None


def n_numbers(table: Table, name: str) -> int:
    """Different numbers of a column; 0 if it holds something else."""
    column = next((c for c in table.columns if c.name == name), None)
    if column is None or column.numbers is None:
        return 0
    return int(np.unique(column.numbers[~np.isnan(column.numbers)]).size)


def rows_by_quantiles(table: Table, column: str, n: int = 4) -> Groups:
    """Rows in about equally large ranges of a column's numbers (or dates)."""
    _check_most(n)
    found = next((c for c in table.columns if c.name == column), None)
    if found is not None and found.numbers is not None:
        numbers = found.numbers
    else:
        texts = _texts(table, column)
        values, _ = numbers_of(texts, table.decimal)
        numbers = np.asarray(values, float)[texts.index]
    present = numbers[~np.isnan(numbers)]
    if present.size == 0:
        raise InputError(
            f"'{shortened(column)}' holds no numbers, so it has no ranges. Group by "
            "its texts instead."
        )
    edges = np.unique(np.quantile(present, np.arange(1, n) / n, method="lower"))
    edges = edges[edges < present.max()]
    dates = found if found is not None and found.kind == "date" else None
    for digits in (6, 9, 12, 17):
        said = [
            number_text(dates, edge) if dates else f"{edge:.{digits}g}"
            for edge in edges.tolist()
        ]
        if len(set(said)) == len(said):
            break
    names = [f"up to {said[0]}"] if said else ["all"]
    names += [f"above {a} to {b}" for a, b in pairwise(said)]
    names += [f"above {said[-1]}"] if said else []
    of = np.searchsorted(edges, numbers, side="left")
    if np.isnan(numbers).any():
        of[np.isnan(numbers)] = len(names)
        names.append(MISSING)
    groups = Groups(tuple(names), of, f"ranges of '{shortened(column)}'")
    return _more_than_one(groups, column)


def rows_by_ranges(table: Table, n: int) -> Groups:
    """Consecutive rows in about equal ranges; they are counted as in the file."""
    _check_most(n)
    numbers = table.row_numbers
    parts = np.array_split(numbers, min(n, numbers.size))
    if len(parts) < 2:
        raise InputError("One range holds all rows; cut them into two or more.")
    names = tuple(f"rows {part[0]}–{part[-1]}" for part in parts)
    of = np.repeat(np.arange(len(parts)), [part.size for part in parts])
    return Groups(names, of, "ranges of rows")


# --- columns --------------------------------------------------------------------------


def columns_alone(table: Table) -> Groups:
    """Every feature a group of its own."""
    names = table.feature_names
    return Groups(names, np.arange(len(names)), "each column alone")


def columns_together(table: Table) -> Groups:
    """One group of all features: only the rows are told apart."""
    n = len(table.features)
    return Groups(("all columns",), np.zeros(n, int), "all columns together")


def columns_by_kind(table: Table) -> Groups:
    """Numbers, categories, dates, ..."""
    kinds = [KIND_NAMES[column.kind] for column in table.features]
    return _named(kinds, KIND_NAMES.values(), "their kind")


def columns_by_name(table: Table) -> Groups:
    """Columns whose names begin alike: PAY_1 and PAY_2, or size_mean and size_max."""
    stems = [_stem(name) for name in table.feature_names]
    own = [
        stem if stems.count(stem) > 1 else name
        for stem, name in zip(stems, table.feature_names, strict=True)
    ]
    return _named(own, own, "their names")


def columns_by(table: Table, groups: Mapping[str, Sequence[str]]) -> Groups:
    """Columns as a person groups them; the rest is one group."""
    own: dict[str, str] = {}
    features = table.feature_names
    for name, columns in groups.items():
        for column in columns:
            if column not in features:
                raise InputError(
                    f"'{column}' in group '{name}' is no feature of {table.name}; its "
                    f"features are {listed(features, 20)}."
                )
            if column in own:
                raise InputError(
                    f"Column '{column}' is in the groups '{own[column]}' and '{name}'; "
                    "a column belongs to one group."
                )
            own[column] = str(name)
    others = _unused(OTHERS, groups)
    chosen = [own.get(column, others) for column in features]
    return _named(chosen, [*map(str, groups), others], "your groups")


def _named(own: Sequence[str], names: Iterable[str], by: str) -> Groups:
    """Groups by the name of each member's, in the order of names; unused ones go."""
    used = tuple(name for name in dict.fromkeys(names) if name in own)
    return Groups(used, np.array([used.index(name) for name in own]), by)


def _stem(name: str) -> str:
    """What a name begins with: before its last number, or its first _ or ."""
    without = re.sub(r"[\s_.\-]*\d+$", "", name)
    if without and without != name:
        return without
    return re.split(r"[\s_.]", name, maxsplit=1)[0] or name


def _texts(table: Table, column: str) -> Texts:
    if column not in table.cells:
        raise InputError(
            f"{table.name} has no column '{column}'; its columns are "
            f"{listed([str(name) for name in table.cells], 20)}."
        )
    known = {c.name: c.categories for c in table.columns}
    return Texts.of(table.cells[column], known.get(column, table.classes))


def _more_than_one(groups: Groups, column: str) -> Groups:
    if len(groups) < 2:
        what = "missing" if groups.names == (MISSING,) else f"'{groups.names[0]}'"
        if groups.names == ("all",):
            what = "the same"
        raise InputError(
            f"'{shortened(column)}' is {what} in every row, so there would be one "
            "group only, and nothing to share. Group by another column, or by ranges "
            "of rows."
        )
    return groups


def _check_most(n: int) -> None:
    if n < 1:
        raise InputError(f"{n} groups are not possible: ask for 1 or more.")


def _is_number(text: str) -> bool:
    try:
        return np.isfinite(float(text))
    except ValueError:
        return False


def _unused(name: str, names: Collection[str]) -> str:
    """The name, or like it, where a group of the file is called so."""
    while name in names:
        name = f"{name}'"
    return name
