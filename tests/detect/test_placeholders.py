"""Codes that stand for missing cells."""

import numpy as np
import pandas as pd
import pytest

import cellval
from cellval.detect.placeholders import holds_code, placeholders
from cellval.table.table import Table

CODES = (0, -1, -9, 99, -99, 999, -999, 9999, 99999)


def found(cells, name="x"):
    frame = pd.DataFrame({name: cells, "y": np.resize(["a", "b"], len(cells))})
    table = Table.from_frame(frame, label="y", kinds={name: "number"})
    return [code.number for code in placeholders(table)]


def bulk(n=200, centre=100.0, spread=10.0):
    return np.random.default_rng(0).normal(centre, spread, n).round(1).tolist()


@pytest.mark.parametrize("code", [0.0, -1.0, 999.0, 37.5, -99.0])
@pytest.mark.parametrize("share", [0.05, 0.2, 0.45])
def test_a_spike_outside_the_bulk_is_found(code, share):
    cells = bulk()
    n = round(share * len(cells))
    cells[:n] = [code] * n
    assert found(cells) == [code]


def test_two_codes_in_a_column_are_both_found():
    cells = bulk()
    cells[:20], cells[20:35] = [0.0] * 20, [999.0] * 15
    assert sorted(found(cells)) == [0.0, 999.0]


def test_a_stray_outlier_near_the_code_does_not_hide_it():
    cells = bulk()
    cells[:40], cells[40] = [-9.0] * 40, -8.0
    assert found(cells) == [-9.0]


def test_zeros_for_unknown_levels_of_a_skewed_column_are_found():
    levels = np.exp(np.random.default_rng(1).normal(4.8, 0.6, 400)).round() + 14
    assert found([0.0] * 300 + levels.tolist()) == [0.0]


@pytest.mark.parametrize(
    "cells",
    [
        [*range(1, 11)] * 20,  # grades
        [0] * 80 + [1] * 60 + [2] * 40 + [3] * 20,  # counts
        [0.0] * 190 + bulk(10),  # what the column is about
        np.exp(np.random.default_rng(2).normal(3, 1.2, 120)).tolist() + [0.0] * 80,
        bulk() + [100.0] * 60,  # inside the bulk
        [*bulk(), 0.0, 0.0],  # two cells are no spike
        [5.0] * 50,
        [1.0, 2.0] * 50,
        [40] * 100 + np.random.default_rng(3).integers(10, 80, 100).tolist(),
    ],
    ids=[
        *("grades", "counts", "mostly zero", "amounts with true zeros", "inside"),
        *("two cells", "constant", "binary", "working hours"),
    ],
)
def test_true_numbers_are_no_codes(cells):
    assert found(cells) == []


@pytest.mark.parametrize("name", ["wine", "breast_cancer", "davis"])
def test_clean_samples_have_none(name):
    assert placeholders(cellval.read(f"sample_data/{name}.csv")) == ()


def test_the_top_code_of_the_census_is_named():
    table = cellval.read("sample_data/adult_2000.csv", label="income")
    (code,) = placeholders(table)
    assert (code.column, code.text, code.n_cells) == ("capital_gain", "99999", 11)


@pytest.mark.parametrize("share", [0.05, 0.2, 0.45])
def test_planted_codes_are_found_in_every_column_of_wine(share):
    frame = pd.read_csv("sample_data/wine.csv")
    label = cellval.read("sample_data/wine.csv").label
    draw, n = np.random.default_rng(0), round(share * len(frame))
    features = frame.columns.drop(label)
    for name in features:
        low, high = frame[name].quantile([0.05, 0.95])
        margin = 3 * frame[name].std()
        # the one people would take
        code = next(c for c in CODES if c < low - margin or c > high + margin)
        frame[name] = frame[name].astype(float)
        frame.loc[draw.choice(len(frame), n, replace=False), name] = code
    table = Table.from_frame(frame, label=label)
    codes = {code.column: code.n_cells for code in placeholders(table)}
    assert codes == dict.fromkeys(features, n)


def test_a_code_beside_many_true_zeros_is_found_and_the_zeros_are_not():
    amounts = np.random.default_rng(5).integers(100, 40_000, 80).tolist()
    assert found([0] * 1020 + amounts + [99_999] * 900) == [99_999.0]


def test_two_codes_side_by_side_are_both_found():
    cells = bulk()
    cells[:20], cells[20:60] = [-998.0] * 20, [-999.0] * 40
    assert sorted(found(cells)) == [-999.0, -998.0]


def test_minus_one_among_counts_is_a_code():
    assert found([-1] * 30 + [0] * 80 + [1] * 60 + [2] * 40) == [-1.0]
    assert found([-3, -2, -1, 0, 1, 2, 3] * 30) == []


def test_cells_with_a_code_are_found():
    text = "x,y\n" + "".join(
        f"{999 if k % 9 == 0 else 100 + k % 30},{'ab'[k % 2]}\n" for k in range(90)
    )
    table = cellval.read(text.encode(), label="y")
    (code,) = placeholders(table)
    assert code.rows.tolist() == list(range(0, 90, 9))
    held = holds_code(table, (code,))
    assert np.flatnonzero(held[:, 0]).tolist() == list(range(0, 90, 9))
