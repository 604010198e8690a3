"""Pieces of work on a Dask cluster: `executor=` of `value_cells` and others.

What many pieces share (the rows of a table) is sent to each worker once. As many pieces
are under way as keep all threads of the cluster busy, also when it grows. Pieces of a
worker that is lost are done again by others. Answers of several pieces may be put
together there. They come back as from threads, and are added in their order: the same
bits.
"""

import ctypes
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError, Executor
from contextlib import suppress
from functools import cache
from inspect import ismethod
from typing import Any

import numpy as np

from cellval.errors import InputError
from cellval.text import counted

LARGE = 100_000  # bytes of an argument that is sent ahead
DEPTH = 5  # so far down arrays are looked for in it
SENT = 16  # arguments that are kept on the workers
LOOKED = 1.0  # seconds for which the size of the cluster is taken as known
RETRIES = 3  # of a piece whose worker was lost
PATIENCE = "5s"  # until a scheduler answers
KEPT = 2**26  # bytes that are free and that a worker keeps nevertheless
VARIABLE = "CELLVAL_DASK"


class Cluster(Executor):
    """A Dask client as an executor."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self.address = client.scheduler.address
        self._executor = client.get_executor(pure=False, retries=RETRIES)
        self._sent: OrderedDict[int, tuple[Any, Any]] = OrderedDict()
        self._lock = threading.Lock()
        self._looked, self._workers = -LOOKED, [1]  # threads of each

    def threads(self) -> int:
        """Of all workers that are there now."""
        if time.monotonic() - self._looked >= LOOKED:
            with suppress(Exception):  # if it is gone, the pieces tell of it
                self._workers = list(self.client.nthreads().values())
            self._looked = time.monotonic()
        return sum(self._workers)

    @property
    def words(self) -> str:
        """Where it is and how large, as in "a cluster of 2 workers with 4 threads"."""
        threads = counted(self.threads(), "thread")
        workers = counted(len(self._workers), "worker")
        return f"a cluster of {workers} with {threads} ({self.address})"

    def trouble(self, error: BaseException) -> str:
        """What happened to the cluster, and what to do; empty if it is not to blame."""
        address = self.address
        if self.client.status != "running" or isinstance(error, CancelledError):
            return (
                f"The Dask scheduler at {address} does not answer any more, so the "
                "work ended there. See that it runs, and start again."
            )
        if type(error).__name__ == "KilledWorker":
            return (
                f"Workers of the cluster at {address} were lost again and again at the "
                "same piece of work. They may lack memory: use larger ones, or fewer "
                "rows or columns."
            )
        causes = [error, error.__cause__, error.__context__]
        if any(isinstance(cause, ImportError) for cause in causes):
            return (
                f"The cluster at {address} lacks what the work needs ({error}). "
                "Install the same version of cellval there, for workers and scheduler."
            )
        return ""

    def submit(self, function: Callable[..., Any], /, *args: Any, **how: Any) -> Any:
        return self._executor.submit(*self._call(function, *args), **how)

    def put_together(
        self, function: Callable[..., Any], /, *args: Any, calls: Iterable[Any]
    ) -> Any:
        """What a function makes of the answers of calls (function, argument, ...).

        It is called by a worker, before other calls that wait: their answers go from
        worker to worker, and its own comes here.
        """
        how: dict[str, Any] = {"pure": False, "retries": RETRIES}
        answers = [self.client.submit(*self._call(*call), **how) for call in calls]
        return self._executor.submit(function, *args, *answers, priority=1)

    def _call(self, function: Callable[..., Any], *args: Any) -> list[Any]:
        """A function and its arguments; what is large is there already."""
        if ismethod(function):
            owner = self._there(function.__self__)
            function, args = _method, (owner, function.__name__, *args)
        return [_on_worker, function, *map(self._there, args)]

    def _there(self, argument: Any) -> Any:
        """A large argument as what stands for it on the workers."""
        key = id(argument)  # which stays its own as long as it is kept here
        with self._lock:  # several runs share a cluster
            if key not in self._sent:
                if _n_bytes(argument) < LARGE:
                    return argument
                (there,) = self.client.scatter([argument], broadcast=True, hash=False)
                self._sent[key] = argument, there
                if len(self._sent) > SENT:
                    self._sent.popitem(last=False)
            self._sent.move_to_end(key)
            return self._sent[key][1]


def _on_worker(function: Callable[..., Any], *args: Any) -> Any:
    _keep_memory()
    return function(*args)


@cache
def _keep_memory() -> None:
    """Dask tells the workers' C library to give free memory back at once. Pieces need
    the same megabytes again and again, and a third of their time went into getting it.
    """
    trim, large = -1, -3  # M_TRIM_THRESHOLD, M_MMAP_THRESHOLD of <malloc.h>
    if "MALLOC_TRIM_THRESHOLD_" in os.environ:
        with suppress(OSError, AttributeError):  # another library than glibc
            library = ctypes.CDLL(None)
            library.mallopt(trim, KEPT)
            library.mallopt(large, KEPT // 2)


def _method(owner: Any, name: str, *args: Any) -> Any:
    return getattr(owner, name)(*args)


def _n_bytes(argument: Any, depth: int = DEPTH) -> int:
    """Of the arrays in an argument: nearly all that travels with it."""
    if isinstance(argument, np.ndarray):
        return int(argument.nbytes)
    held: Iterable[Any] = argument if isinstance(argument, tuple) else ()
    if hasattr(argument, "__dict__") and not isinstance(argument, type):
        held = vars(argument).values()
    return sum(_n_bytes(one, depth - 1) for one in held) if depth else 0


def as_executor(given: Any) -> Executor | None:
    """An executor as it is; a Dask client, or the executor of one, as a `Cluster`."""
    if given is None or isinstance(given, Cluster):
        return given
    client = getattr(given, "_client", given)  # distributed's ClientExecutor
    if hasattr(client, "scatter") and hasattr(client, "nthreads"):
        return Cluster(client)
    if isinstance(given, Executor):
        return given
    raise InputError(
        f"executor={type(given).__name__} cannot run anything. Use an executor of "
        "concurrent.futures, or a Dask client."
    )


def connected(address: str) -> Cluster:
    """The cluster whose scheduler is at an address such as tcp://host:8786."""
    try:
        from distributed import Client
    except ImportError:
        raise InputError(
            "A cluster needs Dask: pip install 'cellval[dask]', here and there."
        ) from None
    try:
        return Cluster(Client(address, timeout=PATIENCE))
    except (OSError, ValueError, TimeoutError) as error:
        raise InputError(
            f"No Dask scheduler answers at {address} ({error}). Start one with 'dask "
            "scheduler', and workers with 'dask worker', or leave this out."
        ) from None


def connection(address: str) -> Cluster:
    """The one for all runs of this process, made again where it was lost."""
    with _one_at_a_time:
        known = _connections.get(address)
        if known is None or known.client.status != "running":
            known = _connections[address] = connected(address)
        return known


_connections: dict[str, Cluster] = {}
_one_at_a_time = threading.Lock()


def address_of_the_app() -> str:
    """Of the cluster that the environment variable names; empty for none."""
    return os.environ.get(VARIABLE, "").strip()


def of_the_app() -> Cluster | None:
    """Where runs of the app compute, if that is on a cluster."""
    address = address_of_the_app()
    return connection(address) if address else None
