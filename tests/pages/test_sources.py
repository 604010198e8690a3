"""The page of sources: choosing, running, finished, faults."""

import threading
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from helpers import (
    WAIT,
    box,
    button,
    click,
    drawn,
    headings,
    labels,
    pick,
    raw_text_of,
    session_of,
    settled,
    shown,
    text_of,
    texts,
)

import cellval
from cellval.errors import InputError
from cellval.games.blocks import BlockGame
from cellval.games.groups import Groups
from cellval.jobs.background import start_job
from cellval.ui.session import Session
from cellval.ui.sources.groups import RANGES, BlocksChoice, groups_of, with_groups
from cellval.ui.sources.results import _portion

START = "Value the sources"
CHOICE = BlocksChoice(
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


@pytest.fixture(scope="module")
def people(davis):
    return davis.table


@pytest.fixture(scope="module")
def shops():
    """Sources in a column that is no feature, and names that look like markup."""
    draw = np.random.default_rng(0)
    y = draw.integers(0, 2, 90)
    names = np.array(["*A*", "<b>B</b>", "C"])[np.arange(90) % 3]
    frame = pd.DataFrame(
        {
            "shop": np.where(np.arange(90) == 89, "tiny", names),
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


def opened(table):
    return shown("sources", table=table)


def finished(app):
    return settled(click(app, START))


def has_result(app):
    return "What each source adds" in headings(app)


# --- choosing -------------------------------------------------------------------------


def test_a_table_is_enough_and_the_time_is_measured_before_the_start(people):
    app = settled(opened(people))
    said = text_of(app)
    assert "4 groups of rows × 4 groups of columns" in said
    assert "exact · 225 evaluations" in said
    assert "This will take" in said
    assert not has_result(app)


def test_a_column_that_is_no_feature_is_proposed_and_small_groups_are_named(shops):
    app = opened(shops)
    assert app.selectbox[0].value == "shop"
    assert "a group with a single row" in text_of(app)
    said = raw_text_of(finished(app))
    assert "*A*" not in said.replace("\\*A\\*", "") and "<b>B" not in said
    assert "single row" in said


def test_grouping_by_the_label_is_explained(shops):
    app = pick(opened(shops), "Rows: one source is", "bought")
    assert "Sources are the classes of the label" in text_of(app)


def test_one_group_is_refused_in_words(shops):
    app = pick(opened(shops), "Rows: one source is", "fixed")
    assert "one group only" in texts(app.error)
    assert START not in labels(app)


def test_numbers_are_grouped_in_ranges_or_by_text(people):
    app = pick(opened(people), "Rows: one source is", "height")
    assert "4 groups of rows" in text_of(app)
    pick(app, "Grouped by", "each text")
    pick(app, "Groups at most", 3)
    assert "4 groups of rows" in text_of(app)  # and the others


def test_few_groups_can_be_sampled_too(people):
    app = pick(opened(people), "Values", "Monte Carlo")
    assert "Monte Carlo, 100 rounds · 1,600 evaluations" in text_of(app)


def test_own_groups_begin_with_kinds_and_take_edits(shops):
    app = pick(opened(shops), "Columns: one group is", "own groups")
    assert "4 groups of rows × 2 groups of columns" in text_of(app)
    begun = {"x": "numbers", "z": "numbers", "kind": "categories"}
    assert session_of(app).file.column_groups.begun == begun
    edited = {1: {"group": " other "}, 2: {"group": None}}
    new = with_groups(shops, begun, edited)
    assert new == {"x": "numbers", "z": "other", "kind": ""}
    choice = replace(CHOICE, columns_by="own groups", own=tuple(new.items()))
    _, columns = groups_of(shops, choice)
    assert columns.names == ("numbers", "other", "(others)")


def test_too_many_groups_of_columns_are_refused():
    frame = pd.DataFrame({f"c{j}": range(6) for j in range(50)})
    frame["y"] = ["a", "b"] * 3
    table = cellval.Table.from_frame(
        frame, label="y", kinds=dict.fromkeys(frame.columns[:50], "number")
    )
    with pytest.raises(InputError, match="50 groups of columns are too many"):
        groups_of(table, CHOICE)
    app = pick(opened(table), "Columns: one group is", "each alone")
    assert "too many to compare" in texts(app.error)


# --- finished -------------------------------------------------------------------------


def test_the_sources_of_a_table(people):
    app = finished(opened(people))
    assert has_result(app)
    said = text_of(app)
    assert "All blocks sum to" in said and "A group is one player" in said
    assert "Copies share the credit" in said
    rows, columns = (frame.value for frame in app.dataframe)
    assert rows["group"].tolist()[-1] == columns["group"].tolist()[-1] == "total"
    assert rows["share_percent"].iloc[:-1].sum() == pytest.approx(100)
    assert rows["value"].iloc[:-1].sum() == pytest.approx(rows["value"].iloc[-1])
    assert "stderr" not in rows  # exact
    assert [b.label for b in app.get("download_button")] == [
        *("Save as HTML", "Save as HTML"),
        *("Download the blocks", "Download the shares"),
    ]


def test_values_can_count_from_a_guess(people):
    app = finished(opened(people))
    before = app.dataframe[0].value["share_percent"]
    pick(app, "Values count from", "a guess (random neighbours), 50.7 %")
    assert "above a guess" in text_of(app)
    assert "50.7 % by random neighbours" in text_of(app)
    shares = app.dataframe[0].value["share_percent"]
    assert shares.iloc[:-1].sum() == pytest.approx(100)
    assert np.ptp(shares.iloc[:-1]) > np.ptp(before.iloc[:-1])


def test_another_choice_marks_the_result_as_old(people):
    app = finished(opened(people))
    assert "was changed since" not in text_of(app)
    settled(pick(app, "Ranges", 3))
    assert "was changed since" in text_of(app)
    assert has_result(app)
    finished(app)
    assert "was changed since" not in text_of(app)
    assert len(app.dataframe[0].value) == 4


def test_a_model_is_tested_on_held_out_rows(shops):
    app = pick(opened(shops), "Model that the sources are to serve", "tree")
    assert box(app, "Tested on").options == ["hold-out"]
    finished(app)
    assert "are held out to test on" in text_of(app)
    assert app.dataframe[0].value["rows"].iloc[-1] < 90


def test_many_groups_are_sampled_with_standard_errors(people):
    app = pick(opened(people), "Ranges", 14)
    assert "More than 16 groups in all" in text_of(app)
    finished(pick(app, "Rounds", 2))
    assert "Values are estimates" in text_of(app)
    assert (app.dataframe[0].value["stderr"].iloc[:-1] > 0).all()


# --- running and faults ---------------------------------------------------------------


class Slow:
    """A run that waits for the test when a part of it is done."""

    def __init__(self, table, method):
        self.go, self.seen = threading.Event(), threading.Event()
        rows = Groups(("a", "b"), np.arange(table.n_rows) % 2)
        columns = Groups(("c", "d"), np.array([0, 0, 1, 1]))
        self.game = BlockGame.of(_size, rows, columns, method=method, rounds=9)

    def __call__(self):
        for snapshot in self.game.play():
            yield snapshot
            if 0.3 < snapshot.done < 1:
                self.seen.set()  # the job has taken it
                self.go.wait(WAIT)


def _size(rows, columns):
    return len(rows) * len(columns) / 800


@pytest.mark.parametrize("method", ["auto", "mc"])
def test_a_run_can_be_watched_and_stopped(people, method):
    app = settled(opened(people))
    slow, blocks = Slow(people, method), session_of(app).file.blocks
    blocks.made_from = session_of(app).file.blocks_seconds.made_from
    blocks.job = start_job(people, slow)
    assert slow.seen.wait(WAIT)
    drawn(app)
    assert button(app, "Value the sources").disabled
    click(app, "Stop")
    slow.go.set()
    settled(app)
    said = text_of(app)
    assert "Stopped after" in said
    assert ("has no values before its end" in said) == (method == "auto")
    assert ("All blocks sum to" in said) == (method == "mc")


def test_a_failure_is_told_in_words(people):
    def fails():
        raise InputError("The <b>disk</b> is *full*.")
        yield

    app = settled(opened(people))
    session_of(app).file.blocks.job = start_job(people, fails)
    settled(app)
    assert "full" in texts(app.error)
    assert "<b>" not in texts(app.error)


def test_a_click_at_the_moment_when_something_else_ends_is_not_lost(
    people, monkeypatch
):
    app = opened(people)
    goes_on, going = Session.goes_on.fget, [False, True]  # the last one first

    def ends(session):
        return going.pop() if going else goes_on(session)

    monkeypatch.setattr(Session, "goes_on", property(ends))
    click(app, START)
    assert not going
    assert session_of(app).file.blocks.job is not None


@pytest.mark.parametrize(
    ("smallest", "portion"), [(0, 1), (7, 1), (25, 10), (999, 100), (5000, 1000)]
)
def test_a_value_is_said_for_no_more_rows_than_a_source_has(smallest, portion):
    assert _portion(smallest) == portion
