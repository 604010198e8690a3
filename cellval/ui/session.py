"""What one person has open in the browser: `Session`, one typed object.

A session knows one data file, how it is read, the table that came of it, one run and
what is selected. What was decided and computed on a file is its `FileWork`, kept in a
`Project`, which the address names, so that a reload finds it.
"""

import secrets
import threading
import time
import weakref
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar
from weakref import WeakValueDictionary

import streamlit as st

from cellval.detect.learning import Taught, taught
from cellval.detect.suspicion import Suspicion
from cellval.errors import InputError
from cellval.games.block_values import BlockValues
from cellval.jobs import queue
from cellval.jobs.background import Job, ValuationJob, start_job
from cellval.jobs.fits import check_step
from cellval.kept import kept
from cellval.progress import Snapshot
from cellval.project.project import Project
from cellval.project.run import Run
from cellval.project.source import Setup, Source
from cellval.repairs.comparison import Comparison
from cellval.repairs.repair import Repair, Repairs, repaired
from cellval.repairs.work import Cell, Step, Work
from cellval.table.table import Table, read
from cellval.ui.text import plain
from cellval.values.result import CellValues
from cellval.values.words import Unit
from cellval.views.findings_list import Place
from cellval.views.kept_rules import with_rules
from cellval.views.value_view import value_view

if TYPE_CHECKING:  # scikit-learn takes two seconds to load
    from cellval.validation.result import Validation

IN_USE = 10.0  # seconds: so long newer values wait for who works with what is shown
KEY = "cellval"  # of the session in st.session_state; all other keys are widgets'

Result = TypeVar("Result")
Begin = Callable[[], Iterator[Snapshot[Result]]]


@dataclass
class Edits:
    """Texts by column as they were typed, and those that their editor began with.

    An editor's frame must not change while it is open, so it is told only the latter.
    """

    texts: dict[str, str] = field(default_factory=dict)
    begun: dict[str, str] = field(default_factory=dict)
    version: int = 0  # of the editor

    def reset(self) -> None:
        """Forget them; an open editor begins anew."""
        self.texts, self.begun = {}, {}
        self.version += 1


@dataclass
class SideJob(Generic[Result]):
    """The latest computation of its kind beside the run, and what it was made from."""

    made_from: Any = None
    job: Job[Result] | None = None
    _n_begun: int = 0
    _keeping: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def start(
        self,
        table: Table,
        made_from: Any,
        begin: Begin[Result],
        keep: Callable[[Result], None] = lambda result: None,
        *,
        who: str | None = None,
    ) -> Job[Result]:
        """Begin anew, in place of the last one; `keep` takes what comes of it.

        For somebody, `who`, it waits for its turn; without it is a matter of a moment.
        What runs already goes on: a second click came before the first was shown.
        """
        if (job := self.on(table)) and job.active and self.made_from == made_from:
            return job
        self.stop()
        with self._keeping:
            self._n_begun += 1
        kept_of = partial(_kept_of, begin, partial(self._keep, keep, self._n_begun))
        turn = start_job if who is None else partial(queue.start_beside, who=who)
        self.made_from, self.job = made_from, turn(table, kept_of)
        return self.job

    def _keep(
        self, keep: Callable[[Result], None], n_begun: int, result: Result
    ) -> None:
        """Unless a later one has begun: this one may still be ending."""
        with self._keeping:
            if n_begun == self._n_begun:
                keep(result)

    def on(self, table: Table | None) -> Job[Result] | None:
        """The job, if it is about this table: a file can be read in several ways."""
        if self.job is None or table is None:
            return None
        return self.job if self.job.table.fingerprint == table.fingerprint else None

    def stop(self) -> None:
        if self.job is not None:
            self.job.stop()


def _kept_of(
    begin: Begin[Result], keep: Callable[[Result], None]
) -> Iterator[Snapshot[Result]]:
    """The same steps; the last result is kept, also of a job that is stopped, or that
    is found to take longer than is allowed.
    """
    step: Snapshot[Result] = Snapshot()
    try:
        for step in begin():
            check_step(step)
            yield step
    finally:
        if step.has_result:
            keep(step.result)


