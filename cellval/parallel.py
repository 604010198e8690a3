"""The one driver of long computations: ordered pieces, a budget, stop, snapshots.

A `Computation` says which pieces of work there are and how their answers add up. They
run on threads of this process, on processes, or on any executor, and are added in their
order, so that results are the same bit for bit whatever the number of workers, and any
prefix of the work is a result.
"""

import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    Executor,
    Future,
    ThreadPoolExecutor,
    wait,
)
from concurrent.futures import TimeoutError as NotYet
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from itertools import chain
from types import FrameType
from typing import Any, Generic, NamedTuple, TypeVar

from cellval.cluster import Cluster, as_executor
from cellval.errors import InputError, is_positive, is_whole, require
from cellval.plain_python import PlainPython
from cellval.progress import Snapshot

State = TypeVar("State")
Result = TypeVar("Result")

TICK = 0.5  # seconds between two signs of life
# That ask to end; the last is the Ctrl-Break of Windows.
SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
NICE = 10  # how far background work steps back behind pages
# A worker has one core; libraries that start threads of their own would share it.
ONE_THREAD = {
    f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR")
}


class Piece(NamedTuple):
    """A call that a worker makes, and how much of the whole work it is.

    On a cluster it may have parts, pieces whose answers are its further arguments: they
    go from worker to worker, and only its own answer comes here.
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    work: float = 1.0
    parts: "tuple[Piece, ...]" = ()

    @property
    def n_calls(self) -> int:
        """Without the one that puts parts together, which takes a moment."""
        return len(self.parts) or 1


@dataclass(frozen=True)
class Budget:
    """When a computation may stop before its end."""

    seconds: float | None = None
    stderr: float | None = None  # mean standard error that is small enough

    def __post_init__(self) -> None:
        for name, number in (("budget", self.seconds), ("target_stderr", self.stderr)):
            require(name, number, is_positive(number), "None, or above 0")


class Computation(Generic[State, Result]):
    """Ordered pieces of work whose answers add up to a result.

    Only `total`, `pieces` and `make` must be there. What is known is a tuple of the
    answers unless `begin` and `add` say otherwise.
    """

    total: float  # work of all pieces
    before: float = 0.0  # what an earlier run has done of it
    processes: bool = False  # pieces hold the GIL: several at a time need processes

    def prepare(self) -> None:
        """Compile or load what the pieces need, so that no budget pays for it."""

    def begins_uncompiled(self) -> bool:
        """Does plain Python do a first piece sooner than its code is compiled?

        Then a process of its own does so until all is prepared. Answers must be the
        same, bit for bit.
        """
        return False

    def pieces(self) -> Iterable[Piece]:
        """The pieces that are left, in order."""
        raise NotImplementedError

    def begin(self) -> Any:
        """What is known before the first piece."""
        return ()

    def add(self, state: Any, answer: Any) -> Any:
        """What is known with the answer of the next piece; `state` stays as it is."""
        return (*state, answer)

    def make(self, state: State) -> Callable[[], Result] | None:
        """What makes the result; None as long as there is none."""
        raise NotImplementedError

    def seen(self, state: State) -> str:
        """How much was done, in words."""
        return ""

    def stderr(self, state: State) -> float:
        """Mean standard error; infinite as long as it cannot be believed."""
        return float("inf")

    def done_inside(self) -> float:
        """Work done as far as it is counted within pieces, too."""
        return 0.0

    def stop(self) -> None:
        """Nobody waits for the pieces that still run."""


def drive(
    computation: Computation[State, Result],
    *,
    budget: Budget | None = None,
    n_jobs: int | None = 1,
    executor: Executor | None = None,
) -> Generator[Snapshot[Result], None, None]:
    """Yield a snapshot before the first and after every piece, and every half second.

    Closing the iterator stops the computation; what the last snapshot holds remains.
    So many pieces as `n_jobs` says run at a time (None or -1: one a core), on threads
    or processes of their own if there is no executor, or Dask client.

    Examples
    --------
    >>> class Sum(Computation):
    ...     total = 3.0
    ...     pieces = lambda self: [Piece(pow, (k, 2)) for k in range(3)]
    ...     begin = lambda self: 0
    ...     add = lambda self, state, answer: state + answer
    ...     make = lambda self, state: lambda: state
    >>> [snapshot.result for snapshot in drive(Sum(), n_jobs=2)]
    [0, 0, 1, 5]
    """
    width, given = n_workers(n_jobs), as_executor(executor)
    steps = _drive(computation, budget or Budget(), width, given)
    return _explained(steps, given) if isinstance(given, Cluster) else steps


def _explained(
    steps: Generator[Snapshot[Result], None, None], cluster: Cluster
) -> Generator[Snapshot[Result], None, None]:
    """The same steps; a cluster that fails is told of in a sentence."""
    try:
        with closing(steps):
            yield from steps
    except InputError:
        raise
    except Exception as error:
        if why := cluster.trouble(error):
            raise InputError(why) from error
        raise


def _drive(
    computation: Computation[State, Result],
    budget: Budget,
    width: int,
    executor: Executor | None,
) -> Generator[Snapshot[Result], None, None]:
    state = computation.begin()
    make = _once(computation.make(state))
    done, total = computation.before, computation.total
    seen = computation.seen(state)
    yield Snapshot(done / total, seen=seen, preparing=True, make=make)
    if executor is None and width > 1 and computation.begins_uncompiled():
        state, done, following = yield from _uncompiled(computation, state, budget)
        make, seen = _once(computation.make(state)), computation.seen(state)
    else:
        computation.prepare()
        following = iter(computation.pieces())
    upcoming = next(following, None)
    is_begun = done > computation.before
    over = upcoming is None or (is_begun and _is_enough(computation, state, budget))
    if over and is_begun:
        yield Snapshot(1.0, seconds_left=0.0, seen=seen, make=make)
    pool = executor or _workers(width, computation.processes)
    waiting: deque[tuple[Piece, Future[Any]]] = deque()
    started, before = time.monotonic(), done
    try:
        while not over:
            if isinstance(pool, Cluster):
                width = max(1, pool.threads())  # workers come and go
            while upcoming is not None and _n_under_way(waiting) < 2 * width:
                with signals_later():
                    waiting.append((upcoming, _submitted(pool, upcoming)))
                upcoming = next(following, None)
            seconds = time.monotonic() - started
            patience = TICK
            if budget.seconds is not None and make is not None:
                patience = min(TICK, max(0.0, budget.seconds - seconds))
            piece, future = waiting[0]
            with signals_later():
                try:
                    answer, is_there = future.result(patience), True
                except NotYet:
                    # unless it came to an end just now
                    if future.done() and isinstance(future.exception(), NotYet):
                        raise  # the piece's own timeout
                    is_there = False
            if is_there:
                waiting.popleft()
                state = computation.add(state, answer)
                make = _once(computation.make(state))
                done += piece.work
                over = not waiting and upcoming is None
            seconds = time.monotonic() - started
            counted = max(done, min(computation.done_inside(), 0.999 * total))
            share, left = counted / total, float("nan")
            if counted > before:
                left = seconds * (total - counted) / (counted - before)
            if budget.seconds is not None:
                # all is done only when it is over: something must be seen first
                share = max(share, min(0.999, seconds / budget.seconds))
                rest = max(0.0, budget.seconds - seconds)
                left = rest if left != left else min(left, rest)
                over |= seconds >= budget.seconds and make is not None
            over = over or _is_enough(computation, state, budget)
            if over:
                share, left = 1.0, 0.0
            yield Snapshot(share, seconds, left, computation.seen(state), make=make)
    finally:
        computation.stop()
        if executor is None:
            _close(pool, over)
        for _, future in waiting:
            future.cancel()


def _uncompiled(
    computation: Computation[State, Result], state: State, budget: Budget
) -> Generator[Snapshot[Result], None, tuple[State, float, Iterator[Piece]]]:
    """First pieces as plain Python in another process, until all is compiled here.

    Returns what is known then, how much is done, and the pieces that are left.
    """
    done, left = computation.before, iter(computation.pieces())
    make = _once(computation.make(state))
    compiling, plain = in_thread(computation.prepare), PlainPython()
    if _here.gives_way:
        plain.submit(_step_back)

    def here() -> Snapshot[Result]:
        share, seen = done / computation.total, computation.seen(state)
        return Snapshot(share, seen=seen, preparing=True, make=make)

    try:
        for piece in left:
            with signals_later():
                answer = plain.submit(piece.function, *piece.arguments)
            while not (ended := _ended(answer, compiling)):
                yield here()
            if answer not in ended or answer.exception():  # compiled, it may go well
                left = chain([piece], left)
                break
            state, done = computation.add(state, answer.result()), done + piece.work
            make = _once(computation.make(state))
            yield here()
            if _is_enough(computation, state, budget):
                break
        while not _ended(compiling):
            yield here()
    except BaseException:
        computation.stop()
        raise
    finally:
        plain.shutdown()
    compiling.result()  # or what went wrong
    return state, done, left


def _is_enough(
    computation: Computation[State, Result], state: State, budget: Budget
) -> bool:
    """Is the standard error as small as was asked for?"""
    if budget.stderr is None or computation.make(state) is None:
        return False
    return computation.stderr(state) <= budget.stderr


@contextmanager
def signals_later() -> Iterator[None]:
    """Signals that come within are heeded at its end, and no wait in it is long.

    One in the midst of taking a lock, as handing out work and waiting for it do, can
    leave it locked for ever, and the workers behind it (python/cpython#74174).
    """
    if threading.current_thread() is not threading.main_thread():  # no other hears any
        yield
        return
    came: list[tuple[int, FrameType | None]] = []
    before: dict[int, Any] = {}
    for number in filter(None, (getattr(signal, name, None) for name in SIGNALS)):
        if callable(signal.getsignal(number)):
            before[number] = signal.getsignal(number)
    try:
        for number in before:
            signal.signal(number, lambda *heard: came.append(heard))
        yield
    finally:
        _heard_by([*before.items()])
        for number, frame in came:
            before[number](number, frame)


def _heard_by(handlers: list[tuple[int, Any]]) -> None:
    """One of them may be asked for, and raise, before the next is in its place."""
    if handlers:
        try:
            signal.signal(*handlers[0])
        finally:
            _heard_by(handlers[1:])


def _n_under_way(waiting: Iterable[tuple[Piece, Future[Any]]]) -> int:
    """Calls at least that workers make or will make."""
    calls = [piece.n_calls for piece, _ in waiting]
    return sum(calls[1:]) + 1 if calls else 0  # of the first, most may be over


def _submitted(pool: Executor, piece: Piece) -> "Future[Any]":
    if not piece.parts:
        return pool.submit(piece.function, *piece.arguments)
    assert isinstance(pool, Cluster)
    calls = [(part.function, *part.arguments) for part in piece.parts]
    return pool.put_together(piece.function, *piece.arguments, calls=calls)


def _once(make: Callable[[], Result] | None) -> Callable[[], Result] | None:
    """The result is made once, however many snapshots share it."""
    return None if make is None else cache(make)


def _workers(width: int, processes: bool) -> Executor:
    """Threads, or processes for pieces that hold the GIL and would wait for it."""
    how: dict[str, Any] = {"initializer": _step_back} if _here.gives_way else {}
    if width == 1 or not processes:
        return ThreadPoolExecutor(width, thread_name_prefix="cellval", **how)
    # joblib's need no ``if __name__ == "__main__"``; it takes time to import
    from joblib.externals import loky

    executor: Executor = loky.ProcessPoolExecutor(width, env=ONE_THREAD, **how)
    return executor


def in_thread(call: Callable[[], None]) -> "Future[None]":
    """Its end. No executor's thread: whoever leaves does not wait for it."""
    future: Future[None] = Future()

    def run() -> None:
        try:
            call()
        except BaseException as error:
            future.set_exception(error)
        else:
            future.set_result(None)

    threading.Thread(target=run, name="cellval-beside", daemon=True).start()
    return future


def await_end(
    future: "Future[Any]", is_over: Callable[[], bool] = lambda: False
) -> bool:
    """Whatever it is, or until time is over; whether it ended. Signals that come
    meanwhile are heeded.
    """
    while not (ended := bool(_ended(future))) and not is_over():
        pass
    return ended


def _ended(*futures: "Future[Any]") -> "set[Future[Any]]":
    """Those that have come to their end, or do so within a tick."""
    with signals_later():
        return wait(futures, TICK, FIRST_COMPLETED).done


def _close(pool: Executor, over: bool) -> None:
    if isinstance(pool, ThreadPoolExecutor):
        pool.shutdown(wait=True, cancel_futures=True)
    else:
        pool.shutdown(kill_workers=not over)  # type: ignore[call-arg] # joblib's


def n_workers(n_jobs: int | None) -> int:
    """How many pieces can run at once."""
    if n_jobs is None or (is_whole(n_jobs, -1) and n_jobs == -1):
        return n_cores()
    need = "None or -1 (all cores), or 1 or more"
    require("n_jobs", n_jobs, is_whole(n_jobs, 1), need)
    return int(n_jobs)


def n_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def seconds_of(call: Callable[[], Any], repeat: int = 2, own: bool = True) -> float:
    """How long a call keeps one core busy, the shortest of a few times.

    Of this thread's own time where the system counts it finely: other programs that
    want the same core do not make it longer. Not so if it is not all its `own`.
    """
    fine = time.get_clock_info("thread_time").resolution < 1e-4
    clock = time.thread_time if fine and own else time.perf_counter
    each = []
    for _ in range(repeat):
        began = clock()
        call()
        each.append(clock() - began)
    return min(each)


class _Here(threading.local):
    gives_way = False


_here = _Here()


def give_way() -> None:
    """Let pages go before the workers that this thread starts from now on.

    Not before this thread itself: it holds Python's lock now and then, and who waits
    for a lock waits as long as its holder steps back.
    """
    _here.gives_way = True


def _step_back() -> None:
    """Let others go before this worker (on Linux)."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)
