"""The page that plants errors: choosing, running, finished, faults."""

import json
import re
import threading
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from helpers import (
    SAMPLES,
    WAIT,
    box,
    button,
    click,
    drawn,
    goto,
    headings,
    link_of,
    open_app,
    pick,
    restarted,
    session_of,
    settled,
    shown,
    text_of,
    texts,
    valued,
)

import cellval
from cellval.errors import InputError
from cellval.figures.validation import inspected
from cellval.jobs.background import start_job
from cellval.progress import Snapshot
from cellval.ui.data import options
from cellval.ui.session import Session
from cellval.ui.validate import kept
from cellval.ui.validate.kept import iter_validation_again, validation_told
from cellval.ui.validate.results import removal_words, signals_frame, verdict
from cellval.ui.validate.run import choose
from cellval.validation.planting import KINDS
from cellval.validation.run import iter_validation
from cellval.validation.signals import SIGNALS, SUSPICION

START = "Plant errors and look for them"
SHARE = "Share of the cells that get an error"


@pytest.fixture(scope="module")
def people(davis):
    return davis.table


@pytest.fixture(scope="module")
def snapshots(people):
    return list(iter_validation(people, kind="times ten", share=0.05))


@pytest.fixture(scope="module")
def last(snapshots):
    return snapshots[-1].result


@pytest.fixture
def words():
    """No numbers, and names that look like markup."""
    frame = pd.DataFrame(
        {
            "*a*": ["x", "y", "<b>z</b>"] * 40,
            "b": ["p", "q"] * 60,
            "y": ["yes", "no", "no", "yes"] * 30,
        }
    )
    kinds = {"*a*": "category", "b": "category"}
    return cellval.Table.from_frame(frame, label="y", kinds=kinds, name="words")


def opened(table):
    return shown("validate", table=table)


def finished(app):
    return settled(click(app, START))


# --- choosing -------------------------------------------------------------------------


def test_a_table_is_enough_and_the_number_of_errors_is_said(people):
    app = opened(people)
    (kind,) = app.radio
    assert kind.options == [name.capitalize() for name in KINDS]
    assert "About 11 errors" in text_of(app) and "K = 10." in text_of(app)
    assert "Looking for the errors will take" in text_of(app)
    pick(app, SHARE, 10)
    assert "About 54 errors" in text_of(app)
    pick(app, "Train a decision tree, too", False)
    assert "About 77 errors" in text_of(app)
    assert not headings(app)


def test_kinds_that_need_numbers_are_explained_where_there_are_none(words):
    app = opened(words)
    assert app.radio[0].options == [
        *("Low density", "Noise", "Swap", "Swap across classes")
    ]
    assert "Times ten and Zero: not possible here" in text_of(app)
    app = finished(pick(pick(app, SHARE, 15), "Kind of error", "swap"))
    assert "<b>z" not in text_of(app)


def test_a_tiny_table_is_refused_in_words():
    frame = pd.DataFrame({"x": [1.5, 2.5, 3.5, 4.5] * 2, "y": ["a", "b"] * 4})
    app = opened(cellval.Table.from_frame(frame, label="y", kinds={"x": "number"}))
    assert "Fewer than 5 errors say nothing" in text_of(app)
    finished(app)
    assert "Choose a larger share" in texts(app.error)


def test_a_table_without_any_feature_to_plant_into_is_refused(words):
    bare = replace(words, columns=tuple(c for c in words.columns if not c.feature))
    with pytest.raises(InputError, match="no error can be planted"):
        choose(Session(), bare)


def test_cells_are_valued_as_in_the_run_at_hand(people):
    run = valued(people, n_neighbors=3, near=50, budget=9.0)
    app = shown("validate", run)
    assert "K = 3, as in your run." in text_of(app)
    assert "rows beyond the 50 nearest" in text_of(app)
    finished(app)
    assert dict(session_of(app).file.validation.made_from.options) == {
        **{"n_neighbors": 3, "near": 50, "column_weights": "shapley"},
        **{"scoring": "accuracy", "baseline": "zero"},
    }


def test_a_run_by_another_method_is_not_followed(people):
    run = valued(people, n_neighbors=10, method="random")
    assert "K = 10." in text_of(shown("validate", run))


def test_large_tables_are_approximated(people, monkeypatch):
    assert not options.is_large(people)
    adult = cellval.read(SAMPLES / "adult_2000.csv", label="income")
    assert not options.is_large(adult)
    monkeypatch.setattr(options, "MANY_CELLS", 10_000)
    assert options.is_large(adult)
    assert "rows beyond the 500 nearest" in text_of(opened(adult))


