"""A `Device` without a GPU: the kernels, compiled by g++, with fibers for threads."""

import ctypes
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from cellval.knn.cuda.launch import _ANSWERS, _TABLE, SOURCE, _room

HERE = Path(__file__).parent


@cache
def compiled(folder: Path, block: int, per: int) -> ctypes.CDLL:
    library = folder / f"kernels{block}x{per}.so"
    command = [shutil.which("g++") or "g++", "-O1", "-shared", "-fPIC", "-std=c++17"]
    command += ["-ffp-contract=off", f"-DBS={block}", f"-DPER={per}"]
    command += [f"-I{SOURCE.parent}"]
    subprocess.run([*command, str(HERE / "on_cpu.cpp"), "-o", str(library)], check=True)
    return ctypes.CDLL(str(library))


class OnCpu:
    """Blocks of 32 threads, so that a table of a hundred rows is large."""

    def __init__(
        self, folder: Path, block: int = 32, per: int = 2, shared: int = 1 << 20
    ) -> None:
        self.folder, self.block, self.per, self.shared = folder, block, per, shared
        self.blocks, self.memory = 3, 1 << 30
        self.kernels = compiled(folder, block, per)
        self.used: set[str] = set()
        assert self.kernels.n_bytes(0) == _TABLE.itemsize
        assert self.kernels.n_bytes(1) == _ANSWERS.itemsize
        assert self.kernels.n_bytes(2) <= _room(self)

    def near_field(self, n_bytes: int) -> "OnCpu":
        return self

    def put(self, array: np.ndarray) -> np.ndarray:
        return np.array(array, order="C")

    def zeros(self, shape: Any, dtype: Any) -> np.ndarray:
        return np.zeros(shape, dtype)

    def clear(self, array: np.ndarray) -> None:
        array.fill(0)

    def get(self, array: np.ndarray) -> np.ndarray:
        return array.copy()

    def address(self, array: np.ndarray) -> int:
        return int(array.ctypes.data)

    def free(self) -> int:
        return self.memory

    def at_once(self, kernel: str, shared: int) -> int:
        return self.blocks

    def launch(
        self, kernel: str, blocks: tuple[int, int], shared: int, *arguments: Any
    ) -> None:
        assert shared <= self.shared
        self.used.add(kernel)
        given = (ctypes.c_uint64 * len(arguments))()
        held = []
        for k, argument in enumerate(arguments):
            if isinstance(argument, np.void):  # a struct goes by its address
                argument = np.array(argument)
                held.append(argument)
            if isinstance(argument, np.ndarray):
                given[k] = argument.ctypes.data
            else:
                given[k] = int(argument)
        getattr(self.kernels, f"run_{kernel}")(*blocks, given)
