"""`Project`: a file, how it is read, its runs, and what a person decided on it."""

import hmac
import json
import secrets
import shutil
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import closing, contextmanager, suppress
from dataclasses import fields, replace
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import numpy as np

from cellval.errors import CannotGoOn, InputError
from cellval.knn.problem import require_label
from cellval.parallel import signals_later
from cellval.progress import Snapshot
from cellval.project.checkpoint import is_whole, read_values, write_values
from cellval.project.database import (
    FAULTS,
    NAME,
    Damaged,
    can_write,
    connect,
    is_copy,
    is_damage,
    transaction,
)
from cellval.project.files import (
    ID,
    SHA256,
    UNWRITABLE,
    locked,
    named,
    set_aside,
    tidy,
    whole_folder,
    why_not,
)
from cellval.project.kept_work import (
    WRITTEN,
    Cells,
    Told,
    joined,
    put_cell,
    put_rules,
    put_steps,
    read_cells,
    read_told,
    say,
    times_written,
)
from cellval.project.run import Keeper, Run, changes_told, fits, run_of
from cellval.project.source import Setup, Source
from cellval.repairs.repair import Repairs, repaired
from cellval.repairs.work import Cell, Work
from cellval.table.table import Table, read
from cellval.text import content
from cellval.valuation import iter_chosen, options_of
from cellval.values.memory import check_memory
from cellval.values.options import RunOptions
from cellval.values.result import CellValues
from cellval.whole_files import write_whole

LONGEST_NAME = 80  # characters
LAST = 2.0**33  # seconds since 1970 that a calendar knows
NAMELESS = "A project needs a name: give some letters."
BROKEN_OFF = "Writing it was broken off by a signal. Try again."
GONE = (
    "The project was deleted or moved meanwhile. Open it where it is, or its file once "
    "more, for a new project with all you decided."
)
DAMAGED = (
    "The project cannot be read. It is damaged: {}. What it still has is on the Data "
    "page of the app; make another project of your file to go on."
)


@contextmanager
def damage_told() -> Iterator[None]:
    """InputError instead of `Damaged`, for who calls us from outside."""
    try:
        yield
    except Damaged as fault:
        raise InputError(DAMAGED.format(fault)) from fault


