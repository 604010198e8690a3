"""Projects on the Data page: their list, their links, what is gone or damaged."""

import errno
import gc
import shutil
import threading
import time
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest
from helpers import (
    SAMPLES,
    WAIT,
    click,
    davis_source,
    downloads_of,
    drawn,
    goto,
    open_app,
    restarted,
    session_of,
    settled,
    text_of,
    texts,
    upload,
    wait_for,
)

import cellval
from cellval.errors import InputError
from cellval.jobs.background import ValuationJob
from cellval.project import database, project
from cellval.project.archive import pack
from cellval.project.source import Setup, Source
from cellval.repairs.repair import Repair
from cellval.ui import projects
from cellval.ui import session as sessions
from cellval.ui.projects import open_file
from cellval.ui.runs import start_run, value_repaired
from cellval.ui.session import Session
from cellval.values.options import RunOptions


@pytest.fixture
def own_home(tmp_path, monkeypatch):
    monkeypatch.setenv("CELLVAL_HOME", str(tmp_path))
    restarted()
    yield tmp_path
    restarted()


def project_list(app):
    found = [table for table in app.dataframe if "how far" in table.value]
    return found[0].value if found else None


def chosen(app, line, column=None):
    """By the box before the line, or by a click on one of its cells."""
    table = next(t for t in app.dataframe if "how far" in t.value)
    key = table.proto.id.split("-", 2)[-1]
    ticks = {"rows": [line], "columns": [], "cells": []}
    if column is not None:
        ticks |= {"rows": [], "cells": [(line, column)]}
    app.session_state[key] = {"selection": ticks}
    return drawn(app)


def test_projects_are_listed_opened_renamed_copied_and_deleted(own_home):
    assert project_list(open_app()) is None
    first = click(open_app(), "Davis")
    session_of(first).file.decide(12, "height", "error")
    settled(click(first, "Value the cells"))
    click(open_app(), "Wine")
    app = open_app()
    listed = project_list(app)
    assert listed["name"].tolist() == ["wine", "davis"]
    assert listed["how far"].tolist() == ["not valued yet", "valued, 1 decision"]
    click(chosen(app, 1), "Copy")
    assert project_list(drawn(app))["name"].tolist()[0] == "davis (copy)"
    click(chosen(app, 0), "Delete it")
    assert project_list(drawn(app))["name"].tolist() == ["wine", "davis"]
    (box,) = (box for box in chosen(app, 1).text_input if box.label == "Name")
    box.set_value("Heights").run()
    click(chosen(app, 1), "Rename it")
    assert "Heights" in project_list(drawn(app))["name"].tolist()
    line = project_list(app)["name"].tolist().index("Heights")
    click(chosen(app, line, "name"), "Open")
    assert session_of(app).file.decisions == {(12, "height"): "error"}
    assert session_of(app).run is not None


def test_who_deletes_the_open_project_is_not_told_of_a_dead_link(own_home):
    app = click(open_app(), "Davis")
    link = session_of(app).link
    click(chosen(app, 0), "Delete it")
    assert session_of(app).file.source is None
    assert not app.error
    assert "project" not in app.query_params
    assert project_list(drawn(app)) is None
    app.query_params["project"] = link  # the browser's address was late
    app.run()
    assert not app.error
    assert "project" not in app.query_params


def test_who_deletes_what_they_view_closes_it(own_home):
    first = click(open_app(), "Davis")
    app = open_app(project=session_of(first).file.project.link("view"))
    click(chosen(app, 0), "Delete it")
    assert session_of(app).file.source is None
    assert not app.error


def test_a_project_that_others_delete_meanwhile_is_said_to_be_gone(own_home):
    app = click(open_app(), "Davis")
    session = session_of(app)
    shutil.rmtree(session.file.project.folder)
    assert "no project behind this link" in texts(open_app(project=session.link).error)
    session.file.decide(12, "height", "error")
    assert "deleted or moved" in texts(drawn(app).sidebar.error)


