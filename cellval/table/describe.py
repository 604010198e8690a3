"""Where a cell stands: in its column, in its class, among the rows most like its."""

from dataclasses import dataclass

import numpy as np

from cellval.kept import kept
from cellval.stats import unit_of
from cellval.table.columns import Column
from cellval.table.dates import date_text, is_time, time_text
from cellval.table.table import Table
from cellval.text import brief, class_words, full, percent

USUAL = (5, 95)  # percentiles of what is called usual
N_BINS = 30
N_MARKS = 3  # below a picture of dates: more texts would overlap
SMALL_BINS = 12  # of a spread in a line of a table
ENOUGH_ROWS = 20_000  # more change nothing in a picture that small


def column_of(table: Table, name: str) -> Column:
    """The feature column with this name."""
    return next(column for column in table.features if column.name == name)


def number_text(column: Column, number: float) -> str:
    """A number of the column as a person writes it; days become dates."""
    if column.kind == "date":
        is_clock = is_time(column.form)
        return time_text(number, column.form) if is_clock else date_text(number)
    return full(number) if abs(number) < 1e6 else full(round(number), 15)


@dataclass(frozen=True)
class Place:
    """A cell among the cells of its column: of all rows, or of one class."""

    who: str  # whose cells these are, as words: "all rows", "class F"
    n: int  # present cells among them
    below: float  # share of these; for a category there is `same` only
    same: float
    above: float
    usual: str  # where nine in ten cells are, or the most common categories


def alike(table: Table, label: int) -> np.ndarray:
    """Rows of a class (or band), as a mask; all rows for those without a label."""
    return table.y == label if label >= 0 else np.ones(table.n_rows, bool)


def group_words(table: Table, position: int) -> str:
    """The rows that a row is grouped with by its label: class F, or a band."""
    if not table.label or table.y[position] < 0:
        return "all rows"
    group = brief(table.classes[int(table.y[position])])
    if table.target is not None:
        return f"rows with {brief(table.label, 20)} {group}"
    return class_words(group)


def place(table: Table, position: int, name: str) -> tuple[Place, ...]:
    """The cell's place among all rows, and among those of its row's class (or band)."""
    label = int(table.y[position])
    places = [_place(table, position, name, -1, "all rows")]
    if table.label and label >= 0 and np.count_nonzero(table.y == label) > 1:
        words = group_words(table, position)
        places.append(_place(table, position, name, label, words))
    return tuple(places)


def _place(table: Table, position: int, name: str, label: int, words: str) -> Place:
    """Among the rows that are `alike`."""
    column = column_of(table, name)
    below = same = above = 0.0
    if column.numbers is not None:
        x, cell = _ordered(table, name, label), column.numbers[position]
        n = x.size
        if n and not column.missing[position]:
            first = int(np.searchsorted(x, cell, "left"))
            last = int(np.searchsorted(x, cell, "right"))
            below, same = first / n, (last - first) / n
            above = max(0.0, 1.0 - (below + same))
        return Place(words, n, below, same, above, _usual_numbers(column, x))
    assert column.codes is not None
    who = alike(table, label)
    present = who & ~column.missing
    n = int(present.sum())
    if n:
        same = float(np.mean(column.codes[present] == column.codes[position]))
    return Place(words, n, below, same, above, usual_range(column, who))


@kept(6)  # of the columns looked at last: who clicks in a large table does not wait
def _ordered(table: Table, name: str, label: int) -> np.ndarray:
    """Numbers of the rows that are `alike`, the lowest first, without missing ones."""
    column = column_of(table, name)
    assert column.numbers is not None
    return np.sort(column.numbers[alike(table, label) & ~column.missing])


def usual_bounds(numbers: np.ndarray) -> tuple[float, float]:
    """Between which nine in ten of these numbers lie."""
    low, high = np.percentile(numbers, USUAL, method="inverted_cdf").tolist()
    return low, high


def usual_range(column: Column, who: np.ndarray) -> str:
    """Where nine in ten of these cells are, or the most common categories."""
    present = who & ~column.missing
    if column.numbers is not None:
        return _usual_numbers(column, column.numbers[present])
    if not present.any():
        return "no cells"
    assert column.codes is not None
    counts = np.bincount(column.codes[present], minlength=len(column.categories))
    common = np.argsort(-counts, kind="stable")[:3]
    return ", ".join(
        f"{brief(column.categories[k], 20)} {percent(counts[k] / counts.sum())}"
        for k in common.tolist()
        if counts[k]
    )


def _usual_numbers(column: Column, numbers: np.ndarray) -> str:
    if numbers.size == 0:
        return "no cells"
    low, high = usual_bounds(numbers)
    if low == high:
        return number_text(column, low)
    return f"{number_text(column, low)} to {number_text(column, high)}"


@kept(1)
def usual_ranges(table: Table) -> dict[tuple[str, str], str]:
    """Of every column within every class."""
    members = {label: table.y == k for k, label in enumerate(table.classes)}
    if (table.y < 0).any():
        members[""] = alike(table, -1)
    return {
        (column.name, label): usual_range(column, who)
        for column in table.features
        for label, who in members.items()
    }


