"""Columns that keep an order: start before end, least before most.

Two columns may keep an order for no reason but that one has larger numbers, or because
they are alike and one lies a little higher. An order counts only if it would be broken
often were one column shuffled, if hardly any row breaks it, and if those who do break
it by far: what only lies higher is crossed by a hair, again and again.
"""

from dataclasses import dataclass

import numpy as np

from cellval.detect.digits import Numbers, numbers_in
from cellval.detect.finding import FLAGGED, Finding, column_name, finding
from cellval.detect.rule import Rule
from cellval.detect.rules import MOST_JUDGED
from cellval.kept import kept
from cellval.table.table import Table
from cellval.text import content, counted

MOST_COLUMNS = 60  # that are looked at
TRIED = 500  # rows in which every order is tried at first
FEWEST = 25  # rows that an order is judged from, at least,
FEWEST_NUMBERS = 100  # and of numbers, many of which are alike in a wide table
BROKEN = 0.03  # of them, at most,
BY_CHANCE = 0.15  # and at least so many if a column were shuffled:
OF_CHANCE = 0.1  # so many times as many, at least, as break it,
LUCK = 1e-4  # and by chance one of so many tables would have one such order
SMALLEST = 0.1  # of the gaps of rows that keep the order are no larger than a hair
# From the middle gap to large ones it is at least so many times the way to the smallest
# ones; many columns of numbers are alike, so that some look so by chance.
ONE_SIDED = {"date": 0.7, "number": 0.9}
OF_HAIR = 1 / 3  # of those who break it, at most, do so by a hair
USUAL = (0.02, 0.98)  # of the gaps: between these lies that of two swapped cells
VARIED = 5  # numbers in each column, at least
SURE_SWAP = 0.8  # how sure a row is in which both cells fit once they are swapped,
SURE_ODD = 0.8  # one with a cell that lies outside its column's other numbers,
SURE_OTHER = 0.45  # and any other, of whose two cells one is asked about
NUMBERS = 0.9  # times as sure, of numbers: prices, unlike times, may fall


@kept(1)
def ordered(table: Table) -> tuple[Finding, ...]:
    """One finding for each order that a few rows break."""
    columns = [
        column
        for column in numbers_in(table)[:MOST_COLUMNS]
        if np.unique(column.x[~np.isnan(column.x)][:MOST_JUDGED]).size >= VARIED
    ]
    orders = _orders(columns, table.n_rows)
    orders.sort(key=lambda order: order.n_broken / order.n_rows)
    taken: set[tuple[int, str]] = set()
    found = []
    for order in orders:
        cells = [
            cell
            for cell in _cells(table, order, orders)
            if not any((cell.row, name) in taken for name, _ in cell.held)
        ]
        taken.update((cell.row, name) for cell in cells for name, _ in cell.held)
        for is_sure in (True, False):
            part = [cell for cell in cells if (cell.sure >= FLAGGED) == is_sure]
            if part:
                found.append(_finding(table, order, part, is_sure))
    return tuple(found)


@dataclass(frozen=True, eq=False)
class _Order:
    """No number of one column is above that of another one in the same row."""

    low: Numbers
    high: Numbers
    n_rows: int  # that were judged
    n_broken: int  # among them
    by_chance: float  # share that would be, were a column shuffled
    usual: tuple[float, float]  # gaps between the two
    broken: np.ndarray  # bool, of each row of the whole table

    @property
    def holds(self) -> np.ndarray:
        known = ~np.isnan(self.low.x) & ~np.isnan(self.high.x)
        return known & ~self.broken


def _orders(columns: list[Numbers], n_rows: int) -> list[_Order]:
    """All that hold but for a few rows."""
    if len(columns) < 2 or n_rows < FEWEST:
        return []
    draw = np.random.default_rng([2, n_rows])
    judged = np.arange(n_rows)
    if n_rows > MOST_JUDGED:
        judged = np.sort(draw.choice(n_rows, MOST_JUDGED, replace=False))
    x = np.array([column.x[judged] for column in columns])
    few = (
        x[:, :TRIED] if n_rows <= TRIED else x[:, draw.permutation(judged.size)[:TRIED]]
    )
    found = []
    for j, low in enumerate(columns):
        below = np.sum(few[j] < few, axis=1)
        above = np.sum(few[j] > few, axis=1)
        maybe = (below > 0) & (above <= 2 * BROKEN * (above + below) + 1)
        for k in np.flatnonzero(maybe).tolist():
            high = columns[k]
            if k != j and low.word == high.word and _unit(low) == _unit(high):
                order = _judged(low, high, judged, len(columns))
                if order is not None:
                    found.append(order)
    return found


def _unit(column: Numbers) -> str:
    """What may be compared: 3 kg are not below 5 m; forms of dates do not count."""
    return column.column.form if column.word != "date" else ""


