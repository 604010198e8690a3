"""Accuracy before and after a repair: fair folds, honest statistics, plain verdicts."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from cases import random_table
from cellval.repair import models

from cellval import InputError, Table
from cellval.repairs import measure as remeasure
from cellval.repairs.comparison import Comparison, corrected
from cellval.repairs.measure import MODELS, _plan, iter_scores
from cellval.repairs.versions import versions_of
from cellval.table.encoding import encode
from cellval.table.rows import part

QUICK = {"folds": 3, "repeats": 1}


def clean_frame(n=240, seed=0):
    """Two numbers, one with gaps, and a category; the label follows from x and tone."""
    rng = np.random.default_rng(seed)
    x, z = rng.normal(size=n).round(2), rng.normal(size=n).round(1)
    tone = rng.choice(["low", "mid", "high"], n)
    y = x + (tone == "high") - (tone == "low") + 0.3 * rng.normal(size=n) > 0
    frame = pd.DataFrame({"x": x, "z": z, "tone": tone, "y": np.where(y, "yes", "no")})
    frame.loc[rng.random(n) < 0.1, "z"] = np.nan
    frame.loc[rng.random(n) < 0.1, "tone"] = None
    return frame


def table_of(frame):
    return Table.from_frame(frame, label="y")


def flipped(table, rows):
    """Changes that turn the labels of these rows round."""
    other = {"yes": "no", "no": "yes"}
    return {(i, "y"): other[table.classes[table.y[i]]] for i in map(int, rows)}


@pytest.fixture(scope="module")
def clean():
    return table_of(clean_frame())


@pytest.fixture(scope="module")
def dirty(clean):
    """Of five rows one has the wrong label, and another one the wrong sign of x."""
    x = clean.features[0].numbers
    signs = {(i, "x"): f"{-2 * x[i]:.2f}" for i in range(1, clean.n_rows, 5)}
    return clean.with_cells(flipped(clean, range(0, clean.n_rows, 5)) | signs)


def drained(before, after, **options):
    *_, last = iter_scores(before, after, **options)
    return last


def spied(monkeypatch, before, after, **options):
    """All training and test sets, as (train, test, versions)."""
    seen = []

    def spy(model, versions, plan, train, test):
        seen.append((train, test, versions))
        return versions.rows.y[test]

    monkeypatch.setattr(remeasure, "predicted", spy)
    return seen, drained(before, after, **options)


def test_a_repair_of_harmful_errors_makes_all_models_better(dirty, clean):
    result = drained(dirty, clean, folds=5, repeats=2)
    frame = result.frame()
    assert (frame["low"] > 0).all()
    assert (frame["after"] > frame["before"]).all()
    assert frame["verdict"].str.startswith("Better by ").all()
    assert (frame["n_folds"] == 10).all()
    assert result.n_touched == 96
    assert result.n_tested == 144


def test_the_opposite_of_a_repair_makes_models_worse(dirty, clean):
    frame = drained(clean, dirty, **QUICK | {"repeats": 2}).frame()
    assert frame["verdict"].str.startswith("Worse by ").all()
    assert not frame["verdict"].str.contains("by −").any()


def test_an_edit_without_meaning_is_within_noise(clean):
    rng = np.random.default_rng(3)
    edits = {(i, "z"): f"{rng.normal():.1f}" for i in range(0, clean.n_rows, 4)}
    result = drained(clean, clean.with_cells(edits), folds=5, repeats=2)
    for model in result.models:
        verdict = result.verdict(model)
        assert verdict == "No difference." or verdict.startswith("Within noise: ")


def test_held_out_rows_are_untouched_and_all_touched_rows_are_trained_on(
    clean, monkeypatch
):
    after = clean.with_cells(
        flipped(clean, [3, 9]) | {(5, "x"): "7", (8, "tone"): "new"}, drop=[0, 20]
    )
    seen, result = spied(monkeypatch, clean, after, folds=4, repeats=2)
    touched = np.array([0, 3, 5, 8, 9, 20])
    assert result.n_touched == touched.size
    assert result.n_dropped == 2
    assert result.n_tested == clean.n_rows - touched.size
    n, held_out = clean.n_rows, []
    for (train, test, versions), (new_train, new_test, _) in zip(
        seen[::2], seen[1::2], strict=True
    ):
        numbers = versions.rows.row_numbers
        assert np.array_equal(test, new_test)
        assert not np.isin(touched, test).any()
        assert test.max() < n
        assert np.array_equal(np.sort(np.append(train, test)), np.arange(n))
        new = new_train[new_train >= n]
        assert numbers[new].tolist() == [4, 6, 9, 10], "rows count from 1"
        rest = np.setdiff1d(train, touched)
        assert np.array_equal(np.sort(new_train), np.append(rest, new))
        held_out.append(test)
    everyone, times = np.unique(np.concatenate(held_out), return_counts=True)
    assert np.array_equal(everyone, np.setdiff1d(np.arange(n), touched))
    assert set(times) == {len(MODELS) * 2}, "once per model and repeat"


def test_rows_carry_the_cells_of_their_version(clean):
    after = clean.with_cells(
        {(4, "x"): "7.5", (5, "tone"): "a new one", (6, "y"): "maybe", (7, "z"): "?"},
        drop=[1],
    )
    versions = versions_of(clean, after)
    x, z, tone = versions.X.T
    assert versions.old.tolist()[:4] == [1, 4, 5, 6]
    new = dict(zip(versions.rows.row_numbers[versions.new], versions.new, strict=True))
    assert x[new[5]] == 7.5
    assert x[4] == clean.features[0].numbers[4]
    assert versions.rows.features[2].categories[int(tone[new[6]])] == "a new one"
    assert versions.rows.classes[versions.rows.y[new[7]]] == "maybe"
    assert versions.rows.classes[versions.rows.y[6]] == clean.classes[clean.y[6]]
    assert np.isnan(z[new[8]])


def test_what_models_cannot_see_is_no_change():
    frame = clean_frame(60).assign(remark=[f"text {i}" for i in range(60)])
    table = table_of(frame)
    assert "remark" not in table.feature_names
    same = {(0, "remark"): "other", (1, "x"): f" {table.cells['x'][1]}0 "}
    with pytest.raises(InputError, match="Nothing was changed"):
        iter_scores(table, table.with_cells(same))
    versions = versions_of(table, table.with_cells(same | {(2, "x"): "9"}))
    assert versions.old.tolist() == [2]


def test_dropping_bad_rows_helps(dirty):
    after = dirty.with_cells({}, drop=range(0, dirty.n_rows, 5))
    result = drained(dirty, after, folds=5, repeats=1)
    assert result.n_dropped == result.n_touched == 48
    assert result.verdict("KNN").startswith("Better by ")


def test_the_same_seed_gives_the_same_accuracies(dirty, clean):
    one, two = (drained(dirty, clean, **QUICK) for _ in range(2))
    np.testing.assert_array_equal(one.before, two.before)
    np.testing.assert_array_equal(one.after, two.after)
    other = drained(dirty, clean, **QUICK, random_state=1)
    assert not np.array_equal(one.before, other.before)


def test_early_results_hold_all_models_and_stay_when_stopped(dirty, clean):
    steps = iter_scores(dirty, clean, folds=3, repeats=2)
    first = next(steps)
    assert first.done == 0
    assert np.isnan(first.before).all()
    assert all(first.verdict(m).startswith("Too early to say") for m in MODELS)
    seen = [next(steps) for _ in MODELS]
    steps.close()
    assert [np.sum(~np.isnan(step.before)) for step in seen] == [1, 2, 3]
    last = seen[-1]
    assert (last.frame()["n_folds"] == 1).all()
    assert last.done == pytest.approx(1 / 6)
    assert last.seconds > 0
    assert last.seconds_left > 0
    with pytest.raises(ValueError, match="read-only"):
        last.before[:] = 0
    whole = drained(dirty, clean, folds=3, repeats=2)
    np.testing.assert_array_equal(last.before[:, 0, 0], whole.before[:, 0, 0])
    assert (whole.done, whole.seconds_left) == (1, 0)


def test_a_model_that_fails_says_so_and_the_others_go_on(dirty, clean, monkeypatch):
    def broken(*args):
        raise ValueError("secret")

    monkeypatch.setattr(models, "_logistic_regression", broken)
    result = drained(dirty, clean, **QUICK)
    frame = result.frame()
    assert frame["n_folds"].tolist() == [3, 0, 3]
    assert frame["verdict"].iloc[1] == (
        "Logistic regression failed on this table (ValueError)."
    )
    assert result.done == 1


def test_small_classes_mean_fewer_folds():
    frame = clean_frame(60)
    frame.loc[:2, "y"] = "rare"
    table = table_of(frame)
    result = drained(table, table.with_cells({(10, "x"): "3"}), repeats=1)
    assert result.before.shape == (3, 1, 3)
    assert result.note.startswith("3 instead of 5 folds, because class 'rare' has only")
    with pytest.raises(InputError, match="Only one row of class 'rare'"):
        iter_scores(table, table.with_cells({(0, "x"): "3", (1, "x"): "3"}))
    every = table.with_cells({(i, "x"): "3" for i in range(3)})
    result = drained(table, every, **QUICK)
    assert "Not measured: 'rare'" in result.note


def test_faults_are_told_in_plain_words(clean):
    n = clean.n_rows
    with pytest.raises(InputError, match="Nothing was changed"):
        iter_scores(clean, clean.with_cells({}))
    with pytest.raises(InputError, match="Every row was changed"):
        iter_scores(clean, clean.with_cells({(i, "x"): "99" for i in range(n)}))
    all_yes = {(int(i), "x"): "99" for i in np.flatnonzero(clean.y == 1)}
    with pytest.raises(InputError, match="not repaired are of class 'no'"):
        iter_scores(clean, clean.with_cells(all_yes))
    with pytest.raises(InputError, match="no repaired version"):
        iter_scores(clean, random_table(0, 20, ["number"]))
    with pytest.raises(InputError, match="no repaired version"):
        iter_scores(clean.with_cells({}, drop=[1]), clean)
    for wrong in ({"folds": 1}, {"repeats": 0}, {"n_neighbors": 2.5}):
        with pytest.raises(InputError, match=next(iter(wrong))):
            iter_scores(clean, clean.with_cells({(0, "x"): "9"}), **wrong)


def test_hard_tables_are_measured_without_warnings():
    """A column all missing in training, 400 categories, huge numbers, three classes."""
    rng = np.random.default_rng(5)
    n = 450
    frame = pd.DataFrame(
        {
            "many": rng.permutation([f"c{i % 400}" for i in range(n)]),
            "empty": ["1", "2"] + [""] * (n - 2),
            "huge": rng.normal(size=n) * 1e200,
            "wide": rng.integers(0, 2, n) * 1e6,
            "y": rng.choice(["a", "b", "c"], n),
        }
    )
    kinds = {"many": "category", "empty": "number"}
    table = Table.from_frame(frame, label="y", kinds=kinds)
    assert table.feature_names == ("many", "empty", "huge", "wide")
    after = table.with_cells({(0, "empty"): "", (1, "empty"): "", (2, "many"): "new"})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = drained(table, after, folds=2, repeats=1)
    assert not set(result.failures) - {"Logistic regression"}
    assert not np.isnan(result.before[[0, 2]]).any()


@pytest.mark.parametrize(("column", "text"), [("z", "9.9"), ("tone", "new")])
def test_tables_of_one_kind_are_measured(column, text):
    table = table_of(clean_frame(40)[[column, "y"]])
    after = table.with_cells({(0, column): text, (1, column): ""}, drop=[4])
    result = drained(table, after, **QUICK)
    assert result.n_touched == 3
    assert not result.failures


def test_large_tables_are_measured_with_less(clean, monkeypatch):
    for name, size in (("REPEATED_CELLS", 1500), ("KNN_WORK", 1), ("TREE_WORK", 1)):
        monkeypatch.setattr(remeasure, name, size)
    monkeypatch.setattr(remeasure, "FEWEST_TESTS", 30)
    after = clean.with_cells({(0, "x"): "9"})
    seen, result = spied(monkeypatch, clean, after)
    assert result.before.shape == (3, 2, 5)
    assert {test.size for _, test, _ in seen} == {30}
    assert result.test_to_train == pytest.approx(30 / (239 * 4 / 5 + 1))
    assert result.note == (
        "2 instead of 5 repeats, because the table is large (720 cells). "
        "30 rows are predicted in each fold, because the table is large (720 cells). "
        "Gradient boosting makes 10 instead of 100 rounds, because the table is large "
        "or has many classes."
    )


def comparison(before, after, test_to_train=0.25):
    before, after = np.array([before]), np.array([after])
    return Comparison(
        ("KNN",), before, after, test_to_train, 3, 0, 50, "no", 0.6, done=1.0
    )


def test_statistics_follow_the_formula():
    before = [[0.80, 0.82], [0.78, 0.84]]
    after = [[0.83, 0.83], [0.80, 0.90]]
    row = comparison(before, after).frame().loc["KNN"]
    # differences 3, 1, 2, 6 points: mean 3, variance (0 + 4 + 1 + 9) / 3 = 14 / 3
    stderr = 0.01 * np.sqrt(14 / 3 * (1 / 4 + 0.25))
    assert row["difference"] == pytest.approx(0.03)
    assert row["stderr"] == pytest.approx(stderr)
    assert row["low"] == pytest.approx(0.03 - 3.182446 * stderr)  # t, 3 degrees
    assert row["high"] == pytest.approx(0.03 + 3.182446 * stderr)
    assert row["before"] == pytest.approx(0.81)
    assert row["after"] == pytest.approx(0.84)
    assert row["before_spread"] == pytest.approx(0, abs=1e-12)
    assert row["after_spread"] == pytest.approx(0.02 / np.sqrt(2))
    assert row["verdict"] == (
        "Within noise: the difference of +3.0 percentage points could be chance "
        "(95 % interval −1.9 to +7.9)."
    )


def test_folds_not_yet_measured_do_not_count():
    nan = np.nan
    some = comparison([[0.8, 0.7], [0.6, nan]], [[0.9, 0.7], [0.7, nan]]).frame()
    assert some.loc["KNN", "n_folds"] == 3
    assert some.loc["KNN", "before"] == pytest.approx(0.7)
    assert np.isnan(some.loc["KNN", "before_spread"]), "one repeat is complete"
    expected = corrected(np.array([0.1, 0.0, 0.1]), 0.25)
    columns = ["difference", "stderr", "low", "high"]
    np.testing.assert_allclose(some.loc["KNN", columns].astype(float), expected)


@pytest.mark.parametrize(
    ("after", "verdict"),
    [
        ([0.5, 0.5, 0.5], "No difference."),
        ([0.5, np.nan, np.nan], "Too early to say: fewer than two folds are measured."),
        (
            [0.52, 0.521, 0.519],
            "Better by 2.00 percentage points (95 % interval +1.67 to ",
        ),
        ([0.4, 0.39, 0.41], "Worse by 10.0 percentage points (95 % interval −13.3 to "),
        ([0.75, 0.75, 0.75], "Too early to say: the difference is +25.0 percentage"),
    ],
)
def test_verdicts_in_plain_words(after, verdict):
    before = np.where(np.isnan(after), np.nan, 0.5).tolist()
    assert comparison([before], [after]).verdict("KNN").startswith(verdict)


def test_guessing_is_told_for_reference():
    assert comparison([[0.5]], [[0.5]]).reference == (
        "For reference: always guessing the commonest class, 'no', is right in 60 % of "
        "these rows."
    )


def naive_vote(train, seen, k):
    """Expected votes when ties in distance are broken at random, in plain Python."""
    classes = []
    for t in range(seen.shape[1]):
        distances = []
        for i in range(train.cells.shape[1]):
            total = 0.0
            for j, weight in enumerate(train.weight):
                a, b = float(train.cells[j, i]), float(seen[j, t])
                if np.isnan(a) or np.isnan(b):
                    total += np.isnan(a) != np.isnan(b)
                elif train.is_category[j]:
                    total += float(weight) * (a != b)
                else:
                    total += float(weight) * (a - b) ** 2
            distances.append(total)
        y, reach = train.y.tolist(), sorted(distances)[min(k, len(distances)) - 1]
        near = [y[i] for i, d in enumerate(distances) if d < reach]
        tied = [y[i] for i, d in enumerate(distances) if d == reach]
        left = min(k, len(distances)) - len(near)
        votes = {
            c: (near.count(c) * len(tied) + left * tied.count(c), y.count(c), -c)
            for c in set(y)
        }
        classes.append(max(votes, key=votes.get))
    return classes


@pytest.mark.parametrize("k", [1, 2, 5, 100])
@pytest.mark.parametrize("seed", range(4))
def test_knn_is_the_vote_of_the_definition(k, seed):
    kinds = ["number", "category", "number", "category"]
    table = random_table(seed, 40, kinds, n_classes=3, missing=0.15)
    test = random_table(seed + 50, 30, kinds, n_classes=3, levels=4, missing=0.15)
    seen = encode(test, like=table).cells
    expected = naive_vote(encode(table), seen, k)
    assert models.knn_classes(table, seen, k).tolist() == expected


def test_knn_does_not_depend_on_row_order():
    table = random_table(7, 60, ["number", "category"], n_classes=3)
    rows = np.random.default_rng(0).permutation(60)
    shuffled = part(table, rows)
    seen = encode(table).cells
    np.testing.assert_array_equal(
        models.knn_classes(table, seen, 5), models.knn_classes(shuffled, seen, 5)
    )


def test_neighbours_count(dirty, clean):
    few, many = (
        drained(dirty, clean, **QUICK, n_neighbors=k).before[0] for k in (1, 200)
    )
    assert not np.array_equal(few, many)


def test_scale_of_knn_comes_from_the_training_rows(clean):
    versions = versions_of(clean, clean.with_cells({(0, "x"): "9"}))
    plan = _plan(versions, 5, 2, 1, 0)
    rows = versions.rows
    test, train = np.arange(10, 20), np.arange(20, clean.n_rows)
    once = models.predicted("KNN", versions, plan, train, test)
    numbers = rows.features[1].numbers.copy()
    numbers[:10] = 1e6
    wild = replace(rows.features[1], numbers=numbers)
    columns = (rows.features[0], wild, rows.features[2])
    other = replace(versions, rows=replace(rows, columns=columns))
    np.testing.assert_array_equal(
        once, models.predicted("KNN", other, plan, train, test)
    )