def test_what_others_deleted_goes_on_in_a_new_project(own_home):
    app = click(open_app(), "Davis")
    settled(click(app, "Value the cells"))
    session = session_of(app)
    session.file.decide(12, "height", "error")
    values, link = session.values, session.link
    projects.delete(Session(), session.file.project.id)
    session.file.decide(13, "height", "fine")
    assert "once more" in texts(drawn(app).sidebar.error)
    open_file(session, session.file.source)
    assert not settled(app).sidebar.error
    assert session.link != link and session.values is not None
    restarted()
    assert "no project behind" in texts(open_app(project=link).error)
    again = session_of(settled(open_app(project=session.link)))
    decisions = {(12, "height"): "error", (13, "height"): "fine"}
    assert again.file.decisions == decisions
    assert len(again.file.steps) == 2
    assert np.array_equal(again.values.values, values.values)
    assert again.run.status == "done"


def test_a_copy_or_an_export_lacks_nothing_that_was_decided(own_home, monkeypatch):
    app = open_app("data", project=create_davis().link("edit"))
    file = session_of(app).file
    with monkeypatch.context() as broken:
        broken.setattr(project, "transaction", full_disk)
        file.decide(12, "weight", "error")
        click(chosen(app, 0), "Copy")
        assert "would be missing" in texts(app.error)
        assert len(projects.shelf().entries()) == 1
        assert downloads_of(chosen(app, 0))["Export"].proto.disabled
    click(chosen(app, 0), "Copy")
    assert not app.error
    assert not downloads_of(chosen(app, 0))["Export"].proto.disabled
    entries = projects.shelf().entries()
    assert [entry.n_decisions for entry in entries] == [1, 1]


def test_what_was_set_aside_is_named_as_long_as_its_link_is_asked_for(own_home):
    app = click(open_app(), "Davis")
    project, link = session_of(app).file.project, session_of(app).link
    project.close()
    restarted()
    (project.folder / "project.sqlite").write_bytes(b"something else" * 1000)
    app = open_app(project=link)
    for page in ("data", "heatmap", "data"):
        told = texts(goto(app, page).error).replace("\\", "")
        assert f"{project.id}.damaged" in told


def test_long_names_are_cut_in_the_middle_and_told_whole(own_home):
    stem = f"households_{'of_the_north_' * 4}2024"
    app = upload(open_app(), f"{stem}.csv", (SAMPLES / "davis.csv").read_bytes())
    (name,) = (m for m in app.sidebar.markdown if "households" in m.value)
    assert "…" in name.value and name.value.endswith("2024\\.csv**")
    assert stem in name.proto.help.replace("\\", "")
    app = open_app()
    (listed,) = project_list(app)["name"]
    assert "…" in listed and listed.endswith("2024")
    assert "Click a project to open" in text_of(app)
    assert f"**{stem}**, made of {stem}.csv" in text_of(chosen(app, 0, "file"))


def test_a_project_travels_through_the_uploader(own_home):
    first = click(open_app(), "Davis")
    session_of(first).file.decide(12, "height", "error")
    packed = pack(session_of(first).file.project)
    app = upload(open_app(), "heights.cellval", packed)
    assert session_of(app).file.decisions == {(12, "height"): "error"}
    assert session_of(app).file.project.id != session_of(first).file.project.id
    app = upload(open_app(), "heights.cellval", b"x,y\n1,2\n")
    assert "no project of cellval" in texts(app.error)


def test_on_a_shared_server_nobody_sees_what_others_have(own_home, monkeypatch):
    monkeypatch.setenv("CELLVAL_SHARED", "1")
    first = click(open_app(), "Davis")
    assert project_list(open_app()) is None
    other = open_app(project=session_of(first).file.project.link("edit"))
    assert session_of(other).file is session_of(first).file


