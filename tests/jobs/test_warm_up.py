"""Kernels are compiled or loaded before somebody waits for them."""

import threading

import numpy as np
import pytest

from cellval import parallel
from cellval.jobs import warm_up
from cellval.knn import cell_values, engine

WAIT = 900  # seconds; the first run on a machine compiles, and others may be busy


def test_warm_up_happens_once_and_well(caplog):
    thread = warm_up.warm_up()
    assert warm_up.warm_up() is thread
    assert isinstance(thread, threading.Thread)
    thread.join(WAIT)
    assert not thread.is_alive()
    assert warm_up.is_warm()
    warm_up._compile_all()
    assert not caplog.text


@pytest.mark.parametrize("kind", ["category", "number"])
def test_every_kernel_of_a_run_is_reached(kind, monkeypatch):
    called = set()

    def noting(name):
        kernel = getattr(cell_values, name)

        def noted(*arguments):
            near, dtype = (
                arguments[2 + (name != "all_subsets")],
                arguments[-1].cells.dtype,
            )
            called.add((name, near is not None, dtype == np.float32))
            kernel(*arguments)

        return noted

    near, ends = "permutations_near", "permutations_with_ends"
    for name in ("all_subsets", "permutations", near, ends):
        monkeypatch.setattr(cell_values, name, noting(name))
    warm_up._compile(kind)
    # with a near field or many rows (the second), with many rows (the third)
    few, far, many = (False, False), (True, False), (True, True)
    wanted = {("all_subsets", *how) for how in (few, far)}
    wanted |= {("permutations", *how) for how in (few, many)}
    wanted |= {(near, *how) for how in (far, many)}
    wanted |= {(ends, *how) for how in (few, far, many)}
    assert called == wanted


def test_nobody_values_meanwhile_what_is_only_compiled(monkeypatch):
    monkeypatch.setattr(engine, "is_compiled", lambda *_: False)
    monkeypatch.delattr(parallel, "PlainPython")
    warm_up._compile("category")
