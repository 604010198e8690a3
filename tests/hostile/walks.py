"""`python -m tests.hostile.walks [N] [FIRST]`: is anything lost between programs?

N walks (or 300), each from a seed of its own, from FIRST on. In each two or three
programs have the same project open and decide, repair, undo, do again, read otherwise,
rename, keep results and runs, value, stop, refresh, close, open, copy, bring in and
delete, in an order that is drawn. Now and then the disk fails or somebody presses
Ctrl-C, at a moment that is drawn as well. After each act memory and disk are compared
with what is reckoned here in plain Python, from what `Project` and `Work` promise:

- what was written is never lost, and what another program wrote meanwhile stays;
- no step stands twice in a history, and none is missing;
- undo and redo give exactly what was there;
- who opens the project again sees what those see who have it open;
- a fault of the disk is told in `trouble`, and nothing else comes out.

A fault is told with its seed and its latest acts.
"""

import errno
import os
import random
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
import traceback
import weakref
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

import cellval
from cellval import InputError, Project, Repair, RunOptions
from cellval.project.archive import pack
from cellval.project.shelf import Shelf
from cellval.project.source import Setup, Source

# What is not promised: acts that lead to it are left out.
KNOWN = {
    "error behind a commit",  # SQLite gives none there
    "export of what is not written",  # lacks it, and the app does not offer it then
    "order of repairs",  # may be another one after a write that failed
}

RAW = b"a,b,y\n1,2,p\n3,4,q\n5,6,p\n7,9,q\n2,2,p\n8,9,q\n"
TESTS = b"a,b,y\n1,3,p\n7,8,q\n", b"a,b,y\n2,3,p\n6,8,q\n"
CELLS = [(row, column) for row in (1, 2, 3) for column in "ab"]
ROWS = [(1, ""), (2, "")]
SETUPS: list[tuple[Setup, dict[str, Any]]] = [  # and how each is told, option by option
    (Setup("y"), {"label": "y"}),
    (Setup("y", exclude=("b",)), {"label": "y", "without b": True}),
    (Setup("y", None, ("b",)), {"label": "y", "without b": True}),
    (
        Setup("y", kinds=(("a", "category"),)),
        {"label": "y", "kind of a": "category"},
    ),
    (
        Setup("y", None, ("b",), (("a", "category"),)),
        {"label": "y", "without b": True, "kind of a": "category"},
    ),
]
RULES, KINDS = ("r", "s", "t"), ("comparison", "findings")
NOTHING = (None, None, ())  # stands on a cell: decision, repair, what that replaced


# --- what is reckoned -----------------------------------------------------------------

Thing = tuple[str, Any]  # such as ("cell", (1, "a")), ("rule", "r"), ("read", "label")


@dataclass(eq=False)
class Act:
    """A step: what it found and what it made of it."""

    before: dict[Thing, Any]
    after: dict[Thing, Any]
    words: str | None = None  # as they were first seen


@dataclass
class Sheet:
    """What stands on what, and how it came to that."""

    things: dict[Thing, Any] = field(default_factory=dict)
    acts: list[Act] = field(default_factory=list)
    n_done: int = 0

    def copy(self) -> "Sheet":
        return Sheet(dict(self.things), list(self.acts), self.n_done)

    def get(self, thing: Thing) -> Any:
        return self.things.get(thing, NOTHING if thing[0] == "cell" else None)

    def put(self, thing: Thing, what: Any) -> None:
        self.things.pop(thing, None)
        if what not in (None, NOTHING):
            self.things[thing] = what

    def part(self, kind: str) -> dict[Thing, Any]:
        return {thing: what for thing, what in self.things.items() if thing[0] == kind}

    @contextmanager
    def one_act(self, *things: Thing) -> Iterator[None]:
        before = {thing: self.get(thing) for thing in things}
        yield
        after = {thing: self.get(thing) for thing in things}
        for thing in things:
            if thing[0] == "read" and before[thing] == after[thing]:
                del before[thing], after[thing]
        if before != after:
            self.acts[self.n_done :] = [Act(before, after)]
            self.n_done += 1

    def turn(self, act: Act, *, back: bool) -> list[Thing]:
        """Things that it turned; the others are no more as the act had them."""
        now, then = (act.after, act.before) if back else (act.before, act.after)
        mine = [thing for thing in then if self.get(thing) == now[thing]]
        for thing in mine:
            self.put(thing, then[thing])
        return mine

    def take_back(self, n: int) -> list[Thing]:
        act, later = self.acts[n], self.acts[n + 1 : self.n_done]
        own = dict(act.before)
        for k, other in enumerate(later):
            theirs = {t: own.pop(t) for t in [*own] if t in other.before}
            if theirs:
                before = {**other.before, **theirs}
                later[k] = Act(before, other.after, other.words)
        free = Act(own, {t: act.after[t] for t in own}, act.words)
        self.acts[n : self.n_done] = [*later, *([free] if own else [])]
        self.n_done -= 1
        return self.turn(free, back=True)


def decided(was: tuple, decision: str | None) -> tuple:
    return (decision, *was[1:])


