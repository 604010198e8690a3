"""Which backend is taken, and what is said where there is no GPU."""

import sys
from types import SimpleNamespace

import pytest
from cases import message_of, random_table

import cellval
from cellval.knn import backends

TABLE = random_table(0, 20, ["number", "category"])


class Failed(Exception):
    pass


def cupy_with(count):
    runtime = SimpleNamespace(getDeviceCount=count, CUDARuntimeError=Failed)
    return SimpleNamespace(cuda=SimpleNamespace(runtime=runtime))


def fails():
    raise Failed("no driver")


@pytest.fixture
def look_again():
    backends.no_gpu.cache_clear()
    yield
    backends.no_gpu.cache_clear()


@pytest.mark.parametrize(
    ("cupy", "told"),
    [
        (None, "pip install 'cellval[cuda]'"),
        (cupy_with(fails), "no NVIDIA GPU answers (no driver)"),
        (cupy_with(lambda: 0), "no NVIDIA GPU was found"),
    ],
)
def test_without_a_gpu_it_is_said_why_and_auto_does_without(
    monkeypatch, look_again, cupy, told
):
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    assert told in message_of(cellval.value_cells, TABLE, backend="cuda")
    backends.no_gpu.cache_clear()
    assert cellval.value_cells(TABLE, backend="auto").settings.backend == "cpu"


def test_a_gpu_that_is_there_is_taken_only_if_asked_for(monkeypatch, look_again):
    monkeypatch.setitem(sys.modules, "cupy", cupy_with(lambda: 1))
    taken = [backends.chosen(name) for name in ("cpu", "auto", "cuda")]
    assert taken == ["cpu", "cuda", "cuda"]


def test_other_backends_are_refused_with_the_list():
    assert "'cpu' or 'cuda' or 'auto'" in message_of(
        cellval.value_cells, TABLE, backend="tpu"
    )
