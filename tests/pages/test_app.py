"""The frame of all pages: links to runs, the sidebar, progress on every page."""

import threading
from dataclasses import replace

import numpy as np
import pytest
from cases import ROOT
from helpers import (
    WAIT,
    click,
    davis_source,
    drawn,
    goto,
    labels,
    link_of,
    open_app,
    raw_text_of,
    restarted,
    running,
    session_of,
    settled,
    shown,
    text_of,
    texts,
    wait_for,
)

from cellval.errors import InputError
from cellval.jobs import background, queue
from cellval.project.project import Project
from cellval.project.source import Setup
from cellval.repairs.repair import Repair
from cellval.ui import live, projects
from cellval.ui.navigation import PAGES, file_of
from cellval.ui.session import IN_USE
from cellval.ui.text import meaning, plain
from cellval.valuation import value_cells


def started(sample="Davis"):
    return click(click(open_app(), sample), "Value the cells")


# --- links ----------------------------------------------------------------------------


def test_a_link_that_leads_nowhere_is_said_on_every_page_and_stays_in_the_address():
    app = open_app(project="nobody-knows")
    for page in PAGES:
        goto(app, page)
        assert "no project behind this link" in texts(app.error), page
        assert app.query_params["project"] in ("nobody-knows", ["nobody-knows"])
    click(goto(app, "data"), "Davis")
    assert not app.error
    assert app.query_params["project"] in (link_of(app), [link_of(app)])


def test_a_link_works_as_soon_as_what_is_behind_it_is_back():
    first = click(open_app(), "Davis")
    folder, link = session_of(first).file.project.folder, link_of(first)
    restarted()
    away = folder.rename(folder.with_name("away"))
    app = open_app("export", project=link, cell="12:height")
    assert "no project behind this link" in texts(app.error)
    away.rename(folder)
    app.run()
    assert not app.error
    assert session_of(app).file.source.name == "davis.csv"


def test_a_link_finds_the_project_with_its_run_and_decisions():
    first = settled(started())
    assert first.query_params["project"] in (link_of(first), [link_of(first)])
    session_of(first).file.decide(12, "height", "error")
    session_of(first).file.edits[12].texts["weight"] = "57"
    app = open_app("export", project=link_of(first))
    assert "1 so far" in texts(app.markdown)
    assert "davis" in texts(goto(app, "data").subheader)
    assert session_of(app).run is session_of(first).run
    assert session_of(app).file.edits[12].texts == {"weight": "57"}
    stranger = open_app("export")
    assert "No data yet" in texts(stranger.markdown)


def test_after_a_restart_all_is_as_it_was():
    first = settled(started())
    session, link = session_of(first), link_of(first)
    session.file.decide(12, "height", "error")
    session.file.repair(12, "weight", Repair("replace", "57"))
    values = session.run.values
    restarted()
    app = settled(open_app("heatmap", project=link))
    again = session_of(app)
    assert again.file is not session.file
    assert again.file.decisions == session.file.decisions
    assert again.file.repairs == session.file.repairs
    assert again.run is not session.run
    assert again.run.status == "done"
    np.testing.assert_array_equal(again.run.values.values, values.values)
    assert again.run.suspicion.n_flagged == session.run.suspicion.n_flagged
    assert "Done" in texts(app.sidebar.success)
    # undone on the page, undone on disk
    again.file.undo((12, "weight"))
    restarted()
    last = session_of(open_app("heatmap", project=link))
    assert last.file.repairs == {}


def test_a_stopped_run_is_continued_after_a_restart_to_the_same_values(endless):
    app = started()
    run = session_of(app).run
    wait_for(lambda: run.values is not None)
    click(app, "Stop the run")
    assert run.wait(WAIT)
    restarted()
    app = settled(open_app("heatmap", project=link_of(app)))
    assert "Stopped after" in texts(app.sidebar.warning)
    assert session_of(app).run.status == "stopped"
    endless.undo()
    click(app, "Continue the run")
    settled(app)
    new = session_of(app).run
    assert new.status == "done", new.error
    assert len(session_of(app).file.project.runs) == 1
    whole = value_cells(new.table)
    np.testing.assert_array_equal(new.values.values, whole.values)


