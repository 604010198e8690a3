"""All projects of a data folder."""

import errno
import os
import re
import sqlite3
import time
from base64 import urlsafe_b64decode
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

import cellval
from cellval.errors import InputError
from cellval.project import project as projects
from cellval.project.database import NAME
from cellval.project.files import A_DAY
from cellval.project.project import Project
from cellval.project.shelf import Shelf
from cellval.project.source import Setup, Source
from cellval.repairs.repair import Repair
from cellval.values.options import RunOptions

DAVIS = Path(__file__).parents[2] / "sample_data" / "davis.csv"
SETUP = Setup(label="sex")


def test_where_nothing_can_be_kept_it_is_said_and_works_all_the_same(
    tmp_path, davis_file
):
    (tmp_path / "file").write_text("no folder")
    shelf = Shelf(tmp_path / "file")
    project = shelf.create(davis_file, SETUP)
    assert "cannot be used" in project.trouble
    project.work.decide(1, "weight", "error")
    assert "cannot be used" in project.trouble, "it is still not kept"
    assert project.table.n_rows == 200
    assert shelf.entries() == []


def test_a_project_in_memory_is_kept_with_all_that_is_known_once_it_can_be(
    tmp_path, davis_file, again
):
    in_the_way = tmp_path / "data"
    in_the_way.write_text("no folder")
    shelf = Shelf(in_the_way)
    project = shelf.create(davis_file, SETUP, owner="me")
    links = [project.link(may) for may in ("view", "edit")]
    project.work.decide(1, "weight", "error")
    assert "cannot be used" in project.trouble  # still
    project.test_source = Source.of("test.csv", DAVIS.read_bytes() + b"1,1,1,1,1,M\n")
    run = project.begin_run(RunOptions(n_neighbors=3))
    project.keep_result("blocks", [1], {"a": 2})
    project.name = "Heights"
    shelf.keep(project)
    assert "cannot be used" in project.trouble
    in_the_way.unlink()
    shelf.keep(project)
    assert project.trouble == ""
    project.work.repair(12, "height", Repair("replace", "166"))  # goes on as it was
    found = again(project)
    assert (found.name, found.owner, found.setup) == ("Heights", "me", SETUP)
    assert found.work.decisions == {(1, "weight"): "error", (12, "height"): "error"}
    assert found.work.repairs == project.work.repairs
    words = [step.words for step in project.work.steps]
    assert [step.words for step in found.work.steps] == words
    assert (found.source, found.runs) == (davis_file, [run])
    assert found.test_source == project.test_source
    assert found.result("blocks") == ([1], {"a": 2})
    assert [shelf.by_link(link)[1] for link in links] == ["view", "edit"]
    assert [entry.id for entry in shelf.entries()] == [project.id]


def test_a_disk_that_is_full_again_leaves_nothing_half_done(
    tmp_path, davis_file, monkeypatch
):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    shelf = Shelf(tmp_path)
    with monkeypatch.context() as disk:
        disk.setattr(projects, "write_whole", full)
        project = shelf.create(davis_file, SETUP)
        shelf.keep(project)
    assert "The disk is full" in project.trouble
    connect, opened = projects.connect, []

    def second(*args, **how):
        opened.append(args)
        return full() if len(opened) > 1 else connect(*args, **how)

    with monkeypatch.context() as disk:
        disk.setattr(projects, "connect", second)
        shelf.keep(project)
    assert "The disk is full" in project.trouble
    assert list(shelf.folder.iterdir()) == []
    project.work.decide(1, "weight", "error")
    shelf.keep(project)
    assert project.trouble == ""
    assert shelf.open(project.id).work.decisions == {(1, "weight"): "error"}


@pytest.mark.parametrize("fault", [OSError(errno.EIO, "broken"), sqlite3.Error("no")])
def test_what_cannot_be_packed_or_opened_is_said_and_leaves_nothing(
    shelf, project, monkeypatch, fault
):
    def fails(*_):
        raise fault

    with monkeypatch.context() as disk:
        disk.setattr("cellval.project.shelf.pack", fails)
        for act in (shelf.copy, shelf.packed):
            with pytest.raises(InputError, match="cannot be used"):
                act(project.id)
    opened, packed = Project.open.__func__, shelf.packed(project.id)

    def open_old(cls, folder, project_id, work=None):
        return opened(cls, folder, project_id) if project_id == project.id else fails()

    with monkeypatch.context() as disk:
        disk.setattr(Project, "open", classmethod(open_old))
        with pytest.raises(InputError, match="cannot be used"):
            shelf.bring_in(packed)
    assert [entry.id for entry in shelf.entries()] == [project.id]


