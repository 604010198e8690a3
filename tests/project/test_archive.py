"""A project as one file; anything else is refused."""

import json
import sqlite3
import zipfile
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from cellval.errors import InputError
from cellval.project import database
from cellval.project.archive import pack
from cellval.project.database import Damaged
from cellval.project.shelf import Shelf
from cellval.project.source import Setup
from cellval.repairs.repair import Repair

DAVIS = Path(__file__).parents[2] / "sample_data" / "davis.csv"
SETUP = Setup(label="sex")


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
            if part == "lzma":
                new.writestr(name, b"x", zipfile.ZIP_LZMA)
            elif part is not None:
                new.writestr(name, part)
    return out.getvalue()


@pytest.mark.parametrize("name", ["project.json", "runs"])
def test_what_would_unfold_in_memory_is_refused(shelf, project, monkeypatch, name):
    project.value(n_neighbors=3)
    packed = pack(project)
    with zipfile.ZipFile(BytesIO(packed)) as file:
        (path,) = (one for one in file.namelist() if one.startswith(name))
        whole = file.read(path)
    endless = b"[]," * 20_000
    if name == "project.json":
        changed = b'{"x": [' + endless + b"0], " + whole[1:]
    else:
        with np.load(BytesIO(whole)) as known:
            said = known["about"].tobytes()
            said = b'{"x": [' + endless + b"0], " + said[1:]
            arrays = {**known, "about": np.frombuffer(said, np.uint8)}
        made = BytesIO()
        np.savez(made, **arrays)
        changed = made.getvalue()
    monkeypatch.setenv("CELLVAL_MAX_UNPACKED_MB", "1")
    packed = changed_archive(packed, **{path: changed})
    if name == "project.json":
        with pytest.raises(InputError, match=r"project\.json in this .*UNPACKED_MB"):
            shelf.bring_in(packed)
    else:
        came = shelf.bring_in(packed)
        assert came.values is None and "UNPACKED_MB" in came.aside[0]


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
        {"runs/0123456789abcdef.npz": "lzma"},
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


def told_otherwise(packed, table, column, value):
    """A project's file with another value in all lines of a table."""
    with zipfile.ZipFile(BytesIO(packed)) as file:
        told = json.loads(file.read("project.json"))
    found = told["tables"][table]
    if table == "about":
        lines = [[name, value if name == column else v] for name, v in found["lines"]]
    else:
        at = found["columns"].index(column)
        lines = [[*line[:at], value, *line[at + 1 :]] for line in found["lines"]]
    assert lines != found["lines"]
    found["lines"] = lines
    return changed_archive(packed, **{"project.json": json.dumps(told)})


STOOD = '[[1, "weight", [null, null, []], [%s, null, []]]]'


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("about", "created", '"x"'),
        ("about", "created", "1e300"),
        ("about", "created", "NaN"),
        ("about", "name", "no JSON"),
        ("about", "setup", '{"label": 5}'),
        ("about", "n_done", "[]"),
        ("decisions", "decision", "perhaps"),
        ("decisions", "row", "one"),
        ("decisions", "column", 3),
        ("repairs", "action", "explode"),
        ("repairs", "after", 5),
        ("repairs", "replaced", '["perhaps"]'),
        ("steps", "cells", STOOD % '"perhaps"'),
        ("steps", "cells", STOOD % "{}"),
        ("steps", "reading", '[["label", null, {}]]'),
        ("steps", "rules", '[["key", null, ["perhaps", {}]]]'),
        ("rules", "finding", "[1]"),
        ("rules", "answer", "perhaps"),
        ("runs", "done", "half"),
        ("runs", "id", "../../outside"),
        ("runs", "options", "5"),
        ("runs", "setup", "[]"),
        ("runs", "changes", '[[1, "weight", "explode", "", ""]]'),
    ],
)
def test_a_project_with_something_else_in_it_is_refused(
    shelf, project, tmp_path, table, column, value
):
    """Or the list of projects could not be drawn any more, for anybody."""
    project.value(n_neighbors=3)
    project.work.decide(1, "weight", "fine")
    project.work.repair(12, "height", Repair("replace", "166"))
    project.work.answer("rule", "accepted", {"given": ["height"], "target": "weight"})
    hostile = told_otherwise(pack(project), table, column, value)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(InputError, match="no project of cellval"):
        shelf.bring_in(hostile)
    assert sorted(tmp_path.rglob("*")) == before
    assert [entry.id for entry in shelf.entries()] == [project.id]


