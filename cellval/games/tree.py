"""Compiled: a decision tree that is grown and asked in one go, many times.

CART with the Gini impurity on the cells of `model_utility.data_of`: a number is cut
halfway between neighbouring values, a category is one against the rest. Of equally good
splits the first in the order of columns is taken (of a number the lowest cut, of a
category the most common one), where scikit-learn draws one at random; a leaf says its
commonest class, of equally common ones the first.

No tree is kept. The rows that ask for a prediction go down with the rows that train it,
and branches that nobody asks about are not grown. Numbers are sorted once for all; a
subset of the rows keeps their order, and so does each side of a split.

A *piece* is what one pass over the rows can split: a number, or the codes of a category
(the indicators of one column, at most one of which is set), or whether a number is
missing. `place` of a piece is a line of `numbers`, or -1 minus a line of `codes`.

All kernels are in this file: numba's cache notices changes of the called one's file.
A kernel has few loops, and takes no slices in them: numba then counts no references,
which took a third of the time (and more in threads, that count the same ones).
"""
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# (numba infers the kernels' types)

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cellval.compiled import kernel, kernel_part

SAME = np.float32(1e-7)  # scikit-learn, too, cuts only between numbers farther apart
UNLIMITED = 2**31 - 1


class Cells(NamedTuple):
    """A training table and the rows that can be asked about, by lines for columns."""

    numbers: np.ndarray  # float32 (n_numbers, n_rows)
    orders: np.ndarray  # uint32 (n_numbers, n_rows): rows by ascending number
    codes: np.ndarray  # uint32 (n_coded, n_rows): which indicator is set, from 1, or 0
    y: np.ndarray  # uint32 (n_rows,)
    asked_numbers: np.ndarray  # float32 (n_numbers, n_asked)
    asked_codes: np.ndarray  # uint32 (n_coded, n_asked)
    place: np.ndarray  # int64 (n_pieces,)
    first: np.ndarray  # int64 (n_columns + 1,): first piece of each column
    n_codes: np.ndarray  # int64 (n_coded + 1,): with 0; the last is the largest
    n_classes: int


class Limits(NamedTuple):
    """When a node is not split."""

    depth: int
    split: int  # rows that a node needs to be split
    leaf: int  # rows that each side needs


TO_THE_END = Limits(UNLIMITED, 2, 1)


class Node(NamedTuple):
    """A stretch of the rows that train, and one of those that ask."""

    start: int
    end: int
    asked_start: int
    asked_end: int
    depth: int


class TreeBuffers(NamedTuple):
    """Buffers. The rows of a node are a stretch of each line of `orders`, in its even
    or odd half by the depth of the node: a split copies from one to the other.
    """

    weight: np.ndarray  # int64 (n_rows,): how often a row is there
    orders: np.ndarray  # uint32 (2, n_numbers + 1, n_rows): the last one is by position
    asked: np.ndarray  # uint32 (2, 1, n_asked)
    left: np.ndarray  # uint8 (n_rows,): does a row go to the left
    asked_left: np.ndarray  # uint8 (n_asked,)
    total: np.ndarray  # int64 (n_classes,): weight of a node by class
    part: np.ndarray  # int64 (n_classes,): of one side
    counts: np.ndarray  # int64 (n_codes, n_classes)
    sizes: np.ndarray  # int64 (n_codes,)
    nodes: np.ndarray  # int64 (n_rows + 2, 5): nodes that wait


@kernel
def make_scratch(cells):
    n_numbers, n = cells.numbers.shape
    n_asked = cells.asked_numbers.shape[1]
    return TreeBuffers(
        np.empty(n, np.int64),
        np.empty((2, n_numbers + 1, n), np.uint32),
        np.empty((2, 1, n_asked), np.uint32),
        np.empty(n, np.uint8),
        np.empty(n_asked, np.uint8),
        np.empty(cells.n_classes, np.int64),
        np.empty(cells.n_classes, np.int64),
        np.zeros((cells.n_codes[-1], cells.n_classes), np.int64),
        np.zeros(cells.n_codes[-1], np.int64),
        np.empty((n + 2, 5), np.int64),
    )


