"""Saved values that anybody may have made: each fault is refused with a sentence."""

import ast
import io
import json
import tracemalloc
import zipfile

import numpy as np
import pytest
from cases import random_table
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

import cellval
from cellval.values.archive import ARRAYS, Unfit, read_array


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    table = random_table(50, 12, ["number", "category", "decimal"], n_classes=2)
    path = tmp_path_factory.mktemp("saved") / "v.npz"
    cellval.value_cells(table, n_neighbors=3).save(path)
    with np.load(path) as file:
        return dict(file)


def packed(arrays):
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def about(saved, **changed):
    header = json.loads(saved["about"].tobytes()) | changed
    return np.frombuffer(json.dumps(header).encode(), np.uint8)


def refused(raw):
    with pytest.raises(cellval.InputError) as caught:
        cellval.load(io.BytesIO(raw))
    message = str(caught.value)
    assert message.endswith(".") and len(message) < 400
    return message


def test_what_was_saved_is_loaded(saved):
    assert cellval.load(io.BytesIO(packed(saved))).values.shape == (12, 3)


@pytest.mark.parametrize("name", [*ARRAYS, "about"])
def test_no_array_may_be_missing(saved, name):
    others = {k: array for k, array in saved.items() if k != name}
    assert f"'{name}' is missing" in refused(packed(others))


@pytest.mark.parametrize("name", ARRAYS)
def test_short_arrays_are_refused(saved, name):
    message = refused(packed(saved | {name: saved[name][:-1]}))
    assert f"'{name}' is " in message and "does not fit" in message


@pytest.mark.parametrize("name", [name for name in ARRAYS if name != "row_numbers"])
def test_infinite_numbers_are_refused(saved, name):
    array = saved[name].copy()
    array.flat[0] = np.inf
    assert "infinite" in refused(packed(saved | {name: array}))


def test_other_dtypes_are_refused(saved):
    for array in (saved["values"].astype(complex), saved["values"].astype("U9")):
        assert "not possible" in refused(packed(saved | {"values": array}))
    raw = packed(saved | {"values": np.array([[object()] * 3] * 12)})
    assert "not possible" in refused(raw)


def test_a_pickle_is_never_opened(saved, tmp_path):
    class Evil:
        def __reduce__(self):
            return open, (str(tmp_path / "was_run"), "w")

    refused(packed(saved | {"state_x": np.array([Evil()], object)}))
    assert not (tmp_path / "was_run").exists()


def test_errors_below_zero_and_mixed_rows_are_refused(saved):
    assert "below zero" in refused(packed(saved | {"stderr": -1 - saved["stderr"]}))
    mixed = saved["row_numbers"][::-1]
    assert "numbered" in refused(packed(saved | {"row_numbers": mixed}))


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"ids": ["1"]}, "labels"),
        ({"ids": "abc"}, "list of texts"),
        ({"labels": [1] * 12}, "list of texts"),
        ({"column_names": ["a", "a", "b"]}, "same name"),
        ({"column_names": []}, "0 columns"),
        ({"cells": [["1"] * 11] * 3}, "12 x 3"),
        ({"cells": None}, "12 x 3"),
        ({"n_test": -1}, "no count"),
        ({"n_test": "many"}, "no count"),
        ({"settings": []}, "settings"),
        ({"settings": {"method": "knn"}}, "settings"),
        ({"format": [2]}, "format"),
        ({"format": 99}, "another version"),
    ],
)
def test_what_a_file_says_of_itself_must_fit(saved, changed, words):
    assert words in refused(packed(saved | {"about": about(saved, **changed)}))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_draws", "many"),
        ("weight", float("inf")),
        ("random_state", [1]),
        ("test_name", 5),
        ("design", "guess"),
    ],
)
def test_settings_are_of_their_kind(saved, name, value):
    settings = json.loads(saved["about"].tobytes())["settings"] | {name: value}
    raw = packed(saved | {"about": about(saved, settings=settings)})
    assert "settings" in refused(raw)


def test_a_header_that_is_no_json_is_refused(saved):
    for text in (b"{", b"[" * 100_000, b"\xff", b"5", b""):
        header = np.frombuffer(text, np.uint8)
        refused(packed(saved | {"about": header}))


def test_strange_names_are_refused(saved):
    for name in ("evil", "state_../x", "state_X1"):
        assert "none of them" in refused(packed(saved | {name: np.zeros(1)}))
    many = {f"state_{'a' * k}": np.zeros(1) for k in range(1, 41)}
    many |= {f"state_{'b' * k}": np.zeros(1) for k in range(1, 41)}
    assert "arrays" in refused(packed(saved | many))


def peak_of(raw):
    tracemalloc.start()
    try:
        refused(raw)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", ["values", "state_sums_rows", "state_sums_cells"])
def test_a_small_file_does_not_unpack_to_a_large_one(saved, name):
    """Zeros of 64 MB pack to 64 kB."""
    large = np.zeros((2**13, 2**10))
    raw = packed(saved | {name: large})
    assert len(raw) < 1e6
    assert peak_of(raw) < 8e6


