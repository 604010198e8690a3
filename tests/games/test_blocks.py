"""Blocks: groups as players, against the definition; KNN's short cut; makers."""

import pickle
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import naive
import numpy as np
import pandas as pd
import pytest
from cases import naive_games, random_table
from sklearn.tree import DecisionTreeClassifier

import cellval
from cellval.errors import InputError
from cellval.figures import blocks as blockfigures
from cellval.games import (
    BlockUtility,
    Groups,
    KnnUtility,
    columns_alone,
    columns_by,
    columns_by_kind,
    columns_by_name,
    columns_together,
    exact_values,
    iter_blocks,
    rows_by_column,
    rows_by_quantiles,
    rows_by_ranges,
    utility_of,
    value_blocks,
)
from cellval.games.blocks import iter_expected
from cellval.games.exact import iter_utilities, values_of
from cellval.games.groups import MISSING, OTHERS, n_evaluations
from cellval.games.knn_utility import MANY
from cellval.table.table import Table

KINDS = ["number", "category", "decimal"]


class Additive:
    """A game in which every cell adds its own number."""

    def __init__(self, n, m, seed=0):
        self.cells = np.random.default_rng(seed).normal(size=(n, m))

    def __call__(self, rows, columns):
        return float(self.cells[np.ix_(rows, columns)].sum())


class Crowded(Additive):
    """The same with a bound: the more there is, the less a cell adds."""

    def __call__(self, rows, columns):
        if len(rows) == 0 or len(columns) == 0:
            return 0.0
        return float(np.tanh(np.abs(self.cells[np.ix_(rows, columns)]).sum() / 4))


def groups(*of):
    return Groups(tuple("abcdefghijklmnopqrstuvwxyz"[: max(of) + 1]), np.array(of))


ROWS, COLUMNS = groups(0, 1, 1, 0, 2, 1), groups(1, 0, 0, 1)


def defined(h, rows, columns):
    """The block values by the definition, on players that are groups."""

    def union(s, f):
        of = [np.flatnonzero(np.isin(g.of, p)) for g, p in ((rows, s), (columns, f))]
        return h(*of)

    found = naive.cell_values_of(union, len(rows), len(columns))
    return np.array(found, float)


# --- the game of groups ---------------------------------------------------------------


@pytest.mark.parametrize("game", [Additive, Crowded])
def test_blocks_equal_the_definition_on_groups(game):
    h = game(6, 4)
    blocks = value_blocks(h, ROWS, COLUMNS)
    np.testing.assert_allclose(blocks.values, defined(h, ROWS, COLUMNS), atol=1e-12)
    assert blocks.exact and blocks.n_evaluations == 7 * 3
    assert not blocks.stderr.any()


def test_where_cells_add_up_a_block_is_the_sum_of_its_cells():
    h = Additive(6, 4)
    blocks, cells = value_blocks(h, ROWS, COLUMNS), exact_values(h, 6, 4)
    for r, rows in enumerate(ROWS.members()):
        for c, columns in enumerate(COLUMNS.members()):
            expected = cells[np.ix_(rows, columns)].sum()
            assert blocks.values[r, c] == pytest.approx(expected, abs=1e-12)


def test_a_group_is_one_player_and_not_the_sum_of_its_rows():
    h = Crowded(6, 4)
    blocks, cells = value_blocks(h, ROWS, COLUMNS), exact_values(h, 6, 4)
    sums = np.array(
        [[cells[np.ix_(r, c)].sum() for c in COLUMNS.members()] for r in ROWS.members()]
    )
    assert blocks.total == pytest.approx(sums.sum())  # shared is the same
    assert np.abs(blocks.values - sums).max() > 0.01  # but not in the same way


def test_groups_of_one_are_the_cells():
    h = Crowded(5, 3)
    blocks = value_blocks(h, groups(*range(5)), groups(*range(3)))
    np.testing.assert_allclose(blocks.values, exact_values(h, 5, 3), atol=1e-12)