# --- finished -------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "label"), [("davis", "sex"), ("wine", "cultivar")])
def test_numbers_ten_times_too_large_are_found(name, label):
    table = cellval.read(SAMPLES / f"{name}.csv", label=label)
    app = finished(pick(opened(table), "Kind of error", "times ten"))
    said = text_of(app)
    assert "To find 90 % of errors like these you would inspect about" in said
    assert "(ten times the number)" in said and "rows held out clean" in said
    assert ", as many random cells by" in said
    # once below the heading, and once in the sidebar
    assert said.count("percentage points (pp)") == 2
    assert "other rows are held out clean" in said
    counts = re.findall("([0-9,]+) cells: [0-9]+ rows of", said)
    assert len(counts) == 2 and len(set(counts)) == 1, "before and after the run"
    assert re.search(r"even the last is among the first \d+ of [\d,]+ cells \(", said)
    assert headings(app) == [
        "What would be found",
        "Does a model get better when the first cells are refilled?",
        "Found last",
    ]
    signals, missed = (frame.value for frame in app.dataframe)
    assert signals["signal"].tolist() == list(SIGNALS)
    assert signals["meaning"].notna().all()
    best = signals.iloc[0]
    assert best["auc"] > 95 and best["n_for_50"] <= best["n_for_90"]
    assert best["cells_for_90"] < 10  # %
    assert len(missed) == 10 and (np.diff(missed["rank"]) < 0).all()
    before, after = (missed[c].astype(float) for c in ("before", "planted"))
    assert after.to_numpy() == pytest.approx(10 * before.to_numpy(), rel=0.01)
    assert [b.label for b in app.get("download_button")] == [
        *("Save as HTML", "Save as HTML"),
        *("Download the numbers", "Download the curves", "Download the errors"),
    ]


def test_the_tree_can_be_left_out(people):
    app = finished(pick(opened(people), "Train a decision tree, too", False))
    assert headings(app) == ["What would be found", "Found last"]
    assert "of 800 cells" in text_of(app)


@pytest.mark.parametrize("found", [True, False])
def test_the_first_cells_are_shown_closely_where_errors_are_among_them(
    people, last, found
):
    curves = dict(last.curves)
    if not found:
        curves["Suspicion"] = curves["Random"]
    app = opened(people)
    seen = Snapshot(1.0, make=lambda: replace(last, curves=curves))
    session_of(app).file.validation.job = start_job(
        people, lambda: (step for step in [seen])
    )
    app = settled(app)
    usual, other = ("the first 10 %", "all cells")[:: 1 if found else -1]
    assert box(app, "Show").value == usual
    assert box(pick(app, "Show", other), "Show").value == other


def test_another_choice_marks_the_result_as_old(people):
    app = finished(opened(people))
    assert "were changed since" not in text_of(app)
    pick(app, options.SEED, 3)
    assert "were changed since" in text_of(app)
    assert "What would be found" in headings(app)
    finished(app)
    assert "were changed since" not in text_of(app)


# --- running and faults ---------------------------------------------------------------


class Slow:
    """A run that waits for the test after some snapshots."""

    def __init__(self, snapshots):
        self.go, self.seen, self.snapshots = (
            threading.Event(),
            threading.Event(),
            snapshots,
        )

    def __call__(self):
        yield from self.snapshots
        self.seen.set()  # the job has taken the last one
        self.go.wait(WAIT)


def watched(table, snapshots):
    """A page whose run has come as far as these."""
    app = finished(pick(opened(table), "Train a decision tree, too", False))
    slow, planted = Slow(snapshots), session_of(app).file.validation
    planted.job = start_job(table, slow)
    assert slow.seen.wait(WAIT)
    return drawn(app), slow, planted.job


def stage(snapshots, words):
    """All snapshots until the last of this stage."""
    last = max(k for k, now in enumerate(snapshots) if now.seen.startswith(words))
    return snapshots[: last + 1]


@pytest.mark.parametrize("until", ["planting", "looking", "valuing", "measuring"])
def test_a_run_can_be_watched_and_stopped(people, snapshots, until):
    seen = stage(snapshots, until)
    app, slow, _ = watched(people, seen)
    assert button(app, "Plant errors and look for them").disabled
    assert "What would be found" in headings(app)
    assert len(app.dataframe) == 1 + seen[-1].result.found
    click(app, "Stop")
    slow.go.set()
    settled(app)
    said = text_of(app)
    assert "Stopped after" in said and "is kept" in said
    assert ("not valued yet" in said) == (until in ("planting", "looking"))
    assert "Download the curves" in [b.label for b in app.get("download_button")]


def test_a_run_that_is_stopped_at_once_has_nothing_to_keep(people):
    app, slow, job = watched(people, [])
    job.stop()
    slow.go.set()
    settled(app)
    assert "nothing to keep" in text_of(app)