def mended(cell: tuple, was: tuple, repair: tuple | None) -> tuple:
    """What stands on it after a repair, or after one is taken back."""
    decision, _, replaced = was
    if repair is None:
        return (replaced[0] if replaced else decision), None, ()
    if not cell[1]:
        return decision, repair, replaced
    return "error", repair, replaced or (decision,)


@dataclass
class Disk:
    sheet: Sheet = field(default_factory=Sheet)
    name: str = ""
    results: dict[str, Any] = field(default_factory=dict)
    runs: dict[str, tuple] = field(default_factory=dict)
    times: int = 0

    def copy(self) -> "Disk":
        parts = self.sheet.copy(), self.name, dict(self.results), dict(self.runs)
        return Disk(*parts, self.times)


class Program:
    """One that has the project open, and what it must know."""

    def __init__(self, project: Project, disk: Disk) -> None:
        self.project = project
        self.forget(disk)
        self.groups: list[tuple[Any, Act]] = []  # as buttons of a page have them
        self.is_cut = False  # by Ctrl-C: it need not say that it is behind

    def forget(self, disk: Disk) -> None:
        """All but what is on disk."""
        self.mind, self.known = disk.sheet.copy(), disk.sheet.copy()
        self.name, self.times = disk.name, disk.times
        self.pending: set[Thing] = set()
        self.new_name: str | None = None
        self.late: dict[tuple[str, str], Any] = {}

    @property
    def is_behind(self) -> bool:
        if self.pending or self.late or self.new_name is not None:
            return True
        mine, known = self.mind, self.known
        kinds = ("rule", "read")
        told = [mine.part(kind) == known.part(kind) for kind in kinds]
        return not all(told) or (mine.acts, mine.n_done) != (known.acts, known.n_done)

    def write(self, disk: Disk) -> None:
        """What another program did meanwhile stays."""
        mine, known, theirs = self.mind, self.known, disk.sheet
        n = known.n_done
        new = theirs.copy()
        if disk.times == self.times:
            new.acts, new.n_done = list(mine.acts), mine.n_done
        elif mine.n_done > n and mine.acts[:n] == known.acts[:n]:
            stand = theirs.acts[: theirs.n_done]
            done = mine.acts[n : mine.n_done]
            more = [act for act in done if not self.has(act, stand)]
            if more:
                new.acts = [*stand, *more]
                new.n_done = len(new.acts)
        for thing in self.pending:
            new.put(thing, mine.get(thing))
        if mine.part("read") != known.part("read"):
            for thing in [*theirs.part("read"), *mine.part("read")]:
                new.put(thing, mine.get(thing))
        for thing in {**mine.part("rule"), **known.part("rule")}:
            if mine.get(thing) != known.get(thing):
                new.put(thing, mine.get(thing))
        disk.sheet = new
        disk.name = disk.name if self.new_name is None else self.new_name
        disk.times += 1
        late, cut = self.late, self.is_cut
        self.forget(disk)
        self.late, self.is_cut = late, cut

    def has(self, act: Act, stand: list[Act]) -> bool:
        """One that is done again here has been done again by another program; or that
        has done just the same.
        """
        new = [one for one in stand if one not in self.known.acts]
        told = act.before, act.after, act.words
        same = (told == (one.before, one.after, one.words) for one in new)
        return act in stand or (act in self.known.acts and any(same))

    def write_late(self, disk: Disk) -> None:
        for (kind, name), what in self.late.items():
            (disk.results if kind == "result" else disk.runs)[name] = what
        self.late = {}

    def refresh(self, disk: Disk) -> None:
        if not self.is_behind and self.times != disk.times:
            self.forget(disk)


# --- faults ---------------------------------------------------------------------------

WRITES = ("INSERT", "UPDATE", "DELETE")
READS = ("SELECT", "PRAGMA data_version")
MOMENTS = (
    "before a beginning",
    "behind a beginning",
    "before a write",
    "before a read",
    "before a commit",
    "behind a commit",
    "before all that was written",
)
FILE_MOMENTS = ("before a file is whole", "behind a whole file")
PLACING = ("before a file is whole", "before a beginning", "before a commit")
ERRORS = (
    ("disk I/O error", sqlite3.SQLITE_IOERR),
    ("database or disk is full", sqlite3.SQLITE_FULL),
    ("database is locked", sqlite3.SQLITE_BUSY),
)


class Trap:
    """Where the next act fails, and with what."""

    def __init__(self) -> None:
        self.moment, self.left = "", 0
        self.error: BaseException | None = None
        self.is_sprung, self.n_commits = False, 0  # and commits since it was set
        self.killed: tuple[Path, Path] | None = None  # what is copied, and where to

    def set(self, moment: str, left: int, error: BaseException | None) -> None:
        self.moment, self.left, self.error, self.is_sprung = moment, left, error, False
        self.n_commits = 0

    def clear(self) -> bool:
        """Was it sprung?"""
        sprung, self.moment, self.killed = self.moment and self.is_sprung, "", None
        return bool(sprung)

    def at(self, moment: str) -> None:
        if moment != self.moment or self.is_sprung:
            return
        self.left -= 1
        if self.left < 0:
            self.is_sprung = True
            if self.killed is not None:
                shutil.copytree(*self.killed)
            elif isinstance(self.error, KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)  # which may be heeded later
            elif self.error is not None:
                raise self.error


