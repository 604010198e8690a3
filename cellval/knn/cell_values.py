"""Compiled: psi, the value of every cell for a batch of test points.

phi(., F) is the vector payoff of an m-player game whose players are the columns, and a
cell's value is its column's Shapley value in it:

    psi[i, j] = sum over F without j of w(|F|, m) * (phi(i, F + j) - phi(i, F))
    w(s, m)   = s! (m-s-1)! / m!

so that sum_j psi[i, j] = phi(i, M) - phi(i, {}). One phi serves all rows. Other weights
(see `cellval.weights`) are w(s, m) times `factors[s]`; then the sum is another.
`all_subsets` sums over every F; `permutations` samples orders of the columns, each with
its reverse. Distances grow only by adding a column to all rows alike, so rounding never
splits a tie.

Letters: i, n rows; j, m columns; t test points; F a subset of columns, M all of them.
"""

from typing import NamedTuple

import numpy as np

from cellval.compiled import kernel, kernel_part
from cellval.knn.agreement import (
    HALF,
    LOWER,
    ONE,
    agreed,
    agreement,
    as_bit,
    mix,
    of_item,
    with_row,
)
from cellval.knn.distance import add_column
from cellval.knn.row_values import (
    Point,
    Scratch,
    group_values,
    make_scratch,
    near_values,
    new_scratch,
    row_values,
)
from cellval.knn.sorting import LEFT_OUT, ZERO

SHAPLEY = np.empty(0)  # no factors


class Rows(NamedTuple):
    """The rows that are valued, ready for distances (see `cellval.table.encoding`)."""

    cells: np.ndarray  # float32 (m, n): numbers, or codes of categories; NaN: missing
    weight: np.ndarray  # float32 (m,): factor of a squared difference, or of "differs"
    is_category: np.ndarray  # bool (m,)
    y: np.ndarray  # (n,): int32 classes, or float64 numbers in units of the width
    copies: np.ndarray  # int64 (n,): how often each row is there; empty: once each
    factors: np.ndarray = SHAPLEY  # float64 (m,): by columns before it, a column's say


class Queries(NamedTuple):
    """A batch of test points."""

    cells: np.ndarray  # float32 (n_tests, m)
    y: np.ndarray  # (n_tests,): likewise
    own: np.ndarray  # int64 (n_tests,): the row that each is, or -1
    times: np.ndarray  # int64 (n_tests,): how often each stands in the test set
    weight: np.ndarray  # float64 (n_tests,): its say in the score


class Sums(NamedTuple):
    """Sums over test points of each quantity and of its square."""

    cells: np.ndarray  # (m, n), float32 or float64
    cells_squared: np.ndarray
    rows: np.ndarray  # float64 (n,)
    rows_squared: np.ndarray
    columns: np.ndarray  # float64 (m,)
    columns_squared: np.ndarray


def make_sums(n_rows: int, n_columns: int, dtype: type = np.float64) -> Sums:
    return Sums(
        np.zeros((n_columns, n_rows), dtype),
        np.zeros((n_columns, n_rows), dtype),
        np.zeros(n_rows),
        np.zeros(n_rows),
        np.zeros(n_columns),
        np.zeros(n_columns),
    )


@kernel_part
def no_columns(n_rows, n_agree, chance, steps):
    """(hit, miss) of phi(., {}): 0, or by chance the values of all rows tied."""
    if not chance or n_rows == 0:
        return 0.0, 0.0
    hit, miss, _ = group_values(ZERO, np.uint64(n_rows), n_agree, 0.0, steps)
    return hit, miss


@kernel_part
def meet(rows, tests, t, chance, steps, scratch, empty):
    """The test point as the rows see it; `empty` = phi(., {}): 0, or all rows tied."""
    agree = agreement(rows.y, tests.y[t])
    left_out = tests.own[t]
    tally = scratch.tally
    for i in range(agree.size):
        tally[i] = rows.copies[i] if rows.copies.size else 1
    if left_out >= 0:
        tally[left_out] -= ONE
        if tally[left_out] > 0:
            left_out = -1  # a twin of the test point stays
    total, close = ZERO, 0.0
    for i in range(agree.size):
        tally[i] = (tally[i] << HALF) | (tally[i] * as_bit(agree[i]))
        total += tally[i]
        close = with_row(close, tally[i], agree, i)
    n_rows = np.int64(total >> HALF)
    n_agree = agreed(total, close, agree)
    hit, miss = no_columns(n_rows, n_agree, chance, steps)
    for i in range(empty.size):
        empty[i] = mix(agree[i], hit, miss)
    if left_out >= 0 and empty.size > 0:
        empty[left_out] = 0.0
    at, repeats = tests.cells[t], rows.copies.size > 0
    return Point(at, agree, tally, repeats, n_rows, n_agree, left_out, steps, scratch)