def test_many_may_ask_at_once_whether_projects_can_be_kept(tmp_path):
    def ask(_):
        return Shelf(tmp_path).why_not()

    with ThreadPoolExecutor(8) as people:
        assert set(people.map(ask, range(2000))) == {""}
    assert list((tmp_path / "projects").iterdir()) == []


def test_a_project_is_not_taken_for_damaged_while_it_is_made(
    shelf, davis_file, monkeypatch
):
    """Another person's list of projects may be drawn at every moment of it."""
    seen, write = [], sqlite3.connect

    def look(*args, **how):
        monkeypatch.setattr(sqlite3, "connect", write)
        seen.append(shelf.entries())
        monkeypatch.setattr(sqlite3, "connect", look)
        return write(*args, **how)

    def add_file(project, source):
        seen.append(shelf.entries())
        keep(project, source)
        seen.append(shelf.entries())

    keep = Project.add_file
    monkeypatch.setattr(sqlite3, "connect", look)
    monkeypatch.setattr(Project, "add_file", add_file)
    project = shelf.create(davis_file, SETUP)
    assert len(seen) >= 3
    assert shelf.aside == []
    assert shelf.by_link(project.link("edit"))[0].source == davis_file
    assert [entry.id for entry in shelf.entries()] == [project.id]


def test_what_was_being_made_or_deleted_long_ago_is_removed(shelf, project):
    place = project.folder.parent
    names = {"a.part": 0.0, "b.part": 2 * A_DAY, "c.deleted": 0.0}
    for name, age in names.items():
        (place / name).mkdir()
        (place / name / NAME).write_text("x")
        os.utime(place / name, (time.time() - age,) * 2)
    assert [entry.id for entry in shelf.entries()] == [project.id]
    assert {path.name for path in place.iterdir()} == {project.id, "a.part"}


def test_two_links_and_no_third(shelf, project):
    view, edit = project.link("view"), project.link("edit")
    assert shelf.by_link(view)[1] == "view"
    assert shelf.by_link(edit)[1] == "edit"
    for wrong in ("", project.id, f"{project.id}-", f"{view}x", "../../etc/passwd"):
        with pytest.raises(InputError, match="no project behind this link"):
            shelf.by_link(wrong)
    secrets = [link.removeprefix(f"{project.id}-") for link in (view, edit)]
    assert secrets[0] != secrets[1]
    assert all(len(urlsafe_b64decode(f"{secret}==")) >= 16 for secret in secrets)


def test_files_on_disk_are_named_by_ids_and_hashes_only(shelf):
    """Whatever a person called a file, a project or a sheet."""
    called = "../../evil\x00<b>.csv"
    raw = DAVIS.read_bytes()
    project = shelf.create(Source.of(called, raw), SETUP, name=called, owner=called)
    project.test_source = Source.of(f"test{called}", raw + b"F,1,1,1,1\n")
    project.value(n_neighbors=3)
    project.name = f"new{called}"
    known = r"project\.sqlite(-wal|-shm)?|files|files/[0-9a-f]{64}"
    known += r"|runs|runs/[0-9a-f]{16}\.(npz|lock)"
    paths = [path.relative_to(shelf.folder) for path in shelf.folder.rglob("*")]
    assert len(paths) >= 7
    for path in paths:
        assert re.fullmatch(rf"[0-9a-f]{{16}}(/({known}))?", path.as_posix()), path


def test_projects_are_listed_renamed_copied_and_deleted(shelf, project):
    project.value(n_neighbors=3)
    project.work.repair(12, "height", Repair("blank"))
    project.name = "  Heights\n\x1b[31m of people "
    twin = shelf.copy(project.id)
    twin.work.decide(1, "weight", "fine")
    entries = shelf.entries()
    assert [entry.name for entry in entries] == [
        "Heights [31m of people (copy)",
        "Heights [31m of people",
    ]
    assert [entry.n_decisions for entry in entries] == [2, 1]
    assert all(entry.file == "davis.csv" for entry in entries)
    assert twin.link("edit") != project.link("edit")
    assert np.array_equal(twin.values.values, project.values.values)
    shelf.delete(project.id)
    assert [entry.id for entry in shelf.entries()] == [twin.id]
    assert not project.folder.exists()