@kernel_part
def best_cut(cells, line, node, smallest, scratch):
    """Gain of the best cut of a number, and how many rows are below it.

    The gain is what the impurity lacks to 1, times the rows: sums of squared counts
    by class, each divided by the rows on its side. -1 if there is no cut.
    """
    x, y, orders = cells.numbers, cells.y, scratch.orders
    weight, total, left = scratch.weight, scratch.total, scratch.part
    best, below, half = -1.0, 0, node.depth & 1
    row = orders[half, line, node.start]
    here = x[line, row]
    if not x[line, orders[half, line, node.end - 1]] > here + SAME:
        return best, below
    n_left, n_right, squares_left, squares_right = 0, 0, 0, 0
    for c in range(total.size):
        left[c] = 0
        n_right += total[c]
        squares_right += total[c] * total[c]
    for p in range(node.start + 1, node.end):
        w, c = weight[row], y[row]
        squares_left += w * (2 * left[c] + w)
        squares_right -= w * (2 * (total[c] - left[c]) - w)
        left[c] += w
        n_left += w
        n_right -= w
        before, row = here, orders[half, line, p]
        here = x[line, row]
        if here > before + SAME and n_left >= smallest and n_right >= smallest:
            gain = squares_left / n_left + squares_right / n_right
            if gain > best:
                best, below = gain, p - node.start
    return best, below


@kernel_part
def best_code(cells, line, node, smallest, scratch):
    """Gain of the best code against the rest, and the code; -1 if there is none."""
    codes, y, orders = cells.codes, cells.y, scratch.orders
    weight, total = scratch.weight, scratch.total
    counts, sizes = scratch.counts, scratch.sizes
    half, last = node.depth & 1, orders.shape[1] - 1
    n, squares = 0, 0
    for c in range(total.size):
        n += total[c]
        squares += total[c] * total[c]
    for p in range(node.start, node.end):
        row = orders[half, last, p]
        counts[codes[line, row], y[row]] += weight[row]
        sizes[codes[line, row]] += weight[row]
    # whatever is shorter: go through all codes, or through those of the rows
    n_codes = cells.n_codes[line]
    by_code = n_codes <= node.end - node.start
    best, chosen = -1.0, np.uint32(0)
    for p in range(node.start, node.start + n_codes if by_code else node.end):
        code = np.uint32(p - node.start)
        if not by_code:
            code = codes[line, orders[half, last, p]]
        n_in, squares_in, both = sizes[code], 0, 0
        if n_in == 0:
            continue
        sizes[code] = 0
        for c in range(total.size):
            count = counts[code, c]
            squares_in += count * count
            both += count * total[c]
            counts[code, c] = 0
        n_out = n - n_in
        if code == 0 or n_in < smallest or n_out < smallest:
            continue
        # the sum of (total - count)^2, multiplied out
        gain = (squares - 2 * both + squares_in) / n_out + squares_in / n_in
        if gain > best or (gain == best and code < chosen):
            best, chosen = gain, code
    return best, int(chosen)


@kernel_part
def commonest(total):
    best = 0
    for c in range(1, total.size):
        if total[c] > total[best]:
            best = c
    return best


@kernel_part
def is_leaf(total, node, limits):
    """Does a node need no split: nobody asks, or one class, or too few, or too deep."""
    n, most = 0, 0
    for c in range(total.size):
        n += total[c]
        most = max(most, total[c])
    deep = node.depth >= limits.depth
    return node.asked_start == node.asked_end or most == n or n < limits.split or deep


@kernel_part
def best_split(cells, pieces, node, limits, scratch):
    """The best piece (-1 if there is none), and the rows below its cut, or its code."""
    best, chosen, at = -1.0, -1, 0
    place = cells.place
    for piece in pieces:
        if place[piece] >= 0:
            found = best_cut(cells, place[piece], node, limits.leaf, scratch)
        else:
            found = best_code(cells, -1 - place[piece], node, limits.leaf, scratch)
        if found[0] > best:
            best, chosen, at = found[0], piece, found[1]
    return chosen, at


