"""Projects: what was done is there again, whatever ended the program."""

import errno
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import weakref
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cellval.errors import InputError
from cellval.project import database
from cellval.project import project as projects
from cellval.project.files import UNWRITABLE
from cellval.project.project import Project
from cellval.project.source import Setup, Source
from cellval.repairs.repair import Repair
from cellval.repairs.work import Verdict
from cellval.values.options import RunOptions

DAVIS = Path(__file__).parents[2] / "sample_data" / "davis.csv"
SETUP = Setup(label="sex")


def test_what_was_decided_is_on_disk_at_once(project, again):
    work = project.work
    work.decide(12, "weight", "fine")
    work.decide(13, "weight", "error")
    work.decide(13, "weight", None)
    work.repair(12, "height", Repair("replace", "166", "said so"))
    work.repair(3, "", Repair("drop"))
    work.repair(4, "height", Repair("blank"))
    work.undo((4, "height"))
    found = again(project).work
    assert found.decisions == {(12, "weight"): "fine", (12, "height"): "error"}
    assert list(found.repairs.items()) == [
        ((12, "height"), Repair("replace", "166", "said so")),
        ((3, ""), Repair("drop")),
    ]
    found.undo((12, "height"))
    assert found.decisions == again(project).work.decisions == {(12, "weight"): "fine"}


def test_a_table_is_read_once_as_long_as_anybody_has_it(project):
    table = project.table
    assert project.table is table
    project.work.repair(12, "height", Repair("replace", "166"))
    mended = project.table
    assert mended is not table and mended.cells.at[11, "height"] == "166"
    project.setup = replace(SETUP, exclude=("weight",))
    assert "weight" not in project.table.feature_names
    project.setup = SETUP
    assert project.table is mended
    project.work.undo((12, "height"))
    assert project.table is table
    gone = weakref.ref(table)
    del table
    assert gone() is None  # no project holds a table that nobody looks at


def test_what_was_done_together_is_undone_together_later(project, again):
    work, cells = project.work, [(k, "weight") for k in range(1, 60)]
    work.decide(1, "weight", "unsure")
    with work.together("59 cells blanked", cells):
        for cell in cells:
            work.repair(*cell, Repair("blank"))
    found = again(project).work
    (group,) = found.groups
    assert group.words == "59 cells blanked"
    assert len(found.repairs) == 59
    found.undo_together(group)
    last = again(project).work
    assert (last.decisions, last.repairs, last.groups) == (
        {(1, "weight"): "unsure"},
        {},
        [],
    )


def test_steps_and_rules_are_found_again_and_undone_later(project, again):
    work, cells = project.work, [(k, "weight") for k in range(1, 60)]
    with work.together("blanked", cells, kind="code", finding="code-1"):
        for cell in cells:
            work.repair(*cell, Repair("blank"))
    work.decide(3, "height", "fine")
    rule = {"given": ["height"], "target": "weight", "title": "a rule"}
    work.answer("rule-1", "accepted", rule)
    work.undo_step()
    found = again(project).work
    assert [step.words for step in found.steps] == [step.words for step in work.steps]
    assert (found.n_done, found.rules) == (2, {})
    assert (found.steps[0].kind, found.steps[0].finding) == ("code", "code-1")
    found.redo_step()
    assert again(project).work.rules == {"rule-1": Verdict("accepted", rule)}
    assert found.take_back(0) == []
    last = again(project).work
    assert (last.repairs, last.decisions) == ({}, {(3, "height"): "fine"})
    assert last.n_done == 2
    last.redo_step()
    assert len(again(project).work.repairs) == 59


def test_a_repair_keeps_its_place_while_another_decision_is_made_on_its_cell(
    project, again
):
    for row in (5, 6):
        project.work.repair(row, "height", Repair("blank"))
    project.work.decide(5, "height", "unsure")
    assert list(again(project).work.repairs) == [(5, "height"), (6, "height")]


