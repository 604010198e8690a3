"""How functions are compiled, and where that is kept."""

import ast
import importlib.util
import os
import re
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numba
import numpy as np
import pytest
from cases import ROOT, random_table

import cellval
from cellval import compiled
from cellval.knn.cell_values import permutations

SOURCES = Path(cellval.__file__).parent


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of its own with one file of kernels, and its user's cache."""
    monkeypatch.setattr(compiled, "__file__", str(tmp_path / "package" / "compiled.py"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "package"
    (folder / "room").mkdir(parents=True)
    (folder / "room" / "kernels.py").write_text("from x import kernel\n")
    (folder / "words.py").write_text("A = 1\n")
    return folder


def test_the_folder_is_named_after_every_file_with_kernels(package):
    first = compiled._folder()
    assert first.parent == package / "__pycache__" and first.is_dir()
    assert re.fullmatch(r"kernels-[0-9a-f]{16}", first.name)
    (package / "words.py").write_text("A = 2\n")
    assert compiled._folder() == first
    (package / "room" / "kernels.py").write_text("from x import kernel\nB = 1\n")
    second = compiled._folder()
    (package / "room" / "more.py").write_text("from x import kernel\n")
    assert len({first, second, compiled._folder()}) == 3


def test_every_file_that_compiles_does_it_by_kernel():
    for path in SOURCES.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        uses = re.search(r"^@(partial\()?kernel|^\s*@numba|^@njit", text, re.M)
        if uses and path.name != "compiled.py":
            assert "import kernel" in text, path
        imports_numba = re.search(r"^\s*(import|from) numba", text, re.M)
        assert not imports_numba or path.name == "compiled.py", path


def test_folders_of_other_sources_go_after_a_month(package):
    cache = package / "__pycache__"
    for name, days in (("kernels-old", 31), ("kernels-recent", 29), ("other", 99)):
        (cache / name).mkdir(parents=True)
        then = time.time() - days * 86400
        os.utime(cache / name, (then, then))
    own = compiled._folder()
    assert sorted(p.name for p in cache.iterdir()) == sorted(
        [own.name, "kernels-recent", "other"]
    )


def test_of_folders_that_are_not_used_the_latest_stay(tmp_path):
    for days in range(20):
        folder = tmp_path / f"kernels-{days}"
        folder.mkdir()
        then = time.time() - days * 86400 - 60
        os.utime(folder, (then, then))
    compiled.remove_old(tmp_path, "kernels-19")
    left = {int(path.name.rpartition("-")[2]) for path in tmp_path.iterdir()}
    assert left == {*range(compiled.KEPT_FOLDERS), 19}


def test_the_user_s_cache_serves_where_sources_cannot_be_written(package, tmp_path):
    (package / "__pycache__").write_text("in the way")
    assert compiled._folder().parent == tmp_path / "cache" / "cellval"
    (tmp_path / "cache" / "cellval").rename(tmp_path / "elsewhere")
    (tmp_path / "cache" / "cellval").write_text("in the way, too")
    assert compiled._folder() is None


HOMELESS = """
import pwd

def unknown(uid):
    raise KeyError(uid)

pwd.getpwuid = unknown
from cellval import compiled
from cellval.project.shelf import Shelf
print(Shelf().why_not())
"""


def test_a_user_without_a_home_can_import_it():
    homes = ("HOME", "CELLVAL_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME")
    env = {name: said for name, said in os.environ.items() if name not in homes}
    how = {"cwd": ROOT, "env": env, "capture_output": True, "text": True}
    done = subprocess.run([sys.executable, "-c", HOMELESS], check=False, **how)
    assert done.returncode == 0, done.stderr
    assert "There is no home folder" in done.stdout


def test_without_a_home_and_beside_closed_sources_nothing_is_kept(package, monkeypatch):
    def nowhere():
        raise RuntimeError

    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", nowhere)
    (package / "__pycache__").write_text("in the way")
    assert compiled._folder() is None


def test_compiling_leaves_numba_s_own_settings_alone(monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", "/somewhere/else")

    @compiled.kernel
    def divided(a, b):
        return a / b

    assert numba.config.CACHE_DIR == "/somewhere/else"
    with np.errstate(divide="ignore"):
        assert divided(np.float64(1), np.float64(0)) == np.inf  # as numpy divides


def test_every_kernel_is_compiled_once():
    table = random_table(67, 30, ["number"] * 6, levels=9)
    before = len(permutations.signatures)
    cellval.value_cells(table, subsets=12)
    cellval.value_cells(table, subsets=24)
    assert len(permutations.signatures) <= max(before, 1)


def outside_of_kernels(node):
    """All nodes below that are not in a kernel, or in what compiled code chooses."""
    for below in ast.iter_child_nodes(node):
        marks = " ".join(map(ast.unparse, getattr(below, "decorator_list", ())))
        if "kernel" not in marks and "overload" not in marks:
            yield below
            yield from outside_of_kernels(below)


def test_python_calls_no_part_of_a_kernel():
    """It would crash."""
    parts = {}
    for path in SOURCES.rglob("*.py"):
        module = f"cellval.{'.'.join(path.relative_to(SOURCES).with_suffix('').parts)}"
        found = re.findall(r"^@kernel_part\ndef (\w+)", path.read_text("utf-8"), re.M)
        parts[module] = set(found)
    assert sum(map(len, parts.values())) > 40
    rooms = "cellval", "tests", "benchmarks"
    for path in (path for room in rooms for path in (ROOT / room).rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        own = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        known = set(parts.get(own, ()))  # parts, as they are called here
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                for one in node.names:
                    here = one.asname or one.name
                    if one.name in parts.get(node.module, ()):
                        known.add(here)
                    inside = parts.get(f"{node.module}.{one.name}", ())
                    known |= {f"{here}.{name}" for name in inside}
        uses = {
            ast.unparse(node)
            for node in outside_of_kernels(tree)
            if isinstance(node, ast.Name | ast.Attribute)
        }
        assert not uses & known, path


# Damage


@pytest.fixture
def twice(tmp_path, monkeypatch):
    """Makes anew a kernel that doubles, as a new process would; its cache is here."""
    monkeypatch.setattr(compiled, "FOLDER", tmp_path / "cache")
    path = tmp_path / "twice.py"
    path.write_text("def twice(x):\n    return x + x\n")

    def make():
        spec = importlib.util.spec_from_file_location("twice", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return compiled.kernel(module.twice)

    return make


def loaded(twice):
    """Is it taken from the cache? It must work anyway."""
    function = twice()
    assert function(21.0) == 42.0
    return bool(function.stats.cache_hits)


def files(tmp_path):
    return sorted(path for path in (tmp_path / "cache").rglob("*.nb*"))


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize(
    "damage",
    [
        lambda raw: b"",
        lambda raw: raw[:7],
        lambda raw: raw[: len(raw) // 2],
        lambda raw: raw[:-1],
        lambda raw: np.random.default_rng(0).bytes(len(raw)),
        lambda raw: np.random.default_rng(1).bytes(100),
        lambda raw: raw[: len(raw) // 2] + b"\xff" + raw[len(raw) // 2 + 1 :],
        lambda raw: raw + b"more",
    ],
)
def test_a_damaged_file_of_the_cache_is_written_anew(twice, tmp_path, which, damage):
    assert not loaded(twice)
    assert loaded(twice)
    assert [path.suffix for path in files(tmp_path)] == [".nbc", ".nbi"]
    path = files(tmp_path)[which]
    path.write_bytes(damage(path.read_bytes()))
    assert not loaded(twice)
    assert loaded(twice)


def test_what_need_not_be_compiled_is_known(twice, tmp_path):
    function = twice()
    assert not compiled.is_compiled(function, 21.0)
    function(21.0)
    assert compiled.is_compiled(function, 21.0)
    assert not compiled.is_compiled(function, 21)  # another type
    again = twice()
    assert compiled.is_compiled(again, 21.0)  # there is a file
    assert not again.overloads  # which nobody has loaded
    files(tmp_path)[1].write_bytes(b"damaged")
    assert not compiled.is_compiled(twice(), 21.0)
    shutil.rmtree(tmp_path / "cache")
    (tmp_path / "cache").write_text("in the way")
    assert not compiled.is_compiled(twice(), 21.0)
    assert compiled.is_compiled(function, 21.0)
    assert compiled.is_compiled(function.py_func, 21.0)  # Python as it is


LOADED = """
import sys
import numba, numpy as np, pandas as pd
import cellval
frame = {"x": [1.0, 2.0, 4.0, 4.5] * 3, "y": ["a", "b", "b", "a"] * 3}
cellval.value_cells(pd.DataFrame(frame), n_neighbors=1)
assert "numba.np.linalg" not in sys.modules, "kernels were compiled"
squared = numba.njit(lambda x: np.dot(x, x) + len([1.0]))
assert squared(np.arange(3.0)) == 6
"""


def test_kernels_are_loaded_without_what_compiles_others():
    """Which is there as soon as something is compiled, also by others."""
    cellval.value_cells(random_table(68, 9, ["number"]), n_neighbors=1)
    run = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


def test_a_file_of_the_cache_that_is_missing_is_written_anew(twice, tmp_path):
    for which in (0, 1):
        loaded(twice)
        files(tmp_path)[which].unlink()
        assert not loaded(twice)
        assert loaded(twice)
    shutil.rmtree(tmp_path / "cache")
    assert not loaded(twice)
    assert loaded(twice)


def test_where_nothing_can_be_written_kernels_are_compiled_each_time(twice, tmp_path):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    function = twice()
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))  # every write fails
    try:
        assert function(21.0) == 42.0
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert not any(path.stat().st_size for path in files(tmp_path))
    assert not loaded(twice)
    assert loaded(twice)


def test_where_the_cache_is_no_folder_kernels_are_compiled_each_time(twice, tmp_path):
    (tmp_path / "cache").write_text("in the way")
    assert not loaded(twice)
    assert not loaded(twice)


def test_a_folder_that_vanishes_is_no_matter(twice, tmp_path):
    function = twice()
    shutil.rmtree(tmp_path / "cache")
    (tmp_path / "cache").write_text("in the way")
    assert function(21.0) == 42.0
