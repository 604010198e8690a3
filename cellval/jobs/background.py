"""Long computations in background threads: progress, stop, error, result."""

import logging
import math
import secrets
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import Any, Generic, Protocol, TypeVar

from cellval.cluster import Cluster, of_the_app
from cellval.detect.findings import all_findings
from cellval.detect.readings import writings
from cellval.detect.surprise import Surprise, iter_surprise
from cellval.detect.suspicion import Suspicion, make_suspicion
from cellval.errors import InputError
from cellval.knn.backends import chosen
from cellval.parallel import TICK, give_way
from cellval.progress import Snapshot
from cellval.table.table import Table
from cellval.valuation import iter_chosen
from cellval.values.options import RunOptions
from cellval.values.result import CellValues
from cellval.views.inspection_list import prepare_list
from cellval.views.table_view import table_view
from cellval.views.value_view import value_view

log = logging.getLogger(__name__)

Result = TypeVar("Result")

ACTIVE = ("waiting", "compiling", "running")
# Seconds between two estimates that pages see, at least and at most; between them so
# large a part of the time that the run took by now, and of what making one takes.
VALUES_EVERY, VALUES_AT_LAST = 2.5, 15.0
OF_RUN, OF_MAKING = 0.15, 10.0
# What pages show of values, and what takes long to make for a large table.
SHOWN = ("order", "harmful", "limit", "row_limit", "has_ids", "spread", "overview")
# Runs that are shown again look for what is unusual one after the other.
_looking_again = threading.Semaphore()
SURE = 3.0  # after a third of a run, it tells itself how long it takes


class Job(Generic[Result]):
    """Drains an iterator of snapshots in a thread."""

    def __init__(
        self, table: Table, begin: Callable[[], Iterator[Snapshot[Result]]]
    ) -> None:
        self.id = secrets.token_urlsafe(12)  # for logs and names of threads
        self.table = table  # what it is about
        # Later "compiling", "running", then "done", "stopped" or "failed".
        self.status = "waiting"
        # The latest snapshot, without its result; also after the end.
        self.progress: Snapshot[Result] = Snapshot()
        self.error: str | None = None  # a sentence for the person, if it failed
        self.started = time.time()
        self.finished: float | None = None
        self.memo: Any = None  # what pages want to find again with it
        self.on_end: Callable[[], None] = lambda: None
        self.who = ""  # started it
        self._begin = begin
        self._thread: threading.Thread | None = None
        self._latest: Snapshot[Result] = Snapshot()
        self._lock = threading.Lock()
        self._ended = threading.Event()

    @property
    def active(self) -> bool:
        return self.status in ACTIVE

    @property
    def result(self) -> Result | None:
        """The latest one, also after the end; None before the first."""
        latest = self._latest
        return latest.result if latest.has_result else None

    @property
    def is_over(self) -> bool:
        """Is its thread gone, too?"""
        return self._ended.is_set()

    def start(self) -> None:
        with self._lock:
            if self.status != "waiting":
                return
            self.status = "compiling"
            name = f"cellval-run-{self.id[:6]}"
            thread = threading.Thread(target=self._drain, name=name, daemon=True)
            self._thread = thread
        try:
            thread.start()
        except RuntimeError as error:  # or all that wait would wait for ever
            report(f"run {self.id} cannot start")
            self._thread = None
            self.end_as("failed", _apology(error))

    def stop(self) -> None:
        """End it and keep what there is. Returns at once."""
        self.end_as("stopped")

    def end_as(self, status: str, error: str | None = None) -> None:
        """End it, also before it has begun."""
        self._end(status, error)
        if self._thread is None and not self.is_over:  # it was still waiting
            self._ended.set()
            try:
                self._keep(status, error)
            finally:
                self.on_end()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the thread to be gone; False if it is not."""
        return self._ended.wait(timeout)

    def _see(self, snapshot: Snapshot[Result]) -> None:
        with self._lock:
            if self.active:
                self._latest = snapshot
                self.progress = replace(snapshot, make=None, begun=None)
                self.status = "compiling" if snapshot.preparing else "running"

    def _end(self, status: str, error: str | None = None) -> None:
        with self._lock:
            if not self.active:
                return
            self.error = error
            self.finished = time.time()
            done = 1.0 if status == "done" else self.progress.done
            self.progress = replace(self.progress, seconds_left=0.0, done=done)
            self.status = status

    def _drain(self) -> None:
        give_way()
        snapshots: Any = None
        try:
            snapshots = self._begin()
            for snapshot in snapshots:
                self._see(snapshot)
                del snapshot
                if not self.active:
                    break
            self._keep_and_end(self._ends_as)
        except InputError as error:
            self._keep_and_end("failed", str(error))
        except Exception as error:  # whatever it is, a person must not see it raw
            report(f"run {self.id} on {self.table.name} failed")
            self._keep_and_end("failed", _apology(error))
        finally:
            try:
                if snapshots is not None:
                    snapshots.close()
                self._settle()
            finally:
                self._ended.set()
                self.on_end()

    @property
    def _ends_as(self) -> str:
        """What it is when there is no more to do."""
        return "done"

    def _keep_and_end(self, status: str, error: str | None = None) -> None:
        """What a page says is done is on disk; if it was stopped, it stays so."""
        try:
            if self.active:
                self._keep(status, error)
            else:
                self._keep(self.status, self.error)
        finally:
            self._end(status, error)

    def _keep(self, status: str, error: str | None) -> None:
        """Put on disk what there is at the end."""

    def _settle(self) -> None:
        """Make what is still to be made of the last snapshot."""


class Keeper(Protocol):
    """Who puts a run on disk while it goes on; called in the run's own thread."""

    def steps(
        self,
        table: Table,
        make: Callable[[CellValues | None], Iterator[Snapshot[CellValues]]],
    ) -> Iterator[Snapshot[CellValues]]: ...

    def end(self, status: str, error: str = "") -> None: ...


