"""Orders, filters, windows, overviews, suspects and pairs."""

import numpy as np
import pandas as pd
import pytest
from cases import make_table, random_table

import cellval
from cellval.table import describe as places
from cellval.values.result import CellValues, describe
from cellval.views import pairs, similar, table_view
from cellval.views import value_view as views
from cellval.views.bands import bands
from cellval.views.order import filtered, find_rows, row_order, window


def values_of(table, cells, stderr=None):
    """CellValues with the given numbers."""
    cells = np.array(cells, float)
    stderr = np.full(cells.shape, 0.001) if stderr is None else np.array(stderr, float)
    return CellValues(
        values=cells,
        stderr=stderr,
        row_values=cells.sum(axis=1),
        row_stderr=np.sqrt((stderr**2).sum(axis=1)),
        column_values=np.nansum(cells, axis=0),
        column_stderr=np.sqrt(np.nansum(stderr**2, axis=0)),
        n_test=10,
        settings={"scoring": "accuracy", "design": "", "approximation": ""},
        **describe(table),
    )


@pytest.fixture(scope="module")
def davis():
    table = cellval.read("sample_data/davis.csv", label="sex")
    return table, cellval.value_cells(table, n_neighbors=5)


@pytest.fixture
def small():
    """Six rows of two columns with easy values."""
    columns = [("number", [1, 2, 3, 4, 5, 6]), ("category", [0, 0, 1, 1, 2, 2])]
    table = make_table(columns, [0, 0, 0, 1, 1, 1])
    cells = [[0.3, 0.1], [-0.2, 0.5], [0.0, 0.1], [0.4, -0.5], [0.1, 0.0], [0.2, 0.3]]
    return table, values_of(table, cells)


@pytest.mark.parametrize(
    ("by", "column", "expected"),
    [
        ("file", None, [0, 1, 2, 3, 4, 5]),
        ("row", None, [3, 2, 4, 1, 0, 5]),
        ("cell", None, [3, 1, 2, 4, 0, 5]),
        ("column", "c0", [1, 2, 4, 5, 0, 3]),
        ("column", "no such", [0, 1, 2, 3, 4, 5]),
    ],
)
def test_rows_come_in_the_order_asked_for(small, by, column, expected):
    table, values = small
    assert row_order(table, values, by, column).tolist() == expected


def test_rows_without_values_come_last(small):
    table, values = small
    cells = values.values.copy()
    cells[3] = np.nan
    held_out = values_of(table, cells)
    for by in ("row", "cell", "column"):
        assert row_order(table, held_out, by, "c0")[-1] == 3


def test_rows_come_in_the_order_of_their_most_suspicious_cell(small):
    table, values = small
    ranks = np.array([[9, 8], [7, 2], [3, 4], [5, 6], [10, 12], [11, 1]])
    order = row_order(table, values, "suspicion", ranks=ranks)
    assert order.tolist() == [5, 1, 2, 3, 0, 4]
    # Until suspicion is known, the lowest cell stands for it.
    lowest = row_order(table, values, "cell")
    assert row_order(table, values, "suspicion").tolist() == lowest.tolist()


def test_similar_order_keeps_classes_and_alike_rows_together():
    table = random_table(3, 300, ["decimal", "decimal", "category"], n_classes=2)
    order = row_order(table, None, "similar")
    assert sorted(order.tolist()) == list(range(300))
    assert (np.diff(table.y[order]) >= 0).all()
    points = table_view.table_view(table).points

    def step(rows):
        return np.linalg.norm(np.diff(points[rows], axis=0), axis=1).mean()

    assert step(order) < 0.7 * step(np.argsort(table.y, kind="stable"))


def test_similar_order_is_fast_and_complete_with_equal_rows():
    points = np.zeros((5000, 3), np.float32)
    assert sorted(similar.similar_order(points).tolist()) == list(range(5000))


def test_filters_by_class_search_and_given_rows(small):
    table, _ = small
    order = np.array([5, 4, 3, 2, 1, 0])
    assert filtered(order, table, classes=("no",)).tolist() == [2, 1, 0]
    assert filtered(order, table, only=np.array([1, 4])).tolist() == [4, 1]
    assert filtered(order, table, search=" YES ").tolist() == [5, 4, 3]
    assert filtered(order, table, search="(").tolist() == []
    assert filtered(order, table).tolist() == order.tolist()


