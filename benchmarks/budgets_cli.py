"""Do commands end within --seconds, and how much memory do they take?

    python -m benchmarks.budgets_cli [--write]

Each command runs in a process of its own on a made-up table. What it takes is told
without the time to read the table, which is measured by itself, and holds if it is at
most 1.5 times what was asked for. A command that refuses, because so few seconds are
too few, is asked with those that it names.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.pages import printed

# Rows, columns
SIZES = ((2_000, 20), (20_000, 20), (20_000, 200), (200_000, 20), (1_000_000, 20))
SECONDS = 10  # asked for, or what a command says that it needs at least
COMMANDS = ("run", "suspects", "report")
READ = "import sys, cellval; cellval.read(sys.argv[1], label='y')"


def made_up(n_rows: int, n_columns: int, path: Path) -> None:
    """Random numbers, and a label that two of the columns say something about."""
    rng = np.random.default_rng(0)
    cells = rng.normal(size=(n_rows, n_columns)).round(4)
    frame = pd.DataFrame(cells, columns=[f"c{j}" for j in range(n_columns)])
    says = cells[:, 0] + cells[:, 1] + rng.normal(size=n_rows)
    frame["y"] = np.where(says > 0, "yes", "no")
    frame.to_csv(path, index=False)


class TooFew(Exception):
    """So many seconds are needed."""


def taken(command: list[str]) -> tuple[float, float, float]:
    """Seconds by the clock and of all cores, and the most memory in MB."""
    began = time.monotonic()
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            [sys.executable, *command], stdout=subprocess.DEVNULL, stderr=said
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        words = said.read().decode()
    if needed := re.search(r"Allow --seconds (\d+) or more", words):
        raise TooFew(int(needed[1]))
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}")
    cpu = used.ru_utime + used.ru_stime
    return time.monotonic() - began, cpu, used.ru_maxrss / 1024


def main() -> None:
    print(
        "rows x columns   command   asked  reading  after it  CPU in all  memory  holds"
    )
    with tempfile.TemporaryDirectory() as folder:
        path, out = Path(folder, "table.csv"), Path(folder, "out")
        made_up(200, 20, path)
        for command in COMMANDS:  # compiled before the clock starts
            taken(_words(command, path, out, 1))
        for n_rows, n_columns in SIZES:
            made_up(n_rows, n_columns, path)
            reading, *_ = taken(["-c", READ, str(path)])
            for command in COMMANDS:
                asked = SECONDS
                try:
                    wall, cpu, memory = taken(_words(command, path, out, asked))
                except TooFew as refused:
                    (asked,) = refused.args
                    wall, cpu, memory = taken(_words(command, path, out, asked))
                after = wall - reading
                holds = "yes" if after <= 1.5 * asked else "no !"
                print(
                    f"{n_rows:>9,} x {n_columns:<3} {command:>8} {asked:5} s "
                    f"{reading:6.1f} s {after:7.1f} s {cpu:9.1f} s {memory:5,.0f} MB  "
                    f"{holds}",
                    flush=True,
                )


def _words(command: str, path: Path, out: Path, seconds: int) -> list[str]:
    words = ["-m", "cellval", command, str(path), "--label", "y"]
    return [*words, "--seconds", str(seconds), "--out", f"{out}_{command}"]


if __name__ == "__main__":
    with printed("speed", "budgets_cli"):
        main()
