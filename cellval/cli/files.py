"""What all commands share: tables in, values on the way, files out."""

import argparse
import math
import os
import sys
import time
import timeit
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from cellval.cli import signals
from cellval.cluster import connection
from cellval.errors import InputError
from cellval.progress import Snapshot, shown
from cellval.project.project import Project
from cellval.project.shelf import open_project
from cellval.project.source import Source
from cellval.table.decoding import bytes_of
from cellval.table.labels import GUESS
from cellval.table.table import Table, read
from cellval.text import cut, harmless, spoken_time
from cellval.valuation import iter_values
from cellval.values.options import RunOptions
from cellval.values.result import CellValues, load
from cellval.whole_files import write_whole

Result = TypeVar("Result")
LONGEST = 1000  # characters of a line

# Seconds for each cell that cannot be cut short, about: numbers instead of texts and
# the first values; files with values (on two cores; see benchmarks/budgets_cli.py).
VALUING, WRITING = 0.9e-6, 2.0e-6
LOOP = 0.0015  # seconds of `_loop` where these were measured
SLACK = 1.25  # times --seconds may that take: half as much again if estimates are off
FEW_SECONDS = 5  # are taken, however few were asked for, or after a signal to stop


def read_table(options: argparse.Namespace, project: Project | None = None) -> Table:
    """The table of a file, or of a project: with its repairs."""
    if project is not None:
        table = project.table
    else:
        table = read(options.csv, **_how(options), max_columns=options.max_columns)
    for note in table.notes:
        print(harmless(f"note: {note}", LONGEST), file=sys.stderr)
    return table


def project_of(options: argparse.Namespace) -> Project | None:
    """The project that is named, which is made of the file where there is none."""
    if options.project is not None:
        if getattr(options, "continue_from", None):
            raise InputError(
                "A project goes on by itself where it was stopped. Leave --continue "
                "out, or --project."
            )
        project = open_project(options.project, options.csv, **_how(options))
        for words in project.aside:
            print(harmless(f"note: {words}", LONGEST), file=sys.stderr)
        return project
    if options.csv is None:
        raise InputError("Name a file with a table, or a project (--project NAME).")
    return None


def _how(options: argparse.Namespace) -> dict[str, Any]:
    """How the file is read."""
    return {
        "label": None if options.no_label else options.label or GUESS,
        "id_column": options.id_column,
        "exclude": tuple(options.exclude),
        "kinds": _kinds(options.kind),
        "sheet": options.sheet,
        "header_row": options.header_row,
    }


def _kinds(pairs: Sequence[str]) -> dict[str, str]:
    kinds = {}
    for pair in pairs:
        column, sign, kind = pair.rpartition("=")
        if not sign:
            raise InputError(
                f"--kind {pair} is not understood. Write the column, = and its kind, "
                "such as --kind zip=category."
            )
        kinds[column] = kind
    return kinds


def where_of(options: argparse.Namespace) -> dict[str, Any]:
    """Where it is computed: on threads here, or on a cluster."""
    executor = connection(options.dask) if options.dask else None
    return {"n_jobs": options.jobs, "executor": executor}


def find_values(
    options: argparse.Namespace,
    table: Table,
    deadline: "Deadline",
    share: float = 1.0,
    project: Project | None = None,
) -> tuple[CellValues, bool]:
    """Run until done, or until somebody asks to stop, which keeps what there is."""
    chosen = _chosen(options, table)
    if project is not None and isinstance(chosen.get("test"), Table):
        raw, name = bytes_of(options.test)
        project.test_source = Source.of(name, raw)
    where = where_of(options)
    if project is not None:
        steps = project.iter_values(**where, **chosen)
        return last_of(steps, deadline=deadline, share=share)
    earlier = getattr(options, "continue_from", None)  # `explain` has none
    where["continue_from"] = load(earlier) if earlier else None
    steps = iter_values(table, **chosen, **where)
    return last_of(steps, deadline=deadline, share=share)


def run_options(options: argparse.Namespace, table: Table) -> RunOptions:
    """What was asked for, checked."""
    return RunOptions(**_chosen(options, table))


def _chosen(options: argparse.Namespace, table: Table) -> dict[str, Any]:
    """The options of a run that were given."""
    given = {
        option.name: getattr(options, option.name) for option in fields(RunOptions)
    }
    chosen: dict[str, Any] = {k: v for k, v in given.items() if v is not None}
    if "subsets" in chosen:
        with suppress(ValueError):
            chosen["subsets"] = int(chosen["subsets"])
    if "test" in chosen:
        chosen["test"] = _test(options, table)
    return chosen


def _test(options: argparse.Namespace, table: Table) -> Table | float:
    try:
        return float(options.test)
    except ValueError:
        test = read(options.test, like=table, max_columns=options.max_columns)
    for note in test.notes:
        print(harmless(f"note on the test table: {note}", LONGEST), file=sys.stderr)
    return test


