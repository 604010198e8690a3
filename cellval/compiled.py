"""`kernel`: how functions are compiled, and where that is kept.

Numba's own cache notices a change in the file of the called function only, not in the
files of the functions compiled into it, and stumbles over classes that were renamed. So
compiled code is kept in a folder named after all sources that hold kernels.
"""

import hashlib
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba

KEPT_SECONDS = 30 * 86400  # since a folder of other sources was last used


def _folder() -> Path | None:
    """Where compiled kernels are kept: beside the sources, or in the user's cache."""
    here = Path(__file__).parent
    digest = hashlib.sha256(numba.__version__.encode())
    for source in sorted(here.rglob("*.py")):
        text = source.read_bytes()
        if b"import kernel" in text:
            digest.update(text)
    name = f"kernels-{digest.hexdigest()[:16]}"
    user = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    for parent in (here / "__pycache__", user / "cellval"):
        try:
            (parent / name).mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(parent / name, os.W_OK):
            for old in parent.glob("kernels-*"):
                if time.time() - old.stat().st_mtime > KEPT_SECONDS:
                    shutil.rmtree(old, ignore_errors=True)
            (parent / name).touch()
            return parent / name
    return None


FOLDER = _folder()


def kernel(function: Callable[..., Any], **options: Any) -> Any:
    """Compile on first use: serial, without the GIL, division by zero as in numpy."""
    config: Any = numba.config
    before = config.CACHE_DIR
    config.CACHE_DIR = str(FOLDER or "")
    try:
        compiled = numba.njit(
            nogil=True, cache=FOLDER is not None, error_model="numpy", **options
        )
        return compiled(function)
    finally:
        config.CACHE_DIR = before
