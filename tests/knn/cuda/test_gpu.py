"""The GPU through CuPy, where there is one."""

import numpy as np
import pytest

from cellval.knn.backends import no_gpu
from cellval.knn.cuda.gpu import FEW, HALF, KERNELS, MANY, gpu_for

pytestmark = pytest.mark.skipif(bool(no_gpu()), reason=no_gpu())


def test_blocks_are_smaller_for_few_rows():
    assert (gpu_for(2 * FEW).block, gpu_for(2 * FEW + 1).block) == (FEW, MANY)


def test_the_near_field_takes_other_blocks_where_distances_find_room():
    many, few = gpu_for(2 * FEW + 1), gpu_for(2 * FEW)
    near = many.near_field(100_000)
    assert (near.block, near.block * near.per) == (HALF, many.block * many.per)
    assert many.near_field(1 << 20) is many
    assert few.near_field(2000) is few


def test_arrays_go_there_and_back():
    gpu = gpu_for(10)
    there = gpu.put(np.arange(5.0))
    gpu.clear(there)
    assert gpu.get(there).tolist() == [0.0] * 5
    assert gpu.address(there) > 0
    assert gpu.free() > 0


def test_every_kernel_runs_in_at_least_one_block_a_processor():
    gpu = gpu_for(10_000)
    assert all(gpu.at_once(kernel, 1000) >= gpu.processors for kernel in KERNELS)
