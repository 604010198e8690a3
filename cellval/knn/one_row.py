"""Compiled: the value of one row, and of its cells, for several contents of it.

The other rows are ordered around a test point once, without the row in question; each
content of it then finds its place among them. With the row in place, positions run to
n + 1 and

    phi = hit or miss of its group - tail        (see `row_values`)

needs only the groups that are farther, which are the same for all contents. Where only
the difference of two contents is wanted (`relative`), what lies beyond both cancels:
rows between them are ordered, and none at all if only the label differs.

The contents are the last k rows of `Rows`, there 0 times; the n others come first.
"""

import numpy as np

from cellval.compiled import kernel, kernel_part
from cellval.knn.agreement import (
    HALF,
    LOWER,
    ONE,
    agreed,
    as_bit,
    mix,
    with_row,
)
from cellval.knn.cell_values import (
    add_one,
    meet,
    no_columns,
    start,
    subset_weights,
)
from cellval.knn.row_values import Point, group_values, make_scratch, row_values
from cellval.knn.sorting import (
    LEFT_OUT_BITS,
    ZERO,
    insertion_sort,
    radix_sort,
)

MOVES = 40  # of a row by insertion, from which a full radix sort is faster


@kernel_part
def place(dist, n, relative, near, point, phi):
    """phi: the value of each content in its place among the n rows.

    `relative`: up to a number that is the same for all contents. `near` is 0 for all.
    """
    if 0 < near < point.n_rows + 1:
        place_near(dist, n, near, point, phi)
    else:
        place_exactly(dist, n, relative, point, phi)


