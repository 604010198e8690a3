"""A run of a project: what was asked for, how far it is, and its checkpoints."""

import json
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from cellval.errors import InputError
from cellval.progress import Snapshot
from cellval.project.database import FAULTS, Damaged
from cellval.project.files import ID, named
from cellval.project.kept_work import finite, repair_of
from cellval.project.source import Setup
from cellval.repairs.repair import Repair, Repairs
from cellval.repairs.work import Cell, cell_of
from cellval.table.table import Table
from cellval.values.options import RunOptions
from cellval.values.result import CellValues
from cellval.values.settings import Settings

if TYPE_CHECKING:
    from cellval.project.project import Project

# Seconds of work between two checkpoints: as long as writing one takes, within these.
EVERY, AT_MOST = 5.0, 10.0
PATIENCE = 10.0  # seconds for another program that is about to end the same run
STATUSES = ("running", "done", "stopped", "failed")
ELSEWHERE = (
    "This run goes on in another program, such as the app or a notebook. Wait until it "
    "is over, or stop it there."
)

# The steps of a run, from what is known of it.
Steps = Callable[[CellValues | None], Iterator[Snapshot[CellValues]]]
Made = Generator[Snapshot[CellValues], None, None]


@dataclass(frozen=True)
class Run:
    """A valuation of a project: what was asked for, and how far it is."""

    id: str
    options: Mapping[str, Any]  # those that differ from the usual ones
    setup: Setup  # how the file was read
    changes: Repairs  # repairs of the table that was valued
    first: str = ""  # id of the run on the file as it was, if this one is on repairs
    status: str = (
        "running"  # also of one that was killed; later "done", "stopped", "failed"
    )
    done: float = 0.0  # share, 0 to 1
    seen: str = ""  # what was done, in words
    error: str = ""  # why it failed
    started: float = 0.0
    seconds: float = 0.0


class Keeper:
    """Makes the steps of a run from where it is, and puts them on disk now and then.

    From the first step to the last no other program makes steps of it. What is on disk
    when it begins counts, and not what was known before.
    """

    def __init__(self, project: "Project", run: Run, *, more: bool = False) -> None:
        self._project, self.run = project, run
        self._more = more  # is it to go on beyond its end?
        self._is_mine = self._is_over = False
        self._latest: Snapshot[CellValues] = Snapshot()
        self._kept_at = self._took = self._before = 0.0

    def steps(self, table: Table, make: Steps) -> Made:
        """As `make` makes them from what there is of the run, if anything.

        Before the first step an InputError leaves a run as it is that has values: while
        another program makes steps of it, if they cannot be read now, if it cannot be
        gone on from them here (`CannotGoOn`), or for what is wrong here.
        """
        with closing(self._made(table, make)) as steps:
            for step in steps:
                self._see(step)
                yield step

    def end(self, status: str, error: str = "") -> None:
        """The run is "done", "stopped" or "failed", unless it is over already."""
        if self._is_over:
            self._project.write_late(self.run)  # if that was broken off by a signal
            return
        self._is_over = True
        if not self._is_mine:
            self._end_unbegun(status, error)
            return
        if status == "done":
            self._latest = replace(self._latest, done=1.0)
        try:
            self._keep(status, error)
        finally:
            self._latest = Snapshot()  # its sums take much memory
            self._project.unlock(self.run)

    def _begin(self, table: Table) -> tuple[CellValues | None, bool]:
        """What there is of the run, and whether that is all of it."""
        end = time.monotonic() + PATIENCE  # one that was stopped may still be ending
        try:
            while not self._project.lock(self.run):
                if time.monotonic() > end:
                    raise InputError(ELSEWHERE)
                time.sleep(0.1)
            self._is_mine = True
            self.run = self._project.latest(self.run)
            known = self._project.known_of(self.run, table)
            is_whole = known is not None and self._project.is_whole(self.run)
        except BaseException:
            self._leave()
            raise
        self._kept_at, self._before = time.monotonic(), self.run.seconds
        return known, is_whole

    def _made(self, table: Table, make: Steps) -> Made:
        known, is_whole = self._begin(table)
        try:
            if known is not None and is_whole and not self._more:
                steps = self._whole(known)
            else:  # with values alone it begins anew
                steps = make(known if known is not None and known.state else None)
            first = next(steps)
        except BaseException:
            if known is not None:
                self._leave()
            raise
        del known  # its sums take much memory
        if self.run.status != "running":
            self.run = replace(self.run, status="running", error="")
            self._project.note_run(self.run)
        yield first
        yield from steps

    def _whole(self, values: CellValues) -> Iterator[Snapshot[CellValues]]:
        yield Snapshot(1.0, 0.0, 0.0, self.run.seen, make=lambda: values)

    def _see(self, snapshot: Snapshot[CellValues]) -> None:
        """It is over with its last value, whatever is still looked for in the values:
        or it would be gone on beyond that one.
        """
        self._latest = snapshot
        since = time.monotonic() - self._kept_at
        if snapshot.has_result and snapshot.done >= 1:
            self.end("done")
        elif snapshot.to_go_on and since >= min(max(EVERY, self._took), AT_MOST):
            self._keep("running")

    def _keep(self, status: str, error: str = "") -> None:
        began, step = time.monotonic(), self._latest
        make = step.to_go_on
        self.run = replace(
            self.run,
            status=status,
            done=step.done if make else self.run.done,
            seen=step.seen or self.run.seen,
            error=error,
            seconds=self._before + step.seconds,
        )
        self._project.note_run(self.run, make() if make else None)
        self._kept_at = time.monotonic()
        self._took = self._kept_at - began

    def _leave(self) -> None:
        """As it is."""
        self._is_over = True
        if self._is_mine:
            self._project.unlock(self.run)

    def _end_unbegun(self, status: str, error: str) -> None:
        """It was still waiting, and another program may have made it meanwhile."""
        if not self._project.lock(self.run):
            return
        try:
            run = self._project.latest(self.run)
            if run.status == "running":
                self.run = replace(run, status=status, error=error)
                self._project.note_run(self.run)
        finally:
            self._project.unlock(self.run)


# --- to JSON and back -----------------------------------------------------------------


def changes_told(repairs: Repairs) -> list[Any]:
    return [
        [row, column, r.action, r.after, r.reason]
        for (row, column), r in repairs.items()
    ]


def repairs_of(saved: list[Any]) -> dict[Cell, Repair]:
    return {cell_of(row, column): repair_of(*how) for row, column, *how in saved}


def fits(run: Run, settings: Settings) -> bool:
    """Can values that were made so be those of the run?"""
    if not settings.is_valued:
        return True  # there was no label
    method = run.options.get("method", RunOptions.method)
    has_file = isinstance(run.options.get("test"), Mapping)
    return settings.method == method and (settings.test == "table") == has_file


def run_of(line: tuple[Any, ...]) -> Run:
    """`Damaged` if it is none: anybody may have written it."""
    run = Run(*line)
    try:
        if run.status not in STATUSES:
            raise ValueError(f"its status is {run.status!r}")
        return replace(
            run,
            id=named(ID, run.id),
            options=dict(json.loads(line[1])),
            setup=Setup.from_dict(json.loads(line[2])),
            changes=repairs_of(json.loads(line[3])),
            done=min(max(finite(run.done), 0.0), 1.0),
            first=str(run.first),
            seen=str(run.seen),
            error=str(run.error),
            started=finite(run.started),
            seconds=finite(run.seconds),
        )
    except FAULTS as error:
        raise Damaged(f"one of its runs cannot be read: {error}") from error
