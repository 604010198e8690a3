"""Codes such as 0, -1 or 999 that stand for "missing" in a column of numbers."""

from dataclasses import dataclass, field

import numpy as np

from cellval.table.table import Table

FEWEST = 3  # cells
LEAST_SHARE = 0.01  # of the cells; a number people use as a code may be rarer
MOST_SHARE = 0.5  # a number in more cells is what the column is about
TAILS = 0.025  # of the other cells may lie beyond the code on its side
FEW_NEAR = 0.05  # other cells near the code, as a share of the cells with the code
# The same where a code is used much: half as far away and with more others near is
# enough (0 for an unknown insulin level, where the lowest true one is 14).
OFTEN = 0.05
SOME_NEAR = 0.2
CODES = {0.0, *(sign * float(c * n) for sign in (-1, 1) for c in "89" for n in (2, 3))}
CODES |= {-1.0, -9.0, *(sign * float("9" * n) for sign in (-1, 1) for n in (4, 5, 6))}


@dataclass(frozen=True)
class Placeholder:
    """A number that seems to stand for "missing"."""

    column: str
    number: float
    text: str  # as it stands in the file
    n_cells: int
    rows: np.ndarray = field(repr=False, compare=False)  # positions


def placeholders(table: Table) -> tuple[Placeholder, ...]:
    """Numbers that many cells share and that lie apart from all others of a column."""
    found = []
    for column in table.features:
        if column.numbers is not None:
            for number in _codes(column.numbers):
                rows = np.flatnonzero(column.numbers == number)
                text = str(table.cells[column.name].iloc[int(rows[0])]).strip()
                found.append(Placeholder(column.name, number, text, rows.size, rows))
    return tuple(found)


def holds_code(table: Table, codes: tuple[Placeholder, ...]) -> np.ndarray:
    """Whether each cell holds one of the codes; bool, (n_rows, n_columns)."""
    found = np.zeros((table.n_rows, len(table.features)), bool)
    for code in codes:
        found[code.rows, table.feature_names.index(code.column)] = True
    return found


def _codes(cells: np.ndarray) -> list[float]:
    x = cells[~np.isnan(cells)]
    numbers, counts = np.unique(x, return_counts=True)
    fewest = np.where(np.isin(numbers, list(CODES)), FEWEST, LEAST_SHARE * x.size)
    enough = counts >= np.maximum(FEWEST, fewest)
    often = np.flatnonzero(enough & (counts <= MOST_SHARE * x.size))
    codes: list[float] = []
    # The commonest first: it would hide the others' distance from the rest.
    for k in often[np.argsort(-counts[often], kind="stable")]:
        rest = x[~np.isin(x, [*codes, numbers[k]])]
        if rest.size < FEWEST:
            continue
        # -1 where nothing else is below zero, however near
        impossible = numbers[k] in CODES and numbers[k] < 0 <= rest.min()
        if impossible or _stands_apart(numbers[k], int(counts[k]), rest):
            codes.append(float(numbers[k]))
    return codes or _codes_together(x, numbers, counts, often)


def _codes_together(
    x: np.ndarray, numbers: np.ndarray, counts: np.ndarray, often: np.ndarray
) -> list[float]:
    """Two or three codes side by side at an end, such as 998 and 999: none of them is
    far from the others.
    """
    for size in (2, 3):
        for ends in (np.arange(size), np.arange(-size, 0) + numbers.size):
            if numbers.size <= size or not np.isin(ends, often).all():
                continue
            rest = x[~np.isin(x, numbers[ends])]
            nearest = ends[-1] if ends[0] == 0 else ends[0]
            n = int(counts[ends].sum())
            is_code = np.isin(numbers[ends], list(CODES)).any()
            if is_code and rest.size >= n and _stands_apart(numbers[nearest], n, rest):
                return list(numbers[ends].tolist())
    return []


def _stands_apart(number: float, count: int, rest: np.ndarray) -> bool:
    low, high = np.quantile(rest, [TAILS, 1.0 - TAILS])
    if low <= number <= high:
        return False
    different = np.unique(rest)
    spread = _spread(rest) or _spread(different)
    step = float(np.median(np.diff(different))) if different.size > 1 else 0.0
    gaps = np.abs(rest - number)
    # Next to the others on a scale from 1 to 10, nothing stands apart.
    if spread == 0 or (gaps <= 2 * step).sum() > FEW_NEAR * count:
        return False
    if (gaps <= spread).sum() <= FEW_NEAR * count:
        return True
    share = count / (count + rest.size)
    near = (gaps <= 0.5 * spread).sum()
    return bool(number in CODES and share >= OFTEN and near <= SOME_NEAR * count)


def _spread(x: np.ndarray) -> float:
    """From the tenth to the ninetieth percentile, as a standard deviation."""
    low, high = np.quantile(x, [0.1, 0.9])
    return float(high - low) / 2.563
