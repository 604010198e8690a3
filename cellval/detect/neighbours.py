"""What the rows most like a row, in other columns, say about each of its cells."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from cellval.kept import kept
from cellval.knn.nearest import nearest_rows
from cellval.parallel import Computation, Piece, seconds_of
from cellval.stats import median
from cellval.table.columns import Column
from cellval.table.encoding import encode, encode_column
from cellval.table.table import Table

N_NEAR = 16  # neighbours asked about a cell
N_PREDICTORS = 8  # columns in which rows are compared, for each column
MOST_KNOWN = 16_384  # rows among which neighbours are looked for
ASKED_WORK = 4e9  # rows times those: beyond it, neighbours are looked for among fewer
FIRST_KNOWN = 1_024  # the same for the first, quick answer on large tables
MOST_JUDGED = 5_000  # rows from which dependence of columns is judged
N_BINS = 12
SKEWED = 4.0  # one tail of a column so many times as long as the other
MOST_CATEGORIES = 64  # rarer ones count as one
ITEM_ROWS = 256
TIMED_ROWS = 64  # to foretell how long all of them take
GO_ON = np.zeros(1, np.uint8)  # nobody stops it


@dataclass(frozen=True, eq=False)
class NeighbourModel:
    """How neighbours are found for each of m features of n rows."""

    cells: np.ndarray  # float32 (m + 1, n): encoded features, then the label
    weight: np.ndarray  # float32 (m + 1,)
    is_category: np.ndarray  # bool (m + 1,)
    predictors: np.ndarray  # int64 (m, k): what says most about each column; -1: none
    importance: np.ndarray  # float32 (m, k)
    predictable: np.ndarray  # (m,): share of variation that the best one explains
    # (m,): from where on numbers of skewed columns are compared by their ratio, not
    # their difference; 0 for all others. See `bent`.
    bends: np.ndarray
    order: np.ndarray  # int64 (n,): random; among equally near rows the first win

    @cached_property
    def places(self) -> np.ndarray:
        """Where in that order each row is."""
        places = np.empty(self.order.size, np.int64)
        places[self.order] = np.arange(self.order.size)
        return places


@np.errstate(all="ignore")  # numbers may be as large, or as small, as can be
def make_model(table: Table, random_state: int = 0) -> NeighbourModel:
    """Weigh the columns by how much they say about each other."""
    encoded = encode(table)
    n, m = table.n_rows, len(table.features)
    label, weight = _encoded_label(table, encoded.y)
    explained = dependence(table, random_state)
    weights = explained**2  # so that one good predictor is not drowned by many poor
    # Where nothing predicts a column, all others have the same say.
    none = weights.sum(axis=1) <= 0
    weights[none] = 1.0
    weights[:, m] *= bool(table.label)
    weights[np.arange(m), np.arange(m)] = 0.0
    best = np.argsort(-weights, axis=1, kind="stable")[:, : min(N_PREDICTORS, m)]
    importance = np.take_along_axis(weights, best, axis=1)
    sums = importance.sum(axis=1, keepdims=True)
    return NeighbourModel(
        np.concatenate([encoded.cells, label[None].astype(np.float32)]),
        np.append(encoded.weight, np.float32(weight)),
        np.append(encoded.is_category, table.target is None),
        np.where(importance > 0, best, -1),
        (importance / np.where(sums > 0, sums, 1.0)).astype(np.float32),
        explained.max(axis=1),
        np.array([_bend(column) for column in table.features]),
        np.random.default_rng([random_state, 1]).permutation(n),
    )


def _encoded_label(table: Table, y: np.ndarray) -> tuple[np.ndarray, float]:
    """Classes differ or not; numbers are near or far, as those of any column."""
    column = table.label_column
    if column is not None:
        return encode_column(column, column)
    known = table.y >= 0
    share = np.bincount(table.y[known]) / known.sum()
    differ = 1.0 - float(np.sum(share**2))  # of two random labels
    return np.where(known, y, np.nan), 1.0 / (differ or 1.0)


def _bend(column: Column) -> float:
    """The typical size of a column's numbers if they are skewed like incomes, or 0."""
    if column.numbers is None or np.isnan(column.numbers).all():
        return 0.0
    x = column.numbers[~np.isnan(column.numbers)]
    low, middle, high = np.quantile(x, [0.05, 0.5, 0.95])
    shorter, longer = sorted((high - middle, middle - low))
    return float(np.median(np.abs(x[x != 0]))) if longer > SKEWED * shorter else 0.0


@np.errstate(all="ignore")  # numbers may be as large as can be
def bent(numbers: Any, bend: float) -> Any:
    """Numbers on a scale that is logarithmic beyond `bend`; as they are if it is 0."""
    return np.arcsinh(numbers / bend) if bend else numbers