def test_a_run_by_another_method_is_continued_where_it_was_stopped():
    project = projects.shelf().create(davis_source(), Setup("sex"))
    options = {"method": "mc", "rounds": 3}
    steps = project.iter_values(n_jobs=1, **options)
    assert next(step for step in steps if step.has_result).seen == "1 of 3 rounds"
    steps.close()
    app = settled(open_app("heatmap", project=project.link("edit")))
    run = session_of(app).run
    assert (run.status, run.progress.seen) == ("stopped", "1 of 3 rounds")
    settled(click(app, "Continue the run"))
    new = session_of(app).run
    assert new.status == "done", new.error
    whole = value_cells(new.table, **options)
    np.testing.assert_array_equal(new.values.values, whole.values)


@pytest.fixture
def left(monkeypatch):
    """A project with a run that was stopped after the first of three rounds."""
    monkeypatch.setattr("cellval.project.run.EVERY", 0.0)  # seconds
    monkeypatch.setattr("cellval.ui.runs.SHORT_RUN", 0.0)
    project = projects.shelf().create(davis_source(), Setup("sex"))
    steps = project.iter_values(n_jobs=1, **ROUNDS)
    assert next(step for step in steps if step.has_result).seen == "1 of 3 rounds"
    steps.close()
    return project


ROUNDS = {"method": "mc", "rounds": 3}


def continued_in_vain(project, why):
    """The values that there were are shown again, and why."""
    app = settled(open_app("heatmap", project=project.link("edit")))
    old = session_of(app).run
    values = old.values
    settled(click(app, "Continue the run")).run()
    assert session_of(app).run is old
    assert why in texts(app.sidebar.error)
    assert old.values is values
    assert [run.status for run in project.runs] == ["stopped"]
    return app


def test_a_run_that_goes_on_elsewhere_is_continued_later(left, monkeypatch):
    monkeypatch.setattr("cellval.project.run.PATIENCE", 0.1)
    (run,) = left.runs
    assert left.lock(run)
    app = continued_in_vain(left, "goes on in another program")
    left.unlock(run)
    settled(click(app, "Continue the run"))
    new = session_of(app).run
    assert new.status == "done", new.error
    assert new.memo.before is None or new.memo.before.values is not new.values
    assert "another program" not in texts(app.sidebar.error)
    whole = value_cells(new.table, **ROUNDS)
    np.testing.assert_array_equal(new.values.values, whole.values)
    assert [run.status for run in left.runs] == ["done"]


def test_a_run_that_cannot_go_on_is_shown_as_it_is(left):
    (path,) = (left.folder / "runs").glob("*.npz")
    with np.load(path) as file:
        kept = {k: array for k, array in file.items() if k != "state_rows_sums"}
    np.savez(path, **kept)
    continued_in_vain(left, "lack what is needed to continue")


def test_a_run_that_has_no_place_to_compute_is_shown_as_it_is(left, monkeypatch):
    def nowhere():
        raise InputError("No scheduler answers.")

    monkeypatch.setattr(background, "of_the_app", nowhere)
    continued_in_vain(left, "No scheduler answers")


def test_a_run_that_is_stopped_while_it_waits_to_go_on_has_its_values(
    left, monkeypatch
):
    app = settled(open_app("heatmap", project=left.link("edit")))
    old = session_of(app).run
    with monkeypatch.context() as crowded:
        crowded.setattr(queue, "AT_ONCE", 0)
        click(app, "Continue the run")
        assert session_of(app).run.status == "waiting"
        click(app, "Stop the run")
    assert session_of(settled(app)).run is old
    assert "Continue the run" in labels(app.sidebar)
    assert [run.status for run in left.runs] == ["stopped"]


def test_a_run_that_failed_is_tried_again(monkeypatch):
    with monkeypatch.context() as broken:
        broken.setattr(background, "iter_chosen", lambda *_, **__: 1 / 0)
        app = settled(started())
    assert session_of(app).run.status == "failed"
    settled(click(app, "Try again"))
    assert session_of(app).run.status == "done"
    assert [run.status for run in session_of(app).file.project.runs] == ["done"]


