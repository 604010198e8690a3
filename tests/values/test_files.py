"""Named arrays and a header in one file, without pickles."""

import io
from pathlib import Path

import numpy as np
import pytest

from cellval.values.files import read_arrays, write_arrays

HEADER = {"format": 7, "names": ["ä", "b"], "deep": {"x": None, "y": 0.1}}
ARRAYS = {"a": np.arange(6.0).reshape(2, 3), "b": np.array([], np.int32)}


def test_header_and_arrays_come_back(tmp_path):
    write_arrays(tmp_path / "f.npz", HEADER, ARRAYS)
    for source in (tmp_path / "f.npz", io.BytesIO((tmp_path / "f.npz").read_bytes())):
        header, arrays = read_arrays(source)
        assert header == HEADER
        assert list(arrays) == ["a", "b"]
        for name, array in ARRAYS.items():
            np.testing.assert_array_equal(arrays[name], array)
            assert arrays[name].dtype == array.dtype


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path, monkeypatch):
    path = tmp_path / "f.npz"
    write_arrays(path, HEADER, ARRAYS)
    before = path.read_bytes()

    def full(*arguments, **options):
        arguments[0].write(b"half a file")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez_compressed", full)
    with pytest.raises(OSError, match="No space"):
        write_arrays(path, {}, ARRAYS)
    assert path.read_bytes() == before


def test_objects_are_neither_written_nor_read(tmp_path):
    harmful = np.array([Path("x")], object)
    with pytest.raises(ValueError, match="allow_pickle"):
        write_arrays(tmp_path / "f.npz", {}, {"a": harmful})
    np.savez(tmp_path / "g.npz", about=np.frombuffer(b"{}", np.uint8), a=harmful)
    with pytest.raises(ValueError, match="allow_pickle"):
        read_arrays(tmp_path / "g.npz")
