"""Accuracy before and after a repair: fair folds, the same bits, plain faults."""

import threading
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from cases import clean_frame, message_of, number_table, random_table
from sklearn.metrics import mean_absolute_error

from cellval import InputError, Table
from cellval.games import models
from cellval.repairs import measure as remeasure
from cellval.repairs.measure import (
    MEASURED,
    _plan,
    iter_comparison,
    number_folds,
    predicted,
)
from cellval.repairs.versions import versions_of

QUICK = {"folds": 3, "repeats": 1}


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
    *_, last = iter_comparison(before, after, **options)
    assert (last.done, last.seconds_left) == (1, 0)
    return last.result


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


def test_who_stops_waits_for_one_model_only(monkeypatch, dirty, clean):
    begun, go_on, models = threading.Event(), threading.Event(), []

    def slow(model, versions, plan, train, test):
        models.append(model)
        begun.set()
        assert go_on.wait(900)
        return versions.rows.y[test]

    stop = remeasure._Measuring.stop

    def stopped(self):
        stop(self)
        go_on.set()

    monkeypatch.setattr(remeasure._Measuring, "stop", stopped)
    monkeypatch.setattr(remeasure, "predicted", slow)
    steps = iter_comparison(dirty, clean, **QUICK)
    for _ in steps:
        if begun.is_set():
            break
    steps.close()
    assert set(models) == {"knn"}


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
    assert set(times) == {len(MEASURED) * 2}, "once per model and repeat"


def test_what_models_cannot_see_is_no_change():
    frame = clean_frame(60).assign(remark=[f"text {i}" for i in range(60)])
    table = table_of(frame)
    assert "remark" not in table.feature_names
    same = {(0, "remark"): "other", (1, "x"): f" {table.cells['x'][1]}0 "}
    with pytest.raises(InputError, match="Nothing was changed"):
        iter_comparison(table, table.with_cells(same))
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
    steps = iter_comparison(dirty, clean, folds=3, repeats=2)
    snapshot = next(steps)
    first = snapshot.result
    assert snapshot.done == first.measured == 0
    assert np.isnan(first.before).all()
    assert all(first.verdict(m).startswith("Too early to say") for m in first.models)
    while not snapshot.result.measured:
        snapshot = next(steps)
    steps.close()
    last = snapshot.result
    assert np.sum(~np.isnan(last.before)) == 3
    assert (last.frame()["n_folds"] == 1).all()
    assert snapshot.done == pytest.approx(1 / 6) == last.measured
    assert snapshot.seen == "1 of 6 folds"
    assert snapshot.seconds > 0
    assert snapshot.seconds_left > 0
    with pytest.raises(ValueError, match="read-only"):
        last.before[:] = 0
    whole = drained(dirty, clean, folds=3, repeats=2)
    np.testing.assert_array_equal(last.before[:, 0, 0], whole.before[:, 0, 0])
    assert whole.measured == 1


def test_a_model_that_fails_says_so_and_the_others_go_on(dirty, clean, monkeypatch):
    def broken(*args):
        raise ValueError("secret")

    monkeypatch.setattr(models, "_linear_model", broken)
    result = drained(dirty, clean, **QUICK)
    frame = result.frame()
    assert frame["n_folds"].tolist() == [3, 0, 3]
    assert frame["verdict"].iloc[1] == (
        "Logistic regression failed on this table (ValueError)."
    )
    assert result.measured == 1


def test_small_classes_mean_fewer_folds():
    frame = clean_frame(60)
    frame.loc[:2, "y"] = "rare"
    table = table_of(frame)
    result = drained(table, table.with_cells({(10, "x"): "3"}), repeats=1)
    assert result.before.shape == (3, 1, 3)
    assert result.note.startswith("3 instead of 5 folds, because class 'rare' has only")
    every = table.with_cells({(i, "x"): "3" for i in range(3)})
    result = drained(table, every, **QUICK)
    assert "Not measured: 'rare'" in result.note


