"""Errors planted into a table of one's own, and whether they are found."""

import numpy as np
import pandas as pd
import pytest

import cellval
from cellval.validation import run as validation
from cellval.validation.planted_table import rehearse
from cellval.validation.planting import KINDS
from cellval.validation.run import iter_validation


def sample(name, label):
    return cellval.read(f"sample_data/{name}.csv", label=label)


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_planted_stands_in_the_table_and_nothing_else_changed(kind):
    table = sample("ugly", "grade")
    made = rehearse(table, kind, share=0.05, test_share=0.2)
    clean, dirty = made.clean, made.table
    assert dirty.feature_names == clean.feature_names == table.feature_names
    assert [c.kind for c in dirty.features] == [c.kind for c in clean.features]
    assert clean.n_rows + made.held_out.size == table.n_rows
    changed = (clean.cells != dirty.cells).to_numpy()
    names = list(clean.cells.columns)
    places = {(i, names[j]) for i, j in zip(*np.nonzero(changed), strict=True)}
    wrong = {
        (i, table.feature_names[j])
        for i, j in zip(*np.nonzero(made.wrong), strict=True)
    }
    assert wrong <= places <= set(made.texts)
    for (i, name), text in made.texts.items():
        assert dirty.cells[name].iloc[i] == text
        column = next(c for c in dirty.features if c.name == name)
        assert not column.missing[i]  # an error is a content, and no stray


def test_errors_are_written_as_the_file_writes():
    frame = pd.DataFrame(
        {
            "weight": [f"{60 + i % 30},5 kg" for i in range(120)],
            "day": [f"{1 + i % 28:02}.0{1 + i % 9}.2024" for i in range(120)],
            "y": ["a", "b"] * 60,
        }
    )
    kinds = {"weight": "number", "day": "date"}
    table = cellval.Table.from_frame(frame, label="y", kinds=kinds)
    ten = rehearse(table, "times ten", share=0.1)
    assert ten.n_wrong == 12 and not ten.wrong[:, 1].any()
    assert all(text.endswith("5 kg") for text in ten.texts.values())
    noise = rehearse(table, "noise", share=0.1)
    assert noise.wrong[:, 1].any()
    days = [text for (_, name), text in noise.texts.items() if name == "day"]
    assert all(len(day) == 10 and day[2] == day[5] == "." for day in days)


@pytest.mark.parametrize(("name", "label"), [("davis", "sex"), ("wine", "cultivar")])
def test_ten_times_too_large_is_found(name, label):
    table = sample(name, label)
    snapshots = list(iter_validation(table, kind="times ten", share=0.03))
    last = snapshots[-1]
    assert last.done == 1 and last.found and last.seconds_left == 0
    assert last.curves["Suspicion"].auc > 0.8
    assert last.curves["Random"].auc == 0.5
    assert list(last.curves) == list(validation.SIGNALS)
    done = [now.done for now in snapshots]
    assert done == sorted(done)
    detected = [now.found for now in snapshots]
    measured = [bool(now.removal) for now in snapshots]
    assert detected.index(True) < measured.index(True)
    assert snapshots[0].curves and not snapshots[0].removal
    frame = last.frame().set_index("signal")
    assert (frame["cells_for_50"] <= frame["cells_for_90"]).all()
    assert frame.loc["Suspicion", "cells_for_90"] < 0.2


def test_the_accuracy_is_that_of_trees_on_clean_rows():
    table = sample("wine", "cultivar")
    *_, last = iter_validation(table, kind="swap", share=0.05)
    curve = last.removal["Suspicion"]
    n = last.rehearsal.held_out.size
    assert curve.hits.shape == (curve.removed.size, n) and n == pytest.approx(53, abs=2)
    starts = {name: own.accuracy[0] for name, own in last.removal.items()}
    assert len(set(starts.values())) == 1  # nothing is removed yet
    assert 0.6 < last.accuracy_clean <= 1 and 0.6 < last.accuracy_known <= 1


def test_the_same_seed_gives_the_same_numbers():
    table = sample("davis", "sex")

    def final(seed):
        *_, last = iter_validation(table, kind="noise", share=0.05, random_state=seed)
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
    first = next(snapshots)
    assert set(first.curves) == {"Class-wise |z|", "Random"}
    snapshots.close()
    assert list(snapshots) == []


def test_all_rows_are_valued_where_no_tree_is_asked_for():
    table = sample("davis", "sex")
    *_, last = iter_validation(table, kind="swap", share=0.05, removal=False)
    assert last.rehearsal.table.n_rows == table.n_rows and not last.removal
    assert np.isnan(last.accuracy_clean)


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
