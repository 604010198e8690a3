"""What does not fit is refused with a sentence, however it is started."""

import pytest
from helpers import (
    click,
    davis_source,
    davis_table,
    open_app,
    session_of,
    settled,
    shown,
    texts,
    waiting,
)

from cellval.progress import Snapshot
from cellval.repairs.repair import Repair
from cellval.ui.session import SideJob

LIMITS = ("CELLVAL_MAX_MEMORY_MB", "CELLVAL_MAX_HOURS")
SWAP = {(12, "weight"): Repair("replace", "57")}


def is_refused(app, limit):
    assert not app.exception
    said = texts(app.error)
    return "the limit is" in said and limit.rpartition("_")[2] in said


@pytest.mark.parametrize("limit", LIMITS)
def test_the_sample_of_the_first_page(monkeypatch, limit):
    app = open_app()
    monkeypatch.setenv(limit, "1e-9")
    assert is_refused(click(app, "Show me on a sample"), limit)
    assert session_of(app).run is None


def test_a_sample_that_cannot_be_read(monkeypatch):
    app = open_app()
    monkeypatch.setenv("CELLVAL_MAX_ROWS", "3")
    assert is_refused(click(app, "Show me on a sample"), "CELLVAL_MAX_ROWS")


@pytest.mark.parametrize("limit", LIMITS)
def test_a_run_that_is_continued(monkeypatch, limit):
    run = waiting(davis_table(), n_neighbors=5)
    run.stop()
    app = shown("heatmap", run, source=davis_source())
    monkeypatch.setenv(limit, "1e-9")
    assert is_refused(click(app, "Run it again"), limit)
    assert session_of(app).run is run
    monkeypatch.delenv(limit)
    assert session_of(settled(click(app, "Run it again"))).run.status == "done"


@pytest.mark.parametrize("limit", LIMITS)
def test_the_repaired_table(monkeypatch, davis, limit):
    app = shown("repair", davis, source=davis_source(), repairs=dict(SWAP))
    monkeypatch.setenv(limit, "1e-9")
    assert is_refused(click(app, "Value the repaired table"), limit)
    assert session_of(app).run is davis


@pytest.mark.parametrize(
    ("page", "label", "side"),
    [
        ("repair", "Measure before and after", "comparison"),
        ("sources", "Value the sources", "blocks"),
        ("validate", "Plant errors and look for them", "validation"),
    ],
)
def test_what_runs_beside(monkeypatch, davis, page, label, side):
    app = shown(page, davis, source=davis_source(), repairs=dict(SWAP))
    monkeypatch.setenv(LIMITS[0], "1e-9")
    assert is_refused(click(app, label), LIMITS[0])
    assert getattr(session_of(app).file, side).job is None


@pytest.mark.parametrize(
    ("page", "label"),
    [
        ("sources", "Value the sources"),
        ("validate", "Plant errors and look for them"),
    ],
)
def test_what_runs_beside_and_takes_too_long(monkeypatch, davis, page, label):
    app = settled(shown(page, davis, source=davis_source()))  # time is measured
    monkeypatch.setenv(LIMITS[1], "1e-9")
    assert is_refused(click(app, label), LIMITS[1])


def test_what_takes_too_long_ends_with_a_sentence_and_what_it_has():
    side, kept = SideJob(), []
    steps = [Snapshot(0.1, 9.0, 1e6, make=lambda: 1), Snapshot(0.2, 1e6, make=int)]
    job = side.start(davis_table(), 0, lambda: iter(steps), kept.append)
    assert job.wait(900)
    assert job.status == "failed" and "CELLVAL_MAX_HOURS" in job.error
    assert kept == [0]
