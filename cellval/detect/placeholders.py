"""Codes that may stand for "missing": numbers such as 0, -1 or 999 that lie apart from
all others of a column, and texts such as "unknown" or "empty".
"""

from dataclasses import dataclass, field

import numpy as np

from cellval.kept import kept
from cellval.table.columns import MISSING_MARKERS, Column
from cellval.table.table import Table

FEWEST = 3  # cells; of -999 and the like one is enough
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
LONE = {code for code in CODES if code <= -99}  # no slip makes them
# Texts, without case, outer blanks and brackets. Those that the reader takes for
# missing by itself (MISSING_MARKERS) need no question.
WORDS = frozenset(
    """
    empty, blank, missing, missing value, missing data, unknown, unk, not known, none,
    nil, undefined, unspecified, not specified, not available, not applicable, na, n/a,
    n.a., n.a, n a, n/d, n.d., not given, not stated, not recorded, not reported,
    no data, no value, no answer, no response, no information, tbd, t.b.d., tba, to be
    determined, nan, null, nill, #null!, #value!, #ref!, #name?, #div/0!, --, ---, ??,
    ???, ., .., ..., _, k.a., keine angabe, unbekannt, leer, fehlt, inconnu,
    desconocido
    """.replace("\n    ", " ")
    .strip()
    .split(", ")
)
# Numbers that words would not have among them by chance.
AMONG_WORDS = frozenset({"999", "9999", "99999", "-1", "-9", "-99", "-999", "-9999"})
SEVERAL = 3  # cells
BRACKETS = {"(": ")", "[": "]", "<": ">", "{": "}", '"': '"', "'": "'"}


@dataclass(frozen=True)
class Placeholder:
    """A number or a text that seems to stand for "missing"."""

    column: str
    number: float  # NaN for a text
    text: str  # as it stands in the file
    n_cells: int
    rows: np.ndarray = field(repr=False, compare=False)  # positions


@kept(1)
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


@kept(1)
def missing_codes(table: Table) -> tuple[Placeholder, ...]:
    """All codes, numbers and texts: by column as the table has them, commonest first.

    A question to a person, never a verdict: "none" may be a category like others.
    """
    found = [*placeholders(table), *_text_codes(table)]
    place = {name: k for k, name in enumerate(table.feature_names)}
    return tuple(sorted(found, key=lambda code: (place[code.column], -code.n_cells)))


def _text_codes(table: Table) -> list[Placeholder]:
    found = []
    for column in table.features:
        for text, rows in _held_texts(column).items():
            code = Placeholder(column.name, float("nan"), text, len(rows), rows)
            found.append(code)
    return found


@kept(1)
def words_for_missing(column: Column) -> frozenset[str]:
    """Words in a column of numbers that several cells hold: one question, not many."""
    held = _held_texts(column) if column.codes is None else {}
    return frozenset(text for text, rows in held.items() if rows.size >= SEVERAL)


def _held_texts(column: Column) -> dict[str, np.ndarray]:
    """Positions of the cells that hold each text for "missing"."""
    if column.codes is None:
        strays: dict[str, list[int]] = {}
        for i, text in column.strays:
            if is_word_for_missing(text):
                strays.setdefault(text.strip(), []).append(i)
        return {text: np.array(rows) for text, rows in strays.items()}
    texts = [text for text in column.categories if is_word_for_missing(text)]
    numbers = [text for text in column.categories if _looks_like_a_number(text)]
    if len(numbers) < len(column.categories) and AMONG_WORDS.issuperset(numbers):
        texts += numbers
    codes = {text: column.categories.index(text) for text in texts}
    held = {text: np.flatnonzero(column.codes == code) for text, code in codes.items()}
    return {text: rows for text, rows in held.items() if rows.size}


def is_word_for_missing(text: str) -> bool:
    """Whether a text says that there is nothing; not for those the reader knows."""
    word = " ".join(text.casefold().split())
    if word in MISSING_MARKERS:
        return False
    if len(word) > 2 and BRACKETS.get(word[0]) == word[-1]:
        word = word[1:-1].strip()
    return word in WORDS


def _looks_like_a_number(text: str) -> bool:
    return text.lstrip("+-−").replace(".", "").replace(",", "").isdigit()


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
    enough |= np.isin(numbers, list(LONE))
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


@np.errstate(over="ignore")  # numbers may be as large as can be
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