class Project:
    """What a person loaded, ran and decided, on disk the moment it happens.

    Made by `create`, found again by `open`; both are also doors of the library
    (`cellval.open_project`). One object serves all threads of a program.

    Attributes
    ----------
    id : str
    folder : Path or None
        None if there is no place to keep it; `trouble` says why.
    work : Work
        Decisions and repairs; each change of them is written before it is told of.
    trouble : str
        Why the latest changes are not on disk; empty if they are. Decisions are tried
        again with the next one, values and measurements by `try_again`.

    Examples
    --------
    >>> import cellval, tempfile
    >>> file, folder = "sample_data/davis.csv", tempfile.mkdtemp()
    >>> project = cellval.open_project("heights", file, folder=folder, label="sex")
    >>> project.work.decide(12, "weight", "error")
    >>> [step.words for step in project.work.steps]
    ['weight in row 12 marked as wrong']
    >>> project.close()
    """

    def __init__(
        self,
        project_id: str,
        folder: Path | None,
        connection: sqlite3.Connection,
        work: Work | None = None,
    ) -> None:
        self.id, self.folder = project_id, folder
        self.trouble = ""
        self.aside: list[str] = []  # damaged files that were set aside, a sentence each
        self._use(connection)
        self._lock = threading.RLock()
        self._told = Told()  # as it was last read or written
        self._pending: dict[Cell, None] = {}  # decided on, and not written yet
        self._unsaid: dict[str, Any] = {}  # facts about it that are to be written
        # What else could not be written: runs, measurements, files.
        self._late: dict[tuple[str, str], Callable[[], None]] = {}
        self._turns: dict[tuple[str, str], threading.Lock] = {}
        self._locks: dict[str, IO[bytes]] = {}  # by run
        weakref.finalize(self, _close_all, self._locks)
        self._leaving: set[str] = set()  # runs that are over, as soon as written
        self._sources: dict[str, Source] = {}  # files that are in memory only
        # Values that are, by run, and whether they are all of it; without their sums,
        # which take much memory.
        self._unplaced: dict[str, tuple[CellValues, bool]] = {}
        self._tables: weakref.WeakValueDictionary[Any, Table] = (
            weakref.WeakValueDictionary()
        )
        self.work = work or Work()
        self._load_work()
        self.work.keep = self._keep

    # --- making and finding -----------------------------------------------------------

    @classmethod
    def create(
        cls,
        folder: Path | None,
        source: Source,
        setup: Setup | None = None,
        *,
        name: str = "",
        owner: str = "",
        work: Work | None = None,
    ) -> "Project":
        """A new project on a file, in a folder of projects.

        None keeps it in memory only. OSError or sqlite3.Error if it cannot be written.
        """
        project_id = secrets.token_hex(8)
        if folder is None:
            memory = connect(Path(":memory:"), create=True)
            project = cls(project_id, None, memory, work)
            project._begin(source, setup or Setup(), name, owner)
            return project
        with whole_folder(folder / project_id) as part:
            made = connect(part / NAME, create=True)
            with closing(cls(project_id, part, made)) as project:
                project._begin(source, setup or Setup(), name, owner)
        try:
            return cls.open(folder, project_id, work)
        except BaseException:
            shutil.rmtree(folder / project_id, ignore_errors=True)
            raise

    def _begin(self, source: Source, setup: Setup, name: str, owner: str) -> None:
        now = time.time()
        about: dict[str, Any] = {
            "name": _name(name or Path(source.name).stem),
            "owner": owner,
            "created": now,
            "changed": now,
            "view": secrets.token_urlsafe(16),
            "edit": secrets.token_urlsafe(16),
            "test_file": "",
            "setup": vars(setup),
            "file": source.sha256,
            "n_done": 0,
        }
        self.add_file(source)
        with self._writing() as database:
            say(database, about)
        self._load_work()

    @classmethod
    def open(cls, folder: Path, project_id: str, work: Work | None = None) -> "Project":
        """The project with this id. `Damaged` if what is there cannot be read."""
        if not ID.fullmatch(project_id):
            raise InputError("There is no such project.")
        place = folder / project_id
        if not place.is_dir():
            raise InputError("There is no such project. It may have been deleted.")
        connection = connect(place / NAME)
        tidy(place)
        try:
            project = cls(project_id, place, connection, work)
            if project._about("file", "") == "":
                raise Damaged("it was cut short while it was made")
            if is_copy(connection):
                project.trouble = UNWRITABLE
        except FAULTS as error:
            connection.close()
            raise Damaged(str(error)) from error
        except BaseException as error:
            connection.close()
            if isinstance(error, sqlite3.Error) and is_damage(error):
                raise Damaged(str(error)) from error
            raise
        return project

    def close(self) -> None:
        self._database.close()
        _close_all(self._locks)

    @property
    def is_gone(self) -> bool:
        """Was it deleted or moved by somebody else, while it is open here?"""
        return self.folder is not None and not (self.folder / NAME).exists()

    # --- what it is -------------------------------------------------------------------

    @property
    def name(self) -> str:
        return _name(str(self._about("name", "")))

    @name.setter
    def name(self, new: str) -> None:
        if not readable(new):
            raise InputError(NAMELESS)
        self._tell(name=readable(new))

    def is_kept(self, fact: str) -> bool:
        """Is the latest that was said of it, such as its "name", on disk?"""
        return self.folder is not None and fact not in self._unsaid

    @property
    def owner(self) -> str:
        return str(self._about("owner", ""))

    @property
    def changed(self) -> float:
        """When something last changed, in seconds since 1970."""
        return self._moment("changed")

    @property
    def created(self) -> float:
        return self._moment("created")

    def _moment(self, name: str) -> float:
        found = self._about(name, 0.0)
        if not isinstance(found, int | float) or not 0 <= found < LAST:
            raise Damaged(f"it does not tell when it was {name}")
        return float(found)

    @property
    def setup(self) -> Setup:
        """How the file is read; a change is a step of the history."""
        return Setup.from_told(self.work.reading)

    @setup.setter
    def setup(self, new: Setup) -> None:
        self.work.read_so(new.told, new.words_after(self.setup))

    def link(self, may: str) -> str:
        """What an address must hold to "view" or to "edit" it; nobody guesses it."""
        return f"{self.id}-{self._about(may, '')}"

    def allows(self, link: str) -> str:
        """What a link allows: "edit", "view", or nothing."""
        for may in ("edit", "view"):
            if hmac.compare_digest(self.link(may).encode(), link.encode()):
                return may
        return ""

    # --- files ------------------------------------------------------------------------

    def add_file(self, source: Source) -> None:
        """Keep the bytes of a file, under their SHA-256."""
        if self.folder is None:
            self._sources[source.sha256] = source
        else:
            path = self._file(source.sha256)
            if not path.exists() or path.read_bytes() != source.raw:
                path.parent.mkdir(exist_ok=True)
                write_whole(path, source.raw)
        insert = "INSERT OR REPLACE INTO files VALUES (?, ?, ?)"
        with self._writing() as database:
            database.execute(insert, (source.sha256, source.name, time.time()))

    @property
    def source(self) -> Source:
        """The file that it is about; `Damaged` if its bytes have changed."""
        return self._source(str(self._about("file", "")))

    @property
    def test_source(self) -> Source | None:
        """A second file, with test rows."""
        found = str(self._about("test_file", ""))
        return self._source(found, "test file") if found else None

    @test_source.setter
    def test_source(self, new: Source | None) -> None:
        if new is not None:
            self._sources[new.sha256] = new
            self._write(("file", new.sha256), partial(self.add_file, new))
        self._tell(test_file=new.sha256 if new else "")

    def _source(self, sha256: str, what: str = "data file") -> Source:
        if sha256 in self._sources:
            return self._sources[sha256]
        found = self._all("SELECT name FROM files WHERE sha256 = ?", sha256)
        if not SHA256.fullmatch(sha256):
            raise Damaged(f"its {what} is not told")
        try:
            raw = self._file(sha256).read_bytes()
        except FileNotFoundError as error:
            raise Damaged(f"its {what} is gone") from error
        except OSError as error:
            raise Damaged(f"its {what} cannot be read") from error
        source = Source.of(found[0][0] if found else "table.csv", raw)
        if source.sha256 != sha256:
            raise Damaged(f"the bytes of its {what} have changed")
        return source

    def _file(self, sha256: str) -> Path:
        assert self.folder is not None
        return self.folder / "files" / named(SHA256, sha256)

    # --- runs -------------------------------------------------------------------------

    @property
    def runs(self) -> list[Run]:
        """The oldest first."""
        names = ", ".join(option.name for option in fields(Run))
        return [
            run_of(line) for line in self._all(f"SELECT {names} FROM runs ORDER BY n")
        ]

    def begin_run(
        self,
        options: RunOptions,
        changes: Repairs | None = None,
        first: str = "",
        setup: Setup | None = None,
    ) -> Run:
        """A run is on disk before it does anything; `setup` tells how its table was
        read, if others may have changed that since.
        """
        run = Run(
            secrets.token_hex(8),
            self._said(options),
            setup or self.setup,
            dict(changes or {}),
            first,
            started=time.time(),
        )
        self.note_run(run)
        return run

    def note_run(self, run: Run, values: CellValues | None = None) -> None:
        """How far a run is, with its values so far if there are new ones."""
        line = vars(run) | {
            "options": json.dumps(run.options),
            "setup": json.dumps(vars(run.setup)),
            "changes": json.dumps(changes_told(run.changes)),
        }
        later = ("status", "done", "seen", "error", "seconds")
        note = (
            f"INSERT INTO runs ({', '.join(line)}) "
            f"VALUES ({', '.join('?' * len(line))}) ON CONFLICT (id) DO UPDATE SET "
            + ", ".join(f"{name} = excluded.{name}" for name in later)
        )

        def write() -> None:
            if values is not None:
                self._put_values(run, values)
            with self._writing() as database:
                database.execute(note, tuple(line.values()))

        self._write(("run", run.id), write)

    def _put_values(self, run: Run, values: CellValues) -> None:
        is_whole = run.status == "done"
        with self._lock:  # or it gets a place just now
            if self.folder is None:
                if _has_values(values):
                    self._unplaced[run.id] = replace(values, state={}), is_whole
                return
        write_values(self._values(run.id), values, is_whole=is_whole)

    def check_kept(self, run: Run) -> None:
        """InputError as long as what a run has is not on disk: it would be forgotten if
        it went on.
        """
        if self._late:
            self.try_again()
        if ("run", run.id) in self._late:
            raise InputError(
                f"What this run has could not be kept yet. {self.trouble} Then "
                "continue it."
            )

    def lock(self, run: Run) -> bool:
        """Who has it makes the steps of a run; False if somebody else does."""
        with self._lock:
            if run.id in self._locks:
                return False
            lock = BytesIO() if self.folder is None else locked(self._lock_file(run.id))
            if lock is not None:
                self._locks[run.id] = lock
            return lock is not None

    def unlock(self, run: Run) -> None:
        """As soon as all that is known of it is on disk."""
        self._leaving.add(run.id)
        self._unlock_written()

    def _unlock_written(self) -> None:
        with self._lock:
            for run_id in [*self._leaving]:
                if ("run", run_id) not in self._late:
                    self._leaving.discard(run_id)
                    if lock := self._locks.pop(run_id, None):
                        lock.close()

    def _lock_file(self, run_id: str) -> Path:
        return self._values(run_id).with_suffix(".lock")

    def latest(self, run: Run) -> Run:
        """As it is on disk now, if it is there and can be read."""
        with suppress(InputError, Damaged):
            return {known.id: known for known in self.runs}.get(run.id, run)
        return run

    def _said(self, options: RunOptions) -> dict[str, Any]:
        """Options that differ from the usual ones, for JSON."""
        said = {
            option.name: getattr(options, option.name)
            for option in fields(options)
            if options.is_given(option)
        }
        if isinstance(options.test, Table):
            if self.test_source is None:
                raise InputError("Keep the test file with the project first.")
            said["test"] = {"file": self.test_source.sha256}
        for name, what in said.items():
            try:
                json.dumps(what)
            except TypeError as error:
                raise InputError(
                    f"'{name}' is an object of Python, which no project can keep. "
                    "Give a name or a number there, or use cellval.value_cells."
                ) from error
        return said

    def options_of(self, run: Run, table: Table) -> RunOptions:
        """As they were asked for; a test file is read like the table."""
        said = dict(run.options)
        if isinstance(said.get("test"), Mapping):
            file = self._source(str(said["test"].get("file", "")), "test file")
            said["test"] = read(file.buffer(), like=table)
        try:
            return RunOptions(**said)
        except TypeError as error:  # of a later version, or somebody's own
            raise Damaged(f"what was asked for is not known: {error}") from error

    def table_of(self, run: Run) -> Table:
        """The table that a run valued."""
        return self._read(run.setup, run.changes)

    def values_of(self, run: Run, table: Table) -> CellValues | None:
        """Values up to the last checkpoint; a damaged file of them is set aside."""
        found = self.known_of(run, table)
        return found if found is not None and _has_values(found) else None

    def is_begun(self, run: Run) -> bool:
        """Is there anything on disk that it could go on from?"""
        return self.folder is not None and self._values(run.id).exists()

    def known_of(self, run: Run, table: Table) -> CellValues | None:
        """The same, also where only the sums of its first values are there as yet."""
        if self.folder is None or not self._values(run.id).exists():
            return None
        path = self._values(run.id)
        try:
            written = path.stat().st_mtime_ns
            found = read_values(path, table)
            if not fits(run, found.settings):
                raise Damaged("values of another run")
            return found
        except (OSError, MemoryError) as error:  # not as if there were none
            raise InputError(
                f"The values of a run cannot be read now ({type(error).__name__}). "
                "They are left where they are; open the project again later."
            ) from error
        except Damaged as fault:
            kept = "left where they are"
            with suppress(OSError):  # where nothing can be written, they stay
                if path.stat().st_mtime_ns != written:  # others are there meanwhile
                    return self.known_of(run, table)
                kept = f"set aside as {set_aside(path).name}"
            self.aside.append(
                f"The values of a run were damaged ({fault}) and {kept}. Decisions and "
                "repairs are not touched; value again."
            )
            return None

    def is_whole(self, run: Run) -> bool:
        """Are the values on disk all that was asked for?"""
        return self.is_begun(run) and is_whole(self._values(run.id))

    def _values(self, run_id: str) -> Path:
        assert self.folder is not None
        return self.folder / "runs" / f"{named(ID, run_id)}.npz"

    def value(self, *, n_jobs: int | None = None, **options: Any) -> CellValues:
        """Value the cells of the repaired file, with checkpoints; goes on where a run
        with the same options was cut short.

        Options are those of `cellval.value_cells`.
        """
        *_, last = self.iter_values(n_jobs=n_jobs, **options)
        return last.result

    def iter_values(
        self,
        *,
        n_jobs: int | None = None,
        executor: Executor | None = None,
        **options: Any,
    ) -> Iterator[Snapshot[CellValues]]:
        """The same step by step; closing it stops the run, and what it has is kept."""
        asked = self.table
        require_label(asked)
        check_memory(asked)  # before a run is noted
        chosen, changes = options_of(options), dict(self.work.repairs)
        where: dict[str, Any] = {"n_jobs": n_jobs, "executor": executor}
        with damage_told():
            run = self._unfinished(chosen, changes)
        if run is not None:
            self.check_kept(run)
        try:
            yield from self._steps(run or self.begin_run(chosen, changes), where)
        except CannotGoOn as why:  # made elsewhere, such as on a GPU
            self.aside.append(f"A run that was stopped cannot go on here. {why}")
            yield from self._steps(self.begin_run(chosen, changes), where)

    def _steps(self, run: Run, where: dict[str, Any]) -> Iterator[Snapshot[CellValues]]:
        keeper, status, error = Keeper(self, run), "stopped", ""
        step: Snapshot[CellValues] = Snapshot()
        try:
            table = self.table_of(run)
            options = self.options_of(run, table)

            def make(known: CellValues | None) -> Iterator[Snapshot[CellValues]]:
                return iter_chosen(table, options, continue_from=known, **where)

            with closing(keeper.steps(table, make)) as steps:
                for step in steps:
                    yield step
            status = "done"
        except InputError as why:
            is_begun = step.to_go_on is not None or keeper.run.done > 0
            status, error = "stopped" if is_begun else "failed", str(why)
            raise
        finally:
            keeper.end(status, error)

    def _unfinished(self, options: RunOptions, changes: Repairs) -> Run | None:
        """The latest run that was asked for the same, if it did not come to its end."""
        asked = (self._said(options), self.setup, changes)
        for run in reversed(self.runs):
            if (run.options, run.setup, run.changes) == asked:
                is_left = run.status != "failed" or run.done > 0
                return run if run.status != "done" and is_left else None
        return None

    @property
    def values(self) -> CellValues | None:
        """Those of the latest run that has any."""
        with damage_told():
            for run in reversed(self.runs):
                found = self.values_of(run, self.table_of(run))
                if found is not None:
                    return found
        return None

    @property
    def table(self) -> Table:
        """The file as it is read, with all repairs."""
        with damage_told():
            return self._read(self.setup, self.work.repairs)

    def _read(self, setup: Setup, changes: Repairs) -> Table:
        """The same table as long as anybody has it: a large one takes seconds."""
        changes = dict(changes)  # others may go on repairing
        asked = setup, frozenset(changes.items())
        table = self._tables.get(asked)
        if table is None:
            table = setup.read(self.source)
            table = repaired(table, changes) if changes else table
            self._tables[asked] = table
        return table

    # --- other results ----------------------------------------------------------------

    def keep_result(self, kind: str, made_from: Any, result: Any) -> None:
        """The latest result of a kind, as JSON."""
        line = (kind, json.dumps(made_from), json.dumps(result), time.time())
        insert = "INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?)"

        def write() -> None:
            with self._writing() as database:
                database.execute(insert, line)

        self._write(("result", kind), write)

    def result(self, kind: str) -> tuple[Any, Any] | None:
        """What it was made from, and the result; None if there is none."""
        found = self._all("SELECT made_from, result FROM results WHERE kind = ?", kind)
        return (json.loads(found[0][0]), json.loads(found[0][1])) if found else None

    # --- decisions --------------------------------------------------------------------

    def _keep(self, cells: Iterable[Cell]) -> None:
        """Write what is decided on these cells now, and what could not be before."""
        # A signal between COMMIT and what is known here would write all steps again.
        with self.work.lock, self._lock, signals_later(), self._noting_trouble():
            self._pending |= dict.fromkeys(cells)
            with self._writing() as database:
                # A file is not told of before it is there.
                unsaid = {
                    name: fact
                    for name, fact in self._unsaid.items()
                    if ("file", fact) not in self._late
                }
                say(database, unsaid)
                for cell in self._pending_in_order:
                    put_cell(database, cell, self.work.standing(cell))
                known, times = self._told, times_written(database)
                others = times != known.times
                if others:  # what another program did meanwhile stays
                    theirs = read_told(database, known.steps)
                    known, now = joined(known, self._now, theirs)
                else:
                    now = self._now
                put_steps(database, known.steps, now.steps)
                if now.n_done != known.n_done:
                    say(database, {"n_done": now.n_done})
                if now.rules != known.rules:
                    put_rules(database, now.rules)
                if now.reading != known.reading:
                    say(database, {"setup": vars(Setup.from_told(now.reading))})
                say(database, {WRITTEN: times + 1})
                found = read_cells(database) if others else None
            changed = {"changed": self._about("changed", 0.0), WRITTEN: times + 1}
            self._told = replace(now, facts={**known.facts, **unsaid, **changed})
            later = {k: fact for k, fact in self._unsaid.items() if k not in unsaid}
            self._pending, self._unsaid = {}, later
            if found is not None:
                self._take(found, now)

    @property
    def _pending_in_order(self) -> list[Cell]:
        """Repairs as they stand in memory, for who opens it again."""
        repairs, pending = self.work.repairs, self._pending
        if len(pending) < 2:
            return [*pending]
        without = [cell for cell in pending if cell not in repairs]
        return [*without, *(cell for cell in repairs if cell in pending)]

    @property
    def _now(self) -> Told:
        """What is to be written of what a person did."""
        work = self.work
        facts, rules, reading = self._told.facts, dict(work.rules), dict(work.reading)
        return Told(facts, list(work.steps), work.n_done, rules, reading)

    def take_over(self, work: Work) -> None:
        """All that was decided in another project on the same file."""
        cells = dict(work.decisions), dict(work.repairs), dict(work.before_repair)
        told = Told({}, work.steps, work.n_done, work.rules, work.reading)
        with self.work.lock, self._lock:
            self._take(cells, told)
            self._keep({*work.decisions, *work.repairs})

    @property
    def is_behind(self) -> bool:
        """Is something that a person did in memory only?"""
        changed = self._now != self._told
        return bool(self._pending or self._unsaid or self._late or changed)

    def _write(self, what: tuple[str, str], write: Callable[[], None]) -> None:
        """What is too large to be tried again with every click; the latest counts."""
        self._late[what] = write
        self._write_late(what)

    def write_late(self, run: Run) -> None:
        """What could not be written of it, if there is anything."""
        self._write_late(("run", run.id))

    def _write_late(self, what: tuple[str, str]) -> None:
        """One after the other: an older one must not come after a newer one."""
        with self._turns.setdefault(what, threading.Lock()):
            write = self._late.get(what)
            if write is None:
                return  # another thread has done it
            with self._noting_trouble():
                write()
                if self._late.get(what) is write:
                    del self._late[what]
                    self._unlock_written()

    def _load_work(self) -> None:
        """`Damaged` if it cannot be what cellval wrote."""
        work = self.work
        with self.reading() as database:
            version = self._version()
            cells, told = read_cells(database), read_told(database, work.steps)
        self._take(cells, told)
        self._told, self._seen_version = told, version

    def _take(self, cells: Cells, told: Told) -> None:
        work = self.work
        work.decisions, work.repairs, work.before_repair = cells
        work.steps, work.n_done = list(told.steps), told.n_done
        work.rules, work.reading = dict(told.rules), dict(told.reading)

    def refresh(self) -> None:
        """Take what another program has decided meanwhile."""
        with self.work.lock, self._lock, self._noting_trouble():
            version = self._version()
            if self.is_behind or version == self._seen_version:
                return
            if times_written(self._database) != self._told.times:
                self._load_work()
            else:
                self._seen_version = version

    def _version(self) -> int:
        """Changes whenever another connection has written, also how far a run is."""
        return int(self._database.execute("PRAGMA data_version").fetchone()[0])

    # --- the database -----------------------------------------------------------------

    def _about(self, name: str, usual: Any) -> Any:
        return {**self._told.facts, **self._unsaid}.get(name, usual)

    def _tell(self, **facts: Any) -> None:
        """Facts about it, which hold at once and are written as decisions are."""
        with self.work.lock, self._lock:
            self._unsaid |= facts
            self._keep(())

    def _all(self, query: str, *arguments: Any) -> list[Any]:
        try:
            with self._lock:
                return self._database.execute(query, arguments).fetchall()
        except sqlite3.Error as error:
            raise InputError(why_not(error)) from error

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Its database, as it is at one moment."""
        with self._lock:
            try:
                self._database.execute("BEGIN")
                yield self._database
            finally:
                if self._database.in_transaction:
                    self._database.execute("ROLLBACK")

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._lock, transaction(self._database) as database:
            yield database
            now = {"changed": time.time()}
            say(database, now)
        self._told.facts.update(now)

    @contextmanager
    def _noting_trouble(self) -> Iterator[None]:
        """A disk that is full must not stop a person; but it is said."""
        try:
            yield
            if self.is_gone:
                self.trouble = GONE
            elif self.folder and not self.is_behind and not is_copy(self._database):
                self.trouble = ""
        except (sqlite3.Error, OSError, Damaged, MemoryError) as error:
            self.trouble = why_not(error)
        except BaseException:  # a signal
            self.trouble = self.trouble or BROKEN_OFF
            raise

    def try_again(self) -> None:
        """Write what could not be written."""
        path = None if self.folder is None else self.folder / NAME
        with self._lock, self._noting_trouble():
            if path and is_copy(self._database) and can_write(path):
                copy = self._database
                self._use(connect(path))
                copy.close()
                self._seen_version = -1
        for what in [*self._late]:
            self._write_late(what)
        self._keep(())
        self.refresh()

    def take_place(self, folder: Path) -> None:
        """Put on disk, in a folder of projects, what was in memory only: with its
        links. OSError or sqlite3.Error if it cannot be written.
        """
        place = folder / self.id
        with self._lock:
            if self.folder is not None:
                return  # a second click
            with whole_folder(place) as part:
                (part / "files").mkdir()
                for sha256, source in self._sources.items():
                    write_whole(part / "files" / sha256, source.raw)
                for run_id, (values, is_whole) in self._unplaced.items():
                    path = part / "runs" / f"{run_id}.npz"
                    write_values(path, values, is_whole=is_whole)
                with closing(connect(part / NAME, create=True)) as made:
                    self._database.backup(made)
            memory = self._database
            try:
                self._use(connect(place / NAME))
            except BaseException:
                shutil.rmtree(place, ignore_errors=True)
                raise
            memory.close()
            self.folder, self._sources, self._unplaced = place, {}, {}
            for run_id in self._locks:  # of those that go on
                self._locks[run_id] = locked(self._lock_file(run_id)) or BytesIO()
            self._seen_version = self._version()

    def _use(self, connection: sqlite3.Connection) -> None:
        self._database = connection
        weakref.finalize(self, connection.close)


def _close_all(locks: dict[str, IO[bytes]]) -> None:
    while locks:
        locks.popitem()[1].close()


def _has_values(known: CellValues) -> bool:
    """Or only what was made before the first?"""
    return not known.settings.is_valued or bool(np.isfinite(known.values).any())


def readable(said: str) -> str:
    """A name as a person can read it on one line; nothing if there is nothing to."""
    shown = " ".join("".join(c if c.isprintable() else " " for c in said).split())
    return content(shown, LONGEST_NAME) if shown else ""


def _name(said: str) -> str:
    return readable(said) or "table"