@dataclass(eq=False)
class FileWork(Work):
    """What a person decided and computed on one file; sessions and runs share it."""

    source: Source | None = None
    project: Project | None = None  # where it is kept; None for who only looks on
    # Of this server, by id; those that nobody looks at and that are over are forgotten.
    runs: "WeakValueDictionary[str, ValuationJob]" = field(
        default_factory=WeakValueDictionary
    )
    # Tried out, by row number.
    edits: dict[int, Edits] = field(default_factory=lambda: defaultdict(Edits))
    column_groups: Edits = field(default_factory=Edits)  # a person's own, by column
    # Models before and after the repairs; sources, and the seconds they would take;
    # planted errors.
    comparison: SideJob[Comparison] = field(default_factory=SideJob)
    blocks: SideJob[BlockValues] = field(default_factory=SideJob)
    blocks_seconds: SideJob[float] = field(default_factory=SideJob)
    validation: "SideJob[Validation]" = field(default_factory=SideJob)

    @property
    def own_runs(self) -> list[ValuationJob]:
        """All of `runs` at this moment: others may begin some meanwhile."""
        found = [reference() for reference in self.runs.valuerefs()]
        return [run for run in found if run is not None]

    @property
    def sides(self) -> tuple[SideJob[Any], ...]:
        return self.comparison, self.blocks, self.blocks_seconds, self.validation

    def stop_jobs(self) -> None:
        for side in self.sides:
            side.stop()


class RunMemo(NamedTuple):
    """What pages want to know of a run."""

    file: FileWork
    setup: Setup
    first: ValuationJob | None  # on the file as it was, if this is of the repaired one
    changes: Repairs  # that made its table
    kept: Run | None = None  # as it was in the project
    is_cut_short: bool = False  # did the server end before the run did?
    before: ValuationJob | None = None  # whose values stand as long as it has none
    why: str = ""  # it could not be continued when that was tried


@dataclass
class Selection:
    """What a person looks at, by position in the table that pages show."""

    cell: tuple[int, str] | None = None
    position: int | None = None  # of the explained row
    other_position: int | None = None  # compared with it
    finding: Place | None = None  # that is open; None: the first of the list
    from_elsewhere: bool = False  # the cell was opened there, and not yet shown
    chart: str = ""  # key of the one that cells are clicked in
    # By the key of a list, the lines that were ticked in it.
    ticked: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def choose_cell(self, position: int, column: str) -> None:
        """Select a cell, and its row, too."""
        self.cell, self.position = (position, column), position

    def moved(self, old: Table, new: Table) -> "Selection":
        """The same in another version of the table, where its rows are not dropped."""

        def found(position: int | None) -> int | None:
            if position is None or position >= old.n_rows:
                return None
            number = old.row_numbers[position]
            return new.position(int(number)) if number in new.row_numbers else None

        cell = None
        if self.cell is not None and (position := found(self.cell[0])) is not None:
            cell = (position, self.cell[1])
        places = found(self.position), found(self.other_position)
        return replace(self, cell=cell, position=places[0], other_position=places[1])


