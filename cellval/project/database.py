"""The database of a project: one SQLite file, its schema, and what leads to it."""

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cellval.errors import InputError

NAME = "project.sqlite"
WAIT = 30.0  # seconds for another program that writes

# What makes each version of the schema of the one before; never changed, only added to.
MIGRATIONS = (
    """
    CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE files (
        sha256 TEXT PRIMARY KEY, name TEXT NOT NULL, added REAL NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE decisions (
        row INTEGER NOT NULL, column TEXT NOT NULL, decision TEXT NOT NULL,
        PRIMARY KEY (row, column)
    ) WITHOUT ROWID;
    CREATE TABLE repairs (
        n INTEGER PRIMARY KEY AUTOINCREMENT,
        row INTEGER NOT NULL, column TEXT NOT NULL,
        action TEXT NOT NULL, after TEXT NOT NULL, reason TEXT NOT NULL,
        replaced TEXT NOT NULL,
        UNIQUE (row, column)
    );
    CREATE TABLE groups (
        n INTEGER PRIMARY KEY, words TEXT NOT NULL, cells TEXT NOT NULL
    );
    CREATE TABLE runs (
        n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
        options TEXT NOT NULL, setup TEXT NOT NULL, changes TEXT NOT NULL,
        first TEXT NOT NULL, status TEXT NOT NULL, done REAL NOT NULL,
        seen TEXT NOT NULL, error TEXT NOT NULL,
        started REAL NOT NULL, seconds REAL NOT NULL
    );
    CREATE TABLE results (
        kind TEXT PRIMARY KEY, made_from TEXT NOT NULL, result TEXT NOT NULL,
        at REAL NOT NULL
    ) WITHOUT ROWID;
    """,
    """
    CREATE TABLE steps (
        n INTEGER PRIMARY KEY, words TEXT NOT NULL, cells TEXT NOT NULL,
        is_group INTEGER NOT NULL, kind TEXT NOT NULL, finding TEXT NOT NULL,
        rules TEXT NOT NULL
    );
    INSERT INTO steps SELECT
        ROW_NUMBER() OVER (ORDER BY n), words, cells, 1, '', '', '[]' FROM groups;
    DROP TABLE groups;
    CREATE TABLE rules (
        key TEXT PRIMARY KEY, answer TEXT NOT NULL, finding TEXT NOT NULL
    ) WITHOUT ROWID;
    """,
    "ALTER TABLE steps ADD COLUMN reading TEXT NOT NULL DEFAULT '[]'",
)

# What reading a value of it raises that anybody may have written.
FAULTS = (
    *(ValueError, LookupError, TypeError, AttributeError),
    *(ArithmeticError, RecursionError),
)


class Damaged(Exception):
    """What is on disk cannot be what was written."""


def connect(
    path: Path,
    *,
    create: bool = False,
    version: int = len(MIGRATIONS),
    of: str = "",
) -> sqlite3.Connection:
    """Open a database and bring its schema up to date, or to an earlier version.

    Where it cannot be written it is a copy in memory that cannot be written either
    (`is_copy`). Raises `Damaged` for what is none, and InputError for one of a later
    version.
    """
    if not create and not path.exists():
        raise Damaged(f"there is no {path.name}")
    if not create and not can_write(path):
        return _copy(path, version)
    connection = sqlite3.connect(path, WAIT, check_same_thread=False)
    try:
        connection.isolation_level = None  # transactions begin where we say so
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")  # on disk, not in a cache
        # SQLite takes a damaged log for one that was cut short, and says nothing: so
        # what was written goes into the database, of which it knows, at once.
        connection.execute("PRAGMA wal_autocheckpoint = 1")
        (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if found != "ok":
            raise Damaged(str(found))
        _migrate(connection, of or path.parent.name, version)
    except sqlite3.DatabaseError as error:
        connection.close()
        if is_damage(error):
            raise Damaged(str(error)) from error
        raise
    except BaseException:
        connection.close()
        raise
    return connection


def can_write(path: Path) -> bool:
    """A database: its file, and others beside it?"""
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def _copy(path: Path, version: int) -> sqlite3.Connection:
    """Of what SQLite could not open in place: it writes even in order to read."""
    with tempfile.TemporaryDirectory() as folder:
        for name in (path.name, f"{path.name}-wal"):
            if (path.parent / name).exists():
                shutil.copyfile(path.parent / name, Path(folder) / name)
        found = connect(Path(folder) / path.name, version=version, of=path.parent.name)
        memory = sqlite3.connect(":memory:", check_same_thread=False)
        try:
            found.backup(memory)
        finally:
            found.close()
    memory.isolation_level = None
    memory.execute("PRAGMA query_only = ON")
    return memory


def is_copy(connection: sqlite3.Connection) -> bool:
    """Is it one that `connect` made because the database could not be written?"""
    return bool(connection.execute("PRAGMA query_only").fetchone()[0])


def is_damage(error: sqlite3.Error) -> bool:
    """Or can it pass: a full disk, a lock, a folder that cannot be written?"""
    codes = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF in codes or "no such" in str(error)


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """All of it is on disk at the end, or nothing."""
    try:
        connection.execute("BEGIN IMMEDIATE")
        yield connection
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def tables_of(connection: sqlite3.Connection) -> list[str]:
    """Names of all tables of its schema."""
    query = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
    names = [line[0] for line in connection.execute(query)]
    return [name for name in names if not name.startswith("sqlite_")]


def _migrate(connection: sqlite3.Connection, name: str, to: int) -> None:
    version = _version(connection, name)
    for n, statements in enumerate(MIGRATIONS[version:to], version + 1):
        with transaction(connection):
            if _version(connection, name) >= n:  # another program was faster
                continue
            for statement in statements.split(";"):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {n}")


def _version(connection: sqlite3.Connection, name: str) -> int:
    """Of the schema; InputError if it is later than all that we know."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > len(MIGRATIONS):
        raise InputError(
            f"The project in {name} was written by a later version of "
            "cellval. Open it with that one."
        )
    if version < 0:
        raise Damaged(f"its schema has the version {version}")
    return int(version)