@kernel_part
def start(left_out, dist):
    """Distances through no column: 0, but for a row that is left out."""
    for i in range(dist.size):
        dist[i] = 0
    if left_out >= 0:
        dist[left_out] = LEFT_OUT


@kernel_part
def n_times(x, count):
    """Sum of x, each as often as its row is there.

    Four sums side by side take a third of the time of one, and their order is the same
    on all machines.
    """
    whole = x.size - x.size % 4
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    if count.size:
        for i in range(0, whole, 4):
            a += count[i] * x[i]
            b += count[i + 1] * x[i + 1]
            c += count[i + 2] * x[i + 2]
            d += count[i + 3] * x[i + 3]
        for i in range(whole, x.size):
            a += count[i] * x[i]
    else:
        for i in range(0, whole, 4):
            a += x[i]
            b += x[i + 1]
            c += x[i + 2]
            d += x[i + 3]
        for i in range(whole, x.size):
            a += x[i]
    return (a + b) + (c + d)


@kernel_part
def tally_column(psi, agree, scale, on_hit, on_miss, times, cells, squares):
    """Add v = scale * psi + what is between on_hit and on_miss, and its square."""
    number = cells.dtype.type
    scale, times = number(scale), number(times)
    on_hit, on_miss = number(on_hit), number(on_miss)
    for i in range(psi.size):
        v = scale * psi[i] + mix(agree[i], on_hit, on_miss)
        cells[i] += times * v
        squares[i] += times * v * v


@kernel_part
def tally(psi, offset, scale, row, seen, copies, tests, t, sums):
    """Add what test point t says to the sums: scale * (psi + offset[j]).

    `row` is what its cells sum to; `seen` is agreement and its sum, and the number of
    rows.
    """
    agree, n_agree, n_rows = seen
    m, n = psi.shape
    times = np.float64(tests.times[t])
    own = tests.own[t]
    weight = tests.weight[t]
    scale *= weight
    for j in range(m):
        on_hit, on_miss = scale * offset[j, 1], scale * offset[j, 0]
        tally_column(
            psi[j],
            agree,
            scale,
            on_hit,
            on_miss,
            times,
            sums.cells[j],
            sums.cells_squared[j],
        )
        column = n_times(psi[j], copies) * scale
        column += n_agree * on_hit + (n_rows - n_agree) * on_miss
        if own >= 0:  # of `times` equal points that are rows, each is silent on itself
            column -= scale * psi[j, own]
            v = scale * psi[j, own] + mix(agree[own], on_hit, on_miss)
            sums.cells[j, own] -= v
            sums.cells_squared[j, own] -= v * v
        sums.columns[j] += times * column
        sums.columns_squared[j] += times * column * column
    for i in range(n):
        v = weight * row[i]
        sums.rows[i] += times * v
        sums.rows_squared[i] += times * v * v
    if own >= 0:
        v = weight * row[own]
        sums.rows[own] -= v
        sums.rows_squared[own] -= v * v


@kernel_part
def add_one(rows, at, j, dist):
    """Add the distance in column j."""
    weight, is_category = rows.weight[j], rows.is_category[j]
    add_column(rows.cells[j], at[j], weight, is_category, None, dist)


def new_weights(m, factors):
    """w(s, m) = s! (m-s-1)! / m! times its factor for s = 0..m-1, and 0 for s = m."""
    weights = np.zeros(m + 1)
    w = 1.0 / m
    for s in range(m):
        if s > 0:
            w = w * s / (m - s)
        weights[s] = w * factors[s] if factors.size else w
    return weights


subset_weights = kernel(new_weights)  # for kernels


class Room(NamedTuple):
    """What `all_subsets` writes to. Python makes it: compiling what does would keep the
    first values waiting. Of few arrays, because each is compiled into every call.
    """

    scratch: Scratch
    weights: np.ndarray  # (m + 1,): see `subset_weights`
    path: np.ndarray  # int64 (m + 1,)
    no_offset: np.ndarray  # (m, 2): 0
    distances: np.ndarray  # float32 (2 m + 1, n)
    values: np.ndarray  # (2 m + 6, n): of cells, of a path, of rows


def make_room(rows: Rows) -> Room:
    m, n = rows.cells.shape
    return Room(
        new_scratch(n),
        new_weights(m, rows.factors),
        np.empty(m + 1, np.int64),
        np.zeros((m, 2)),
        np.empty((2 * m + 1, n), np.float32),
        np.zeros((2 * m + 6, n)),
    )


