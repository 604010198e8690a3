"""The examples of docs/examples do what they say."""

import os
import subprocess
import sys

from cases import ROOT, SAMPLES

EXAMPLES = ROOT / "docs" / "examples"


def run(*command, folder, **env):
    return subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **env},
        capture_output=True,
        text=True,
    )


def test_a_clean_table_passes_and_a_dirty_one_says_what_is_wrong(tmp_path):
    test = ("-m", "pytest", "-q", "-p", "no:cacheprovider")
    command = (*test, str(EXAMPLES / "test_my_data.py"))
    done = run(*command, folder=tmp_path)
    assert done.returncode == 0 and "3 passed" in done.stdout, done.stdout
    done = run(*command, folder=tmp_path, MY_DATA=str(SAMPLES / "davis.csv"))
    assert done.returncode == 1
    assert "weight and height swapped in 1 row" in done.stdout
    assert "column 'alcohol'" in done.stdout  # a rule that cannot be checked


def test_repairs_in_a_pipeline_help_a_model_of_neighbours(tmp_path):
    done = run(str(EXAMPLES / "repair_in_pipeline.py"), folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "  z: 0 → (blank)" in done.stdout
    scores = [float(line.split()[-1]) for line in done.stdout.splitlines()[-2:]]
    assert scores[1] > scores[0] + 0.01, done.stdout
