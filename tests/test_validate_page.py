"""The page that plants errors: nothing loaded, choosing, running, finished, faults."""

import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import cellval
from cellval.errors import InputError
from cellval.jobs import registry
from cellval.jobs.background import start_steps
from cellval.ui.validate import run as validating
from cellval.ui.validate.results import curves_frame, removal_words, verdict
from cellval.ui.validate.run import choose, is_large
from cellval.validation.planting import KINDS
from cellval.validation.run import SIGNALS, iter_validation

APP = str(Path(__file__).parent.parent / "app.py")
WAIT = 120  # seconds
START = "Plant errors and look for them"


def sample(name, label):
    return cellval.read(f"sample_data/{name}.csv", label=label)


@pytest.fixture(scope="module")
def davis():
    return sample("davis", "sex")


@pytest.fixture(scope="module")
def snapshots(davis):
    return list(iter_validation(davis, kind="times ten", share=0.05))


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


def shown(table=None, **state):
    test = AppTest.from_file(APP, default_timeout=60)
    if table is not None:
        test.session_state["_table"] = table
    for key, value in state.items():
        test.session_state[key] = value
    return test.run().switch_page("pages/validate.py").run()


def running(test):
    (known,) = dict(test.session_state["_side"]).values()
    return known["validation"][1]


def settled(test):
    """Wait for what runs in the background, and draw again."""
    assert running(test).wait(WAIT)
    return test.run()


def text_of(test):
    parts = [*test.markdown, *test.caption, *test.info, *test.error, *test.warning]
    return "\n".join(str(part.value) for part in parts)


def button(test, name):
    return next(b for b in test.button if b.label == name)


def pick(test, label, value):
    every = [*test.radio, *test.number_input, *test.button_group, *test.toggle]
    next(w for w in every if w.label == label).set_value(value)
    return test.run()


def finished(test):
    button(test, START).click()
    return settled(test.run())


def headings(test):
    return [h.value for h in (*test.header, *test.subheader)]


def test_without_data_the_page_says_what_to_do():
    test = shown()
    assert not test.exception
    assert "Open the Data page" in [b.label for b in test.button]


def test_a_table_is_enough_and_the_number_of_errors_is_said(davis):
    test = shown(davis)
    assert not test.exception
    (kind,) = test.radio
    assert kind.options == [name.capitalize() for name in KINDS]
    assert "About 11 errors" in text_of(test) and "K = 10." in text_of(test)
    assert "Looking for the errors will take" in text_of(test)
    test = pick(test, "Share of the cells that get an error", 10)
    assert "About 54 errors" in text_of(test)
    test = pick(test, "Train a decision tree, too", False)
    assert "About 77 errors" in text_of(test)
    assert not headings(test)


@pytest.mark.parametrize(("name", "label"), [("davis", "sex"), ("wine", "cultivar")])
def test_numbers_ten_times_too_large_are_found(name, label):
    test = finished(pick(shown(sample(name, label)), "Kind of error", "times ten"))
    assert not test.exception
    said = text_of(test)
    assert "To find 90 % of errors like these you would inspect about" in said
    assert "(ten times the number)" in said and "rows held out clean" in said
    assert "points**, as many random cells by" in said
    assert headings(test) == [
        "What would be found",
        "Does a model get better when the first cells are refilled?",
        "Found last",
    ]
    signals, missed = (frame.value for frame in test.dataframe)
    assert signals["signal"].tolist() == list(SIGNALS)
    assert signals["meaning"].notna().all()
    best = signals.iloc[0]
    assert best["auc"] > 0.95 and best["n_for_50"] <= best["n_for_90"]
    assert best["cells_for_90"] < 10  # %
    assert len(missed) == 10 and (np.diff(missed["rank"]) < 0).all()
    before, after = (missed[c].astype(float) for c in ("before", "planted"))
    assert after.to_numpy() == pytest.approx(10 * before.to_numpy(), rel=0.01)
    labels = [b.label for b in test.get("download_button")]
    assert labels == [
        *("Save as HTML", "Save as HTML"),
        *("Download the numbers", "Download the curves", "Download the errors"),
    ]


def test_the_tree_can_be_left_out(davis):
    test = finished(pick(shown(davis), "Train a decision tree, too", False))
    assert not test.exception
    assert headings(test) == ["What would be found", "Found last"]
    assert "of 800 cells" in text_of(test)
    test = pick(test, "Show", "the first 10 %")
    assert not test.exception


def test_another_choice_marks_the_result_as_old(davis):
    test = finished(shown(davis))
    assert "were changed since" not in text_of(test)
    test = pick(test, "Seed", 3)
    assert "were changed since" in text_of(test)
    assert "What would be found" in headings(test)
    test = finished(test)
    assert not test.exception
    assert "were changed since" not in text_of(test)


class Slow:
    """A run that waits for the test after some of its snapshots."""

    def __init__(self, snapshots):
        self.go, self.snapshots = threading.Event(), snapshots

    def __call__(self):
        yield from self.snapshots
        self.go.wait(WAIT)


def watched(davis, snapshots):
    """A page whose run has come as far as these."""
    test = finished(pick(shown(davis), "Train a decision tree, too", False))
    slow = Slow(snapshots)
    steps = start_steps(davis, slow)
    (side,) = test.session_state["_side"].values()
    side["validation"] = (side["validation"][0], steps)
    while snapshots and steps.result is not snapshots[-1]:
        pass
    return test.run(), slow, steps