@kernel_part
def mark_below(cells, line, at, node, scratch):
    """Mark the rows below a cut as left, sum their classes; how many they are."""
    left, orders, part = scratch.left, scratch.orders, scratch.part
    weight, y, half = scratch.weight, cells.y, node.depth & 1
    for p in range(node.start, node.end):
        row = orders[half, line, p]
        below = p - node.start < at
        left[row] = below
        part[y[row]] += weight[row] * int(below)
    return at


@kernel_part
def mark_others(cells, line, code, node, scratch):
    """Mark the rows of other codes as left: there the indicator is 0."""
    left, orders, part = scratch.left, scratch.orders, scratch.part
    weight, y, codes = scratch.weight, cells.y, cells.codes
    half, last, n = node.depth & 1, orders.shape[1] - 1, 0
    for p in range(node.start, node.end):
        row = orders[half, last, p]
        other = codes[line, row] != code
        left[row] = other
        part[y[row]] += weight[row] * int(other)
        n += int(other)
    return n


@kernel_part
def cut_of(cells, line, at, node, orders):
    """Halfway between the neighbours of a cut."""
    x, half, p = cells.numbers, node.depth & 1, node.start + at
    below = np.float64(x[line, orders[half, line, p - 1]])
    above = np.float64(x[line, orders[half, line, p]])
    cut = below / 2.0 + above / 2.0
    return cut if cut < above else below  # of infinite numbers


@kernel_part
def asked_below(cells, line, cut, node, scratch):
    asked, left, x = scratch.asked, scratch.asked_left, cells.asked_numbers
    half, n = node.depth & 1, 0
    for p in range(node.asked_start, node.asked_end):
        row = asked[half, 0, p]
        below = x[line, row] <= cut
        left[row] = below
        n += int(below)
    return n


@kernel_part
def asked_others(cells, line, code, node, scratch):
    asked, left, codes = scratch.asked, scratch.asked_left, cells.asked_codes
    half, n = node.depth & 1, 0
    for p in range(node.asked_start, node.asked_end):
        row = asked[half, 0, p]
        other = codes[line, row] != code
        left[row] = other
        n += int(other)
    return n


@kernel_part
def part_line(orders, line, half, start, end, middle, left):
    """Copy a stretch to the other half: left ones first, each side in its order."""
    other, front, back = 1 - half, start, middle
    for p in range(start, end):
        row = orders[half, line, p]
        goes = int(left[row])
        orders[other, line, front if goes else back] = row
        front += goes
        back += 1 - goes


@kernel_part
def part_rows(cells, pieces, node, middle, scratch):
    place, orders, left = cells.place, scratch.orders, scratch.left
    half, last = node.depth & 1, orders.shape[1] - 1
    part_line(orders, last, half, node.start, node.end, middle, left)
    for piece in pieces:
        if place[piece] >= 0:
            line = place[piece]
            part_line(orders, line, half, node.start, node.end, middle, left)


@kernel_part
def answer(node, total, asked, said):
    best, half = commonest(total), node.depth & 1
    for p in range(node.asked_start, node.asked_end):
        said[asked[half, 0, p]] = best


@kernel_part
def wait(nodes, n_nodes, node):
    nodes[n_nodes, 0], nodes[n_nodes, 1] = node.start, node.end
    nodes[n_nodes, 2], nodes[n_nodes, 3] = node.asked_start, node.asked_end
    nodes[n_nodes, 4] = node.depth
    return n_nodes + 1


@kernel_part
def sum_classes(cells, node, scratch):
    orders, weight, total, y = scratch.orders, scratch.weight, scratch.total, cells.y
    half, last = node.depth & 1, orders.shape[1] - 1
    total[:] = 0
    for p in range(node.start, node.end):
        row = orders[half, last, p]
        total[y[row]] += weight[row]