def test_who_continues_a_run_that_another_one_has_continued_sees_that_one(endless):
    app = started()
    run = session_of(app).run
    wait_for(lambda: run.values is not None)
    click(app, "Stop the run")
    assert run.wait(WAIT)
    other = settled(open_app("heatmap", project=link_of(app)))
    assert session_of(other).run is run
    endless.undo()
    click(app, "Continue the run")
    new = session_of(settled(app)).run
    assert new is not run and new.status == "done", new.error
    click(other, "Continue the run")
    assert session_of(other).run is new
    assert [run.status for run in session_of(app).file.project.runs] == ["done"]


def test_of_drawn_test_points_more_are_taken_until_there_are_no_more(monkeypatch):
    monkeypatch.setattr("cellval.knn.plan.DRAWN_WORK", 1.0)
    monkeypatch.setattr("cellval.knn.plan.LEAST_DRAWN", 60)
    app = settled(started())
    first = session_of(app).run.values
    seen, of = first.settings.n_seen, first.settings.n_tests
    assert 60 <= seen < of
    restarted()
    app = settled(open_app("heatmap", project=link_of(app)))
    settled(click(app, "Take more test points"))
    values = session_of(app).run.values
    assert values.n_test >= 2 * 60
    assert values.typical_stderr < first.typical_stderr
    assert len(session_of(app).file.project.runs) == 1
    while "Take more test points" in labels(app.sidebar):
        settled(click(app, "Take more test points"))
    assert session_of(app).run.values.n_test == of


def test_who_looks_on_changes_nothing_and_stops_nothing(endless):
    first = started()
    run = session_of(first).run
    wait_for(lambda: run.values is not None)
    app = open_app("heatmap", project=link_of(first, "view"))
    assert session_of(app).run is run
    assert "You look on" in texts(app.sidebar.caption)
    assert "Stop the run" not in labels(app.sidebar)
    session_of(app).file.decide(12, "height", "error")
    assert session_of(first).file.decisions == {}
    click(goto(app, "data"), "Wine")  # another file in that browser
    assert session_of(app).may_edit
    assert run.active


def test_who_looks_on_can_stop_what_they_started(endless):
    first = started()
    run = session_of(first).run
    app = open_app("data", project=link_of(first, "view"))
    click(app, "Value the cells")
    own = session_of(app).run
    assert own is not run and own.status == "waiting"
    click(app, "Stop the run")
    assert own.status == "stopped" and run.active
    click(goto(app, "data"), "Value the cells")
    own = session_of(app).run
    click(goto(app, "data"), "Value the cells")  # again, in place of that one
    assert own.status == "stopped"
    own = session_of(app).run
    click(goto(app, "data"), "Wine")  # nobody could find it again
    assert own.status == "stopped" and run.active


def test_another_run_of_somebody_is_named_to_them_alone(endless):
    app = started()
    before = session_of(app).run
    click(goto(app, "data"), "Wine")
    click(app, "Value the cells")
    assert session_of(app).run.status == "waiting"
    assert "Stop the run before it" in labels(app.sidebar)
    other = open_app("heatmap", project=link_of(app, "edit"))
    assert session_of(other).run is session_of(app).run
    assert "Stop the run before it" not in labels(other.sidebar)
    assert "davis.csv" not in raw_text_of(other)
    assert before.active


def test_what_another_program_decides_is_shown():
    app = settled(started())
    project = session_of(app).file.project
    beside = Project.open(project.folder.parent, project.id)
    beside.work.decide(12, "height", "error")
    goto(app, "export")
    assert session_of(app).file.decisions == {(12, "height"): "error"}


def test_what_who_looks_on_values_is_not_in_the_project():
    first = settled(started())
    app = settled(open_app("repair", project=link_of(first, "view")))
    session_of(app).file.repair(12, "weight", Repair("replace", "57"))
    settled(click(goto(app, "repair"), "Value the repaired table"))
    assert session_of(app).run.status == "done"
    owner = settled(open_app("repair", project=link_of(first)))
    session = session_of(owner)
    assert session.file.repairs == {}
    assert len(session.file.project.runs) == 1
    session.file.repair(12, "weight", Repair("replace", "57"))
    settled(click(goto(owner, "repair"), "Value the repaired table"))
    assert len(session.file.project.runs) == 2


