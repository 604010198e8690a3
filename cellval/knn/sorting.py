"""Compiled: rows in the order of their distance."""

import numpy as np

from cellval.compiled import kernel_part
from cellval.knn.agreement import HALF, ONE, as_bit

LEFT_OUT = np.float32(np.inf)  # a row that is no neighbour (the point itself)
LEFT_OUT_BITS = np.uint32(0x7F800000)
SMALL = 1500  # up to so many rows, buckets and insertion beat radix sort
BUCKETS = 321  # 32 an octave over ten octaves of distance
CROWDED = 40  # mean crowd in a row's bucket from which insertion would be quadratic
ZERO = np.uint64(0)


@kernel_part
def radix_sort(items, spare, counts):
    """Sort items by their upper half, 11 bits a pass; returns one of the buffers."""
    if items.size == 0:
        return items
    mask = np.uint64(2047)
    for q in range(counts.size):
        counts[q] = 0
    for i in range(items.size):
        key = items[i] >> HALF
        counts[key & mask] += np.uint32(1)
        counts[np.uint64(2048) + ((key >> np.uint64(11)) & mask)] += np.uint32(1)
        counts[np.uint64(4096) + (key >> np.uint64(22))] += np.uint32(1)
    for digit in range(3):
        base = np.uint64(2048 * digit)
        shift = np.uint64(32 + 11 * digit)
        if counts[base + ((items[0] >> shift) & mask)] == items.size:
            continue  # all rows have the same digit here
        start = np.uint32(0)
        for q in range(base, base + np.uint64(2048)):
            c = counts[q]
            counts[q] = start
            start += c
        for i in range(items.size):
            v = items[i]
            q = base + ((v >> shift) & mask)
            spare[counts[q]] = v
            counts[q] += np.uint32(1)
        items, spare = spare, items
    return items


@kernel_part
def insertion_sort(items, n, budget):
    """Finish almost sorted items; False if more than `budget` moves would be needed."""
    for i in range(1, n):
        v = items[i]
        p = i - 1
        if items[p] >> HALF > v >> HALF:
            while p >= 0 and items[p] >> HALF > v >> HALF:
                items[p + 1] = items[p]
                p -= 1
            items[p + 1] = v
            budget -= i - p
            if budget < 0:
                return False
    return True


@kernel_part
def order_many(bits, agree, items, spare, counts):
    """All rows as items in order of distance; returns one of the buffers.

    Two radix passes over the upper 23 bits, then insertion for the lower 8, in which
    few rows differ. Where too many do (all rows far away at almost the same distance),
    a full radix sort finishes.
    """
    n = bits.size
    low, high = np.uint32(2047), np.uint32(2048)
    for q in range(counts.size):
        counts[q] = 0
    for i in range(n):
        key = bits[i] >> np.uint32(8)
        counts[key & low] += np.uint32(1)
        counts[high + (key >> np.uint32(11))] += np.uint32(1)
    start = np.uint32(0)
    for q in range(2048):
        c = counts[q]
        counts[q] = start
        start += c
    start = np.uint32(0)
    for q in range(2048, 6144):
        c = counts[q]
        counts[q] = start
        start += c
    for i in range(n):
        q = (bits[i] >> np.uint32(8)) & low
        row = (np.uint64(i) << ONE) | as_bit(agree[i])
        spare[counts[q]] = (np.uint64(bits[i]) << HALF) | row
        counts[q] += np.uint32(1)
    for i in range(n):
        v = spare[i]
        q = np.uint64(2048) + (v >> np.uint64(51))
        items[counts[q]] = v
        counts[q] += np.uint32(1)
    if insertion_sort(items, n, 8 * n):
        return items[:n]
    return radix_sort(items[:n], spare[:n], counts)


@kernel_part
def order_few(bits, items, spare, counts):
    """Sort rows into items: buckets of distance finished by insertion.

    A radix sort instead if the rows crowd in too few buckets for insertion.
    """
    high = np.uint32(0)
    for i in range(bits.size):
        high = max(high, bits[i] if bits[i] != LEFT_OUT_BITS else np.uint32(0))
    low = high - min(high, np.uint32(10 << 23))  # ten octaves below the farthest row
    counts[:BUCKETS] = 0
    last = np.uint32(BUCKETS - 1)
    for i in range(bits.size):
        counts[min((max(bits[i], low) - low) >> np.uint32(18), last)] += np.uint32(1)
    start = np.uint32(0)
    crowd = ZERO
    for q in range(BUCKETS):
        c = counts[q]
        counts[q] = start
        start += c
        crowd += np.uint64(c) * np.uint64(c)
    if crowd <= np.uint64(CROWDED * bits.size):
        for i in range(bits.size):
            q = min((max(bits[i], low) - low) >> np.uint32(18), last)
            p = counts[q]
            counts[q] = p + np.uint32(1)
            items[p] = (np.uint64(bits[i]) << HALF) | np.uint64(i)
        if insertion_sort(items, bits.size, CROWDED * bits.size):
            return
    for i in range(bits.size):
        items[i] = (np.uint64(bits[i]) << HALF) | np.uint64(i)
    ordered = radix_sort(items[: bits.size], spare[: bits.size], counts)
    for i in range(bits.size):
        items[i] = ordered[i]