@kernel_part
def part_node(cells, place, at, node, scratch):
    """Where the right side begins: among the rows, and among those who ask."""
    scratch.part[:] = 0
    if place >= 0:
        cut = cut_of(cells, place, at, node, scratch.orders)
        n_left = mark_below(cells, place, at, node, scratch)
        n_asked = asked_below(cells, place, cut, node, scratch)
    else:
        n_left = mark_others(cells, -1 - place, at, node, scratch)
        n_asked = asked_others(cells, -1 - place, at, node, scratch)
    return node.start + n_left, node.asked_start + n_asked


@kernel_part
def grow(cells, pieces, n_rows, n_asked, limits, scratch, said):
    """Split the first `n_rows` rows until all who ask have an answer."""
    s = scratch
    n_nodes = wait(s.nodes, 0, Node(0, n_rows, 0, n_asked, 0))
    while n_nodes:
        n_nodes -= 1
        of = s.nodes[n_nodes]
        node = Node(of[0], of[1], of[2], of[3], of[4])
        sum_classes(cells, node, s)
        piece, at = -1, 0
        # only the first node has not been looked at by the one above it
        if node.depth > 0 or not is_leaf(s.total, node, limits):
            piece, at = best_split(cells, pieces, node, limits, s)
        if piece < 0:
            answer(node, s.total, s.asked, said)
            continue
        middle, asked = part_node(cells, cells.place[piece], at, node, s)
        first, last = node.asked_start, node.asked_end
        part_line(s.asked, 0, node.depth & 1, first, last, asked, s.asked_left)
        left = Node(node.start, middle, first, asked, node.depth + 1)
        right = Node(middle, node.end, asked, last, node.depth + 1)
        left_ends = is_leaf(s.part, left, limits)
        if left_ends:
            answer(left, s.part, s.asked, said)
        for c in range(s.total.size):
            s.part[c] = s.total[c] - s.part[c]
        right_ends = is_leaf(s.part, right, limits)
        if right_ends:
            answer(right, s.part, s.asked, said)
        if left_ends and right_ends:
            continue
        part_rows(cells, pieces, node, middle, s)
        if not left_ends:
            n_nodes = wait(s.nodes, n_nodes, left)
        if not right_ends:
            n_nodes = wait(s.nodes, n_nodes, right)


@kernel_part
def count_rows(rows, scratch):
    """How often each row is there."""
    scratch.weight[:] = 0
    for row in rows:
        scratch.weight[row] += 1


@kernel_part
def list_rows(cells, pieces, scratch):
    """List the rows that are there, and by each number; how many they are."""
    weight, orders = scratch.weight, scratch.orders
    n_rows, last = 0, orders.shape[1] - 1
    for row in range(weight.size):
        orders[0, last, n_rows] = row
        n_rows += int(weight[row] > 0)
    for piece in pieces:
        line = cells.place[piece]
        if line < 0:
            continue
        n = 0
        for p in range(weight.size):
            row = cells.orders[line, p]
            orders[0, line, n] = row
            n += int(weight[row] > 0)
            if n == n_rows:
                break
    return n_rows


@kernel_part
def pieces_of(cells, columns):
    n = 0
    for j in columns:
        n += cells.first[j + 1] - cells.first[j]
    pieces = np.empty(n, np.int64)
    n = 0
    for j in columns:
        for piece in range(cells.first[j], cells.first[j + 1]):
            pieces[n] = piece
            n += 1
    return pieces


@kernel
def predict(cells, rows, columns, asked, limits, said):
    scratch = make_scratch(cells)
    for i in range(asked.size):
        scratch.asked[0, 0, i] = asked[i]
    count_rows(rows, scratch)
    pieces = pieces_of(cells, columns)
    n_rows = list_rows(cells, pieces, scratch)
    grow(cells, pieces, n_rows, asked.size, limits, scratch, said)


