"""Runs in background threads: start, progress, stop, error, result. No streamlit here.

The registry is module-level: a valuation outlives the page that started it, and whoever
knows its random id finds it again.
"""

import logging
import os
import secrets
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from cellval.detect.surprise import Surprise, iter_surprise
from cellval.errors import InputError
from cellval.knn.engine import Snapshot
from cellval.parallel import n_cores
from cellval.table.table import Table
from cellval.valuation import iter_values
from cellval.values.result import CellValues

if TYPE_CHECKING:
    from cellval.repair.comparison import Comparison

log = logging.getLogger(__name__)

ACTIVE = ("compiling", "running")
VALUES_EVERY = 1.0  # seconds between two estimates that pages see


@dataclass(frozen=True)
class Progress:
    """How far a run is; cheap to keep when everything else is dropped."""

    done: float = 0.0  # share of the run, 0 to 1
    seen: str = ""  # the same in words, such as "200 test points"
    seconds: float = 0.0
    seconds_left: float = float("nan")


class Background:
    """Drains an iterator of snapshots in a thread.

    Attributes
    ----------
    id : str
        Random; whoever knows it may see the run.
    status : str
        "compiling", "running", "done", "stopped" or "failed".
    snapshot
        The latest one; it has `done`, `seconds` and `seconds_left`.
    progress : Progress
        The latest, also after the end.
    error : str or None
        A sentence for the person, if the run failed.
    """

    def __init__(self, table: Table, options: dict[str, Any]) -> None:
        self.id = secrets.token_urlsafe(12)
        self.table = table
        self.options = options
        self.status = "compiling"
        self.snapshot: Any = None
        self.progress = Progress()
        self.error: str | None = None
        self.started = time.time()
        self.finished: float | None = None
        self.on_end: Callable[[], None] = lambda: None
        self._lock = threading.Lock()
        self._ended = threading.Event()

    @property
    def active(self) -> bool:
        return self.status in ACTIVE

    def stop(self) -> None:
        """End the run and keep what there is. Returns at once."""
        self._end("stopped")

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the thread to be gone; False if it is not."""
        return self._ended.wait(timeout)

    def _snapshots(self) -> Generator[Any, None, None]:
        raise NotImplementedError

    def _finish(self) -> None:
        """Make what remains of the last snapshot; the lock is held."""

    def _see(self, snapshot: Any) -> None:
        with self._lock:
            if not self.active:
                return
            self.snapshot = snapshot
            self.progress = Progress(
                snapshot.done,
                getattr(snapshot, "seen", ""),
                snapshot.seconds,
                snapshot.seconds_left,
            )
            if not getattr(snapshot, "compiling", False):
                self.status = "running"

    def _end(self, status: str, error: str | None = None) -> None:
        with self._lock:
            if not self.active:
                return
            self._finish()
            self.error = error
            self.finished = time.time()
            self.progress = replace(
                self.progress,
                seconds_left=0.0,
                done=1.0 if status == "done" else self.progress.done,
            )
            self.status = status

    def _start(self) -> None:
        name = f"cellval-run-{self.id[:6]}"
        threading.Thread(target=self._drain, name=name, daemon=True).start()

    def _drain(self) -> None:
        snapshots = self._snapshots()
        try:
            for snapshot in snapshots:
                self._see(snapshot)
                del snapshot
                if not self.active:
                    break
            self._end("done")
        except InputError as error:
            self._end("failed", str(error))
        except Exception as error:  # whatever it is, a person must not see it raw
            if "interpreter shutdown" not in str(error):  # else the server ends
                _log(f"run {self.id} on {self.table.name} failed")
            self._end("failed", _apology(error))
        finally:
            snapshots.close()
            self._ended.set()
            self.on_end()


class Job(Background):
    """Values the cells of one table.

    Attributes
    ----------
    snapshot : Snapshot or None
        The latest one while the run goes on; None before and after.
    surprise : Surprise or None
        How unusual the cells are; soon there, later more exact on large tables.
    memo : dict
        What pages want to find again with the run, such as decisions.
    """

    def __init__(self, table: Table, options: dict[str, Any]) -> None:
        super().__init__(table, options)
        self.memo: dict[str, Any] = {}
        self.surprise: Surprise | None = None
        self._values: CellValues | None = None
        self._values_at = -VALUES_EVERY

    @property
    def values(self) -> CellValues | None:
        """The estimate so far; None until two test points have been seen.

        The same object for about a second, so that pages can tell whether it is new.
        """
        with self._lock:
            snapshot, now = self.snapshot, time.monotonic()
            if (
                snapshot is not None
                and snapshot.has_values
                and now - self._values_at >= VALUES_EVERY
            ):
                self._values, self._values_at = _light(snapshot), now
            return self._values

    def _snapshots(self) -> Generator[Snapshot, None, None]:
        look = threading.Thread(target=self._look, name="surprise", daemon=True)
        look.start()
        if self.options.get("method", "knn") == "knn":
            with ThreadPoolExecutor(
                n_cores(), "cellval", initializer=_give_way
            ) as pool:
                yield from iter_values(self.table, **{"executor": pool, **self.options})
        else:
            _give_way()  # workers of other methods are its children
            yield from iter_values(self.table, **self.options)
        look.join()

    def _look(self) -> None:
        """How unusual the cells are, beside the values."""
        try:
            with ThreadPoolExecutor(1, "surprise", initializer=_give_way) as pool:
                seed = self.options.get("random_state", 0)
                for found in iter_surprise(
                    self.table, random_state=seed, executor=pool
                ):
                    self.surprise = found
                    if not self.active:
                        break
        except Exception:  # values are shown without it
            _log(f"surprise of {self.table.name} failed")

    def _finish(self) -> None:
        """Exact values of the last snapshot; the rest of the run's memory goes."""
        snapshot, self.snapshot = self.snapshot, None
        if snapshot is not None and snapshot.has_values:
            self._values = _light(snapshot)