class Deadline:
    """How long --seconds lets commands work on a table that was read.

    They share it, and leave some of it for what comes last. Code that is compiled (the
    first time on a machine) is not counted. `before` and `after` are the seconds that
    cannot be cut short, about, up to the first values and behind the last of what can
    be, where constants were measured: InputError if they alone are far too many here.
    """

    def __init__(
        self, options: argparse.Namespace, table: Table, before: float, after: float
    ) -> None:
        self.seconds = options.budget or math.inf
        self._began = time.monotonic()
        slower = times_slower()
        self._after, least = slower * after, slower * (before + after)
        if least > max(FEW_SECONDS, SLACK * self.seconds):
            raise InputError(
                f"--seconds {self.seconds:g} is too short for {table.cells.size:,} "
                f"cells: what cannot be cut short takes about {spoken_time(least)}. "
                f"Allow --seconds {math.ceil(least)} or more, or keep fewer rows or "
                "columns."
            )

    def is_over(self, share: float) -> bool:
        """Is this share of the time over?"""
        worked = time.monotonic() - self._began
        return worked >= share * (self.seconds - self._after)

    def later(self, seconds: float) -> None:
        self._began += seconds

    def stop(self) -> None:
        """A person waits for the end: what follows is done in a few seconds."""
        now = time.monotonic()
        left = self._began + self.seconds - now
        self._began, self.seconds = now, min(left, FEW_SECONDS + self._after)


@cache
def times_slower() -> float:
    """How many times as long as where constants were measured work takes here, at least
    once; the quickest of some tries, for other programs may be at work.
    """
    return max(1.0, min(timeit.repeat(_loop, number=1, repeat=9)) / LOOP)


def _loop() -> int:
    return sum(len(f"{k / 7:.4f}") for k in range(4_000))


def needed(options: argparse.Namespace, option: str, seconds: float) -> float:
    """Seconds of an option; InputError if it alone takes half of the time."""
    if options.budget and seconds > options.budget / 2:
        raise InputError(
            f"{option} would take about {spoken_time(seconds)} by itself, which is too "
            f"long for --seconds {options.budget:g}. Allow more --seconds, or leave "
            f"{option} out."
        )
    return seconds


def n_valued(table: Table) -> int:
    """Cells that may have a value."""
    return table.n_rows * len(table.features)


def last_of(
    snapshots: Iterator[Snapshot[Result]],
    what: str = "",
    deadline: Deadline | None = None,
    share: float = 1.0,
) -> tuple[Result, bool]:
    """The last result, and whether a signal came before the end and it is kept.

    From here on nothing is interrupted: somebody will write the result.
    """
    last: Snapshot[Result] | None = None

    def known() -> Iterator[Snapshot[Result]]:
        nonlocal last
        for last in snapshots:  # noqa: UP028 - known before it is told of
            yield last

    steps: Any = shown(known(), what=what)
    stopped = False
    try:
        signals.heed()
        before = None
        for step in steps:
            now = time.monotonic()
            if deadline is not None and before is not None:  # that was preparing
                deadline.later(now - before - step.seconds)
            before = now if step.preparing else None
            if step.has_result and deadline is not None and deadline.is_over(share):
                break
    except KeyboardInterrupt:
        stopped = True
        steps.close()
        if last is None or not last.has_result:
            raise
        if deadline is not None:
            deadline.stop()
        signals.say("\nstopped; keeping what there is")
    finally:
        signals.hold()
        steps.close()
        _close(snapshots)
    assert last is not None
    return last.result, stopped


def _close(snapshots: Any) -> None:
    """An iterator that was begun; a list has no end to come to."""
    if hasattr(snapshots, "close"):
        snapshots.close()


def how_to_go_on(options: argparse.Namespace, values: CellValues, file: Path) -> str:
    """What to type after values were stopped and kept in a file."""
    if values.state:
        again = signals.going_on(options.words, "--continue", file)
        return f"To go on from here:\n  {again}"
    return (
        f"{values.settings.method} cannot go on from a part. To start again:\n"
        f"  {signals.command(options.words)}"
    )


class Kept(KeyboardInterrupt):
    """Stopped, with something kept; says what, and how to go on."""


def check_outputs(outputs: Mapping[str, Path], sources: Sequence[str | None]) -> None:
    """What is read must not be replaced, and the folders must be there."""
    for option, path in outputs.items():
        why = ""
        for source in filter(None, sources):
            with suppress(OSError):  # there is no such file yet
                if path.samefile(source):
                    why = f"that would replace {source}, which is read"
        if not os.path.isdir(path.parent):
            why = f"there is no folder {path.parent}"
        elif os.path.isdir(path):
            why = "it is a folder, not a file"
        if why:
            raise InputError(f"Cannot write to {path}: {why}. Choose another {option}.")
    paths = {os.path.realpath(path) for path in outputs.values()}
    if len(paths) < len(outputs):
        names = list(outputs)
        raise InputError(
            f"{' and '.join(names)} are both {outputs[names[0]]}. Choose another "
            f"{names[-1]}."
        )


def write(option: str, path: Path, content: bytes) -> None:
    try:
        write_whole(path, content)
    except OSError as error:
        raise unwritable(path, error, option) from error


def make_folder(options: argparse.Namespace) -> Path:
    """The folder for results, made before the work: what cannot be is told at once."""
    folder = Path(options.out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(folder, error) from error
    return folder


def unwritable(path: Path, error: OSError, option: str = "--out") -> InputError:
    return InputError(
        f"Cannot write to {path}: {error.strerror}. Choose another {option}."
    )


def printable(text: object, width: int = 24) -> str:
    """A cell on a terminal: no control characters, cut to a width."""
    return cut(harmless(text), width)
