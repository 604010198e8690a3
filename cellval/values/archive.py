"""Saved values from an .npz file that anybody may have made.

What is in it is looked at before any array is read: names, shapes, dtypes and sizes
stand in the directory of the archive and at the start of each array. Nothing is
unpickled, and nothing is unpacked that does not fit.

numpy reads the start of an array with `ast.literal_eval`. Beside it, in early versions
of Python 3.11, whatever another thread has parsed just then fails with a SystemError:
pages, for Streamlit parses them (python/cpython#106905). So it is read here.
"""

import io
import json
import re
import zipfile
import zlib
from collections.abc import Callable, Mapping
from typing import IO, Any

import numpy as np

from cellval.errors import InputError
from cellval.limits import how_to_raise, limits, refuse_shape, refuse_unfolded
from cellval.text import cut

MATRICES = ("values", "stderr")  # (rows, columns)
OF_ROWS = ("row_values", "row_stderr", "row_numbers")
OF_COLUMNS = ("column_values", "column_stderr")
ARRAYS = (*MATRICES, *OF_ROWS, *OF_COLUMNS)
MOST_STATE = 64  # arrays of a run that can be continued
MOST_SEGMENTS = 2**16  # of its test points
LARGEST = 1e100  # number in an array: sums and squares of it are finite
CHUNK = 2**20  # bytes that are read at a time
_STATE = re.compile(r"state_[a-z_]{1,40}")
_START = re.compile(
    rb"\{'descr': '([<>|=]?[a-zA-Z][0-9]{0,9})', 'fortran_order': (True|False), "
    rb"'shape': \(((?:[0-9]{1,19}, ?)*[0-9]{0,19})\),? ?\}\s*"
)
Check = Callable[[tuple[int, ...], np.dtype], None]


class Unfit(Exception):
    """What is wrong with the file, as in "'values' is missing"."""


