"""Which subsets each test point sees, split into work items."""

import numpy as np
import pytest
from cases import random_table

import cellval
from cellval.knn.plan import (
    ALL,
    BRANCH,
    DRAWN_WORK,
    GROUP_SECONDS,
    ITEM_WORK,
    LEAST_DRAWN,
    Plan,
    drawn,
    evaluations,
    make_plan,
    subsets_to_compare,
    usual_seconds,
    with_ends,
)
from cellval.values.options import RunOptions
from cellval.values.words import design_words

MIXED = ["number", "category", "decimal"]


def test_auto_takes_all_subsets_where_that_is_cheapest_and_says_so():
    small = cellval.value_cells(random_table(15, 20, MIXED))
    assert "all 8 column subsets (exact)" in design_words(small.settings)
    assert make_plan(241, 9, 242, RunOptions()).n_pairs == ALL
    assert make_plan(32561, 14, 32561, RunOptions()).n_pairs == 1
    sampled = cellval.value_cells(random_table(15, 20, MIXED * 2), subsets=12)
    assert "fresh for every test point" in design_words(sampled.settings)


def test_all_subsets_of_too_many_columns_are_refused():
    with pytest.raises(cellval.InputError, match="too many"):
        cellval.value_cells(random_table(45, 10, ["number"] * 21), subsets="all")


@pytest.mark.parametrize("n_pairs", [1, 2, 3, 5, 8, 13])
def test_passes_double_what_was_done_up_to_all_pairs(n_pairs):
    passes = Plan(100, 6, 50, n_pairs, 0).passes()
    assert sum(passes) == n_pairs
    assert all(size <= max(1, sum(passes[:k])) for k, size in enumerate(passes))
    assert Plan(100, 6, 50, 8, 0).passes() == [1, 1, 2, 4]


@pytest.mark.parametrize(("n_tests", "n_pairs"), [(1, 1), (3, 2), (50, 5), (700, ALL)])
def test_items_of_a_pass_hold_every_test_point_once_and_in_order(n_tests, n_pairs):
    plan = Plan(2000, 12, n_tests, n_pairs, 0)
    items = list(plan.items())
    for number in range(len(plan.passes())):
        own = [item for item in items if item.pass_number == number]
        assert [item.number for item in own] == list(range(len(own)))
        seen = [t for item in own for t in range(item.first, item.last)]
        assert seen == list(range(n_tests))
        ends = [item.last for item in own if item.ends_segment]
        assert ends == [end for _, end in plan.segments()]
    assert sum(map(plan.work, items)) == pytest.approx(plan.total_work())
    for k, item in enumerate(items):
        at = item.pass_number, item.number
        assert plan.item(*at) == item
        assert plan.work_before(*at) == pytest.approx(sum(map(plan.work, items[:k])))
    assert list(plan.items(*at)) == items[-1:]


def test_no_item_is_much_more_work_than_another_unless_it_is_one_test_point():
    plan = Plan(30_000, 14, 30_000, 3, 0)
    for item in plan.items():
        assert plan.work(item) <= ITEM_WORK or item.last - item.first == 1


def test_every_test_point_has_orders_of_its_own_that_follow_from_the_seed():
    plan = Plan(100, 7, 40, 2, 3)
    first = next(plan.items())
    orders = plan.orders(first)
    assert orders.shape == (first.last - first.first, 1, 7)
    assert (np.sort(orders, axis=-1) == np.arange(7)).all()
    assert len({tuple(order[0]) for order in orders.tolist()}) > 1
    np.testing.assert_array_equal(orders, Plan(100, 7, 40, 2, 3).orders(first))
    assert (orders != Plan(100, 7, 40, 2, 4).orders(first)).any()
    assert sorted(plan.test_order()) == list(range(40))


def test_a_run_that_goes_on_begins_with_the_passes_it_had():
    plan = make_plan(100, 30, 40, RunOptions(), begun=(1, 1, 2), goal=8)
    assert plan.passes() == [1, 1, 2, 4]
    for begun, subsets in (((1, 1), "all"), ((ALL,), 50)):
        with pytest.raises(cellval.InputError, match="cannot continue each other"):
            make_plan(100, 6, 40, RunOptions(subsets=subsets), begun)


def test_as_many_subsets_as_there_are_means_all_of_them():
    assert make_plan(100, 6, 40, RunOptions(subsets=64)).n_pairs == ALL
    assert make_plan(100, 6, 40, RunOptions(subsets=63)).n_pairs == 6
    assert make_plan(100, 6, 40, RunOptions(subsets=1)).n_pairs == 1


def test_exact_ends_cost_fewer_evaluations_than_they_replace():
    assert evaluations(9, ALL) == 511
    assert evaluations(9, 1) == 1 + 2 * 8
    assert with_ends(9, 10) and not with_ends(9, 3) and not with_ends(3, 10)
    assert evaluations(9, 10) == 2 * 9 + 1 + 20 * 6 < 1 + 20 * 8


