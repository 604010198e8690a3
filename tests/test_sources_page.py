"""The page of sources: nothing loaded, choosing, running, finished, faults."""

import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import cellval
from cellval.errors import InputError
from cellval.games import Groups, iter_blocks
from cellval.jobs.background import start_steps
from cellval.ui.sources.groups import RANGES, Choice, groups_of, with_groups

APP = str(Path(__file__).parent.parent / "app.py")
WAIT = 120  # seconds


@pytest.fixture(scope="module")
def davis():
    return cellval.read("sample_data/davis.csv", label="sex")


@pytest.fixture(scope="module")
def shops():
    """Sources in a column that is no feature, and names that look like markup."""
    draw = np.random.default_rng(0)
    y = draw.integers(0, 2, 90)
    frame = pd.DataFrame(
        {
            "shop": np.where(
                np.arange(90) == 89,
                "tiny",
                np.array(["*A*", "<b>B</b>", "C"])[np.arange(90) % 3],
            ),
            "x": y + 0.5 * draw.normal(size=90),
            "z": draw.normal(size=90).round(2),
            "kind": np.where(y, "up", "down"),
            "fixed": "same",
            "bought": np.where(y, "yes", "no"),
        }
    )
    return cellval.Table.from_frame(
        frame, label="bought", exclude=["shop", "fixed"], name="shops"
    )


def shown(table=None, **state):
    test = AppTest.from_file(APP, default_timeout=60)
    if table is not None:
        test.session_state["_table"] = table
    for key, value in state.items():
        test.session_state[key] = value
    return test.run().switch_page("pages/sources.py").run()


def settled(test):
    """Wait for what runs in the background, and draw again."""
    for known in dict(test.session_state["_side"]).values():
        for _, steps in known.values():
            assert steps.wait(WAIT)
    return test.run()


def text_of(test):
    parts = [*test.markdown, *test.caption, *test.info, *test.error, *test.warning]
    return "\n".join(str(part.value) for part in parts)


def button(test, name):
    return next(b for b in test.button if b.label == name)


def pick(test, label, value):
    every = [*test.selectbox, *test.radio, *test.number_input, *test.button_group]
    next(w for w in every if w.label == label).set_value(value)
    return test.run()


def finished(test, name="Value the sources"):
    button(test, name).click()
    return settled(test.run())


def test_without_data_the_page_says_what_to_do():
    test = shown()
    assert not test.exception
    assert "Open the Data page" in [b.label for b in test.button]


def test_a_table_is_enough_and_the_time_is_measured_before_the_start(davis):
    test = settled(shown(davis))
    assert not test.exception
    said = text_of(test)
    assert "4 groups of rows × 4 groups of columns" in said
    assert "exact · 225 evaluations" in said
    assert "This will take" in said
    assert "What each source adds" not in [h.value for h in test.header]


def test_the_sources_of_a_table(davis):
    test = finished(shown(davis))
    assert not test.exception
    assert "What each source adds" in [h.value for h in test.header]
    said = text_of(test)
    assert "All blocks sum to" in said and "A group is one player" in said
    assert "Copies share the credit" in said
    rows, columns = (frame.value for frame in test.dataframe)
    assert rows["group"].tolist()[-1] == columns["group"].tolist()[-1] == "total"
    assert rows["share_percent"].iloc[:-1].sum() == pytest.approx(100)
    assert rows["value"].iloc[:-1].sum() == pytest.approx(rows["value"].iloc[-1])
    assert "stderr" not in rows  # exact
    assert [b.label for b in test.get("download_button")] == [
        *("Save as HTML", "Save as HTML"),
        *("Download the blocks", "Download the shares"),
    ]


def test_values_can_count_from_a_guess(davis):
    test = finished(shown(davis))
    before = test.dataframe[0].value["share_percent"]
    words = "a guess, 50.7 %"
    test = pick(test, "Values count from", words)
    assert not test.exception
    assert "above a guess" in text_of(test)
    rows = test.dataframe[0].value
    assert rows["share_percent"].iloc[:-1].sum() == pytest.approx(100)
    assert np.ptp(rows["share_percent"].iloc[:-1]) > np.ptp(before.iloc[:-1])


def test_another_choice_marks_the_result_as_old(davis):
    test = finished(shown(davis))
    assert "was changed since" not in text_of(test)
    test = settled(pick(test, "Ranges", 3))
    assert not test.exception
    assert "was changed since" in text_of(test)
    assert "What each source adds" in [h.value for h in test.header]
    test = finished(test)
    assert "was changed since" not in text_of(test)
    assert len(test.dataframe[0].value) == 4


def test_a_column_that_is_no_feature_is_proposed_and_small_groups_are_named(shops):
    test = shown(shops)
    assert test.selectbox[0].value == "shop"
    assert "a group with a single row" in text_of(test)
    test = finished(test)
    assert not test.exception
    said = text_of(test)
    assert "*A*" not in said.replace("\\*A\\*", "") and "<b>B" not in said
    assert "single row" in said


def test_grouping_by_the_label_is_explained(shops):
    test = pick(shown(shops), "Rows: one source is", "bought")
    assert "Sources are the classes of the label" in text_of(test)
    assert not test.exception


