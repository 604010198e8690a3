"""Cells as numbers, and what is far apart in each column."""

import numpy as np
import pandas as pd
import pytest

import cellval
from cellval.table import encoding
from cellval.table.describe import small_spreads, spread
from cellval.table.encoding import encode, encode_column
from cellval.table.table import Table, read


def test_encoded_distances_of_random_pairs_are_alike_for_every_column():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "small": rng.normal(0, 0.01, 500).round(4),
            "large": rng.normal(5e6, 1e6, 500).round(),
            "category": rng.choice(list("aaaab"), 500),
            "target": rng.choice(["x", "y"], 500),
        }
    )
    encoded = encode(cellval.Table.from_frame(frame, label="target"))
    a, b = rng.integers(0, 500, (2, 20000))
    for cells, weight, is_category in zip(
        encoded.cells, encoded.weight, encoded.is_category, strict=True
    ):
        gap = cells[a] != cells[b] if is_category else (cells[a] - cells[b]) ** 2
        assert abs(np.mean(weight * gap) - 1) < 0.12


@pytest.mark.parametrize("unit", [1e-7, 1.0, 1e9, 1e300])
def test_the_size_of_numbers_does_not_matter(unit):
    x = np.array([1, 2, 3, 4, 5, 6, 7.5, 8.5, 9, 10])
    y = ["a"] * 5 + ["b"] * 5
    ref, comp = (
        cellval.value_cells(
            cellval.Table.from_frame(pd.DataFrame({"x": x * u, "y": y}), label="y"),
            n_neighbors=2,
        ).values
        for u in (1.0, unit)
    )
    np.testing.assert_allclose(comp, ref, atol=1e-12)


def test_small_steps_on_a_large_offset_are_not_rounded_away():
    x = 1e6 + np.arange(10) * 1e-4
    frame = pd.DataFrame({"x": x, "y": ["a"] * 5 + ["b"] * 5})
    encoded = encode(cellval.Table.from_frame(frame, label="y"))
    assert np.unique(encoded.cells[0]).size == 10


def test_an_absurd_test_cell_does_not_hide_the_other_columns():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"big": rng.normal(0, 1e6, 40).round(), "x": np.arange(40.0) / 4}
    ).assign(y=list("abbab") * 8)
    table = cellval.Table.from_frame(frame, label="y")
    absurd = frame.head(1).assign(big=1e30)
    test = cellval.Table.from_frame(absurd, like=table)
    comp = cellval.value_cells(table, test=test, n_neighbors=3)
    assert np.unique(comp.values[:, 1].round(9)).size > 3


TINY = [5e-324 * k for k in range(1, 13)]


@pytest.mark.parametrize(
    "numbers",
    [
        TINY,
        [1e-310 * k for k in range(12)],
        [0.0] * 11 + [5e-324],
        [5e-324] * 11 + [1e308],
        [1.7e308 * (-1) ** k for k in range(12)],
    ],
)
def test_numbers_as_small_or_as_large_as_can_be_are_valued_and_drawn(numbers):
    lines = [f"{x!r},{k % 5},{'ab'[k % 2]}" for k, x in enumerate(numbers)]
    table = read("\n".join(["x,z,y", *lines]).encode(), label="y")
    assert np.isfinite(encode(table).cells).all()
    assert np.isfinite(cellval.value_cells(table).values).all()
    assert cellval.suspects(table)["suspicion"].notna().all()
    assert sum(small_spreads(table)["x"]) > 99
    assert np.isfinite(spread(table, 0, "x").edges).all()


def test_a_few_cells_are_encoded_without_looking_at_the_whole_column_again(monkeypatch):
    lines = [f"{k},{'abc'[k % 3]},{'uv'[k % 2]}" for k in range(30)]
    table = read("\n".join(["x,c,y", *lines]).encode(), label="y")
    whole = [encode_column(column, column) for column in table.features]
    monkeypatch.setattr(encoding, "robust_spread", None)
    for (cells, _), column in zip(whole, table.features, strict=True):
        some = table.read_texts(column.name, table.cells[column.name].head(3).tolist())
        np.testing.assert_array_equal(encode_column(some, column)[0], cells[:3])


def test_tiny_numbers_are_as_far_apart_as_others():
    def cells(numbers):
        frame = pd.DataFrame({"x": [repr(x) for x in numbers], "y": list("ab") * 6})
        return encode(Table.from_frame(frame, label="y")).cells[0]

    # 2e-323 is four times the smallest number there is: little is known of its digits
    np.testing.assert_allclose(np.diff(cells(TINY)), np.diff(cells(TINY))[0], rtol=1e-6)
    assert np.ptp(cells(TINY)) > 1
