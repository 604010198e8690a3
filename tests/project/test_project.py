"""Projects on disk: what was done is there again, damage is set aside, nothing else."""

import json
import os
import sqlite3
import subprocess
import sys
import time
import zipfile
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

import cellval
from cellval.errors import InputError
from cellval.project import project as projects
from cellval.project.archive import pack
from cellval.project.database import MIGRATIONS, NAME, Damaged
from cellval.project.home import home
from cellval.project.project import Project
from cellval.project.shelf import Shelf
from cellval.project.source import Setup, Source
from cellval.repairs.repair import Repair

DAVIS = Path(__file__).parents[2] / "sample_data" / "davis.csv"
SETUP = Setup(label="sex")


@pytest.fixture
def shelf(tmp_path):
    return Shelf(tmp_path)


@pytest.fixture
def project(shelf):
    return shelf.create(Source.of("davis.csv", DAVIS.read_bytes()), SETUP)


def again(project):
    """As another program would find it."""
    return Project.open(project.folder.parent, project.id)


def test_what_was_decided_is_on_disk_at_once(project):
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


def test_what_was_done_together_is_undone_together_later(project):
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


def test_a_repair_keeps_its_place_while_another_decision_is_made_on_its_cell(project):
    for row in (5, 6):
        project.work.repair(row, "height", Repair("blank"))
    project.work.decide(5, "height", "unsure")
    assert list(again(project).work.repairs) == [(5, "height"), (6, "height")]


def test_what_another_program_decided_is_taken(project):
    other = again(project)
    other.work.decide(7, "weight", "error")
    assert project.work.decisions == {}
    project.refresh()
    assert project.work.decisions == {(7, "weight"): "error"}


def test_files_and_how_they_are_read_come_back(project):
    assert again(project).source == project.source
    assert again(project).source.raw == DAVIS.read_bytes()
    assert again(project).setup == SETUP
    project.setup = Setup("sex", None, ("weight",), (("height", "category"),))
    assert again(project).setup == project.setup
    project.test_source = Source.of("test.csv", b"sex,weight\nF,60\n")
    assert again(project).test_source.raw == b"sex,weight\nF,60\n"


# --- runs -----------------------------------------------------------------------------


def test_a_run_that_was_cut_short_goes_on_to_the_same_bits(project, monkeypatch):
    monkeypatch.setattr(projects, "EVERY", 0.0)
    options = {"n_neighbors": 3, "subsets": 4, "random_state": 7}
    whole = cellval.value_cells(project.table, **options)

    class Killed(BaseException):
        pass

    noted = project.note_run

    def killed(run, values=None):
        noted(run, values)
        if values is not None:
            raise Killed

    monkeypatch.setattr(project, "note_run", killed)
    with pytest.raises(Killed):
        project.value(**options)
    left = again(project)
    assert 0 < left.runs[0].done < 1
    values = left.value(**options)
    assert len(left.runs) == 1
    assert left.runs[0].status == "done"
    for name in ("values", "stderr", "row_values", "column_stderr"):
        assert np.array_equal(getattr(values, name), getattr(whole, name))
    assert np.array_equal(again(project).values.values, whole.values)


def test_other_options_or_repairs_make_another_run(project):
    project.value(n_neighbors=3)
    project.value(n_neighbors=5)
    project.work.repair(12, "height", Repair("replace", "166"))
    project.value(n_neighbors=5)
    runs = again(project).runs
    assert [run.options for run in runs] == [
        {"n_neighbors": 3},
        {"n_neighbors": 5},
        {"n_neighbors": 5},
    ]
    assert runs[2].changes == project.work.repairs
    assert again(project).table_of(runs[2]).cells["height"][11] == "166"


def test_values_with_a_test_file(project):
    project.test_source = Source.of("test.csv", DAVIS.read_bytes())
    like = project.table
    test = cellval.read(DAVIS, like=like)
    project.value(test=test)
    (run,) = again(project).runs
    assert again(project).options_of(run, like).test.fingerprint == test.fingerprint