def test_the_door_of_the_library_says_what_is_there(tmp_path):
    with pytest.raises(InputError, match="There is none yet"):
        cellval.open_project("a", folder=tmp_path)
    cellval.open_project("a", DAVIS, folder=tmp_path, label="sex")
    with pytest.raises(InputError, match="There are"):
        cellval.open_project("b", folder=tmp_path)
    with pytest.raises(InputError, match="another file"):
        cellval.open_project("a", b"x,y\n1,a\n2,b\n", folder=tmp_path)
    with pytest.raises(InputError):
        cellval.open_project("c", b"", folder=tmp_path)
    assert [entry.name for entry in cellval.projects(folder=tmp_path)] == ["a"]


def test_a_project_is_not_opened_as_if_its_file_were_read_otherwise(tmp_path):
    cellval.open_project("a", DAVIS, folder=tmp_path, label="sex")
    for other in (
        {"label": "weight"},
        {"label": None},
        {"label": "sex", "exclude": ("height",)},
        {"kinds": {"height": "category"}},
    ):
        with pytest.raises(
            InputError, match=r"'a' reads its file otherwise .*new project"
        ):
            cellval.open_project("a", DAVIS, folder=tmp_path, **other)
    cellval.open_project("a", DAVIS, folder=tmp_path, label="sex").close()
    cellval.open_project("a", DAVIS, folder=tmp_path).close()


def test_a_damaged_project_is_named_and_not_taken_for_none(tmp_path):
    project = cellval.open_project("a", DAVIS, folder=tmp_path, label="sex")
    project.work.decide(12, "weight", "error")
    project.close()
    (project.folder / NAME).write_bytes(b"no database" * 100)
    with pytest.raises(InputError, match=r"set aside as .*\.damaged.*once more"):
        cellval.open_project("a", DAVIS, folder=tmp_path, label="sex")
    again = cellval.open_project("a", DAVIS, folder=tmp_path, label="sex")
    assert again.work.decisions == {}
    again.close()
    (again.folder / NAME).write_bytes(b"no database" * 100)
    with pytest.raises(InputError, match=r"no project 'a'.*set aside as"):
        cellval.open_project("a", folder=tmp_path)


@pytest.mark.parametrize("value", ["Infinity", "[" * 20_000, "[]", '"often"'])
@pytest.mark.parametrize("name", ["written", "n_done", "created"])
def test_facts_that_nobody_can_have_written_set_one_project_aside(
    shelf, project, davis_file, name, value
):
    other = shelf.create(davis_file)
    project.close()
    with closing(sqlite3.connect(project.folder / NAME)) as database:
        database.execute("REPLACE INTO about VALUES (?, ?)", (name, value))
        database.commit()
    assert [entry.id for entry in shelf.entries()] == [other.id]
    assert project.id in shelf.aside[0]


def test_a_project_that_cannot_be_read_now_is_told_of_beside_a_new_one(tmp_path):
    project = cellval.open_project("a", DAVIS, folder=tmp_path, label="sex")
    project.close()
    with closing(sqlite3.connect(project.folder / NAME)) as database:
        database.execute("PRAGMA user_version = 99")
    other = cellval.open_project("b", DAVIS, folder=tmp_path, label="sex")
    assert any(project.id in words or "version" in words for words in other.aside)


def test_the_door_of_the_library_refuses_what_it_could_not_keep(tmp_path, monkeypatch):
    """There is room to find out, but not for the file."""

    def full(path, raw):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(projects, "write_whole", full)
    assert Shelf(tmp_path).why_not() == ""
    with pytest.raises(InputError, match="The disk is full"):
        cellval.open_project("a", DAVIS, folder=tmp_path, label="sex")
    assert [path.name for path in (tmp_path / "projects").iterdir()] == [".lock"]


def test_a_project_that_is_being_closed_is_in_the_list(shelf, project, monkeypatch):
    """SQLite removes its log then, perhaps between two looks at the folder."""
    iterdir = Path.iterdir

    def with_gone(path):
        yield from iterdir(path)
        if path == project.folder:
            yield path / "project.sqlite-gone"

    monkeypatch.setattr(Path, "iterdir", with_gone)
    assert [entry.id for entry in shelf.entries()] == [project.id]


def test_who_asks_for_a_name_at_the_same_moment_has_the_same_project(
    tmp_path, monkeypatch
):
    (tmp_path / "projects").mkdir()
    create = Shelf.create_kept

    def slow(*args, **how):
        time.sleep(0.2)  # in which the others look for the name
        return create(*args, **how)

    monkeypatch.setattr(Shelf, "create_kept", slow)

    def ask(_):
        with closing(
            cellval.open_project("a", DAVIS, folder=tmp_path, label="sex")
        ) as one:
            return one.id

    with ThreadPoolExecutor(4) as threads:
        assert len(set(threads.map(ask, range(4)))) == 1
