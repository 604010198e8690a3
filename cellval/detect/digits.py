"""How finely the numbers of a column are written, and numbers written like them.

Rules between numbers hold up to the printed digits: 2.54 times 71 is 180.3 where a
column has one decimal.
"""

import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

import numpy as np

from cellval.detect.readings import written
from cellval.kept import kept
from cellval.table.columns import Column
from cellval.table.dates import date_text, time_text
from cellval.table.table import Table

SEEN = 500  # cells of a column whose digits are counted
RARE = 0.01  # of them, and one cell alone, have more decimals than the column
MOST_DECIMALS = 15  # a number has no more,
MOST_DIGITS = 25  # nor so many digits in all
_iso = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")  # dates are written no other way
_number = {
    mark: re.compile(rf"[0-9]+(?:[{mark}]([0-9]*))?(?:[eE]([+-]?[0-9]{{1,3}}))?")
    for mark in ".,"
}


@dataclass(frozen=True, eq=False)
class Numbers:
    """The numbers of a column, and how they are written."""

    column: Column
    x: np.ndarray  # (n_rows,), NaN where missing
    word: str  # number, date or time
    step: float  # between two numbers that the column tells apart
    decimals: int  # that count, at most,
    shown: int  # and that are written, at least: 12.0 has one

    @property
    def name(self) -> str:
        return self.column.name

    def text(self, table: Table, number: float, own: str) -> str | None:
        """A number as its column would have it in the cell that now holds `own`.

        None if it would not be read back.
        """
        if not np.isfinite(number):
            return None
        if self.word == "date":
            text = date_text(number) if _iso.fullmatch(own) else ""
        elif self.word == "time":
            text = time_text(number, self.column.form)
        else:
            text = self._plain(number, table.decimal)
            if self.column.form:
                parts = _number[table.decimal].split(own)[::3]
                text = text.join(parts) if len(parts) == 2 else ""
        back = _read_back(table, self.column, text)
        is_same = abs(back - number) <= self.step / 2 * (1 + 1e-6)
        return text if is_same else None

    def _plain(self, number: float, mark: str) -> str:
        unit = Decimal(1).scaleb(-self.decimals)
        exact = Decimal(repr(float(number)))
        if exact.adjusted() + self.decimals > MOST_DIGITS:
            return f"{number:g}".replace(".", mark)
        text = written(exact.quantize(unit, ROUND_HALF_UP), mark)
        text = "0" if text == "-0" else text
        _, _, digits = text.partition(mark)
        if len(digits) < self.shown:
            text = (text if digits else text + mark) + "0" * (self.shown - len(digits))
        return text


@kept(1)
def numbers_in(table: Table) -> tuple[Numbers, ...]:
    """The columns of numbers, dates and times, used as features or not."""
    columns = [column for column in table.columns if column.numbers is not None]
    if table.label_column is not None:
        columns.append(table.label_column)
    place = {name: j for j, name in enumerate(table.cells)}
    columns.sort(key=lambda column: place[column.name])
    return tuple(_numbers(table, column) for column in columns)


def _numbers(table: Table, column: Column) -> Numbers:
    assert column.numbers is not None
    x, word = column.numbers, column.word
    known = x[~np.isnan(x)]
    if word == "date":
        step = 1.0 if not np.mod(known, 1).any() else 1 / 86_400
        return Numbers(column, x, word, step, 0, 0)
    if word == "time":
        step = 60.0 if not np.mod(known, 60).any() else 1.0
        return Numbers(column, x, word, step, 0, 0)
    rows = np.flatnonzero(~np.isnan(x))
    if rows.size > SEEN:
        rows = np.sort(np.random.default_rng(0).choice(rows, SEEN, replace=False))
    texts = table.cells[column.name].iloc[rows].str.strip()
    counted = [_decimals(text, table.decimal) for text in texts]
    enough = max(2, RARE * len(counted))
    if len(counted) < 2 * enough:
        enough = 1
    digits = np.array(counted, np.int64).reshape(-1, 2)
    most = _most(digits[:, 0], enough)
    least = int(digits[:, 1].min(initial=MOST_DECIMALS))
    return Numbers(column, x, word, 10.0**-most, most, min(least, MOST_DECIMALS))


def _most(digits: np.ndarray, enough: float) -> int:
    """The largest that enough cells have, or more."""
    for most in sorted(set(digits.tolist()), reverse=True):
        if np.sum(digits >= most) >= enough:
            return int(most)
    return 0


def _decimals(text: str, mark: str) -> tuple[int, int]:
    """Decimals that count, and that are written."""
    match = _number[mark].search(text.replace("." if mark == "," else ",", ""))
    if match is None:
        return 0, 0
    digits, power = match[1] or "", int(match[2] or 0)
    counted = max(0, len(digits.rstrip("0")) - power)
    return min(counted, MOST_DECIMALS), min(len(digits), MOST_DECIMALS)


def _read_back(table: Table, column: Column, text: str) -> float:
    if column.kind == "number" and not column.form:  # written here, and plainly
        return float(text.replace(table.decimal, "."))
    numbers = table.read_texts(column.name, [text]).numbers
    assert numbers is not None
    return float(numbers[0])


def is_slip_of_digits(own: str, meant: str) -> bool:
    """One digit wrong, missing, too many or swapped with the next; a mark or sign."""
    if own.strip("+-−") == meant.strip("+-−"):
        return own != meant
    a, b = (re.sub("[^0-9]", "", text) for text in (own, meant))
    if a.strip("0") == b.strip("0"):  # the mark elsewhere, or zeros
        return bool(a.strip("0"))
    if len(a) == len(b):
        at = [k for k in range(len(a)) if a[k] != b[k]]
        is_swap = len(at) == 2 and a[at[0]] + a[at[1]] == b[at[1]] + b[at[0]]
        return len(at) == 1 or (is_swap and at[1] == at[0] + 1)
    short, long = sorted((a, b), key=len)
    return len(long) == len(short) + 1 and any(
        long[:k] + long[k + 1 :] == short for k in range(len(long))
    )