@pytest.mark.parametrize("damage", ["empty", "cut", "random", "other table", "packed"])
def test_damaged_values_are_set_aside_and_the_rest_stays(project, damage):
    project.value(n_neighbors=3)
    project.work.decide(12, "weight", "error")
    (path,) = (project.folder / "runs").glob("*.npz")
    raw = path.read_bytes()
    if damage == "empty":
        path.write_bytes(b"")
    elif damage == "cut":
        path.write_bytes(raw[: len(raw) // 2])
    elif damage == "random":
        half = len(raw) // 2
        path.write_bytes(raw[:half] + bytes(100) + raw[half + 100 :])
    elif damage == "other table":
        project.setup = Setup(label="sex", exclude=("height",))
        project.value(n_neighbors=3)
        (other,) = set((project.folder / "runs").glob("*.npz")) - {path}
        path.write_bytes(other.read_bytes())
        other.unlink()
    else:
        with np.load(path) as file, path.with_suffix(".new").open("wb") as new:
            np.savez_compressed(new, **file)
        path.with_suffix(".new").replace(path)
    found = again(project)
    run = found.runs[0]
    assert found.values_of(run, found.table_of(run)) is None
    assert "set aside" in found.aside[0]
    assert not path.exists()
    assert path.with_name(f"{path.name}.damaged").exists()
    assert found.work.decisions == {(12, "weight"): "error"}


# --- trouble --------------------------------------------------------------------------


def test_a_full_disk_is_said_and_all_is_written_once_it_is_not(project, monkeypatch):
    project.work.decide(1, "weight", "fine")
    (pages,) = project._database.execute("PRAGMA page_count").fetchone()
    project._database.execute(f"PRAGMA max_page_count = {pages}")
    project.work.repair(2, "weight", Repair("replace", 50_000 * "x"))
    assert project.trouble == "The disk is full. Free some space, then try again."
    project.work.decide(1, "weight", None)
    project.work.decide(3, "weight", "unsure")
    project._database.execute("PRAGMA max_page_count = 100000")
    project.try_again()
    assert project.trouble == ""
    found = again(project).work
    assert found.decisions == {(2, "weight"): "error", (3, "weight"): "unsure"}
    assert len(found.repairs) == 1


def test_where_nothing_can_be_kept_it_is_said_and_works_all_the_same(tmp_path):
    (tmp_path / "file").write_text("no folder")
    shelf = Shelf(tmp_path / "file")
    project = shelf.create(Source.of("davis.csv", DAVIS.read_bytes()), SETUP)
    assert "cannot be used" in project.trouble
    project.work.decide(1, "weight", "error")
    assert project.table.n_rows == 200
    assert shelf.entries() == []


@pytest.mark.parametrize("damage", ["empty", "cut", "random", "gone", "no tables"])
def test_a_damaged_project_does_not_take_the_others_along(shelf, project, damage):
    other = shelf.create(Source.of("b.csv", b"x,y\n1,a\n2,b\n3,b\n"))
    project.work.decide(12, "weight", "error")
    project.close()
    path = project.folder / NAME
    for extra in project.folder.glob(f"{NAME}-*"):
        extra.unlink()
    raw = path.read_bytes()
    if damage == "gone":
        path.unlink()
    elif damage == "no tables":
        path.unlink()
        sqlite3.connect(path).close()
        path.write_bytes(b"")
    else:
        small = {"empty": b"", "cut": raw[:5000], "random": os.urandom(len(raw))}
        path.write_bytes(small[damage])
    (entry,) = shelf.entries()
    assert entry.id == other.id
    assert len(shelf.aside) == 1
    assert f"{project.id}.damaged" in shelf.aside[0]
    assert (project.folder.parent / f"{project.id}.damaged").is_dir()
    with pytest.raises(InputError, match="no such project"):
        shelf.open(project.id)


def test_changed_bytes_of_the_data_file_are_noticed(project):
    (path,) = (project.folder / "files").iterdir()
    path.write_bytes(b"x,y\n1,a\n")
    with pytest.raises(Damaged, match="changed"):
        again(project).source  # noqa: B018


def test_a_project_of_a_later_version_is_left_alone(shelf, project):
    project._database.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    project.close()
    assert shelf.entries() == []
    assert shelf.aside == []
    with pytest.raises(InputError, match="later version"):
        shelf.open(project.id)


FIRST_SCHEMA = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE files (sha256 TEXT PRIMARY KEY, name TEXT NOT NULL, added REAL NOT NULL)
    WITHOUT ROWID;
CREATE TABLE decisions (row INTEGER NOT NULL, column TEXT NOT NULL,
    decision TEXT NOT NULL, PRIMARY KEY (row, column)) WITHOUT ROWID;
CREATE TABLE repairs (n INTEGER PRIMARY KEY AUTOINCREMENT, row INTEGER NOT NULL,
    column TEXT NOT NULL, action TEXT NOT NULL, after TEXT NOT NULL,
    reason TEXT NOT NULL, replaced TEXT NOT NULL, UNIQUE (row, column));
CREATE TABLE groups (n INTEGER PRIMARY KEY, words TEXT NOT NULL, cells TEXT NOT NULL);
CREATE TABLE runs (n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
    options TEXT NOT NULL, setup TEXT NOT NULL, changes TEXT NOT NULL,
    first TEXT NOT NULL, status TEXT NOT NULL, done REAL NOT NULL, seen TEXT NOT NULL,
    error TEXT NOT NULL, started REAL NOT NULL, seconds REAL NOT NULL);
CREATE TABLE results (kind TEXT PRIMARY KEY, made_from TEXT NOT NULL,
    result TEXT NOT NULL, at REAL NOT NULL) WITHOUT ROWID;
PRAGMA user_version = 1;
"""


def test_a_project_of_the_first_schema_is_read(shelf, project):
    """Its tables are written out here: they must be read by every later version."""
    place = project.folder.parent / "0123456789abcdef"
    (place / "files").mkdir(parents=True)
    raw = b"x,y\n1,a\n2,b\n3,b\n"
    source = Source.of("old.csv", raw)
    (place / "files" / source.sha256).write_bytes(raw)
    database = sqlite3.connect(place / NAME)
    database.executescript(FIRST_SCHEMA)
    setup = {"label": "y", "id_column": None, "exclude": [], "kinds": []}
    about = {"name": "old", "owner": "", "created": 1.0, "changed": 2.0, "view": "v"}
    about |= {"edit": "e", "file": source.sha256, "test_file": "", "setup": setup}
    for name, value in about.items():
        line = (name, json.dumps(value))
        database.execute("INSERT INTO about VALUES (?, ?)", line)
    line = (source.sha256, "old.csv", 1.0)
    database.execute("INSERT INTO files VALUES (?, ?, ?)", line)
    database.execute("INSERT INTO decisions VALUES (2, 'x', 'error')")
    database.execute(
        "INSERT INTO repairs (row, column, action, after, reason, replaced) "
        "VALUES (2, 'x', 'replace', '5', '', '[null]')"
    )
    run = ("f" * 16, '{"n_neighbors": 2}', json.dumps(setup), "[]", "", "stopped")
    database.execute(
        "INSERT INTO runs (id, options, setup, changes, first, status, done, seen, "
        "error, started, seconds) VALUES (?, ?, ?, ?, ?, ?, 0.5, '', '', 1.0, 2.0)",
        run,
    )
    database.commit()
    database.close()
    old = shelf.open(place.name)
    assert (old.name, old.table.cells["x"][1]) == ("old", "5")
    assert old.work.before_repair == {(2, "x"): None}
    assert (old.runs[0].options, old.runs[0].status) == ({"n_neighbors": 2}, "stopped")
    (version,) = old._all("PRAGMA user_version")[0]
    assert version == len(MIGRATIONS)


# --- links ----------------------------------------------------------------------------


def test_two_links_and_no_third(shelf, project):
    view, edit = project.link("view"), project.link("edit")
    assert shelf.by_link(view)[1] == "view"
    assert shelf.by_link(edit)[1] == "edit"
    for wrong in ("", project.id, f"{project.id}-", f"{view}x", "../../etc/passwd"):
        with pytest.raises(InputError, match="no project behind this link"):
            shelf.by_link(wrong)


# --- many projects --------------------------------------------------------------------


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


def test_a_project_travels_as_one_file(shelf, project, tmp_path):
    project.value(n_neighbors=3)
    project.work.repair(12, "height", Repair("replace", "=1+1"))
    packed = pack(project)
    assert project.link("view").encode() not in packed
    elsewhere = Shelf(tmp_path / "elsewhere")
    came = elsewhere.bring_in(packed, owner="somebody")
    assert (came.name, came.owner) == (project.name, "somebody")
    assert came.work.repairs == project.work.repairs
    assert np.array_equal(came.values.values, project.values.values)
    assert came.source.raw == project.source.raw


def changed_archive(packed, **files):
    """A project's file with other parts."""
    out = BytesIO()
    with zipfile.ZipFile(BytesIO(packed)) as old, zipfile.ZipFile(out, "w") as new:
        parts = {name: old.read(name) for name in old.namelist()} | files
        for name, part in parts.items():
            if part is not None:
                new.writestr(name, part)
    return out.getvalue()


@pytest.mark.parametrize(
    "change",
    [
        {"../../outside": b"x"},
        {"/etc/outside": b"x"},
        {"files/x": b"x"},
        {"project.sqlite": b"x"},
        {"project.json": None},
        {"project.json": b"[]"},
        {"project.json": b"not json"},
        {"project.json": 10_000 * b"["},
        {"project.json": b'{"format": 1, "schema": 1, "tables": {}}'},
        {"files": None},
    ],
)
def test_an_archive_of_something_else_is_refused(shelf, project, tmp_path, change):
    packed = pack(project)
    if "files" in change:
        with zipfile.ZipFile(BytesIO(packed)) as file:
            names = [name for name in file.namelist() if name.startswith("files/")]
        change = dict.fromkeys(names)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(InputError, match="no project of cellval"):
        shelf.bring_in(changed_archive(packed, **change))
    assert sorted(tmp_path.rglob("*")) == before
    for nothing in (b"", b"PK", b"x,y\n1,2\n"):
        with pytest.raises(InputError, match="no project of cellval"):
            shelf.bring_in(nothing)


def test_a_huge_archive_is_refused_by_what_it_says(shelf, project, monkeypatch):
    monkeypatch.setattr("cellval.project.archive.MOST_BYTES", 1000)
    with pytest.raises(InputError, match="too large"):
        shelf.bring_in(pack(project))


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
    assert [entry.name for entry in cellval.projects(tmp_path)] == ["a"]


def test_the_data_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("CELLVAL_HOME", str(tmp_path))
    assert home() == tmp_path
    monkeypatch.delenv("CELLVAL_HOME")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    if sys.platform == "linux":
        assert home() == tmp_path / "data" / "cellval"

    def nowhere():
        raise RuntimeError

    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setattr(Path, "home", nowhere)
    with pytest.raises(InputError, match="CELLVAL_HOME"):
        home()
    assert "CELLVAL_HOME" in Shelf().why_not()


# --- killed ---------------------------------------------------------------------------

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


def test_killed_at_any_moment_all_that_was_said_is_there(shelf, project, tmp_path):
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
        missing = [cell for cell, text in told.items() if found[cell].after != text]
        assert not missing  # but one more may be there than was told
        assert shelf.entries()[0].id == project.id