def read_archive(raw: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """What is said about the values, and their arrays; `Unfit` if they do not fit."""
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as file:
            entries = _entries(file)
            about = _array(file, entries["about"], "about", None)
            if about.dtype != np.uint8 or about.ndim != 1:
                raise Unfit("what should say what it holds is no text")
            said = about.tobytes()
            refuse_unfolded("What these values say", said, "value the table again")
            header = _header(json.loads(said))
            shapes = _shapes(len(header["ids"]), len(header["column_names"]), entries)
            arrays = {
                name: _array(file, entries[name], name, shape)
                for name, shape in shapes.items()
            }
    except InputError:
        raise  # it is a ValueError, too
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise Unfit("it is damaged or no .npz file") from error
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        # of JSON and of the headers of arrays
        raise Unfit("what it says about itself cannot be read") from error
    check_numbers(arrays)
    _check_rows(arrays["row_numbers"])
    return header, arrays


def _entries(file: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """By name of the array. Names and sizes are those that the directory states."""
    found: dict[str, zipfile.ZipInfo] = {}
    for entry in file.infolist():
        name = entry.filename.removesuffix(".npy")
        known = name in (*ARRAYS, "about") or _STATE.fullmatch(name)
        if not known or name == entry.filename:
            raise Unfit(f"it holds '{cut(entry.filename, 40)}', which is none of them")
        if name in found:
            raise Unfit(f"it holds '{name}' twice")
        packed = entry.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
        if not packed or entry.flag_bits & 1:
            raise Unfit("it is packed or encrypted as cellval does not do it")
        found[name] = entry
    for name in ("about", *ARRAYS):
        if name not in found:
            raise Unfit(f"'{name}' is missing")
    if len(found) > len(ARRAYS) + 1 + MOST_STATE:
        raise Unfit(f"it holds {len(found):,} arrays")
    size, limit = sum(entry.file_size for entry in found.values()), limits()
    if size > limit.unpacked_bytes:
        raise InputError(
            f"These values have {size / 1e6:,.0f} MB when they are unpacked; the limit "
            f"is {limit.unpacked_mb:,.0f} MB. {how_to_raise('unpacked_mb')}, if you "
            "know where the file comes from."
        )
    return found


def _header(header: Any) -> dict[str, Any]:
    """Texts and counts, as many as there should be."""
    if not isinstance(header, dict):
        raise Unfit("what it says about itself cannot be read")
    for name in ("format", "n_test", "settings", "ids", "labels", "column_names"):
        if name not in header:
            raise Unfit(f"it does not state its {name.replace('_', ' ')}")
    ids, labels, names = header["ids"], header["labels"], header["column_names"]
    bands = header.setdefault("bands", [])  # files of version 0.1 have none
    for what, texts in (
        ("ids", ids),
        ("labels", labels),
        ("bands", bands),
        ("column names", names),
    ):
        if not _is_texts(texts):
            raise Unfit(f"its {what} are no list of texts")
    n, m, cells = len(ids), len(names), header.get("cells")
    if n == 0 or m == 0:
        raise Unfit(f"it states {n:,} rows and {m:,} columns")
    if len(set(names)) < m:
        raise Unfit("two columns have the same name")
    if len(labels) != n:
        raise Unfit(f"it states {n:,} rows but {len(labels):,} labels")
    if len(bands) not in (0, n):
        raise Unfit(f"it states {n:,} rows but {len(bands):,} bands")
    refuse_shape("This file of values", n, m)
    columns: Any = cells if isinstance(cells, list) and len(cells) == m else [None]
    if not all(_is_texts(column) and len(column) == n for column in columns):
        raise Unfit(f"the texts of its cells are not {n:,} x {m:,}")
    n_test = header["n_test"]
    if not isinstance(n_test, int) or not 0 <= n_test < 2**53:
        raise Unfit("its number of test points is no count")
    if not isinstance(header["format"], int):
        raise Unfit("it does not state its format")
    if not isinstance(header["settings"], dict):
        raise Unfit("it does not state its settings")
    for name, said in header["settings"].items():
        if isinstance(said, int | float) and not abs(said) <= LARGEST:
            raise Unfit(f"of its settings '{cut(name, 40)}' is no number")
    return header


def _is_texts(texts: Any) -> bool:
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        return False
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:  # half a character
        return False
    return True


def _shapes(n: int, m: int, names: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    """Shape of each array; of what continues a run at most so much along each axis."""
    known: dict[str, tuple[int, ...]] = dict.fromkeys(MATRICES, (n, m))
    known |= dict.fromkeys(OF_ROWS, (n,)) | dict.fromkeys(OF_COLUMNS, (m,))
    return known | {name: (-1, m, n) for name in names if _STATE.fullmatch(name)}


def _array(
    file: zipfile.ZipFile,
    entry: zipfile.ZipInfo,
    name: str,
    shape: tuple[int, ...] | None,
) -> np.ndarray:
    def check(found: tuple[int, ...], dtype: np.dtype) -> None:
        _check_array(name, found, dtype, shape)

    return read_array(file, entry, name, check)


def read_array(
    file: zipfile.ZipFile, entry: zipfile.ZipInfo, name: str, check: Check
) -> np.ndarray:
    """An array of an archive, in the order of C, after its shape and dtype were looked
    at; `Unfit` if it is none.
    """
    data = bytearray()
    with file.open(entry) as stream:
        found, is_fortran, dtype = _start(stream, name)
        check(found, dtype)
        n_bytes = int(np.prod(found, dtype=object)) * dtype.itemsize
        if n_bytes != entry.file_size - stream.tell():
            raise Unfit(f"'{name}' is longer or shorter than it says")
        while part := stream.read(CHUNK):  # to the end, where checksums are compared
            data += part
    if len(data) != n_bytes:
        raise Unfit(f"'{name}' is cut off")
    array: np.ndarray = np.ndarray(found, dtype, data, order="F" if is_fortran else "C")
    return array.astype(dtype.newbyteorder("="), order="C", copy=False)


def _start(stream: IO[bytes], name: str) -> tuple[tuple[int, ...], bool, np.dtype]:
    """Shape, whether it is in the order of Fortran, and dtype of a .npy file."""
    magic = stream.read(8)
    width = {b"\x93NUMPY\x01\x00": 2, b"\x93NUMPY\x02\x00": 4}.get(magic)
    if width is None:
        raise Unfit(f"'{name}' has an unknown format")
    length = int.from_bytes(stream.read(width), "little")
    said = _START.fullmatch(stream.read(min(length, CHUNK)))
    if said is None:
        raise Unfit(f"what '{name}' says about itself cannot be read")
    descr, is_fortran, sizes = (part.decode() for part in said.groups())
    shape = tuple(int(size) for size in re.findall("[0-9]+", sizes))
    return shape, is_fortran == "True", np.dtype(descr)


def _check_array(
    name: str, found: tuple[int, ...], dtype: np.dtype, shape: tuple[int, ...] | None
) -> None:
    kinds = "iu" if name == "row_numbers" else "fiub" if name[:6] == "state_" else "f"
    if dtype.kind not in ("u" if shape is None else kinds) or dtype.itemsize > 8:
        raise Unfit(f"'{name}' holds {cut(dtype, 40)}, which is not possible there")
    if shape is None:
        return
    if shape[0] == -1:  # (segments, columns, rows), or a part of it
        n_columns, n_rows = shape[1:]
        fits = (
            len(found) <= 3
            and (len(found) < 2 or (found[-2] == n_columns and found[-1] <= n_rows))
            and max(found, default=0) <= max(n_rows, n_columns, MOST_SEGMENTS)
        )
    else:
        fits = found == shape
    if not fits:
        need = " x ".join(f"{size:,}" for size in shape if size >= 0)
        has = " x ".join(f"{size:,}" for size in found) or "one number"
        raise Unfit(f"'{name}' is {has}, which does not fit {need}")


def check_numbers(arrays: Mapping[str, np.ndarray]) -> None:
    """`Unfit` if they can be no values and errors: whoever draws them would fail."""
    for name, array in arrays.items():
        if array.dtype.kind != "f":
            continue
        if np.isinf(array).any():
            raise Unfit(f"'{name}' holds infinite numbers")
        if name in ARRAYS and (np.abs(array) > LARGEST).any():
            raise Unfit(f"'{name}' holds numbers above {LARGEST:g}")
        if name.endswith("stderr") and (array < 0).any():
            raise Unfit(f"'{name}' holds errors below zero")


def _check_rows(rows: np.ndarray) -> None:
    if rows.min() < 1 or (np.diff(rows) <= 0).any():
        raise Unfit("its rows are not numbered upwards from 1")