def test_merging_groups_adds_their_values_only_where_cells_add_up():
    merged = groups(0, 1, 1, 0, 1, 1)  # b and c together
    for game, adds_up in ((Additive, True), (Crowded, False)):
        h = game(6, 4)
        apart, together = (value_blocks(h, g, COLUMNS).values for g in (ROWS, merged))
        assert np.allclose(apart[1:].sum(axis=0), together[1]) == adds_up


@pytest.mark.parametrize("method", ["exact", "mc"])
def test_blocks_sum_to_row_groups_column_groups_and_the_total(method):
    h = Crowded(6, 4)
    *_, blocks = iter_blocks(h, ROWS, COLUMNS, method=method, rounds=9)
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
    blocks = value_blocks(h, some, COLUMNS)
    assert blocks.total == pytest.approx(h([0, 2, 3, 5], range(4)))
    assert blocks.n_rows.tolist() == [2, 2]


def test_sampled_blocks_equal_exact_ones_within_their_errors():
    h = Crowded(6, 4)
    exact = value_blocks(h, ROWS, COLUMNS)
    *_, found = iter_blocks(h, ROWS, COLUMNS, method="mc", rounds=300)
    assert not found.exact and found.n_evaluations == 300 * 6
    away = np.abs(found.values - exact.values) / found.stderr
    assert away.max() < 4 and away.mean() < 1.6
    row_away = np.abs(found.row_values - exact.row_values) / found.row_stderr
    assert row_away.max() < 4


def test_more_than_sixteen_groups_are_sampled():
    h = Additive(20, 4)
    many = groups(*range(20))
    found = value_blocks(h, many, COLUMNS, rounds=3)
    assert not found.exact and found.stderr.shape == (20, 2)
    np.testing.assert_allclose(found.row_values, h.cells.sum(axis=1))
    with pytest.raises(InputError, match="too many for exact values: 16"):
        value_blocks(h, many, COLUMNS, method="exact")
    assert value_blocks(h, groups(*([0] * 14 + [1] * 6)), COLUMNS).exact


def test_an_exact_run_tells_how_far_it_is_and_has_values_at_its_end():
    seen = list(iter_blocks(Crowded(6, 4), ROWS, COLUMNS))
    assert len(seen) == 21
    assert [s.done for s in seen] == sorted(s.done for s in seen)
    assert all(s.values is None for s in seen[:-1]) and seen[-1].values is not None
    assert seen[-1].seconds_left == 0 < seen[3].seconds_left
    with pytest.raises(InputError, match="before its end"):
        _ = seen[0].total


def test_a_target_or_a_budget_ends_rounds_early():
    h = Crowded(6, 4)
    for options in ({"target_stderr": 0.05}, {"budget": 0.2}):
        options |= {"method": "mc", "rounds": 10**6}
        *_, found = iter_blocks(h, ROWS, COLUMNS, **options)
        assert found.done == 1 and found.n_evaluations < 6 * 10**6


@pytest.mark.parametrize("method", ["exact", "mc"])
def test_workers_change_no_bit_of_the_blocks(method):
    h = Crowded(6, 4)
    options = {"method": method, "rounds": 5}
    alone = value_blocks(h, ROWS, COLUMNS, **options)
    for kind in (ThreadPoolExecutor, ProcessPoolExecutor):
        with kind(2) as pool:
            other = value_blocks(h, ROWS, COLUMNS, **options, executor=pool, n_jobs=2)
        np.testing.assert_array_equal(alone.values, other.values)


def test_a_utility_of_groups_can_be_sent_to_other_processes():
    game = BlockUtility(Additive(6, 4), ROWS, COLUMNS)
    again = pickle.loads(pickle.dumps(game))
    assert again([1, 2], [0]) == game([1, 2], [0]) == game.h([1, 2, 4, 5], [1, 2])


def test_utilities_are_all_known_at_the_end():
    for done, utilities in iter_utilities(Crowded(3, 2), 3, 2):
        assert np.isnan(utilities).any() == (done < 1)
    np.testing.assert_allclose(
        values_of(utilities), exact_values(Crowded(3, 2), 3, 2), atol=1e-12
    )