@pytest.mark.parametrize("damage", ["gone", "changed"])
@pytest.mark.parametrize("is_used", [False, True])
def test_a_damaged_test_file_takes_nothing_else_along(own_home, damage, is_used):
    app = click(open_app(), "Davis")
    session = session_of(app)
    session.file.decide(12, "height", "error")
    raw = (SAMPLES / "davis.csv").read_bytes()
    session.test_source = Source.of("test.csv", b"".join(raw.splitlines(True)[:40]))
    test = cellval.read(session.test_source.buffer(), like=session.read_file())
    start_run(session, RunOptions(test=test if is_used else None, n_neighbors=3))
    assert session.run.wait(WAIT)
    kept = session.file.project.folder / "files" / session.test_source.sha256
    kept.unlink()
    if damage == "changed":
        kept.write_bytes(b"something else")
    restarted()
    app = open_app(project=session.link)
    assert "test file of this project is left out" in texts(app.error)
    assert "stays open" not in texts(app.error), "no other file was refused"
    again = session_of(app)
    assert again.file.decisions == {(12, "height"): "error"}
    assert again.test_source is None
    assert (again.run is None) == is_used
    # chosen again, it is there again
    again.test_source = session.test_source
    restarted()
    app = settled(open_app(project=session.link))
    assert not app.error
    assert session_of(app).test_source == session.test_source
    assert session_of(app).run.status == "done"


def test_where_nothing_can_be_kept_it_is_said_and_the_app_goes_on(
    tmp_path, monkeypatch
):
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("CELLVAL_HOME", str(tmp_path / "file"))
    restarted()
    app = open_app()
    assert "can be kept" in texts(app.error)
    click(app, "Davis")
    assert "Not kept" in texts(app.sidebar.error)
    settled(click(app, "Value the cells"))
    assert session_of(app).run.status == "done"
    session_of(app).file.decide(12, "height", "error")
    reloaded = open_app(project=session_of(app).link)
    assert session_of(reloaded).file.decisions == {(12, "height"): "error"}
    restarted()


def test_a_new_name_that_is_not_kept_is_said(own_home, monkeypatch):
    session = session_of(click(open_app(), "Davis"))
    place, known = session.file.project.folder, session.file.project.id
    del session
    restarted()
    monkeypatch.setattr(
        database.os, "access", lambda path, mode: place not in path.parents
    )
    with pytest.raises(InputError, match="not kept"):
        projects.rename(known, "Heights")


@pytest.mark.parametrize("way", ["Try again", "the same file again"])
def test_what_could_not_be_kept_at_first_is_kept_later(tmp_path, monkeypatch, way):
    data = tmp_path / "data"
    data.write_text("no folder")
    monkeypatch.setenv("CELLVAL_HOME", str(data))
    restarted()
    app = click(open_app(), "Davis")
    settled(click(app, "Value the cells"))
    session = session_of(app)
    session.file.decide(12, "height", "error")
    assert "Not kept" in texts(drawn(app).sidebar.error)
    click(app, "Try again")
    assert "Not kept" in texts(app.sidebar.error)
    data.unlink()
    if way == "Try again":
        click(app, way)
    else:
        open_file(session, session.file.source)
        drawn(app)
    assert not app.sidebar.error
    assert app.query_params["project"] in (session.link, [session.link])
    values, link = session.values, session.link
    restarted()
    again = session_of(settled(open_app(project=link)))
    assert again.file.decisions == {(12, "height"): "error"}
    assert np.array_equal(again.values.values, values.values)
    assert again.run.status == "done"
    restarted()


def test_a_run_that_goes_on_is_kept_when_it_can_be(tmp_path, monkeypatch, endless):
    data = tmp_path / "data"
    data.write_text("no folder")
    monkeypatch.setenv("CELLVAL_HOME", str(data))
    restarted()
    app = click(click(open_app(), "Davis"), "Value the cells")
    session = session_of(app)
    wait_for(lambda: session.values is not None)
    data.unlink()
    click(app, "Try again")
    session.run.stop()
    settled(app)
    assert not app.sidebar.error
    restarted()
    again = session_of(settled(open_app(project=session.link)))
    assert np.array_equal(again.values.values, session.values.values)
    restarted()