def test_what_another_program_decided_is_taken(project, again):
    other = again(project)
    other.work.decide(7, "weight", "error")
    assert project.work.decisions == {}
    project.refresh()
    assert project.work.decisions == {(7, "weight"): "error"}


def test_a_full_disk_is_said_and_all_is_written_once_it_is_not(
    project, monkeypatch, again
):
    project.work.decide(1, "weight", "fine")
    (pages,) = project._database.execute("PRAGMA page_count").fetchone()
    project._database.execute(f"PRAGMA max_page_count = {pages}")
    project.work.repair(2, "weight", Repair("replace", 50_000 * "x"))
    assert project.trouble == "The disk is full. Free some space, then try again."
    project.work.decide(1, "weight", None)
    project.work.decide(3, "weight", "unsure")
    project.name, project.setup = "Heights", Setup(label="sex", exclude=("repwt",))
    assert (project.name, project.setup.exclude) == ("Heights", ("repwt",))
    project._database.execute("PRAGMA max_page_count = 100000")
    project.try_again()
    assert project.trouble == ""
    assert (again(project).name, again(project).setup) == ("Heights", project.setup)
    found = again(project).work
    assert found.decisions == {(2, "weight"): "error", (3, "weight"): "unsure"}
    assert len(found.repairs) == 1


@pytest.mark.parametrize("what", ["values", "result", "test file"])
def test_what_a_full_disk_did_not_take_is_not_called_kept(
    project, monkeypatch, again, what
):
    full = OSError(errno.ENOSPC, "No space left on device")

    def fail(*_, **__):
        raise full

    with monkeypatch.context() as disk:
        disk.setattr(projects, "write_values", fail)
        disk.setattr(projects, "write_whole", fail)
        if what == "result":
            disk.setattr(project, "_writing", fail)
            project.keep_result("comparison", {}, {"better": 3})
        elif what == "values":
            project.value(n_neighbors=3)
        else:
            test = Source.of("test.csv", b"x,y\n1,2\n")
            project.test_source = test
    project.work.decide(1, "weight", "fine")  # for which there is room
    assert "disk is full" in project.trouble
    assert again(project).work.decisions == {(1, "weight"): "fine"}
    project.try_again()
    assert project.trouble == ""
    found = again(project)
    if what == "result":
        assert found.result("comparison") == ({}, {"better": 3})
    elif what == "values":
        assert found.runs[0].status == "done" and found.values is not None
    else:
        assert found.test_source.raw == test.raw


def test_two_programs_at_once_keep_both_histories_and_rules(project, again):
    work, other = project.work, again(project)
    work.decide(1, "weight", "fine")
    other.work.decide(2, "weight", "error")  # without having looked
    other.work.answer("theirs", "refused")
    work.answer("ours", "accepted")
    work.decide(3, "weight", "unsure")
    found = again(project).work
    assert len(found.decisions) == 3
    assert {*found.rules} == {"theirs", "ours"}
    words = [step.words for step in found.steps]
    assert len(words) == found.n_done == 5
    assert [step.words for step in work.steps] == words
    while work.undo_step():
        pass
    assert (work.decisions, work.rules) == ({}, {})
    found = again(project).work
    assert (found.decisions, found.rules, found.n_done) == ({}, {}, 0)


def test_history_is_not_touched_by_a_run_of_another_program(project, again):
    """Which tells how far it is every few seconds."""
    work, other = project.work, again(project)
    work.decide(1, "weight", "fine")
    work.decide(2, "weight", "fine")
    other.value(n_neighbors=3)
    work.undo_step()
    assert (work.n_done, len(work.steps)) == (1, 2)
    other.value(n_neighbors=4)
    work.redo_step()
    found = again(project).work
    assert (found.n_done, len(found.decisions)) == (2, 2)
    other.value(n_neighbors=5)
    work.take_back(0)
    assert again(project).work.decisions == {(2, "weight"): "fine"}