def stage(snapshots, words):
    """All snapshots until the last of this stage."""
    last = max(k for k, now in enumerate(snapshots) if now.stage.startswith(words))
    return snapshots[: last + 1]


@pytest.mark.parametrize("until", ["planting", "looking", "valuing", "measuring"])
def test_a_run_can_be_watched_and_stopped(davis, snapshots, until):
    seen = stage(snapshots, until)
    test, slow, steps = watched(davis, seen)
    assert not test.exception
    assert button(test, "Plant and look again").disabled
    assert "What would be found" in headings(test)
    assert len(test.dataframe) == 1 + seen[-1].found
    button(test, "Stop").click()
    test.run()
    slow.go.set()
    assert steps.wait(WAIT)
    test.run()
    assert not test.exception
    said = text_of(test)
    assert "Stopped after" in said and "is kept" in said
    assert ("not valued yet" in said) == (until in ("planting", "looking"))
    assert "Download the curves" in [b.label for b in test.get("download_button")]


def test_a_run_that_is_stopped_at_once_has_nothing_to_keep(davis):
    test, slow, steps = watched(davis, [])
    assert not test.exception
    steps.stop()
    slow.go.set()
    assert steps.wait(WAIT)
    test.run()
    assert not test.exception
    assert "nothing to keep" in text_of(test)


def test_kinds_that_need_numbers_are_explained_where_there_are_none(words):
    test = shown(words)
    assert not test.exception
    assert test.radio[0].options == [
        *("Low density", "Noise", "Swap", "Swap across classes")
    ]
    assert "Times ten and Zero: not possible here" in text_of(test)
    test = pick(test, "Share of the cells that get an error", 15)
    test = finished(pick(test, "Kind of error", "swap"))
    assert not test.exception
    assert "<b>z" not in text_of(test)


def test_a_tiny_table_is_refused_in_words():
    frame = pd.DataFrame({"x": [1.5, 2.5, 3.5, 4.5] * 2, "y": ["a", "b"] * 4})
    table = cellval.Table.from_frame(frame, label="y", kinds={"x": "number"})
    test = shown(table)
    assert not test.exception
    assert "Fewer than 5 errors say nothing" in text_of(test)
    test = finished(test)
    assert not test.exception
    assert "Choose a larger share" in "".join(e.value for e in test.error)


def test_a_table_without_any_feature_to_plant_into_is_refused(words):
    bare = replace(words, columns=tuple(c for c in words.columns if not c.feature))
    with pytest.raises(InputError, match="no error can be planted"):
        choose(bare)


def test_a_failure_is_told_in_words(davis):
    def fails():
        raise InputError("The <b>disk</b> is *full*.")
        yield

    test, slow, _ = watched(davis, [])
    slow.go.set()
    steps = start_steps(davis, fails)
    assert steps.wait(WAIT)
    (side,) = test.session_state["_side"].values()
    side["validation"] = (None, steps)
    test.run()
    assert not test.exception
    assert "full" in "".join(e.value for e in test.error)


def test_cells_are_valued_as_in_the_run_at_hand(davis, no_runs_left):
    run = registry.start(davis, n_neighbors=3, near=50, budget=9.0)
    assert run.wait(WAIT)
    test = shown(davis, _job=run)
    assert "K = 3, as in your run." in text_of(test)
    assert "rows beyond the 50 nearest" in text_of(test)
    button(test, START).click()
    settled(test.run())
    ((choice, _),) = (
        known["validation"] for known in test.session_state["_side"].values()
    )
    assert dict(choice.options) == {
        **{"n_neighbors": 3, "near": 50},
        **{"scoring": "accuracy", "baseline": "zero"},
    }


def test_large_tables_are_approximated(davis, monkeypatch):
    assert not is_large(davis)
    adult = sample("adult_2000", "income")
    assert not is_large(adult)
    monkeypatch.setattr(validating, "MANY_CELLS", 10_000)
    assert is_large(adult)
    test = shown(adult)
    assert "rows beyond the 500 nearest" in text_of(test)


# --- words ----------------------------------------------------------------------------


def test_files_hold_what_is_shown(snapshots):
    last = snapshots[-1]
    curves = curves_frame(last)
    assert set(curves["order"]) == set(SIGNALS)
    ends = curves[curves["curve"] == "errors found"].groupby("order")["share"].last()
    assert (ends == 1).all()
    accuracy = curves[curves["curve"] == "accuracy"]
    assert accuracy["stderr_of_change"].notna().all()
    errors = last.planted()
    assert len(errors) == last.n_wrong
    assert (errors["before"] != errors["planted"]).all()
    assert errors["rank"].is_monotonic_decreasing
    assert snapshots[0].planted()["rank"].isna().all()


def test_words_say_when_chance_does_as_well(snapshots):
    last = snapshots[-1]
    blind = {name: last.curves["Random"] for name in last.curves}
    said = verdict(replace(last, curves=blind))
    assert "little better, than chance" in said
    better = {**blind, "Surprise": last.curves["Surprise"]}
    assert "Surprise* would do with less" in verdict(replace(last, curves=better))


def test_words_judge_a_removal_only_where_errors_hurt(snapshots):
    last = snapshots[-1]
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