@kernel
def predict_line(cells, rows, columns, wanted, limits, truth, right):
    """right[f]: right answers of the tree that sees the first f columns, if wanted."""
    scratch = make_scratch(cells)
    said = np.empty(truth.size, np.int64)
    count_rows(rows, scratch)
    for f in range(1, columns.size + 1):
        if not wanted[f]:
            continue
        for i in range(truth.size):
            scratch.asked[0, 0, i] = i
        pieces = pieces_of(cells, np.sort(columns[:f]))
        n_rows = list_rows(cells, pieces, scratch)
        grow(cells, pieces, n_rows, truth.size, limits, scratch, said)
        right[f] = 0
        for i in range(truth.size):
            right[f] += int(said[i] == truth[i])


@dataclass(frozen=True, eq=False)
class Trees:
    """Trees of any rows and columns of a training table, asked about other rows."""

    cells: Cells
    limits: Limits = TO_THE_END

    @classmethod
    def of(
        cls,
        train: np.ndarray,
        asked: np.ndarray,
        features: list[np.ndarray],
        is_number: list[bool],
        y: np.ndarray,
        limits: Limits = TO_THE_END,
    ) -> "Trees":
        """From matrices of shape (n_rows, n_features) and (n_asked, n_features).

        The `features` of each column are of a number itself and perhaps whether it is
        missing, of a category its indicators.
        """
        numbers: list[int] = []
        codes: list[np.ndarray] = []
        place, first = [], [0]
        for own, number in zip(features, is_number, strict=True):
            if number:
                place.append(len(numbers))
                numbers.append(int(own[0]))
            if own[number:].size:
                place.append(-1 - len(codes))
                codes.append(own[number:])
            first.append(len(place))
        n_codes = [own.size + 1 for own in codes]
        lines = np.ascontiguousarray(train[:, numbers].T, np.float32)
        cells = Cells(
            lines,
            np.argsort(lines, axis=1, kind="stable").astype(np.uint32),
            _code_lines(train, codes),
            np.ascontiguousarray(y, np.uint32),
            np.ascontiguousarray(asked[:, numbers].T, np.float32),
            _code_lines(asked, codes),
            np.array(place, np.int64),
            np.array(first, np.int64),
            np.array([*n_codes, max(n_codes, default=0)], np.int64),
            int(y.max(initial=0)) + 1,
        )
        return cls(cells, limits)

    def predict(
        self, rows: np.ndarray, columns: np.ndarray, asked: np.ndarray | None = None
    ) -> np.ndarray:
        """Classes of the rows asked about (all), of a tree of these rows and columns.

        Rows may repeat: then they count as often.
        """
        n_asked = self.cells.asked_numbers.shape[1]
        said = np.zeros(n_asked, np.int64)
        if asked is None:
            asked = np.arange(n_asked)
        parts = (_positions(rows), _positions(columns), _positions(asked))
        predict(self.cells, *parts, self.limits, said)
        return said[asked]

    def accuracies(
        self,
        rows: np.ndarray,
        columns: np.ndarray,
        truth: np.ndarray,
        wanted: np.ndarray,
    ) -> np.ndarray:
        """Share of right answers through the first f columns; 0 where not wanted.

        The first is not wanted: no columns, no tree.
        """
        right = np.zeros(len(columns) + 1, np.int64)
        parts = (_positions(rows), _positions(columns), wanted)
        predict_line(self.cells, *parts, self.limits, _positions(truth), right)
        return np.asarray(right / truth.size)


def _positions(where: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(where, np.int64)


def _code_lines(cells: np.ndarray, codes: list[np.ndarray]) -> np.ndarray:
    """Which of the indicators is set, from 1, or 0: of shape (n_coded, n_rows)."""
    lines = np.zeros((len(codes), cells.shape[0]), np.uint32)
    for line, own in zip(lines, codes, strict=True):
        there = cells[:, own] > 0.5
        line[:] = np.where(there.any(axis=1), there.argmax(axis=1) + 1, 0)
    return lines