def test_what_a_run_takes_is_foretold():
    h = Crowded(6, 4)
    for method, n in (("auto", 21), ("mc", 600)):
        *_, expected = iter_expected(h, ROWS, COLUMNS, method=method)
        assert expected.n_evaluations == n == n_evaluations(ROWS, COLUMNS, method)
        assert 0 < expected.run_seconds < 5


# --- nearest neighbours ---------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("how", ["leave-one-out", "table", "share"])
def test_knn_utilities_of_single_rows_give_the_engines_values(seed, how):
    table = random_table(seed, 7, KINDS, n_classes=3, missing=0.1)
    test = {
        "leave-one-out": None,
        "table": random_table(seed + 50, 4, KINDS, n_classes=3, name="test"),
        "share": 0.3,
    }[how]
    h = KnnUtility(table, test, n_neighbors=2)
    single = groups(*range(7)), groups(*range(3))
    blocks = value_blocks(h, *single)
    values = cellval.value_cells(table, n_neighbors=2, test=test, subsets="all").values
    players = h.players
    np.testing.assert_allclose(blocks.values, values[players], atol=1e-9)
    assert np.isnan(values[~players]).all()


@pytest.mark.parametrize("k", [1, 3, 20, MANY + 1])
@pytest.mark.parametrize("loo", [True, False])
def test_knn_utilities_equal_the_definition(k, loo):
    table = random_table(3, 9, KINDS, levels=2, missing=0.2)
    test = None if loo else random_table(60, 5, KINDS, levels=2, name="test")
    games = naive_games(table, k, test)
    h = KnnUtility(table, test, n_neighbors=k)
    for rows, columns in (((0, 2, 3, 7), (1,)), (range(9), (0, 1, 2)), ((4,), (0, 2))):
        own = [
            g.h(tuple(i for i in rows if i in g.rows), tuple(columns)) for g in games
        ]
        expected = float(sum(own) / len(own))
        assert h(np.array(rows), np.array(columns)) == pytest.approx(expected)
    assert h([], [0]) == h([0], []) == 0.0


@pytest.mark.parametrize("scoring", ["accuracy", "balanced"])
def test_the_short_cut_of_knn_equals_one_union_after_another(scoring):
    table = random_table(5, 40, [*KINDS, "number"], n_classes=3, missing=0.1)
    h = KnnUtility(table, n_neighbors=4, scoring=scoring)
    draw = np.random.default_rng(0)
    rows = groups(*draw.permutation(40) % 5)
    columns = groups(0, 1, 0, 2)
    fast = value_blocks(h, rows, columns)
    slow = exact_values(BlockUtility(h, rows, columns), 5, 3)
    np.testing.assert_allclose(fast.values, slow, atol=1e-12)
    values = cellval.value_cells(table, n_neighbors=4, scoring=scoring, subsets="all")
    assert fast.total == pytest.approx(values.total)


class Hidden:
    """A utility that is not known to be KNN's; with its guess, or without."""

    def __init__(self, h, with_guess=True):
        self.h = h
        if with_guess:
            self.guess = h.guess

    def __call__(self, rows, columns):
        return self.h(rows, columns)


def test_rounds_above_a_guess_vary_less_and_mean_the_same():
    table = random_table(8, 60, KINDS)
    h = KnnUtility(table, n_neighbors=5)
    rows, columns = groups(*np.arange(60) % 4), columns_alone(table)
    exact = value_blocks(h, rows, columns)
    options = {"method": "mc", "rounds": 150}
    above = value_blocks(Hidden(h), rows, columns, **options)
    from_zero = value_blocks(Hidden(h, False), rows, columns, **options)
    assert above.stderr.mean() < 0.5 * from_zero.stderr.mean()
    assert (np.abs(above.values - exact.values) / above.stderr).max() < 4
    assert above.total == pytest.approx(exact.total)


def test_the_chain_of_knn_equals_one_prefix_after_another():
    table = random_table(7, 40, [*KINDS, "number"], missing=0.1)
    h = KnnUtility(table, n_neighbors=4)
    rows, columns = groups(*np.arange(40) % 5), groups(0, 1, 0, 2)
    options = {"method": "mc", "rounds": 6}
    fast = value_blocks(h, rows, columns, **options)
    slow = value_blocks(Hidden(h), rows, columns, **options)
    np.testing.assert_allclose(fast.values, slow.values, atol=1e-12)
    np.testing.assert_allclose(fast.stderr, slow.stderr, atol=1e-9)
    assert fast.n_evaluations == slow.n_evaluations == 6 * 15


