"""A batch of test points on a GPU: arrays go in, sums over the test points come out.

`Device` is all that is asked of a GPU, so that the same steps can be run without one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

SOURCE = Path(__file__).with_name("kernels.cu")
SAMPLE = 40  # near rows that a sample should hold, if it can,
MOST_SAMPLED = 16  # and at most so many rows of it for each thread
SHARE_OF_MEMORY = 0.5  # of what is free may be filled
MOST_OF_A_WAVE = 4224  # test points that are valued before they are added up
NOWHERE = np.uint64(0)  # an address of nothing

_ADDRESS = np.uint64
_TABLE = np.dtype(
    [
        *((name, _ADDRESS) for name in ("cells", "weight", "category", "y", "copies")),
        *((name, _ADDRESS) for name in ("factors", "steps")),
        *((name, np.int32) for name in ("n", "m", "n_steps", "stride")),
        *((name, _ADDRESS) for name in ("test_cells", "test_y", "own")),
        *((name, _ADDRESS) for name in ("test_weight", "test_times")),
        ("n_tests", np.int32),
        *((name, np.int32) for name in ("is_number", "chance", "near", "n_sample")),
    ],
    align=True,
)
_ANSWERS = np.dtype([(name, _ADDRESS) for name in ("far", "scale", "columns")])


class Device(Protocol):
    """Memory and kernels of a GPU."""

    block: int  # threads of a block: BS of the kernels
    per: int  # near rows that each of them puts in order: PER
    shared: int  # bytes of shared memory that a block can have

    def near_field(self, n_bytes: int) -> "Device":
        """The same device for the near field, if a block can have so many bytes."""

    def put(self, array: np.ndarray) -> Any:
        """A copy on the device."""

    def zeros(self, shape: Sequence[int], dtype: Any) -> Any: ...

    def clear(self, array: Any) -> None:
        """Set it to 0."""

    def get(self, array: Any) -> np.ndarray: ...

    def address(self, array: Any) -> int: ...

    def free(self) -> int:
        """Bytes that can still be had."""

    def at_once(self, kernel: str, shared: int) -> int:
        """Blocks of a kernel that run at the same time."""

    def launch(
        self, kernel: str, blocks: tuple[int, int], shared: int, *arguments: Any
    ) -> None: ...


@dataclass(frozen=True, eq=False)
class OnDevice:
    """The rows of a problem, sent once."""

    device: Device
    arrays: dict[str, Any]
    fields: dict[str, Any]  # of the struct `Table`
    where: np.ndarray  # of each row of the table on the device
    place: Any  # and back
    weights: np.ndarray = field(repr=False)  # of subsets, by their size


def send(
    device: Device,
    rows: Any,
    steps: np.ndarray,
    *,
    near: int,
    chance: bool,
    weights: np.ndarray,
) -> OnDevice:
    """The rows (`Rows`) in a random order, so that the first ones are a sample."""
    m, n = rows.cells.shape
    place = np.random.default_rng(n).permutation(n)
    where = np.empty(n, np.int64)
    where[place] = np.arange(n)
    is_number = rows.y.dtype.kind == "f"
    stride = -(-n // 4) * 4  # kernels read four rows at a time
    cells = np.zeros((m, stride), np.float32)
    cells[:, :n] = rows.cells[:, place]
    arrays = {
        "cells": cells,
        "weight": rows.weight.astype(np.float32),
        "category": rows.is_category.astype(np.int32),
        "y": rows.y[place].astype(np.float64),
        "copies": rows.copies[place].astype(np.uint32) if rows.copies.size else None,
        "factors": rows.factors.astype(np.float64) if rows.factors.size else None,
        "steps": np.ascontiguousarray(steps, np.float64),
    }
    sent = {name: None if a is None else device.put(a) for name, a in arrays.items()}
    sample = device.block
    while near and sample * near < SAMPLE * n and sample < MOST_SAMPLED * device.block:
        sample += device.block
    known: dict[str, Any] = {
        name: device.address(a) if a is not None else 0 for name, a in sent.items()
    }
    known |= {"n": n, "m": m, "n_steps": steps.shape[1], "is_number": is_number}
    known["stride"] = stride
    known |= {"chance": chance, "near": near, "n_sample": min(stride, sample)}
    return OnDevice(
        device,
        sent,
        known,
        where,
        device.put(place.astype(np.int32)),
        weights,
    )


def value(
    rows: OnDevice,
    tests: Any,
    orders: np.ndarray | None,
    *,
    ends: bool = False,
    whole: bool = False,
) -> tuple[np.ndarray, ...]:
    """Sums over the test points (`Queries`) in the order of `Sums`.

    `orders` (n_tests, n_pairs, m) are each test point's own; None: all subsets, or if
    `whole` only that of all columns, which gives values of rows alone.
    """
    device, n, m = rows.device, rows.fields["n"], rows.fields["m"]
    near, n_tests = rows.fields["near"], tests.y.size
    in_near_field = (
        orders is not None
        and not ends
        and 0 < near < n - 1
        and near <= device.block * device.per // 2
        and not rows.fields["copies"]
    )
    if in_near_field:
        device = device.near_field(4 * rows.fields["stride"])
        rows = replace(rows, device=device)
    n_pairs = 0 if orders is None else orders.shape[1]
    if in_near_field:
        run = _near_pairs(rows, n_pairs)
    elif orders is None:
        run = _dense(rows, "dense_whole" if whole else "dense_subsets", n_pairs)
    else:
        run = _dense(rows, "dense_ends" if ends else "dense_pairs", n_pairs)
    each = run.bytes_of_test + run.bytes_of_block
    fit = int(SHARE_OF_MEMORY * device.free() / each)
    blocks = max(1, min(run.at_once, n_tests, fit))
    fit = int(SHARE_OF_MEMORY * device.free()) - blocks * run.bytes_of_block
    wave = max(1, min(n_tests, MOST_OF_A_WAVE, fit // run.bytes_of_test))
    psi = device.zeros((wave, m + 1, rows.fields["stride"]), run.number)
    room = run.room(blocks)
    sums = device.zeros((m + 1, n), np.float64)
    squared = device.zeros((m + 1, n), np.float64)
    columns = np.empty((n_tests, m))
    own = np.where(tests.own >= 0, rows.where[tests.own], -1).astype(np.int32)
    for first in range(0, n_tests, wave):
        part = slice(first, min(first + wave, n_tests))
        sent = {
            "test_cells": np.ascontiguousarray(tests.cells[part], np.float32),
            "test_y": tests.y[part].astype(np.float64),
            "own": own[part],
            "test_weight": tests.weight[part].astype(np.float64),
            "test_times": tests.times[part].astype(np.float64),
        }
        held = {name: device.put(array) for name, array in sent.items()}
        table = np.zeros((), _TABLE)
        for name, known in rows.fields.items():
            table[name] = known
        for name, array in held.items():
            table[name] = device.address(array)
        size = part.stop - part.start
        table["n_tests"] = size
        kept = {
            "far": device.zeros((size, m + 1, 2), np.float64),
            "scale": device.zeros((size,), np.float64),
            "columns": device.zeros((size, m), np.float64),
        }
        answers = np.zeros((), _ANSWERS)
        for name, array in kept.items():
            answers[name] = device.address(array)
        drawn = None if orders is None else device.put(orders[part].astype(np.int16))
        if first:
            device.clear(psi)
        structs = table[()], answers[()]
        counter = device.zeros((1,), np.int32)
        device.launch(
            run.kernel,
            (min(blocks, size), 1),
            run.shared,
            *structs,
            *run.arguments(drawn, counter, psi, room),
        )
        device.launch(
            "add_up_near" if in_near_field else "add_up_dense",
            (-(-n // (4 * device.block)), m + 1),
            44 * device.block,
            *structs,
            psi,
            rows.place,
            sums,
            squared,
        )
        columns[part] = device.get(kept["columns"])
    cells, squares = device.get(sums), device.get(squared)
    times = tests.times[:, None].astype(np.float64)
    return (
        cells[:m],
        squares[:m],
        cells[m],
        squares[m],
        (times * columns).sum(axis=0),
        (times * columns**2).sum(axis=0),
    )


@dataclass(frozen=True, eq=False)
class _Run:
    """How a kernel is started."""

    kernel: str
    shared: int
    number: type  # of psi
    bytes_of_test: int
    bytes_of_block: int
    at_once: int
    room: Callable[[int], tuple[Any, ...]]  # memory of so many blocks
    arguments: Callable[..., tuple[Any, ...]]


def _room(device: Device) -> int:
    """Bytes of shared memory that every block takes: `Room` of the kernels."""
    return (24 * device.per + 4) * device.block + 40 * (device.block // 32) + 176


def _near_pairs(rows: OnDevice, n_pairs: int) -> _Run:
    device, m, stride = rows.device, rows.fields["m"], rows.fields["stride"]
    shared = _room(device) + 48 * m + 32
    # a bit a row for matching classes, if there is room
    bits = 0 if rows.fields["is_number"] else 4 * (stride // 32 + 1)
    bits = bits if shared + bits <= device.shared else 0
    shared += bits
    fits = shared + 4 * stride <= device.shared
    shared += 4 * stride if fits else 0
    return _Run(
        "near_pairs",
        shared,
        np.float32,
        4 * stride * (m + 1),
        1 if fits else 4 * stride,
        device.at_once("near_pairs", shared),
        lambda blocks: (
            NOWHERE if fits else device.zeros((blocks, stride), np.float32),
        ),
        lambda orders, counter, psi, room: (
            orders,
            np.int32(n_pairs),
            counter,
            *room,
            psi,
            np.int32(bits > 0),
        ),
    )


def _dense(rows: OnDevice, kernel: str, n_pairs: int) -> _Run:
    device, n, m = rows.device, rows.fields["n"], rows.fields["m"]
    stride = rows.fields["stride"]
    many = kernel in ("dense_ends", "dense_subsets")
    size = max(32, 1 << (n - 1).bit_length())
    in_order = 8 * size + 20 * n
    shared = _room(device) + 16
    fits = shared + in_order <= device.shared
    shared += in_order if fits else 0
    doubles = 3 * n + (2 * (m + 1) * n if many else 0)
    floats = (m + 2 if kernel == "dense_subsets" else 2) * stride
    items = 0 if fits else size + 3 * n
    walks = shared + 8 * doubles + 4 * floats
    near_by = fits and walks <= device.shared // 2  # two blocks find room
    shared = walks if near_by else shared
    weights = device.put(rows.weights.astype(np.float64))

    def room(blocks: int) -> tuple[Any, ...]:
        elsewhere = NOWHERE if near_by else device.zeros((blocks, doubles), np.float64)
        dist = NOWHERE if near_by else device.zeros((blocks, floats), np.float32)
        sorted_ = device.zeros((blocks, items), np.uint64) if items else NOWHERE
        return elsewhere, np.uint64(doubles), dist, np.uint64(floats), sorted_

    return _Run(
        kernel,
        shared,
        np.float64,
        8 * stride * (m + 1),
        8 * items + (0 if near_by else 8 * doubles + 4 * floats) or 1,
        device.at_once(kernel, shared),
        room,
        lambda orders, counter, psi, room: (
            NOWHERE if orders is None else orders,
            np.int32(n_pairs),
            weights,
            counter,
            psi,
            *room,
            np.int32(size),
        ),
    )
