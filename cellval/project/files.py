"""Files that are there as a whole or not at all."""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO

PART = ".part"  # end of the name of a file that is being written
DAMAGED = ".damaged"  # and of one that was set aside


def write_whole(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Write a file; whatever happens, its place holds the old one or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(path.name + PART)
    try:
        with unfinished.open("wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except BaseException:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
        raise
    _sync(path.parent)


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


def _sync(folder: Path) -> None:
    """The new name, too, outlives a power failure (not possible on Windows)."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