@pytest.mark.parametrize("work", [1.0, 4e7, 1e12])
def test_groups_hold_every_item_once_and_end_where_segments_do(work):
    plan = Plan(2000, 9, 700, 3, 0)
    for k in range(len(plan.passes())):
        items = [i for i in plan.items(k) if i.pass_number == k]
        at, groups = 0, []
        while at < len(items):
            groups.append(plan.group(k, at, work))
            assert groups[-1].first == items[at].first
            at = groups[-1].number + 1
        assert at == len(items)
        assert [g.last for g in groups if g.ends_segment] == [
            i.last for i in items if i.ends_segment
        ]
        assert all(plan.work(g) <= max(work, plan.work(items[0])) for g in groups)


@pytest.mark.parametrize(
    ("groups", "of_segment"),
    # those of an item; of several: the first ones of a segment have fewer
    [(10, [BRANCH, BRANCH, 2]), (2, [5])],
)
def test_branches_are_some_groups_and_end_where_segments_do(
    monkeypatch, groups, of_segment
):
    monkeypatch.setattr("cellval.knn.plan.GROUPS", groups)
    plan = Plan(2000, 9, 30_000, 1, 0)
    at, ends, n_groups = 0, set(), []
    while at == 0 or ends.isdisjoint({plan.n_tests}):
        branch = plan.branch(0, at)
        n_groups.append(0)
        while at <= branch.number:
            group = plan.group(0, at)
            at, n_groups[-1] = group.number + 1, n_groups[-1] + 1
            assert plan.branch(0, group.number).last == branch.last
        assert group.last == branch.last and group.ends_segment == branch.ends_segment
        ends.add(branch.last)
    assert {end for _, end in plan.segments()} <= ends
    assert n_groups == 4 * of_segment


@pytest.mark.parametrize("near", [None, 400, 20_000, 150_000, 200_000])
def test_of_evaluations_that_take_long_a_group_has_few_and_the_first_ones_fewer(near):
    plan = make_plan(200_000, 20, 200_000, RunOptions(near=near, budget=10.0))
    groups, at = [], 0
    while len(groups) < 12:
        groups.append(plan.group(0, at))
        at = groups[-1].number + 1
    work = [plan.work(group) for group in groups]
    most = GROUP_SECONDS / usual_seconds(200_000, near or 0)
    one = plan.work(plan.item(0, 0))
    assert most - one < work[-1] <= most
    assert work[0] == work[-1] // (4 * one) * one
    assert work[0] + work[1] == work[-1] // (2 * one) * one
    assert sum(work[:3]) == work[-1] and work[3:] == work[-1:] * 9


def test_a_run_that_goes_on_within_a_group_ends_where_the_group_would():
    plan = Plan(2000, 9, 700, 3, 0)
    whole = plan.group(0, 0, 1e9)
    assert whole.number > 1
    part = plan.group(0, 1, 1e9)
    assert (part.last, part.number) == (whole.last, whole.number)


@pytest.mark.parametrize("n_rows", [60_000, 70_000, 300_000, 1_000_000, 100_000_000])
def test_of_a_large_table_as_many_test_points_are_drawn_as_can_be_seen_soon(n_rows):
    plan = drawn(Plan(n_rows, 20, n_rows, 1, 0))
    assert LEAST_DRAWN <= plan.n_visited == plan.n_drawn < n_rows
    step = plan.batch(1)
    most = max(DRAWN_WORK, LEAST_DRAWN * n_rows * evaluations(20, 1))
    assert plan.total_work() <= most + step * n_rows * evaluations(20, 1)
    assert plan.total_work() > 0.99 * DRAWN_WORK
    ends = {item.last for item, _ in zip(plan.items(), range(20_000), strict=False)}
    assert plan.n_drawn in ends  # no item is cut
    more = drawn(plan, plan.n_drawn).n_visited
    assert more >= min(2 * (plan.n_drawn - step), n_rows)


def test_of_other_tables_every_test_point_is_seen():
    for shape in ((32_561, 14, 32_561), (1_000_000, 20, 50), (2, 1, 2)):
        assert drawn(Plan(*shape, 1, 0)).n_visited == shape[2]


def test_orders_are_compared_by_some_subsets_or_by_as_many_as_a_run_has():
    found = [subsets_to_compare(*shape) for shape in ((32_561, 14), (1_000_000, 20))]
    assert found == [8 * 14, "auto"] and subsets_to_compare(200, 9) == "auto"


def test_there_is_a_new_map_every_few_seconds_however_many_test_points_there_are():
    plan = drawn(Plan(1_000_000, 20, 1_000_000, 1, 0))
    at, groups = 0, []
    while not groups or groups[-1].last < plan.n_visited:
        groups.append(plan.group(0, at))
        at = groups[-1].number + 1
    most = GROUP_SECONDS / usual_seconds(1_000_000, 0)
    assert all(plan.work(group) <= most for group in groups)
    assert groups[-1].last == plan.n_drawn
    # Soon for the first time.
    assert plan.work(groups[0]) <= most / 4
    assert sum(map(plan.work, groups)) == pytest.approx(plan.total_work())