def test_a_signal_right_behind_the_last_write_puts_no_step_twice(
    project, monkeypatch, again
):
    commit = projects.transaction

    @contextmanager
    def interrupted(connection):
        with commit(connection) as database:
            yield database
        signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with monkeypatch.context() as notebook:
            notebook.setattr(projects, "transaction", interrupted)
            with pytest.raises(KeyboardInterrupt):
                project.work.decide(1, "weight", "error")
    finally:
        signal.signal(signal.SIGINT, before)
    again(project).work.decide(2, "weight", "error")
    project.work.decide(3, "weight", "error")
    words = [f"weight in row {row} marked as wrong" for row in (1, 2, 3)]
    assert [step.words for step in again(project).work.steps] == words


def test_a_folder_that_cannot_be_asked_for_is_said(project, monkeypatch, again):
    def broken(self):
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as disk:
        disk.setattr(Project, "is_gone", property(broken))
        project.work.decide(1, "weight", "error")
        assert "Input/output error" in project.trouble
    project.try_again()
    assert project.trouble == ""
    assert again(project).work.decisions == {(1, "weight"): "error"}


def test_what_was_decided_goes_on_in_another_project(project, shelf, again):
    project.work.decide(1, "weight", "error")
    project.work.repair(12, "height", Repair("replace", "166", "said so"))
    project.work.undo((12, "height"))
    other = shelf.create(project.source, project.setup)
    other.take_over(project.work)
    other.work.decide(2, "weight", "fine")
    found = again(other).work
    assert found.decisions == {**project.work.decisions, (2, "weight"): "fine"}
    assert found.repairs == project.work.repairs
    words = [step.words for step in other.work.steps]
    assert [step.words for step in found.steps] == words
    assert again(project).work.decisions == project.work.decisions


def test_a_first_step_that_was_undone_before_it_was_written_is_not_done(
    project, monkeypatch, again
):
    with monkeypatch.context() as disk:
        disk.setattr(projects, "transaction", no_room)
        project.work.decide(1, "weight", "error")
        assert "The disk is full" in project.trouble
    project.work.undo_step()
    assert project.trouble == ""
    found = again(project).work
    assert (found.n_done, len(found.steps), found.decisions) == (0, 1, {})


def test_a_test_file_is_not_told_of_before_it_is_on_disk(project, monkeypatch, again):
    old, new = (Source.of("test.csv", b"%d\n" % n) for n in (1, 2))
    project.test_source = old
    with monkeypatch.context() as disk:
        disk.setattr(projects, "write_whole", no_room)
        project.test_source = new
        project.work.decide(1, "weight", "error")
    assert project.test_source == new and "The disk is full" in project.trouble
    assert again(project).test_source == old  # as after a crash
    project.try_again()
    assert project.trouble == ""
    assert again(project).test_source == new


def test_what_another_program_called_it_is_known_to_who_writes_then(project, again):
    again(project).name = "Heights"
    before = project.changed
    project.work.decide(1, "weight", "error")
    assert project.name == "Heights" and project.changed > before


def no_room(*_):
    raise OSError(errno.ENOSPC, "No space left on device")


def test_an_older_value_does_not_come_after_a_newer_one(project, monkeypatch, again):
    """A second try of what failed, while the run itself writes what came since."""
    run = project.begin_run(RunOptions(n_neighbors=3))
    full, begun, go_on = [True], threading.Event(), threading.Event()
    writing = project._writing

    @contextmanager
    def slow():
        if full[0]:
            raise OSError(errno.ENOSPC, "full")
        if threading.current_thread() is not threading.main_thread():
            begun.set()
            assert go_on.wait(900)
        with writing() as connection:
            yield connection

    monkeypatch.setattr(project, "_writing", slow)
    project.note_run(replace(run, seen="older"))
    assert "disk is full" in project.trouble
    full[0] = False
    trying = threading.Thread(target=project.try_again)
    trying.start()
    assert begun.wait(900)
    threading.Timer(0.2, go_on.set).start()
    project.note_run(replace(run, seen="newer"))
    trying.join()
    assert [run.seen for run in again(project).runs] == ["newer"]
    assert project.trouble == ""