@kernel_part
def walk_subsets(apart, near, weights, point, stop, buffers, psi, whole, without):
    """psi[j] = sum over subsets F with j of c(|F|) phi(F), depth first; whole = phi(M).

    A subtree of the walk holds the subsets that share its path, so every column on the
    path gets the subtree's total (`below`) once. Adds w(|F|, m) phi(F) to `without`
    unless that is empty.
    """
    path, dist, below, phi = buffers
    m, n = apart.shape
    depth = 0
    j = 0
    while not stop[0]:
        if j < m:  # down: add column j
            for i in range(n):
                dist[depth + 1, i] = dist[depth, i] + apart[j, i]
            depth += 1
            path[depth] = j
            row_values(dist[depth], near, point, phi)
            c = weights[depth - 1] + weights[depth]
            for i in range(n):
                below[depth, i] = c * phi[i]
            for i in range(without.size):
                without[i] += weights[depth] * phi[i]
            if depth == m:
                for i in range(n):
                    whole[i] = phi[i]
            j += 1
        elif depth > 0:  # up: this subtree is done
            j = path[depth]
            for i in range(n):
                psi[j, i] += below[depth, i]
                below[depth - 1, i] += below[depth, i]
            depth -= 1
            j += 1
        else:
            break


@kernel_part
def settle(psi, times, row, rest):
    """Spread evenly over a row's cells what they miss to sum to times * row."""
    m, n = psi.shape
    for i in range(n):
        rest[i] = times * row[i]
    for j in range(m):
        for i in range(n):
            rest[i] -= psi[j, i]
    for j in range(m):
        for i in range(n):
            psi[j, i] += rest[i] / m


@kernel_part
def add_up(psi, offset, scale, agree, row):
    """row = what its cells, scale * (psi + offset[j]), sum to."""
    m, n = psi.shape
    on_hit, on_miss = 0.0, 0.0
    for j in range(m):
        on_hit += offset[j, 1]
        on_miss += offset[j, 0]
    on_hit *= scale
    on_miss *= scale
    for i in range(n):
        row[i] = mix(agree[i], on_hit, on_miss)
    for j in range(m):
        for i in range(n):
            row[i] += scale * psi[j, i]


@kernel
def all_subsets(rows, tests, near, chance, steps, stop, room, sums):
    """Exact values: every subset F once.

    With c(f) = w(f-1, m) + w(f, m) the sum over F splits into what the subsets with j
    give, and what a row is worth without regard to j:

        psi[j] = sum over F with j of c(|F|) phi(F) - sum over all F of w(|F|, m) phi(F)

    With Shapley's weights the latter follows from sum_j psi[j] = phi(M) - phi({}).
    """
    m, n = rows.cells.shape
    scratch, weights, path, no_offset, distances, values = room
    apart, dist = distances[:m], distances[m:]
    psi, below = values[:m], values[m : 2 * m + 1]
    one = 2 * m + 1  # line of a number for each row
    phi, whole, empty = values[one], values[one + 1], values[one + 2]
    rest, without = values[one + 3], values[one + 4]
    without = without[: n if rows.factors.size else 0]
    for t in range(tests.y.size):
        if stop[0]:
            break
        point = meet(rows, tests, t, chance, steps, scratch, empty)
        start(point.left_out, dist[0])
        for j in range(m):
            for i in range(n):
                apart[j, i] = 0
                psi[j, i] = 0
            add_one(rows, point.at, j, apart[j])
        for i in range(without.size):
            without[i] = weights[0] * empty[i]
        buffers = path, dist, below, phi
        walk_subsets(apart, near, weights, point, stop, buffers, psi, whole, without)
        if rows.factors.size:
            for j in range(m):
                for i in range(n):
                    psi[j, i] -= without[i]
            add_up(psi, no_offset, 1.0, point.agree, whole)
        else:
            for i in range(n):
                whole[i] -= empty[i]
            settle(psi, 1.0, whole, rest)
        seen = point.agree, point.n_agree, point.n_rows
        tally(psi, no_offset, 1.0, whole, seen, rows.copies, tests, t, sums)


@kernel_part
def whole_set(rows, near, point, out):
    """out = phi(M), all columns seen."""
    dist = np.empty(rows.y.size, np.float32)
    start(point.left_out, dist)
    for j in range(point.at.size):
        add_one(rows, point.at, j, dist)
    row_values(dist, near, point, out)


