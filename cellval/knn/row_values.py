"""Compiled: phi, the value of every row for one test point and one subset of columns.

The 1D KNN-Shapley value with ties averaged: the Shapley value of the *expected* utility
when rows at the same distance are ordered at random. Positions count from 1; a *group*
is a set of rows at the same distance that share the positions a+1..b. With

    g(p) = 1/max(p, K)        w(p) = 0 if p <= K else 1/(p (p-1))

and C the sum over a group's L rows of their agreement s with the test point's label
(1 or 0 for classes; see `agreement`), a row is worth

    s * mean g - (C-s)/(L-1) * later - tail = miss + s * (hit - miss)
    hit  = mean g - (C-1)/(L-1) * later - tail
    miss =        -  C   /(L-1) * later - tail
    later = mean over the group's positions p of the sum of w(p+1..b)
    tail  = sum over farther groups of C'/L' * (sum of w over the group's positions)

Indices are unsigned where they can be: numba guards signed ones against -1, which costs
a third of the time in the inner loops.
"""

from typing import NamedTuple

import numpy as np

from cellval.compiled import kernel, kernel_part
from cellval.knn.agreement import (
    HALF,
    LOWER,
    ONE,
    agreed,
    as_bit,
    mix,
    note,
    noted,
    of_item,
    of_two,
    with_row,
)
from cellval.knn.sorting import (
    LEFT_OUT_BITS,
    ZERO,
    order_few,
    order_many,
    radix_sort,
)

SAMPLE = 2048  # rows looked at to guess how far the nearest `near` rows reach


class Scratch(NamedTuple):
    """Buffers for ordering n rows."""

    items: np.ndarray  # uint64 (n + 1,): distance bits << 32 | row << 1 | match
    spare: np.ndarray  # uint64 (n + 1,)
    counts: np.ndarray  # uint32 (6144,)
    group: np.ndarray  # uint32 (n + 1,): twice the group of each row
    values: np.ndarray  # float64 (2 n + 2,): of a miss and of a hit in each group
    close: np.ndarray  # float64 (n + 1,): sums of closeness up to each group
    tally: np.ndarray  # uint64 (n,): of a `Point`


class Point(NamedTuple):
    """One test point as the rows see it, and what is needed to order them."""

    at: np.ndarray  # float32 (m,): its cells
    agree: np.ndarray  # (n,): bool, or float64, of each row's label with its label
    tally: np.ndarray  # uint64 (n,): how often each row is there << 32 | as a match
    repeats: bool  # is a row there more than once
    n_rows: int  # neighbours there are, with repeats
    n_agree: float  # the sum of their agreement; of classes an int
    left_out: int  # the row that it is itself and that is no neighbour, or -1
    steps: np.ndarray  # see `make_steps`
    scratch: Scratch


def make_steps(n_rows: int, n_neighbors: int) -> np.ndarray:
    """Prefix sums of g, of w, of the prefix sums of w, and 1/p, for positions 0..n."""
    p = np.arange(1, n_rows + 1, dtype=np.float64)
    steps = np.zeros((4, n_rows + 1))
    steps[0, 1:] = np.cumsum(1.0 / np.maximum(p, n_neighbors))
    # the sum of w(1..p) telescopes
    steps[1, 1:] = np.where(p > n_neighbors, 1.0 / n_neighbors - 1.0 / p, 0.0)
    steps[2, 1:] = np.cumsum(steps[1, 1:])
    steps[3, 1:] = 1.0 / p
    return steps


def new_scratch(n):
    return Scratch(
        np.empty(n + 1, np.uint64),
        np.empty(n + 1, np.uint64),
        np.empty(6144, np.uint32),
        np.zeros(n + 1, np.uint32),
        np.empty(2 * n + 2),
        np.zeros(n + 1),
        np.empty(n, np.uint64),
    )


make_scratch = kernel(new_scratch)  # for kernels


@kernel_part
def group_values(a, b, c, tail, steps):
    """(hit, miss, tail of nearer groups) for the group at positions a+1..b."""
    size = b - a
    take = steps[1, b] - steps[1, a]
    gain = (steps[0, b] - steps[0, a]) * steps[3, size]
    # steps[3, 0] is 0, which makes `later` 0 for a row alone
    later = steps[1, b] - (steps[2, b] - steps[2, a]) * steps[3, size]
    later *= steps[3, size - ONE]
    miss = -c * later - tail
    return miss + gain + later, miss, tail + c * steps[3, size] * take


@kernel_part
def spread_group(items, p, end, b, tail, point, out):
    """Values of the group items[p:end], its last at position b; (next b, next tail)."""
    agree = point.agree
    total, close = ZERO, 0.0
    for q in range(p, end):
        row = (items[q] & LOWER) >> ONE
        number = point.tally[row] if point.repeats else ONE << HALF | items[q] & ONE
        total += number
        close = with_row(close, number, agree, row)
    a = b - (total >> HALF)
    c = agreed(total, close, agree)
    hit, miss, tail = group_values(a, b, c, tail, point.steps)
    for q in range(p, end):
        v = items[q]
        out[(v & LOWER) >> ONE] = mix(of_item(v, agree), hit, miss)
    return a, tail


@kernel_part
def spread_many(items, b, tail, point, out):
    """Values of rows in order, walking in from the farthest, which is at position b."""
    steps = point.steps
    p = np.uint64(items.size)
    end = p
    while p > ZERO:
        p -= ONE
        v = items[p]
        if p > ZERO and items[p - ONE] >> HALF == v >> HALF:
            continue
        if end - p == ONE and not point.repeats:  # most often: a row alone
            a = b - ONE
            s = np.float64(of_item(v, point.agree))
            out[(v & LOWER) >> ONE] = s * (steps[0, b] - steps[0, a]) - tail
            tail += s * (steps[1, b] - steps[1, a])
            b = a
        else:
            b, tail = spread_group(items, p, end, b, tail, point, out)
        end = p


