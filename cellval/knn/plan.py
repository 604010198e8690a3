"""Which column subsets each test point sees, split into independent work items.

A run is a sequence of *passes* over all test points, each in the same seeded order. A
pass evaluates either all subsets of columns, or some pairs of a random order of the
columns and its reverse, fresh for every test point. Passes double the number of pairs
so far (1, 1, 2, 4, 8, ...): breadth first, because a cell's value needs nearly all test
points but few subsets each. A pass is cut into batches of test points: the work items.
They are fixed by the settings alone, never by the number of workers.

Of a table so large that even one pair for every test point is too much, a run ends
after the first test points of that order, which are then a random sample of them all.
It is a stopped first pass, and can go on like one.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from cellval.errors import CannotGoOn, InputError, is_whole
from cellval.values.options import RunOptions

ALL = 0  # pairs of a pass over all subsets
MOST_PAIRS = 256  # where sampling ends by itself
MOST_COLUMNS = 20  # for all subsets
PAIRS_FOR_ENDS = 4  # exact ends pay off from here on
COLUMNS_FOR_ENDS = 4
MANY_COLUMNS, SOME = 10, 8  # subsets a column are enough to compare orders of cells
AUTO_WORK = 2e9  # evaluations (rows x subsets x test points) where no budget is given
# Evaluations beyond which test points are drawn, as many as make so many, and at least
# so many points: minutes of the near field on two cores. From 50,000 rows x 20 on.
DRAWN_WORK, LEAST_DRAWN = 1e11, 100
# About what an evaluation takes: plans must not depend on the machine. With the near-
# field approximation it takes the second, and more for each near row among all.
NANOSECONDS, FAR_NANOSECONDS, NEAR_NANOSECONDS = 15.0, 3.0, 40.0
ITEM_WORK = 1.5e7  # evaluations an item should have: about a quarter of a second
SEGMENTS = 4  # parts of the test points whose sums are kept apart
GROUPS = 64  # of items in a segment: their sums are added up where they are made
GROUP_SECONDS = 3.0  # of a group, at most: then there is a new map, a look at budgets
BRANCH = 8  # groups whose sums are added up before those of all others


@dataclass(frozen=True)
class Item:
    """Test points [first, last) of one pass."""

    pass_number: int
    n_pairs: int  # ALL, or the number of order pairs of each test point
    number: int  # in its pass
    first: int
    last: int
    segment: int  # the part of the test points that it belongs to
    ends_segment: bool


@dataclass(frozen=True)
class Plan:
    """All work items of a run, in order."""

    n_rows: int
    n_columns: int
    n_tests: int
    n_pairs: int  # in all passes together; ALL
    random_state: int
    begun: tuple[int, ...] = ()  # pairs of the passes that an earlier run has begun
    n_drawn: int = 0  # test points of the first pass after which the run ends; 0: none
    near: int = 0  # rows that are put in order; 0 for all

    @property
    def n_visited(self) -> int:
        """Test points that a pass visits."""
        return self.n_drawn or self.n_tests

    def passes(self) -> list[int]:
        """Pairs of each pass."""
        if self.n_pairs == ALL:
            return [ALL]
        sizes = list(self.begun) or [1]
        while (done := sum(sizes)) < self.n_pairs:
            sizes.append(min(done, self.n_pairs - done))
        return sizes

    def batch(self, n_pairs: int) -> int:
        """Test points of an item."""
        work = self.n_rows * evaluations(self.n_columns, n_pairs)
        at_most = -(-self.n_tests // 16)  # progress is seen on small tables, too
        return max(1, min(at_most, int(ITEM_WORK / work)))

    def items(self, pass_number: int = 0, number: int = 0) -> Iterator[Item]:
        """From this one on; a million of them are not made before they are needed."""
        for k in range(pass_number, len(self.passes())):
            step = self.batch(self.passes()[k])
            n = sum(-(-(end - start) // step) for start, end in self.segments())
            for at in range(number if k == pass_number else 0, n):
                yield self.item(k, at)

    def item(self, pass_number: int, number: int) -> Item:
        """By its number within a pass."""
        n_pairs, left = self.passes()[pass_number], number
        step = self.batch(n_pairs)
        for segment, (start, end) in enumerate(self.segments()):
            n = -(-(end - start) // step)
            if left < n:
                first = start + left * step
                last = min(first + step, end)
                where = number, first, last, segment, last == end
                return Item(pass_number, n_pairs, *where)
            left -= n
        raise IndexError(number)

    def group(self, pass_number: int, number: int, work: float | None = None) -> Item:
        """An item with those after it in its segment, up to about so much work; by
        default some of many items, or one of few, and fewer in the first two groups: a
        first answer comes soon.

        Where groups end does not depend on the item from which a run goes on.
        """
        size = self._group_size(pass_number, number, work)
        if work is None:
            item = self.item(pass_number, number)
            step = self.batch(item.n_pairs)
            done = item.first - self.segments()[item.segment][0]
            few = (max(1, size // part // step) * step for part in (4, 2))
            size = next((n for n in few if done < n), size)
        return self._up_to(size, pass_number, number, self.n_visited)

    def branch(self, pass_number: int, number: int) -> Item:
        """An item with those after it up to the end of its branch: a few groups whose
        sums are added up before they are added to those of the branches before.

        So they can be added up far away, which changes no bit. One in which the run
        ends is told as a whole: it may go on.
        """
        size = BRANCH * self._group_size(pass_number, number)
        return self._up_to(size, pass_number, number, self.n_tests)

    def _group_size(
        self, pass_number: int, number: int, work: float | None = None
    ) -> int:
        """Test points of the groups in the segment of an item."""
        item = self.item(pass_number, number)
        step = self.batch(item.n_pairs)
        start, end = self.segments()[item.segment]
        each = float(self.n_rows) * evaluations(self.n_columns, item.n_pairs) * step
        if work is None:
            seconds = each * usual_seconds(self.n_rows, self.near)
            many = min(int(GROUP_SECONDS / seconds), (end - start) // step // GROUPS)
        else:
            many = int(work / each)
        return step * max(1, many)

    def _up_to(self, size: int, pass_number: int, number: int, most: int) -> Item:
        """An item with those after it, as far as the next multiple of a size, the end
        of its segment, or `most`."""
        item = self.item(pass_number, number)
        step = self.batch(item.n_pairs)
        start, end = self.segments()[item.segment]
        last = min(end, start + ((item.first - start) // size + 1) * size)
        last = min(last, most)
        number += -(-(last - item.first) // step) - 1
        return replace(item, number=number, last=last, ends_segment=last == end)

    def segments(self) -> list[tuple[int, int]]:
        """Bounds of the parts in which later passes refine what earlier ones found."""
        n_parts = 1 if self.n_pairs == ALL else min(SEGMENTS, self.n_tests)
        bounds = [self.n_tests * k // n_parts for k in range(n_parts + 1)]
        return list(pairwise(bounds))

    def work(self, item: Item) -> float:
        """Evaluations of an item."""
        subsets = evaluations(self.n_columns, item.n_pairs)
        return float(self.n_rows) * subsets * (item.last - item.first)

    def total_work(self) -> float:
        return self.work_before(len(self.passes()), 0)

    def work_before(self, pass_number: int, number: int) -> float:
        """Evaluations of all items before this one."""
        passes = [evaluations(self.n_columns, n_pairs) for n_pairs in self.passes()]
        done = sum(passes[:pass_number]) * self.n_visited
        if number:
            done += passes[pass_number] * self.item(pass_number, number).first
        return float(self.n_rows) * done

    def orders(self, item: Item) -> np.ndarray:
        """int64 (n_tests, n_pairs, n_columns): each test point's own column orders."""
        rng = np.random.default_rng(
            [self.random_state, 1 + item.pass_number, item.number]
        )
        return random_orders(rng, item.last - item.first, item.n_pairs, self.n_columns)

    def test_order(self) -> np.ndarray:
        """The seeded order in which test points are visited."""
        return np.random.default_rng([self.random_state, 0]).permutation(self.n_tests)