class ValuationJob(Job[CellValues]):
    """Values the cells of one table, and finds how unusual they are.

    Parameters
    ----------
    over : Snapshot, optional
        The end of an earlier run: nothing is valued, only what is unusual is found.
    keeper : Keeper, optional
        Tells what it goes on from, and keeps it.
    foretold : float, optional
        How many seconds it was said to take before it began.
    """

    def __init__(
        self,
        table: Table,
        options: RunOptions,
        *,
        foretold: float = math.nan,
        over: Snapshot[CellValues] | None = None,
        keeper: Keeper | None = None,
    ) -> None:
        super().__init__(table, self._run)
        self.options, self._foretold = options, foretold
        self._over, self._keeper = over, keeper
        # Soon there, later more exact on large tables.
        self.surprise: Surprise | None = None
        self._values: CellValues | None = None
        self._suspicion: Suspicion | None = None
        self._wanted = False  # were the values asked for since they were made?
        self.has_questions = False  # are they the last, and all findings known?
        self._made_at = self._making = 0.0  # when, and how many seconds that took
        self._looking: Snapshot[Any] = Snapshot()  # how far surprise is
        self._there: Cluster | None = None
        self.place = ""  # where it computes, if not on this computer's processor

    @property
    def result(self) -> CellValues | None:
        return self.values

    @property
    def values(self) -> CellValues | None:
        """The estimate so far; None until there is one.

        The same object for some seconds, so that what pages make of it is used again;
        the next one is made in the run's own thread, if somebody looks.
        """
        self._wanted = True
        return self._values

    @property
    def suspicion(self) -> Suspicion | None:
        """The ranking of the cells so far, made with `values`; None before surprise."""
        self._wanted = True
        return self._suspicion

    @property
    def is_settled(self) -> bool:
        """Will its values change no more? Those of a run that was stopped may."""
        return self.is_over or self.has_questions

    def _see(self, snapshot: Snapshot[CellValues]) -> None:
        super()._see(snapshot)
        if self._there is not None:
            self.place = self._there.words  # workers come and go
        if snapshot.has_result and self.active and self._is_due():
            self._renew(snapshot)

    @property
    def _ends_as(self) -> str:
        is_whole = self._over is None or self._over.done >= 1
        return "done" if is_whole else "stopped"

    def _keep(self, status: str, error: str | None) -> None:
        if self._keeper is not None:
            self._keeper.end(status, error or "")

    def _is_due(self) -> bool:
        """Is it time for new values? The longer a run goes on, the less they change."""
        if self._values is None:
            return True
        known = self._suspicion
        if self.surprise is not (None if known is None else known.surprise):
            return True
        pause = min(VALUES_AT_LAST, OF_RUN * self.progress.seconds)
        pause = max(VALUES_EVERY, pause, OF_MAKING * self._making)
        return self._wanted and time.monotonic() - self._made_at >= pause

    def _renew(self, snapshot: Snapshot[CellValues], *, is_last: bool = False) -> None:
        """New values, and what pages want to know of them; a click does not wait."""
        began, found, suspicion = time.monotonic(), self.surprise, None
        values = _light(snapshot)
        _prepare(values, "typical_stderr")
        _prepare(value_view(values), *SHOWN)
        if found is not None:
            suspicion = make_suspicion(self.table, values, found)
            _prepare(suspicion, "ranks", "n_flagged", "corner")
            self._look_closely(values, suspicion, ask=is_last)
        with self._lock:
            self._values, self._suspicion = values, suspicion
            self.has_questions = is_last
            self._wanted, self._made_at = False, time.monotonic()
            self._making = self._made_at - began

    def _look_closely(
        self, values: CellValues, suspicion: Suspicion, *, ask: bool
    ) -> None:
        """Find suggestions and, at the end, the questions, which takes long, before
        somebody wants to see them.
        """
        try:
            prepare_list(self.table, values, suspicion)
            if ask:
                all_findings(suspicion)
        except Exception:  # values are shown without them
            report(f"findings of {self.table.name} failed")

    def _run(self) -> Iterator[Snapshot[CellValues]]:
        look = threading.Thread(target=self._look, name="surprise", daemon=True)
        look.start()
        step: Snapshot[CellValues] = Snapshot()
        try:
            for step in self._steps():
                yield self._with_looking(step)
            ended = time.monotonic() - step.seconds
            while look.is_alive():
                seconds = time.monotonic() - ended
                yield self._with_looking(replace(step, seconds=seconds))
                look.join(TICK)
        finally:
            if not self.active:  # stopped: it ends with its next step
                look.join()
        look.join()
        if step.has_result and self.active:
            with self._lock:
                if self.active:  # no snapshot, whose values would be made as well
                    self.progress = replace(step, seconds_left=math.nan, make=None)
            self._renew(step, is_last=True)

    def _steps(self) -> Iterator[Snapshot[CellValues]]:
        if self._over is not None:
            return iter([self._over])
        if self._keeper is None:
            return self._made(None)
        return self._keeper.steps(self.table, self._made)

    def _made(self, known: CellValues | None) -> Iterator[Snapshot[CellValues]]:
        if self.options.backend != "cuda":
            self._there = of_the_app()
        if self._there is None and chosen(self.options.backend) == "cuda":
            self.place = "a GPU"
        return iter_chosen(
            self.table, self.options, executor=self._there, continue_from=known
        )

    def _with_looking(self, step: Snapshot[CellValues]) -> Snapshot[CellValues]:
        """It is over when values and surprise both are; the longer one tells when."""
        looking = self._looking
        if step.preparing:
            return step
        if looking.done >= 1:
            return replace(step, seconds_left=self._left(step, step.seconds_left))
        left = max(step.seconds_left, looking.seconds_left)
        if math.isnan(left):  # of one of them nothing can be said yet
            over = step.done >= 1
            left = looking.seconds_left if over else step.seconds_left
        done = min(step.done, step.seconds / (step.seconds + left or 1.0), 0.999)
        if math.isnan(done):
            done = min(step.done, 0.999)
        done = max(done, self.progress.done)
        return replace(step, seconds_left=self._left(step, left), done=done)

    def _left(self, step: Snapshot[CellValues], left: float) -> float:
        """Seconds left: as was foretold at first, later as it goes.

        In the beginning values and surprise share the cores, which tells too much.
        """
        trust, foretold = min(1.0, SURE * step.done), self._foretold - step.seconds
        if trust == 1 or not foretold > 0:
            return left
        return foretold if math.isnan(left) else trust * left + (1 - trust) * foretold

    def _look(self) -> None:
        """How unusual the cells are, beside the values."""
        give_way()
        try:
            with nullcontext() if self._over is None else self._turn_to_look():
                self._look_now()
        except Exception:  # values are shown without it
            report(f"surprise of {self.table.name} failed")
        finally:
            self._looking = Snapshot(1.0, seconds_left=0.0)

    @contextmanager
    def _turn_to_look(self) -> Iterator[None]:
        """Its values are shown at once, and it has no place in a queue."""
        has_turn = False
        while self.active and not has_turn:
            has_turn = _looking_again.acquire(timeout=TICK)
        try:
            yield
        finally:
            if has_turn:
                _looking_again.release()

    def _look_now(self) -> None:
        seed = self.options.random_state
        steps = iter_surprise(self.table, random_state=seed, n_jobs=1)
        while self.active and (step := next(steps, None)):
            if step.has_result:
                if self.surprise is None:  # pages of a large table do not wait
                    writings(self.table)
                    _prepare(table_view(self.table), "encoded")
                self.surprise = step.result
            self._looking = replace(step, make=None)

    def _settle(self) -> None:
        """Values of the last snapshot, also where it was stopped: pages show older ones
        until all that they need of these is there. The rest of the memory goes.
        """
        latest, self._latest = self._latest, Snapshot()
        if latest.has_result and not self.has_questions:
            try:
                self._renew(latest)
            except Exception:  # such as too little memory: the older ones are kept
                report(f"last values of {self.table.name} failed")


def start_job(
    table: Table, begin: Callable[[], Iterator[Snapshot[Result]]]
) -> Job[Result]:
    """Run any iterator of snapshots in the background; `begin` is called in its thread.

    No list holds it: keep it where it will be asked for.
    """
    job = Job(table, begin)
    job.start()
    return job


def _light(snapshot: Snapshot[CellValues]) -> CellValues:
    """Values without the sums of the run, which are several times as large."""
    return replace(snapshot.result, state={})


def _prepare(found: object, *names: str) -> None:
    """Let properties that are computed once be computed now."""
    for name in names:
        getattr(found, name)


def report(message: str) -> None:
    """Log the exception at hand, unless the server is being ended."""
    ending = "interpreter shutdown" in str(sys.exception())
    if threading.main_thread().is_alive() and not ending:
        log.exception(message)


def _apology(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return (
            "The memory of this computer is not enough for the run. Use fewer rows or "
            "columns, and try again."
        )
    return (
        f"Something went wrong inside cellval ({type(error).__name__}). Your data is "
        "unchanged; try again, or with other options. The server's log has the details."
    )