def test_values_are_kept_later_while_the_run_still_looks_for_errors(
    tmp_path, monkeypatch
):
    data, may_end = tmp_path / "data", threading.Event()
    data.write_text("no folder")
    monkeypatch.setenv("CELLVAL_HOME", str(data))
    monkeypatch.setattr(ValuationJob, "_look_now", lambda run: may_end.wait(WAIT))
    restarted()
    app = click(click(open_app(), "Davis"), "Value the cells")
    session = session_of(app)
    wait_for(lambda: session.file.project.runs[0].status == "done")
    assert session.run.active
    data.unlink()
    click(app, "Try again")
    may_end.set()
    settled(app)
    values, link = session.values, session.link
    restarted()
    again = session_of(settled(open_app(project=link)))
    assert np.array_equal(again.values.values, values.values)
    assert again.run.status == "done"
    restarted()


def test_a_run_that_was_killed_before_there_were_values_is_continued(
    own_home, monkeypatch
):
    options = {"method": "mc", "rounds": 2}
    with monkeypatch.context() as checkpoints:
        checkpoints.setattr("cellval.project.run.EVERY", 0.0)
        first = create_davis()
        steps = first.iter_values(n_jobs=1, **options)
        while next(steps).begun is None:
            pass
        copy = projects.shelf().copy(first.id)  # as a kill leaves it
        steps.close()
    link, (run,) = copy.link("edit"), copy.runs
    copy.close()
    app = settled(open_app(project=link))
    assert "before there were values" in texts(app.sidebar.warning)
    assert session_of(app).values is None
    settled(click(app, "Continue the run"))
    assert "Done" in texts(app.sidebar.success)
    found, (ended,) = session_of(app).values, session_of(app).file.project.runs
    assert (ended.id, ended.status) == (run.id, "done") and 0 < run.done < 1
    wanted = cellval.value_cells(first.table, **options)
    assert np.array_equal(found.values, wanted.values, equal_nan=True)


def test_values_that_did_not_fit_on_the_disk_are_kept_by_another_try(
    own_home, monkeypatch
):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    app = click(open_app(), "Davis")
    session = session_of(app)
    with monkeypatch.context() as disk:
        disk.setattr(project, "write_values", full)
        settled(click(app, "Value the cells"))
        assert "The disk is full" in texts(app.sidebar.error)
    click(app, "Try again")
    assert not app.sidebar.error
    restarted()
    again = session_of(settled(open_app(project=session.link)))
    assert again.run.status == "done" and not again.memo.is_cut_short
    assert np.array_equal(again.values.values, session.values.values)


