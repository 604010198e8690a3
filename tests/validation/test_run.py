"""Errors planted into a table of one's own, and whether they are found."""

import numpy as np
import pandas as pd
import pytest
from cases import message_of, number_table

import cellval
from cellval.table.labels import usual_width
from cellval.validation.run import iter_validation
from cellval.validation.signals import SIGNALS
from cellval.valuation import iter_values


def sample(name, label):
    return cellval.read(f"sample_data/{name}.csv", label=label)


@pytest.mark.parametrize(("name", "label"), [("davis", "sex"), ("wine", "cultivar")])
def test_ten_times_too_large_is_found(name, label):
    table = sample(name, label)
    snapshots = list(iter_validation(table, kind="times ten", share=0.03))
    last = snapshots[-1].result
    assert snapshots[-1].done == 1 and last.found and snapshots[-1].seconds_left == 0
    assert last.curves["Suspicion"].auc > 0.8
    assert last.curves["Random"].auc == 0.5
    assert list(last.curves) == list(SIGNALS)
    done = [now.done for now in snapshots]
    assert done == sorted(done)
    detected = [now.result.found for now in snapshots]
    measured = [bool(now.result.removal) for now in snapshots]
    assert detected.index(True) < measured.index(True)
    first = snapshots[0].result
    assert first.curves and not first.removal
    frame = last.frame().set_index("signal")
    assert (frame["cells_for_50"] <= frame["cells_for_90"]).all()
    assert frame.loc["Suspicion", "cells_for_90"] < 0.2


def test_the_accuracy_is_that_of_trees_on_clean_rows():
    table = sample("wine", "cultivar")
    last = cellval.validate(table, kind="swap", share=0.05)
    curve = last.removal["Suspicion"]
    n = last.planted.held_out.size
    assert curve.hits.shape == (curve.removed.size, n) and n == pytest.approx(53, abs=2)
    starts = {name: own.accuracy[0] for name, own in last.removal.items()}
    assert len(set(starts.values())) == 1  # nothing is removed yet
    assert 0.6 < last.accuracy_clean <= 1 and 0.6 < last.accuracy_known <= 1


def test_the_same_seed_gives_the_same_numbers():
    table = sample("davis", "sex")

    def final(seed):
        last = cellval.validate(table, kind="noise", share=0.05, random_state=seed)
        found = {name: curve.found for name, curve in last.curves.items()}
        return found, {name: own.hits for name, own in last.removal.items()}

    for one, two in zip(final(1), final(1), strict=True):
        for name, array in one.items():
            np.testing.assert_array_equal(array, two[name])
    assert any(
        a.shape != b.shape or (a != b).any()
        for a, b in zip(final(1)[0].values(), final(2)[0].values(), strict=True)
    )


def test_whoever_stops_keeps_what_there_is():
    snapshots = iter_validation(sample("davis", "sex"), kind="zero", share=0.05)
    first = next(snapshots).result
    assert set(first.curves) == {"Class-wise |z|", "Random"}
    snapshots.close()
    assert list(snapshots) == []


def test_all_rows_are_valued_where_no_tree_is_asked_for():
    table = sample("davis", "sex")
    last = cellval.validate(table, kind="swap", share=0.05, removal=False)
    assert last.planted.table.n_rows == table.n_rows and not last.removal
    assert np.isnan(last.accuracy_clean)


def test_of_a_large_table_some_rows_are_test_points_as_in_a_run(monkeypatch):
    table, asked = sample("wine", "cultivar"), []

    def iter_seen(table, **options):
        asked.append(options["subsets"])
        return iter_values(table, **options)

    monkeypatch.setattr("cellval.validation.run.iter_values", iter_seen)
    cellval.validate(table, kind="times ten", removal=False)
    monkeypatch.setattr("cellval.knn.plan.DRAWN_WORK", 1.0)
    cellval.validate(table, kind="times ten", removal=False)
    assert asked == [8 * 13, "auto"]


def words_only():
    frame = pd.DataFrame({"word": ["a", "b", "c"] * 20, "y": ["p", "q"] * 30})
    return cellval.Table.from_frame(frame, label="y", kinds={"word": "category"})


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        (words_only, {"kind": "times ten"}, "no column of numbers that is a feature"),
        (words_only, {"kind": "salt"}, "'salt' is no kind of error"),
        (words_only, {"kind": "swap", "share": 0.02}, "fewer than 5 say nothing"),
        (words_only, {"kind": "swap", "share": 0.9}, "at most 0.5"),
        (words_only, {"kind": "swap", "test_share": 1.0}, "cannot be held out"),
        (words_only, {"kind": "swap", "share": 0.4, "test_share": 0.0}, "too few"),
        (words_only, {"kind": "swap", "share": 0.4, "method": "mc"}, "itself"),
        (
            words_only,
            {"kind": "swap", "share": 0.4, "n_neighbors": 0},
            "n_neighbors=0 is not possible",
        ),
    ],
)
def test_what_cannot_be_done_is_said_at_once(table, options, message):
    with pytest.raises(cellval.InputError, match=message):
        iter_validation(table(), **options)


def test_errors_are_found_where_the_label_is_a_number():
    table = number_table(150, 0)
    last = cellval.validate(table, kind="times ten", share=0.05)
    assert last.score == "closeness"
    assert last.curves["Suspicion"].auc > 0.8
    n = last.planted.held_out.size
    assert n == 45 and np.bincount(table.y[last.planted.held_out]).tolist() == [9] * 5
    hits = last.removal["Suspicion"].hits
    assert ((hits >= 0) & (hits <= 1)).all() and len(np.unique(hits)) > n
    assert 0.5 < last.accuracy_clean < 1
    effect = last.refill_effect()
    assert 0 < effect.noise < 0.1 and effect.n_tests == n
    assert set(last.points(np.array([1, 9]))["curve"]) == {"errors found", "closeness"}
    far = np.abs(table.target - np.median(table.target)) / usual_width(table.target)
    assert last.accuracy_clean > np.maximum(0, 1 - far).mean(), "better than a guess"


@pytest.mark.parametrize("kind", ["low density", "noise", "swap across classes"])
def test_all_kinds_of_errors_go_with_numbers(kind):
    table = number_table(60, 1)
    last = cellval.validate(table, kind=kind, share=0.1, removal=False)
    assert last.n_wrong >= 5 and last.found


def test_without_a_label_nothing_is_validated():
    table = cellval.read(number_table(30, 0).cells, label=None)
    assert "without a label" in message_of(cellval.validate, table)