@pytest.mark.parametrize("model", ["logistic", "tree"])
def test_lines_of_models_equal_one_evaluation_after_another(model):
    table = mixed()
    h = utility_of(table, model)
    rows = rows_by_column(table, "site").among(h.players)
    game = BlockUtility(h, rows, columns_by_kind(table))
    order, wanted = np.array([1, 0]), np.ones(3, bool)
    expected = [game([0], sorted(order[:f])) for f in range(3)]
    assert game.line(np.array([0]), order, wanted).tolist() == pytest.approx(expected)


def test_workers_change_no_bit_of_knn_blocks():
    table = random_table(6, 60, KINDS)
    h = KnnUtility(table, n_neighbors=3)
    rows = groups(*np.arange(60) % 3)
    one, two = (
        value_blocks(h, rows, columns_alone(table), n_jobs=n).values for n in (1, 3)
    )
    np.testing.assert_array_equal(one, two)


def test_impossible_options_of_knn_are_refused_in_words():
    table = random_table(0, 6, KINDS)
    with pytest.raises(InputError, match="n_neighbors must be 1"):
        KnnUtility(table, n_neighbors=0)
    with pytest.raises(InputError, match="scoring='auc'"):
        KnnUtility(table, scoring="auc")
    with pytest.raises(InputError, match="between 0 and 1"):
        value_blocks(KnnUtility(table, 1.5), groups(0, 1, 0, 1, 0, 1), groups(0, 1, 1))


# --- models ---------------------------------------------------------------------------


