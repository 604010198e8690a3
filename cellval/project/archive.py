"""A project as one ``.cellval`` file: a zip of its files and a list of all else.

Its database does not travel: what is in it is told as JSON, and written anew where it
arrives, so that nothing of a stranger's file is run.
"""

import json
import re
import secrets
import sqlite3
import time
import zipfile
import zlib
from collections.abc import Mapping
from contextlib import closing
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import Any

from cellval.errors import InputError
from cellval.limits import refuse_beyond, refuse_unfolded
from cellval.project.checkpoint import FAULTS
from cellval.project.database import (
    MIGRATIONS,
    NAME,
    Damaged,
    connect,
    tables_of,
    transaction,
)
from cellval.project.files import whole_folder
from cellval.project.project import Project

ENDING = ".cellval"
LIST = "project.json"
WITHIN = re.compile(r"files/[0-9a-f]{64}|runs/[0-9a-f]{16}\.npz")  # beside it
SECRET = ("view", "edit", "owner")  # of a project in its place
TYPES: dict[str, Any] = {"TEXT": str, "INTEGER": int, "REAL": int | float}
ALONE = "open its table alone"
CUT_OFF = "This file is cut off or damaged. Get it again from where it came."
NO_PROJECT = "This is no project of cellval. Choose a .cellval file that it exported."


def pack(project: Project) -> bytes:
    """Everything of a project but its links and its owner."""
    if project.folder is None:
        raise InputError("This project is not on disk, so that it cannot be exported.")
    with project.reading() as database:
        told = _told(database)
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        file.writestr(LIST, json.dumps(told))
        for path in sorted(project.folder.glob("*/*")):
            name = path.relative_to(project.folder).as_posix()
            if WITHIN.fullmatch(name):
                file.write(path, name)
    return buffer.getvalue()


def unpack(packed: bytes, folder: Path, *, name: str = "", owner: str = "") -> str:
    """Put it into a folder of projects; its new id. InputError if it is no project."""
    project_id = secrets.token_hex(8)
    about: dict[str, Any] = {"owner": owner, "changed": time.time()}
    about |= {"name": name} if name else {}
    about |= {may: secrets.token_urlsafe(16) for may in ("view", "edit")}
    try:
        with whole_folder(folder / project_id) as place:
            with zipfile.ZipFile(BytesIO(packed)) as file:
                for entry in _checked(file):
                    path = place / PurePosixPath(entry.filename)
                    path.parent.mkdir(exist_ok=True)
                    _extract(file, entry, path)
            listed = (place / LIST).read_bytes()
            refuse_unfolded(f"{LIST} in this project", listed, ALONE)
            told = json.loads(listed)
            (place / LIST).unlink()
            _write_anew(place / NAME, told, about)
            made = Project(project_id, place, connect(place / NAME))
            with closing(made) as project:
                project.setup.read(project.source)  # within the limits of this place
                # Can all be read that a list of projects shows?
                project.runs, project.created, project.changed  # noqa: B018
    except (InputError, OSError):  # our own words; the disk that it is put on
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        is_cut = packed[:4] == b"PK\x03\x04"
        raise InputError(CUT_OFF if is_cut else NO_PROJECT) from error
    except (Damaged, sqlite3.Error, *FAULTS) as error:
        raise InputError(NO_PROJECT) from error
    return project_id


def _checked(file: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """Only what we write ourselves, and not too much of it."""
    entries = {entry.filename: entry for entry in file.infolist()}
    strange = [name for name in entries if name != LIST and not WITHIN.fullmatch(name)]
    strange += [name for name, entry in entries.items() if not _is_packed(entry)]
    if strange or LIST not in entries or len(entries) != len(file.infolist()):
        raise InputError(NO_PROJECT)
    size = sum(entry.file_size for entry in entries.values())
    listed = entries[LIST].file_size
    refuse_beyond("This project", "project_mb", size / 1e6, ALONE)
    refuse_beyond(f"{LIST} in this project", "project_list_mb", listed / 1e6, ALONE)
    refuse_beyond("This project", "project_files", len(entries), ALONE)
    return list(entries.values())


def _is_packed(entry: zipfile.ZipInfo) -> bool:
    """As `pack` does it."""
    ways = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
    return entry.compress_type in ways and not entry.flag_bits & 1


def _extract(file: zipfile.ZipFile, entry: zipfile.ZipInfo, path: Path) -> None:
    """Not more than the directory of the zip said."""
    left = entry.file_size
    with file.open(entry) as packed, path.open("wb") as out:
        while part := packed.read(min(left + 1, 2**20)):
            left -= len(part)
            if left < 0:
                raise zipfile.BadZipFile("larger than it says")
            out.write(part)


def _told(database: sqlite3.Connection) -> dict[str, Any]:
    """What a database holds."""
    (version,) = database.execute("PRAGMA user_version").fetchone()
    tables = {}
    for table in tables_of(database):
        found = database.execute(f"SELECT * FROM {table}")
        names = [column[0] for column in found.description]
        lines = found.fetchall()
        if table == "about":
            lines = [line for line in lines if line[0] not in SECRET]
        tables[table] = {"columns": names, "lines": lines}
    return {"format": 1, "schema": version, "tables": tables}


def _write_anew(path: Path, told: Mapping[str, Any], about: Mapping[str, Any]) -> None:
    """A database of the same schema with these lines, then brought up to date."""
    version = told["schema"]
    if told["format"] != 1 or version not in range(1, len(MIGRATIONS) + 1):
        raise InputError(
            "This project was exported by a later version of cellval. Bring it in "
            "with that one."
        )
    made = connect(path, create=True, version=version)
    with closing(made), transaction(made) as database:
        for table in tables_of(database):
            _fill(database, table, **told["tables"][table])
        lines = [(key, json.dumps(fact)) for key, fact in about.items()]
        database.executemany("INSERT OR REPLACE INTO about VALUES (?, ?)", lines)
    connect(path).close()


def _fill(
    database: sqlite3.Connection, table: str, columns: list[str], lines: list[list[Any]]
) -> None:
    """Columns must be those of the schema, by name and type: names are not taken from
    a file, and SQLite would take any value.
    """
    found = database.execute(f"PRAGMA table_info({table})")
    known = {line[1]: TYPES[line[2]] for line in found}
    if columns != [*known]:
        raise ValueError(f"{table} has other columns")
    for line in lines:
        for value, kind in zip(line, known.values(), strict=True):
            if not isinstance(value, kind):
                raise ValueError(f"{table} holds something else")
    places = ", ".join("?" * len(known))
    database.executemany(f"INSERT INTO {table} VALUES ({places})", lines)
