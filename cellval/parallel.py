"""Work on threads, processes or a cluster: ordered pieces, and how many at a time."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from typing import Any

import numpy as np

from cellval.errors import InputError

TICK = 0.5  # seconds between two signs of life

# A worker has one core; libraries that start threads of their own would share it.
ONE_THREAD = {
    f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR")
}


def n_workers(n_jobs: int | None, executor: Executor | None) -> int:
    """How many items can run at once."""
    if n_jobs is None:
        return getattr(executor, "_max_workers", None) or n_cores()
    is_whole = isinstance(n_jobs, (int, np.integer)) and not isinstance(n_jobs, bool)
    if not is_whole or (n_jobs < 1 and n_jobs != -1):
        raise InputError(
            f"n_jobs={n_jobs!r} is not possible: it must be None or -1 (all cores), or "
            "1 or more."
        )
    return n_cores() if n_jobs == -1 else int(n_jobs)


def n_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_order(
    function: Callable[..., Any],
    work: Iterable[tuple[Any, ...]],
    executor: Executor | None,
    n_jobs: int,
    every: float | None = None,
) -> Iterator[Any]:
    """Yield the result of each piece; few of them wait at a time.

    Closing the iterator cancels those that have not begun. Without an executor the
    work is done here.

    Parameters
    ----------
    every : float, optional
        Yield None whenever so many seconds went by without a result.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor(2) as pool:
    ...     list(in_order(pow, [(2, 3), (3, 2)], pool, 2))
    [8, 9]
    """
    if executor is None:
        yield from (function(*piece) for piece in work)
        return
    following = iter(work)
    waiting: deque[Future[Any]] = deque()
    try:
        while True:
            while len(waiting) < 2 * n_jobs:
                piece = next(following, None)
                if piece is None:
                    break
                waiting.append(executor.submit(function, *piece))
            if not waiting:
                return
            try:
                result = waiting[0].result(every)
            except NotYet:
                if waiting[0].done():  # the piece's own timeout
                    raise
                yield None
                continue
            waiting.popleft()
            yield result
    finally:
        for future in waiting:
            future.cancel()


def default_executor(h: Any, n_jobs: int) -> Executor:
    """Threads for a compiled utility, and processes for other models.

    The GIL keeps models of scikit-learn from being trained side by side in threads, but
    not compiled trees. The processes are joblib's, which need no
    ``if __name__ == "__main__"``; each computes with one thread. A utility that wants
    them says so by an attribute ``compiled = False``; others, such as functions of
    one's own, get threads: they may not be picklable.

    Examples
    --------
    >>> with default_executor(lambda rows, columns: 0.0, 2) as executor:
    ...     executor.submit(sum, [1, 2]).result()
    3
    """
    if getattr(h, "compiled", True):
        return ThreadPoolExecutor(n_jobs)
    # joblib has no types; it takes time to import, and few need it
    from joblib.externals import loky  # type: ignore[import-untyped]

    executor: Executor = loky.ProcessPoolExecutor(n_jobs, env=ONE_THREAD)
    return executor