def test_another_file_leaves_the_run_on_the_old_one_alone(endless):
    app = started()
    run, link = session_of(app).run, link_of(app)
    click(goto(app, "data"), "Wine")
    assert run.active
    assert session_of(app).run is None
    assert session_of(open_app(project=link)).run is run


def test_who_follows_a_link_may_read_the_file_in_another_way():
    first = settled(started())
    app = open_app("data", project=link_of(first))
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

    def only_first(table, options, **how):
        yield next(iter_chosen(table, options))
        go_on.wait(WAIT)

    monkeypatch.setattr(background, "iter_chosen", only_first)
    try:
        app = goto(started(), "export")
        assert "first time only" in texts(app.info)
        assert "Stop the run" in labels(app.sidebar)
    finally:
        go_on.set()


def test_first_values_are_shown_while_code_is_compiled(monkeypatch):
    go_on, iter_chosen = threading.Event(), background.iter_chosen

    def early(table, options, **how):
        for step in iter_chosen(table, options):
            yield replace(step, preparing=True)
            if step.has_result:
                break
        go_on.wait(WAIT)

    monkeypatch.setattr(background, "iter_chosen", early)
    try:
        app = started()
        run = session_of(app).run
        wait_for(lambda: run.values is not None)
        (bar,) = goto(app, "export").sidebar.get("progress")
        assert "first time only" in bar.proto.text and run.status == "compiling"
        assert "test points so far" in texts(app.sidebar.caption)
        assert "The run is going on" in texts(app.info)
    finally:
        go_on.set()


def test_what_is_left_to_do_after_the_values_is_said(monkeypatch):
    go_on = threading.Event()
    monkeypatch.setattr(background, "all_findings", lambda _: go_on.wait(WAIT))
    try:
        app = started()
        run = session_of(app).run
        wait_for(lambda: run.progress.done >= 1)
        (bar,) = goto(app, "export").sidebar.get("progress")
        assert bar.proto.text == "Valued; looking for errors" and run.active
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
    assert "all combinations were counted" in texts(app.sidebar.success)
    assert "16 combinations of columns" in texts(app.sidebar.caption)
    assert any("exact" in said.proto.help for said in app.sidebar.caption)
    assert app.query_params["project"] in (link_of(app), [link_of(app)])


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
    for address in ("http://a.example/5", "www.a.example", "me@a.example"):
        assert plain(address).count("\u2060") == 1  # Markdown makes no link of it
    for sign in (":smile:", ":+1:", ":streamlit:", ":material_home:", "a -> b", "--"):
        assert plain(sign).count("\u2060") == 1, sign  # nor Streamlit another sign
    assert "\u2060" not in plain("at 12:30:45, a--b: -1 >0")


def test_the_meaning_of_numbers_is_that_of_the_method(davis):
    assert "sum to the accuracy" in meaning(davis.values)
    assert meaning(None) == meaning(davis.values)
    assert "What do these numbers mean?" in [
        part.proto.popover.label
        for part in shown("columns", davis).sidebar.get("popover")
    ]
    assert "Below zero" in text_of(shown("columns", davis))


def test_pages_look_less_often_at_an_old_run(davis):
    run = running(davis.table)
    session = session_of(shown("heatmap", run))
    assert live._pace(session) == live.EVERY
    held, session.held = session.held, None
    assert live._pace(session) == live.FIRST < live.EVERY
    session.held = held
    run.started -= 2 * live.OLD
    assert live._pace(session) == live.LATER > live.EVERY
    run.stop()
    session.renew()
    assert live._pace(session) is None


def test_what_a_callback_says_is_drawn_once_and_by_no_callback(davis):
    app = goto(shown("heatmap", davis), "sample")
    app.text_input(key="a typed").set_value("9999")
    said = "There is no row with this number or id."
    assert said in texts(drawn(app).toast)
    assert said not in texts(drawn(app).toast)
    # streamlit warns of callbacks that draw when only a part of a page is drawn again
    ui = ROOT / "cellval" / "ui"
    drawing = {p for p in ui.rglob("*.py") if "st.toast(" in p.read_text("utf-8")}
    assert drawing == {ui / "parts.py", ui / "projects.py"}
