"""`kernel`: how functions are compiled, and where that is kept.

Numba's own cache notices a change in the file of the called function only, not in the
files of the functions compiled into it, and stumbles over classes that were renamed. So
compiled code is kept in a folder named after all sources that hold kernels. Nor does it
notice that one of its files is damaged: so each begins with the checksum of the rest.
What is damaged, or cannot be kept (a full disk), is compiled again.
"""

import hashlib
import os
import pickle
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numba
from numba import types as types  # for functions whose steps depend on types
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.runtime import rtsys
from numba.extending import overload as overload

KEPT_SECONDS = 30 * 86400  # since a folder of other sources was last used
KEPT_FOLDERS = 8  # of other sources, of those not used for a day
DAY = 86400
FORMAT = "checked"  # of files; others are in folders of another name


def _folder() -> Path | None:
    """Where compiled kernels are kept: beside the sources, or in the user's cache."""
    here = Path(__file__).parent
    digest = hashlib.sha256(f"{FORMAT} {numba.__version__}".encode())
    for source in sorted(here.rglob("*.py")):
        text = source.read_bytes()
        if b"import kernel" in text:
            digest.update(text)
    name = f"kernels-{digest.hexdigest()[:16]}"
    parents = [here / "__pycache__"]
    with suppress(RuntimeError):  # there is no home
        user = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        parents.append(user / "cellval")
    for parent in parents:
        try:
            (parent / name).mkdir(parents=True, exist_ok=True)
            (parent / name).touch()
        except OSError:
            continue
        if os.access(parent / name, os.W_OK):
            remove_old(parent, name)
            return parent / name
    return None


def remove_old(parent: Path, mine: str) -> None:
    """Remove folders of other sources that nobody has used for long: each process
    touches its own when it starts.
    """
    others = {}
    for folder in parent.glob("kernels-*"):
        with suppress(OSError):  # somebody else removes it, too
            if folder.name != mine:
                others[folder] = time.time() - folder.stat().st_mtime
    for rank, (folder, age) in enumerate(sorted(others.items(), key=lambda f: f[1])):
        if age > KEPT_SECONDS or (age > DAY and rank >= KEPT_FOLDERS):
            shutil.rmtree(folder, ignore_errors=True)


class CheckedFile(IndexDataCacheFile):
    """Numba's files of one function; one that is damaged counts as missing."""

    def save(self, key: Any, data: Any) -> None:
        with suppress(OSError):  # a full disk, a folder that is gone: go on without
            super().save(key, data)

    def _load_index(self) -> dict[Any, str]:
        found = self._read(self._index_path)
        stamp, overloads = found or (None, {})
        return overloads if stamp == self._source_stamp else {}

    def _save_index(self, overloads: dict[Any, str]) -> None:
        self._write(self._index_path, (self._source_stamp, overloads))

    def _load_data(self, name: str) -> Any:
        return self._read(self._data_path(name))

    def _save_data(self, name: str, data: Any) -> None:
        self._write(self._data_path(name), data)

    def _read(self, path: str) -> Any:
        """What was written; None if it is not all there."""
        try:
            raw = Path(path).read_bytes()
        except OSError:
            return None
        checksum, content = raw[:32], raw[32:]
        if hashlib.sha256(content).digest() != checksum:
            return None
        return pickle.loads(content)

    def _write(self, path: str, found: Any) -> None:
        content = self._dump(found)
        with self._open_for_write(path) as file:
            file.write(hashlib.sha256(content).digest() + content)


class CheckedCache(FunctionCache):
    """Numba's cache of one function, with checked files."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file = CheckedFile(
            self._cache_path,
            self._impl.filename_base,
            self._impl.locator.get_source_stamp(),
        )

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Without all that compiling needs, whose import takes a quarter of the time
        of `cellval suspects`: compiled code needs numba's memory functions only.
        """
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)

    def save_overload(self, sig: Any, data: Any) -> None:
        with suppress(OSError):
            super().save_overload(sig, data)


FOLDER = _folder()


def kernel(function: Callable[..., Any], **options: Any) -> Any:
    """Compile on first use: serial, without the GIL, division by zero as in numpy."""
    compiled = numba.njit(nogil=True, error_model="numpy", **options)(function)
    config: Any = numba.config
    if FOLDER is not None and not config.DISABLE_JIT:
        before = config.CACHE_DIR
        config.CACHE_DIR = str(FOLDER)
        try:
            cache = CheckedCache(function)
            if Path(cache.cache_path).is_relative_to(FOLDER):
                compiled._cache = cache  # not where numba would go instead
        except (OSError, RuntimeError):
            pass  # it cannot be kept: compile without
        finally:
            config.CACHE_DIR = before
    return compiled


def is_compiled(function: Any, *arguments: Any) -> bool:
    """Need a kernel not be compiled for such arguments, but at most be loaded?"""
    if not hasattr(function, "overloads"):
        return True  # as Python it is
    signature = tuple(function.typeof_pyval(argument) for argument in arguments)
    if signature in function.overloads:
        return True
    cache = function._cache
    if not isinstance(cache, CheckedCache):
        return False
    key = cache._index_key(signature, function.targetctx.codegen())
    return key in cache._cache_file._load_index()


def kernel_part(function: Callable[..., Any], **options: Any) -> Any:
    """The same for what only kernels call. It has no door for Python, which would be a
    quarter of the work of compiling it: called from there it crashes.
    """
    return kernel(function, no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)