@kernel
def whole_rows(rows, tests, near, steps, sums):
    """The 1D values of rows alone: one subset, all columns, per test point."""
    n = rows.y.size
    empty, phi = np.empty(n), np.empty(n)
    scratch = make_scratch(n)
    for t in range(tests.y.size):
        point = meet(rows, tests, t, False, steps, scratch, empty)
        whole_set(rows, near, point, phi)
        for i in range(n):
            v = tests.weight[t] * phi[i]
            sums.rows[i] += v
            sums.rows_squared[i] += v * v


@kernel_part
def add_difference(psi, phi, previous, factors, p):
    """Add what the column at position p changes."""
    factor = psi.dtype.type(factors[p] if factors.size else 1.0)
    for i in range(psi.size):
        psi[i] += factor * (phi[i] - previous[i])


@kernel_part
def walk_order(rows, order, near, point, empty, whole, known, psi):
    """psi[j] += phi(F + j) - phi(F) along the prefixes F of one order of columns.

    The last prefix is the same for all orders: `whole` is filled unless `known`.
    """
    m, n = psi.shape
    dist = np.empty(n, np.float32)
    start(point.left_out, dist)
    phi, previous = np.empty(n, psi.dtype), empty.copy()
    for p in range(m - known):
        j = order[p]
        add_one(rows, point.at, j, dist)
        row_values(dist, near, point, phi)
        add_difference(psi[j], phi, previous, rows.factors, p)
        phi, previous = previous, phi
    if known:
        add_difference(psi[order[m - 1]], whole, previous, rows.factors, m - 1)
    else:
        for i in range(n):
            whole[i] = previous[i]


@kernel_part
def walk_middle(rows, order, near, point, firsts, lasts, psi):
    """The same for the positions between the first and the last."""
    m, n = psi.shape
    dist = np.empty(n, np.float32)
    start(point.left_out, dist)
    add_one(rows, point.at, order[0], dist)
    phi, previous = np.empty(n), firsts[order[0]].copy()
    for p in range(1, m - 2):
        j = order[p]
        add_one(rows, point.at, j, dist)
        row_values(dist, near, point, phi)
        add_difference(psi[j], phi, previous, rows.factors, p)
        phi, previous = previous, phi
    last = lasts[order[m - 1]]
    add_difference(psi[order[m - 2]], last, previous, rows.factors, m - 2)


@kernel_part
def exact_ends(rows, near, point, firsts, lasts):
    """phi of every single column, and of every set that lacks a single column."""
    m, n = rows.cells.shape
    after = np.empty((m + 1, n), np.float32)  # distance through the columns from j on
    before = np.empty(n, np.float32)
    dist = np.empty(n, np.float32)
    start(point.left_out, after[m])
    for j in range(m - 1, -1, -1):
        for i in range(n):
            after[j, i] = after[j + 1, i]
        add_one(rows, point.at, j, after[j])
    start(point.left_out, before)
    for j in range(m):
        start(point.left_out, dist)
        add_one(rows, point.at, j, dist)
        row_values(dist, near, point, firsts[j])
        for i in range(n):
            dist[i] = before[i] + after[j + 1, i]
        row_values(dist, near, point, lasts[j])
        add_one(rows, point.at, j, before)