TRAP = Trap()
_connect, _replace, _sync = sqlite3.connect, Path.replace, os.fsync


class Watched(sqlite3.Connection):
    """A connection that fails as the trap is set."""

    def execute(self, sql: str, *how: Any) -> sqlite3.Cursor:
        if not TRAP.moment:
            return super().execute(sql, *how)
        kind = (
            "a beginning" if sql.startswith("BEGIN")
            else "a commit" if sql == "COMMIT"
            else "a write" if sql.startswith(WRITES)
            else "a read" if sql.startswith(READS)
            else "all that was written" if sql == "PRAGMA query_only"
            else "anything else"
        )  # fmt: skip
        TRAP.at(f"before {kind}")
        found = super().execute(sql, *how)
        TRAP.n_commits += kind == "a commit"
        TRAP.at(f"behind {kind}")
        return found

    def executemany(self, sql: str, *how: Any) -> sqlite3.Cursor:
        TRAP.at("before a write")
        return super().executemany(sql, *how)


@contextmanager
def watched() -> Iterator[None]:
    """Nothing waits, and all that is written can fail."""

    def connect(path: Any, wait: float = 0.05, **how: Any) -> sqlite3.Connection:
        return _connect(path, 0.05, factory=Watched, **how)

    def fsync(number: int) -> None:
        TRAP.at("before a file is whole")
        _sync(number)

    def take_place(self: Path, place: Any) -> Path:
        found = _replace(self, place)
        if self.name.startswith(".cellval-"):
            TRAP.at("behind a whole file")
        return found

    with ExitStack() as stack:
        stack.enter_context(mock.patch.object(sqlite3, "connect", connect))
        stack.enter_context(mock.patch.object(os, "fsync", fsync))
        stack.enter_context(mock.patch.object(Path, "replace", take_place))
        stack.enter_context(mock.patch("cellval.project.run.PATIENCE", 0.0))
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        stack.callback(signal.signal, signal.SIGINT, before)
        yield


# --- a walk ---------------------------------------------------------------------------


def standing(decision: Any, repair: Repair | None, replaced: Any) -> tuple:
    how = repair and (repair.action, repair.after)
    return decision, how or None, tuple(replaced)


def seen(project: Project) -> dict[Thing, Any]:
    """What stands on what, as a program shows it."""
    work, sheet = project.work, Sheet()
    for cell in {**work.decisions, **work.repairs, **work.before_repair}:
        sheet.put(("cell", cell), standing(*work.standing(cell)))
    for key, verdict in work.rules.items():
        sheet.put(("rule", key), (verdict.answer, verdict.finding["title"]))
    for name, said in work.reading.items():
        sheet.put(("read", name), said)
    return sheet.things


Sides = tuple[dict[Thing, Any], dict[Thing, Any]]
_told: "weakref.WeakKeyDictionary[Any, Sides]" = weakref.WeakKeyDictionary()


def told_step(step: Any) -> Sides:
    """What it found and what it made; steps are never changed."""
    if step in _told:
        return _told[step]
    sides = []
    for side in ("before", "after"):
        cells, rules, read = (
            getattr(step, f"{what}{side}") for what in ("", "rules_", "reading_")
        )
        told: dict[Thing, Any] = {
            ("cell", cell): standing(*was) for cell, was in cells.items()
        }
        for key, said in rules.items():
            told["rule", key] = said and (said.answer, said.finding["title"])
        told |= {("read", name): said for name, said in read.items()}
        sides.append(told)
    _told[step] = sides[0], sides[1]
    return _told[step]


