"""Files that are written as a whole or not at all.

Whatever ends the program, and whenever, a file in its place is the old one or the new
one, never half of it: it is written beside its place and then takes it at once.
"""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO


@contextmanager
def whole_file(path: str | Path) -> Iterator[IO[bytes]]:
    """A file to write to, which takes its place when all of it is on the disk.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "a.txt")
    >>> with whole_file(path) as file:
    ...     _ = file.write(b"all of it")
    >>> path.read_text()
    'all of it'
    """
    place = Path(os.path.realpath(path))  # a link goes on pointing to its file
    if place.exists() and not place.is_file() and not place.is_dir():
        with place.open("wb") as file:  # a pipe or /dev/stdout: there is no beside
            yield file
        return
    if place.is_dir():
        raise IsADirectoryError(21, "Is a directory", str(place))
    beside = place.with_name(f".cellval-{os.getpid()}-{secrets.token_hex(4)}.part")
    try:
        with beside.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        with suppress(OSError):  # none is there yet
            shutil.copymode(place, beside)
        beside.replace(place)
    finally:
        beside.unlink(missing_ok=True)


def write_whole(path: str | Path, content: bytes) -> None:
    with whole_file(path) as file:
        file.write(content)