def mixed(n=120, seed=0):
    draw = np.random.default_rng(seed)
    y = draw.integers(0, 2, n)
    frame = pd.DataFrame(
        {
            "site": np.where(np.arange(n) < n // 2, "north", "south"),
            "x": y + 0.3 * draw.normal(size=n),
            "word": np.where(draw.random(n) < 0.8, np.where(y, "up", "down"), "side"),
            "noise": draw.normal(size=n),
            "y": np.where(y, "yes", "no"),
        }
    )
    return Table.from_frame(frame, label="y", exclude=["site"])


@pytest.mark.parametrize("model", ["knn", "logistic", "tree", "boosting"])
def test_held_out_rows_belong_to_no_source(model):
    table = mixed()
    h = utility_of(table, model, test=0.25)
    sources = rows_by_column(table, "site")
    blocks = value_blocks(h, sources, columns_by_kind(table))
    assert blocks.n_rows.sum() == h.players.sum() == 90
    everyone = np.flatnonzero(h.players)
    assert blocks.total == pytest.approx(h(everyone, np.arange(3)))
    assert blocks.total > 0.8 - 0.2 * (model == "knn")


def test_any_estimator_and_a_test_table():
    table, test = mixed(seed=1), mixed(seed=2)
    h = utility_of(table, DecisionTreeClassifier(random_state=0), test=test)
    blocks = value_blocks(h, rows_by_column(table, "site"), columns_alone(table))
    assert blocks.n_rows.tolist() == [60, 60]
    assert blocks.column_values[0] > blocks.column_values[2]
    with pytest.raises(InputError, match="is not possible here"):
        utility_of(table, "Oracle")


def test_a_source_with_wrong_labels_lies_below_the_others():
    table = mixed(160, seed=3)
    wrong = {(i, "y"): "no" if table.y[i] else "yes" for i in range(80) if i % 4 != 3}
    dirty = table.with_cells(wrong)
    blocks = value_blocks(
        utility_of(dirty, "knn", test=mixed(100, seed=4)),
        rows_by_column(dirty, "site"),
        columns_together(dirty),
    )
    north, south = blocks.row_values
    assert north < 0 < south
    assert any("'north' lies below 0" in text for text in blocks.caveats())


@pytest.mark.parametrize("model", ["knn", "tree"])
def test_values_above_a_guess_are_those_of_the_game_that_counts_from_it(model):
    table = mixed()
    h = utility_of(table, model, test=0.3)
    rows, columns = rows_by_column(table, "site"), columns_alone(table)
    blocks = value_blocks(h, rows, columns)
    share = np.bincount(table.y[~h.players]) / np.sum(~h.players)
    own = np.bincount(table.y[h.players]) / h.players.sum()
    expected = share @ own if model == "knn" else share[own.argmax()]
    assert blocks.guess == pytest.approx(expected)

    def above(rows, columns):
        empty = len(rows) == 0 or len(columns) == 0
        return 0.0 if empty else h(rows, columns) - blocks.guess

    direct = value_blocks(above, rows.among(h.players), columns)
    np.testing.assert_allclose(blocks.above_guess().values, direct.values, atol=1e-12)
    assert blocks.above_guess().shares()["counted_from"].eq(blocks.guess).all()


# --- groups ---------------------------------------------------------------------------


def sites():
    frame = pd.DataFrame(
        {
            "site": ["b", "a", "", "b", "c", "a", "b", "d", "e", "NA"],
            "size": [1.5, 2, 3, 4, 5, 6, 7, None, 9, 10],
            "day": [f"2024-01-{k + 1:02}" for k in range(10)],
            "same": ["x"] * 10,
            "y": ["u", "v"] * 5,
        }
    )
    return Table.from_frame(frame, label="y", exclude=["site"])


def named(found):
    return {
        name: (np.flatnonzero(found.of == g) + 1).tolist()
        for g, name in enumerate(found.names)
    }


def test_rows_by_a_column_that_is_no_feature():
    found = named(rows_by_column(sites(), "site", n_most=2))
    expected = {"b": [1, 4, 7], "a": [2, 6], OTHERS: [5, 8, 9], MISSING: [3, 10]}
    assert found == expected
    whole = rows_by_column(sites(), "site")
    assert whole.names == ("b", "a", "c", "d", "e", MISSING)
    assert rows_by_column(sites(), "y").names == ("u", "v")


def test_rows_by_numbers_are_in_their_order():
    frame = pd.DataFrame({"n": [10, 2, 2, 33, 10, 10], "y": ["u", "v"] * 3})
    table = Table.from_frame(frame, label="y")
    assert rows_by_column(table, "n").names == ("2", "10", "33")


def test_a_category_called_like_the_others_keeps_its_name():
    texts = ["(others)", "(others)", "a", "b", "c", "c"]
    table = Table.from_frame(
        pd.DataFrame({"s": texts, "x": range(6), "y": ["u", "v"] * 3}), label="y"
    )
    assert rows_by_column(table, "s", n_most=1).names == ("(others)", "(others)'")


def test_rows_by_quantiles_of_numbers_and_dates():
    found = named(rows_by_quantiles(sites(), "size", 3))
    assert list(found) == ["up to 3", "above 3 to 6", "above 6", MISSING]
    assert found["up to 3"] == [1, 2, 3] and found[MISSING] == [8]
    days = rows_by_quantiles(sites(), "day", 2)
    assert days.names == ("up to 2024-01-05", "above 2024-01-05")
    with pytest.raises(InputError, match="holds no numbers"):
        rows_by_quantiles(sites(), "site", 2)


def test_rows_by_ranges_count_as_the_file_does():
    table = cellval.read(b"x,y\n1,a\n2,\n3,b\n4,a\n5,b\n", label="y")
    assert named(rows_by_ranges(table, 2)) == {"rows 1-3": [1, 2], "rows 4-5": [3, 4]}
    assert rows_by_ranges(table, [1, 4]).names == ("rows 1-1", "rows 3-4", "rows 5-5")
    with pytest.raises(InputError, match="One range holds all rows"):
        rows_by_ranges(table, [9])


def test_columns_by_names_kinds_and_hand():
    names = ["pay_1", "pay_2", "age", "bill.a", "bill.b", "zip"]
    frame = pd.DataFrame({name: range(8) for name in names})
    frame["zip"] = list("abababab")
    frame["y"] = ["u", "v"] * 4
    table = Table.from_frame(frame, label="y", kinds=dict.fromkeys(names[:5], "number"))
    assert columns_by_name(table).names == ("pay", "age", "bill", "zip")
    assert columns_by_kind(table).names == ("numbers", "categories")
    own = columns_by(table, {"money": ["pay_1", "bill.a"]})
    assert own.names == ("money", OTHERS) and own.of.tolist() == [0, 1, 1, 0, 1, 1]
    alone = columns_by(table, {"money": ["pay_1", "bill.a"]}, rest="alone")
    assert alone.names == ("money", "pay_2", "age", "bill.b", "zip")
    with pytest.raises(InputError, match="'nobody' in group 'm' is no feature"):
        columns_by(table, {"m": ["nobody"]})
    with pytest.raises(InputError, match="belongs to one group"):
        columns_by(table, {"m": ["age"], "n": ["age"]})


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda t: rows_by_column(t, "same"), "one group only"),
        (lambda t: rows_by_column(t, "sit"), "has no column 'sit'"),
        (lambda t: rows_by_column(t, "site", 0), "1 or more"),
        (lambda t: Groups(("a", "a"), np.array([0, 1])), "same name"),
    ],
)
def test_groups_that_cannot_be_made_say_why(make, words):
    with pytest.raises(InputError, match=words):
        make(sites())


