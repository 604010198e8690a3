"""Every experiment runs in its short version, and says what it measured."""

import importlib
import re

import numpy as np
import pandas as pd
import pytest

import cellval
from cellval.experiments import age, outliers, pairs, result
from cellval.experiments.data import read

DETECTION = ("outliers", "budgets", "age", "pairs", "removal")


@pytest.mark.parametrize("name", DETECTION)
def test_the_short_version_says_what_it_measured(name, tmp_path):
    made = importlib.import_module(f"cellval.experiments.{name}").run(None, True)
    assert made.name == name and len(made.frame) > 0
    numbers = made.frame.select_dtypes("number").to_numpy(float)
    assert np.isfinite(numbers).all()
    assert "The paper" in made.paragraph and "\n" not in made.paragraph
    assert not re.search(r"\bnan\b|[{}]", made.paragraph)
    for number in known_numbers(name, made.frame):
        assert number in made.paragraph
    assert all(line.what and line.paper and line.ours for line in made.lines)
    assert len({line.what for line in made.lines}) == len(made.lines)
    assert all(trace.name for trace in made.figure.data)
    files = result.write(made, tmp_path)
    assert all(file.stat().st_size > 0 for file in files)
    kept = pd.read_csv(tmp_path / f"{name}.csv")
    assert kept.shape == made.frame.shape


def known_numbers(name, frame):
    """What the paragraph must hold, computed from the frame of all numbers."""
    if name == "pairs":
        r = frame["correlation"]
        return [f"{r.max():.2f}", f"{r.min():.2f}"]
    if name == "removal":
        early = frame[frame["order"] == "lowest first"]
        early = early[(early["method"] == "2D-KNN") & (early["table"] == "wine")]
        start, then = (
            np.interp(x, early["removed"], early["accuracy"]) for x in (0, 0.25)
        )
        return [f"Wine {100 * (then - start):+.1f} points"]
    if name == "age":
        own = frame[(frame["signal"] == "Suspicion") & (frame["seed"] == 0)]
        return [f"{own['cells_for_80'].iloc[0]:,}"]
    if name == "budgets":
        own = frame[(frame["signal"] == "2D-KNN") & (frame["share"] == 0.05)]
        return [f"{own.groupby('seed')['found_in_200'].first().mean():.0%} at 5%"]
    own = frame[(frame["signal"] == "Suspicion") & np.isclose(frame["inspected"], 0.05)]
    return [f"{100 * own['found'].mean():.0f} ± "]


def test_ages_are_mistyped_and_nothing_else():
    frame = read("census", None, sample=True)
    planted = age.swap_ages(frame, 15, 0)
    was, now = frame["age"], planted.frame["age"]
    changed = (was != now).to_numpy()
    assert changed.sum() == planted.wrong.sum() == 15
    np.testing.assert_array_equal(changed, planted.wrong[:, 0])
    assert {(a, b) for a, b in zip(was[changed], now[changed], strict=True)} <= set(
        age.SWAPS.items()
    )
    pd.testing.assert_frame_equal(
        planted.frame.drop(columns="age"), frame.drop(columns="age")
    )
    with pytest.raises(cellval.InputError, match="15 ages are to be mistyped"):
        age.swap_ages(frame.head(20), 15, 0)


def test_a_subset_has_enough_ages_to_mistype_and_other_rows_to_test_on():
    frame = read("census", None, sample=True)
    frame["fnlwgt"] = np.arange(len(frame))
    some, others = age.subset(frame, 40, 15, 1)
    assert len(some) == 40 and some["age"].isin(list(age.SWAPS)).sum() >= 15
    assert not set(some["fnlwgt"]) & set(others["fnlwgt"])


def test_a_case_knows_its_errors():
    frame = read("breast_cancer", None, sample=True)
    case = outliers.make_case(frame, 0.02, 0, 90, 60)
    again = outliers.make_case(frame, 0.02, 0, 90, 60)
    assert case.table.fingerprint == again.table.fingerprint
    assert case.table.n_rows == 90 and case.test.n_rows == 60
    assert 5 < case.wrong.sum() <= round(0.02 * 90 * 9)
    other = outliers.make_case(frame, 0.02, 1, 90, 60)
    assert case.table.fingerprint != other.table.fingerprint


def test_pairs_have_alike_sums_and_no_copies():
    table = cellval.read_csv("sample_data/wine.csv", label="cultivar")
    values = cellval.value_cells(table, subsets=26)
    found = pairs.alike_rows(values)
    a, b = found.first, found.second
    gaps = np.abs(values.row_values[a] - values.row_values[b])
    assert found.correlation.size > 100
    assert (gaps <= np.minimum(values.row_stderr[a], values.row_stderr[b])).all()
    k = int(np.argmin(found.correlation))
    expected = np.corrcoef(values.values[a[k]], values.values[b[k]])[0, 1]
    assert found.correlation[k] == pytest.approx(expected)
    assert found.correlation.min() < 0 < 0.8 < found.correlation.max()
