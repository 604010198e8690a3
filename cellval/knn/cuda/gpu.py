"""The GPU of this machine, through CuPy.

CuPy compiles CUDA C++ when it is needed and keeps what it compiled, so that neither a
compiler nor a package per GPU is asked of anybody; shared memory, exchanges within a
warp and fixed-width sums are all within reach of the kernels.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from cellval.knn.cuda.launch import SOURCE

KERNELS = (
    *("near_pairs", "dense_pairs", "dense_ends", "dense_subsets", "dense_whole"),
    *("add_up_near", "add_up_dense"),
)
FEW, MANY = 256, 1024  # threads of a block
# In the near field, where a block has a processor to itself, half as many threads with
# twice the registers are faster.
HALF = 512
ROOM = 64 << 10  # bytes that such a block needs at most beside the distances


class Gpu:
    """A `Device` with blocks of so many threads."""

    def __init__(self, block: int, per: int = 2) -> None:
        import cupy

        self.cupy = cupy
        self.block, self.per = block, per
        options = (f"-DBS={block}", f"-DPER={per}", "-std=c++17")
        self.module = cupy.RawModule(code=SOURCE.read_text(), options=options)
        self.kernels = {name: self.module.get_function(name) for name in KERNELS}
        attributes = cupy.cuda.Device().attributes
        self.shared = int(attributes["MaxSharedMemoryPerBlockOptin"])
        self.processors = int(attributes["MultiProcessorCount"])
        for kernel in self.kernels.values():
            kernel.max_dynamic_shared_size_bytes = self.shared

    def near_field(self, n_bytes: int) -> "Gpu":
        fits = self.block == MANY and n_bytes + ROOM <= self.shared
        return _gpu(HALF, MANY * self.per // HALF) if fits else self

    def put(self, array: np.ndarray) -> Any:
        return self.cupy.asarray(array)

    def zeros(self, shape: Sequence[int], dtype: Any) -> Any:
        return self.cupy.zeros(shape, dtype)

    def clear(self, array: Any) -> None:
        array.fill(0)

    def get(self, array: Any) -> np.ndarray:
        return np.asarray(array.get())

    def address(self, array: Any) -> int:
        return int(array.data.ptr)

    def free(self) -> int:
        pool = self.cupy.get_default_memory_pool()
        return int(self.cupy.cuda.Device().mem_info[0]) + int(pool.free_bytes())

    def at_once(self, kernel: str, shared: int) -> int:
        self.cupy.cuda.Device().use()  # threads have no context of their own
        each = self.cupy.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor(
            self.kernels[kernel].kernel.ptr, self.block, shared
        )
        return self.processors * max(1, int(each))

    def launch(
        self, kernel: str, blocks: tuple[int, int], shared: int, *arguments: Any
    ) -> None:
        self.kernels[kernel](blocks, (self.block,), arguments, shared_mem=shared)


@cache
def _gpu(block: int, per: int = 2) -> Gpu:
    return Gpu(block, per)


def gpu_for(n_rows: int) -> Gpu:
    """With as many threads in a block as so many rows keep busy."""
    return _gpu(FEW if n_rows <= 2 * FEW else MANY)
