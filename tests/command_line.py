"""The command line, called in this process or in one of its own."""

import os
import subprocess
import sys

from cases import ROOT, SAMPLES

from cellval.cli.arguments import main


def cellval_process(*arguments, **options):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, "-m", "cellval", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        **options,
    )


def read_until(process, words):
    """Wait until a process says something; however slow the machine is."""
    seen = ""
    while words not in seen:
        more = process.stderr.read(1)
        assert more, f"it ended without {words!r}: {seen}"
        seen += more
    return seen


def on_davis(command, *arguments):
    davis = str(SAMPLES / "davis.csv")
    return main([command, davis, "--label", "sex", *map(str, arguments)])
