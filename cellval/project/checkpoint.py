"""Values of a run on disk, with the sums that let it go on: one file of arrays.

Texts are not in it: they are the table's, which the project has.
"""

import json
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from cellval.limits import refuse_unfolded
from cellval.project.database import Damaged
from cellval.table.table import Table
from cellval.values.archive import Unfit, check_numbers, read_array
from cellval.values.result import CellValues, describe
from cellval.values.settings import Settings
from cellval.whole_files import whole_file

FORMAT = 1
SUMS = "state_"  # how names of arrays begin that let the run go on
SHAPES = {  # of the other ones, by how many rows and columns the table has
    "values": "nm",
    "stderr": "nm",
    "row_values": "n",
    "row_stderr": "n",
    "column_values": "m",
    "column_stderr": "m",
}

# What reading a zip, an array or JSON raises that anybody may have written.
FAULTS = (
    *(zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError),
    *(ValueError, KeyError, TypeError, AttributeError, OverflowError),
)


def write_values(path: Path, values: CellValues, *, is_whole: bool = False) -> None:
    """With whether they are all that was asked for."""
    about = {
        "format": FORMAT,
        "is_whole": is_whole,
        "n_test": values.n_test,
        "settings": values.settings.to_dict(),
    }
    arrays = {name: getattr(values, name) for name in SHAPES}
    arrays |= {f"{SUMS}{name}": array for name, array in values.state.items()}
    arrays["about"] = np.frombuffer(json.dumps(about).encode(), np.uint8)
    path.parent.mkdir(exist_ok=True)
    with whole_file(path) as file:
        np.savez(file, allow_pickle=False, **arrays)


def is_whole(path: Path) -> bool:
    """Are the values in a file that can be read all that was asked for?"""
    with zipfile.ZipFile(path) as packed:
        about = read_array(packed, packed.getinfo("about.npy"), "about", _check)
        return bool(_said(about).get("is_whole"))


def _said(about: np.ndarray) -> Any:
    said = about.tobytes()
    refuse_unfolded("What these values say", said, "value the table again")
    return json.loads(said)


def _check(shape: tuple[int, ...], dtype: np.dtype) -> None:
    if dtype.kind not in "fiub":
        raise ValueError("an array holds no numbers")


def read_values(path: Path, table: Table) -> CellValues:
    """Values of this table, or `Damaged`; a zip file knows sums of its parts."""
    sizes = {"n": table.n_rows, "m": len(table.features)}
    try:
        with zipfile.ZipFile(path) as packed:
            entries = {
                entry.filename.removesuffix(".npy"): entry
                for entry in packed.infolist()
            }
            if any(entry.compress_type for entry in entries.values()):
                raise ValueError("it was not written by cellval")  # or unpacks to more
            arrays: dict[str, Any] = {
                name: read_array(packed, entry, name, _check)
                for name, entry in entries.items()
            }
        about = _said(arrays.pop("about"))
        if about["format"] != FORMAT:
            raise ValueError(f"format {about['format']}")
        for name, axes in SHAPES.items():
            if arrays[name].shape != tuple(sizes[axis] for axis in axes):
                raise ValueError(f"{name} has another shape")
            if arrays[name].dtype != np.float64:
                raise ValueError(f"{name} are no numbers of this kind")
        check_numbers(arrays)
        settings = Settings.from_dict(about["settings"])
        if settings.table != table.fingerprint:
            raise ValueError("values of another table")
        return CellValues(
            **{name: arrays[name] for name in SHAPES},
            **describe(table),
            n_test=int(about["n_test"]),
            settings=settings,
            state={
                name.removeprefix(SUMS): array
                for name, array in arrays.items()
                if name.startswith(SUMS)
            },
        )
    except (Unfit, *FAULTS) as error:
        raise Damaged(str(error)) from error