class Walk:
    """Programs on one project; every choice follows from the seed."""

    def __init__(self, folder: Path, seed: int, n_programs: int = 2) -> None:
        self.random = random.Random(seed)
        self.shelf = Shelf(folder)
        self.n = 0  # words that stand nowhere else
        self.log: deque[str] = deque(maxlen=12)
        self.count: Counter[str] = Counter()
        self.references: dict[Any, np.ndarray] = {}
        self.lost: set[str] = set()  # runs whose values are known to be gone
        self.disk = Disk()
        self.programs: list[Program] = []
        self.test: bytes | None = None
        self.begin(n_programs)

    def begin(self, n_programs: int) -> None:
        """A new project, which all of them open."""
        source, setup = Source.of("t.csv", RAW), SETUPS[0][0]
        self.disk = Disk(Sheet({("read", "label"): "y"}), "first")
        self.test = None
        if self.random.random() < 0.2:
            project = Project.create(None, source, setup, name="first")
            self.programs = [Program(project, self.disk)]
            self.begin_in_memory(self.programs[0])
        else:
            kept: list[Project] = []

            def create() -> None:
                kept.append(self.shelf.create_kept(source, setup, name="first"))

            if self.fails(None, create, (*MOMENTS[:-2], *FILE_MOMENTS)) and not kept:
                assert not self.shelf.entries() and not self.shelf.aside
                create()
            self.programs = [Program(kept[0], self.disk)]
        if "first step undone" in KNOWN:
            first, thing = self.programs[0], ("cell", (1, "b"))
            with first.mind.one_act(thing):
                first.mind.put(thing, decided(first.mind.get(thing), "unsure"))
            first.pending.add(thing)
            first.project.work.decide(1, "b", "unsure")
            first.write(self.disk)
        else:
            self.decide(self.programs[0])
            self.undo(self.programs[0])
        for _ in range(n_programs - 1):
            self.programs.append(Program(self.shelf.open(self.id), self.disk))

    def begin_in_memory(self, program: Program) -> None:
        """There is no place for it, until there is."""
        project = program.project
        acts = [self.decide, self.repair, self.answer, self.undo, self.redo]
        acts += [self.keep_result, self.try_again, self.take_back, self.read_so]
        for act in self.random.choices(acts, k=self.random.randrange(12)):
            self.say(act.__name__, "in memory")
            act(program)
            self.compare(program)
        if self.random.random() < 0.1:
            project.value(n_neighbors=5, n_jobs=1)
            self.learn_runs(program, {}, is_done=False)
            if "values of a project in memory" in KNOWN:
                self.lost = {run.id for run in project.runs}
        self.say("it takes its place")
        if self.fails(program, partial(self.shelf.keep, project), PLACING):
            assert program.is_cut or project.trouble
            self.shelf.keep(project)
        program.write_late(self.disk)
        program.write(self.disk)
        program.is_cut = False
        assert project.trouble == "" and project.folder is not None, project.trouble
        self.learn_runs(program, {}, is_done=False)
        self.count["in memory"] += 1

    @property
    def id(self) -> str:
        return self.programs[0].project.id

    def close(self) -> None:
        for program in self.programs:
            program.project.close()

    def new(self, what: str) -> str:
        self.n += 1
        return f"{what}{self.n}"

    # --- acts -------------------------------------------------------------------------

    def step(self) -> None:
        acts: list[tuple[float, Callable[[Program], None]]] = [
            (18, self.decide),
            (12, self.repair),
            (6, self.repair_many),
            (8, self.decide_many),
            (5, self.take_away),
            (4, self.take),
            (9, self.answer),
            (6, self.read_so),
            (16, self.undo),
            (14, self.redo),
            (6, self.take_back),
            (4, self.undo_group),
            (4, self.rename),
            (4, self.keep_result),
            (3, self.note_run),
            (14, self.refresh),
            (6, self.try_again),
            (4, self.open_again),
            (3, self.settle),
            (1.2, self.keep_test),
            (0.6, self.copy),
            (0.4, self.value),
            (0.2, self.stop),
            (0.1, self.delete),
        ]
        weights = [often for often, _ in acts]
        _, act = self.random.choices(acts, weights)[0]
        program = self.random.choice(self.programs)
        self.count[act.__name__] += 1
        self.say(act.__name__, self.programs.index(program))
        act(program)
        for each in self.programs:
            self.compare(each)
        if self.random.random() < 0.3:
            self.compare_disk()

    def say(self, *words: Any) -> None:
        self.log.append(" ".join(map(str, words)))

    def do(self, program: Program, act: Callable[[], Any], things: Any = ()) -> None:
        """What changed things and is written in one go; or it is not, if that fails."""
        program.pending |= {thing for thing in things if thing[0] == "cell"}
        outcome = self.fails(program, act)
        if not outcome or TRAP.n_commits:
            program.write(self.disk)
            program.is_cut &= program.is_behind
        if outcome:
            self.check_trouble(program)
            if outcome == "behind a commit" or self.random.random() < 0.4:
                self.try_again(program, True)
        else:
            self.check_trouble(program)

    def fails(
        self,
        program: Program | None,
        act: Callable[[], Any],
        moments: tuple[str, ...] = MOMENTS,
        share: float = 0.25,
    ) -> str:
        """Do it, maybe with a fault; the moment at which it failed, if it did."""
        if self.random.random() >= share:
            act()
            return ""
        moment = self.random.choice(moments)
        ways = ["error", "Ctrl-C"]
        is_kept = program is not None and program.project.folder is not None
        if moment.endswith("a commit") and is_kept:
            ways.append("killed")
        if moment == "behind a beginning":
            ways = ["Ctrl-C"]
        way = self.random.choice(ways)
        fault = f"{way} {moment}"
        if fault in KNOWN:
            act()
            return ""
        error: BaseException | None = KeyboardInterrupt()
        if way == "error" and moment in FILE_MOMENTS:
            number = self.random.choice((errno.ENOSPC, errno.EIO))
            error = OSError(number, "a fault")
        elif way == "error":
            words, code = self.random.choice(ERRORS)
            error = sqlite3.OperationalError(words)
            error.sqlite_errorcode = code
        before = self.disk.copy()
        TRAP.set(moment, self.random.choice((0, 0, 0, 1, 2, 4)), error)
        if way == "killed" or moment in FILE_MOMENTS:
            TRAP.left = 0
        if way == "killed":
            self.dead = self.shelf.folder.parent / self.new("dead")
            place = self.dead / "projects" / self.id
            TRAP.killed = self.shelf.folder / self.id, place
        self.say("   with", fault)
        try:
            act()
        except KeyboardInterrupt:
            assert way == "Ctrl-C", "not pressed"
            assert TRAP.clear(), "not pressed"
            if program is not None:
                program.is_cut = True
            self.count[fault] += 1
            return moment
        except (InputError, sqlite3.Error, OSError) as why:
            if program is not None or not isinstance(why, InputError):
                raise
            TRAP.clear()
            self.count[fault] += 1
            return moment
        if not TRAP.clear():
            self.log.pop()
            return ""
        assert way != "Ctrl-C", "swallowed"
        self.count[fault] += 1
        if way == "killed":
            assert program is not None
            self.check_dead(program, before, moment)
            return ""
        return moment

    def check_dead(self, program: Program, before: Disk, moment: str) -> None:
        """Killed at that moment it has all of it or nothing; `act` was one commit."""
        found = Shelf(self.dead).open(self.id)
        try:
            steps = [told_step(step) for step in found.work.steps]
            now = seen(found), steps, found.work.n_done
            sheet = before.sheet
            then = sheet.things, [(a.before, a.after) for a in sheet.acts], sheet.n_done
            if moment == "before a commit":
                assert now == then, "half of it is there"
        finally:
            found.close()
            shutil.rmtree(self.dead)

    def check_trouble(self, program: Program) -> None:
        trouble = program.project.trouble
        if not program.is_behind or program.project.folder is None:
            return
        assert trouble or program.is_cut, "it says that all is written"

    # each of them first reckons, then does

    def some(self, most: int = 3) -> list[tuple]:
        return self.random.sample(CELLS, self.random.randint(1, most))

    def decide(self, program: Program) -> None:
        cell = self.random.choice(CELLS)
        said = self.random.choice((None, "error", "fine", "unsure"))
        thing = ("cell", cell)
        with program.mind.one_act(thing):
            program.mind.put(thing, decided(program.mind.get(thing), said))
        self.do(program, partial(program.project.work.decide, *cell, said), [thing])

    def new_repair(self) -> Repair:
        if self.random.random() < 0.3:
            return Repair("blank")
        return Repair("replace", str(self.random.randint(1, 9)))

    def repair(self, program: Program) -> None:
        if self.random.random() < 0.2:
            cell, new = self.random.choice(ROWS), Repair("drop")
        else:
            cell, new = self.random.choice(CELLS), self.new_repair()
        thing, mind = ("cell", cell), program.mind
        with mind.one_act(thing):
            mind.put(thing, mended(cell, mind.get(thing), (new.action, new.after)))
        self.do(program, partial(program.project.work.repair, *cell, new), [thing])

    def repair_many(self, program: Program) -> None:
        changes = {
            cell: self.new_repair() if self.random.random() < 0.8 else None
            for cell in self.some()
        }
        mind = program.mind
        told = [(c, new) for c, new in changes.items() if new or self.has(mind, c)]
        has = {("cell", cell): new for cell, new in told}
        with mind.one_act(*has):
            for thing, new in has.items():
                how = (new.action, new.after) if new else None
                mind.put(thing, mended(thing[1], mind.get(thing), how))
        work = program.project.work
        self.do(program, partial(work.repair_cells, changes), has)

    def has(self, mind: Sheet, cell: tuple) -> bool:
        return mind.get(("cell", cell))[1] is not None

    def decide_many(self, program: Program) -> None:
        """A group; some of it is repaired, in any order."""
        cells, work, mind = self.some(4), program.project.work, program.mind
        inner = list(cells)
        if "order of repairs" not in KNOWN:
            self.random.shuffle(inner)
        ways: list[Any] = ["error", "fine", Repair("blank"), self.new_repair()]
        how = {cell: self.random.choice(ways) for cell in inner}
        words = self.new("group ")
        things = [("cell", cell) for cell in cells]
        n = mind.n_done
        with mind.one_act(*things):
            for cell, new in how.items():
                thing = ("cell", cell)
                was = mind.get(thing)
                is_said = isinstance(new, str)
                after = None if is_said else (new.action, new.after)
                now = decided(was, new) if is_said else mended(cell, was, after)
                mind.put(thing, now)
        act = mind.acts[-1] if mind.n_done > n else None

        def group() -> None:
            with work.together(words, cells, kind="codes"):
                for cell, new in how.items():
                    change: Any = work.decide if isinstance(new, str) else work.repair
                    change(*cell, new)

        self.do(program, group, things)
        made = [step for step in work.steps if step.words == words]
        if act is not None and made:
            program.groups.append((made[0], act))

    def take_away(self, program: Program) -> None:
        mind, cells = program.mind, self.some()
        things = [("cell", cell) for cell in cells]
        with mind.one_act(*things):
            for thing in things:
                if self.has(mind, thing[1]):
                    mind.put(thing, mended(thing[1], mind.get(thing), None))
        self.do(program, partial(program.project.work.undo, *cells), things)

    def take(self, program: Program) -> None:
        """What a file of decisions says."""
        mind = program.mind
        says = {cell: self.random.choice(("error", "fine")) for cell in self.some()}
        cells = self.some()
        if "order of repairs" in KNOWN:
            cells = [cell for cell in cells if cell not in says]
        changes = {cell: self.new_repair() for cell in cells}
        things = [("cell", cell) for cell in {**says, **changes}]
        with mind.one_act(*things):
            for cell, said in says.items():
                mind.put(("cell", cell), decided(mind.get(("cell", cell)), said))
            for cell, new in changes.items():
                was = mind.get(("cell", cell))
                mind.put(("cell", cell), (was[0], (new.action, new.after), was[2]))
        self.do(program, partial(program.project.work.take, says, changes), things)

    def answer(self, program: Program) -> None:
        mind, key = program.mind, self.random.choice(RULES)
        said = self.random.choice((None, "accepted", "refused"))
        instead = [r for r in RULES if r != key and self.random.random() < 0.15]
        title = self.random.choice("uv")
        things = [("rule", rule) for rule in (*instead, key)]
        with mind.one_act(*things):
            for thing in things:
                is_it = thing[1] == key and said is not None
                mind.put(thing, (said, title) if is_it else None)
        told = {"title": title, "given": ["a"]}
        work = program.project.work
        self.do(program, partial(work.answer, key, said, told, instead=instead))

    def read_so(self, program: Program) -> None:
        mind, (setup, told) = program.mind, self.random.choice(SETUPS)
        things = [*mind.part("read"), *(("read", name) for name in told)]
        with mind.one_act(*dict.fromkeys(things)):
            for thing in things:
                mind.put(thing, told.get(thing[1]))
        self.do(program, partial(setattr, program.project, "setup", setup))

    def undo(self, program: Program) -> None:
        mind, work = program.mind, program.project.work
        if not mind.n_done:
            assert work.undo_step() is None
            return
        for _ in range(self.random.choice((1, 1, 1, 2, 5))):
            if (mind := program.mind).n_done:
                mind.n_done -= 1
                turned = mind.turn(mind.acts[mind.n_done], back=True)
                self.do(program, work.undo_step, turned)

    def redo(self, program: Program) -> None:
        mind, work = program.mind, program.project.work
        others = program.times != self.disk.times
        if others and "redo in two programs" in KNOWN:
            return
        if mind.n_done >= len(mind.acts):
            assert work.redo_step() is None
            return
        for _ in range(self.random.choice((1, 1, 1, 2, 5))):
            if (mind := program.mind).n_done < len(mind.acts):
                act = mind.acts[mind.n_done]
                mind.n_done += 1
                self.do(program, work.redo_step, mind.turn(act, back=False))

    def take_back(self, program: Program) -> None:
        if program.mind.n_done:
            n = self.random.randrange(program.mind.n_done)
            turned = program.mind.take_back(n)
            self.do(program, partial(program.project.work.take_back, n), turned)

    def undo_group(self, program: Program) -> None:
        """By a button that may have been drawn long ago."""
        if not program.groups:
            return
        step, act = self.random.choice(program.groups)
        mind, work = program.mind, program.project.work
        done = mind.acts[: mind.n_done]
        if act not in done:
            return
        if "groups of before" in KNOWN and step not in work.steps:
            return
        turned = mind.take_back(done.index(act))
        self.do(program, partial(work.undo_together, step), turned)

    def rename(self, program: Program) -> None:
        program.new_name = self.new("name")
        self.do(program, partial(setattr, program.project, "name", program.new_name))

    def keep_result(self, program: Program) -> None:
        kind, what = self.random.choice(KINDS), [self.new("from"), self.new("result")]
        self.keep_late(
            program,
            ("result", kind),
            tuple(what),
            partial(program.project.keep_result, kind, *what),
        )

    def keep_late(
        self, program: Program, key: tuple, what: Any, act: Callable[[], Any]
    ) -> None:
        program.late[key] = what
        outcome = self.fails(program, act)
        if not outcome or TRAP.n_commits:
            where = self.disk.results if key[0] == "result" else self.disk.runs
            where[key[1]] = program.late.pop(key)
        self.check_trouble(program)
        if outcome == "behind a commit" or (outcome and self.random.random() < 0.4):
            self.try_again(program, True)

    def note_run(self, program: Program) -> None:
        """How far it is, by somebody who makes it."""
        project = program.project
        known = [run for run in project.runs if run.seen.startswith("by hand")]
        words = self.new("by hand ")
        if known and self.random.random() < 0.7:
            run = self.random.choice(known)
            status = self.random.choice(("running", "stopped"))
            run = replace(run, seen=words, status=status)
        else:
            some = Project  # a run that was never valued
            run = some.begin_run(project, RunOptions(n_neighbors=9))
            self.disk.runs[run.id] = run.status, run.seen
            if program.project.trouble and not program.is_behind:
                raise AssertionError(program.project.trouble)
            run = replace(run, seen=words)
        what = run.status, run.seen
        self.keep_late(program, ("run", run.id), what, partial(project.note_run, run))

    def refresh(self, program: Program) -> None:
        moments = ("before a read", "behind a beginning")
        outcome = self.fails(program, program.project.refresh, moments)
        if not outcome:
            program.refresh(self.disk)
        elif outcome == "before a read" and not program.is_cut:
            assert program.project.trouble

    def try_again(self, program: Program, is_sure: bool = False) -> None:
        project = program.project
        share = 0.0 if is_sure else 0.3
        self.say("   try again", self.programs.index(program))
        if self.fails(program, project.try_again, share=share):
            project.try_again()
        program.write_late(self.disk)
        program.write(self.disk)
        program.is_cut = False
        program.refresh(self.disk)
        assert project.trouble == "" or project.folder is None, project.trouble

    def open_again(self, program: Program) -> None:
        """What was not written is gone, and it had said so."""
        self.check_trouble(program)
        program.project.close()
        self.shelf.aside.clear()
        kept: list[Project] = []

        def open_it() -> None:
            kept.append(self.shelf.open(self.id))

        moments = ("before a read", "before a beginning", "behind a beginning")
        if self.fails(None, open_it, moments):
            assert not self.shelf.aside, self.shelf.aside
            assert not kept
            open_it()
        program.project = kept[0]
        program.forget(self.disk)
        program.groups, program.is_cut = [], False
        assert kept[0].trouble == ""

    def settle(self, program: Program) -> None:
        """All of them write what they have, and look."""
        for each in self.programs:
            self.try_again(each, True)
        for each in self.programs:
            each.project.refresh()
            each.refresh(self.disk)
        self.compare_disk()
        for each in self.programs:
            self.compare(each)
            assert each.project.trouble == "" and not each.is_behind
        shown = [seen(each.project) for each in self.programs]
        assert all(one == shown[0] for one in shown)

    def keep_test(self, program: Program) -> None:
        """A second file; a name without its bytes must never be there."""
        if program.is_behind:
            self.try_again(program, True)
        project, raw = program.project, self.random.choice(TESTS)
        new = Source.of("test.csv", raw)
        moments = (*MOMENTS, *FILE_MOMENTS * 3)
        setting = partial(setattr, project, "test_source", new)
        outcome = self.fails(program, setting, moments, 0.6)
        if outcome and self.random.random() < 0.5:
            found = self.shelf.open(self.id)  # as if it was killed now
            if "test file without bytes" not in KNOWN:
                test = found.test_source
                assert (test and test.raw) in (self.test, raw)
            found.close()
        if outcome == "":
            program.write(self.disk)
        else:
            project.try_again()
            if program.is_cut:  # it may not have come to the second half of it
                project.test_source = new
            program.write(self.disk)
            program.is_cut = False
        self.test = raw
        assert project.trouble == "", project.trouble
        assert project.test_source is not None and project.test_source.raw == raw
        # Only the first part of several may have been written again and again.
        self.disk.times = self.times_of(project)
        program.times = self.disk.times
        for each in self.programs:
            each.project.refresh()
            if not each.is_behind:
                each.forget(self.disk)

    def times_of(self, project: Project) -> int:
        return -1 - self.n  # differs from what the others know

    def copy(self, program: Program) -> None:
        """Others have all of it under other names."""
        if program.is_behind and "export of what is not written" in KNOWN:
            return
        kept: list[Project] = []

        packed = pack(program.project)

        def bring() -> None:
            kept.append(self.shelf.bring_in(packed, name="copy"))

        before = sorted(self.shelf.folder.iterdir())
        if self.fails(None, bring, (*MOMENTS[:-2], *FILE_MOMENTS)) and not kept:
            assert sorted(self.shelf.folder.iterdir()) == before, "a part of it stays"
            return
        (found,) = kept
        try:
            if not program.is_behind and program.times == self.disk.times:
                self.same(found, program.mind, "the copy")
                assert [*found.work.repairs.items()] == [
                    *program.project.work.repairs.items()
                ] or "order of repairs" in KNOWN
            assert found.name == "copy"
            self.same_late(found, "the copy")
        finally:
            found.close()
            self.shelf.delete(found.id)

    def value(self, program: Program) -> None:
        """All values there are, and those that anybody would get of this table."""
        project, k = program.project, self.random.choice((1, 2))
        outcome, got = "", []
        before = {run.id: run for run in project.runs}
        moments: tuple[str, ...] = ()
        if not program.is_behind:
            moments = (*MOMENTS, *FILE_MOMENTS)
        if "raw errors of reading" in KNOWN:
            moments = tuple(moment for moment in moments if "read" not in moment)

        def value() -> None:
            got.append(project.value(n_neighbors=k, n_jobs=1))

        try:
            expected = self.reference(program, k)
            outcome = self.fails(program, value, moments, 0.4 if moments else 0.0)
        except InputError:
            TRAP.clear()  # a table of too few rows
        if outcome:
            self.try_again(program, True)
        if got:
            assert np.array_equal(got[0].values, expected, equal_nan=True)
        self.learn_runs(program, before, is_done=bool(got))

    def reference(self, program: Program, k: int) -> np.ndarray:
        project = program.project
        key = (frozenset(project.work.repairs.items()), project.setup, k)
        if key not in self.references:
            values = cellval.value_cells(project.table, n_neighbors=k, n_jobs=1)
            self.references[key] = values.values
        return self.references[key]

    def learn_runs(self, program: Program, before: dict, *, is_done: bool) -> None:
        """New ones, and no other has changed but one that went on."""
        project = program.project
        runs = project.runs
        for run in runs:
            old = before.get(run.id)
            if old is not None and old != run:
                assert old.status != "done" and not old.seen.startswith("by hand")
            is_lost = run.id in self.lost
            if run.status == "done" and project.folder is not None and not is_lost:
                assert project.is_whole(run) or program.is_behind
        if is_done and not program.is_behind:
            assert any(run.status == "done" for run in runs)
        for run in runs:
            if ("run", run.id) not in program.late:
                self.disk.runs[run.id] = run.status, run.seen

    def stop(self, program: Program) -> None:
        """After the first step; meanwhile nobody else makes steps of it."""
        project = program.project
        before = {run.id: run for run in project.runs}
        k = self.random.choice((3, 4))
        steps: Any = project.iter_values(n_neighbors=k, n_jobs=1)
        try:
            next(steps)
        except InputError:  # a table of too few rows
            self.learn_runs(program, before, is_done=False)
            return
        asked = [run for run in project.runs if run.options == {"n_neighbors": k}]
        run = asked[-1]
        for other in self.programs:
            if other is not program and run.status == "running":
                assert not other.project.lock(run), "two make the same run"
        steps.close()
        ended = {one.id: one for one in project.runs}[run.id]
        assert ended.status in ("stopped", "done"), ended
        self.learn_runs(program, before, is_done=False)

    def delete(self, program: Program) -> None:
        """The others are told when they decide next; then all go on with a new one."""
        self.shelf.delete(self.id)
        for each in self.programs:
            assert each.project.is_gone
            each.project.work.decide(1, "a", "fine")
            each.project.work.decide(1, "a", "error")
            assert each.project.trouble, "kept in a folder that is gone"
            each.project.try_again()
            assert each.project.trouble, "kept in a folder that is gone"
            each.project.refresh()
        try:
            self.shelf.open(self.id)
        except InputError:
            pass
        else:
            raise AssertionError("it is open again")
        self.close()
        self.begin(len(self.programs))

    # --- checks -----------------------------------------------------------------------

    def compare(self, program: Program) -> None:
        project = program.project
        self.same(project, program.mind, "memory")
        there = set(program.mind.acts)  # what was gone for a while is another one
        program.groups = [both for both in program.groups if both[1] in there]
        name = program.name if program.new_name is None else program.new_name
        if "names of another program" not in KNOWN:
            assert project.name == name, f"named {project.name}, not {name}"

    def same(self, project: Project, sheet: Sheet, where: str) -> None:
        found, expected = seen(project), sheet.things
        assert found == expected, (where, difference(found, expected))
        work = project.work
        words = [step.words for step in work.steps]
        expected_words = [act.words for act in sheet.acts]
        assert len(words) == len(sheet.acts), (where, words, expected_words)
        assert work.n_done == sheet.n_done, (where, work.n_done, sheet.n_done, words)
        for step, act in zip(work.steps, sheet.acts, strict=True):
            assert told_step(step) == (act.before, act.after), (where, step.words)
            act.words = act.words or step.words
            assert act.words == step.words, (where, act.words, step.words)

    def same_late(self, project: Project, where: str) -> None:
        for kind in KINDS:
            found, expected = project.result(kind), self.disk.results.get(kind)
            assert found == expected, (where, kind, found, expected)
        runs = {run.id: (run.status, run.seen) for run in project.runs}
        assert runs == self.disk.runs, (where, difference(runs, self.disk.runs))

    def compare_disk(self) -> None:
        """What somebody sees who opens it now."""
        found = self.shelf.open(self.id)
        try:
            assert found.trouble == ""
            self.same(found, self.disk.sheet, "disk")
            assert found.name == self.disk.name, (found.name, self.disk.name)
            self.same_late(found, "disk")
            assert found.source.raw == RAW
            test = found.test_source
            assert (test and test.raw) == self.test
            for program in self.programs:
                if program.is_behind or program.times != self.disk.times:
                    continue
                order = [*program.project.work.repairs.items()]
                is_same = [*found.work.repairs.items()] == order
                assert is_same or "order of repairs" in KNOWN, "another order"
        finally:
            found.close()


