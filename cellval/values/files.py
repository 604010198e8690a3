"""Named arrays and a header in one .npz file, without pickles."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np


def write_arrays(
    path: str | Path, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]
) -> None:
    """Write a file that `read_arrays` reads; never half a file in its place."""
    text = np.frombuffer(json.dumps(header).encode(), np.uint8)
    path = Path(path)
    unfinished = path.with_name(path.name + ".part")
    with unfinished.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, about=text, **arrays)
    unfinished.replace(path)


def read_arrays(
    path: str | Path | IO[bytes],
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Header and arrays of a file."""
    with np.load(path, allow_pickle=False) as file:
        header = json.loads(file["about"].tobytes())
        return header, {name: file[name] for name in file.files if name != "about"}
