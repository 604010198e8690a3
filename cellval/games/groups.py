"""`Groups`: rows or columns of a table as a few players."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from cellval.errors import InputError
from cellval.table.columns import Texts, numbers_of
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


def is_exact(rows: Groups, columns: Groups, method: str = "auto") -> bool:
    """Will all unions of groups be evaluated? InputError where that is too much."""
    if method not in METHODS:
        raise InputError(f"method={method!r} is not possible: use one of {METHODS}.")
    few = len(rows) + len(columns) <= MOST_PLAYERS
    if method == "exact" and not few:
        raise InputError(
            f"{len(rows)} groups of rows and {len(columns)} of columns are too many "
            f"for exact values: {MOST_PLAYERS} in all are possible. Make fewer groups, "
            "or sample (method='mc')."
        )
    return few and method != "mc"


def n_evaluations(
    rows: Groups, columns: Groups, method: str = "auto", rounds: int = ROUNDS
) -> int:
    """Utilities that a run on these groups needs.

    Examples
    --------
    >>> groups = Groups(("a", "b"), np.array([0, 1, 1]))
    >>> n_evaluations(groups, groups), n_evaluations(groups, groups, "mc")
    (9, 400)
    """
    r, c = len(rows), len(columns)
    return (
        (2**r - 1) * (2**c - 1) if is_exact(rows, columns, method) else rounds * r * c
    )


# --- rows -----------------------------------------------------------------------------


def rows_by_column(table: Table, column: str, n_most: int = 8) -> Groups:
    """Rows with the same text in a column; any column of the file, used or not.

    The `n_most` most common texts are groups, in the order of their numbers or else of
    their counts; the others form one together, and so do rows where it is missing.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read("sample_data/adult_2000.csv", label="income")
    >>> groups = rows_by_column(table, "race", n_most=2)
    >>> dict(zip(groups.names, groups.sizes.tolist()))
    {'White': 1712, 'Black': 184, '(others)': 104}
    """
    texts = _texts(table, column)
    counts: dict[str, int] = {}
    for text, n, missing in zip(
        texts.stripped, texts.counts.tolist(), texts.missing, strict=True
    ):
        if not missing:
            counts[text] = counts.get(text, 0) + n
    _check_most(n_most)
    common = sorted(counts, key=lambda text: (-counts[text], text))
    # a group of one kind of others needs no other name
    kept = common if len(common) <= n_most + 1 else common[:n_most]
    number = {text: float(text) for text in kept if _is_number(text)}
    if len(number) == len(kept):
        kept = sorted(kept, key=lambda text: (number[text], text))
    names = list(kept)
    group = {text: g for g, text in enumerate(kept)}
    others, missing_group = -1, -1
    if len(common) > len(kept):
        others = len(names)
        names.append(_unused(OTHERS, names))
    if texts.missing[texts.index].any():
        missing_group = len(names)
        names.append(_unused(MISSING, names))
    of_text = [
        missing_group if gone else group.get(text, others)
        for text, gone in zip(texts.stripped, texts.missing, strict=True)
    ]
    groups = Groups(
        tuple(names), np.array(of_text)[texts.index], f"'{shortened(column)}'"
    )
    return _more_than_one(groups, column)


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
    """Rows in about equally large ranges of a column's numbers (or dates).

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read("sample_data/davis.csv", label="sex")
    >>> rows_by_quantiles(table, "height", 3).names
    ('up to 166', 'above 166 to 175', 'above 175')
    """
    _check_most(n)
    known = {c.name: c for c in table.columns}
    found = known.get(column)
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
    is_date = found is not None and found.kind == "date"
    for digits in (6, 9, 12, 17):
        said = [_number(edge, is_date, digits) for edge in edges]
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


def rows_by_ranges(table: Table, ranges: int | Sequence[int]) -> Groups:
    """Consecutive rows: a number of about equal ranges, or the last row of each.

    Rows are counted as in the file, from 1; what follows the last bound is a group.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read("sample_data/davis.csv", label="sex")
    >>> rows_by_ranges(table, 2).names, rows_by_ranges(table, [50]).names
    (('rows 1-100', 'rows 101-200'), ('rows 1-50', 'rows 51-200'))
    """
    numbers = table.row_numbers
    if isinstance(ranges, (int, np.integer)):
        _check_most(int(ranges))
        parts = np.array_split(numbers, min(int(ranges), numbers.size))
        bounds = [int(part[-1]) for part in parts[:-1]]
    else:
        bounds = sorted({int(bound) for bound in ranges})
    of = np.searchsorted(bounds, numbers, side="left")
    used = np.unique(of)
    names = [
        f"rows {numbers[of == g].min()}-{numbers[of == g].max()}" for g in used.tolist()
    ]
    groups = Groups(tuple(names), np.searchsorted(used, of), "ranges of rows")
    if len(groups) < 2:
        raise InputError("One range holds all rows; cut them into two or more.")
    return groups


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
    """Numbers, categories, dates, ...

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read("sample_data/adult_2000.csv", label="income")
    >>> columns_by_kind(table).names
    ('numbers', 'categories')
    """
    kinds = [KIND_NAMES[column.kind] for column in table.features]
    names = tuple(name for name in KIND_NAMES.values() if name in kinds)
    return Groups(names, np.array([names.index(kind) for kind in kinds]), "their kind")


def columns_by_name(table: Table) -> Groups:
    """Columns whose names begin alike: PAY_1 and PAY_2, or size_mean and size_max.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read("sample_data/davis.csv", label="sex")
    >>> columns_by_name(table).names
    ('weight', 'height', 'repwt', 'repht')
    """
    stems = [_stem(name) for name in table.feature_names]
    shared = {stem for stem in stems if stems.count(stem) > 1}
    own = [
        stem if stem in shared else name
        for stem, name in zip(stems, table.feature_names, strict=True)
    ]
    names = tuple(dict.fromkeys(own))
    return Groups(names, np.array([names.index(n) for n in own]), "their names")


def columns_by(
    table: Table, groups: Mapping[str, Sequence[str]], *, rest: str = "together"
) -> Groups:
    """Columns as a person groups them; the rest is one group, or each alone.

    Parameters
    ----------
    groups : mapping of group name to column names
    rest : "together" or "alone"

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read("sample_data/davis.csv", label="sex")
    >>> groups = columns_by(table, {"measured": ["weight", "height"]})
    >>> groups.names, groups.of.tolist()
    (('measured', '(others)'), [0, 0, 1, 1])
    """
    if rest not in ("together", "alone"):
        raise InputError(f"rest={rest!r} is not possible: use 'together' or 'alone'.")
    place = {name: j for j, name in enumerate(table.feature_names)}
    of = np.full(len(place), -1)
    names: list[str] = []
    for name, columns in groups.items():
        for column in columns:
            if column not in place:
                raise InputError(
                    f"'{column}' in group '{name}' is no feature of {table.name}; its "
                    f"features are {listed(table.feature_names, 20)}."
                )
            if of[place[column]] >= 0:
                other = (
                    names[of[place[column]]] if of[place[column]] < len(names) else name
                )
                raise InputError(
                    f"Column '{column}' is in the groups '{other}' and '{name}'; a "
                    "column belongs to one group."
                )
            of[place[column]] = len(names)
        if columns:
            names.append(str(name))
    for j, column in enumerate(table.feature_names):
        if of[j] < 0:
            wanted = _unused(OTHERS if rest == "together" else column, list(groups))
            if wanted not in names:
                names.append(wanted)
            of[j] = names.index(wanted)
    return Groups(tuple(names), of, "your groups")


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


def _unused(name: str, names: Sequence[str]) -> str:
    """The name, or like it, where a group of the file is called so."""
    while name in names:
        name = f"{name}'"
    return name


def _number(edge: float, is_date: bool, digits: int) -> str:
    if is_date:
        return str(np.datetime64("1970-01-01") + np.timedelta64(int(edge), "D"))
    return f"{edge:.{digits}g}"