def difference(found: dict, expected: dict) -> dict:
    keys = {**found, **expected}
    pairs = {key: (found.get(key), expected.get(key)) for key in keys}
    return {key: both for key, both in pairs.items() if both[0] != both[1]}


def walk(seed: int, n_steps: int = 100) -> Counter[str]:
    """What was done, how often; AssertionError with the latest acts of what is lost."""
    TRAP.clear()
    # Where fsync costs nothing, if there is such a place: nobody cuts the power.
    memory = Path("/dev/shm")
    where = memory if memory.is_dir() else None
    with tempfile.TemporaryDirectory(dir=where) as made, watched():
        one = Walk(Path(made), seed, 2 + seed % 3 // 2)
        try:
            for n in range(n_steps):  # noqa: B007 - told where it fails
                one.step()
            one.settle(one.programs[0])
        except BaseException as why:
            why.add_note(f"seed {seed}, step {n}:\n" + "\n".join(one.log))
            raise
        finally:
            TRAP.clear()
            one.close()
        return one.count


def main(n: int, first: int) -> int:
    done: Counter[str] = Counter()
    n_faults, began = 0, time.monotonic()
    for seed in range(first, first + n):
        try:
            done += walk(seed)
        except Exception:
            n_faults += 1
            traceback.print_exc(limit=-3)
    seconds = time.monotonic() - began
    for act, times in sorted(done.items()):
        print(f"{act}: {times}")
    print(f"{n} walks in {seconds:.0f} s: {n_faults} with a fault")
    return n_faults


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    how_many, first = [*given, *(300, 0)[len(given) :]][:2]
    sys.exit(1 if main(how_many, first) else 0)