def test_a_failure_is_told_in_words(people):
    def fails():
        raise InputError("The <b>disk</b> is *full*.")
        yield

    app = opened(people)
    session_of(app).file.validation.job = start_job(people, fails)
    settled(app)
    assert "full" in texts(app.error)
    assert "<b>" not in texts(app.error)


# --- words and files ------------------------------------------------------------------


def test_files_hold_what_is_shown(snapshots, last):
    curves = last.points(inspected(last.n_cells))
    assert set(curves["order"]) == set(SIGNALS)
    ends = curves[curves["curve"] == "errors found"].groupby("order")["share"].last()
    assert (ends == 1).all()
    accuracy = curves[curves["curve"] == "accuracy"]
    assert accuracy["stderr_of_change"].notna().all()
    errors = last.errors()
    assert len(errors) == last.n_wrong
    assert (errors["before"] != errors["planted"]).all()
    assert errors["rank"].is_monotonic_decreasing
    assert snapshots[0].result.errors()["rank"].isna().all()
    assert signals_frame(last)["n_for_90"].max() <= last.n_cells


def test_words_say_when_chance_does_as_well(last):
    blind = {name: last.curves["Random"] for name in last.curves}
    said = verdict(replace(last, curves=blind))
    assert "little better, than chance" in said
    better = {**blind, "Surprise": last.curves["Surprise"]}
    assert "Surprise* would do with less" in verdict(replace(last, curves=better))


def test_words_judge_a_removal_only_where_errors_hurt(last):
    shape = last.removal["Suspicion"].hits.shape
    low, high = np.zeros(shape), np.zeros(shape)
    low[:, ::2] = 1.0
    high[:] = low
    high[1:] = 1.0

    def said(clean, **hits):
        removal = {
            name: replace(last.removal[name], hits=own) for name, own in hits.items()
        }
        now = replace(last, removal=removal, accuracy_clean=clean)
        return removal_words(now)

    assert said(0.5, Suspicion=high, Random=low).endswith("does not judge the order.")
    assert said(1.0, Suspicion=high, Random=low).endswith("better than random cells.")
    assert said(1.0, Suspicion=low, Random=high).endswith("worse than random cells.")
    assert said(1.0, Suspicion=low, Random=low).endswith("may be chance.")


# --- kept -----------------------------------------------------------------------------


@pytest.mark.parametrize("n_steps", [2, None])  # stopped early, and finished
def test_what_was_found_comes_back_as_it_was(people, snapshots, n_steps):
    found = [s.result for s in snapshots[:n_steps] if s.has_result][-1]
    saved = json.loads(json.dumps(validation_told(people, found)))
    (step,) = iter_validation_again(people, saved)
    again = step.result
    pd.testing.assert_frame_equal(again.frame(), found.frame())
    pd.testing.assert_frame_equal(again.errors(), found.errors())
    assert again.planted.table.fingerprint == found.planted.table.fingerprint
    assert again.search() == found.search()
    assert again.refill_effect() == found.refill_effect()
    cells = np.arange(1, found.n_cells)
    pd.testing.assert_frame_equal(again.points(cells), found.points(cells))
    assert (again.kind, again.found, again.note) == (
        found.kind,
        found.found,
        found.note,
    )


def test_curves_of_large_tables_are_kept_in_few_points(people, last, monkeypatch):
    monkeypatch.setattr(kept, "MOST_POINTS", 20)
    (step,) = iter_validation_again(people, validation_told(people, last))
    few, all_ = step.result.curves[SUSPICION], last.curves[SUSPICION]
    assert few.found.size <= 20 < all_.found.size
    assert few.found[[0, -1]].tolist() == [0.0, 1.0]
    assert few.auc == pytest.approx(all_.auc, abs=0.05)


def test_after_a_restart_what_was_planted_is_shown_again():
    app = goto(click(open_app(), "Davis"), "validate")
    app = finished(pick(pick(app, "Kind of error", "times ten"), options.SEED, 3))
    before = text_of(app)
    restarted()
    again = settled(open_app("validate", project=link_of(app)))
    assert "What would be found" in headings(again)
    assert text_of(again) == before
    assert "were changed since" not in before


def test_a_damaged_result_is_left_out_and_takes_nothing_along():
    app = goto(click(open_app(), "Davis"), "validate")
    project = session_of(app).file.project
    project.keep_result("validation", {"kind": "none of ours"}, {"table": 3})
    project.keep_result("comparison", [], {"before": "half of a fi"})
    restarted()
    again = open_app("data", project=link_of(app))
    assert session_of(again).table.n_rows == 200
    said = [box.value for box in again.error]
    assert any("cannot be read and is left out" in text for text in said)
    assert not again.exception
