"""Several people on one server at once: the short form of `tests.hostile.crowd`."""

import subprocess
import sys

from cases import ROOT


def test_people_on_one_server_get_what_they_asked_for_and_keep_it():
    words = [sys.executable, "-m", "tests.hostile.crowd", "5", "2"]
    how = {"capture_output": True, "text": True, "check": False}
    walk = subprocess.run(words, cwd=ROOT, **how)
    assert walk.returncode == 0, f"{walk.stdout[-40_000:]}\n{walk.stderr[-4000:]}"
    assert walk.stdout.count(" decided") == 2
    for act in ("decide", "look", "reload", "value_another"):
        assert walk.stdout.count(f"'{act}'") == 2