@pytest.mark.parametrize("n_rare", [1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_a_class_with_one_untouched_row_is_measured_as_if_it_were_not_there(
    seed, n_rare
):
    frame = clean_frame(60)
    at = np.random.default_rng(seed).permutation(60)
    for k in range(n_rare):
        frame.loc[at[k], "y"] = f"rare {k}"
    others = frame.drop(index=at[:n_rare]).reset_index(drop=True)
    kinds = {column.name: column.kind for column in table_of(frame).columns}
    results = []
    for given in (frame, others):
        table = Table.from_frame(given, label="y", kinds=kinds)
        touched = given["z"].astype(str) == str(frame["z"][at[-1]])
        change = {(int(np.flatnonzero(touched)[0]), "x"): "3"}
        results.append(drained(table, table.with_cells(change), **QUICK))
    with_rare, without = results
    np.testing.assert_array_equal(with_rare.before, without.before)
    np.testing.assert_array_equal(with_rare.after, without.after)
    assert with_rare.n_tested == without.n_tested == 59 - n_rare
    assert without.note == ""
    assert with_rare.note.startswith(
        "Left out: 1 row of class 'rare 0'. There is no other row of that class that"
        if n_rare == 1
        else "Left out: 1 row of each of 'rare 0', 'rare 1'. There is no other row of"
    )


def test_repaired_rows_of_a_class_that_is_left_out_are_learned_from(monkeypatch):
    frame = clean_frame(60)
    frame.loc[:2, "y"] = "rare"
    table = table_of(frame)
    after = table.with_cells({(0, "x"): "3", (1, "y"): "yes"})
    seen, result = spied(monkeypatch, table, after, **QUICK)
    assert "Left out: 1 row of class 'rare'" in result.note
    for train, test, versions in seen:
        assert 2 not in train
        assert 2 not in test
        assert {0, 1} <= set(train) or set(versions.new) <= set(train)


def test_faults_are_told_in_plain_words(clean):
    n = clean.n_rows
    with pytest.raises(InputError, match="Nothing was changed"):
        iter_comparison(clean, clean.with_cells({}))
    with pytest.raises(InputError, match="Every row was changed"):
        iter_comparison(clean, clean.with_cells({(i, "x"): "99" for i in range(n)}))
    all_yes = {(int(i), "x"): "99" for i in np.flatnonzero(clean.y == 1)}
    with pytest.raises(InputError, match="not repaired are of class 'no'"):
        iter_comparison(clean, clean.with_cells(all_yes))
    all_but_one = {cell: "99" for cell in list(all_yes)[1:]}
    with pytest.raises(InputError, match="Only one row of class 'yes' was"):
        iter_comparison(clean, clean.with_cells(all_but_one))
    with pytest.raises(InputError, match="no repaired version"):
        iter_comparison(clean, random_table(0, 20, ["number"]))
    with pytest.raises(InputError, match="no repaired version"):
        iter_comparison(clean.with_cells({}, drop=[1]), clean)
    for wrong in ({"folds": 1}, {"repeats": 0}, {"n_neighbors": 2.5}):
        with pytest.raises(InputError, match=next(iter(wrong))):
            iter_comparison(clean, clean.with_cells({(0, "x"): "9"}), **wrong)


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
    once = predicted("knn", versions, plan, train, test)
    numbers = rows.features[1].numbers.copy()
    numbers[:10] = 1e6
    wild = replace(rows.features[1], numbers=numbers)
    columns = (rows.features[0], wild, rows.features[2])
    other = replace(versions, rows=replace(rows, columns=columns))
    np.testing.assert_array_equal(once, predicted("knn", other, plan, train, test))


# --- labels that are numbers ----------------------------------------------------------


def slipped(table, rows):
    return table.with_cells({(i, "price"): f"{10 * table.target[i]:.2f}" for i in rows})


def test_a_repair_of_numeric_labels_makes_regressors_better():
    table = number_table(200, 0)
    result = drained(slipped(table, range(0, 200, 8)), table, folds=5, repeats=2)
    assert result.models == ("KNN", "Ridge regression", "Gradient boosting")
    frame = result.frame()
    assert (frame["low"] > 0).all() and (frame["error_high"] < 0).all()
    assert (frame["after"] > 0.7).all() and (frame["error_after"] < 8).all()
    assert (result.n_touched, result.n_tested) == (25, 175)
    for verdict in frame["verdict"]:
        assert verdict.startswith("Better by ") and "below 0 is better" in verdict
    untouched = np.setdiff1d(np.arange(200), range(0, 200, 8))
    middle = np.median(table.target[untouched])
    off = np.abs(table.target[untouched] - middle).mean()
    assert result.guess_error == pytest.approx(off)
    assert result.guess == f"{middle:g}"


def test_scores_of_numbers_are_those_of_the_definition(monkeypatch):
    table = number_table(60, 1)
    truth, n = table.target, 58
    seen = []

    def spy(model, versions, plan, train, test):
        assert np.isin(train, np.arange(60)).sum() in (train.size, train.size - 2)
        said = truth[test] + np.where(np.arange(test.size) % 2, 3.0, -1.0)
        seen.append((test, said))
        return said

    monkeypatch.setattr(remeasure, "predicted", spy)
    after = table.with_cells({(3, "price"): "99", (8, "x"): "7"})
    result = drained(table, after, folds=4, repeats=1)
    variance = np.var(np.delete(truth, [3, 8]))
    for fold, (test, said) in enumerate(seen[::6]):
        off = mean_absolute_error(truth[test], said)
        assert result.errors_before[0, 0, fold] == pytest.approx(off)
        r2 = 1 - np.mean((truth[test] - said) ** 2) / variance
        assert result.before[0, 0, fold] == pytest.approx(r2)
    assert sorted(np.concatenate([test for test, _ in seen[::6]])) == [
        i for i in range(60) if i not in (3, 8)
    ]
    assert result.n_tested == n and result.verdict("KNN") == "No difference."


def test_folds_of_numbers_hold_low_and_high_ones_alike():
    y = np.random.default_rng(0).permutation(np.repeat(np.arange(25.0), 2))[:48]
    folds = list(number_folds(y, 5, 2, 0))
    assert len(folds) == 10
    for train, test in folds:
        assert np.array_equal(np.sort(np.append(train, test)), np.arange(48))
        assert test.size in (9, 10)
        ranks = np.argsort(np.argsort(y))[test] // 10
        assert np.bincount(ranks, minlength=5).min() >= 1
    assert not np.array_equal(folds[0][1], folds[5][1]), "another repeat"


def test_knn_says_the_mean_of_its_neighbours_and_shares_ties():
    table = Table.from_frame(
        pd.DataFrame({"x": [0, 1, 1, 1, 9, 20], "y": [5.0, 1, 2, 6, 40, 80]}),
        label="y",
        kinds={"y": "number", "x": "number"},
    )
    versions = versions_of(table, table.with_cells({(5, "y"): "70"}))
    plan = _plan(versions, 2, 2, 1, 0)
    said = predicted("knn", versions, plan, np.arange(5), np.array([0, 4]))
    # itself and a third of each of three; itself and a third of each
    assert said.tolist() == [(5 + 3) / 2, (40 + 3) / 2]


def test_faults_of_numbers_are_told_in_plain_words():
    table = number_table(30, 2)
    same = table.with_cells({(i, "price"): "50" for i in range(28)})
    after = same.with_cells({(28, "price"): "50", (29, "x"): "3"})
    words = message_of(iter_comparison, same, after)
    assert "All 28 rows that were not repaired have the same 'price', 50" in words
    few = table.with_cells({(i, "x"): "9" for i in range(27)})
    assert "3 instead of 5 folds, because the table has only 3 rows" in (
        next(iter_comparison(table, few)).result.note
    )
    assert "without a label" in message_of(
        iter_comparison, replace(table, label=""), table
    )


@pytest.mark.parametrize("scale", [1e200, 1e-200])
def test_numbers_as_large_or_small_as_can_be_are_measured(scale):
    table = number_table(40, 0)
    frame = table.cells.assign(price=[repr(scale * y) for y in table.target.tolist()])
    table = Table.from_frame(frame, label="price", kinds={"price": "number"})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        after = table.with_cells({(3, "x"): "2", (5, "price"): repr(60 * scale)})
        frame = drained(table, after, **QUICK).frame()
    scores = frame.drop(columns="verdict").astype(float)
    known = scores.drop(columns=["before_spread", "after_spread"])
    assert np.isfinite(known.to_numpy()).all()
    assert (frame["error_before"] / scale).between(0.5, 20).all()
