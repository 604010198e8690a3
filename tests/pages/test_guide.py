"""The first minute: one click shows what comes, and each page leads on."""

from types import SimpleNamespace

from helpers import (
    box,
    button,
    click,
    goto,
    labels,
    open_app,
    running,
    session_of,
    settled,
    shown,
    text_of,
    texts,
)

from cellval.repairs.repair import Repair
from cellval.ui.guide import where


def test_one_click_on_a_first_visit_shows_the_whole_way():
    app = open_app()
    for word in ("Look", "Decide", "Repair"):
        assert word in text_of(app)
    app = settled(click(app, "Show me on a sample"))
    assert app.title[0].value == "Heatmap"
    assert "2 suspects were found, the first of them weight 166" in text_of(app)
    assert "Decide: 0 of 2 suspects" in texts(app.sidebar.markdown)
    click(app, "Answer the questions")
    assert app.title[0].value == "Inspection list"
    assert "weight and height swapped in 1 row" in text_of(app)
    click(app, "Wrong: repair so")
    assert "Both suspects are decided on, with 2 changes" in text_of(app)
    assert "Decide: 2 of 2 suspects" in texts(app.sidebar.markdown)
    assert "Repair: 2 changed" in texts(app.sidebar.markdown)
    click(app, "Measure it")
    assert app.title[0].value == "Repair"
    assert "Did it help?" in text_of(app)


def test_the_heatmap_leads_on_to_the_findings_whatever_was_looked_at_last(davis):
    app = shown("heatmap", davis, view="Map")
    assert click(app, "Answer the questions").title[0].value == "Inspection list"
    assert box(app, "What to look at").value == "Findings"
    assert button(app, "Answer the questions").disabled


def test_where_one_stands_is_not_told_while_a_run_goes_on(endless):
    app = click(click(open_app(), "Davis"), "Value the cells")
    goto(app, "inspect")
    assert session_of(app).run.active
    assert "Answer the questions" not in labels(app)
    assert "Decide:" not in texts(app.sidebar.markdown)
    click(app, "Stop the run")


def test_a_run_that_was_stopped_before_there_were_suspects_leads_nowhere(davis):
    run = running(davis.table)
    run.stop()
    app = shown("heatmap", run)
    assert "not yet compared with each other" in text_of(app)
    assert "Look" not in labels(app)
    assert "Stopped after" in texts(app.sidebar.warning)


def test_a_measurement_that_was_stopped_is_not_taken_for_done(davis):
    app = shown("repair", davis, repairs={(12, "weight"): Repair("replace", "57", "")})
    file = session_of(app).file
    file.comparison.made_from = dict(file.repairs)
    file.comparison.job = SimpleNamespace(status="stopped", active=False, table=None)
    assert not where(session_of(app)).is_measured
    file.comparison.job.status = "done"
    assert where(session_of(app)).is_measured