def test_one_group_is_refused_in_words(shops):
    test = pick(shown(shops), "Rows: one source is", "fixed")
    assert not test.exception
    assert "one group only" in "".join(e.value for e in test.error)
    assert "Value the sources" not in [b.label for b in test.button]


def test_numbers_are_grouped_in_ranges_or_by_text(davis):
    test = pick(shown(davis), "Rows: one source is", "height")
    assert "4 groups of rows" in text_of(test)
    test = pick(test, "Grouped by", "each text")
    test = pick(test, "Groups at most", 3)
    assert "4 groups of rows" in text_of(test)  # and the others
    assert not test.exception


def test_a_model_is_tested_on_held_out_rows(shops):
    test = pick(shown(shops), "Model that the sources are to serve", "tree")
    tested = next(r for r in test.radio if r.label == "Tested on")
    assert tested.options == ["hold-out"]
    test = finished(test)
    assert not test.exception
    assert "are held out to test on" in text_of(test)
    assert test.dataframe[0].value["rows"].iloc[-1] < 90


def test_many_groups_are_sampled_with_standard_errors(davis):
    test = pick(shown(davis), "Ranges", 14)
    assert "More than 16 groups in all" in text_of(test)
    test = pick(test, "Rounds", 2)
    test = finished(test)
    assert not test.exception
    assert "Values are estimates" in text_of(test)
    assert (test.dataframe[0].value["stderr"].iloc[:-1] > 0).all()


def test_few_groups_can_be_sampled_too(davis):
    test = pick(shown(davis), "Values", "Monte Carlo")
    assert "Monte Carlo, 100 rounds · 1,600 evaluations" in text_of(test)


class Slow:
    """A run that waits for the test."""

    def __init__(self, table, method="auto", at=3):
        self.go, self.table, self.at = threading.Event(), table, at
        self.method = method

    def __call__(self):
        rows = Groups(("a", "b"), np.arange(self.table.n_rows) % 2)
        columns = Groups(("c", "d"), np.array([0, 0, 1, 1]))
        h = lambda rows, columns: len(rows) * len(columns) / 800  # noqa: E731
        for k, snapshot in enumerate(
            iter_blocks(h, rows, columns, method=self.method, rounds=9)
        ):
            yield snapshot
            if k == self.at:
                self.go.wait(WAIT)


@pytest.mark.parametrize("method", ["auto", "mc"])
def test_a_run_can_be_watched_and_stopped(davis, method):
    test = settled(shown(davis))
    slow = Slow(davis, method)
    steps = start_steps(davis, slow)
    side = next(iter(test.session_state["_side"].values()))
    side["blocks"] = (side["blocks time"][0], steps)
    while steps.result is None or steps.result.done < 0.4:
        pass
    test.run()
    assert not test.exception
    assert button(test, "Value the sources again").disabled
    button(test, "Stop").click()
    test.run()
    slow.go.set()
    assert steps.wait(WAIT)
    test.run()
    assert not test.exception
    said = text_of(test)
    assert "Stopped after" in said
    assert ("has no values before its end" in said) == (method == "auto")
    assert ("All blocks sum to" in said) == (method == "mc")


def test_a_failure_is_told_in_words(davis):
    def fails():
        raise InputError("The <b>disk</b> is *full*.")
        yield

    test = settled(shown(davis))
    steps = start_steps(davis, fails)
    assert steps.wait(WAIT)
    side = next(iter(test.session_state["_side"].values()))
    side["blocks"] = (None, steps)
    test.run()
    assert not test.exception
    assert "full" in "".join(e.value for e in test.error)


def test_own_groups_begin_with_kinds_and_take_edits(shops):
    test = pick(shown(shops), "Columns: one group is", "own groups")
    assert not test.exception
    assert "4 groups of rows × 2 groups of columns" in text_of(test)
    begun = {"x": "numbers", "z": "numbers", "kind": "categories"}
    edited = {1: {"group": " other "}, 2: {"group": None}}
    new = with_groups(shops, begun, edited)
    assert new == {"x": "numbers", "z": "other", "kind": ""}
    choice = replace(CHOICE, columns_by="own groups", own=tuple(new.items()))
    _, columns = groups_of(shops, choice)
    assert columns.names == ("numbers", "other", "(others)")


CHOICE = Choice(
    rows_by=RANGES,
    n=3,
    by_ranges=True,
    columns_by="each alone",
    own=(),
    model="knn",
    n_neighbors=5,
    test="leave-one-out",
    share=0.0,
    test_file="",
)


def test_too_many_groups_of_columns_are_refused():
    frame = pd.DataFrame({f"c{j}": range(6) for j in range(50)})
    frame["y"] = ["a", "b"] * 3
    table = cellval.Table.from_frame(
        frame, label="y", kinds=dict.fromkeys(frame.columns[:50], "number")
    )
    with pytest.raises(InputError, match="50 groups of columns are too many"):
        groups_of(table, CHOICE)
    test = pick(shown(table), "Columns: one group is", "each alone")
    assert not test.exception
    assert "too many to compare" in "".join(e.value for e in test.error)
