"""The frame of all pages: links to runs, the sidebar, progress on every page."""

import threading
from dataclasses import replace

import pytest
from helpers import (
    WAIT,
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
    wait_for,
)

from cellval.jobs import background
from cellval.ui import live
from cellval.ui.navigation import PAGES, file_of
from cellval.ui.session import IN_USE
from cellval.ui.text import meaning, plain


def started(sample="Davis"):
    return click(click(open_app(), sample), "Value the cells")


# --- links ----------------------------------------------------------------------------


def test_a_dead_link_is_forgotten_with_a_word():
    app = open_app(run="nobody-knows")
    assert "no longer there" in texts(app.toast)
    assert "run" not in app.query_params


def test_a_link_finds_the_run_with_its_data_and_decisions():
    first = settled(started())
    run = session_of(first).run
    assert first.query_params["run"] in (run.id, [run.id])
    session_of(first).file.decide(12, "height", "error")
    session_of(first).file.edits[12].texts["weight"] = "57"
    app = open_app("export", run=run.id)
    assert "1 so far" in texts(app.markdown)
    assert "davis" in texts(goto(app, "data").subheader)
    assert session_of(app).file.edits[12].texts == {"weight": "57"}
    stranger = open_app("export")
    assert "No data yet" in texts(stranger.markdown)


def test_who_follows_a_link_may_read_the_file_in_another_way():
    first = settled(started())
    app = open_app("data", run=session_of(first).run.id)
    app.selectbox[1].set_value("repwt").run()
    assert session_of(app).setup.id_column == "repwt"
    assert session_of(first).setup.id_column is None


@pytest.mark.parametrize("page", PAGES)
def test_every_page_has_its_title_in_the_menu(page):
    assert open_app(page).title[0].value == PAGES[page].title
    assert file_of(page) == f"pages/{page}.py"


# --- progress -------------------------------------------------------------------------


def test_a_run_shows_progress_on_every_page_and_can_be_stopped(endless):
    app = started()
    run = session_of(app).run
    wait_for(lambda: run.values is not None)
    for page in ("data", "export"):
        goto(app, page)
        assert run.active, "switching pages does not end a run"
        assert "Stop the run" in labels(app.sidebar)
        assert "test points so far" in texts(app.sidebar.caption)
    assert "The run is going on" in texts(app.info)
    click(app, "Stop the run")
    assert run.status == "stopped"
    assert "kept" in texts(app.sidebar.warning)
    assert "Stop the run" not in labels(app.sidebar)


def test_compiling_is_announced_on_the_page_and_in_the_sidebar(monkeypatch):
    go_on, iter_chosen = threading.Event(), background.iter_chosen

    def only_first(table, options):
        yield next(iter_chosen(table, options))
        go_on.wait(WAIT)

    monkeypatch.setattr(background, "iter_chosen", only_first)
    try:
        app = goto(started(), "export")
        assert "first time only" in texts(app.info)
        assert "Stop the run" in labels(app.sidebar)
    finally:
        go_on.set()


def test_a_failing_run_is_told_in_a_sentence(monkeypatch):
    def broken(*args, **kwargs):
        raise ZeroDivisionError

    monkeypatch.setattr(background, "iter_chosen", broken)
    app = goto(settled(started()), "export")
    assert "ZeroDivisionError" in texts(app.error)
    assert "Open the Data page" in labels(app)


def test_a_finished_run_says_what_was_computed():
    app = settled(started())
    assert "exact" in texts(app.sidebar.success)
    assert "column subsets" in texts(app.sidebar.caption)
    run = session_of(app).run
    assert app.query_params["run"] in (run.id, [run.id])


def test_newer_values_wait_for_a_person_who_works_with_what_is_shown(davis):
    session = session_of(shown("heatmap", davis))
    first, before = session.held, davis._values
    assert first.values is before and not session.goes_on
    try:
        session.touch()
        davis._values = replace(before)
        assert session.shown() is first, "the person works with these"
        assert session.goes_on, "so pages go on looking"
        session.used_at -= IN_USE
        assert session.shown().values is davis._values is not before
        assert not session.goes_on
    finally:
        davis._values = before


def test_who_comes_to_a_page_sees_the_latest_values_and_then_they_stay(davis):
    app = shown("heatmap", davis)
    session, before = session_of(app), davis._values
    try:
        davis._values = replace(before)
        assert session.shown().values is before, "just drawn: a click may come"
        goto(app, "columns")
        assert session.held.values is davis._values is not before
        davis._values = replace(before)
        assert session.shown() is session.held
        assert session.held.values is not davis._values
    finally:
        davis._values = before


# --- words ----------------------------------------------------------------------------


def test_plain_text_has_no_markdown_left():
    assert plain("a *b* [c](d) :red[e] <i> $x$") == (
        r"a \*b\* \[c\]\(d\) \:red\[e\] \<i\> \$x\$"
    )
    assert plain(" two\nlines ") == "two lines"


def test_the_meaning_of_numbers_is_that_of_the_method(davis):
    assert "sum to the accuracy" in meaning(davis.values)
    assert meaning(None) == meaning(davis.values)
    assert "What do these numbers mean?" in [
        fold.label for fold in shown("columns", davis).sidebar.expander
    ]
    assert "Below zero" in text_of(shown("columns", davis))


def test_pages_look_less_often_at_an_old_run(davis):
    run = running(davis.table)
    session = session_of(shown("heatmap", run))
    assert live._pace(session) == live.EVERY
    run.started -= 2 * live.OLD
    assert live._pace(session) == live.LATER > live.EVERY
    run.stop()
    session.renew()
    assert live._pace(session) is None