@dataclass(eq=False)
class Session:
    """One person's work in the browser."""

    who: str = field(default_factory=lambda: secrets.token_hex(8))
    file: FileWork = field(default_factory=FileWork)  # on the file at hand
    opened: dict[str, str] = field(default_factory=dict)  # projects by SHA-256 of file
    link: str = ""  # that the address holds: to edit the project, or to view it
    asked: str = ""  # a link that was followed; if it led nowhere, `lost` says why
    lost: str = ""
    left: str = ""  # a link to what was closed
    may_edit: bool = True
    setup: Setup = field(default_factory=Setup)
    table: Table | None = None  # the file, read as set up
    refused: str = ""  # why another file was not taken
    fault: str = ""  # why the last change of the setup was not possible
    setups: int = 0  # changes of it: widgets show what was read, not what was typed
    run: ValuationJob | None = None  # that pages show
    repaired_run: ValuationJob | None = None  # the latest, also while it is not shown
    selection: Selection = field(default_factory=Selection)
    held: "Shown | None" = None  # what pages show of the run
    used_at: float = -IN_USE  # when a person last did something with it
    # Findings to ask last, each with the number of steps that were done by then.
    later: dict[Place, int] = field(default_factory=dict)
    # Values of widgets when they were drawn last, by their key.
    drawn_with: dict[str, Any] = field(default_factory=dict)
    unsaid: list[str] = field(default_factory=list)  # toasts of callbacks
    # The file and the values that pages were drawn for last, while they are there.
    drawn_of: "weakref.ref[FileWork] | None" = None
    drawn_values: "weakref.ref[CellValues] | None" = None
    drawn: object = None  # what sidebar and page said when both were drawn
    upload: tuple[bool, str] | None = None  # were decisions taken? And a sentence
    # Files that take long to make, until they are downloaded, and what they are of.
    made: dict[str, tuple[Any, bytes]] = field(default_factory=dict)
    has_frame: bool = False  # app.py has run in this session
    wanted_page: str = ""  # that was asked for before it had
    _read_from: tuple[str, Setup] | None = None
    _test_source: Source | None = None
    _taught: tuple[Suspicion, tuple[Any, ...], Taught] | None = None

    # --- the file and its table -------------------------------------------------------

    def take_file(self, file: FileWork, setup: Setup, table: Table | None) -> None:
        """Another file, read or not, in place of all that is known of the old one."""
        self.file, self.setup, self.table = file, setup, table
        if file.project is None:  # which would know it
            file.reading = setup.told
        self._read_from = None
        if file.source is not None and table is not None:
            self._read_from = (file.source.sha256, setup)
        self._test_source = None
        self.upload, self.made, self.later, self._taught = None, {}, {}, None
        self.drawn_with = {}
        self.fault = self.refused = self.asked = self.lost = ""

    def read_file(self) -> Table | None:
        """The file read as set up, or InputError; read again only if either changed."""
        file = self.file.source
        if file is None:
            return None
        if self._read_from != (file.sha256, self.setup):
            self.table = self.setup.read(file)
            self._read_from = (file.sha256, self.setup)
        return self.table

    def try_setup(self, new: Setup) -> None:
        """Read the file in another way; if that fails, keep the old way and say why.

        What another person changed since this one looked stays.
        """
        was, now = self.setup.told, new.told
        changed = {name: now.get(name) for name in {**was, **now}}
        changed = {k: v for k, v in changed.items() if v != was.get(k)}
        while True:
            reading = dict(self.file.reading)
            told = {**reading, **changed}
            new = Setup.from_told({k: v for k, v in told.items() if v is not None})
            if not self._reads(new):
                return
            with self.file.lock:  # or somebody was faster: once more
                if self.file.reading == reading:
                    old = Setup.from_told(reading)
                    self.file.read_so(new.told, new.words_after(old))
                    return

    def _reads(self, new: Setup) -> bool:
        old, self.setup, self.fault = self.setup, new, ""
        try:
            self.read_file()
        except InputError as error:
            self.setup, self.fault = old, str(error)
        self.setups += 1
        return not self.fault

    def turn(
        self, step: Step, there: Callable[[], Any], back: Callable[[], Any]
    ) -> str:
        """Undo a step, or redo it; a sentence if that cannot be, and it stays then.

        Where it was about how the file is read, it is read so.
        """
        old = self.setup
        there()
        if not step.reading_after:
            return ""
        new, file = Setup.from_told(self.file.reading), self.file
        is_other = (new.sheet, new.header_row) != (old.sheet, old.header_row)
        if is_other and (file.decisions or file.repairs):
            self.fault = "Your decisions are about this sheet; undo them first."
        elif self._reads(new):
            return ""
        back()
        fault, self.fault = self.fault, ""
        return fault

    def find_test_source(self) -> None:
        """That of the project, or `Damaged`."""
        if self.file.project is not None:
            self._test_source = self.file.project.test_source

    @property
    def test_source(self) -> Source | None:
        """A second file, with test rows."""
        return self._test_source

    @test_source.setter
    def test_source(self, new: Source | None) -> None:
        self._test_source = new
        if self.file.project is not None:
            self.file.project.test_source = new

    def widget_key(self, name: str, *shown: Any, as_read: bool = False) -> str:
        """Key of a widget of the file at hand, or of the way it is read (`setups`).

        It changes with what the widget shows, so that no selection in it is stale.
        """
        file = self.file.source
        key = " ".join(map(str, (f"{name}:{file.sha256[:12] if file else ''}", *shown)))
        return f"{key}:{self.setups}" if as_read else key

    @property
    def shown_table(self) -> Table | None:
        """The table that pages show: that of the run, if there is one."""
        return self.run.table if self.run else self.table

    @property
    def original(self) -> Table | None:
        """The table as it is in the file, also while a repaired one is shown."""
        first = self.memo.first
        return first.table if first else self.shown_table

    @property
    def has_label(self) -> bool:
        table = self.original
        return table is not None and bool(table.label)

    def original_row(self, row_number: int) -> dict[str, str]:
        """What the file holds in a row, by column."""
        table = self.original
        assert table is not None, "no table was chosen"
        cells = table.cells.iloc[table.position(row_number)]
        return {str(name): str(text).strip() for name, text in cells.items()}

    def repaired_table(self, repairs: Repairs | None = None) -> Table:
        """The original with these repairs, or all, or InputError; itself if there are
        none. Others may go on repairing.
        """
        original = self.original
        assert original is not None, "no table was chosen"
        made = dict(self.file.repairs) if repairs is None else repairs
        changes = tuple(made.items())
        return _repaired(original, changes) if changes else original

    # --- the run ----------------------------------------------------------------------

    @property
    def values(self) -> CellValues | None:
        """Values so far of the run; None before the first ones."""
        return self.run.values if self.run else None

    @property
    def suspicion(self) -> Suspicion | None:
        """The ranking of the run's cells so far; None before values or surprise."""
        return self.run.suspicion if self.run else None

    def taught(self, suspicion: Suspicion) -> Taught:
        """The questions that are left after all decisions; the same until one more."""
        made, rules = dict(self.file.decisions), dict(self.file.rules)
        known = self._taught
        if known is None or known[0] is not suspicion or known[1] != (made, rules):
            left = with_rules(suspicion.table, taught(suspicion, made), rules, made)
            known = self._taught = suspicion, (made, rules), left
        return known[2]

    def is_taught(self, suspicion: Suspicion) -> bool:
        """Do decisions move cells? Not before the questions are known, which takes a
        while: at the end of a run, or when they were asked for."""
        known = self.run is not None and self.run.has_questions
        known = known or (self._taught is not None and self._taught[0] is suspicion)
        return known and bool(self.file.decisions)

    def after_answers(self, suspicion: Suspicion) -> Suspicion:
        """A ranking with what decisions say of the cells that are left; itself if they
        say nothing."""
        return self.taught(suspicion).left if self.is_taught(suspicion) else suspicion

    @property
    def memo(self) -> RunMemo:
        """What is known of the run at hand; of no run if there is none."""
        if self.run is None:
            return RunMemo(self.file, self.setup, None, {})
        known: RunMemo = self.run.memo
        return known

    def may_stop(self, run: ValuationJob | None) -> bool:
        """May this person? Who only looks on stops nothing but what they started."""
        if self.may_edit or run is None:
            return self.may_edit
        return run.memo.kept is None and run.memo.file is self.file

    @property
    def goes_on(self) -> bool:
        """Do pages change by themselves? Something runs, or its values wait."""
        run = self.run
        if self.goes_on_beside or (run is not None and not run.is_over):
            return True
        return self.held is not None and self.held.values is not self.values

    @property
    def goes_on_beside(self) -> bool:
        """Does anything run that pages follow, other than the run?"""
        jobs = [side.job for side in self.file.sides]
        return any(job is not None and not job.is_over for job in jobs)

    def touch(self) -> None:
        """A person does something with what is shown; see `shown`."""
        self.used_at = time.monotonic()

    @property
    def in_use(self) -> bool:
        """Has a person done something just now?"""
        return time.monotonic() - self.used_at < IN_USE

    def renew(self) -> None:
        """Who comes to a page sees the latest, and then it stays for a while: what
        somebody wants to click must not move away.
        """
        if self.file.project is not None:
            self.file.project.refresh()  # what another program decided
            if self.file.reading != self.setup.told:  # or another person
                now = Setup.from_told(self.file.reading)
                words = now.words_after(self.setup)
                if self._reads(now):
                    self.unsaid.append(f"{plain(words)}, as somebody else chose.")
        self.held = None
        self.shown()
        self.touch()

    def shown(self) -> "Shown | None":
        """What pages show of the run; None before there are values.

        While a run goes on its values sharpen, and lists change their order. So newer
        ones wait until a person has done nothing for a while.
        """
        held, run = self.held, self.run
        if run is None or run.values is None:
            self.held = None
        elif held is None or held.table is not run.table or not self.in_use:
            now = Shown(self, run.table, run.values, run.suspicion)
            self.held = held if held == now else now
        return self.held

    @property
    def is_measured(self) -> bool:
        """Were models measured with the repairs made by now?"""
        return bool(self.file.comparison.made_from == self.file.repairs)

    @property
    def is_up_to_date(self) -> bool:
        """Is the repaired table of the run at hand that of the repairs made by now?"""
        return self.memo.first is not None and self.memo.changes == self.file.repairs


class Shown(NamedTuple):
    """What pages show of the run, taken once: its values sharpen meanwhile."""

    session: Session
    table: Table
    values: CellValues
    suspicion: Suspicion | None

    @property
    def row_unit(self) -> Unit:
        return value_view(self.values).row_unit

    @property
    def after_answers(self) -> Suspicion | None:
        """The ranking with what decisions say of it."""
        if self.suspicion is None:
            return None
        return self.session.after_answers(self.suspicion)

    def said_of(self, position: int, column: str) -> str:
        """That decisions on others moved a cell, as a sentence; mostly nothing."""
        if self.suspicion is None or not self.session.is_taught(self.suspicion):
            return ""
        return self.session.taught(self.suspicion).said_of(position, column)


@kept(2)
def _repaired(original: Table, changes: tuple[tuple[Cell, Repair], ...]) -> Table:
    return repaired(original, dict(changes))


@kept(1)
def read_test(like: Table, file: Source) -> Table:
    """A second file read like the first, or InputError; kept with the first."""
    return read(file.buffer(), like=like)


def get_session() -> Session:
    """The session of whoever looks at the page."""
    found: Session = st.session_state.setdefault(KEY, Session())
    return found