def dependence(table: Table, random_state: int = 0) -> np.ndarray:
    """How much of each column's variation each other column, or the label, explains.

    The adjusted R^2 of a piecewise constant fit: the other column in up to twelve bins,
    its own cells as ranks, or as one indicator for each category. 0 to 1, shape (m,
    m + 1), the label last; 0 for a column by itself.
    """
    n, m = table.n_rows, len(table.features)
    rows = np.arange(n)
    if n > MOST_JUDGED:
        draw = np.random.default_rng([random_state, 2])
        rows = np.sort(draw.choice(n, MOST_JUDGED, replace=False))
    parts = [_scores(column, rows) for column in table.features]
    of_target = np.repeat(np.arange(m), [part.shape[1] for part in parts])
    scores = np.concatenate(parts, axis=1)
    scores -= scores.mean(axis=0)
    total = np.bincount(of_target, (scores**2).sum(axis=0), minlength=m)
    explained = np.zeros((m, m + 1))
    for k in range(m + 1):
        bins = _bins(table.features[k], rows) if k < m else _label_bins(table, rows)
        counts = np.bincount(bins)
        in_bins = np.zeros((counts.size, rows.size), np.float32)
        in_bins[bins, np.arange(rows.size)] = 1.0
        sums = in_bins @ scores
        between = (sums**2 / np.maximum(counts, 1)[:, None]).sum(axis=0)
        share = np.bincount(of_target, between, minlength=m) / np.maximum(total, 1e-300)
        free = max(1, rows.size - int((counts > 0).sum()))
        explained[:, k] = 1.0 - (1.0 - share) * (rows.size - 1) / free
    explained[total <= 0] = 0.0
    explained[np.arange(m), np.arange(m)] = 0.0
    return np.clip(explained, 0.0, 1.0)


def _scores(column: Column, rows: np.ndarray) -> np.ndarray:
    """Ranks of numbers (0 where missing), an indicator for each category."""
    if column.numbers is not None:
        ranks = pd.Series(column.numbers[rows]).rank()
        scores = (ranks - 0.5) / ranks.count() - 0.5
        return scores.fillna(0.0).to_numpy(np.float32)[:, None]
    codes, n = _pooled_codes(column, rows)
    return (codes[:, None] == np.arange(n)).astype(np.float32)


def _bins(column: Column, rows: np.ndarray) -> np.ndarray:
    """Bin of each cell; missing cells have one of their own."""
    if column.numbers is not None:
        x = column.numbers[rows]
        present = ~np.isnan(x)
        if not present.any():
            return np.zeros(rows.size, np.int64)
        edges = np.unique(np.quantile(x[present], np.arange(1, N_BINS) / N_BINS))
        bins = np.searchsorted(edges, x, side="right")
        return np.where(present, bins, edges.size + 1)
    codes, n = _pooled_codes(column, rows)
    return np.where(codes >= 0, codes, n)


def _pooled_codes(column: Column, rows: np.ndarray) -> tuple[np.ndarray, int]:
    """Of these rows, and how many codes there are."""
    assert column.codes is not None
    kinds, code_of = _pooled(column, N_BINS)
    return code_of[column.codes[rows]], kinds.size


def _label_bins(table: Table, rows: np.ndarray) -> np.ndarray:
    column = table.label_column
    if column is not None:
        return _bins(column, rows)
    return np.where(table.y >= 0, table.y, len(table.classes))[rows]