def test_an_undo_beside_another_program_takes_nothing_of_theirs(project, again):
    project.work.decide(1, "weight", "fine")
    other = again(project)
    other.work.decide(2, "weight", "error")
    project.work.undo_step()
    found = again(project).work
    assert found.decisions == {(2, "weight"): "error"}
    assert len(found.steps) == 2


def test_pages_ask_no_disk_for_links_and_names(project):
    link = project.link("edit")
    project._database.close()  # as if the disk was gone
    assert (project.link("edit"), project.name) == (link, "davis")
    project.refresh()
    assert "cannot be used" in project.trouble


def make_unwritable(project, monkeypatch):
    """As a read-only file system is, also for root."""
    monkeypatch.setattr(
        database.os, "access", lambda path, mode: project.folder not in path.parents
    )


def test_a_folder_that_cannot_be_written_is_read_and_said(shelf, project, monkeypatch):
    project.work.decide(1, "weight", "fine")  # in the log only: nobody has closed it
    make_unwritable(project, monkeypatch)
    found = shelf.open(project.id)
    assert [entry.id for entry in shelf.entries()] == [project.id]
    assert found.work.decisions == {(1, "weight"): "fine"}
    assert found.trouble == UNWRITABLE
    found.work.decide(2, "weight", "error")
    found.try_again()
    assert found.trouble == UNWRITABLE
    assert found.value(n_neighbors=3).values.shape == (200, 4)  # it goes on
    assert shelf.open(project.id).work.decisions == {(1, "weight"): "fine"}
    monkeypatch.undo()
    found.try_again()
    assert found.trouble == ""
    told = {(1, "weight"): "fine", (2, "weight"): "error"}
    assert shelf.open(project.id).work.decisions == told


def test_a_folder_that_can_be_written_again_has_what_others_wrote(
    shelf, project, monkeypatch
):
    make_unwritable(project, monkeypatch)
    found = shelf.open(project.id)
    found.try_again()  # which fails, and must not make it forget what others do
    monkeypatch.undo()
    project.work.decide(1, "weight", "fine")
    found.try_again()
    assert found.work.decisions == {(1, "weight"): "fine"}


def test_decisions_of_a_copy_do_not_undo_those_of_others(shelf, project, monkeypatch):
    make_unwritable(project, monkeypatch)
    found = shelf.open(project.id)
    found.work.decide(2, "weight", "error")
    monkeypatch.undo()
    project.work.decide(1, "weight", "fine")
    found.try_again()
    told = {(1, "weight"): "fine", (2, "weight"): "error"}
    assert found.work.decisions == shelf.open(project.id).work.decisions == told


WRITER = """
import sys
from cellval.project.shelf import Shelf
from cellval.repairs.repair import Repair
shelf = Shelf(sys.argv[1])
project = shelf.open(sys.argv[2])
for k in range(1, 100_000):
    project.work.repair(k % 200 + 1, "weight", Repair("replace", str(k)))
    print(k, flush=True)
"""


def test_killed_at_any_moment_all_that_was_said_is_there(
    shelf, project, tmp_path, again
):
    for wait in (0.05, 0.11, 0.17):
        command = [sys.executable, "-c", WRITER, str(tmp_path), project.id]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "1\n"
            time.sleep(wait)
            writer.kill()
            said = [1, *map(int, writer.stdout.read().split("\n")[:-1])]
        found = again(project).work.repairs
        told = {(k % 200 + 1, "weight"): str(k) for k in said}
        more = str(said[-1] + 1)  # may be there, though it was not told
        now = {cell: found[cell].after for cell in told}
        missing = [cell for cell in told if now[cell] not in (told[cell], more)]
        assert not missing
        assert shelf.entries()[0].id == project.id