def test_a_row_is_found_by_id_and_by_number():
    raw = b"name;x;y\nann;1;a\nbob;2;\n7;3;b\ncid;1;b\n" + b"".join(
        b"r%d;%d;a\n" % (k, k) for k in range(10)
    )
    table = cellval.read(raw, label="y", id_column="name")
    assert find_rows(table, " ann ") == [0]
    assert find_rows(table, "7") == [1]  # an id goes before a row number
    assert find_rows(table, "4") == [2]  # row 2 was set aside
    assert find_rows(table, "2") == []
    assert find_rows(table, "nobody") == []


@pytest.mark.parametrize(
    ("n", "start", "expected"),
    [(200, 0, (0, 60)), (200, 190, (140, 200)), (10, 5, (0, 10)), (200, -3, (0, 60))],
)
def test_a_window_stays_within_the_rows(n, start, expected):
    assert window(n, start, 60) == expected


def test_a_planted_bad_cell_is_visible_in_the_overview():
    rng = np.random.default_rng(0)
    cells = rng.normal(0.001, 0.0002, (30_000, 14))
    cells[17_123, 5] = -0.02
    order = rng.permutation(30_000)
    pooled = bands(cells, order)
    low, high = pooled.limits
    band, group = np.unravel_index(np.nanargmin(pooled.lowest), pooled.lowest.shape)
    assert pooled.lowest[band, group] == -0.02 <= low < high
    assert order[pooled.position[band, group]] == 17_123
    assert pooled.column[band, group] == 5
    at = np.flatnonzero(order == 17_123)[0]
    assert pooled.row_edges[band] <= at < pooled.row_edges[band + 1]
    # It is not lost in a sea of dark bands: the usual band has the lightest colour.
    assert np.mean(pooled.lowest >= high) >= 0.5


def test_bands_pool_columns_and_leave_out_what_is_not_valued():
    cells = np.full((10, 100), 1.0)
    cells[:, 30:] = np.nan
    cells[4, 3] = -1.0
    pooled = bands(cells, np.arange(10), n_bands=5, n_groups=10)
    assert pooled.lowest.shape == (5, 10)
    assert pooled.lowest[2, 0] == -1.0
    assert pooled.column[2, 0] == 3
    assert np.isnan(pooled.lowest[:, 3:]).all()
    assert (pooled.lowest[[0, 1, 3, 4], :3] == 1.0).all()


def test_suspects_are_clearly_below_zero_and_lowest_in_their_class():
    table = make_table([("number", range(8)), ("number", range(8))], [0] * 6 + [1] * 2)
    cells = np.zeros((8, 2))
    cells[0] = [-0.5, -0.4]
    cells[1, 0] = -0.3
    cells[6, 1] = -0.1
    stderr = np.full((8, 2), 0.01)
    stderr[0, 1] = 0.4  # low, but not clearly
    view = views.ValueView(values_of(table, cells, stderr))
    rows, columns = view.suspects()
    found = set(zip(rows.tolist(), columns.tolist(), strict=True))
    assert found == {(0, 0), (1, 0), (6, 1)}
    rows, columns = view.suspects(2)
    # The lowest of the rare class goes before the second lowest of the common one.
    assert set(zip(rows.tolist(), columns.tolist(), strict=True)) == {(0, 0), (6, 1)}
    assert view.harmful_by_column.tolist() == [2, 1]


def test_no_suspects_while_standard_errors_are_unknown(small):
    table, values = small
    unknown = np.full(values.values.shape, np.nan)
    view = views.ValueView(values_of(table, values.values, unknown))
    assert len(view.suspects()[0]) == 0


@pytest.mark.parametrize(("n", "most"), [(10, 5), (1000, 20)])
def test_at_most_half_a_percent_of_the_cells_are_suspects(n, most):
    table = random_table(0, n, ["number"] * 4)
    cells = np.full((n, 4), -1.0)
    view = views.ValueView(values_of(table, cells))
    assert view.usual_suspects == most
    assert len(view.suspects()[0]) == most


def test_the_rank_of_one_cell_is_its_rank_among_all(small):
    view = views.ValueView(small[1])
    for i, j in np.ndindex(6, 2):
        assert view.rank_over_all(i, j) == view.ranks_over_all[i, j]


def test_what_is_derived_is_kept_for_the_same_values_only(small):
    table, values = small
    assert views.value_view(values) is views.value_view(values)
    assert views.value_view(values_of(table, values.values)) is not views.value_view(
        values
    )