def test_a_damaged_project_file_is_refused_wherever_the_damage_is(shelf, project):
    project.work.decide(1, "weight", "fine")
    packed = pack(project)
    for at in range(0, len(packed), max(1, len(packed) // 400)):
        damaged = bytearray(packed)
        damaged[at] ^= 0x55
        try:
            came = shelf.bring_in(bytes(damaged))
        except InputError:
            continue
        assert came.source.raw == project.source.raw  # a date or so of the zip
        came.close()


def test_options_that_nobody_knows_are_said_when_they_are_asked_for(shelf, project):
    project.value(n_neighbors=3)
    hostile = told_otherwise(pack(project), "runs", "options", '{"magic": 5}')
    came = shelf.bring_in(hostile)
    with pytest.raises(Damaged, match="magic"):
        came.options_of(came.runs[0], came.table)


def test_a_project_that_cannot_be_written_is_exported_and_copied(
    shelf, project, monkeypatch
):
    project.work.decide(1, "weight", "fine")
    monkeypatch.setattr(
        database.os, "access", lambda path, mode: project.folder not in path.parents
    )
    monkeypatch.setattr(sqlite3, "connect", only_elsewhere(project.folder))
    copy = shelf.copy(project.id)
    assert copy.work.decisions == {(1, "weight"): "fine"}


def only_elsewhere(folder, connect=sqlite3.connect):
    """As SQLite does in a folder that it cannot write to."""

    def try_it(path, *args, **how):
        if folder in Path(path).parents:
            raise sqlite3.OperationalError("unable to open database file")
        return connect(path, *args, **how)

    return try_it


@pytest.mark.parametrize(
    ("limit", "most", "said"),
    [
        ("CELLVAL_MAX_PROJECT_MB", "0.001", "This project has"),
        ("CELLVAL_MAX_PROJECT_LIST_MB", "0.0001", "project.json in this project has"),
        ("CELLVAL_MAX_PROJECT_FILES", "1", "This project has 2 files; the limit is 1"),
        ("CELLVAL_MAX_ROWS", "10", "davis.csv"),
        ("CELLVAL_MAX_COLUMNS", "3", "davis.csv"),
    ],
)
def test_what_is_too_large_is_refused_before_it_is_kept(
    shelf, project, monkeypatch, tmp_path, limit, most, said
):
    packed, before = pack(project), sorted(tmp_path.rglob("*"))
    monkeypatch.setenv(limit, most)
    with pytest.raises(InputError, match=limit) as refused:
        shelf.bring_in(packed)
    assert said in str(refused.value) and "the limit is" in str(refused.value)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_project_of_the_first_schema_travels(shelf, project):
    """Steps were groups then; others travel as they are."""
    project.work.decide(3, "weight", "fine")
    packed = pack(project)
    with zipfile.ZipFile(BytesIO(packed)) as file:
        told = json.loads(file.read("project.json"))
    cells = '[[3, "weight", [null, null, []], ["fine", null, []]]]'
    del told["tables"]["steps"], told["tables"]["rules"]
    columns = ["n", "words", "cells"]
    groups = {"columns": columns, "lines": [[1, "1 cell marked", cells]]}
    told |= {"schema": 1, "tables": told["tables"] | {"groups": groups}}
    about = told["tables"]["about"]
    about["lines"] = [line for line in about["lines"] if line[0] != "n_done"]
    old = changed_archive(packed, **{"project.json": json.dumps(told)})
    came = shelf.bring_in(old)
    assert [step.words for step in came.work.steps] == ["1 cell marked"]
    came.work.undo_step()
    assert came.work.decisions == {}
    again = shelf.copy(came.id)
    assert (again.work.n_done, len(again.work.steps)) == (0, 1)


def test_a_damaged_archive_is_told_from_another_file(shelf, project):
    packed = pack(project)
    changed = bytearray(packed)
    changed[len(packed) // 3] ^= 255
    for raw in (packed[: len(packed) // 2], bytes(changed)):
        with pytest.raises(InputError, match="cut off or damaged"):
            shelf.bring_in(raw)
    with pytest.raises(InputError, match="no project of cellval"):
        shelf.bring_in(b"a,b\n1,2\n")
