"""Values of a run on disk: damaged files are set aside."""

import ast
import json
from pathlib import Path

import numpy as np
import pytest

from cellval.errors import InputError
from cellval.project.source import Setup

DAVIS = Path(__file__).parents[2] / "sample_data" / "davis.csv"
SETUP = Setup(label="sex")


@pytest.mark.parametrize("damage", ["empty", "cut", "random", "other table", "packed"])
def test_damaged_values_are_set_aside_and_the_rest_stays(project, damage, again):
    project.value(n_neighbors=3)
    project.work.decide(12, "weight", "error")
    (path,) = (project.folder / "runs").glob("*.npz")
    raw = path.read_bytes()
    if damage == "empty":
        path.write_bytes(b"")
    elif damage == "cut":
        path.write_bytes(raw[: len(raw) // 2])
    elif damage == "random":
        half = len(raw) // 2
        path.write_bytes(raw[:half] + bytes(100) + raw[half + 100 :])
    elif damage == "other table":
        project.setup = Setup(label="sex", exclude=("height",))
        project.value(n_neighbors=3)
        (other,) = set((project.folder / "runs").glob("*.npz")) - {path}
        path.write_bytes(other.read_bytes())
        other.unlink()
    else:
        with np.load(path) as file, path.with_suffix(".new").open("wb") as new:
            np.savez_compressed(new, **file)
        path.with_suffix(".new").replace(path)
    found = again(project)
    run = found.runs[0]
    assert found.values_of(run, found.table_of(run)) is None
    assert "set aside" in found.aside[0]
    assert not path.exists()
    assert path.with_name(f"{path.name}.damaged").exists()
    assert found.work.decisions == {(12, "weight"): "error"}


def changed_arrays(path, **new):
    with np.load(path) as file:
        arrays = {**file, **new}
    with path.open("wb") as out:
        np.savez(out, **arrays)


def said_of(path, **settings):
    with np.load(path) as file:
        told = json.loads(file["about"].tobytes())
    told["settings"] |= settings
    changed_arrays(path, about=np.frombuffer(json.dumps(told).encode(), np.uint8))


def flagged(path, place, bit):
    """The zip with another bit in the header of each entry of its directory."""
    raw = bytearray(path.read_bytes())
    at = raw.find(b"PK\x01\x02")
    while at >= 0:
        raw[at + place] |= bit
        at = raw.find(b"PK\x01\x02", at + 1)
    path.write_bytes(bytes(raw))


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: changed_arrays(path, values=np.full((200, 4), "x")),
        lambda path: changed_arrays(path, about=np.frombuffer(b"[]", np.uint8)),
        lambda path: changed_arrays(path, values=np.full((200, 4), 1e308)),
        lambda path: changed_arrays(path, stderr=np.full((200, 4), -1.0)),
        lambda path: changed_arrays(path, row_values=np.full(200, np.inf)),
        lambda path: said_of(path, test="table", test_name="x"),
        lambda path: said_of(path, method="loo"),
        lambda path: flagged(path, 8, 1),  # encrypted
        lambda path: flagged(path, 6, 99),  # needs another version
    ],
)
def test_values_that_somebody_made_up_are_set_aside(project, damage, again):
    project.value(n_neighbors=3)
    (path,) = (project.folder / "runs").glob("*.npz")
    damage(path)
    found = again(project)
    assert found.values is None
    assert "set aside" in found.aside[0]


@pytest.mark.parametrize("fault", [PermissionError, MemoryError])
def test_values_that_cannot_be_read_now_stay(project, fault, again, monkeypatch):
    project.value(n_neighbors=3)
    (path,) = (project.folder / "runs").glob("*.npz")

    def fail(*_):
        raise fault

    monkeypatch.setattr("cellval.project.project.read_values", fail)
    with pytest.raises(InputError, match="left where they are"):
        again(project).values  # noqa: B018
    assert path.exists()


def test_values_are_read_without_a_parser_of_python(project, monkeypatch):
    """Beside one, a page that another person opens just then fails, in Python 3.11."""
    values = project.value(n_neighbors=3)
    (run,), table = project.runs, project.table
    with monkeypatch.context() as without:
        without.setattr(ast, "parse", None)
        without.setattr(ast, "literal_eval", None)
        found = project.values_of(run, table)
        assert project.is_whole(run)
    np.testing.assert_array_equal(found.values, values.values)