def test_pairs_with_alike_values_differ_in_their_cells(davis):
    _, values = davis
    found = pairs.alike_values_pairs(values)
    assert found
    rows = [i for pair in found for i in (pair.first, pair.second)]
    assert len(rows) == len(set(rows))
    spread = np.ptp(values.row_values)
    for pair in found:
        a, b = pair.first, pair.second
        assert abs(values.row_values[a] - values.row_values[b]) < 0.05 * spread
    apart = [
        np.linalg.norm(values.values[p.first] - values.values[p.second]) for p in found
    ]
    typical = np.linalg.norm(np.diff(values.values, axis=0), axis=1)
    assert min(apart) > np.median(typical)


def test_pairs_of_alike_rows_differ_in_their_values(davis):
    table, values = davis
    found = pairs.alike_rows_pairs(values, table)
    assert found
    typical = np.median(np.abs(np.diff(values.row_values)))
    for pair in found[:3]:
        gap = abs(values.row_values[pair.first] - values.row_values[pair.second])
        assert gap > typical
        near, _ = similar.nearest(table, pair.first, 40)
        assert pair.second in near


def test_pairs_of_a_table_with_one_valued_row():
    table = make_table([("number", [1, 2])], [0, 1])
    values = values_of(table, [[0.5], [np.nan]])
    assert pairs.alike_values_pairs(values) == []
    assert pairs.alike_rows_pairs(values, table) == []


def test_the_place_of_a_number_overall_and_in_its_class(davis):
    table, _ = davis
    index = table.position(12)
    everyone, same = places.place(table, index, "weight")
    assert everyone.who == "all rows"
    assert same.who == "class F"
    assert everyone.below == pytest.approx(199 / 200)
    assert everyone.above == 0
    assert same.n == int((table.y == table.classes.index("F")).sum())
    assert same.usual == "47 to 70"


def test_the_place_of_a_category_and_of_a_missing_cell():
    table = make_table([("category", [0, 0, 1, None])], [0, 0, 0, 1])
    everyone, same = places.place(table, 0, "c0")
    assert everyone.same == pytest.approx(2 / 3)
    assert same.usual == "a 67 %, b 33 %"
    none = places.place(table, 3, "c0")[1]
    assert (none.n, none.same, none.usual) == (0, 0.0, "no cells")


def test_the_spread_of_a_column_marks_the_cell():
    table = make_table([("number", [1, 2, 3, 4, 1000, None])], [0] * 5 + [1])
    spread = places.spread(table, 4, "c0")
    assert spread.outside
    assert spread.edges[-1] < 1000  # one absurd cell does not flatten the rest
    assert spread.overall.sum() == pytest.approx(80)
    assert places.spread(table, 5, "c0").at is None
    assert not places.spread(table, 0, "c0").outside


def test_the_spread_of_categories_contains_the_cell_however_rare():
    cells = [k % 8 for k in range(80)]
    table = make_table([("category", cells)], [0, 1] * 40)
    frame = pd.DataFrame({"x": [f"t{k % 9}" for k in range(90)] + ["rare"], "y": 1})
    frame.loc[:40, "y"] = 2
    other = cellval.Table.from_frame(frame, label="y", kinds={"x": "category"})
    spread = places.spread(other, 90, "x")
    assert spread.labels[int(spread.at)] == "rare"
    assert len(spread.labels) == 8
    assert places.spread(table, 3, "c0").labels[3] == "d"


def test_nearest_rows_leave_out_the_row_and_the_column():
    columns = [("number", [0, 0, 50, 9]), ("number", [1, 2, 1, 9])]
    table = make_table(columns, [0, 1, 0, 1])
    near, apart = similar.nearest(table, 0, 2)
    assert near[0] == 1
    assert 0 not in near
    near, apart = similar.nearest(table, 0, 2, without="c0")
    assert near[0] == 2
    assert apart[0] == 0
    assert len(similar.nearest(table, 0, 99)[0]) == 3


def test_distances_are_those_of_the_kernels():
    from cellval.knn.cell_values import add_column

    kinds = ["decimal", "category", "number"]
    table = random_table(5, 40, kinds, missing=0.2)
    encoded = table_view.table_view(table).encoded
    expected = np.zeros(40, np.float32)
    for cells, weight, category in zip(
        encoded.cells, encoded.weight, encoded.is_category, strict=True
    ):
        add_column(cells, cells[7], weight, category, expected)
    np.testing.assert_allclose(similar.distances(encoded, 7), expected, rtol=1e-5)
