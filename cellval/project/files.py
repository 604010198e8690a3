"""Files and folders of projects: named, set aside, measured, tidied, deleted."""

import errno
import re
import shutil
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path
from typing import IO

from cellval.project.database import Damaged

ID = re.compile(r"[0-9a-f]{16}")  # of projects and runs: folders and files bear it
SHA256 = re.compile(r"[0-9a-f]{64}")  # of files
UNWRITABLE = "The data folder cannot be written. Make it writable, then try again."

# Ends of the names of folders that are no projects.
DAMAGED = ".damaged"  # set aside
PART = ".part"  # being made
DELETED = ".deleted"  # being deleted
A_DAY = 86400.0  # seconds


@contextmanager
def whole_folder(place: Path) -> Iterator[Path]:
    """A folder to fill, which takes its place when all is in it.

    Nobody who looks meanwhile takes it for one that was cut short.
    """
    part = place.with_name(place.name + PART)
    try:
        part.mkdir(parents=True)
        yield part
        part.replace(place)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def set_aside(path: Path) -> Path:
    """Give a damaged file or folder another name, so that nothing reads it again."""
    n, aside = 1, path.with_name(path.name + DAMAGED)
    while aside.exists():
        n += 1
        aside = path.with_name(f"{path.name}{DAMAGED}{n}")
    path.replace(aside)
    return aside


def size_of(folder: Path) -> int:
    """Bytes of all files below."""
    total = 0
    for path in folder.rglob("*"):
        with suppress(OSError):  # gone meanwhile
            total += path.stat().st_size
    return total


def tidy(folder: Path) -> None:
    """Remove what was being written when a program was killed, long ago."""
    for path in folder.glob("*/.cellval-*.part"):
        if _is_old(path):
            with suppress(OSError):
                path.unlink()


def tidy_all(folder: Path) -> None:
    """Of a folder of projects: what was being made or deleted when a program was
    killed.
    """
    for path in folder.glob(f"*{DELETED}"):
        shutil.rmtree(path, ignore_errors=True)
    for path in folder.glob(f"*{PART}"):
        if _is_old(path):
            shutil.rmtree(path, ignore_errors=True)


def _is_old(path: Path) -> bool:
    """Or may somebody be at work on it?"""
    try:
        return time.time() - path.stat().st_mtime > A_DAY
    except OSError:  # gone meanwhile
        return False


def locked(path: Path) -> IO[bytes] | None:
    """The file, locked until it is closed or the program ends; None if another has it.

    Where files cannot be locked or written, nobody is kept out.
    """
    try:
        path.parent.mkdir(exist_ok=True)
        file = path.open("ab")
    except OSError:
        return BytesIO()
    try:
        import fcntl  # Windows has none

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return None
    except (ImportError, OSError):
        pass
    return file


@contextmanager
def turn(path: Path) -> Iterator[None]:
    """One program and one thread after the other, where files can be locked."""
    while (lock := locked(path)) is None:
        time.sleep(0.05)
    try:
        yield
    finally:
        lock.close()


def remove(path: Path) -> None:
    """Delete a project with its files; first it gets a name that nothing opens."""
    gone = path.with_name(path.name + DELETED)
    path.replace(gone)
    with suppress(OSError):
        shutil.rmtree(gone)


def named(pattern: re.Pattern[str], name: str) -> str:
    """A name that becomes a path, or `Damaged`."""
    if not pattern.fullmatch(name):
        raise Damaged("a file of it has a name that is none of ours")
    return name


def why_not(error: Exception) -> str:
    """Why something could not be kept, and what to do; for a person."""
    code = getattr(error, "sqlite_errorcode", 0)
    number = getattr(error, "errno", 0)
    if code == sqlite3.SQLITE_FULL or number in (errno.ENOSPC, errno.EDQUOT):
        return "The disk is full. Free some space, then try again."
    closed = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM)
    if code in closed or number in (errno.EPERM, errno.EACCES, errno.EROFS):
        return UNWRITABLE
    if isinstance(error, MemoryError):
        return "There is too little memory to write it. Free some, then try again."
    said = getattr(error, "strerror", None) or str(error)
    return f"The data folder cannot be used: {said}. Mend it, then try again."
