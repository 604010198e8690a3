"""A run of a project: what was asked for, how far it is, and its checkpoints."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import IO, TYPE_CHECKING, Any

from cellval.errors import InputError
from cellval.progress import Snapshot
from cellval.project.database import Damaged
from cellval.project.files import ID, named
from cellval.project.kept_work import cell_of, repair_of
from cellval.project.source import Setup
from cellval.repairs.repair import Repair, Repairs
from cellval.repairs.work import Cell
from cellval.table.table import Table
from cellval.values.options import RunOptions
from cellval.values.result import CellValues
from cellval.values.settings import Settings

if TYPE_CHECKING:
    from cellval.project.project import Project

# Seconds of work between two checkpoints: as long as writing one takes, within these.
EVERY, AT_MOST = 5.0, 10.0
PATIENCE = 10.0  # seconds for another program that is about to end the same run
ELSEWHERE = (
    "This run goes on in another program, such as the app or a notebook. Wait until it "
    "is over, or stop it there."
)


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
    """Puts a run on disk while it goes on, now and then."""

    def __init__(self, project: "Project", run: Run) -> None:
        self._project, self.run = project, run
        self._lock: IO[bytes] | None = None
        self._is_refused = False
        self._latest: Snapshot[CellValues] = Snapshot()
        self._kept_at, self._took, self._before = time.monotonic(), 0.0, run.seconds

    def begin(self, table: Table) -> CellValues | None:
        """What the run goes on from, if there is anything: from here to the end no
        other program makes steps of it. InputError if one does, or if what there is
        cannot be read; then the run stays as it is.
        """
        end = time.monotonic() + PATIENCE  # one that was stopped may still be ending
        try:
            while not self._is_mine():
                if time.monotonic() > end:
                    raise InputError(ELSEWHERE)
                time.sleep(0.1)
            known = self._project.values_of(self.run, table)
        except BaseException:
            self._is_refused = True
            self._let_go()
            raise
        self._kept_at = time.monotonic()
        # With values alone it begins anew.
        return known if known is not None and known.state else None

    def see(self, snapshot: Snapshot[CellValues]) -> None:
        """A step of the run; now and then it is kept."""
        self._latest = snapshot
        since = time.monotonic() - self._kept_at
        if snapshot.has_result and since >= min(max(EVERY, self._took), AT_MOST):
            self._keep("running")

    def end(self, status: str, error: str = "") -> None:
        if self._is_refused or not self._is_mine():
            return
        if status == "done":
            self._latest = replace(self._latest, done=1.0)
        try:
            self._keep(status, error)
        finally:
            self._latest = Snapshot()  # its sums take much memory
            self._let_go()

    def _is_mine(self) -> bool:
        if self._lock is None:
            self._lock = self._project.lock_of(self.run)
        return self._lock is not None

    def _let_go(self) -> None:
        if self._lock is not None:
            self._lock.close()

    def _keep(self, status: str, error: str = "") -> None:
        began, step = time.monotonic(), self._latest
        self.run = replace(
            self.run,
            status=status,
            done=step.done if step.has_result else self.run.done,
            seen=step.seen or self.run.seen,
            error=error,
            seconds=self._before + step.seconds,
        )
        self._project.note_run(self.run, step.result if step.has_result else None)
        self._kept_at = time.monotonic()
        self._took = self._kept_at - began


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
        return replace(
            run,
            id=named(ID, run.id),
            options=dict(json.loads(line[1])),
            setup=Setup.from_dict(json.loads(line[2])),
            changes=repairs_of(json.loads(line[3])),
            done=min(max(float(run.done), 0.0), 1.0),
        )
    except (ValueError, TypeError, KeyError) as error:
        raise Damaged(f"one of its runs cannot be read: {error}") from error
