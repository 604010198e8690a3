"""Every experiment runs in its short version, and says what it measured."""

import importlib
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import cellval
from cellval.experiments import age, outliers, pairs, removal, removalwords, result
from cellval.experiments.data import read
from cellval.validation.curves import Removal

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
        own = frame[(frame["method"] == "2D-KNN") & (frame["order"] == "lowest first")]
        gains = [
            " / ".join(
                f"{100 * gain_of(own[(own['table'] == t) & of]):+.1f}"
                for t in ("wine", "breast_cancer")
            )
            for of in (
                (own["protocol"] == protocol) & (own["refill"] == refill)
                for protocol, refill in (
                    ("other rows", "mean"),
                    ("same rows", "mean"),
                    ("other rows", "draw"),
                )
            )
        ]
        assert len(set(gains)) == 3
        return gains
    if name == "age":
        own = frame[(frame["signal"] == "Suspicion") & (frame["seed"] == 0)]
        return [f"{own['cells_for_80'].iloc[0]:,}"]
    if name == "budgets":
        own = frame[(frame["signal"] == "2D-KNN") & (frame["share"] == 0.05)]
        return [f"{own.groupby('seed')['found_in_200'].first().mean():.0%} at 5%"]
    own = frame[(frame["signal"] == "Suspicion") & np.isclose(frame["inspected"], 0.05)]
    return [f"{100 * own['found'].mean():.0f} ± "]


def gain_of(curve):
    start, then = np.interp((0, 0.2), curve["removed"], curve["accuracy"])
    return then - start


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
    table = cellval.read("sample_data/wine.csv", label="cultivar")
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


def removal_curves(gains, seeds=4):
    """Curves with these gains by setting, the same on all tables."""
    tables = removalwords.PAPERS
    curves = removalwords.Curves(tables)
    for name in tables:
        for setting, gain in gains.items():
            steps = np.array([0.5, 0.5 + gain, 0.5])
            own = [
                Removal(np.array([0, 0.2, 1]), np.outer(steps + wobble * 1e-3, [1, 1]))
                for wobble in range(seeds)
            ]
            curves.known[name, setting, "2D-KNN", removalwords.LOWEST] = own
    return curves


@pytest.mark.parametrize(
    ("main", "same", "drawn", "told"),
    [
        (0.03, 0.03, 0.03, "there is no difference from the paper to explain."),
        (-0.05, 0.04, -0.05, "shared rows explain the difference; that the mean"),
        (-0.05, -0.01, -0.05, "a part of the difference, on Census, Credit and Bre"),
        (-0.05, -0.01, 0.01, "; the mean refill costs accuracy on Census, Credit an"),
        (-0.05, -0.05, 0.01, "do not explain the difference; the mean refill costs"),
        (-0.05, -0.06, -0.05, "do not explain the difference; that the mean refill"),
    ],
)
def test_a_cause_is_named_only_where_it_was_measured(main, same, drawn, told):
    settings = (removalwords.MAIN, removalwords.SHARED, removalwords.DRAWN)
    gains = dict(zip(settings, (main, same, drawn), strict=True))
    said = removalwords.cause(removal_curves(gains))
    assert told in said and f"{100 * (same - main):+.1f}" in said


def test_only_the_rows_and_the_refill_tell_the_settings_apart():
    frame = read("wine", None, sample=True)
    plan = replace(removal.QUICK, mc_seeds=0, flat_seeds=0)
    size = removal.Size(30, 40, 108)
    found, again = (removal.curves_of(frame, size, plan, 0) for _ in range(2))
    settings = removalwords.SETTINGS
    key = ("2D-KNN", removalwords.LOWEST)
    main, same, drawn = (found[setting, *key] for setting in settings)
    assert main.hits.shape[1] == drawn.hits.shape[1] == 108
    assert same.hits.shape[1] == 40
    np.testing.assert_array_equal(main.hits[0], drawn.hits[0])  # nothing removed yet
    assert (main.hits != drawn.hits).any()
    for name, curve in found.items():
        np.testing.assert_array_equal(curve.hits, again[name].hits)