@pytest.mark.parametrize("damage", ["gone", "changed"])
def test_a_damaged_log_of_the_database_takes_no_decision_along(
    project, damage, tmp_path, again
):
    """SQLite says nothing of that: it may have been cut short."""
    for row in range(1, 31):
        project.work.decide(row, "weight", "error")
    there = tmp_path / "killed" / project.id  # as it is on disk now
    shutil.copytree(project.folder, there)
    log = there / "project.sqlite-wal"
    if damage == "gone":
        log.unlink()
    else:
        raw = bytearray(log.read_bytes())
        raw[40] ^= 255  # in the first page that it holds
        log.write_bytes(raw)
    found = Project.open(there.parent, project.id)
    assert found.work.decisions == project.work.decisions
    found.close()


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda work: work.decide(12.0, "weight", "error"), "12.0 is no row"),
        (lambda work: work.decide("12", "weight", "error"), "'12' is no row"),
        (lambda work: work.decide(12, 3, "error"), "3 is no text"),
        (lambda work: work.decide(2**63, "weight", "error"), "is none"),
        (lambda work: work.decide(12, "\udce9", "error"), "half a character"),
        (lambda work: work.repair(12, "a", Repair("replace", 166)), "be: '166'"),
        (lambda work: work.repair(12, "a", Repair("drop", "", None)), "is no text"),
        (lambda work: work.repair(12, "a", Repair("replace", "\udce9")), "half a"),
        (lambda work: work.answer("k", "accepted", {"given": np.int64(3)}), "JSON"),
    ],
)
def test_what_could_not_be_kept_is_refused_and_all_else_is_kept(
    project, act, words, again
):
    with pytest.raises(InputError, match=words):
        act(project.work)
    project.work.decide(np.int64(12), "weight", "error")  # as out of a frame
    project.work.repair_cells({(np.int64(13), "weight"): Repair("blank")})
    found = again(project).work
    assert found.decisions == {(12, "weight"): "error", (13, "weight"): "error"}
    assert found.decisions == project.work.decisions
    assert found.repairs == {(13, "weight"): Repair("blank")}


def test_what_was_done_together_is_undone_though_others_decided_meanwhile(
    project, again
):
    work = project.work
    with work.together("two wrong", [(3, "weight"), (4, "weight")]):
        work.decide(3, "weight", "error")
        work.decide(4, "weight", "error")
    (group,) = work.groups  # as the button of a page has it
    again(project).work.decide(9, "weight", "fine")
    project.refresh()
    work.undo_together(group)
    assert again(project).work.decisions == {(9, "weight"): "fine"}


def test_what_others_did_is_not_overwritten_if_it_cannot_be_read_just_then(
    project, again, monkeypatch
):
    other = again(project)
    other.work.answer("rule", "accepted")
    other.work.decide(3, "weight", "fine")

    def broken(self):
        raise sqlite3.OperationalError("disk I/O error")

    with monkeypatch.context() as faulty:
        faulty.setattr(Project, "_load_work", broken)
        project.work.decide(1, "weight", "error")
    project.work.decide(2, "weight", "error")
    found = again(project).work
    assert list(found.rules) == ["rule"] == list(project.work.rules)
    assert found.decisions == project.work.decisions and len(found.decisions) == 3
    assert len(found.steps) == 4


@pytest.mark.parametrize("name", ["", "  ", "\u202e\t"])
def test_a_project_keeps_its_name_if_none_is_given(project, name):
    before = project.name
    with pytest.raises(InputError, match="needs a name"):
        project.name = name
    assert project.name == before


def test_the_name_of_a_file_does_not_show_its_end_elsewhere():
    assert Source.of("a\x07\t\u202egnp.csv", b"").name == "agnp.csv"