def _pooled(column: Column, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Categories with the rarer ones as one: the category that each code stands for.

    The one of the rarer categories is the last and stands for -1. And the new code of
    each category, and of -1 (missing).
    """
    assert column.codes is not None
    n = len(column.categories)
    kinds, code_of = np.arange(n), np.append(np.arange(n), -1)
    if n > most:
        counts = np.bincount(column.codes[column.codes >= 0], minlength=n)
        order = np.argsort(-counts, kind="stable")
        code_of[order] = np.minimum(np.arange(n), most - 1)
        kinds = np.append(order[: most - 1], -1)
    return kinds, code_of


@dataclass(frozen=True, eq=False)
class Nearby:
    """What the neighbours say about every cell."""

    # Their median, or the code of their commonest category; NaN if none has a cell.
    expected: np.ndarray
    # Of numbers, the spread around their median, as the standard deviation of a normal
    # distribution (on the scale of `bent`). Of categories, how probable one at most as
    # common as the cell's own is. float32.
    apart: np.ndarray
    n_known: int  # rows among which neighbours were looked for


def n_known_of(n_rows: int) -> int:
    """Rows among which neighbours are looked for in the end, of so many.

    Examples
    --------
    >>> [n_known_of(n) for n in (300, 32_561, 1_000_000, 5_000_000)]
    [300, 16384, 4000, 2048]
    """
    fewer = max(2 * FIRST_KNOWN, int(ASKED_WORK / n_rows))
    return min(n_rows, MOST_KNOWN, fewer)


class Answers(NamedTuple):
    """Of the current round of questions so far, and of the last one that ended."""

    parts: tuple[Nearby, ...]
    whole: Nearby | None


@dataclass(eq=False)
class Asking(Computation[Answers, Nearby]):
    """The neighbours of all rows are asked, some rows a piece.

    Large tables are answered twice: from few rows at once, then from more.
    """

    table: Table
    random_state: int = 0
    # Is a part of the rows an answer, too? Nothing is expected of the others.
    in_parts: bool = False
    targets: Sequence[int] | None = None  # features that are asked about; None: all

    def __post_init__(self) -> None:
        n = self.table.n_rows
        self.sizes = [FIRST_KNOWN] * (n > 4 * FIRST_KNOWN) + [n_known_of(n)]
        self.total = float(n * sum(self.sizes))
        self._stop = np.zeros(1, np.uint8)

    @cached_property
    def model(self) -> NeighbourModel:
        return make_model(self.table, self.random_state)

    @property
    def asked(self) -> tuple[int, ...]:
        """Places of the features that are asked about."""
        everything = range(len(self.table.features))
        return tuple(everything if self.targets is None else self.targets)

    @property
    def columns(self) -> list[Column]:
        return [self.table.features[j] for j in self.asked]

    @cached_property
    def _items(self) -> list[np.ndarray]:
        n = self.table.n_rows
        return [np.arange(a, min(n, a + ITEM_ROWS)) for a in range(0, n, ITEM_ROWS)]

    def prepare(self) -> None:
        self.model  # noqa: B018 - made before the clock starts

    def pieces(self) -> Iterator[Piece]:
        for size in self.sizes:
            index = NeighbourIndex(self.table, self.model, size, self.asked)
            for rows in self._items:
                arguments = self.model.cells[:, rows], rows, self._stop
                yield Piece(index.answers, arguments, float(rows.size * size))

    def expected_seconds(self) -> float:
        """Of all pieces on one core, from some rows that are timed."""
        rows, size = np.arange(min(TIMED_ROWS, self.table.n_rows)), self.sizes[-1]
        index = NeighbourIndex(self.table, self.model, size, self.asked)
        cells = self.model.cells[:, rows]
        took = seconds_of(lambda: index.answers(cells, rows))
        return took * self.total / (rows.size * size)

    def begin(self) -> Answers:
        return Answers((), None)

    def add(self, state: Answers, answer: Nearby) -> Answers:
        parts = (*state.parts, answer)
        if len(parts) < len(self._items):
            return state._replace(parts=parts)
        return Answers((), _joined(parts))

    def make(self, state: Answers) -> Callable[[], Nearby] | None:
        whole = state.whole
        if whole is None and self.in_parts:
            return lambda: _joined([*state.parts, self._unknown(len(state.parts))])
        return None if whole is None else lambda: whole

    def _unknown(self, n_parts: int) -> Nearby:
        """Of the rows behind so many parts nothing is known."""
        shape = (max(0, self.table.n_rows - n_parts * ITEM_ROWS), len(self.asked))
        nothing = np.full(shape, np.nan)
        return Nearby(nothing, nothing.astype(np.float32), 0)

    def stop(self) -> None:
        self._stop[0] = 1


def _joined(parts: Sequence[Nearby]) -> Nearby:
    expected = np.concatenate([part.expected for part in parts])
    apart = np.concatenate([part.apart for part in parts])
    return Nearby(expected, apart, min(part.n_known for part in parts))


@dataclass(eq=False)
class NeighbourIndex:
    """Known rows, ready to be asked about others."""

    table: Table
    model: NeighbourModel
    n_known: int  # at most
    targets: Sequence[int] | None = None  # features that are asked about; None: all

    def __post_init__(self) -> None:
        self.known = self.model.order[: self.n_known]  # positions
        everything = range(len(self.table.features))
        self.asked = list(everything if self.targets is None else self.targets)
        # Only columns that say something about those asked about are compared.
        predictors = self.model.predictors[self.asked]
        self.used = np.unique(predictors[predictors >= 0])
        place = np.full(len(self.model.cells) + 1, -1)  # the last: of none
        place[self.used] = np.arange(self.used.size)
        self.predictors = np.ascontiguousarray(place[predictors])
        self.cells = self.model.cells[np.ix_(self.used, self.known)]

    def neighbours(
        self, cells: np.ndarray, rows: np.ndarray, stop: np.ndarray = GO_ON
    ) -> np.ndarray:
        """Positions in the table, shape (rows, columns, neighbours); -1 for none."""
        model, used = self.model, self.used
        n_near = max(1, min(N_NEAR, self.known.size - 1))
        found = np.empty((rows.size, len(self.asked), n_near), np.int32)
        own = model.places[rows]
        own = np.where(own < self.known.size, own, -1)
        rows_asked = np.ascontiguousarray(cells[used]), own
        weights = self.predictors, model.importance[self.asked]
        columns = model.weight[used], model.is_category[used], *weights
        nearest_rows(*rows_asked, self.cells, *columns, found, stop)
        return np.where(found >= 0, self.known[found], -1)

    @np.errstate(all="ignore")  # likewise
    def answers(
        self, cells: np.ndarray, rows: np.ndarray, stop: np.ndarray = GO_ON
    ) -> Nearby:
        """What is expected of the cells of these rows."""
        found = self.neighbours(cells, rows, stop)
        expected = np.empty((rows.size, found.shape[1]))
        apart = np.empty((rows.size, found.shape[1]), np.float32)
        for at, j in enumerate(self.asked):
            column, near_rows = self.table.features[j], found[:, at]
            if column.numbers is not None:
                near = np.where(near_rows >= 0, column.numbers[near_rows], np.nan)
                expected[:, at] = middle = median(near)
                bend = float(self.model.bends[j])
                gaps = bent(near, bend) - bent(middle, bend)[:, None]
                apart[:, at] = 1.4826 * median(np.abs(gaps))
            else:
                own = np.nan_to_num(cells[j], nan=-1.0).astype(int)
                groups = np.nan_to_num(cells[-1], nan=-1.0).astype(int)
                if self.table.target is not None:
                    groups = self.table.y[rows]
                kinds, code_of, shares = self._kinds(j)
                expected[:, at], apart[:, at] = _categories_say(
                    column, kinds, code_of, own, shares[groups], near_rows
                )
        return Nearby(expected, apart, self.known.size)

    @kept(2**20)  # once, not for every few rows: it takes time for all rows
    def _kinds(self, j: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What a column's categories are pooled to, and how common in each class."""
        column = self.table.features[j]
        kinds, code_of = _pooled(column, MOST_CATEGORIES)
        return kinds, code_of, _shares(column, kinds, code_of, self.table.y)

    def ask(self, cells: np.ndarray, rows: np.ndarray) -> Nearby:
        """What the neighbours would say if these rows had other cells.

        Encoded like `NeighbourModel.cells`; no row is its own neighbour.
        """
        # Part by part: neighbours take 16 numbers for each cell.
        parts = [slice(a, a + ITEM_ROWS) for a in range(0, rows.size, ITEM_ROWS)]
        return _joined([self.answers(cells[:, part], rows[part]) for part in parts])


def _shares(
    column: Column, kinds: np.ndarray, code_of: np.ndarray, y: np.ndarray
) -> np.ndarray:
    """Share of each (pooled) category in each class, the column as one cell more.

    And, last, among all rows, for those without a label.
    """
    codes = code_of[column.codes]
    n_classes, present = int(y.max()) + 2, codes >= 0
    places = y[present] % n_classes * kinds.size + codes[present]
    counts = np.bincount(places, minlength=n_classes * kinds.size).astype(float)
    counts = counts.reshape(n_classes, kinds.size)
    counts[-1] = total = counts.sum(axis=0)
    everyone = total / max(1.0, total.sum())
    return np.asarray((counts + everyone) / (counts.sum(axis=1, keepdims=True) + 1.0))


def _categories_say(
    column: Column,
    kinds: np.ndarray,
    code_of: np.ndarray,
    own: np.ndarray,
    share: np.ndarray,
    found: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Shares among neighbours, with the row's class (`share`) as one neighbour more.

    The commonest category, and the probability of one at most as common as each `own`.
    """
    assert column.codes is not None
    n, n_codes = own.size, kinds.size
    if n_codes == 0:  # all cells are missing
        return np.full(n, np.nan), np.full(n, np.nan)
    near = np.where(found >= 0, code_of[column.codes[found]], -1)
    flat = (near + 1) + np.arange(n)[:, None] * (n_codes + 1)
    counts = np.bincount(flat.ravel(), minlength=n * (n_codes + 1))
    counts = counts.reshape(n, n_codes + 1)[:, 1:]
    n_near = counts.sum(axis=1)
    probable = (counts + share) / (n_near[:, None] + 1.0)
    mine = code_of[np.maximum(own, -1)]
    least = probable[np.arange(n), np.maximum(mine, 0)][:, None]
    tail = np.where(probable <= least * (1 + 1e-9), probable, 0.0).sum(axis=1)
    unknown = n_near == 0
    common = kinds[np.argmax(np.where(kinds >= 0, probable, -1.0), axis=1)]
    common = common.astype(float)
    return (
        np.where(unknown, np.nan, common),
        np.where(unknown | (mine < 0), np.nan, tail),
    )