def random_orders(
    rng: np.random.Generator, n_tests: int, n_pairs: int, n_columns: int
) -> np.ndarray:
    ascending = np.tile(np.arange(n_columns), (n_tests, n_pairs, 1))
    return rng.permuted(ascending, axis=-1, out=ascending)


def with_ends(n_columns: int, n_pairs: int) -> bool:
    """Are first and last positions averaged exactly?"""
    return n_pairs >= PAIRS_FOR_ENDS and n_columns >= COLUMNS_FOR_ENDS


def evaluations(n_columns: int, n_pairs: int) -> int:
    """Subsets that a pass evaluates per test point."""
    if n_pairs == ALL:
        return int(2**n_columns) - 1
    if with_ends(n_columns, n_pairs):
        return 2 * n_columns + 1 + 2 * n_pairs * (n_columns - 3)
    return 1 + 2 * n_pairs * (n_columns - 1)


def drawn(plan: Plan, n_visited: int = 0) -> Plan:
    """The plan, ending after some test points where all of them would be too much.

    Each time that a run goes on from `n_visited` of them, it ends after twice as many.
    """
    each = float(plan.n_rows) * evaluations(plan.n_columns, plan.passes()[0])
    n = max(LEAST_DRAWN, int(DRAWN_WORK / each))
    while n <= n_visited:
        n *= 2
    if n >= plan.n_tests:
        return replace(plan, n_drawn=0)
    start, end = next(bounds for bounds in plan.segments() if n <= bounds[1])
    step = plan.batch(plan.passes()[0])
    n = min(end, start + -(-(n - start) // step) * step)  # whole items
    return replace(plan, n_drawn=n if n < plan.n_tests else 0)


def subsets_to_compare(n_rows: int, n_columns: int) -> int | str:
    """How many suffice to compare orders of cells, where all rows are test points.

    As a run has them where columns are few, or rows so many that some are drawn.
    """
    is_large = drawn(Plan(n_rows, n_columns, n_rows, 1, 0)).n_drawn > 0
    return "auto" if n_columns < MANY_COLUMNS or is_large else SOME * n_columns


def usual_seconds(n_rows: int, near: int) -> float:
    """About what an evaluation takes on a usual machine; `near` is 0 for all rows."""
    of_near = FAR_NANOSECONDS + NEAR_NANOSECONDS * near / n_rows
    return (min(NANOSECONDS, of_near) if 0 < near < n_rows else NANOSECONDS) / 1e9


def make_plan(
    n_rows: int,
    n_columns: int,
    n_tests: int,
    options: RunOptions,
    begun: tuple[int, ...] = (),
    goal: int = 0,
) -> Plan:
    """Choose a design: all subsets where that is cheapest, else sampled orders.

    `begun` are the passes of an earlier run that goes on, by default to `goal` pairs.
    """
    subsets, few_columns = options.subsets, n_columns <= MOST_COLUMNS
    if begun and subsets == "auto":
        n_pairs = ALL if begun == (ALL,) else MOST_PAIRS if options.stops else goal
    elif subsets == "all":
        if not few_columns:
            raise InputError(
                f"All subsets of {n_columns} columns are 2^{n_columns}: too many. Let "
                f"some be drawn at random, or keep at most {MOST_COLUMNS} columns."
            )
        n_pairs = ALL
    elif subsets == "auto":
        seconds = options.budget
        work = AUTO_WORK if seconds is None else seconds * 1e9 / NANOSECONDS
        affordable = work / (n_rows * n_tests)
        n_pairs = int(np.clip(affordable / (2 * n_columns), 1, MOST_PAIRS))
        if few_columns and 2**n_columns <= max(affordable, 2 * n_columns + 2):
            n_pairs = ALL
        elif options.stops:
            n_pairs = MOST_PAIRS
    elif not isinstance(subsets, str) and is_whole(subsets, 1):
        n_pairs = -(-int(subsets) // (2 * n_columns))
        if few_columns and int(subsets) >= 2**n_columns:
            n_pairs = ALL
    else:
        raise InputError(
            f"subsets={subsets!r} is not understood. Use 'auto', 'all', or about how "
            "many column subsets each test point should see, such as 200."
        )
    if begun and (n_pairs == ALL) != (begun == (ALL,)):
        raise CannotGoOn(
            "A run over all column subsets and a run over sampled ones cannot continue "
            "each other. Start a new run."
        )
    seed, near = int(options.random_state), int(options.near or 0)
    return Plan(n_rows, n_columns, n_tests, n_pairs, seed, begun, near=near)
