"""Where projects are kept: a data folder by the platform's convention."""

import os
import sys
from pathlib import Path

from cellval.errors import InputError

VARIABLE = "CELLVAL_HOME"


def home() -> Path:
    """The data folder; it need not be there yet.

    ``CELLVAL_HOME`` says which; else it is where programs keep their data.
    """
    try:
        if said := os.environ.get(VARIABLE):
            return Path(said).expanduser().absolute()
        if sys.platform == "win32":
            base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData/Local")
        elif sys.platform == "darwin":
            base = Path.home() / "Library/Application Support"
        else:
            said = os.environ.get("XDG_DATA_HOME", "")
            base = Path(said) if said else Path.home() / ".local/share"
    except RuntimeError as error:
        raise InputError(
            "There is no home folder to keep projects in. Set the environment variable "
            f"{VARIABLE} to a folder for them."
        ) from error
    return base / "cellval"
