"""Files of projects: set aside, measured, tidied."""

import os
import time

from cellval.project.files import A_DAY, set_aside, size_of, tidy


def test_what_is_set_aside_gets_a_name_of_its_own(tmp_path):
    names = []
    for text in ("one", "two", "three"):
        (tmp_path / "a.npz").write_text(text)
        names.append(set_aside(tmp_path / "a.npz").name)
    assert names == ["a.npz.damaged", "a.npz.damaged2", "a.npz.damaged3"]
    assert (tmp_path / names[0]).read_text() == "one"
    assert size_of(tmp_path) == len("onetwothree")


def test_only_old_halves_of_files_are_removed(tmp_path):
    folder = tmp_path / "runs"
    folder.mkdir()
    for name, age in ((".cellval-1-a.part", 2 * A_DAY), (".cellval-2-b.part", 0)):
        (folder / name).write_text("x")
        os.utime(folder / name, (time.time() - age, time.time() - age))
    (folder / "a.npz").write_text("x")
    tidy(tmp_path)
    assert {path.name for path in folder.iterdir()} == {".cellval-2-b.part", "a.npz"}