def test_lists_of_a_small_file_do_not_unfold_to_gigabytes(saved, monkeypatch):
    """Three bytes each take 80 when they are read."""
    monkeypatch.setenv("CELLVAL_MAX_UNPACKED_MB", "8")
    raw = packed(saved | {"about": about(saved, x=[[]] * 200_000)})
    assert len(raw) < 1e5
    assert peak_of(raw) < 4e6


def test_what_unpacks_beyond_the_limit_is_refused_unread(saved, monkeypatch):
    monkeypatch.setenv("CELLVAL_MAX_UNPACKED_MB", "1")
    raw = packed(saved | {"state_a": np.zeros(2**20)})
    message = refused(raw)
    assert "8 MB when they are unpacked" in message
    assert "CELLVAL_MAX_UNPACKED_MB" in message


def test_a_state_that_is_too_long_is_refused(saved):
    for array in (
        np.zeros(2**17),
        np.zeros((3, 13)),
        np.zeros((2, 4, 12)),
        np.zeros((1, 1, 3, 12)),
    ):
        assert "does not fit" in refused(packed(saved | {"state_a": array}))


def test_damaged_archives_are_refused_wherever_they_are_cut_or_changed(saved):
    raw = packed(saved)
    rng = np.random.default_rng(0)
    for end in rng.integers(0, len(raw), 20):
        refused(raw[:end])
    for _ in range(60):
        broken = bytearray(raw)
        at = int(rng.integers(0, len(raw)))
        broken[at : at + 4] = rng.bytes(len(broken[at : at + 4]))
        try:
            cellval.load(io.BytesIO(bytes(broken)))  # a date of the archive: harmless
        except cellval.InputError as error:
            assert str(error).endswith(".")


def test_an_array_that_lies_about_its_length_is_refused(saved):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, array in saved.items():
            one = io.BytesIO()
            np.save(one, array)
            extra = b"\0" * 8 * (name == "values")
            archive.writestr(f"{name}.npy", one.getvalue() + extra)
    assert "longer or shorter" in refused(file.getvalue())


def written(array, version=None):
    """An archive with the array alone."""
    file, one = io.BytesIO(), io.BytesIO()
    np.lib.format.write_array(one, array, version)
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("x.npy", one.getvalue())
    return zipfile.ZipFile(file)


def read(archive):
    return read_array(archive, archive.getinfo("x.npy"), "x", lambda shape, dtype: None)


SHAPES = array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)
KINDS = st.sampled_from(["<f8", ">f8", "<f4", "<i8", ">u2", "|u1", "|b1"])


@given(
    array=arrays(KINDS, SHAPES),
    in_fortran=st.booleans(),
    version=st.sampled_from([(1, 0), (2, 0), None]),
)
def test_arrays_are_read_as_numpy_wrote_them(array, in_fortran, version):
    array = np.array(array, order="F" if in_fortran else "C")
    found = read(written(array, version))
    assert found.dtype == array.dtype.newbyteorder("=") and found.flags.c_contiguous
    assert found.flags.writeable
    np.testing.assert_array_equal(found, array)


@pytest.mark.parametrize(
    "start",
    [
        "{'descr': '<f8', 'fortran_order': False, 'shape': (__import__('os'),), }",
        "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }",
        "{'descr': 'f8,(2)f8', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }",
        "{'descr': '<f8', 'fortran_order': False, }",
        "{" * 9999,
    ],
)
def test_what_an_array_says_about_itself_is_not_evaluated(start):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        said = b"\x93NUMPY\x01\x00" + len(start).to_bytes(2, "little")
        archive.writestr("x.npy", said + start.encode() + bytes(8))
    with pytest.raises(Unfit, match="what 'x' says about itself cannot be read"):
        read(zipfile.ZipFile(file))


def test_values_are_loaded_without_a_parser_of_python(saved, monkeypatch):
    """Beside one, a page that another person opens just then fails, in Python 3.11."""
    raw = packed(saved)
    with monkeypatch.context() as without:
        without.setattr(ast, "parse", None)
        without.setattr(ast, "literal_eval", None)
        assert cellval.load(io.BytesIO(raw)).values.shape == (12, 3)


@pytest.mark.parametrize("name", ["ids", "labels", "column_names"])
def test_texts_that_no_file_can_hold_are_refused(saved, name):
    texts = json.loads(saved["about"].tobytes())[name]
    half = about(saved, **{name: ["\ud800", *texts[1:]]})
    assert "no list of texts" in refused(packed(saved | {"about": half}))


@pytest.mark.parametrize("number", [1e308, -1e308, float("inf"), float("nan")])
def test_settings_that_are_no_numbers_of_values_are_refused(saved, number):
    settings = json.loads(saved["about"].tobytes())["settings"] | {"middle": number}
    odd = about(saved, settings=settings)
    assert "settings 'middle' is no number" in refused(packed(saved | {"about": odd}))