@kernel_part
def spread_few(n, point, out):
    """Values of few sorted rows, without a branch that depends on the data."""
    # as names of their own: reaching into the tuples in the loops costs 6 %
    tally, agree, steps = point.tally, point.agree, point.steps
    items, sums, _, group, values, closes, _ = point.scratch
    g = ZERO  # groups count from 1
    sums[ZERO] = ZERO
    previous = ~ZERO
    total, close = ZERO, 0.0
    for p in range(n):
        key, row = items[p] >> HALF, items[p] & LOWER
        g += np.uint64(key != previous)
        previous = key
        total += tally[row]
        sums[g] = total
        close = with_row(close, tally[row], agree, row)
        note(closes, g, close, agree)
        group[row] = np.uint32(g + g)
    tail = 0.0
    b = total >> HALF
    q = g
    while q > ZERO:
        nearer, less = sums[q - ONE], noted(closes, q - ONE, agree)
        a = nearer >> HALF
        c = agreed(total - nearer, close - less, agree)
        hit, miss, tail = group_values(a, b, c, tail, steps)
        values[q + q] = miss
        values[q + q + ONE] = hit
        b = a
        total, close = nearer, less
        q -= ONE
    for i in range(out.size):
        out[i] = of_two(agree[i], values, group[i])


@kernel_part
def collect(bits, limit, agree, names, items):
    """Items of the rows at most as far as `limit`, and how many there are."""
    k = ZERO
    for i in range(bits.size):
        names[k] = np.uint32(i)
        k += np.uint64(bits[i] <= limit)
    for q in range(k):
        i = names[q]
        row = (np.uint64(i) << ONE) | as_bit(agree[i])
        items[q] = (np.uint64(bits[i]) << HALF) | row
    return k


@kernel_part
def reach(bits, near, counts):
    """Distance bits within which the nearest `near` rows lie, guessed from a sample."""
    for q in range(counts.size):
        counts[q] = 0
    step = max(1, bits.size // SAMPLE)
    n_sample = 0
    for i in range(0, bits.size, step):
        counts[bits[i] >> np.uint32(19)] += np.uint32(1)
        n_sample += 1
    expected = near * n_sample / bits.size
    wanted = expected + 3 * np.sqrt(expected) + 2  # three standard deviations to spare
    seen = 0
    for q in range(LEFT_OUT_BITS >> np.uint32(19)):
        seen += counts[q]
        if seen >= wanted:
            return np.uint32((q + 1) << 19) - np.uint32(1)
    return LEFT_OUT_BITS - np.uint32(1)


@kernel_part
def near_values(dist, near, point, out):
    """Values of the `near` nearest rows (and their ties); all others are one group.

    The exact value of a coarser utility, without a full sort. Writes only the near rows
    and returns their items and the values (hit, miss) of the far ones.
    """
    steps, scratch, agree = point.steps, point.scratch, point.agree
    bits = dist.view(np.uint32)
    everything = LEFT_OUT_BITS - np.uint32(1)
    limit = reach(bits, near, scratch.counts)
    wanted = np.uint64(near)
    while True:
        k = collect(bits, limit, agree, scratch.group, scratch.items)
        items = radix_sort(scratch.items[:k], scratch.spare[:k], scratch.counts)
        total, close = ZERO, 0.0
        q = ZERO
        while q < k:
            v = items[q]
            if total >> HALF >= wanted and items[q - ONE] >> HALF != v >> HALF:
                break
            row = (v & LOWER) >> ONE
            number = point.tally[row] if point.repeats else (ONE << HALF) | (v & ONE)
            total += number
            close = with_row(close, number, agree, row)
            q += ONE
        if total >> HALF >= wanted or limit == everything:
            break
        limit = everything  # the sample misled: look at all rows
    n_near, n_rows = total >> HALF, np.uint64(point.n_rows)
    hit, miss, tail = 0.0, 0.0, 0.0
    if n_near < n_rows:
        far = np.float64(point.n_agree) - agreed(total, close, agree)
        hit, miss, tail = group_values(n_near, n_rows, far, 0.0, steps)
    spread_many(items[:q], n_near, tail, point, out)
    return items[:q], hit, miss


@kernel_part
def row_values(dist, near, point, out):
    """phi: the value of every row at the distances `dist` from the test point.

    `near` is None where rows are few, and 0 where they are many and none is far. Types
    choose what is compiled: a small table does not wait for what large ones need.
    """
    scratch, bits = point.scratch, dist.view(np.uint32)
    n = bits.size - (point.left_out >= 0)  # which is farther than all others
    if near is None:
        order_few(bits, scratch.items, scratch.spare, scratch.counts)
        spread_few(n, point, out)
    elif 0 < near < point.n_rows:
        values = scratch.values
        items, hit, miss = near_values(dist, near, point, values)
        for i in range(out.size):
            out[i] = mix(point.agree[i], hit, miss)
        for q in range(items.size):
            row = (items[q] & LOWER) >> ONE
            out[row] = values[row]
    else:
        spare, counts = scratch.spare, scratch.counts
        items = order_many(bits, point.agree, scratch.items, spare, counts)
        spread_many(items[:n], np.uint64(point.n_rows), 0.0, point, out)
    if point.left_out >= 0:
        out[point.left_out] = 0.0
