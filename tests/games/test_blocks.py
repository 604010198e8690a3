"""Groups as players of the same game, against the definition."""

import pickle
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import naive
import numpy as np
import pandas as pd
import pytest
from cases import random_table
from small_games import (
    COLUMNS,
    ROWS,
    Additive,
    Crowded,
    Hidden,
    blocks_of,
    exact_values,
    groups,
    last,
)

import cellval
from cellval.errors import InputError
from cellval.games.blocks import BlockGame, BlockUtility
from cellval.games.groups import (
    Groups,
    columns_alone,
    n_evaluations,
    rows_by_column,
)
from cellval.games.knn_utility import KnnUtility
from cellval.table.table import Table

KINDS = ["number", "category", "decimal"]


def defined(h, rows, columns):
    """The block values by the definition, on players that are groups."""

    def union(s, f):
        of = [np.flatnonzero(np.isin(g.of, p)) for g, p in ((rows, s), (columns, f))]
        return h(*of)

    found = naive.cell_values_of(union, len(rows), len(columns))
    return np.array(found, float)


@pytest.mark.parametrize("game", [Additive, Crowded])
def test_blocks_equal_the_definition_on_groups(game):
    h = game(6, 4)
    blocks = blocks_of(h, ROWS, COLUMNS)
    np.testing.assert_allclose(blocks.values, defined(h, ROWS, COLUMNS), atol=1e-12)
    assert blocks.exact and blocks.n_evaluations == 7 * 3
    assert not blocks.stderr.any()


def test_where_cells_add_up_a_block_is_the_sum_of_its_cells():
    h = Additive(6, 4)
    blocks, cells = blocks_of(h, ROWS, COLUMNS), exact_values(h, 6, 4)
    for r, rows in enumerate(ROWS.members()):
        for c, columns in enumerate(COLUMNS.members()):
            expected = cells[np.ix_(rows, columns)].sum()
            assert blocks.values[r, c] == pytest.approx(expected, abs=1e-12)


def test_a_group_is_one_player_and_not_the_sum_of_its_rows():
    h = Crowded(6, 4)
    blocks, cells = blocks_of(h, ROWS, COLUMNS), exact_values(h, 6, 4)
    sums = np.array(
        [[cells[np.ix_(r, c)].sum() for c in COLUMNS.members()] for r in ROWS.members()]
    )
    assert blocks.total == pytest.approx(sums.sum())  # shared is the same
    assert np.abs(blocks.values - sums).max() > 0.01  # but not in the same way


def test_groups_of_one_are_the_cells():
    h = Crowded(5, 3)
    blocks = blocks_of(h, groups(*range(5)), groups(*range(3)))
    np.testing.assert_allclose(blocks.values, exact_values(h, 5, 3), atol=1e-12)


def test_merging_groups_adds_their_values_only_where_cells_add_up():
    merged = groups(0, 1, 1, 0, 1, 1)  # b and c together
    for game, adds_up in ((Additive, True), (Crowded, False)):
        h = game(6, 4)
        apart, together = (blocks_of(h, g, COLUMNS).values for g in (ROWS, merged))
        assert np.allclose(apart[1:].sum(axis=0), together[1]) == adds_up


@pytest.mark.parametrize("method", ["exact", "mc"])
def test_blocks_sum_to_row_groups_column_groups_and_the_total(method):
    h = Crowded(6, 4)
    blocks = blocks_of(h, ROWS, COLUMNS, method=method, rounds=9)
    whole = h(np.arange(6), np.arange(4))
    assert blocks.total == pytest.approx(whole)
    assert blocks.row_values.sum() == pytest.approx(whole)
    assert blocks.column_values.sum() == pytest.approx(whole)
    frame, shares = blocks.to_frame(), blocks.shares()
    for of, key in (("rows", "row_group"), ("columns", "column_group")):
        part = shares[shares["groups_of"] == of].set_index("group")
        sums = frame.groupby(key)["value"].sum()
        pd.testing.assert_series_equal(
            part["value"], sums.loc[part.index], check_names=False
        )
        assert part["share_percent"].sum() == pytest.approx(100)
    assert frame["cells"].sum() == 24


def test_rows_in_no_group_are_not_in_the_game():
    h = Additive(6, 4)
    some = Groups(("a", "b"), np.array([0, -1, 1, 0, -1, 1]))
    blocks = blocks_of(h, some, COLUMNS)
    assert blocks.total == pytest.approx(h([0, 2, 3, 5], range(4)))
    assert blocks.n_rows.tolist() == [2, 2]


def test_sampled_blocks_equal_exact_ones_within_their_errors():
    h = Crowded(6, 4)
    exact = blocks_of(h, ROWS, COLUMNS)
    found = blocks_of(h, ROWS, COLUMNS, method="mc", rounds=300)
    assert not found.exact and found.n_evaluations == 300 * 6
    away = np.abs(found.values - exact.values) / found.stderr
    assert away.max() < 4 and away.mean() < 1.6
    row_away = np.abs(found.row_values - exact.row_values) / found.row_stderr
    assert row_away.max() < 4


