"""Kernels are compiled or loaded before somebody waits for them."""

import threading

from cellval.jobs import warm_up

WAIT = 600  # the first run on a machine compiles


def test_warm_up_happens_once_and_well(caplog):
    thread = warm_up.warm_up()
    assert warm_up.warm_up() is thread
    assert isinstance(thread, threading.Thread)
    thread.join(WAIT)
    assert not thread.is_alive()
    assert warm_up.is_warm()
    warm_up._compile_all()
    assert not caplog.text