def at_once(n, act):
    """Of as many sessions, which begin together."""
    sessions, ready = [Session() for _ in range(n)], threading.Barrier(n)

    def go(session):
        ready.wait(WAIT)
        act(session)

    threads = [threading.Thread(target=go, args=(one,)) for one in sessions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sessions


def test_who_comes_at_the_same_moment_shares_file_and_run(own_home):
    project = projects.shelf().create(davis_source(), Setup("sex"))
    project.value(n_neighbors=3)
    for _ in range(5):
        restarted()
        one, other = at_once(2, lambda s: projects.open_project(s, project.id))
        assert one.file is other.file
        assert one.run is other.run is not None
        assert one.run.wait(WAIT)


def test_what_two_people_change_of_the_reading_is_both_kept(own_home):
    project = projects.shelf().create(davis_source(), Setup("sex"))
    one, other = Session(), Session()
    for session in (one, other):
        projects.open_project(session, project.id)
    one.try_setup(replace(one.setup, exclude=("repht",)))
    other.try_setup(replace(other.setup, id_column="repwt"))  # not drawn since
    wanted = replace(Setup("sex"), exclude=("repht",), id_column="repwt")
    assert other.setup == wanted == one.file.project.setup
    one.renew()
    assert one.setup == wanted and one.table.id_column == "repwt"
    assert one.unsaid == ["Read with the id repwt, as somebody else chose."]
    words = [step.words for step in one.file.steps]
    assert words == ["Read with repht left out", "Read with the id repwt"]


def test_runs_that_are_shown_again_look_for_errors_one_after_the_other(
    own_home, monkeypatch
):
    made = []
    for _ in range(3):
        made.append(projects.shelf().create(davis_source(), Setup("sex")))
        made[-1].value(n_neighbors=3)
    restarted()
    now, most, look = [0], [0], ValuationJob._look_now

    def counted(job):
        now[0] += 1
        most[0] = max(most[0], now[0])
        time.sleep(0.1)
        look(job)
        now[0] -= 1

    monkeypatch.setattr(ValuationJob, "_look_now", counted)
    session, runs = Session(), []
    for one in made:
        projects.open_project(session, one.id)
        runs.append(session.run)
        wait_for(lambda: session.values is not None)  # without a wait for its turn
    assert all(run.wait(WAIT) for run in runs)
    assert all(run.suspicion is not None for run in runs)
    assert most == [1]


def test_what_others_repair_while_the_repaired_table_is_made_comes_later(
    own_home, monkeypatch
):
    """The run tells the changes that its table has: else its values are of another."""
    project = projects.shelf().create(davis_source(), Setup("sex"))
    session = Session()
    projects.open_project(session, project.id)
    start_run(session, RunOptions(n_neighbors=3))
    assert session.run.wait(WAIT)
    session.file.repair(12, "weight", Repair("replace", "57"))
    make = sessions._repaired

    def slow(*args):
        session.file.repair(12, "height", Repair("replace", "166"))  # somebody else
        return make(*args)

    monkeypatch.setattr(sessions, "_repaired", slow)
    value_repaired(session)
    run = session.run
    assert run.wait(WAIT) and list(run.memo.changes) == [(12, "weight")]
    assert not session.is_up_to_date
    restarted()
    again = Session()
    projects.open_project(again, project.id)
    assert again.run.wait(WAIT) and not again.file.project.aside
    np.testing.assert_array_equal(again.values.values, run.values.values)


def test_what_others_change_of_the_reading_while_the_file_is_read_stays(
    own_home, monkeypatch
):
    project = projects.shelf().create(davis_source(), Setup("sex"))
    one, other = Session(), Session()
    for session in (one, other):
        projects.open_project(session, project.id)
    read, first = Setup.read, [True]

    def slow(setup, source):
        if first[0]:
            first[0] = False
            other.try_setup(replace(other.setup, id_column="repwt"))
        return read(setup, source)

    monkeypatch.setattr(Setup, "read", slow)
    one.try_setup(replace(one.setup, exclude=("repht",)))
    wanted = replace(Setup("sex"), exclude=("repht",), id_column="repwt")
    assert one.setup == wanted == one.file.project.setup


def test_who_leaves_what_is_not_kept_yet_finds_it_again(own_home, monkeypatch):
    app = open_app("data", project=create_davis().link("edit"))
    file, link = session_of(app).file, session_of(app).link
    with monkeypatch.context() as broken:
        broken.setattr(project, "transaction", full_disk)
        file.decide(12, "weight", "error")
        drawn(app)
        assert "Not kept" in text_of(app.sidebar)
    click(app, "Wine")
    del file
    gc.collect()
    back = open_app("data", project=link)
    assert session_of(back).file.decisions == {(12, "weight"): "error"}
    click(back, "Try again")
    assert not projects._unkept
    restarted()
    assert session_of(open_app(project=link)).file.decisions


def create_davis():
    return projects.shelf().create(davis_source(), Setup("sex"))


@contextmanager
def full_disk(connection):
    raise OSError(errno.ENOSPC, "No space left on device")
    yield