def test_more_than_sixteen_groups_are_sampled():
    h = Additive(20, 4)
    many = groups(*range(20))
    found = blocks_of(h, many, COLUMNS, rounds=3)
    assert not found.exact and found.stderr.shape == (20, 2)
    np.testing.assert_allclose(found.row_values, h.cells.sum(axis=1))
    with pytest.raises(InputError, match="too many for exact values: 16"):
        blocks_of(h, many, COLUMNS, method="exact")
    assert blocks_of(h, groups(*([0] * 14 + [1] * 6)), COLUMNS).exact


def test_an_exact_run_tells_how_far_it_is_and_has_values_at_its_end():
    seen = list(BlockGame.of(Crowded(6, 4), ROWS, COLUMNS).play())
    assert len(seen) >= 22  # before the first and after every evaluation
    assert [s.done for s in seen] == sorted(s.done for s in seen)
    assert not any(s.has_result for s in seen[:-1]) and seen[-1].has_result
    assert seen[-1].seconds_left == 0 < seen[4].seconds_left
    with pytest.raises(ValueError, match="no result yet"):
        _ = seen[0].result


def test_a_target_or_a_budget_ends_rounds_early():
    h = Crowded(6, 4)
    for options in ({"target_stderr": 0.05}, {"budget": 0.2}):
        options |= {"method": "mc", "rounds": 10**6}
        found = blocks_of(h, ROWS, COLUMNS, **options)
        assert found.n_evaluations < 6 * 10**6


@pytest.mark.parametrize("method", ["exact", "mc"])
def test_workers_change_no_bit_of_the_blocks(method):
    h = Crowded(6, 4)
    options = {"method": method, "rounds": 5}
    alone = blocks_of(h, ROWS, COLUMNS, **options)
    for kind in (ThreadPoolExecutor, ProcessPoolExecutor):
        with kind(2) as pool:
            other = blocks_of(h, ROWS, COLUMNS, **options, executor=pool, n_jobs=2)
        np.testing.assert_array_equal(alone.values, other.values)


def test_a_utility_of_groups_can_be_sent_to_other_processes():
    game = BlockUtility(Additive(6, 4), ROWS, COLUMNS)
    again = pickle.loads(pickle.dumps(game))
    assert again([1, 2], [0]) == game([1, 2], [0]) == game.h([1, 2, 4, 5], [1, 2])


def test_what_a_run_takes_is_foretold():
    h = Crowded(6, 4)
    for method, n in (("auto", 21), ("mc", 600)):
        assert n_evaluations(ROWS, COLUMNS, method) == n
        assert last(BlockGame.of(h, ROWS, COLUMNS, method=method).foretell()) > 0


def test_rounds_above_a_guess_vary_less_and_mean_the_same():
    table = random_table(8, 60, KINDS)
    h = KnnUtility(table, n_neighbors=5)
    rows, columns = groups(*np.arange(60) % 4), columns_alone(table)
    exact = blocks_of(h, rows, columns)
    options = {"method": "mc", "rounds": 150}
    above = blocks_of(Hidden(h), rows, columns, **options)
    from_zero = blocks_of(Hidden(h, False), rows, columns, **options)
    assert above.stderr.mean() < 0.5 * from_zero.stderr.mean()
    assert (np.abs(above.values - exact.values) / above.stderr).max() < 4
    assert above.total == pytest.approx(exact.total)


def test_games_without_anything_to_share_say_so():
    h, one = Additive(3, 2), groups(0, 0)
    with pytest.raises(InputError, match="nothing to share"):
        blocks_of(h, groups(0, 0, 0), one)
    with pytest.raises(InputError, match="has no rows"):
        blocks_of(h, Groups(("a", "b"), np.array([0, 0, 0])), one)
    with pytest.raises(InputError, match="No columns are in a group"):
        blocks_of(h, groups(0, 1, 1), Groups((), np.array([-1, -1])))
    with pytest.raises(InputError, match="method='best'"):
        blocks_of(h, groups(0, 1, 1), one, method="best")


def test_the_door_takes_tables_frames_names_and_mappings():
    frame = pd.DataFrame(
        {
            "site": ["n", "s"] * 30,
            "x": np.random.default_rng(0).normal(size=60).round(2),
            "z": np.random.default_rng(1).normal(size=60).round(2),
            "y": ["a", "b", "b"] * 20,
        }
    )
    table = Table.from_frame(frame, label="y", exclude=["site"])
    by_name = cellval.value_blocks(table, "site")
    assert by_name.row_groups == ("n", "s") and by_name.column_groups == ("x", "z")
    rows = rows_by_column(table, "site")
    by_groups = cellval.value_blocks(table, rows, columns_alone(table))
    np.testing.assert_array_equal(by_name.values, by_groups.values)
    own = cellval.value_blocks(table, "site", {"mine": ["x"]})
    assert own.column_groups == ("mine", "(others)")
    assert own.total == pytest.approx(by_name.total)
    frame = frame.rename(columns={"y": "label"})
    of_frame = cellval.value_blocks(frame, "site", test=frame.tail(20), method="mc")
    assert of_frame.values.shape == (2, 3) and not of_frame.exact
    first, *_, last_step = cellval.iter_blocks(table, "site", n_neighbors=3)
    assert first.preparing and last_step.result.total != by_name.total
    with pytest.raises(InputError, match="rounds=0"):
        cellval.iter_blocks(table, "site", rounds=0)