def test_games_without_anything_to_share_say_so():
    h, one = Additive(3, 2), groups(0, 0)
    with pytest.raises(InputError, match="nothing to share"):
        value_blocks(h, groups(0, 0, 0), one)
    with pytest.raises(InputError, match="has no rows"):
        value_blocks(h, Groups(("a", "b"), np.array([0, 0, 0])), one)
    with pytest.raises(InputError, match="No columns are in a group"):
        value_blocks(h, groups(0, 1, 1), Groups((), np.array([-1, -1])))
    with pytest.raises(InputError, match="method='best'"):
        value_blocks(h, groups(0, 1, 1), one, method="best")


# --- shares, files and figures --------------------------------------------------------


def test_shares_per_row_and_cell():
    h = Additive(6, 4)
    h.cells[:] = 1.0
    shares = value_blocks(h, ROWS, COLUMNS).shares().set_index("group")
    assert shares.loc["b", "share_percent"].tolist() == pytest.approx([50.0, 50.0])
    assert shares["per_1000_cells"].tolist() == pytest.approx([1000.0] * 6)
    assert shares.loc["c", "per_1000_rows"] == pytest.approx(4000.0)
    assert shares.loc["total", "cells"] == 24


def test_there_are_no_shares_of_nothing():
    blocks = value_blocks(lambda rows, columns: 0.0, ROWS, COLUMNS)
    assert not blocks.has_shares and blocks.shares()["share_percent"].isna().all()
    assert any("no shares" in text for text in blocks.caveats())
    assert any("'c' has a single row" in text for text in blocks.caveats())
    assert blockfigures.heatmap(blocks).data


@pytest.mark.parametrize("method", ["exact", "mc"])
def test_figures_of_blocks(method):
    h = Crowded(6, 4)
    names = ("<b>a</b>", "b", "c" * 80)
    rows = Groups(names, ROWS.of)
    *_, blocks = iter_blocks(h, rows, COLUMNS, method=method, rounds=3)
    figure = blockfigures.heatmap(blocks)
    assert np.array(figure.data[0].z).shape == (3, 2)
    assert "<b>a</b>" not in figure.layout.yaxis.ticktext
    assert ("exact" in figure.data[0].customdata[0][0]) == (method == "exact")
    bars = blockfigures.shares(blocks)
    shown = [np.sum(trace.x) for trace in bars.data if trace.type == "bar"]
    assert shown == pytest.approx([100, 100])


def test_a_figure_of_one_group_of_columns_has_the_bars_of_rows_only():
    blocks = value_blocks(Crowded(6, 4), ROWS, groups(0, 0, 0, 0))
    bars = blockfigures.shares(blocks)
    assert [trace.type for trace in bars.data] == ["bar", "scatter"]
    assert len(bars.data[0].x) == 3
