"""The database of a project: damage, later versions, the first schema."""

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from cellval.errors import InputError
from cellval.project import database
from cellval.project.database import MIGRATIONS, NAME, connect
from cellval.project.source import Setup, Source

DAVIS = Path(__file__).parents[2] / "sample_data" / "davis.csv"
SETUP = Setup(label="sex")


@pytest.mark.parametrize(
    "damage",
    [
        *("empty", "cut", "random", "gone", "no tables"),
        *("DROP TABLE steps", "PRAGMA user_version = -5"),
    ],
)
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
    elif " " in damage:
        with closing(sqlite3.connect(path)) as database:
            database.execute(damage)
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


def test_a_project_of_a_later_version_is_left_alone(shelf, project):
    project._database.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    project.close()
    assert shelf.entries() == []
    assert shelf.aside == []
    assert "later version" in shelf.unread[0]
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
    cells = '[[2, "x", [null, null, []], ["error", ["replace", "5", ""], [null]]]]'
    database.execute("INSERT INTO groups VALUES (4, 'made 5', ?)", (cells,))
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
    (group,) = old.work.groups
    assert (group.words, old.work.n_done, group.kind) == ("made 5", 1, "")
    old.work.undo_step()
    assert (old.work.repairs, old.work.decisions) == ({}, {})
    (version,) = old._all("PRAGMA user_version")[0]
    assert version == len(MIGRATIONS)


def test_two_programs_may_bring_a_project_up_to_date_at_once(tmp_path, monkeypatch):
    path, begin = tmp_path / NAME, database.transaction
    connect(path, create=True, version=1).close()

    def slower(connection):
        monkeypatch.setattr(database, "transaction", begin)
        connect(path).close()
        return begin(connection)

    monkeypatch.setattr(database, "transaction", slower)
    connection = connect(path)
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    assert version == len(MIGRATIONS)