class Steps(Background):
    """Any other long computation on a table: `make` begins its iterator of snapshots.

    It runs in the thread, and imports there what takes long to load.
    """

    def __init__(
        self, table: Table, make: Callable[[], Iterator[Any]], options: dict[str, Any]
    ) -> None:
        super().__init__(table, options)
        self._make = make

    @property
    def result(self) -> Any:
        """The latest snapshot, also after the end; None before the first."""
        return self.snapshot

    def _snapshots(self) -> Generator[Any, None, None]:
        _give_way()
        yield from self._make()


class Scores(Steps):
    """Measures whether models got better by the repair of a table."""

    def __init__(self, before: Table, after: Table, options: dict[str, Any]) -> None:
        super().__init__(before, self._compare, options)
        self.after = after

    @property
    def result(self) -> "Comparison | None":
        return self.snapshot

    def _compare(self) -> Iterator["Comparison"]:
        # scikit-learn takes two seconds to load, and not everyone gets here
        from cellval.repair.measure import iter_scores

        return iter_scores(self.table, self.after, **self.options)


def _give_way() -> None:
    """Let pages go first where kernels would take all cores (threads have a nice value
    of their own on Linux only).
    """
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 10)


def _light(snapshot: Snapshot) -> CellValues:
    """Values without the sums of the run, which are several times as large."""
    return replace(snapshot.values, state={})


def _log(message: str) -> None:
    if threading.main_thread().is_alive():  # else the server is being ended
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


def start_scores(before: Table, after: Table, **options: Any) -> Scores:
    """Measure a repair in the background; options are those of `iter_scores`.

    No list holds it: keep it where it will be asked for, such as in a run's `memo`.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read_csv("sample_data/davis.csv", label="sex")
    >>> scores = start_scores(table, table.with_cells({}, drop=[11]), repeats=1)
    >>> scores.wait(), scores.status, scores.result.n_touched
    (True, 'done', 1)
    """
    scores = Scores(before, after, options)
    scores._start()
    return scores


def start_steps(
    table: Table, make: Callable[[], Iterator[Any]], **options: Any
) -> Steps:
    """Run any iterator of snapshots in the background; `options` are only noted.

    Snapshots need `done`, `seconds` and `seconds_left`. As with `start_scores`, no list
    holds it.

    Examples
    --------
    >>> import cellval
    >>> table = cellval.read_csv("sample_data/davis.csv", label="sex")
    >>> steps = start_steps(table, lambda: cellval.iter_values(table))
    >>> steps.wait(), steps.status, steps.result.done
    (True, 'done', 1.0)
    """
    steps = Steps(table, make, options)
    steps._start()
    return steps