@kernel
def permutations(rows, tests, orders, near, chance, steps, stop, sums):
    """Sampled values: each test point goes through its own orders and their reverses.

    `orders` is int64 (n_tests, n_pairs, m).
    """
    m, n = rows.cells.shape
    n_pairs = orders.shape[1]
    scratch = make_scratch(n)
    number = sums.cells.dtype
    whole, empty = np.empty(n, number), np.empty(n, number)
    no_offset = np.zeros((m, 2))
    for t in range(tests.y.size):
        if stop[0]:
            break
        point = meet(rows, tests, t, chance, steps, scratch, empty)
        psi = np.zeros((m, n), sums.cells.dtype)
        for k in range(2 * n_pairs):
            order = orders[t, k // 2, :: 1 if k % 2 else -1]
            walk_order(rows, order, near, point, empty, whole, k > 0, psi)
        scale = 0.5 / n_pairs
        for i in range(n):
            whole[i] -= empty[i]
        if rows.factors.size:
            add_up(psi, no_offset, scale, point.agree, whole)
        seen = point.agree, point.n_agree, point.n_rows
        tally(psi, no_offset, scale, whole, seen, rows.copies, tests, t, sums)


@kernel
def permutations_with_ends(rows, tests, orders, near, chance, steps, stop, sums):
    """The same with the first and last positions, which vary most, averaged exactly.

    Orders serve only the positions between; what then misses to the row's value, where
    that is known, is spread evenly over its cells. Needs m >= 3.
    """
    m, n = rows.cells.shape
    n_orders = 2 * orders.shape[1]
    scratch = make_scratch(n)
    whole, empty, rest = np.empty(n), np.empty(n), np.empty(n)
    no_offset = np.zeros((m, 2))
    firsts, lasts = np.empty((m, n)), np.empty((m, n))
    on_first, on_last = n_orders / m, n_orders / m
    if rows.factors.size:
        on_first *= rows.factors[0]
        on_last *= rows.factors[m - 1]
    for t in range(tests.y.size):
        if stop[0]:
            break
        point = meet(rows, tests, t, chance, steps, scratch, empty)
        whole_set(rows, near, point, whole)
        exact_ends(rows, near, point, firsts, lasts)
        psi = np.empty((m, n))
        for j in range(m):
            for i in range(n):
                psi[j, i] = on_first * (firsts[j, i] - empty[i])
                psi[j, i] += on_last * (whole[i] - lasts[j, i])
        for k in range(n_orders):
            order = orders[t, k // 2, :: 1 if k % 2 else -1]
            walk_middle(rows, order, near, point, firsts, lasts, psi)
        scale = 1.0 / n_orders
        if rows.factors.size:
            add_up(psi, no_offset, scale, point.agree, whole)
        else:
            for i in range(n):
                whole[i] -= empty[i]
            settle(psi, n_orders, whole, rest)
        seen = point.agree, point.n_agree, point.n_rows
        tally(psi, no_offset, scale, whole, seen, rows.copies, tests, t, sums)


@kernel_part
def near_step(dist, near, point, rows_near, gaps):
    """Far values (miss, hit), and by how much the k near rows differ from them."""
    items, hit, miss = near_values(dist, near, point, point.scratch.values)
    for q in range(items.size):
        row = (items[q] & LOWER) >> ONE
        rows_near[q] = row
        gaps[q] = point.scratch.values[row] - mix(
            of_item(items[q], point.agree), hit, miss
        )
    return items.size, miss, hit


@kernel_part
def walk_order_near(rows, order, near, point, first, buffers, whole, psi, offset):
    """`walk_order` in the near field: far rows cost nothing but their two constants.

    The value of row i is psi[j, i] + what its agreement makes of offset[j], which holds
    (miss, hit); `first` is the same of no columns. Fills `whole` = phi(M).
    """
    m, n = psi.shape
    dist, near_rows, gaps = buffers
    start(point.left_out, dist)
    k, miss, hit = 0, first[0], first[1]
    for p in range(m):
        j = order[p]
        factor = rows.factors[p] if rows.factors.size else 1.0
        add_one(rows, point.at, j, dist)
        offset[j, 0] -= factor * miss
        offset[j, 1] -= factor * hit
        for q in range(k):
            psi[j, near_rows[q]] -= factor * gaps[q]
        k, miss, hit = near_step(dist, near, point, near_rows, gaps)
        offset[j, 0] += factor * miss
        offset[j, 1] += factor * hit
        for q in range(k):
            psi[j, near_rows[q]] += factor * gaps[q]
    for i in range(n):
        whole[i] = mix(point.agree[i], hit, miss)
    for q in range(k):
        whole[near_rows[q]] += gaps[q]
    if point.left_out >= 0:
        whole[point.left_out] = 0.0


@kernel
def permutations_near(rows, tests, orders, near, chance, steps, stop, sums):
    """`permutations` in the near field, for many rows."""
    m, n = rows.cells.shape
    n_pairs = orders.shape[1]
    scratch = make_scratch(n)
    # once: a Dask worker gives memory back at once, and gets other pages for the next
    whole, empty = np.empty(n), np.empty(n)
    psi = np.empty((m, n), sums.cells.dtype)
    buffers = np.empty(n, np.float32), np.empty(n, np.uint32), np.empty(n)
    for t in range(tests.y.size):
        if stop[0]:
            break
        point = meet(rows, tests, t, chance, steps, scratch, empty)
        psi[:] = 0
        hit, miss = no_columns(point.n_rows, point.n_agree, chance, steps)
        first = np.array([miss, hit])
        offset = np.zeros((m, 2))
        for k in range(2 * n_pairs):
            order = orders[t, k // 2, :: 1 if k % 2 else -1]
            fixed = near, point, first, buffers
            walk_order_near(rows, order, *fixed, whole, psi, offset)
        scale = 0.5 / n_pairs
        for i in range(n):
            whole[i] -= empty[i]
        if rows.factors.size:
            add_up(psi, offset, scale, point.agree, whole)
        seen = point.agree, point.n_agree, point.n_rows
        tally(psi, offset, scale, whole, seen, rows.copies, tests, t, sums)
