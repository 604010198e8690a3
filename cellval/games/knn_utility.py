"""`KnnUtility`: how well nearest neighbours do that see only some rows and columns.

For games of groups it knows a short cut: all unions of row groups, seen through all
unions of column groups, in one go. For a test point and some columns, the nearest rows
of each row group are listed once, as *tie classes* (rows at the same distance: how many
there are, and the sum of their agreement with the point's label: how many have it, or
how close their numbers are). The nearest of a union are its groups'
lists merged, as far as K rows.

Unions are numbered by their bits, and visited in the order of their numbers. A union
without its lowest group is its *parent*; it was visited before, and what was found for
it still stands on the level of its size. In a *chain* there are only the unions of the
first 0, 1, 2, ... groups, each the parent of the next.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from cellval.compiled import kernel, kernel_part
from cellval.errors import is_whole, require
from cellval.knn.agreement import agreement
from cellval.knn.distance import add_column
from cellval.knn.nearest import k_smallest
from cellval.knn.problem import label_settings, require_label, weights_of_tests
from cellval.parallel import Computation, Piece
from cellval.table.encoding import Encoded, encode
from cellval.table.labels import closeness_of_guesses
from cellval.table.splits import check_classes, hold_out
from cellval.table.table import Table
from cellval.values.options import RunOptions

MANY = 48  # neighbours from which sorting beats insertion
AT_ONCE = 2e8  # distances in a piece of work: some tenths of a second


class Players(NamedTuple):
    """Rows and columns, both in the order of their groups."""

    cells: np.ndarray  # float32 (m, n)
    weight: np.ndarray  # float32 (m,)
    is_category: np.ndarray  # bool (m,)
    y: np.ndarray  # int32 (n,), or float64: numbers in widths
    row_starts: np.ndarray  # int64 (R + 1,): where each group of rows begins
    column_starts: np.ndarray  # int64 (C + 1,)


class Points(NamedTuple):
    """Test points."""

    cells: np.ndarray  # float32 (T, m)
    y: np.ndarray  # int32 (T,), -1 for a class that no row has; or float64
    own: np.ndarray  # int64 (T,): which row each is itself, or -1
    weight: np.ndarray  # float64 (T,): its say


@dataclass(frozen=True, eq=False)
class KnnUtility:
    """Soft score of K nearest neighbours: the share of them with the right label.

    Of a label of numbers it is their mean closeness to the right one: 1 less the
    distance in widths, at least 0 (see `value_cells`).

    The game that `value_cells` shares among cells, as a function. Rows at the same
    distance are ordered at random, on average; without rows or columns it is worth 0,
    and fewer rows than K leave votes empty. Tested on a table read like this one, on a
    share of the rows (which are no players then), or on every row in turn (None).
    """

    table: Table
    test: Table | float | None = None
    n_neighbors: int = RunOptions.n_neighbors
    scoring: str = "accuracy"
    random_state: int = 0  # of the hold-out
    width: float | None = None  # of numbers; None: the usual one

    def __post_init__(self) -> None:
        require_label(self.table)
        self._label  # noqa: B018 - refuses what does not fit the label
        k = self.n_neighbors
        require("n_neighbors", k, is_whole(k, 1) and k < 2**31, "1 or more")
        object.__setattr__(self, "n_neighbors", int(k))

    @cached_property
    def players(self) -> np.ndarray:
        """bool (n_rows,): rows that are not held out."""
        if self.test is None or isinstance(self.test, Table):
            return np.ones(self.table.n_rows, bool)
        return ~hold_out(self.table.y, self.test, self.random_state)

    @cached_property
    def guess(self) -> float:
        """Score of neighbours drawn at random from all rows."""
        points, y = self._points, self._encoded.y[self.players]
        if y.dtype.kind == "f":
            return float(np.mean(closeness_of_guesses(y, points.y, 1.0)))
        share = np.bincount(y, minlength=max(y.max(), points.y.max()) + 2) / y.size
        return float(np.mean(points.weight * share[points.y]))  # -1: of no row, 0

    def __call__(self, rows: np.ndarray, columns: np.ndarray) -> float:
        if len(rows) == 0 or len(columns) == 0:
            return 0.0
        return float(self.chain([np.asarray(rows)], [np.asarray(columns)])[1, 1])

    def chain(
        self, row_groups: list[np.ndarray], column_groups: list[np.ndarray]
    ) -> np.ndarray:
        """Of the first 0, 1, ... R row and 0, 1, ... C column groups, (R+1, C+1)."""
        out = np.zeros((len(row_groups) + 1, len(column_groups) + 1))
        players, points = self._game(row_groups, column_groups)
        add_utilities(players, points, self.n_neighbors, True, out)
        return out / points.y.size

    def unions(
        self, row_groups: list[np.ndarray], column_groups: list[np.ndarray]
    ) -> "Unions":
        """Utilities of all pairs of unions of groups, (2^R, 2^C), in one go."""
        shape = (2 ** len(row_groups), 2 ** len(column_groups))
        return Unions(*self._game(row_groups, column_groups), self.n_neighbors, shape)

    def _game(
        self, row_groups: list[np.ndarray], column_groups: list[np.ndarray]
    ) -> tuple[Players, Points]:
        rows, columns = np.concatenate(row_groups), np.concatenate(column_groups)
        encoded, points = self._encoded, self._points
        place = np.full(self.table.n_rows + 1, -1)  # the last: no row at all
        place[rows] = np.arange(rows.size)
        players = Players(
            np.ascontiguousarray(encoded.cells[np.ix_(columns, rows)]),
            encoded.weight[columns],
            encoded.is_category[columns],
            encoded.y[rows],
            np.cumsum([0, *map(len, row_groups)]),
            np.cumsum([0, *map(len, column_groups)]),
        )
        cells = np.ascontiguousarray(points.cells[:, columns])
        return players, points._replace(cells=cells, own=place[points.own])

    @cached_property
    def _label(self) -> dict[str, Any]:
        asked = RunOptions(scoring=self.scoring, width=self.width)
        return label_settings(self.table, asked)

    def _in_widths(self, encoded: Encoded) -> Encoded:
        width = self._label["width"]
        return replace(encoded, y=encoded.y / width) if width else encoded

    @cached_property
    def _encoded(self) -> Encoded:
        return self._in_widths(encode(self.table))

    @cached_property
    def _points(self) -> Points:
        """All columns; `own` in positions of the table."""
        train, table = self._encoded, self.table
        if isinstance(self.test, Table):
            check_classes(table, self.test)
            test = self.test.labelled
            seen = self._in_widths(encode(test, like=table))
            cells, y, labels = seen.cells, seen.y, test.y
        else:
            rows = self.players if self.test is None else ~self.players
            cells, y = train.cells[:, rows], train.y[rows]
            labels = y
        own = np.arange(y.size) if self.test is None else np.full(y.size, -1)
        weight = weights_of_tests(labels, self._label["scoring"])
        return Points(np.ascontiguousarray(cells.T), y, own, weight)


@dataclass(eq=False)
class Unions(Computation[tuple[int, np.ndarray], np.ndarray]):
    """Utilities of all pairs of unions of groups, some test points a piece."""

    players: Players
    points: Points
    n_neighbors: int
    shape: tuple[int, int]

    def __post_init__(self) -> None:
        self.total = float(self.points.y.size)

    def pieces(self) -> Iterator[Piece]:
        n, n_pairs = self.points.y.size, self.shape[0] * self.shape[1]
        each = self.players.y.size * self.shape[1] + 20 * self.n_neighbors * n_pairs
        size = int(min(max(AT_ONCE / max(each, 1), 1), max(n / 16, 1)))
        for first in range(0, n, size):
            some = Points(*(array[first : first + size] for array in self.points))
            arguments = (self.players, some, self.n_neighbors, self.shape)
            yield Piece(_utilities, arguments, float(some.y.size))

    def begin(self) -> tuple[int, np.ndarray]:
        return 0, np.zeros(self.shape)

    def add(
        self, state: tuple[int, np.ndarray], answer: tuple[int, np.ndarray]
    ) -> tuple[int, np.ndarray]:
        return state[0] + answer[0], state[1] + answer[1] / self.points.y.size

    def make(self, state: tuple[int, np.ndarray]) -> Callable[[], np.ndarray] | None:
        return (lambda: state[1]) if state[0] == self.points.y.size else None

    def seen(self, state: tuple[int, np.ndarray]) -> str:
        return f"{state[0]:,} test points"


def _utilities(
    players: Players, points: Points, k: int, shape: tuple[int, int]
) -> tuple[int, np.ndarray]:
    out = np.zeros(shape)
    add_utilities(players, points, k, False, out)
    return points.y.size, out


# --- compiled -------------------------------------------------------------------------


@kernel_part
def _tie_classes(dist, agree, k, nearest, at, count, hits):
    """Tie classes of the k nearest rows, the last one whole; returns how many."""
    n = dist.size
    n_near = min(k, n)
    if k >= MANY:
        nearest[:n_near] = np.sort(dist)[:n_near]
    else:
        k_smallest(dist, nearest[:n_near])
    while n_near > 0 and np.isinf(nearest[n_near - 1]):  # the point itself
        n_near -= 1
    size = 0
    for p in range(n_near):
        if size == 0 or at[size - 1] != nearest[p]:
            at[size], count[size], hits[size] = nearest[p], 0, 0.0
            size += 1
    if size == 0:
        return 0
    last = at[size - 1]
    for i in range(n):
        if dist[i] <= last:
            low, high = 0, size - 1
            while low < high:
                middle = (low + high) // 2
                if at[middle] < dist[i]:
                    low = middle + 1
                else:
                    high = middle
            count[low] += 1
            hits[low] += agree[i]
    return size


@kernel
def add_utilities(players, points, k, chain, out):
    """Add every test point's utility, times its say, to those of all pairs of unions.

    `out` is float64 (2^R, 2^C), or (R + 1, C + 1) of a chain: of the first groups only.
    """
    n = players.y.size
    n_row_groups = players.row_starts.size - 1
    n_column_groups = players.column_starts.size - 1
    k_most = min(k, n)
    # level of a union: how many groups it has; 0 is the empty one
    dist = np.empty((n_column_groups + 1, n), np.float32)
    nearest = np.empty(k_most, np.float32)
    own_at = np.empty((n_row_groups, k_most), np.float32)
    own_count = np.empty((n_row_groups, k_most), np.int64)
    own_hits = np.empty((n_row_groups, k_most))
    own_size = np.zeros(n_row_groups, np.int64)
    at = np.empty((n_row_groups + 1, k_most), np.float32)
    count = np.empty((n_row_groups + 1, k_most), np.int64)
    hits = np.empty((n_row_groups + 1, k_most))
    size = np.zeros(n_row_groups + 1, np.int64)
    n_unions = max(out.shape[0], out.shape[1])
    level, lowest = np.zeros(n_unions, np.int64), np.zeros(n_unions, np.int64)
    for number in range(1, n_unions):
        if chain:
            level[number], lowest[number] = number, number - 1
        else:
            level[number] = level[number >> 1] + (number & 1)
            lowest[number] = 0 if number & 1 else lowest[number >> 1] + 1
    for t in range(points.y.size):
        agree = agreement(players.y, points.y[t])
        dist[0] = np.float32(0)
        if points.own[t] >= 0:
            dist[0, points.own[t]] = np.inf
        say = points.weight[t] / k
        for f in range(1, out.shape[1]):
            here = dist[level[f]]
            here[:] = dist[level[f] - 1]
            first = players.column_starts[lowest[f]]
            for j in range(first, players.column_starts[lowest[f] + 1]):
                add_column(
                    players.cells[j],
                    points.cells[t, j],
                    players.weight[j],
                    players.is_category[j],
                    None,
                    here,
                )
            for g in range(n_row_groups):
                a, b = players.row_starts[g], players.row_starts[g + 1]
                own_size[g] = _tie_classes(
                    here[a:b],
                    agree[a:b],
                    k_most,
                    nearest,
                    own_at[g],
                    own_count[g],
                    own_hits[g],
                )
            for s in range(1, out.shape[0]):
                g, up = lowest[s], level[s] - 1
                mine = up + 1
                # merge the parent's classes with those of the group
                i, j, found, taken, right = 0, 0, 0, 0, 0.0
                while taken < k and (i < size[up] or j < own_size[g]):
                    c, h = 0, 0.0
                    if j == own_size[g]:
                        d = at[up, i]
                    elif i == size[up]:
                        d = own_at[g, j]
                    else:
                        d = min(at[up, i], own_at[g, j])
                    if i < size[up] and at[up, i] == d:
                        c += count[up, i]
                        h += hits[up, i]
                        i += 1
                    if j < own_size[g] and own_at[g, j] == d:
                        c += own_count[g, j]
                        h += own_hits[g, j]
                        j += 1
                    at[mine, found], count[mine, found], hits[mine, found] = d, c, h
                    found += 1
                    room = k - taken
                    right += h if c <= room else h * room / c
                    taken += c
                size[mine] = found
                out[s, f] += say * right