def _judged(
    low: Numbers, high: Numbers, judged: np.ndarray, n_columns: int
) -> _Order | None:
    a, b = low.x[judged], high.x[judged]
    known = ~np.isnan(a) & ~np.isnan(b)
    a, b = a[known], b[known]
    if not np.any(a > b):
        return None
    # A machine at rest says the same for hours: that counts once.
    a, b = np.unique(np.column_stack([a, b]), axis=0).T
    n = a.size
    with np.errstate(over="ignore"):
        gap = b - a
    broken = int(np.sum(gap < 0))
    if n < (FEWEST_NUMBERS if low.word == "number" else FEWEST):
        return None
    if broken > BROKEN * n:
        return None
    # Pairs of a number of one column with any number of the other.
    chance = float(np.mean(n - np.searchsorted(np.sort(a), b, side="right")) / n)
    if chance < BY_CHANCE or broken > OF_CHANCE * chance * n:
        return None
    if _luck(broken, n, chance) * n_columns**2 > LUCK:
        return None
    kept_gaps = gap[gap > 0]
    if not kept_gaps.size:
        return None
    one_sided = ONE_SIDED["number" if low.word == "number" else "date"]
    if not np.isfinite(kept_gaps).all() or _is_crossed(gap, one_sided):
        return None
    is_amount = low.word == "number" and bool(min(a.min(), b.min()) > 0)
    if is_amount and _is_crossed(np.log(b) - np.log(a), one_sided):
        return None
    usual = tuple(np.quantile(kept_gaps, USUAL).tolist())
    with np.errstate(invalid="ignore"):
        everywhere = low.x > high.x
    n, broken = int(known.sum()), int(np.sum(everywhere[judged]))
    return _Order(low, high, n, broken, chance, (usual[0], usual[1]), everywhere)


def _is_crossed(gap: np.ndarray, one_sided: float) -> bool:
    """Is the order broken by a hair mostly, as by what only lies higher?

    The gaps of such columns lie around their middle, too; those of columns that keep an
    order end at zero and are longer above the middle.
    """
    lowest, middle, high = np.quantile(gap[gap > 0], (0.01, 0.5, 0.9))
    if high - middle < one_sided * (middle - lowest):
        return True
    hair = float(np.quantile(gap[gap > 0], SMALLEST))
    below = -gap[gap < 0]
    return bool(np.sum(below <= hair) > OF_HAIR * below.size)


def _luck(k: int, n: int, p: float) -> float:
    """Chance of so few or fewer of n, each with chance p."""
    from scipy.special import bdtr  # takes a while to load, and few tables need it

    return float(bdtr(k, n, p))


@dataclass(frozen=True)
class _Broken:
    """What may be wrong in a row, with what each cell should hold if that is known."""

    row: int
    held: tuple[tuple[str, str | None], ...]
    sure: float


def _cells(table: Table, order: _Order, orders: list[_Order]) -> list[_Broken]:
    pair = (order.low, order.high)
    ends = [_ends(column, order.holds) for column in pair]
    found = []
    for i in np.flatnonzero(order.broken).tolist():
        x = [float(column.x[i]) for column in pair]
        texts = [table.cells[column.name].iat[i].strip() for column in pair]
        fits = [low <= x[s] <= high for s, (low, high) in enumerate(ends)]
        swapped = [low <= x[1 - s] <= high for s, (low, high) in enumerate(ends)]
        doubt = [_doubt(column, i, orders) for column in pair]
        if doubt[0] != doubt[1]:  # the other one keeps its order with a third column
            odd = int(doubt[1] > doubt[0])
            held = ((pair[odd].name, None),)
            found.append(_Broken(i, held, SURE_ODD))
        elif all(swapped) and order.usual[0] <= x[0] - x[1] <= order.usual[1]:
            cells = ((pair[0].name, texts[1]), (pair[1].name, texts[0]))
            # Of two numbers that are much alike, one wrong one looks the same.
            is_number = order.low.word == "number"
            found.append(_Broken(i, cells, SURE_OTHER if is_number else SURE_SWAP))
        elif fits[0] != fits[1]:
            odd = int(fits[0])
            found.append(_Broken(i, ((pair[odd].name, None),), SURE_ODD))
        else:
            found.append(_Broken(i, ((order.high.name, None),), SURE_OTHER))
    return found


def _ends(column: Numbers, rows: np.ndarray) -> tuple[float, float]:
    """Of the numbers that keep the order."""
    good = column.x[rows]
    return float(good.min()), float(good.max())


def _doubt(column: Numbers, i: int, orders: list[_Order]) -> int:
    """Orders that this cell breaks, less those that it keeps."""
    own = [order for order in orders if column in (order.low, order.high)]
    return sum(int(order.broken[i]) - int(order.holds[i]) for order in own)


def _finding(
    table: Table, order: _Order, rows: list[_Broken], is_sure: bool
) -> Finding:
    rule = Rule((order.low.name,), order.high.name, kind="order")
    low, high = column_name(order.low.name), column_name(order.high.name)
    cells = [(one.row, *cell) for one in rows for cell in one.held]
    sure = float(np.mean([one.sure for one in rows]))
    beyond = "above" if order.low.word == "number" else "after"
    kept_in = order.n_rows - order.n_broken
    return finding(
        table,
        "rule",
        order.high.name,
        [row for row, _, _ in cells],
        [after for _, _, after in cells],
        columns=[name for _, name, _ in cells],
        about=("order", order.low.name, order.high.name, str(is_sure)),
        sure=sure * (NUMBERS if order.low.word == "number" else 1.0),
        title=rule.words,
        evidence=(
            f"{low} is not {beyond} {high} in "
            f"{kept_in:,} of {counted(order.n_rows, 'row')}."
        ),
        why=[
            f"{low} is {content(table.cells[order.low.name].iat[row].strip(), 30)}, "
            f"{high} is {content(table.cells[order.high.name].iat[row].strip(), 30)}; "
            f"in {kept_in:,} of {counted(order.n_rows, 'row')} it is not so."
            for row, _, _ in cells
        ],
        rule=rule,
        is_open=not is_sure,
    )