def standing(
    table: Table, position: int, name: str, places: tuple[Place, ...]
) -> tuple[str, ...]:
    """The places of a cell in its column in sentences, or why it has none."""
    column = column_of(table, name)
    if column.codes is not None and places:
        return tuple(
            f"Among {among.who}: {percent(among.same)} hold the same; most common: "
            f"{among.usual}."
            for among in places
        )
    if places:
        return tuple(
            f"Among {among.who}: higher than {percent(among.below)}, lower than "
            f"{percent(among.above)} of the cells; nine in ten lie in {among.usual}."
            for among in places
        )
    blank = not table.cells[name].iat[position].strip()
    stray = not blank and column.kind in ("number", "date")
    words = f"it cannot be read as a {column.word} and counts as" if stray else "it is"
    share = float(column.missing[alike(table, int(table.y[position]))].mean())
    return (
        f"This cell has no place here: {words} missing, like {percent(share)} of this "
        f"column's cells in {group_words(table, position)}.",
    )


@dataclass(frozen=True, eq=False)
class Spread:
    """A column's distribution, ready to draw: counts overall and within a class."""

    labels: tuple[str, ...]  # categories; empty for numbers
    edges: np.ndarray  # of the bins; empty for categories
    overall: np.ndarray  # shares of the present cells, in percent
    in_class: np.ndarray
    at: float | None  # the cell: number, or position of its category; None if missing
    outside: bool = False  # the cell lies beyond the drawn bins
    # Where an axis of dates or times has marks, and what they say.
    marks: tuple[tuple[float, str], ...] = ()


def spread(table: Table, position: int, name: str) -> Spread:
    """Distribution of a cell's column overall and within the class of its row."""
    column, label = column_of(table, name), int(table.y[position])
    missing = bool(column.missing[position])
    if column.numbers is not None:
        x = _ordered(table, name, -1)
        if x.size == 0:
            return Spread((), np.array([0.0, 1.0]), np.zeros(1), np.zeros(1), None)
        at = None if missing else float(column.numbers[position])
        unit = unit_of(x)
        at_unit = None if at is None else at / unit
        low, high = drawn_range(x / unit, at_unit)
        edges = np.linspace(low, high, N_BINS + 1)
        overall = _shares(np.histogram(x / unit, edges)[0], x.size)
        mine = _ordered(table, name, label) / unit
        in_class = _shares(np.histogram(mine, edges)[0], mine.size)
        outside = at_unit is not None and not low <= at_unit <= high
        edges = edges * unit
        return Spread((), edges, overall, in_class, at, outside, _marks(column, edges))
    assert column.codes is not None
    k, present = len(column.categories), ~column.missing
    same = present & alike(table, label)
    overall = np.bincount(column.codes[present], minlength=k)
    in_class = np.bincount(column.codes[same], minlength=k)
    code = int(column.codes[position])
    drawn = np.argsort(-overall, kind="stable")[:8].tolist()
    if not missing and code not in drawn:
        drawn[-1] = code
    return Spread(
        tuple(column.categories[c] for c in drawn),
        np.empty(0),
        _shares(overall, overall.sum())[drawn],
        _shares(in_class, in_class.sum())[drawn],
        None if missing else float(drawn.index(code)),
    )


def _marks(column: Column, edges: np.ndarray) -> tuple[tuple[float, str], ...]:
    if column.kind != "date":
        return ()
    step = 60.0 if column.form.endswith(("minute", "minutes")) else 1.0
    # Away from the ends, where a text would have no room and not be drawn.
    inner = np.linspace(edges[0], edges[-1], 2 * N_MARKS + 1)[1::2]
    places = (step * np.round(inner / step)).tolist()
    return tuple((place, number_text(column, place)) for place in places)


@kept(1)
def small_spreads(table: Table) -> dict[str, list[float]]:
    """Of every column in percent: a coarse histogram of numbers, the commonest
    categories first; nothing of a column without either.
    """
    some = slice(None, None, max(1, table.n_rows // ENOUGH_ROWS))
    return {column.name: _small_spread(column, some) for column in table.columns}


def _small_spread(column: Column, some: slice) -> list[float]:
    present = ~column.missing[some]
    if column.numbers is not None and present.any():
        x = column.numbers[some][present]
        x = x / unit_of(x)
        counts = np.histogram(x, SMALL_BINS, drawn_range(x, None))[0]
    elif column.codes is not None and present.any():
        counts = -np.sort(-np.bincount(column.codes[some][present]))[:SMALL_BINS]
    else:
        return []
    shares: list[float] = _shares(counts, int(present.sum())).round(1).tolist()
    return shares


def drawn_range(x: np.ndarray, at: float | None) -> tuple[float, float]:
    """All of the column; of one with far outliers its bulk, so that bars have width."""
    low, high = float(x.min()), float(x.max())
    q1, q3 = np.percentile(x, [25, 75])
    reach = 8 * float(q3 - q1)
    if reach > 0:
        low, high = max(low, float(q1) - reach), min(high, float(q3) + reach)
        if at is not None and q1 - 3 * reach <= at <= q3 + 3 * reach:
            low, high = min(low, at), max(high, at)
    return (low, high) if low < high else (low - 0.5, high + 0.5)


def _shares(counts: np.ndarray, n: int) -> np.ndarray:
    return 100.0 * counts / max(int(n), 1)