@kernel_part
def order_between(bits, nearest, farthest, scratch):
    """Rows from one distance to another in order, as items: distance << 32 | row.

    Buckets of distance, finished by insertion: 32 to 256 an octave over the ten octaves
    around the typical distance.
    """
    names, items, counts = scratch.group, scratch.items, scratch.counts
    k = ZERO
    for i in range(bits.size):
        names[k] = np.uint32(i)
        k += np.uint64(nearest <= bits[i] <= farthest)
    logs, n_apart = ZERO, ONE
    for i in range(k):
        b = bits[names[i]]
        logs += np.uint64(b)  # the bits of a float grow as its logarithm
        n_apart += np.uint64(b > np.uint32(0))
    typical = np.uint32(logs // n_apart)
    low = max(typical - min(typical, np.uint32(5 << 23)), nearest)
    fine = np.uint32(18) if k < 500 else np.uint32(16) if k < 5000 else np.uint32(15)
    last = (min(farthest, low + np.uint32(10 << 23)) - low) >> fine
    counts[: last + 1] = 0
    for i in range(k):
        b = bits[names[i]]
        counts[min((max(b, low) - low) >> fine, last)] += np.uint32(1)
    first = np.uint32(0)
    for q in range(last + 1):
        c = counts[q]
        counts[q] = first
        first += c
    for i in range(k):
        row = names[i]
        b = bits[row]
        q = min((max(b, low) - low) >> fine, last)
        items[counts[q]] = (np.uint64(b) << HALF) | np.uint64(row)
        counts[q] += np.uint32(1)
    if insertion_sort(items, k, MOVES * k):
        return items[:k]
    return radix_sort(items[:k], scratch.spare[:k], counts)


@kernel_part
def place_exactly(dist, n, relative, point, phi):
    bits = dist.view(np.uint32)[:n]
    mine = dist.view(np.uint32)[n:]
    nearest, farthest = mine.min(), LEFT_OUT_BITS - np.uint32(1)
    b = np.uint64(point.n_rows + 1)
    if relative:
        farthest = mine.max()
        agree = point.agree[n:]
        if nearest == farthest and agree.min() == agree.max():
            phi[:] = 0.0
            return
        for i in range(n):
            b -= (point.tally[i] >> HALF) if bits[i] > farthest else ZERO
    items = order_between(bits, nearest, farthest, point.scratch)
    p = np.uint64(items.size)
    tail = 0.0
    phi[:] = np.nan
    for _ in range(phi.size):
        q = -1  # the farthest content that has no value yet
        for other in range(phi.size):
            if np.isnan(phi[other]) and (q < 0 or mine[other] > mine[q]):
                q = other
        at = np.uint64(mine[q])
        while p > ZERO and items[p - ONE] >> HALF > at:  # a farther group
            key = items[p - ONE] >> HALF
            total, close = ZERO, 0.0
            while p > ZERO and items[p - ONE] >> HALF == key:
                p -= ONE
                row = items[p] & LOWER
                total += point.tally[row]
                close = with_row(close, point.tally[row], point.agree, row)
            a = b - (total >> HALF)
            c = agreed(total, close, point.agree)
            share = c * point.steps[3, total >> HALF]
            tail += share * (point.steps[1, b] - point.steps[1, a])
            b = a
        own = point.agree[n + q]
        tied = (ONE << HALF) | as_bit(own)
        close = with_row(0.0, tied, point.agree, n + q)
        e = p
        while e > ZERO and items[e - ONE] >> HALF == at:
            e -= ONE
            row = items[e] & LOWER
            tied += point.tally[row]
            close = with_row(close, point.tally[row], point.agree, row)
        a = b - (tied >> HALF)
        c = agreed(tied, close, point.agree)
        hit, miss, _ = group_values(a, b, c, tail, point.steps)
        phi[q] = mix(own, hit, miss)


@kernel_part
def place_near(dist, n, near, point, phi):
    """The same where rows beyond the `near` nearest count as equally far."""
    out = np.empty(n + 1)
    for q in range(phi.size):
        agree = np.append(point.agree[:n], point.agree[n + q])
        tally = np.append(point.tally[:n], (ONE << HALF) | as_bit(agree[n]))
        n_rows, n_agree = point.n_rows + 1, point.n_agree + agree[n]
        all_rows = Point(
            point.at,
            agree,
            tally,
            True,
            n_rows,
            n_agree,
            point.left_out,
            point.steps,
            point.scratch,
        )
        at = np.append(dist[:n], dist[n + q])
        row_values(at, near, all_rows, out)
        phi[q] = out[n]


@kernel_part
def place_anywhere(point, n, chance, phi):
    """phi = phi({}): 0, or all rows tied."""
    for q in range(phi.size):
        own = point.agree[n + q]
        n_rows, n_agree = point.n_rows + 1, point.n_agree + own
        hit, miss = no_columns(n_rows, n_agree, chance, point.steps)
        phi[q] = mix(own, hit, miss)


@kernel
def rows_if(rows, n, tests, near, chance, steps, out):
    """out[t, q] = phi(M) - phi({}) of each content q."""
    size = rows.y.size
    scratch = make_scratch(size)
    dist, unused = np.empty(size, np.float32), np.empty(size)
    empty = np.empty(size - n)
    for t in range(tests.y.size):
        point = meet(rows, tests, t, False, steps, scratch, unused)
        start(point.left_out, dist)
        for j in range(rows.weight.size):
            add_one(rows, point.at, j, dist)
        # a plain False would be a type of its own, for which all is compiled again
        place(dist, n, np.bool_(False), near, point, out[t])
        place_anywhere(point, n, chance, empty)
        for q in range(empty.size):
            out[t, q] -= empty[q]


@kernel
def cells_if_exact(rows, n, tests, relative, near, chance, steps, out):
    """out[t, q, j] = psi of each content's cells: every subset once.

    As `all_subsets`: psi[j] = sum over F with j of c(|F|) phi(F) - constant,
    which follows from sum_j psi[j] = phi(M) - phi({}): Shapley's weights only.
    """
    m, size = rows.cells.shape
    k = size - n
    weights = subset_weights(m, rows.factors)
    scratch = make_scratch(size)
    apart = np.empty((m, size), np.float32)
    dist = np.empty((m + 1, size), np.float32)
    below = np.zeros((m + 1, k))
    phi, whole, empty, unused = np.empty(k), np.empty(k), np.empty(k), np.empty(size)
    path = np.empty(m + 1, np.int64)
    for t in range(tests.y.size):
        point = meet(rows, tests, t, False, steps, scratch, unused)
        start(point.left_out, dist[0])
        apart[:] = 0
        for j in range(m):
            add_one(rows, point.at, j, apart[j])
        psi = out[t]
        psi[:] = 0.0
        depth = 0
        j = 0
        while depth > 0 or j < m:
            if j < m:  # down: add column j
                for i in range(size):
                    dist[depth + 1, i] = dist[depth, i] + apart[j, i]
                depth += 1
                path[depth] = j
                place(dist[depth], n, relative, near, point, phi)
                below[depth] = (weights[depth - 1] + weights[depth]) * phi
                if depth == m:
                    whole[:] = phi
                j += 1
            else:  # up: this subtree is done
                j = path[depth]
                psi[:, j] += below[depth]
                below[depth - 1] += below[depth]
                depth -= 1
                j += 1
        place_anywhere(point, n, chance, empty)
        for q in range(k):
            psi[q] += (whole[q] - empty[q] - psi[q].sum()) / m


@kernel
def cells_if_sampled(rows, n, tests, orders, relative, near, chance, steps, out):
    """The same averaged over each test point's own orders of columns and reverses.

    `orders` is int64 (n_tests, n_pairs, m).
    """
    m, size = rows.cells.shape
    k = size - n
    scratch = make_scratch(size)
    dist, unused = np.empty(size, np.float32), np.empty(size)
    phi, previous = np.empty(k), np.empty(k)
    whole, empty = np.empty(k), np.empty(k)
    n_orders = 2 * orders.shape[1]
    for t in range(tests.y.size):
        point = meet(rows, tests, t, False, steps, scratch, unused)
        place_anywhere(point, n, chance, empty)
        psi = out[t]
        psi[:] = 0.0
        for o in range(n_orders):
            order = orders[t, o // 2, :: 1 if o % 2 else -1]
            start(point.left_out, dist)
            previous[:] = empty
            for p in range(m):
                if p == m - 1 and o > 0:  # all columns: the same for all orders
                    phi[:] = whole
                else:
                    add_one(rows, point.at, order[p], dist)
                    place(dist, n, relative, near, point, phi)
                psi[:, order[p]] += phi - previous
                previous[:] = phi
            whole[:] = previous
        psi /= n_orders
