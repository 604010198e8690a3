"""Files and folders of projects: set aside, measured, tidied."""

import time
from contextlib import suppress
from pathlib import Path

DAMAGED = ".damaged"  # end of the name of what was set aside
A_DAY = 86400.0  # seconds


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
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > A_DAY:
                path.unlink()
