"""Pages of results/ that benchmarks write: what they print, the command, day, machine.

    with printed("speed", "engine exact"):
        print(...)

prints as ever. With --write on the command line it also takes the place of that section
in results/speed.md.
"""

import io
import platform
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from datetime import date
from pathlib import Path
from typing import NamedTuple, TextIO

import cellval
from cellval.parallel import n_cores

RESULTS = Path(__file__).parents[1] / "results"


class Page(NamedTuple):
    """A page of results: what stands above its sections, and their order."""

    title: str
    says: str
    sections: tuple[str, ...]  # each the words after "python -m benchmarks."


PAGES = {
    "speed": Page(
        "Speed",
        "The engine on one core, whole runs on Adult, and the search for surprising "
        "cells. 1,000 permutations of plain numpy are a thousand times one of them.",
        (
            "engine exact",
            "engine kernel",
            "engine rows",
            "engine scaling",
            "engine start",
            "adult_passes",
            "surprise",
            "budgets_cli",
        ),
    ),
    "scale": Page(
        "Scale",
        "Large tables: a GPU beside the processor, what runs take from 10 thousand to "
        "100 million rows, and whether standard errors of few test points hold.",
        ("gpu", "scale", "errors"),
    ),
    "million": Page(
        "A million rows",
        "Reading, the first map, and what the pages make of it; ! is beyond 2 s or 2 "
        "MB, or 0.5 s for a click.",
        ("million",),
    ),
    "dask": Page(
        "Clusters",
        "A Dask cluster of one or two workers on one computer beside threads: the "
        "same bits, and what it costs to get them from there.",
        ("dask",),
    ),
    "games": Page(
        "Other models",
        "2D-Shapley-MC beside plain scikit-learn scripts, 2D-OOB, and blocks.",
        ("games mc", "games workers", "games oob", "blocks"),
    ),
    "questions": Page(
        "Errors that others made",
        "Dirty tables of third parties with the truth: what is flagged before a person "
        "has answered anything, and after a reviewer who knows the truth answered the "
        "first questions of the list.",
        ("questions",),
    ),
    "numbers": Page(
        "Labels that are numbers",
        "Errors found with a label of numbers beside three classes of it, how far "
        "closeness agrees with negative squared error, and what it costs.",
        ("numbers detection", "numbers yardstick", "numbers speed"),
    ),
    "estimates": Page(
        "Times foretold",
        "What the app says before and during a run, beside what it takes. Within a "
        "factor of two is meant; what is not has a !.",
        ("estimates",),
    ),
    "app": Page(
        "Waiting in the app",
        "In a real browser: seconds, and bytes sent to the page; and 200 clicks of all "
        "kinds, while a run goes on and after it was stopped.",
        ("app", "clicks"),
    ),
    "tutorial": Page(
        "The tutorial",
        "A sample with real errors, repaired: what three models say of it, on rows in "
        "which nothing was changed.",
        ("tutorial",),
    ),
    "reading": Page(
        "Reading files",
        "Each file is read in a process of its own; memory is the peak beyond what the "
        "imports take. cellval keeps every cell as the text that a person sees, and "
        "finds out what its columns are; pandas keeps numbers.",
        ("reading csv", "reading parquet", "reading workbook"),
    ),
    "detection": Page(
        "What is found",
        'Six kinds of error planted into 2 % of the cells, three seeds. "Value" is the '
        'cell\'s value within its class, "neighbour residual" a cell against the ten '
        "rows nearest in the other columns. Of the false alarms on Adult, most are the "
        "census' own 99,999 in `capital_gain`, which is not planted.",
        ("detection", "clean", "suggestions"),
    ),
}


class _Tee(io.StringIO):
    """Keeps what is printed, and prints it."""

    def __init__(self, screen: TextIO) -> None:
        super().__init__()
        self.screen = screen

    def write(self, text: str) -> int:
        self.screen.write(text)
        return super().write(text)

    def flush(self) -> None:
        self.screen.flush()


@contextmanager
def printed(page: str, section: str, folder: Path = RESULTS) -> Iterator[None]:
    """What is printed inside becomes a section of a page, if --write is asked for."""
    tee = _Tee(sys.stdout)
    with redirect_stdout(tee):
        yield
    if "--write" in sys.argv:
        how = command(section, sys.argv[1:])
        put(page, section, tee.getvalue(), f"{how}, {measured()}", folder)


def command(section: str, arguments: Sequence[str]) -> str:
    """How to make the section again; where tables lie is each person's own.

    Examples
    --------
    >>> command("engine exact", ["exact", "kernel", "--data", "/home/me", "--write"])
    '`python -m benchmarks.engine exact --data DIR --write`'
    """
    words = list(arguments)
    while words and not words[0].startswith("--"):
        words.pop(0)
    if "--data" in words:
        words[words.index("--data") + 1] = "DIR"
    return f"`python -m benchmarks.{' '.join([section, *words])}`"


def measured() -> str:
    """When, with what and where."""
    day = date.today().isoformat()
    return f"{day}, cellval {cellval.__version__}, {n_cores()} cores of {_processor()}"


def _processor() -> str:
    with suppress(OSError):
        listed = subprocess.run(["lscpu"], capture_output=True, text=True).stdout
        for line in listed.splitlines():
            if line.startswith("Model name:"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def put(page: str, section: str, text: str, says: str, folder: Path = RESULTS) -> None:
    """Write a section into its page; the others stay as they are."""
    path = folder / f"{page}.md"
    known = sections_of(path.read_text(encoding="utf-8")) if path.exists() else {}
    known[section] = f"{says}\n\n```text\n{text.strip(chr(10))}\n```"
    top = PAGES[page]
    names = [name for name in top.sections if name in known]
    commands = dict.fromkeys(name.split()[0] for name in names)
    written = ", ".join(f"`python -m benchmarks.{name} --write`" for name in commands)
    parts = [
        f"# {top.title}",
        f"Written by {written}; not by hand. Tables that are not in `sample_data/` are "
        "read from the folder `--data DIR`.",
        top.says,
        *(f"## {name}\n\n{known[name]}" for name in names),
    ]
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def sections_of(text: str) -> dict[str, str]:
    """By name, the sections of a page.

    Examples
    --------
    >>> sections_of("# Speed\\n\\n## engine rows\\n\\nfast\\n")
    {'engine rows': 'fast'}
    """
    parts = f"\n{text}".split("\n## ")[1:]
    split = (part.partition("\n") for part in parts)
    return {name.strip(): body.strip() for name, _, body in split}
